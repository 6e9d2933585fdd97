//! How much load a System bears: response time, throughput and utilisation against load, the highest load that keeps a limit, the knee, what
//! bounds it there, and how much growth that is.
//!
//! ```text
//!  scenario ─ Dial: load as a factor on today's ─▶ Prober: a run at a factor ─▶ Point ─┬─ limit: where the metric crosses it
//!                                                                                      └─ knee: where throughput over response is most
//! ```
//!
//! All runs meet the same random numbers, so that what differs between two is the load. The limit is sought by the reciprocal of the metric,
//! which falls in a straight line with the load where one server is shared at random (of M/M/1 the mean response is 1 / (μ − λ)): a secant on
//! it, kept between what is known to be below and above, comes to the limit in a few runs. The knee is the greatest throughput over mean
//! response (Kleinrock's power; L. Kleinrock, "Power and deterministic rules of thumb for probabilistic problems in computer communications",
//! ICC 1979): a parabola through the best points, which of M/M/1 it is (ρ = 0.5).
//!
//! Left out: loads that change while they run; several limits at once.

mod dial;
mod error;
mod html;
mod knee;
mod limit;
mod prober;
mod sure;
mod text;

pub use dial::{Dial, Key};
pub use error::LoadError;
pub use html::{figures as load_figures, page as load_page, write_html as write_load_html};
pub use limit::in_unit_of;
pub use prober::Point;
pub use sure::Sure;
pub use text::{load_text, repeated as load_command, sentences as load_sentences};

use crate::compare::Measure;
use knee::seek_knee;
use limit::{Crossing, seek_limit};
use petrio_files::inputs::Inputs;
use petrio_kernel::Watch;
use petrio_scenario::Override;
use prober::Prober;
use serde::Serialize;
use std::path::PathBuf;

/// Runs at most where nothing else is asked for.
pub const USUAL_RUNS: u32 = 15;
/// Fewer runs find neither limit nor knee.
pub const LEAST_RUNS: u32 = 6;

/// What is asked.
#[derive(Clone, Debug)]
pub struct LoadQuestion {
    /// The scenario file.
    pub scenario: PathBuf,
    /// Where files are read from.
    pub files: Inputs,
    /// What is set at every load.
    pub settings: Vec<Override>,
    /// The seed; left out, the scenario's.
    pub seed: Option<u64>,
    /// What must keep the limit.
    pub metric: Measure,
    /// The limit, as a text with its unit; left out, only the knee and the curve are sought.
    pub limit: Option<String>,
    /// The keys that make the load; left out, those of the workloads.
    pub over: Vec<String>,
    /// Runs at most.
    pub runs: u32,
    /// Ends it early.
    pub watch: Watch,
}

/// How much load is borne.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LoadFindings {
    /// What the scenario is about.
    pub title: String,
    /// The scenario file.
    pub scenario: PathBuf,
    /// What is set at every load, the seed among it.
    pub settings: Vec<String>,
    /// What makes the load, and what it is today.
    pub dial: Dial,
    /// What was to keep the limit.
    pub metric: Measure,
    /// The limit, in the metric's unit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<f64>,
    /// Whether every workload waits for what it asks for: then there is no saturation.
    pub closed: bool,
    /// Requests or operations a second today, where all are served; of a load that isn't served, what comes.
    pub today: Point,
    /// The highest load that keeps the limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub highest: Option<Highest>,
    /// The load of the greatest throughput over mean response.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub knee: Option<Knee>,
    /// What was run, by load.
    pub points: Vec<Point>,
    /// How many runs that were.
    pub runs: u32,
}

/// The highest load below the limit.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Highest {
    /// As a factor on today's.
    pub factor: f64,
    /// Half the interval of that, from the replications at the nearest load; nothing where there was one.
    pub half_width: Option<f64>,
    /// Requests or operations a second.
    pub rate: f64,
    /// The stage that is busy for most of the time there, and for which part of it, 0 to 1.
    pub busiest: Option<(String, f64)>,
    /// How it is known.
    pub crossing: Crossing,
    /// Where those of nine real systems in ten lie, as far as the model's error is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sure: Option<Sure>,
}

/// The knee.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Knee {
    /// As a factor on today's.
    pub factor: f64,
    /// Requests or operations a second.
    pub rate: f64,
    /// Their mean response there, milliseconds.
    pub response_ms: f64,
    /// Whether it lies at the end of what could be run, and may lie further.
    pub at_end: bool,
}

/// Tells of a run that is about to be made: how many there were, of how many at most, at which factor.
pub type OnProbe<'a> = dyn FnMut(u32, u32, f64) + 'a;

/// What is set at every load.
fn settings(question: &LoadQuestion) -> Vec<Override> {
    let seed = question.seed.map(|seed| Override::new("seed", &seed.to_string()));
    question.settings.iter().cloned().chain(seed).collect()
}

/// Seeks limit and knee.
///
/// # Errors
/// A scenario that can't be read or run, a load that nothing says how to change, a limit of another unit.
pub fn load(question: &LoadQuestion, tell: &mut OnProbe<'_>) -> Result<LoadFindings, LoadError> {
    let mut prober = Prober::new(question, tell)?;
    let limit = question.limit.as_deref().map(|text| in_unit_of(&question.metric, text)).transpose()?;
    let today = prober.probe(1.0)?;
    // A third of the runs is the knee's, and some are for the interval.
    let for_limit = if limit.is_some() { prober.left() * 3 / 5 } else { 0 };
    let found = limit.map(|limit| seek_limit(&mut prober, limit, for_limit)).transpose()?;
    let kept = if found.is_some() { 2 } else { 0 };
    let knee = seek_knee(&mut prober, kept)?;
    let highest = match (found, limit) {
        (Some(found), Some(limit)) => limit::known(&mut prober, found, limit)?,
        _ => None,
    };
    prober.fill_gaps()?;
    let (dial, closed, title) = prober.about();
    let (points, runs) = prober.into_points();
    let highest = highest.map(|highest| {
        let sure = limit.and_then(|limit| sure::sure(&points, &highest, limit));
        Highest { sure, ..highest }
    });
    let today = points.iter().find(|point| point.factor == 1.0).cloned().unwrap_or(today);
    Ok(LoadFindings {
        title,
        scenario: question.scenario.clone(),
        settings: settings(question).iter().map(|setting| setting.text().to_string()).collect(),
        dial,
        metric: question.metric.clone(),
        limit,
        closed,
        today,
        highest,
        knee,
        points,
        runs,
    })
}
