//! Scenarios compared: replications under common random numbers, paired differences with intervals, an order, and the
//! reason.
//!
//! ```text
//!  FILE@settings ─ Input ─┬─ scenario ─ Replicator ── replications 0, 1, 2 … of one seed ─┐
//!                         ├─ scenario on a real directory, repeated ───────────────────────┼─▶ samples ─▶ Comparison
//!                         └─ saved report ─────────────────────────────────────────────────┘
//! ```
//!
//! Random numbers are named by (seed, replication, path, purpose), so two scenarios whose parts and workloads have the
//! same names meet the same load, replication by replication; what they differ by is then seen without the noise of the
//! load (Law,
//! *Simulation Modeling and Analysis*, section 11.2). Saved reports and real runs have no such pairs, and are compared by
//! Welch's test.
//!
//! Left out: choosing the best of very many (ranking and selection); comparing distributions as such.

mod entrant;
mod error;
mod html;
mod input;
mod measure;
pub mod measured;
mod note;
pub mod over_time;
mod pair;
#[cfg(feature = "live")]
mod real;
#[cfg(not(feature = "live"))]
#[path = "not_real.rs"]
mod real;
mod reason;
mod run;
pub mod statistics;
mod table;
mod text;
mod words;

pub use entrant::{Candidate, Contender, Origin};
pub use error::CompareError;
pub use html::{page as comparison_page, write_html};
pub use input::Input;
pub use measure::{Figure, Measure};
pub use note::{Note, NoteClaim};
pub use pair::{Compared, Outcome, Pair};
pub use reason::{CauseChange, Reason, StageChange};
pub use run::{CompareProgress, OnStep};
pub use table::{Against, ComparedRow, comparison_rows, verdicts};
pub use text::terminal_text;

use crate::needs_live;
use entrant::{Entrant, entrants};
use measure::same_subject;
use over_time::OverTimeQuestion;
use petrio_files::inputs::Inputs;
use petrio_scenario::report::{Report, Subject};
use petrio_scenario::state::SavedRun;
use petrio_scenario::{Loaded, Override};
use petrio_units::nearest;
use run::{FIRST, look_behind, repeat, replicators, simulate};
use serde::Serialize;
use std::path::PathBuf;
use std::sync::Arc;

/// Replications where nothing else is asked for.
pub const USUAL_REPLICATIONS: u32 = 10;
/// Replications at most where a precision is asked for, and no number.
pub const MOST_REPLICATIONS: u32 = 400;

/// What is asked.
#[derive(Clone, Debug, Default)]
pub struct Question {
    /// Who takes part.
    pub inputs: Vec<Input>,
    /// Where files are read from.
    pub files: Inputs,
    /// Who takes part besides, read already.
    pub candidates: Vec<Candidate>,
    /// What is changed in all scenarios, before the settings of each.
    pub settings: Vec<Override>,
    /// The seed of all; left out, that of the first.
    pub seed: Option<u64>,
    /// How many replications, or how many at most where there is a precision.
    pub replications: Option<u32>,
    /// Replicate until half the interval of the headline's ratio is at most this part of the ratio, 0 to 1, for every
    /// pair.
    pub precision: Option<f64>,
    /// The level of the intervals, 0 to 1; left out, that of the first scenario.
    pub confidence: Option<f64>,
    /// Differences of less than this part of a figure are too small to matter; left out, [`RELEVANT`].
    pub relevant: Option<f64>,
    /// By which measure the order is made; left out, throughput for closed workloads and mean latency for open ones.
    pub measure: Option<String>,
    /// Where scenarios are run for real: those marked so, or all where none is marked.
    pub directory: Option<PathBuf>,
    /// The state from which all that are simulated go on.
    pub from: Option<Arc<SavedRun>>,
    /// What is asked of a measurement over time.
    pub over_time: OverTimeQuestion,
}

/// A difference of less than a hundredth is nothing that anybody would buy, however certain it is.
pub const RELEVANT: f64 = 0.01;

