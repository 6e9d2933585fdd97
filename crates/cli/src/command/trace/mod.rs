//! `petrio trace`

mod capture;

use crate::failure::Failure;
use clap::Subcommand;

/// Capture traces of files and devices
#[derive(Subcommand)]
pub(crate) enum Trace {
    Capture(capture::Capture),
}

impl Trace {
    pub(crate) fn execute(&self) -> Result<(), Failure> {
        match self {
            Self::Capture(capture) => capture.execute(),
        }
    }
}
