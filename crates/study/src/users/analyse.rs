//! How files were used, from a trace in any format.

use super::error::UsersError;
use petrio_bounds::Headroom;
use petrio_files::inputs::Inputs;
use petrio_trace::{EventReader, TraceError, TraceOptions};
use petrio_users::learn::LearnError;
use petrio_users::{Usage, UsageAnalyser};
use serde::Serialize;
use std::path::Path;

/// A run that was analysed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AnalysedUsage {
    /// The trace's file.
    pub run: String,
    /// How it was made, as far as it says itself.
    pub command: String,
    /// How files were used.
    #[serde(flatten)]
    pub usage: Usage,
}

/// Analyses a trace.
///
/// # Errors
/// What is wrong with the file, and where.
pub fn analyse_file(
    inputs: &Inputs,
    path: &Path,
    options: &TraceOptions,
) -> Result<AnalysedUsage, UsersError> {
    let mut reader = EventReader::open_in(inputs, path, options)?;
    let command = reader.about()?.command;
    let mut analyser = UsageAnalyser::default();
    let mut headroom = Headroom::default();
    for (events, event) in (0..).zip(reader) {
        analyser.event(&event?);
        headroom.record().map_err(|cause| TraceError::TooMuch { events, cause })?;
    }
    let usage = analyser.finish();
    if usage.calls.is_empty() {
        return Err(UsersError::Learn { path: path.to_owned(), error: LearnError::NoFiles });
    }
    Ok(AnalysedUsage { run: path.to_string_lossy().into_owned(), command, usage })
}
