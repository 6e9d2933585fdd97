//! `petrio explain`

use crate::failure::Failure;
use crate::output::width;
use crate::progress::bar;
use crate::results::Results;
use clap::Args;
use petrio_files::inputs::Inputs;
use petrio_kernel::Watch;
use petrio_scenario::Override;
use petrio_study::explain::{
    ExplainError, ExplainQuestion, Explanation, USUAL_REPLICATIONS, explain, explain_text, write_explain_html,
};
use std::path::{Path, PathBuf};

/// What each change of a scenario would buy, ranked with intervals, the best pairs, and where the time goes now
#[derive(Args)]
#[command(after_help = HELP)]
pub(crate) struct Explain {
    /// The scenario file
    #[arg(value_name = "SCENARIO")]
    scenario: PathBuf,
    /// Change a value of the scenario; may be repeated
    #[arg(long = "set", value_name = "PATH=VALUE")]
    settings: Vec<Override>,
    /// Where random numbers begin, instead of the scenario's seed
    #[arg(long, value_name = "NUMBER")]
    seed: Option<u64>,
    /// How many replications of each change that does something
    #[arg(long, value_name = "NUMBER", default_value_t = USUAL_REPLICATIONS, value_parser = clap::value_parser!(u32).range(2..=1_000))]
    replications: u32,
    #[command(flatten)]
    results: Results,
    /// Don't print what was found
    #[arg(long, short)]
    quiet: bool,
}

const HELP: &str = "\
Tried are: what the models of the parts say makes them better, twice as good each; twice as many of what there are several of; and every
other word that a key may be (journal modes, schedulers, …). Each is run once, those that do something are replicated, and of the best
the pairs. Where all workloads wait for what they ask for, changes are ranked by how much is done; where load comes from outside, by how
long the slowest in a hundred take; where more comes than is served, by how much is served.

Examples:
  petrio explain examples/mail-server.toml
  petrio explain server.toml --html explained.html --json explained.json --replications 10";

impl Explain {
    pub(crate) fn execute(&self) -> Result<(), Failure> {
        let (files, watch) = (Inputs::here(), Watch::default());
        self.results.check(&files, &[&self.scenario])?;
        let question = ExplainQuestion {
            scenario: self.scenario.clone(),
            files: files.clone(),
            settings: self.settings.clone(),
            seed: self.seed,
            replications: self.replications,
            watch: watch.clone(),
        };
        let found = {
            let _stoppable = crate::stop::by_interrupt(&watch);
            shown(&question)
        };
        let found = found.map_err(|error| match error {
            _ if watch.is_stopped() => Failure::Interrupted,
            ExplainError::Scenario(problems) => Failure::Scenario(problems),
            other => Failure::of(&other),
        })?;
        let text = (!self.quiet).then(|| explain_text(&found, width()));
        let page =
            |found: &Explanation, path: &Path, inputs: &Inputs| write_explain_html(found, path, inputs);
        self.results.leave((&found, &files), page, text)
    }
}

/// Tries, and shows meanwhile how far that is.
fn shown(question: &ExplainQuestion) -> Result<Explanation, ExplainError> {
    let bar = bar("{bar:30} {pos} of {len} {msg} ({elapsed})");
    let found = explain(question, &|what, done, of| {
        bar.set_message(what);
        bar.set_length(of);
        bar.set_position(done);
    });
    bar.finish_and_clear();
    found
}
