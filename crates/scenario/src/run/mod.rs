//! Running a scenario: replications, warm-up, stopping, and the questions "what limits it" and "what if".

mod aside;
mod bottleneck;
mod burst;
mod cautions;
mod count;
mod credits;
mod durability;
mod execute;
mod figures;
mod flight;
#[cfg(test)]
mod forks;
mod lock_step;
mod model_error;
mod outcome;
mod parts;
mod phases;
mod ranks;
mod replicator;
mod resumed;
mod sampler;
mod shares;
mod single;
mod stages;
mod traced;
mod traffic;

pub use crate::failure::RunFailure;
use burst::look_at_caches;
pub use burst::look_behind;
use credits::{look_at_credits, look_behind_credits};
pub use execute::{Cut, Skipped};
pub use lock_step::look_at_lock_step;
pub use replicator::Replicator;
pub use traced::{tell_events, write_trace};

use crate::build::System;
use crate::claim::Claim;
use crate::loaded::Loaded;
use crate::report::{Report, Served, Sinks, mean_report};
use crate::state::SavedRun;
use execute::{RunPlan, execute};
use petrio_engine::Limits;
use petrio_kernel::Time;
use petrio_kernel::statistics::{Interval, Tally, replicate};
use resumed::fitting;
use single::{broken_off, cut, interrupted, limits, report};
use std::sync::OnceLock;

/// Replications are added in blocks of this size until the precision asked for is reached, so that the outcome doesn't
/// depend on the number of threads.
const BLOCK: u64 = 8;
/// Replications at most, where a precision is asked for.
const MOST: u64 = 400;

/// Runs a scenario and reports, with the bottleneck and what would change it. Completed requests of the first
/// replication go to `sinks`, and so does what reaches the devices. How far all replications have come is told by
/// [`Loaded::watch`], which can also stop them.
///
/// # Errors
/// [`RunFailure`]: a trace that can't be read on, a request that a device refuses, a workload that never ends or that
/// the System can't keep up with, a result file that can't be written.
pub fn run(loaded: &Loaded, sinks: Sinks) -> Result<Report, RunFailure> {
    run_told(loaded, sinks, |_| ())
}

/// As [`run`], telling whoever waits how many changes are about to be tried, each of which takes about as long as the run.
///
/// # Errors
/// As of [`run`].
pub fn run_told(loaded: &Loaded, sinks: Sinks, tell: impl FnOnce(usize)) -> Result<Report, RunFailure> {
    let system = System::build(loaded)?;
    let mut report = simulate(loaded, &system, sinks)?;
    explain((loaded, system), &mut report, tell)?;
    Ok(report)
}

/// Adds to a report of a scenario's own run warnings of what only longer or other runs tell: bursts and lock step. None is made of
/// one that was cut short or is long already.
///
/// # Errors
/// A run that was stopped.
pub fn look_further(loaded: &Loaded, report: &mut Report) -> Result<(), RunFailure> {
    look_behind(loaded, report)?;
    look_behind_credits(loaded, report)?;
    look_at_lock_step(loaded, report)
}

/// Adds to a report of a scenario's own run what only further runs tell.
fn explain(
    (loaded, system): (&Loaded, System),
    report: &mut Report,
    tell: impl FnOnce(usize),
) -> Result<(), RunFailure> {
    look_further(loaded, report)?;
    bottleneck::explain(loaded, &Replicator::of(loaded, system, None)?, report, tell)
}

/// As [`run_told`]; and where it is stopped meanwhile, what had been by then, which says so. Nothing is written to `sinks` of a run that
/// didn't end.
///
/// # Errors
/// As of [`run`].
pub fn run_so_far(loaded: &Loaded, sinks: Sinks, tell: impl FnOnce(usize)) -> Result<Report, RunFailure> {
    let system = System::build(loaded)?;
    let mut report = simulate_or_stop((loaded, &system), sinks, Part { so_far: true, ..Part::default() })?;
    if loaded.watch.is_stopped() {
        return Ok(report);
    }
    let explained = explain((loaded, system), &mut report, tell);
    explained_so_far(report, explained)
}

