//! `petrio trace`: traces as they are, before anything is simulated.

mod characterise;
mod summary;

use crate::failure::Failure;
use clap::Subcommand;

/// Look into traces
#[derive(Subcommand)]
pub(crate) enum Trace {
    Characterise(characterise::Characterise),
}

impl Trace {
    pub(crate) fn execute(&self) -> Result<(), Failure> {
        match self {
            Self::Characterise(characterise) => characterise.execute(),
        }
    }
}
