//! `petrio users`

mod analyse;
mod compare;
mod figures;
mod info;
mod learn;

use crate::user_shares::{failed, share, shares};

use crate::failure::Failure;
use crate::live::{RunUsers, Worker};
use clap::Subcommand;

#[cfg_attr(
    feature = "live",
    doc = "Put synthetic users to work on real directories, and see how they use files"
)]
#[cfg_attr(not(feature = "live"), doc = "See how users, synthetic or traced, use files")]
#[derive(Subcommand)]
pub(crate) enum Users {
    Run(RunUsers),
    Analyse(analyse::Analyse),
    Figures(figures::Figures),
    Compare(compare::Compare),
    Info(info::Info),
    Learn(learn::Learn),
    Worker(Worker),
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