/// A report with what would change the run, or without it where that was stopped.
fn explained_so_far(mut report: Report, explained: Result<(), RunFailure>) -> Result<Report, RunFailure> {
    match explained {
        Err(failure) if failure.is_stopped() => interrupted(&mut report, ", and not what would change it"),
        explained => explained?,
    }
    Ok(report)
}

/// Runs a scenario and reports what happened, without asking what would change it.
///
/// # Errors
/// As of [`run`].
pub fn simulate(loaded: &Loaded, system: &System, sinks: Sinks) -> Result<Report, RunFailure> {
    simulate_or_stop((loaded, system), sinks, Part::default())
}

/// Which part of a run is wanted: all of it, where nothing is said.
#[derive(Clone, Copy, Default)]
pub struct Part<'a> {
    /// It goes on from here, and counts from here; left out, from the beginning.
    pub from: Option<&'a SavedRun>,
    /// It goes on until then at the latest, from the beginning of the whole; left out, as the scenario says.
    pub until: Option<Time>,
    /// Where it is put aside at its end: of a run that goes on, that is one of one replication.
    pub saves: Option<&'a OnceLock<SavedRun>>,
    /// What was done until it is stopped is told.
    pub so_far: bool,
    /// The replication of this number alone, from 0; left out, as many as the scenario says.
    pub replication: Option<u64>,
}

/// Runs a scenario, or a part of its run, and reports what happened in it. What would change it isn't asked.
///
/// # Errors
/// As of [`run`]; a state of another scenario, or damaged; a System with something that can't be put aside.
pub fn run_part(loaded: &Loaded, sinks: Sinks, part: Part<'_>) -> Result<Report, RunFailure> {
    Ok(run_part_on((loaded, part.system(loaded)?), sinks, part)?.1)
}

/// As [`run_part`], and asks what would change what follows on the state: speeds that leave everything where it is, with which each
/// experiment goes on from there, too. What else could be changed is named.
///
/// # Errors
/// As of [`run_part`].
pub fn run_on(
    loaded: &Loaded,
    sinks: Sinks,
    (from, so_far): (&SavedRun, bool),
    tell: impl FnOnce(usize),
) -> Result<Report, RunFailure> {
    let part = Part { from: Some(from), so_far, ..Part::default() };
    let (system, mut report) = run_part_on((loaded, part.system(loaded)?), sinks, part)?;
    if loaded.watch.is_stopped() {
        return Ok(report);
    }
    let base = Replicator::of(loaded, system, Some(from))?;
    let explained = bottleneck::explain(loaded, &base, &mut report, tell);
    if so_far { explained_so_far(report, explained) } else { explained.map(|()| report) }
}

fn run_part_on(
    (loaded, system): (&Loaded, System),
    sinks: Sinks,
    part: Part<'_>,
) -> Result<(System, Report), RunFailure> {
    let mut report = simulate_or_stop((loaded, &system), sinks, part)?;
    if !loaded.watch.is_stopped() {
        look_at_caches(loaded, &mut report);
        look_at_credits(&mut report);
    }
    Ok((system, report))
}

impl Part<'_> {
    /// The System that it is a part of a run of.
    fn system(self, loaded: &Loaded) -> Result<System, RunFailure> {
        match self.from {
            Some(from) => fitting(loaded, from, self.limits(loaded).time),
            None => System::build(loaded),
        }
    }

    fn limits(self, loaded: &Loaded) -> Limits {
        let limits = limits(&loaded.scenario.measure);
        Limits { time: limits.time.into_iter().chain(self.until).min(), ..limits }
    }
}