/// What a comparison found.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// Who took part.
    pub contenders: Vec<Contender>,
    /// The seed of all that was simulated; absent where nothing was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// The level of the intervals, 0 to 1.
    pub confidence: f64,
    /// Differences of less than this part of a figure are too small to matter.
    pub relevant: f64,
    /// The measure by which the order is made.
    pub headline: Measure,
    /// The order by the headline, the best first; those of one place are not shown to differ.
    pub order: Vec<Vec<String>>,
    /// Every measure, the headline first.
    pub measures: Vec<Compared>,
    /// Where the difference to the first comes from, for each of the others.
    pub reasons: Vec<Reason>,
    /// What to know of the whole.
    pub notes: Vec<Note>,
}

impl Comparison {
    /// The measure that the order is made by.
    pub fn headline(&self) -> Option<&Compared> {
        self.measures.first()
    }

    /// What is counted, where it is the same of all.
    pub fn subject(&self) -> Subject {
        self.contenders.first().map_or(Subject::BlockRequests, |contender| contender.subject)
    }
}

/// Runs what is to be run and compares.
///
/// # Errors
/// Fewer than two, files that can't be read, a run that fails, a measure that isn't one or that doesn't mean the same
/// of all.
pub fn compare(question: &Question, on_step: &OnStep<'_>) -> Result<Comparison, CompareError> {
    let given = question.inputs.len() + question.candidates.len();
    if given < 2 {
        return Err(CompareError::TooFew { given });
    }
    let asked = question.measure.as_deref().map(Measure::parse).transpose()?;
    check_directory(question)?;
    let (mut entrants, mut scenarios): (Vec<Entrant>, Vec<Option<Loaded>>) =
        entrants(question)?.into_iter().unzip();
    let mut notes = Vec::new();
    let seed = one_seed(question, &entrants, &mut scenarios, &mut notes);
    let relevant = question.relevant.unwrap_or(RELEVANT);
    let level = question.confidence.unwrap_or_else(|| {
        let first = scenarios.iter().flatten().next();
        first.map_or(0.95, |loaded| loaded.scenario.measure.confidence.get())
    });

    let headline = replicate((question, asked, level), (&mut entrants, &scenarios), &mut notes, on_step)?;
    match &question.from {
        Some(from) => notes.push(
            NoteClaim::FromState
                .says(format!("all go on from one state, of {}, and count from there", from.at())),
        ),
        None => look_behind(&mut entrants, &scenarios)?,
    }
    let reports: Vec<&Report> = entrants.iter().filter_map(|entrant| entrant.reports.first()).collect();
    if !same_subject(&reports) {
        notes.push(NoteClaim::CountedApart.says(
            "block requests and operations on files are counted here side by side: only throughput and makespan mean the same of both",
        ));
    }
    let mut measures = Measure::all(&reports);
    measures.retain(|measure| *measure != headline);
    measures.insert(0, headline.clone());
    let measures: Vec<Compared> = measures
        .into_iter()
        .map(|measure| pair::compared(&entrants, measure, level, relevant))
        // Of calls that nobody made there is nothing to say.
        .filter(|compared| compared.values.iter().any(Option::is_some))
        .collect();
    let reasons = (1..entrants.len())
        .filter_map(|second| reason::reason(&entrants[0], &entrants[second], level))
        .collect();
    let order = pair::order(&entrants, measures.first());
    let contenders = entrants.iter().filter_map(|entrant| entrant.shown(level)).collect();
    Ok(Comparison {
        contenders,
        seed,
        confidence: level,
        relevant,
        headline,
        order,
        measures,
        reasons,
        notes,
    })
}

