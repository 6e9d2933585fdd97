//! Running a scenario: replications, warm-up, stopping, and the questions "what limits it" and "what if".

mod bottleneck;
mod engine;
mod execute;
mod failure;
mod growth;
mod patience;
mod phases;
mod replicator;
mod stages;

pub use engine::{Ended, Engine, Limits, Listener, OfSource, Programs};
pub use execute::Cut;
pub use failure::RunFailure;
pub use replicator::Replicator;

use crate::build::{Driven, Ports, ProgramPorts, Programs as ProgramsOf, System};
use crate::load::Loaded;
use crate::report::{Report, ReportError, Sinks, counted, mean_report};
use crate::schema::{Measure, StageRows, WarmUp};
use execute::{Audience, Outcome, RunPlan, execute};
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
pub fn simulate(loaded: &Loaded, system: &System, sinks: Sinks) -> Result<Report, RunFailure> {
    match &system.programs {
        Ports::Requests(ports) => simulate_with((loaded, system, ports), sinks),
        Ports::Operations(ports) => simulate_with((loaded, system, ports), sinks),
    }
}

/// What is run: a scenario, its System, and where the programs meet it.
type Case<'a, R> = (&'a Loaded, &'a System, &'a ProgramPorts<R>);

fn simulate_with<R: Driven>(case: Case<'_, R>, mut sinks: Sinks) -> Result<Report, RunFailure> {
    let (loaded, system, ports) = case;
    let measure = &loaded.scenario.measure;
    let limits = limits(measure);
    let cut = cut(case, limits)?;
    let plan = RunPlan { replication: 0, limits, cut, speeds: &[] };
    let (outcome, programs) = execute(loaded, (system, ports), plan, &mut sinks)?;
    let first = report(loaded, system, outcome, &programs);
    sinks.finish()?;
    let mut report = replications(case, first, limits, cut)?;
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
fn cut<R: Driven>(case: Case<'_, R>, limits: Limits) -> Result<Cut, RunFailure> {
    Ok(match case.0.scenario.measure.warm_up {
        WarmUp::Span(span) if span.time() == Time::ZERO => Cut::None,
        WarmUp::Span(span) => Cut::Span(span.time()),
        WarmUp::Auto => Cut::Requests(warm_up_length(case, limits)?),
    })
}

/// How many requests MSER-5 cuts off, from a first pass over the run.
fn warm_up_length<R: Driven>(
    (loaded, system, ports): Case<'_, R>,
    limits: Limits,
) -> Result<u64, RunFailure> {
    let mut latencies = Latencies::default();
    let plan = RunPlan { replication: 0, limits, cut: Cut::None, speeds: &[] };
    let (outcome, _) = execute(loaded, (system, ports), plan, &mut latencies)?;
    latencies.0.length().ok_or(RunFailure::NoSteadyState { requests: outcome.collected.requests.completed })
}

/// MSER-5 on the latencies of a run.
#[derive(Default)]
struct Latencies(statistics::WarmUp);

impl<R: Driven> Audience<R> for Latencies {
    fn completed(&mut self, request: &R, at: Time) -> Result<(), ReportError> {
        self.0.record((at - request.issued()).as_seconds());
        Ok(())
    }
}

/// The report of several replications, the first of which is there already.
fn replications<R: Driven>(
    (loaded, system, ports): Case<'_, R>,
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
            let (outcome, programs) = execute(loaded, (system, ports), plan, &mut nobody)?;
            let mut report = report(loaded, system, outcome, &programs);
            // The mean of all shows these of the first alone: so many replications hold no more than they must.
            (report.series, report.histogram, report.quantiles) = Default::default();
            Ok::<_, RunFailure>(report)
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
    Ok(mean_report(&reports, level).unwrap_or_else(|| reports.swap_remove(0)))
}

/// Refuses more results than there is memory for, now that the size of one is known: what it says, written out, is
/// about what it takes.
fn check_room(first: &Report, count: u64) -> Result<(), RunFailure> {
    if count < 2 {
        return Ok(());
    }
    let (series, histogram, quantiles) = Default::default();
    let said =
        serde_json::to_vec(&Report { series, histogram, quantiles, ..first.clone() }).unwrap_or_default();
    let bytes = (size_of::<Report>() + said.len()) as u64;
    petrio_bounds::check(count.saturating_mul(bytes))
        .map_err(|cause| RunFailure::TooManyReplications { count, cause })
}

fn relative_width(reports: &[Report], level: f64) -> f64 {
    let latencies: Tally = reports
        .iter()
        .filter_map(|report| report.latency.as_ref().map(|latency| latency.mean_ms.value))
        .collect();
    Interval::of(&latencies, level).relative()
}

/// The request side and the stages of one run, as a report.
fn report<R: Driven>(loaded: &Loaded, system: &System, outcome: Outcome, programs: &ProgramsOf<R>) -> Report {
    let Outcome { collected, stages, copies, end, cut_at, counted_until, in_flight, growing } = outcome;
    let mut warnings = programs.warnings();
    if growing {
        warnings.push(
            "the number of waiting requests grew all the time: the System can't keep up with this load, and latencies \
             say more about the length of the run than about the System"
                .to_owned(),
        );
    }
    if collected.requests.completed == 0 {
        warnings.push(format!("no {} completed: there is nothing to report", R::SUBJECT.one()));
    }
    if collected.found_nothing > 0 {
        warnings.push(format!(
            "{} moved nothing: they begin at the end of their files or beyond it",
            counted(collected.found_nothing, "read", "reads")
        ));
    }
    let stages = match loaded.scenario.measure.stages {
        StageRows::All => stages,
        StageRows::Classes => stages::class_rows(&system.stages, &stages),
    };
    let mut requests = collected.requests;
    requests.in_flight = in_flight;
    Report {
        title: loaded.scenario.title.clone(),
        subject: R::SUBJECT,
        workload: format!(
            "{} · {}",
            counted(requests.completed, R::SUBJECT.one(), R::SUBJECT.many()),
            programs.line()
        ),
        system: system.line.clone(),
        seed: loaded.scenario.seed,
        simulated_s: end.as_seconds(),
        warm_up_s: cut_at.as_seconds(),
        closing_s: counted_until.map(|until| (end - until).as_seconds()),
        replications: 1,
        confidence: None,
        requests,
        bytes: collected.bytes,
        throughput_bytes_per_s: collected.throughput_bytes_per_s.into(),
        requests_per_s: collected.requests_per_s.into(),
        latency: collected.latency,
        read_latency: collected.read_latency,
        write_latency: collected.write_latency,
        operations: collected.operations,
        breakdown: collected.breakdown,
        stages,
        copies,
        bottleneck: None,
        warnings,
        series: collected.series,
        histogram: collected.histogram,
        quantiles: collected.quantiles,
    }
}

/// A run that its guard broke off says so.
fn broken_off(measure: &Measure, report: &mut Report) {
    let reached = measure.max_requests.is_some_and(|most| report.requests.completed >= most)
        || measure.max_time.is_some_and(|most| report.simulated_s >= most.time().as_seconds());
    let asked = measure.stop.requests.is_some_and(|enough| report.requests.completed >= enough)
        || measure.stop.time.is_some_and(|enough| report.simulated_s >= enough.time().as_seconds());
    if reached && !asked {
        report.warnings.push("the run was broken off by its max_time or max_requests".to_owned());
    }
}
