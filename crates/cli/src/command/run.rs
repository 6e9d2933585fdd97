//! `petrio run`

use crate::command::scenario::ScenarioArguments;
use crate::failure::Failure;
use crate::output::{print, talk, width};
use crate::outputs::{Outputs, is_own_trace};
use crate::progress::RunProgress;
use crate::results::say_written;
use clap::Args;
use petrio_files::inputs::Inputs;
use petrio_kernel::Watch;
use petrio_page::numbers::{counted, seconds};
use petrio_scenario::report::{DeviceLog, Sinks, terminal_text, write_csv, write_html, write_json};
use petrio_scenario::run::{Part, RunFailure, run_on, run_part, run_so_far};
use petrio_scenario::state::SavedRun;
use petrio_scenario::{Loaded, Override};
use petrio_units::Duration;
use std::io::IsTerminal;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Instant;

/// A run that took longer, seconds, says what goes on before its changes are tried, which takes several times as long.
const WORTH_A_WORD: f64 = 1.0;

/// Run a scenario and report: throughput, latency, where the time goes, the bottleneck
#[derive(Args)]
pub(crate) struct Run {
    #[command(flatten)]
    scenario: ScenarioArguments,
    /// Write the report as JSON
    #[arg(long, value_name = "FILE", value_parser = crate::streams::output)]
    json: Option<PathBuf>,
    /// Write the report's figures as CSV
    #[arg(long, value_name = "FILE", value_parser = crate::streams::output)]
    csv: Option<PathBuf>,
    /// Write the report as one self-contained HTML page with plots
    #[arg(long, value_name = "FILE", value_parser = crate::streams::output)]
    html: Option<PathBuf>,
    /// Write a row for every request or file operation as Parquet (pandas, DuckDB); where there are both, those of the
    /// requests to FILE with -requests before its extension (so with --perfetto and --trace)
    #[arg(long, value_name = "FILE", value_parser = crate::streams::output)]
    parquet: Option<PathBuf>,
    /// Write the time line of every request or file operation, and of what reaches the devices, for ui.perfetto.dev
    #[arg(long, value_name = "FILE", value_parser = crate::streams::output)]
    perfetto: Option<PathBuf>,
    /// Write every request or file operation as a trace, for petrio trace, petrio users analyse, or another scenario to
    /// replay
    #[arg(long, value_name = "FILE", value_parser = crate::streams::output)]
    trace: Option<PathBuf>,
    /// Write every request that reaches a device, when, for whom, for what (data, metadata, journal, redundancy …) and how
    /// long, as CSV, or as Parquet if FILE ends in .parquet
    #[arg(long, value_name = "FILE", value_parser = crate::streams::output)]
    device_log: Option<PathBuf>,
    /// Which stages the report shows: equal parts as one class (the default), or all of them
    #[arg(long, value_name = "ROWS", value_parser = ["classes", "all"])]
    stages: Option<String>,
    /// Don't look for what would change it: only the run itself, of which that takes several more
    #[arg(long)]
    no_what_if: bool,
    /// End at this model time, from the beginning of the run, if it goes on for so long
    #[arg(long, value_name = "TIME")]
    until: Option<Duration>,
    /// Put the run aside at its end, complete, so that others go on from there (--from): warm once, ask often
    #[arg(long, value_name = "FILE", value_parser = crate::streams::output)]
    save: Option<PathBuf>,
    /// Go on from where a run of the same scenario was put aside (--save), and count from there; with another --seed, or in
    /// further replications, random numbers are others from there on. What would change it is tried from there, too, as far
    /// as it leaves the state what it is: how fast drives, links and processors are
    #[arg(long, value_name = "FILE")]
    from: Option<PathBuf>,
    /// Run the replication of this number alone, from 0, as one of several would be: petrio sweep show names it
    #[arg(long, value_name = "NUMBER")]
    replication: Option<u64>,
    /// Don't print the report
    #[arg(long, short)]
    quiet: bool,
}

impl Run {
    pub(crate) fn execute(&self) -> Result<(), Failure> {
        is_own_trace(self.trace.as_deref())?;
        let progress = Arc::new(Mutex::new(RunProgress::new()));
        let shown = progress.clone();
        let watch = Watch::telling(move |far| {
            // Whoever finds somebody else telling leaves it to him.
            if let Ok(mut shown) = shown.try_lock() {
                shown.update(far);
            }
            ControlFlow::Continue(())
        });
        let _stoppable = crate::stop::by_interrupt(&watch);
        self.run(&watch, &progress)
            .map_err(|failure| if watch.is_stopped() { Failure::Interrupted } else { failure })
    }

