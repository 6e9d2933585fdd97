//! One run of a scenario: when it stops, what is cut off at its beginning, what it reports.

use crate::build::System;
use crate::claim::Claim;
use crate::costs::Costs;
use crate::loaded::Loaded;
use crate::report::{Report, ReportError, Subject};
use crate::run::RunFailure;
use crate::run::execute::{Audience, Cut, Hears, RunPlan, Skipped, execute};
use crate::run::outcome::Outcome;
use crate::run::stages::class_rows;
use crate::run::{cautions, durability};
use crate::schema::{Measure, StageRows, WarmUp};
use petrio_colours::{BlockRequest, FileOp};
use petrio_engine::Limits;
use petrio_kernel::Time;
use petrio_kernel::statistics;

/// When a run stops.
pub(super) fn limits(measure: &Measure) -> Limits {
    let least = |a: Option<u64>, b: Option<u64>| a.into_iter().chain(b).min();
    let time = |span: Option<petrio_units::Duration>| span.map(petrio_units::Duration::time);
    Limits {
        requests: least(measure.stop.requests, measure.max_requests),
        time: time(measure.stop.time).into_iter().chain(time(measure.max_time)).min(),
        so_far: false,
    }
}

/// What is cut off at the beginning of every replication.
pub(super) fn cut(loaded: &Loaded, system: &System, limits: Limits) -> Result<Cut, RunFailure> {
    Ok(match loaded.scenario.measure.warm_up {
        WarmUp::Span(span) if span.time() == Time::ZERO => Cut::None,
        WarmUp::Span(span) => Cut::Span(span.time()),
        WarmUp::Auto => Cut::Requests(warm_up_length(loaded, system, limits)?),
    })
}

/// How many requests MSER-5 cuts off, from a first pass over the run.
fn warm_up_length(loaded: &Loaded, system: &System, limits: Limits) -> Result<Skipped, RunFailure> {
    let mut latencies = Latencies::default();
    let plan = RunPlan::of(0, limits, Cut::None);
    let outcome = execute(loaded, system, plan, &mut latencies)?;
    let mut skipped = Skipped::default();
    for served in outcome.report.each() {
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

/// The outcome of one run, as a report.
pub(super) fn report(loaded: &Loaded, system: &System, Outcome { mut report, .. }: Outcome) -> Report {
    let mut more = system.warnings.clone();
    for served in report.each() {
        more.extend(cautions::of_run(loaded, served, &report.memory, report.warm_up_s));
        more.extend(durability::of_run(loaded, served, (&report.traffic, &report.arrays)));
    }
    more.extend(cautions::of_memory(&report.memory, report.simulated_s));
    report.warnings.extend(more);
    let served = &report.served;
    let rates = (served.throughput_bytes_per_s.value, served.requests_per_s.value);
    report.costs = Costs::of(loaded).figures(rates, &report.stages);
    if loaded.scenario.measure.stages == StageRows::Classes {
        report.stages = class_rows(&system.stages, &report.stages);
    }
    report
}

/// A run that somebody stopped says so, and of what there is nothing therefore.
pub(super) fn interrupted(report: &mut Report, without: &str) {
    report.warnings.push(Claim::BrokenOff.says(format!(
        "the run was interrupted at {} of its time: this is what had been by then{without}",
        petrio_page::numbers::time(report.simulated_s * 1e3)
    )));
}

/// A run that its guard broke off says so.
pub(super) fn broken_off(measure: &Measure, report: &mut Report) {
    let completed: u64 = report.each().map(|served| served.requests.completed).sum();
    let reached = measure.max_requests.is_some_and(|most| completed >= most)
        || measure.max_time.is_some_and(|most| report.simulated_s >= most.time().as_seconds());
    let asked = measure.stop.requests.is_some_and(|enough| completed >= enough)
        || measure.stop.time.is_some_and(|enough| report.simulated_s >= enough.time().as_seconds());
    if reached && !asked {
        report.warnings.push(Claim::BrokenOff.says("the run was broken off by its max_time or max_requests"));
    }
}
