//! `petrio users analyse`

use super::usage::usage_tables;
use crate::failure::Failure;
use crate::output::{print, talk};
use clap::Args;
use petrio_scenario::report::write_text;
use petrio_study::users::{analyse_file, write_usage_html};
use petrio_workload::trace::TraceOptions;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// Say how users used files: accesses per byte, sizes and numbers of files by session; access sizes and response times by call
///
/// Reads any trace of calls on files: of petrio users run, of petrio run --trace, or of a live system. A login (a look at a user's own
/// directory) begins a session; where there is none, each process is one session.
#[derive(Args)]
pub(crate) struct Analyse {
    /// The trace, in any format that petrio reads
    #[arg(value_name = "RUN")]
    run: PathBuf,
    /// Write every figure and every session as JSON
    #[arg(long, value_name = "OUT")]
    json: Option<PathBuf>,
    /// Write a self-contained HTML page with plots: distributions over sessions, as counted and smoothed
    #[arg(long, value_name = "OUT")]
    html: Option<PathBuf>,
    /// Don't print the tables
    #[arg(long, short)]
    quiet: bool,
}

/// Writes a value as JSON.
pub(super) fn write_json(value: &impl Serialize, path: &Path) -> Result<(), Failure> {
    let text = serde_json::to_string_pretty(value).map_err(|error| Failure::Output(error.to_string()))?;
    Ok(write_text(path, &format!("{text}\n"))?)
}

impl Analyse {
    pub(crate) fn execute(&self) -> Result<(), Failure> {
        let found = analyse_file(&self.run, &TraceOptions::default())?;
        if let Some(path) = &self.json {
            write_json(&found, path)?;
        }
        if let Some(path) = &self.html {
            write_usage_html(&found, path)?;
        }
        if !self.quiet {
            print(&usage_tables(&found.usage))?;
        }
        for path in [&self.json, &self.html].into_iter().flatten() {
            talk(&format!("written: {}", path.display()));
        }
        Ok(())
    }
}
