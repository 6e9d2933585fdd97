//! `petrio users`

mod analyse;
mod compare;
mod figures;
mod info;
mod learn;
mod run;
mod usage;
mod worker;

use crate::failure::Failure;
use clap::Subcommand;

/// Put synthetic users to work on real directories, and see how they use files
#[derive(Subcommand)]
pub(crate) enum Users {
    Run(run::Run),
    Analyse(analyse::Analyse),
    Figures(figures::Figures),
    Compare(compare::Compare),
    Info(info::Info),
    Learn(learn::Learn),
    Worker(worker::Worker),
}

impl Users {
    pub(crate) fn execute(&self) -> Result<(), Failure> {
        match self {
            Self::Run(run) => run.execute(),
            Self::Analyse(analyse) => analyse.execute(),
            Self::Figures(figures) => figures.execute(),
            Self::Compare(compare) => compare.execute(),
            Self::Info(info) => info.execute(),
            Self::Learn(learn) => learn.execute(),
            Self::Worker(worker) => worker.execute(),
        }
    }
}
