//! `petrio users worker`: what `petrio users run --processes` starts.

use crate::failure::Failure;
use clap::Args;
use petrio_capture::launch::{Signal, end_with};
use petrio_study::users::work;

/// Run some of the processes of `petrio users run --processes`, which alone starts this
#[derive(Args)]
#[command(hide = true)]
pub(crate) struct Worker {
    /// The process with which it ends
    #[arg(long, value_name = "PROCESS")]
    supervisor: Option<u32>,
}

impl Worker {
    pub(crate) fn execute(&self) -> Result<(), Failure> {
        // Whoever has ended needs no worker any more.
        if self.supervisor.is_some_and(|process| end_with(process, Signal::KILL).is_err()) {
            return Ok(());
        }
        work().map_err(|error| {
            let help = "only petrio users run --processes starts workers".to_owned();
            Failure::new(
                format!("no run of users is at the other end of standard input: {error}"),
                Some(help),
            )
        })
    }
}
