//! One run: programs issue requests, the net serves them, completions go back to their programs, until the end.

use crate::build::{Programs, System, programs_of};
use crate::load::Loaded;
use crate::report::{Collected, Collector, RequestSink, Stage};
use crate::run::RunFailure;
use crate::run::stages::stage_rows;
use petrio_kernel::{Pause, Simulation, Time};
use petrio_workload::Due;

/// Firings between two signs of progress where nothing completes.
const STEP: u64 = 1 << 20;
/// Requests between two signs of progress.
const SIGN: u64 = 4_096;
/// Requests in flight, for each disk, beyond which the System is said not to keep up: a hundred times what a host queues at
/// most, and few enough that a discipline that looks at all of them still gets there within seconds.
const IN_FLIGHT_LIMIT: u64 = 100_000;

/// When a run ends, if its workload doesn't end first.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Limits {
    /// After so many completed requests.
    pub requests: Option<u64>,
    /// At this model time.
    pub time: Option<Time>,
}

/// What is cut off at the beginning.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Cut {
    /// Nothing.
    #[default]
    None,
    /// A span of model time.
    Span(Time),
    /// A number of completed requests.
    Requests(u64),
}

/// How far a run has come.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// Requests completed.
    pub completed: u64,
    /// The model's clock.
    pub now: Time,
}

/// Everything about a run that changes from run to run.
#[derive(Clone, Copy)]
pub(crate) struct RunPlan<'a> {
    pub(crate) replication: u64,
    pub(crate) limits: Limits,
    pub(crate) cut: Cut,
    /// Speed factors by page path.
    pub(crate) speeds: &'a [(&'a str, f64)],
}

/// What a run gave.
pub(crate) struct Outcome {
    pub(crate) collected: Collected,
    pub(crate) stages: Vec<Stage>,
    pub(crate) end: Time,
    pub(crate) cut_at: Time,
    pub(crate) in_flight: u64,
    /// The number in flight only ever grew.
    pub(crate) growing: bool,
}

/// Runs a System with its programs, which it gives back for what they have to say.
pub(crate) fn execute(
    loaded: &Loaded,
    system: &System,
    plan: RunPlan<'_>,
    sink: &mut dyn RequestSink,
    progress: &mut dyn FnMut(Progress),
) -> Result<(Outcome, Programs), RunFailure> {
    let mut programs = programs_of(loaded, system, plan.replication)?;
    let mut run = Simulation::new(&system.net, loaded.scenario.seed, plan.replication);
    for (path, factor) in plan.speeds {
        if let Some(page) = system.net.find_page(path) {
            run.marking_mut().set_speed(&system.net, page, *factor);
        }
    }
    let ports = system.programs;
    let time_limit = plan.limits.time.unwrap_or(Time::NEVER);
    let request_limit = plan.limits.requests.unwrap_or(u64::MAX);
    let in_flight_limit = IN_FLIGHT_LIMIT * system.blocks.len().max(1) as u64;
    let mut collector = Collector::new(Time::ZERO);
    let mut growth = Growth::default();
    let (mut issued, mut completed) = (0u64, 0u64);
    let mut cut = plan.cut;
    let mut cut_at = Time::ZERO;

    while completed < request_limit {
        let due = programs.due()?;
        if due == Due::Never && issued == completed {
            // The end is the last completion: what a drive reads ahead or writes back after it is nobody's time, and a
            // limit still to come isn't waited for.
            break;
        }
        let next = match due {
            Due::At(time) => time,
            Due::AfterCompletion | Due::Never => Time::NEVER,
        };
        if next <= run.now() {
            if let Some(item) = programs.issue(run.now())? {
                issued += 1;
                run.inject(ports.arrivals, item.request, run.now())?;
                if issued - completed > in_flight_limit {
                    return Err(RunFailure::Overload { now: run.now(), in_flight: issued - completed });
                }
            } else if programs.due()? == due {
                return Err(RunFailure::Stalled { now: run.now(), in_flight: issued - completed });
            }
            continue;
        }
        let mut until = next.min(time_limit);
        if let Cut::Span(span) = cut {
            until = until.min(span);
        }
        let pause = run.run(until, STEP)?;
        if pause == Pause::Stopped {
            loop {
                let Some(done) = run.drain(ports.done).next() else { break };
                completed += 1;
                programs.complete(done.request.id, done.at)?;
                if matches!(cut, Cut::Requests(count) if completed > count) {
                    cut = Cut::None;
                    cut_at = done.at;
                    run.marking_mut().reset_statistics();
                    collector.restart(cut_at);
                }
                collector.record(&done.request, done.at);
                if cut == Cut::None {
                    sink.completed(&done.request, done.at)?;
                }
            }
            if completed % SIGN == 0 {
                progress(Progress { completed, now: run.now() });
            }
            // What drains after the last arrival says nothing about the load.
            if due != Due::Never {
                growth.note(completed, issued - completed);
            }
            continue;
        }
        progress(Progress { completed, now: run.now() });
        if pause == Pause::Firings {
            continue;
        }
        if matches!(cut, Cut::Span(span) if run.now() >= span) {
            cut = Cut::None;
            cut_at = run.now();
            run.marking_mut().reset_statistics();
            collector.restart(cut_at);
        }
        if run.now() >= time_limit {
            break;
        }
        if pause == Pause::Dead && next.is_never() {
            return Err(RunFailure::Stalled { now: run.now(), in_flight: issued - completed });
        }
    }
    run.check_conservation()?;
    let end = run.now();
    if let Cut::Span(warm_up) = cut {
        return Err(RunFailure::AllWarmUp { warm_up, end });
    }
    let outcome = Outcome {
        collected: collector.finish(end),
        stages: stage_rows(&system.stages, run.marking()),
        end,
        cut_at,
        in_flight: issued - completed,
        growing: growth.is_growing(),
    };
    Ok((outcome, programs))
}

/// Whether the number in flight only ever grows: an open workload that the System can't keep up with.
struct Growth {
    peak: u64,
    samples: u64,
    rises: u64,
    next: u64,
}

impl Default for Growth {
    fn default() -> Self {
        // Fewer requests than this are a burst and no load.
        Self { peak: 0, samples: 0, rises: 0, next: 100 }
    }
}

impl Growth {
    fn note(&mut self, completed: u64, in_flight: u64) {
        if completed < self.next {
            return;
        }
        // Ever wider steps, so that a long run has about as many samples as a short one.
        self.next = completed + completed / 8 + 1;
        self.samples += 1;
        if in_flight > self.peak {
            self.rises += 1;
            self.peak = in_flight;
        }
    }

    fn is_growing(&self) -> bool {
        self.samples >= 8 && self.peak > 64 && self.rises * 10 >= self.samples * 8
    }
}
