//! What limits a run, and what would change it: the busiest stage, and the same run with each part of it twice as fast.
//!
//! The answer is causal, not a guess from shares of time: a part that others overlap may take most of the time and change
//! nothing.

use crate::build::System;
use crate::load::Loaded;
use crate::report::{Bottleneck, Report, Sinks, latency_words};
use crate::run::RunFailure;
use crate::run::engine::{Cut, Limits, RunPlan, execute};
use petrio_models::Stage;
use rayon::prelude::*;

/// Requests of an experiment: enough for a stable mean, few enough to be done at once.
const EXPERIMENT_REQUESTS: u64 = 20_000;
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
pub(super) fn explain(
    loaded: &Loaded,
    system: &System,
    limits: Limits,
    report: &mut Report,
) -> Result<(), RunFailure> {
    if report.requests.completed == 0 {
        return Ok(());
    }
    let Some((stage, utilisation)) = busiest(system, report) else { return Ok(()) };
    let experiment = |speeds: &[(&str, f64)]| -> Result<Option<Figures>, RunFailure> {
        let requests = limits.requests.unwrap_or(u64::MAX).min(EXPERIMENT_REQUESTS);
        let limits = Limits { requests: Some(requests), ..limits };
        let plan = RunPlan { replication: 0, limits, cut: Cut::None, speeds };
        let (outcome, _) = execute(loaded, system, plan, &mut Sinks::default(), &mut |_| {})?;
        let collected = outcome.collected;
        Ok(collected.latency.map(|latency| Figures {
            requests_per_s: collected.requests_per_s,
            mean_ms: latency.mean_ms.value,
        }))
    };
    let mut experiments: Vec<Vec<(&str, f64)>> = vec![Vec::new()];
    experiments.extend(stage.parts.iter().map(|(_, page)| vec![(page.as_str(), FACTOR)]));
    let figures: Vec<Option<Figures>> =
        experiments.par_iter().map(|speeds| experiment(speeds)).collect::<Result<_, _>>()?;
    let Some(Some(base)) = figures.first().copied() else { return Ok(()) };
    let best = stage
        .parts
        .iter()
        .zip(&figures[1..])
        .filter_map(|((part, _), figures)| figures.map(|figures| (*part, figures)))
        .min_by(|a, b| a.1.mean_ms.total_cmp(&b.1.mean_ms));
    let busy = utilisation * 100.0;
    let (why, what_if) = match best {
        Some((part, faster)) if faster.mean_ms < base.mean_ms * (1.0 - NOTICEABLE) => {
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
                format!("by its {part} (busy {busy:.0} % of the time)"),
                Some(format!("With {part} twice as fast: {change}.")),
            )
        }
        _ => (format!("busy {busy:.0} % of the time; no part of it alone makes a difference"), None),
    };
    report.bottleneck = Some(Bottleneck { stage: stage.name.clone(), why, what_if });
    Ok(())
}

/// The stage that is busy most of the time.
fn busiest<'s>(system: &'s System, report: &Report) -> Option<(&'s Stage, f64)> {
    system
        .stages
        .iter()
        .filter_map(|stage| {
            let row = report.stages.iter().find(|row| row.name == stage.name)?;
            Some((stage, row.utilisation?))
        })
        .max_by(|a, b| a.1.total_cmp(&b.1))
}
