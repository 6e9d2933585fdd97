//! `petrio compare`

use crate::command::alike::alike_table;
use crate::failure::Failure;
use crate::output::width;
use crate::progress::bar;
use crate::results::Results;
use clap::Args;
use petrio_files::inputs::Inputs;
use petrio_scenario::Override;
use petrio_scenario::run::RunFailure;
use petrio_scenario::state::SavedRun;
use petrio_study::compare::measured::{beside, measured_text, write_measured_html};
use petrio_study::compare::{
    CompareError, Comparison, Input, OnStep, Question, compare, terminal_text, write_html,
};
use petrio_study::users::alike::{Alike, write_comparison_html};
use petrio_units::Fraction;
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Compare scenarios: which is better, by how much, how sure that is, and why
#[derive(Args)]
#[command(after_help = after_help())]
pub(crate) struct Compare {
    /// Two or more: scenario files, each with settings of its own behind an @ if it has any
    /// (FILE@path=value,path=value), reports that petrio run --json has written, or with measured: before its name what
    /// another program measured: the JSON of fio (--output-format=json, json+), or the screen of iozone or its tables (-R)
    #[arg(value_name = "SCENARIO", required = true)]
    inputs: Vec<String>,
    /// Change a value in every scenario, such as workload.w.requests=20000; may be repeated
    #[arg(long = "set", value_name = "PATH=VALUE")]
    settings: Vec<Override>,
    /// Where random numbers begin, instead of the first scenario's seed; the same for all
    #[arg(long, value_name = "NUMBER")]
    seed: Option<u64>,
    /// How many replications of each, with the same random numbers [default: 10]; with --precision, how many at
    /// most [default: 400]
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(2..=100_000))]
    replications: Option<u32>,
    /// Replicate until the ratio of every pair is known to this part of it, such as 1%: half its interval
    #[arg(long, value_name = "PART")]
    precision: Option<Fraction>,
    /// The level of the intervals, such as 99%; left out, that of the first scenario, which is 95 % if it names none
    #[arg(long, value_name = "PART")]
    confidence: Option<Fraction>,
    /// Differences of less than this part of a figure are called too small to matter, however certain they are
    /// [default: 1%]
    #[arg(long, value_name = "PART")]
    relevant: Option<Fraction>,
    /// By what they are put in order: throughput, rate, mean-latency, p50-latency, p95-latency, p99-latency, makespan,
    /// or rate, mean-latency, p50-latency, p99-latency of a kind, such as fsync.p99-latency. Left out, throughput where
    /// all workloads are closed (they wait for what they have asked for), and mean latency where one is open
    #[arg(long, value_name = "MEASURE")]
    measure: Option<String>,
    /// Run the programs of scenarios that work on files for real, in a fresh directory inside this one: of those with
    /// real: before their name, or of all where none has it
    #[arg(long, value_name = "DIR", hide = cfg!(not(feature = "live")))]
    dir: Option<PathBuf>,
    /// Let all go on from where a run of the first was put aside (petrio run --save): they may differ in how fast drives,
    /// links and processors are
    #[arg(long, value_name = "FILE")]
    from: Option<PathBuf>,
    #[command(flatten)]
    results: Results,
    /// Don't print the comparison
    #[arg(long, short)]
    quiet: bool,
}

fn after_help() -> String {
    let mut help = "\
Settings are divided by commas; a value that has commas itself goes in quotes or brackets. Random numbers are named by seed,
replication and the names of parts: keep the names of disks and workloads the same, and both meet the same load.

Examples:
  petrio compare old.toml new.toml --html compared.html
  petrio compare load.toml@disk.d.scheduler=fcfs load.toml@disk.d.scheduler=sptf load.toml@disk.d.scheduler=look
  petrio compare load.toml load.toml@disk.d.model=ibm-ultrastar-18es,disk.d.count=2 --precision 1%
  petrio compare files.toml files.toml@fs.data.journal=write-back --measure fsync.p99-latency
  petrio compare trace.toml@fs.x.scheduler=mq-deadline trace.toml@fs.x.scheduler=bfq   # a blktrace: docs/guide.md
  petrio compare load.toml load.toml@disk.d.drive.mechanics.rotation='15000 rpm' --from warm.state   # both from one warmed state
  petrio compare yesterday.json today.json
  petrio compare server.toml measured:fio.json        # each job of fio's beside the workload of its name
  petrio compare server.toml measured:iozone.txt --html beside.html   # each test, file size and record of iozone's"
        .to_owned();
    if cfg!(feature = "live") {
        help.push_str("\n  petrio compare files.toml real:files.toml --dir /mnt/data --replications 5");
    }
    help
}

