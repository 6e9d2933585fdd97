//! What limits a run, and what would change it: the busiest stage, and the same run with each part of it twice as fast.
//!
//! The answer is causal, not a guess from shares of time: a part that others overlap may take most of the time and change
//! nothing.

use crate::build::{Driven, ProgramPorts, System};
use crate::load::Loaded;
use crate::report::{Bottleneck, Report, Sinks, Subject, latency_words};
use crate::run::RunFailure;
use crate::run::engine::Limits;
use crate::run::execute::{Cut, RunPlan, execute};
use petrio_models::Stage;
use rayon::prelude::*;

/// Requests of an experiment: enough for a stable mean, few enough to be done at once. File operations are many and cheap,
/// and the first ones say little: what they leave dirty is written by later ones.
const EXPERIMENT_REQUESTS: [u64; 2] = [20_000, 200_000];
/// Stages that are tried for file operations, the busiest first.
const MOST_STAGES: usize = 6;
/// A stage that is busy for a smaller part of the time limits nothing.
const HARDLY_BUSY: f64 = 0.02;
/// Twice as fast.
const FACTOR: f64 = 2.0;
/// A change below this is none.
const NOTICEABLE: f64 = 0.02;

/// Throughput and mean latency of an experiment.
#[derive(Clone, Copy)]
struct Figures {
    requests_per_s: f64,
    mean_ms: f64,
}

/// Adds the bottleneck to a report.
pub(super) fn explain<R: Driven>(
    loaded: &Loaded,
    (system, ports): (&System, &ProgramPorts<R>),
    limits: Limits,
    report: &mut Report,
) -> Result<(), RunFailure> {
    if report.requests.completed == 0 {
        return Ok(());
    }
    let candidates = candidates::<R>(system, report);
    let Some(&(busiest, _)) = candidates.first() else { return Ok(()) };
    let most = EXPERIMENT_REQUESTS[usize::from(R::SUBJECT == Subject::FileOperations)];
    let experiment = |speeds: &[(&str, f64)]| -> Result<Option<Figures>, RunFailure> {
        let requests = limits.requests.unwrap_or(u64::MAX).min(most);
        let limits = Limits { requests: Some(requests), ..limits };
        let plan = RunPlan { replication: 0, limits, cut: Cut::None, speeds };
        let (outcome, _) = execute(loaded, (system, ports), plan, &mut Sinks::default())?;
        let collected = outcome.collected;
        Ok(collected.latency.map(|latency| Figures {
            requests_per_s: collected.requests_per_s,
            mean_ms: latency.mean_ms.value,
        }))
    };
    let parts: Vec<(usize, &str, &str)> = candidates
        .iter()
        .enumerate()
        .flat_map(|(index, (stage, _))| {
            stage.parts.iter().map(move |(word, page)| (index, *word, page.as_str()))
        })
        .collect();
    let mut experiments: Vec<Vec<(&str, f64)>> = vec![Vec::new()];
    experiments.extend(parts.iter().map(|&(_, _, page)| vec![(page, FACTOR)]));
    let figures: Vec<Option<Figures>> =
        experiments.par_iter().map(|speeds| experiment(speeds)).collect::<Result<_, _>>()?;
    let Some(Some(base)) = figures.first().copied() else { return Ok(()) };
    let best = parts
        .iter()
        .zip(&figures[1..])
        .filter_map(|(&(index, word, _), figures)| figures.map(|figures| (index, word, figures)))
        .min_by(|a, b| a.2.mean_ms.total_cmp(&b.2.mean_ms))
        .filter(|(_, _, faster)| faster.mean_ms < base.mean_ms * (1.0 - NOTICEABLE));
    let (stage, utilisation) = candidates[best.map_or(0, |(index, _, _)| index)];
    let busy = utilisation * 100.0;
    let (why, what_if) = match best {
        Some((_, part, faster)) => {
            let gain = faster.requests_per_s / base.requests_per_s;
            let change = if gain > 1.0 + NOTICEABLE {
                format!("{gain:.2} times the throughput")
            } else {
                format!(
                    "a mean latency of {} instead of {}, at the same throughput",
                    latency_words(faster.mean_ms),
                    latency_words(base.mean_ms)
                )
            };
            (
                format!("by {} (busy {busy:.0} % of the time)", owned(part)),
                Some(format!("With {part} twice as fast: {change}.")),
            )
        }
        None => (format!("busy {busy:.0} % of the time; {}", alone(candidates.len())), None),
    };
    let stage = if best.is_some() { stage } else { busiest };
    report.bottleneck = Some(Bottleneck { stage: stage.name.clone(), why, what_if });
    Ok(())
}

/// "its seeks", but "the processors".
fn owned(part: &str) -> String {
    if part.starts_with("the ") { part.to_owned() } else { format!("its {part}") }
}

fn alone(stages: usize) -> &'static str {
    if stages == 1 {
        "no part of it alone makes a difference"
    } else {
        "no part of any stage alone makes a difference"
    }
}

/// The stages whose parts are tried, the busiest first. Requests meet one device after the other, and the busiest stage is
/// what limits them; a process may wait for a stage that is idle most of the time, while the busiest works for nobody.
fn candidates<'s, R: Driven>(system: &'s System, report: &Report) -> Vec<(&'s Stage, f64)> {
    let mut busy: Vec<(&Stage, f64)> = system
        .stages
        .iter()
        .filter_map(|stage| {
            let row = report.stages.iter().find(|row| row.name == stage.name)?;
            Some((stage, row.utilisation?))
        })
        .collect();
    // Stable, and the last of equals first, as the maximum of a sequence is.
    busy.reverse();
    busy.sort_by(|a, b| b.1.total_cmp(&a.1));
    match R::SUBJECT {
        Subject::BlockRequests => busy.truncate(1),
        Subject::FileOperations => {
            let first = busy.first().copied();
            busy.retain(|(stage, utilisation)| !stage.parts.is_empty() && *utilisation >= HARDLY_BUSY);
            busy.truncate(MOST_STAGES);
            if busy.is_empty() {
                busy.extend(first);
            }
        }
    }
    busy
}
