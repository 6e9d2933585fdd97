//! Running a scenario: replications, warm-up, stopping, and the questions "what limits it" and "what if".

mod bottleneck;
mod count;
mod engine;
mod execute;
mod failure;
mod growth;
mod listener;
mod load;
mod patience;
mod phases;
mod programs;
mod replicator;
mod stages;

pub use engine::{Ended, Engine, Limits};
pub use execute::{Cut, Skipped};
pub use failure::RunFailure;
pub use listener::{Listener, Onlooker};
pub use load::{Lane, Load, SideBySide};
pub use programs::{OfSource, Programs};
pub use replicator::Replicator;

use crate::build::System;
use crate::loaded::Loaded;
use crate::report::cautions;
use crate::report::{Report, ReportError, Served, Sinks, Subject, mean_report};
use crate::schema::{Measure, StageRows, WarmUp};
use execute::{Audience, Hears, Outcome, RunPlan, execute};
use petrio_colours::{BlockRequest, FileOp};
use petrio_kernel::Time;
use petrio_kernel::statistics::{self, Interval, Tally, replicate};

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
    let system = System::build(loaded)?;
    let mut report = simulate(loaded, &system, sinks)?;
    bottleneck::explain(loaded, &Replicator::of(loaded, system)?, &mut report)?;
    Ok(report)
}

/// Runs a scenario and reports what happened, without asking what would change it.
///
/// # Errors
/// As of [`run`].
pub fn simulate(loaded: &Loaded, system: &System, mut sinks: Sinks) -> Result<Report, RunFailure> {
    let measure = &loaded.scenario.measure;
    let limits = limits(measure);
    let cut = cut(loaded, system, limits)?;
    let plan = RunPlan { replication: 0, limits, cut, speeds: &[] };
    let first = report(loaded, system, execute(loaded, system, plan, &mut sinks)?);
    sinks.finish()?;
    let mut report = replications((loaded, system), first, limits, cut)?;
    broken_off(measure, &mut report);
    Ok(report)
}

fn limits(measure: &Measure) -> Limits {
    let least = |a: Option<u64>, b: Option<u64>| a.into_iter().chain(b).min();
    let time = |span: Option<petrio_units::Duration>| span.map(petrio_units::Duration::time);
    Limits {
        requests: least(measure.stop.requests, measure.max_requests),
        time: time(measure.stop.time).into_iter().chain(time(measure.max_time)).min(),
    }
}

/// What is cut off at the beginning of every replication.
fn cut(loaded: &Loaded, system: &System, limits: Limits) -> Result<Cut, RunFailure> {
    Ok(match loaded.scenario.measure.warm_up {
        WarmUp::Span(span) if span.time() == Time::ZERO => Cut::None,
        WarmUp::Span(span) => Cut::Span(span.time()),
        WarmUp::Auto => Cut::Requests(warm_up_length(loaded, system, limits)?),
    })
}

/// How many requests MSER-5 cuts off, from a first pass over the run.
fn warm_up_length(loaded: &Loaded, system: &System, limits: Limits) -> Result<Skipped, RunFailure> {
    let mut latencies = Latencies::default();
    let plan = RunPlan { replication: 0, limits, cut: Cut::None, speeds: &[] };
    let outcome = execute(loaded, system, plan, &mut latencies)?;
    let mut skipped = Skipped::default();
    for served in outcome.each() {
        let (length, found) = match served.subject {
            Subject::BlockRequests => (&mut skipped.requests, latencies.requests.length()),
            Subject::FileOperations => (&mut skipped.operations, latencies.operations.length()),
        };
        *length = Some(found.ok_or(RunFailure::NoSteadyState { requests: served.requests.completed })?);
    }
    Ok(skipped)
}

/// MSER-5 on the latencies of a run, those of each sort of program for themselves.
#[derive(Default)]
struct Latencies {
    requests: statistics::WarmUp,
    operations: statistics::WarmUp,
}

impl Audience for Latencies {}

impl Hears<BlockRequest> for Latencies {
    fn completed(&mut self, request: &BlockRequest, at: Time) -> Result<(), ReportError> {
        self.requests.record((at - request.issued).as_seconds());
        Ok(())
    }
}

impl Hears<FileOp> for Latencies {
    fn completed(&mut self, operation: &FileOp, at: Time) -> Result<(), ReportError> {
        self.operations.record((at - operation.issued).as_seconds());
        Ok(())
    }
}

/// The report of several replications, the first of which is there already.
fn replications(
    (loaded, system): (&Loaded, &System),
    first: Report,
    limits: Limits,
    cut: Cut,
) -> Result<Report, RunFailure> {
    let measure = &loaded.scenario.measure;
    let level = measure.confidence.get();
    let wanted = u64::from(measure.replications.max(1));
    let mut reports = vec![first];
    check_room(&reports[0], wanted)?;
    let more = |from: u64, count: u64| {
        replicate(count, |offset| {
            let plan = RunPlan { replication: from + offset, limits, cut, speeds: &[] };
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
            last.warnings.push(format!(
                "the precision asked for was not reached in {MOST} replications; ask for less, or make each run longer"
            ));
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

/// The outcome of one run, as a report.
fn report(loaded: &Loaded, system: &System, outcome: Outcome) -> Report {
    let Outcome { served, beside, mut warnings, stages, copies, end, cut_at, growing } = outcome;
    warnings.extend(system.warnings.iter().cloned());
    if growing {
        warnings.push(
            "the number of waiting requests grew all the time: the System can't keep up with this load, and latencies \
             say more about the length of the run than about the System"
                .to_owned(),
        );
    }
    for served in std::iter::once(&served).chain(beside.as_deref()) {
        warnings.extend(cautions::of_run(loaded, served, cut_at.as_seconds()));
    }
    let stages = match loaded.scenario.measure.stages {
        StageRows::All => stages,
        StageRows::Classes => stages::class_rows(&system.stages, &stages),
    };
    Report {
        title: loaded.scenario.title.clone(),
        system: system.line.clone(),
        seed: loaded.scenario.seed,
        simulated_s: end.as_seconds(),
        warm_up_s: cut_at.as_seconds(),
        replications: 1,
        confidence: None,
        served,
        beside,
        stages,
        copies,
        bottleneck: None,
        assumptions: system.assumptions.clone(),
        warnings,
    }
}

/// A run that its guard broke off says so.
fn broken_off(measure: &Measure, report: &mut Report) {
    let completed: u64 = report.each().map(|served| served.requests.completed).sum();
    let reached = measure.max_requests.is_some_and(|most| completed >= most)
        || measure.max_time.is_some_and(|most| report.simulated_s >= most.time().as_seconds());
    let asked = measure.stop.requests.is_some_and(|enough| completed >= enough)
        || measure.stop.time.is_some_and(|enough| report.simulated_s >= enough.time().as_seconds());
    if reached && !asked {
        report.warnings.push("the run was broken off by its max_time or max_requests".to_owned());
    }
}
