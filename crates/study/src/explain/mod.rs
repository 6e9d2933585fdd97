//! What each change of a scenario would buy, ranked, and where the time goes now.
//!
//! ```text
//!  scenario ─ changes ─ one run each ─ those that do something ─ replications ─┬─ ranked, with intervals ─ pairs of the best
//!           └ life: where the time of the average request goes, and of the slowest in a hundred ─────────────┘
//! ```
//!
//! The answers are experiments: the scenario is read and run with each change, under the same random numbers, and what is told is the ratio to
//! the scenario as it is, replication by replication. An overload is told first, and then changes are judged by whether they end it.
//!
//! Left out: changes of a workload, which are another question; more than two changes at once.

mod error;
mod html;
mod life;
mod text;
mod trial;

pub use error::ExplainError;
pub use html::{figures as explain_figures, page as explain_page, write_html as write_explain_html};
pub use life::{Life, Part};
pub use text::{command as explain_command, explain_text, sentences as explain_sentences};
pub use trial::{Gain, Tried};

use crate::glance::overload;
use petrio_files::inputs::Inputs;
use petrio_kernel::Watch;
use petrio_scenario::changes::{PossibleChange, changes};
use petrio_scenario::report::{StageFigures, Subject};
use petrio_scenario::workload::Workload;
use petrio_scenario::{Loaded, Override, load_in};
use serde::Serialize;
use std::path::PathBuf;
use trial::{Figures, Trials};

/// Replications of the scenario and of each change that does something, where nothing else is asked for.
pub const USUAL_REPLICATIONS: u32 = 5;
/// Changes that are replicated, the strongest first.
const CONFIRMED: usize = 16;
/// Of the best so many, each pair is tried.
const PAIRED: usize = 4;
/// A change that makes less of a difference than this does nothing.
pub(crate) const NOTHING: f64 = 0.005;

/// What is asked.
#[derive(Clone, Debug)]
pub struct ExplainQuestion {
    /// The scenario file.
    pub scenario: PathBuf,
    /// Where files are read from.
    pub files: Inputs,
    /// What is set besides.
    pub settings: Vec<Override>,
    /// The seed; left out, the scenario's.
    pub seed: Option<u64>,
    /// Replications of what is told with an interval.
    pub replications: u32,
    /// Ends it early.
    pub watch: Watch,
}

/// What was found.
#[derive(Clone, Debug, Serialize)]
pub struct Explanation {
    /// What the scenario is about.
    pub title: String,
    /// The scenario file.
    pub scenario: PathBuf,
    /// What is set besides, the seed among it.
    pub settings: Vec<String>,
    /// What is counted.
    pub subject: Subject,
    /// That more comes than is served, in the report's words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub overload: Option<String>,
    /// Whether changes are ranked by how much is done, and not by how long the slowest in a hundred take.
    pub by_rate: bool,
    /// How much is done, and how long it takes, as it is.
    pub now: Figures,
    /// The stages of its way.
    pub stages: Vec<StageFigures>,
    /// Where the time goes.
    pub life: Life,
    /// What helps, the best first.
    pub better: Vec<Tried>,
    /// Pairs of the best that help more than either.
    pub pairs: Vec<Tried>,
    /// What harms, the worst first.
    pub worse: Vec<Tried>,
    /// What does nothing, in words.
    pub nothing: Vec<PossibleChange>,
    /// What can't be made, each with why.
    pub impossible: Vec<(PossibleChange, String)>,
    /// How many replications there were of what has an interval, and its level.
    pub replications: u32,
    /// The level of intervals, 0 to 1.
    pub confidence: f64,
}

/// Tells how far it is: what is being done, how many are done, of how many.
pub type OnTrial<'a> = dyn Fn(&'static str, u64, u64) + Sync + 'a;

/// Tries every change.
///
/// # Errors
/// A scenario that can't be read or run.
pub fn explain(question: &ExplainQuestion, tell: &OnTrial<'_>) -> Result<Explanation, ExplainError> {
    let mut settings = question.settings.clone();
    settings.extend(question.seed.map(|seed| Override::new("seed", &seed.to_string())));
    let loaded = load_in(&question.files, &question.scenario, &settings, &question.watch)
        .map_err(|problems| ExplainError::Scenario(Box::new(problems)))?;
    let trials = Trials::new(&loaded, question.replications, tell)?;
    let overload = overload(trials.report()).map(str::to_owned);
    let by_rate = overload.is_some() || loaded.scenario.workload.values().all(Workload::is_closed);
    let possible = changes(&loaded);
    let (mut strong, nothing, impossible) = trials.screen(possible)?;
    strong.truncate(CONFIRMED);
    let mut tried = trials.confirm(strong, "changes")?;
    tried.sort_by(|one, other| other.worth(by_rate).total_cmp(&one.worth(by_rate)));
    let (better, mut worse): (Vec<Tried>, Vec<Tried>) =
        tried.into_iter().partition(|tried| tried.helps(by_rate));
    worse.reverse();
    let pairs = pairs(&trials, &loaded, &better, by_rate)?;
    let life = life::of(&loaded, trials.report())?;
    Ok(Explanation {
        title: loaded.scenario.title.clone(),
        scenario: question.scenario.clone(),
        settings: settings.iter().map(|setting| setting.text().to_string()).collect(),
        subject: loaded.subject(),
        overload,
        by_rate,
        now: trials.now(),
        stages: trials.report().stages.clone(),
        life,
        better,
        pairs,
        worse,
        nothing,
        impossible,
        replications: question.replications,
        confidence: loaded.scenario.measure.confidence.get(),
    })
}

impl Explanation {
    /// The best change that gives nothing up that is known.
    pub fn free(&self) -> Option<&Tried> {
        self.better.iter().find(|tried| tried.change.price.is_none())
    }
}

/// Pairs of the best changes that help more than either alone.
fn pairs(
    trials: &Trials<'_>,
    loaded: &Loaded,
    better: &[Tried],
    by_rate: bool,
) -> Result<Vec<Tried>, ExplainError> {
    // Those that give nothing up, and the very best, whatever it gives up.
    let free =
        better.iter().enumerate().filter(|(number, tried)| *number == 0 || tried.change.price.is_none());
    let best: Vec<&Tried> = free.map(|(_, tried)| tried).take(PAIRED).collect();
    let mut both = Vec::new();
    for (number, one) in best.iter().enumerate() {
        for other in &best[..number] {
            let pair = other.change.with(&one.change);
            both.extend(pair.filter(|pair| loaded.with_change(pair).is_ok()));
        }
    }
    let alone = best.first().map_or(0.0, |best| best.worth(by_rate));
    let mut pairs = trials.confirm(both, "pairs")?;
    pairs.retain(|pair| pair.helps(by_rate) && pair.worth(by_rate) > alone + NOTHING);
    pairs.sort_by(|one, other| other.worth(by_rate).total_cmp(&one.worth(by_rate)));
    Ok(pairs)
}
