//! `petrio trace`

mod characterise;
mod convert;
mod files;
mod filter;
mod info;
mod merge;
mod sample;
mod summary;

use crate::failure::Failure;
use clap::Subcommand;

/// Look into traces, convert them, and cut them to size
#[derive(Subcommand)]
pub(crate) enum Trace {
    Info(info::Info),
    Characterise(characterise::Characterise),
    Convert(convert::Convert),
    Filter(filter::Filter),
    Merge(merge::Merge),
    Sample(sample::Sample),
}

impl Trace {
    pub(crate) fn execute(&self) -> Result<(), Failure> {
        match self {
            Self::Info(info) => info.execute(),
            Self::Characterise(characterise) => characterise.execute(),
            Self::Convert(convert) => convert.execute(),
            Self::Filter(filter) => filter.execute(),
            Self::Merge(merge) => merge.execute(),
            Self::Sample(sample) => sample.execute(),
        }
    }
}
