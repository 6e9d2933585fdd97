//! `petrio compare`

use crate::command::alike::alike_table;
use crate::failure::Failure;
use crate::output::width;
use crate::outputs::Outputs;
use crate::progress::bar;
use crate::results::{Results, say_written};
use clap::Args;
use petrio_files::inputs::Inputs;
use petrio_scenario::Override;
use petrio_scenario::report::write_text;
use petrio_scenario::run::RunFailure;
use petrio_scenario::state::SavedRun;
use petrio_study::compare::measured::{beside, measured_text, write_measured_html};
use petrio_study::compare::over_time::{
    Arrivals, OverTimeQuestion, beside_over_time, is_over_time, over_time_text, patch_text,
    write_over_time_html,
};
use petrio_study::compare::{
    CompareError, Comparison, Input, OnStep, Question, compare, terminal_text, write_html,
};
use petrio_study::users::alike::{Alike, write_comparison_html};
use petrio_units::{Duration, Fraction};
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Compare scenarios: which is better, by how much, how sure that is, and why
#[derive(Args)]
#[command(after_help = after_help())]
pub(crate) struct Compare {
    /// Two or more: scenario files, each with settings of its own behind an @ if it has any
    /// (FILE@path=value,path=value), reports that petrio run --json has written, or with measured: before its name what
    /// another program measured: the JSON of fio (--output-format=json, json+), or the screen of iozone or its tables (-R);
    /// or what a live system's disks did over time: iostat -x (also -o JSON), sar -d and sadf, scrapes of node_exporter,
    /// Prometheus' query_range, a CSV (docs/measured.md)
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
    over_time: OverTimeOptions,
    #[command(flatten)]
    results: Results,
    /// Don't print the comparison
    #[arg(long, short)]
    quiet: bool,
}

/// Of a measurement over time.
#[derive(Args)]
#[command(next_help_heading = "Beside a live system")]
struct OverTimeOptions {
    /// Which measured device is which disk of the scenario, such as sda=d; may be repeated. Left out: those of the same
    /// name, or the only ones
    #[arg(long = "disk", value_name = "DEVICE=DISK", value_parser = pair)]
    disks: Vec<(String, String)>,
    /// How long intervals are where the measurement doesn't say it (iostat without -t, scrapes without a time), such as "10 s"
    #[arg(long, value_name = "TIME")]
    interval: Option<Duration>,
    /// Predictions that are off by more than this part of what was measured are said to part from it [default: 10%]
    #[arg(long, value_name = "PART")]
    within: Option<Fraction>,
    /// How requests come: poisson, at any time, or closed, from processes that wait for them, as many as had some under way
    /// [default: poisson]
    #[arg(long, value_name = "HOW", value_parser = arrivals)]
    arrivals: Option<Arrivals>,
    /// How many requests each replication of a load has [default: 20000]; there are four replications where --replications
    /// says nothing else
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u64).range(100..=10_000_000))]
    requests: Option<u64>,
    /// Fit the disk's parameters to every second interval, try them on the others, and write those that change as a TOML patch
    #[arg(long, value_name = "OUT", value_parser = crate::streams::output)]
    patch: Option<PathBuf>,
}

fn pair(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((device, disk)) if !device.is_empty() && !disk.is_empty() => {
            Ok((device.to_owned(), disk.to_owned()))
        }
        _ => Err("write DEVICE=DISK, such as sda=d".to_owned()),
    }
}

fn arrivals(text: &str) -> Result<Arrivals, String> {
    match text {
        "poisson" => Ok(Arrivals::Poisson),
        "closed" => Ok(Arrivals::Closed),
        _ => Err("it is poisson or closed".to_owned()),
    }
}

impl OverTimeOptions {
    /// The first that is given.
    fn given(&self) -> Option<&'static str> {
        let all = [
            ("--disk", !self.disks.is_empty()),
            ("--interval", self.interval.is_some()),
            ("--within", self.within.is_some()),
            ("--arrivals", self.arrivals.is_some()),
            ("--requests", self.requests.is_some()),
            ("--patch", self.patch.is_some()),
        ];
        all.into_iter().find(|(_, given)| *given).map(|(name, _)| name)
    }

    fn question(&self) -> Result<OverTimeQuestion, Failure> {
        Ok(OverTimeQuestion {
            interval_s: self
                .interval
                .map(|interval| interval.time().as_seconds())
                .filter(|length| *length > 0.0),
            disks: self.disks.clone(),
            within: part(self.within, "--within")?,
            arrivals: self.arrivals.unwrap_or_default(),
            requests: self.requests,
            calibrate: self.patch.is_some(),
        })
    }
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
  petrio compare server.toml measured:iozone.txt --html beside.html   # each test, file size and record of iozone's
  iostat -xt 10 360 > iostat.txt; petrio compare server.toml measured:iostat.txt --disk sda=d --patch sda.toml"
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
        let measured = question.inputs.iter().any(|input| input.measured);
        if measured && is_over_time(&question).map_err(failure)? {
            return self.beside_over_time(&question, &named);
        }
        if let Some(option) = self.over_time.given() {
            return Err(Failure::new(
                format!("{option} is about a measurement over time, and there is none"),
                Some("give one, such as measured:iostat.txt of iostat -xt 10 (docs/measured.md)".to_owned()),
            ));
        }
        if measured {
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

    /// What a live system's disks did beside what the scenario's do.
    fn beside_over_time(&self, question: &Question, named: &[&Path]) -> Result<(), Failure> {
        let outputs = [
            ("--json", &self.results.json),
            ("--html", &self.results.html),
            ("--patch", &self.over_time.patch),
        ];
        Outputs::of(outputs).check(&question.files, named.iter().copied())?;
        let found = shown(|on_step| beside_over_time(question, on_step)).map_err(failure)?;
        let text = (!self.quiet).then(|| over_time_text(&found, width()));
        self.results.leave((&found, &question.files), write_over_time_html, text)?;
        let Some(path) = &self.over_time.patch else { return Ok(()) };
        let Some(patch) = patch_text(&found) else {
            let why =
                found.devices.iter().filter_map(|device| device.calibration.as_ref()?.refused.as_deref());
            let why: Vec<&str> = why.collect();
            return Err(Failure::new(
                format!("there is no patch: {}", why.join("; ")),
                Some("leave --patch out for the comparison alone (docs/measured.md)".to_owned()),
            ));
        };
        write_text(path, &question.files, &patch)?;
        say_written([path]);
        Ok(())
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
            over_time: self.over_time.question()?,
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
