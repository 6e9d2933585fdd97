//! `petrio trace`

mod capture;
mod characterise;
mod convert;
mod files;
mod filter;
mod formats;
mod info;
mod merge;
mod sample;
mod summary;

use crate::failure::Failure;
use clap::Subcommand;

/// Capture traces, look into them, convert them, and cut them to size
#[derive(Subcommand)]
pub(crate) enum Trace {
    Capture(capture::Capture),
    Info(info::Info),
    Characterise(characterise::Characterise),
    Convert(convert::Convert),
    Filter(filter::Filter),
    Formats(formats::Formats),
    Merge(merge::Merge),
    Sample(sample::Sample),
}

impl Trace {
    pub(crate) fn execute(&self) -> Result<(), Failure> {
        match self {
            Self::Capture(capture) => capture.execute(),
            Self::Info(info) => info.execute(),
            Self::Characterise(characterise) => characterise.execute(),
            Self::Convert(convert) => convert.execute(),
            Self::Filter(filter) => filter.execute(),
            Self::Formats(formats) => formats.execute(),
            Self::Merge(merge) => merge.execute(),
            Self::Sample(sample) => sample.execute(),
        }
    }
}