/// Replicates as often as is asked, or until the intervals are as narrow as is asked; by which measure the order is made.
fn replicate(
    (question, asked, level): (&Question, Option<Measure>, f64),
    (entrants, scenarios): (&mut Vec<Entrant>, &[Option<Loaded>]),
    notes: &mut Vec<Note>,
    on_step: &OnStep<'_>,
) -> Result<Measure, CompareError> {
    let replicators = replicators(entrants, scenarios, question.from.as_deref())?;
    let wanted = u64::from(question.replications.unwrap_or(match question.precision {
        Some(_) => MOST_REPLICATIONS,
        None => USUAL_REPLICATIONS,
    }))
    .max(FIRST);
    let grow = |entrants: &mut Vec<Entrant>, until: u64| -> Result<(), CompareError> {
        simulate(entrants, &replicators, until, on_step)?;
        repeat(entrants, scenarios, until, on_step)
    };
    grow(entrants, FIRST)?;
    // Before the long part: what can't be compared shows in the first replications.
    let headline = headline(asked, entrants)?;
    let first_target =
        if question.precision.is_some() { wanted.min(USUAL_REPLICATIONS.into()) } else { wanted };
    grow(entrants, first_target)?;
    if let Some(precision) = question.precision {
        let mut done = first_target;
        let mut width = pair::widest(entrants, &headline, level);
        while width.is_some_and(|width| width > precision) && done < wanted {
            done = (done + u64::from(USUAL_REPLICATIONS)).min(wanted);
            grow(entrants, done)?;
            width = pair::widest(entrants, &headline, level);
        }
        if width.is_some_and(|width| width > precision) {
            notes.push(NoteClaim::PrecisionNotReached.says(format!(
                "the precision asked for was not reached in {done} replications; ask for less, allow more with --replications, or make each run longer"
            )));
        }
    }
    Ok(headline)
}

/// A directory is there if it is needed, and is needed if it is there.
fn check_directory(question: &Question) -> Result<(), CompareError> {
    let marked = question.inputs.iter().find(|input| input.real);
    let is_for_real = question.candidates.iter().any(|candidate| candidate.directory.is_some());
    if is_for_real || marked.is_some() || question.directory.is_some() {
        needs_live()?;
    }
    match (&question.directory, marked) {
        (None, Some(input)) => Err(CompareError::Directory {
            why: format!("{} is to be run for real, and nobody says where", input.file.display()),
            help: "name a directory with --dir; what is made in it is removed again".to_owned(),
        }),
        _ => {
            let of_candidates =
                question.candidates.iter().filter_map(|candidate| candidate.directory.as_ref());
            match question.directory.iter().chain(of_candidates).find(|directory| !directory.is_dir()) {
                None => Ok(()),
                Some(directory) => Err(CompareError::Directory {
                    why: format!("{} is no directory", directory.display()),
                    help: "name a directory that is there and that you may write to".to_owned(),
                }),
            }
        }
    }
}

/// Gives all scenarios the seed of the first, or the one asked for.
fn one_seed(
    question: &Question,
    entrants: &[Entrant],
    scenarios: &mut [Option<Loaded>],
    notes: &mut Vec<Note>,
) -> Option<u64> {
    let first = scenarios.iter().flatten().next().map(|loaded| loaded.scenario.seed)?;
    let seed = question.seed.unwrap_or(first);
    for (entrant, loaded) in entrants.iter().zip(scenarios.iter_mut()) {
        let Some(loaded) = loaded else { continue };
        if question.seed.is_none() && loaded.scenario.seed != seed {
            notes.push(NoteClaim::OneSeed.says(format!(
                "{} is run with the seed {seed} of the first instead of its own {}, so that all draw the same random numbers",
                entrant.letter, loaded.scenario.seed
            )));
        }
        loaded.scenario.seed = seed;
        // What can't be planned anew is told where it is run.
        let _ = loaded.prepare();
    }
    Some(seed)
}

