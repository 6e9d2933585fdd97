//! `petrio users analyse`

use super::failed;
use crate::command::alike::alike_table;
use crate::command::reading::Reading;
use crate::failure::Failure;
use crate::results::Results;
use crate::usage::{figures_table, usage_tables};
use clap::{Args, ValueEnum};
use petrio_files::inputs::Inputs;
use petrio_study::users::alike::{compare_workloads, write_alike_html};
use petrio_study::users::{
    NamedRun, RunsBy, analyse_file, analyse_runs, write_figures_html, write_usage_html,
};
use std::path::{Path, PathBuf};

/// Say how users used files: accesses per byte, sizes and numbers of files by session; access sizes and response times
/// by call
///
/// Reads any trace of calls on files: of petrio users run, of petrio run --trace, or of a live system. A login (a look
/// at a user's own directory) begins a session; where there is none, each process is one session. Of several runs it
/// says the response time a byte, by the number of users who work at once or by the mean size of an access. With --like
/// it tests whether a generated workload is like a real one; p-values are corrected for all tests together (Holm), and
/// effect sizes say by how much they differ.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Analyse {
    /// Traces, in any format that petrio reads; runs with the same NAME are one curve
    #[arg(value_name = "[NAME=]RUN", required = true, value_parser = run)]
    runs: Vec<NamedRun>,
    /// Test whether the workload of the run is like that of this trace: distributions, mix of calls, correlations
    #[arg(long, value_name = "TRACE", conflicts_with = "by")]
    like: Option<PathBuf>,
    /// By what several runs are put in order
    #[arg(long, value_name = "WHAT", value_enum)]
    by: Option<ByName>,
    #[command(flatten)]
    reading: Reading,
    #[command(flatten)]
    results: Results,
    /// Don't print the tables
    #[arg(long, short)]
    quiet: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum ByName {
    /// The number of users: the thesis' figures 5.6 to 5.11
    Users,
    /// The mean size of an access: figure 5.12
    AccessSize,
}

const EXAMPLES: &str = "\
Examples:
  petrio users analyse run.parquet --html usage.html
  petrio users analyse heavy=one-user.parquet heavy=two-users.parquet light=one-light.parquet --html by-users.html
  petrio users analyse generated.parquet --like captured.parquet
  petrio users analyse small.parquet middle.parquet large.parquet --by access-size";

fn run(text: &str) -> Result<NamedRun, String> {
    // A file may have such a name.
    let (name, path) = match text.split_once('=') {
        Some((name, path)) if !name.is_empty() && !Path::new(text).exists() => (name, path),
        _ => ("runs", text),
    };
    if path.is_empty() {
        return Err(format!("no file is named after \"{name}=\""));
    }
    Ok(NamedRun { name: name.to_owned(), path: path.into() })
}

impl Analyse {
    pub(crate) fn execute(&self) -> Result<(), Failure> {
        let named: Vec<&Path> =
            self.runs.iter().map(|run| run.path.as_path()).chain(self.like.as_deref()).collect();
        let inputs = Inputs::here();
        self.results.check(&inputs, &named)?;
        if let Some(like) = &self.like {
            return self.alike(&inputs, like);
        }
        match (self.runs.as_slice(), self.by) {
            ([run], None) => self.one(&inputs, run),
            ([run], Some(_)) => {
                let help = "name several runs, or leave --by out".to_owned();
                Err(Failure::new(
                    format!("{}: a single run can't be put in order", run.path.display()),
                    Some(help),
                ))
            }
            (_, by) => self.several(
                &inputs,
                match by {
                    None | Some(ByName::Users) => RunsBy::Users,
                    Some(ByName::AccessSize) => RunsBy::AccessSize,
                },
            ),
        }
    }

    fn one(&self, inputs: &Inputs, run: &NamedRun) -> Result<(), Failure> {
        let found = analyse_file(inputs, &run.path, &self.reading.options()).map_err(failed)?;
        self.results.leave(
            (&found, inputs),
            write_usage_html,
            (!self.quiet).then(|| usage_tables(&found.usage)),
        )
    }

    fn alike(&self, inputs: &Inputs, like: &Path) -> Result<(), Failure> {
        let [run] = self.runs.as_slice() else {
            let help = "name one run, and --like the trace that it should be like".to_owned();
            return Err(Failure::new("one run at a time is held against another", Some(help)));
        };
        let found = compare_workloads(inputs, [&run.path, like], &self.reading.options()).map_err(failed)?;
        self.results.leave((&found, inputs), write_alike_html, (!self.quiet).then(|| alike_table(&found)))
    }

    fn several(&self, inputs: &Inputs, by: RunsBy) -> Result<(), Failure> {
        let figures = analyse_runs(inputs, &self.runs, by, &self.reading.options()).map_err(failed)?;
        self.results.leave(
            (&figures, inputs),
            write_figures_html,
            (!self.quiet).then(|| figures_table(&figures)),
        )
    }
}