    fn run(&self, watch: &Watch, progress: &Mutex<RunProgress>) -> Result<(), Failure> {
        let rows = self.stages.as_ref().map(|rows| Override::new("measure.stages", rows));
        let inputs = Inputs::here();
        let from = self.from.as_deref().map(|path| SavedRun::read(&inputs, path));
        let from = from.transpose().map_err(RunFailure::from)?;
        let loaded = self.scenario.load_watched(&inputs, watch, rows, from.as_ref())?;
        // Loaded first: what was read for it is known then.
        let beside = self.beside(&loaded);
        self.outputs(&beside).check(&inputs, [])?;
        let sinks = self.sinks((&loaded, &inputs), &beside)?;
        let began = Instant::now();
        let tell = |changes| {
            let far = began.elapsed().as_secs_f64();
            if changes > 0 && far > WORTH_A_WORD && std::io::stderr().is_terminal() {
                let changes = counted(changes as u64, "change", "changes");
                talk(&format!(
                    "the run took {}; now {changes} of it are tried (--no-what-if leaves that out)",
                    seconds(far)
                ));
            }
        };
        let saved = OnceLock::new();
        let outcome = match &from {
            from if self.no_what_if || self.ends_early() => {
                let (until, saves) = (self.until.map(Duration::time), self.save.is_some().then_some(&saved));
                run_part(
                    &loaded,
                    sinks,
                    Part { from: from.as_ref(), until, saves, so_far: true, replication: self.replication },
                )
            }
            Some(from) => run_on(&loaded, sinks, (from, true), tell),
            None => run_so_far(&loaded, sinks, tell),
        };
        let wall = began.elapsed().as_secs_f64();
        progress.lock().unwrap_or_else(PoisonError::into_inner).finish();
        let report = outcome?;
        if watch.is_stopped() {
            // What is asked for as a file is whole or isn't there.
            if !self.quiet && !self.outputs(&beside).to_output() {
                print(&terminal_text(&report, None, width()))?;
            }
            return Err(Failure::Interrupted);
        }
        if let (Some(path), Some(saved)) = (&self.save, saved.get()) {
            saved.write(path, &inputs).map_err(RunFailure::from)?;
        }
        if let Some(path) = &self.json {
            write_json(&report, path, &inputs)?;
        }
        if let Some(path) = &self.csv {
            write_csv(&report, path, &inputs)?;
        }
        if let Some(path) = &self.html {
            write_html(&report, path, &inputs)?;
        }
        let quiet = self.quiet || self.outputs(&beside).to_output();
        if !quiet {
            let mut text = terminal_text(&report, None, width());
            if let Some(path) = &self.html {
                text.push_str(&format!("  plots       {}\n", path.display()));
            }
            print(&text)?;
        }
        // Not on standard output: a report is the same, byte for byte, on every machine.
        if std::io::stderr().is_terminal() {
            talk(&format!("ran in {}", seconds(wall)));
        }
        let written = self.outputs(&beside);
        let written = written.paths().filter(|(option, _)| quiet || *option != "--html");
        say_written(written.map(|(_, path)| path));
        Ok(())
    }

    /// Whether it is the beginning of a run: then what would change it isn't asked.
    const fn ends_early(&self) -> bool {
        self.until.is_some() || self.save.is_some() || self.replication.is_some()
    }

    /// What is written while the run goes on.
    fn sinks(&self, (loaded, inputs): (&Loaded, &Inputs), beside: &Beside) -> Result<Sinks, Failure> {
        let mut sinks = Sinks::default();
        let devices = || loaded.disks.iter().map(|disk| disk.name.clone()).collect();
        let of_each = |first: &Option<PathBuf>, second: &Option<PathBuf>| {
            let paths = [first.clone(), second.clone()];
            let both = loaded.subjects().into_iter().zip(paths);
            both.filter_map(|(subject, path)| Some((subject, path?))).collect::<Vec<_>>()
        };
        for (subject, path) in of_each(&self.parquet, &beside.parquet) {
            sinks.push_rows(subject, &path, inputs)?;
        }
        let parts: Vec<String> = loaded.storage.iter().map(|part| part.name.clone()).collect();
        for (subject, path) in of_each(&self.perfetto, &beside.perfetto) {
            sinks.push_timeline(subject, (&path, inputs), &parts, loaded.disks.len())?;
        }
        for (subject, path) in of_each(&self.trace, &beside.trace) {
            petrio_scenario::run::write_trace(&mut sinks, loaded, subject, &path)?;
        }
        if let Some(path) = &self.device_log {
            sinks.push_device_log(DeviceLog::create(path, inputs, devices())?);
        }
        Ok(sinks)
    }

    /// Where the block requests go, if there are file operations too: beside these, `x.parquet` and
    /// `x-requests.parquet`.
    fn beside(&self, loaded: &Loaded) -> Beside {
        let of = |path: &Option<PathBuf>| match (loaded.subjects().len(), path) {
            (2, Some(path)) => {
                let mut name = path.file_stem().unwrap_or_default().to_os_string();
                name.push("-requests");
                if let Some(extension) = path.extension() {
                    name.push(".");
                    name.push(extension);
                }
                Some(path.with_file_name(name))
            }
            _ => None,
        };
        Beside { parquet: of(&self.parquet), perfetto: of(&self.perfetto), trace: of(&self.trace) }
    }

    /// The files asked for, each with its option.
    fn outputs<'a>(&'a self, beside: &'a Beside) -> Outputs<'a> {
        Outputs::of([
            ("--json", &self.json),
            ("--csv", &self.csv),
            ("--html", &self.html),
            ("--parquet", &self.parquet),
            ("--perfetto", &self.perfetto),
            ("--trace", &self.trace),
            ("--device-log", &self.device_log),
            ("--save", &self.save),
            ("--parquet", &beside.parquet),
            ("--perfetto", &beside.perfetto),
            ("--trace", &beside.trace),
        ])
    }
}

/// The files of the second sort of requests, where there are two.
struct Beside {
    parquet: Option<PathBuf>,
    perfetto: Option<PathBuf>,
    trace: Option<PathBuf>,
}