fn simulate_or_stop(
    (loaded, system): (&Loaded, &System),
    mut sinks: Sinks,
    part: Part<'_>,
) -> Result<Report, RunFailure> {
    let measure = &loaded.scenario.measure;
    let (limits, so_far) = (part.limits(loaded), part.so_far);
    // What was put aside is warm.
    let cut = if part.from.is_some() { Cut::None } else { cut(loaded, system, limits)? };
    let first = Limits { so_far, ..limits };
    let Part { from, saves, .. } = part;
    let plan = RunPlan {
        sampled: true,
        tallied: true,
        from,
        saves,
        ..RunPlan::of(part.replication.unwrap_or(0), first, cut)
    };
    let mut first = report(loaded, system, execute(loaded, system, plan, &mut sinks)?);
    if so_far && loaded.watch.is_stopped() {
        interrupted(&mut first, "");
        return Ok(first);
    }
    sinks.finish()?;
    let alone = so_far.then(|| first.clone());
    if part.saves.is_some() || part.replication.is_some() {
        broken_off(measure, &mut first);
        model_error::tell(loaded, &mut first);
        return Ok(first);
    }
    let mut report = match (replications((loaded, system), first, (limits, cut), from), alone) {
        (Err(failure), Some(mut first)) if failure.is_stopped() => {
            interrupted(&mut first, ", of the first replication");
            return Ok(first);
        }
        (report, _) => report?,
    };
    broken_off(measure, &mut report);
    model_error::tell(loaded, &mut report);
    Ok(report)
}

/// The report of several replications, the first of which is there already.
fn replications(
    (loaded, system): (&Loaded, &System),
    first: Report,
    (limits, cut): (Limits, Cut),
    from: Option<&SavedRun>,
) -> Result<Report, RunFailure> {
    let measure = &loaded.scenario.measure;
    let level = measure.confidence.get();
    let wanted = u64::from(measure.replications.max(1));
    let mut reports = vec![first];
    check_room(&reports[0], wanted)?;
    let more = |first_number: u64, count: u64| {
        replicate(count, |offset| {
            let plan = RunPlan { tallied: true, from, ..RunPlan::of(first_number + offset, limits, cut) };
            let mut nobody = Sinks::default();
            let report = report(loaded, system, execute(loaded, system, plan, &mut nobody)?);
            // So many replications hold no more than they must.
            Ok::<_, RunFailure>(report.without_plots())
        })
    };
    reports.extend(more(1, wanted - 1)?);
    if let Some(precision) = measure.stop.precision {
        if reports.len() < 2 {
            reports.extend(more(1, BLOCK - 1)?);
        }
        while relative_width(&reports, level) > precision.get() && (reports.len() as u64) < MOST {
            reports.extend(more(reports.len() as u64, BLOCK)?);
        }
        if relative_width(&reports, level) > precision.get()
            && let Some(last) = reports.last_mut()
        {
            last.warnings.push(Claim::PrecisionNotReached.says(format!(
                "the precision asked for was not reached in {MOST} replications; ask for less, or make each run longer"
            )));
        }
    }
    let mut mean = mean_report(&reports, level).unwrap_or_else(|| reports.swap_remove(0));
    // Who has said how well it is to be known knows it.
    if measure.stop.precision.is_none() {
        mean.warnings.extend(cautions::of_replications(&mean));
    }
    Ok(mean)
}

/// Refuses more results than there is memory for, now that the size of one is known: what it says, written out, is
/// about what it takes.
fn check_room(first: &Report, count: u64) -> Result<(), RunFailure> {
    if count < 2 {
        return Ok(());
    }
    let said = serde_json::to_vec(&first.clone().without_plots()).unwrap_or_default();
    let bytes = (size_of::<Report>() + said.len()) as u64;
    petrio_bounds::check(count.saturating_mul(bytes))
        .map_err(|cause| RunFailure::TooManyReplications { count, cause })
}

/// The widest interval of a mean latency, of each sort of program, beside its mean.
fn relative_width(reports: &[Report], level: f64) -> f64 {
    let width = |of: fn(&Report) -> Option<&Served>| {
        let means = |report: &Report| Some(of(report)?.latency.as_ref()?.mean_ms.value);
        let latencies: Tally = reports.iter().filter_map(means).collect();
        Interval::of(&latencies, level).relative()
    };
    let served = width(|report| Some(&report.served));
    match reports.first().and_then(|first| first.beside.as_ref()) {
        Some(_) => served.max(width(|report| report.beside.as_deref())),
        None => served,
    }
}
