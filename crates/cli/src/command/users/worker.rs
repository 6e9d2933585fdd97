//! `petrio users worker`: what `petrio users run --processes` starts.

use crate::failure::Failure;
use clap::Args;
use petrio_study::users::work;

/// Run some of the processes of `petrio users run --processes`, which alone starts this
#[derive(Args)]
#[command(hide = true)]
pub(crate) struct Worker {}

impl Worker {
    pub(crate) fn execute(&self) -> Result<(), Failure> {
        work().map_err(|error| {
            let help = "only petrio users run --processes starts workers".to_owned();
            Failure::new(
                format!("no run of users is at the other end of standard input: {error}"),
                Some(help),
            )
        })
    }
}
