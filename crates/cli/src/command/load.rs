//! `petrio load`

use crate::failure::Failure;
use crate::output::width;
use crate::progress::bar;
use crate::results::Results;
use clap::Args;
use petrio_files::inputs::Inputs;
use petrio_kernel::Watch;
use petrio_scenario::Override;
use petrio_study::compare::Measure;
use petrio_study::load::{
    LEAST_RUNS, LoadError, LoadFindings, LoadQuestion, USUAL_RUNS, load, load_text, write_load_html,
};
use std::path::{Path, PathBuf};

/// How much load a system bears: the highest below a limit, the knee, what bounds it, and how much growth that is
#[derive(Args)]
#[command(after_help = HELP)]
pub(crate) struct Load {
    /// The scenario file
    #[arg(value_name = "SCENARIO")]
    scenario: PathBuf,
    /// What must keep the limit: p50-, p95-, p99- or mean-latency, or one of a kind such as fsync.p99-latency
    #[arg(long, value_name = "MEASURE", default_value = "p99-latency")]
    metric: String,
    /// The limit, such as "20 ms"; left out, only the knee and the curve are sought
    #[arg(long, value_name = "VALUE")]
    limit: Option<String>,
    /// A key that makes the load, such as host.client.count; several are changed together. Left out, that of each workload: times between
    /// requests, a trace's speed, users, processes
    #[arg(long, value_name = "PATH")]
    over: Vec<String>,
    /// Change a value at every load; may be repeated
    #[arg(long = "set", value_name = "PATH=VALUE")]
    settings: Vec<Override>,
    /// Where random numbers begin, instead of the scenario's seed; the same at every load
    #[arg(long, value_name = "NUMBER")]
    seed: Option<u64>,
    /// Runs at most; each replication is one
    #[arg(long, value_name = "NUMBER", default_value_t = USUAL_RUNS, value_parser = clap::value_parser!(u32).range(i64::from(LEAST_RUNS)..=10_000))]
    runs: u32,
    #[command(flatten)]
    results: Results,
    /// Don't print what was found
    #[arg(long, short)]
    quiet: bool,
}

const HELP: &str = "\
A load is a factor on today's, all runs with the same random numbers. Beyond saturation more comes than is served, and what waits grows
with the length of the run; a closed load, which waits for what it asks for, has none and is told so. The knee is the load of the greatest
throughput over mean response (Kleinrock's power; half of the capacity where one server is shared at random).

Examples:
  petrio load server.toml --metric p99 --limit \"20 ms\" --html load.html
  petrio load trace.toml --metric mean-latency --limit \"8 ms\"              # how much faster may the trace be played?
  petrio load cluster.toml --over host.client.count --metric write.p99-latency --limit \"1 s\" --runs 30";

impl Load {
    pub(crate) fn execute(&self) -> Result<(), Failure> {
        let (files, watch) = (Inputs::here(), Watch::default());
        self.results.check(&files, &[&self.scenario])?;
        let question = LoadQuestion {
            scenario: self.scenario.clone(),
            files: files.clone(),
            settings: self.settings.clone(),
            seed: self.seed,
            metric: Measure::parse(&self.metric).map_err(|error| Failure::of(&error))?,
            limit: self.limit.clone(),
            over: self.over.clone(),
            runs: self.runs,
            watch: watch.clone(),
        };
        let found = {
            let _stoppable = crate::stop::by_interrupt(&watch);
            shown(&question)
        };
        let found = found.map_err(|error| match error {
            _ if watch.is_stopped() => Failure::Interrupted,
            LoadError::Scenario(problems) => Failure::Scenario(problems),
            other => Failure::of(&other),
        })?;
        let text = (!self.quiet).then(|| load_text(&found, width()));
        let page = |found: &LoadFindings, path: &Path, inputs: &Inputs| write_load_html(found, path, inputs);
        self.results.leave((&found, &files), page, text)
    }
}

/// Runs, and shows meanwhile how far that is.
fn shown(question: &LoadQuestion) -> Result<LoadFindings, LoadError> {
    let bar = bar("{bar:30} {pos} of at most {len} runs, {msg} ({elapsed})");
    let found = load(question, &mut |done, of, factor| {
        bar.set_length(of.into());
        bar.set_position(done.into());
        bar.set_message(format!("{factor:.3} times today's load"));
    });
    bar.finish_and_clear();
    found
}
