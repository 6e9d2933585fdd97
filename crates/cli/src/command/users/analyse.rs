//! `petrio users analyse`

use super::run::failed;
use super::usage::usage_tables;
use crate::command::reading::Reading;
use crate::failure::Failure;
use crate::output::print;
use crate::results::{Results, write_json};
use clap::Args;
use petrio_study::users::{analyse_file, write_usage_html};
use std::path::PathBuf;

/// Say how users used files: accesses per byte, sizes and numbers of files by session; access sizes and response times by call
///
/// Reads any trace of calls on files: of petrio users run, of petrio run --trace, or of a live system. A login (a look at a user's own
/// directory) begins a session; where there is none, each process is one session.
#[derive(Args)]
pub(crate) struct Analyse {
    /// The trace, in any format that petrio reads
    #[arg(value_name = "RUN")]
    run: PathBuf,
    #[command(flatten)]
    reading: Reading,
    #[command(flatten)]
    results: Results,
    /// Don't print the tables
    #[arg(long, short)]
    quiet: bool,
}

impl Analyse {
    pub(crate) fn execute(&self) -> Result<(), Failure> {
        self.results.check(&[&self.run])?;
        let found = analyse_file(&self.run, &self.reading.options()).map_err(failed)?;
        if let Some(path) = &self.results.json {
            write_json(&found, path)?;
        }
        if let Some(path) = &self.results.html {
            write_usage_html(&found, path)?;
        }
        if !self.quiet {
            print(&usage_tables(&found.usage))?;
        }
        self.results.say_written();
        Ok(())
    }
}