/// The measure that is asked for, if all have it; or the usual one.
fn headline(asked: Option<Measure>, entrants: &[Entrant]) -> Result<Measure, CompareError> {
    let reports: Vec<&Report> = entrants.iter().filter_map(|entrant| entrant.reports.first()).collect();
    let mixed = !same_subject(&reports);
    let Some(measure) = asked else { return usual(entrants, &reports, mixed) };
    let means_the_same = measure.kind.is_none() && measure.figure.means_the_same();
    if mixed && !means_the_same {
        let of = |subject: Subject| {
            let mut found = entrants
                .iter()
                .filter(|entrant| entrant.reports.iter().any(|report| report.served.subject == subject));
            found.next().map(|entrant| format!("{} ({})", entrant.letter, entrant.name)).unwrap_or_default()
        };
        return Err(CompareError::Subjects {
            measure: measure.to_string(),
            requests: of(Subject::BlockRequests),
            operations: of(Subject::FileOperations),
        });
    }
    checked(measure, entrants, &reports)
}

/// A measure that all have.
fn checked(measure: Measure, entrants: &[Entrant], reports: &[&Report]) -> Result<Measure, CompareError> {
    if measure.figure == Figure::Cost {
        costs_are_one_currency(entrants)?;
    }
    let lacks = |entrant: &&Entrant| entrant.sample(&measure, FIRST).is_none();
    let Some(lacking) = entrants.iter().find(lacks) else { return Ok(measure) };
    let name = measure.to_string();
    if entrants.iter().all(|entrant| lacks(&entrant)) {
        let known: Vec<String> = Measure::all(reports).iter().map(ToString::to_string).collect();
        let near = nearest(&name, known.iter().map(String::as_str)).map(str::to_owned);
        return Err(CompareError::UnknownMeasure { name, near, known });
    }
    let (letter, lacking) = (lacking.letter.clone(), lacking.name.clone());
    Err(CompareError::NoFigure { measure: name, letter, name: lacking })
}

/// That each has a sum of what it costs, and all in the same currency.
fn costs_are_one_currency(entrants: &[Entrant]) -> Result<(), CompareError> {
    let mut known: Option<(&Entrant, &str)> = None;
    for entrant in entrants {
        let costs = entrant.reports.first().and_then(measure::costs);
        let currency =
            costs.filter(|costs| costs.over_months.is_some()).and_then(|costs| costs.currency.as_deref());
        let Some(currency) = currency else {
            let why = match costs {
                Some(costs) => format!("no price is known of {}", costs.without_price.join(", ")),
                None => "no price of any of its parts is known".to_owned(),
            };
            return Err(CompareError::NoCost {
                letter: entrant.letter.clone(),
                name: entrant.name.clone(),
                why,
            });
        };
        match known {
            Some((other, first)) if first != currency => {
                return Err(CompareError::Currencies {
                    one: other.letter.clone(),
                    first: first.to_owned(),
                    other: entrant.letter.clone(),
                    second: currency.to_owned(),
                });
            }
            _ => known = Some((entrant, currency)),
        }
    }
    Ok(())
}

/// A closed workload asks how much gets done, an open one how long it takes: what gets done is decided outside.
fn usual(entrants: &[Entrant], reports: &[&Report], mixed: bool) -> Result<Measure, CompareError> {
    let known: Vec<bool> = entrants.iter().filter_map(|entrant| entrant.closed).collect();
    let closed = if known.is_empty() {
        // Of saved reports nobody knows; file programs always wait.
        reports.iter().all(|report| report.served.subject == Subject::FileOperations)
    } else {
        known.iter().all(|closed| *closed)
    };
    let moves_nothing = reports.iter().any(|report| report.served.throughput_bytes_per_s.value <= 0.0);
    // What only computes and exchanges messages is over sooner or later.
    let asks_nothing = reports.iter().any(|report| report.served.requests.completed == 0);
    let figure = match (mixed || closed, moves_nothing) {
        (true, true) if mixed || asks_nothing => Figure::Makespan,
        (true, true) => Figure::Rate,
        (true, false) => Figure::Throughput,
        (false, _) => Figure::Mean,
    };
    checked(Measure::of_all(figure), entrants, reports)
}
