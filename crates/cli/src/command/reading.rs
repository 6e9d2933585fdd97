//! How a trace is read: options that all commands share that read one.

use crate::failure::Failure;
use clap::Args;
use petrio_trace::{EventReader, FormatName, TraceOptions};
use std::path::Path;

/// How traces are read.
#[derive(Args)]
pub(crate) struct Reading {
    /// The format of a trace, where it can't be told from the content (`petrio trace info --help` lists them)
    #[arg(long, value_name = "FORMAT", value_parser = input_format)]
    format: Option<FormatName>,
    /// How many records of a trace out of place a record may be; those within are sorted
    #[arg(long, value_name = "RECORDS")]
    reorder_window: Option<usize>,
}

impl Reading {
    pub(crate) fn options(&self) -> TraceOptions {
        TraceOptions { format: self.format, reorder_window: self.reorder_window, ..TraceOptions::default() }
    }

    pub(crate) fn open(&self, path: &Path) -> Result<EventReader, Failure> {
        Ok(EventReader::open(path, &self.options())?)
    }
}

fn input_format(name: &str) -> Result<FormatName, String> {
    FormatName::ALL
        .into_iter()
        .find(|format| format.name() == name)
        .ok_or_else(|| format!("the formats are {}", FormatName::ALL.map(FormatName::name).join(", ")))
}