impl Compare {
    pub(crate) fn execute(&self) -> Result<(), Failure> {
        let question = self.question()?;
        let named: Vec<&Path> = question.inputs.iter().map(|input| input.file.as_path()).collect();
        self.results.check(&question.files, &named)?;
        if question.inputs.iter().any(|input| input.measured) {
            return self.beside(&question);
        }
        answer(&question, None, &self.results, self.quiet)
    }

    /// A measurement beside the predictions.
    fn beside(&self, question: &Question) -> Result<(), Failure> {
        let found = shown(|on_step| beside(question, on_step)).map_err(failure)?;
        let text = (!self.quiet).then(|| measured_text(&found, width()));
        self.results.leave((&found, &question.files), write_measured_html, text)
    }

    fn question(&self) -> Result<Question, Failure> {
        let files = Inputs::here();
        let inputs: Result<Vec<Input>, CompareError> = self.inputs.iter().map(|text| text.parse()).collect();
        Ok(Question {
            candidates: Vec::new(),
            inputs: inputs.map_err(failure)?,
            settings: self.settings.clone(),
            seed: self.seed,
            replications: self.replications,
            precision: part(self.precision, "--precision")?,
            confidence: part(self.confidence, "--confidence")?,
            relevant: self.relevant.map(Fraction::get),
            measure: self.measure.clone(),
            directory: self.dir.clone(),
            from: self
                .from
                .as_deref()
                .map(|path| SavedRun::read(&files, path))
                .transpose()
                .map_err(RunFailure::from)?
                .map(Arc::new),
            files,
        })
    }
}

/// A part between 0 and 1.
pub(super) fn part(fraction: Option<Fraction>, option: &str) -> Result<Option<f64>, Failure> {
    match fraction.map(Fraction::get) {
        Some(part) if part <= 0.0 || part >= 1.0 => Err(Failure::new(
            format!("{option} is a part between 0 and 1, and not these themselves"),
            Some(format!(
                "write for example {option} {}",
                if option == "--confidence" { "95%" } else { "5%" }
            )),
        )),
        part => Ok(part),
    }
}

/// Runs, and shows meanwhile how far that is.
fn shown<T>(runs: impl FnOnce(&OnStep<'_>) -> T) -> T {
    let bar = bar("{bar:30} {pos} replications, {len} at least ({elapsed})");
    let outcome = runs(&|step| {
        bar.set_length(step.of);
        bar.set_position(step.done);
    });
    bar.finish_and_clear();
    outcome
}

/// What is told of a comparison.
#[derive(Serialize)]
struct Answer<'c> {
    #[serde(flatten)]
    comparison: &'c Comparison,
    /// Whether the users who were simulated are like those that they stand for.
    #[serde(skip_serializing_if = "Option::is_none")]
    alike: Option<&'c Alike>,
}

/// Compares, shows how far it is, and tells the result, and beside it whether users are like those they stand for.
pub(crate) fn answer(
    question: &Question,
    alike: Option<&Alike>,
    results: &Results,
    quiet: bool,
) -> Result<(), Failure> {
    let outcome = shown(|on_step| compare(question, on_step));
    let comparison = outcome.map_err(failure)?;
    let text = (!quiet).then(|| {
        let alike = alike.map_or(String::new(), |alike| {
            format!("\nWhether {} are like {}\n\n{}", alike.runs.0, alike.runs.1, alike_table(alike))
        });
        format!("{}{alike}", terminal_text(&comparison, width()))
    });
    let write_page = |answer: &Answer<'_>, path: &Path, inputs: &Inputs| match answer.alike {
        Some(alike) => write_comparison_html((&comparison, alike), path, inputs),
        None => write_html(&comparison, path, inputs),
    };
    results.leave((&Answer { comparison: &comparison, alike }, &question.files), write_page, text)
}

fn failure(error: CompareError) -> Failure {
    match error {
        CompareError::Scenario(problems) => Failure::Scenario(problems),
        other => Failure::of(&other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use petrio_study::compare::{MOST_REPLICATIONS, USUAL_REPLICATIONS};

    #[test]
    fn the_numbers_in_the_help_are_those_of_the_study() {
        let help = Compare::augment_args(clap::Command::new("compare")).render_long_help().to_string();
        for number in [USUAL_REPLICATIONS, MOST_REPLICATIONS] {
            assert!(help.contains(&format!("[default: {number}]")), "{number}");
        }
    }
}
