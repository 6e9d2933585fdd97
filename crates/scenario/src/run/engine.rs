//! One run: programs issue requests, the net serves them, completions go back to their programs, until the end.

use crate::build::{Driven, ProgramPorts, Programs, System};
use crate::load::Loaded;
use crate::report::{Collected, Collector, CopiesFigures, ReportError, Sinks, Stage};
use crate::run::RunFailure;
use crate::run::growth::Growth;
use crate::run::patience::{Awaited, Patience};
use crate::run::phases::Phases;
use crate::run::stages::stage_rows;
use petrio_bounds::Headroom;
use petrio_colours::BlockRequest;
use petrio_kernel::{Pause, Simulation, Time};
use petrio_workload::Due;
use std::sync::{Arc, Mutex, PoisonError};

/// Firings between two signs of progress where nothing completes.
const STEP: u64 = 1 << 20;
/// Firings between two looks at whether a run is still wanted, where somebody can stop it: some hundredths of a second.
const WATCHED_STEP: u64 = 1 << 13;
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

/// Who is told of a run as it goes.
pub(crate) trait Listener<R> {
    /// A request that counts has completed.
    fn completed(&mut self, request: &R, at: Time) -> Result<(), ReportError>;

    /// Whether it wants to hear of what reaches the devices.
    fn hears_devices(&self) -> bool {
        false
    }

    /// A request has reached a device.
    fn arrived(&mut self, _device: usize, _request: &BlockRequest, _at: Time) -> Result<(), ReportError> {
        Ok(())
    }
}

impl<R: Driven> Listener<R> for Sinks {
    fn completed(&mut self, request: &R, at: Time) -> Result<(), ReportError> {
        Self::completed(self, request, at)
    }

    fn hears_devices(&self) -> bool {
        !self.devices.is_empty()
    }

    fn arrived(&mut self, device: usize, request: &BlockRequest, at: Time) -> Result<(), ReportError> {
        Self::arrived(self, device, request, at)
    }
}

/// What a run gave.
pub(crate) struct Outcome {
    pub(crate) collected: Collected,
    pub(crate) stages: Vec<Stage>,
    pub(crate) copies: Vec<CopiesFigures>,
    pub(crate) end: Time,
    pub(crate) cut_at: Time,
    /// When the last request that counts completed, where others that don't came after it.
    pub(crate) counted_until: Option<Time>,
    pub(crate) in_flight: u64,
    /// The number in flight only ever grew.
    pub(crate) growing: bool,
}

/// Runs a System with its programs, which it gives back for what they have to say.
pub(crate) fn execute<R: Driven>(
    loaded: &Loaded,
    (system, ports): (&System, &ProgramPorts<R>),
    plan: RunPlan<'_>,
    listener: &mut impl Listener<R>,
    progress: &mut dyn FnMut(Progress),
) -> Result<(Outcome, Programs<R>), RunFailure> {
    let mut programs = R::programs_of(loaded, system, plan.replication)?;
    let mut run = Simulation::new(&system.net, loaded.scenario.seed, plan.replication);
    for (path, factor) in plan.speeds {
        if let Some(page) = system.net.find_page(path) {
            run.marking_mut().set_speed(&system.net, page, *factor);
        }
    }
    let arrivals = listener.hears_devices().then(|| watched_devices(&mut run, system));
    let time_limit = plan.limits.time.unwrap_or(Time::NEVER);
    let request_limit = plan.limits.requests.unwrap_or(u64::MAX);
    let in_flight_limit = IN_FLIGHT_LIMIT * system.blocks.len().max(1) as u64;
    let mut collector = Collector::new(Time::ZERO);
    let mut growth = Growth::default();
    let (mut issued, mut completed, mut counted) = (0u64, 0u64, 0u64);
    let mut phases = Phases::default();
    let mut stages_counted = None;
    let mut cut = plan.cut;
    let mut cut_at = Time::ZERO;
    let mut patience = Patience::new();
    let mut headroom = Headroom::default();
    let watch = &loaded.watch;
    let step = if watch.is_kept() { WATCHED_STEP } else { STEP };

    while completed < request_limit {
        if watch.is_stopped() {
            return Err(RunFailure::Stopped);
        }
        headroom.record().map_err(|cause| RunFailure::TooMuchMemory {
            now: run.now(),
            completed,
            in_flight: issued - completed,
            cause,
        })?;
        let due = match programs.due() {
            // A run that ends before needs none of it.
            Err(RunFailure::Workload(error)) if error.is_beyond_horizon() && !time_limit.is_never() => {
                Due::At(Time::NEVER)
            }
            due => due?,
        };
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
                if phases.begins_to_count(&item) && cut == Cut::None {
                    cut_at = run.now();
                    run.marking_mut().reset_statistics();
                    collector.restart(cut_at);
                }
                if phases.note(&item) {
                    stages_counted = Some((stage_rows(&system.stages, run.marking()), counted));
                }
                run.inject(ports.arrivals, item.request, run.now())?;
                if issued - completed > in_flight_limit {
                    return Err(RunFailure::Overload { now: run.now(), in_flight: issued - completed });
                }
            } else if programs.due().is_ok_and(|next| next == due) {
                return Err(RunFailure::Stalled { now: run.now(), in_flight: issued - completed });
            }
            continue;
        }
        let mut until = next.min(time_limit);
        if let Cut::Span(span) = cut {
            until = until.min(span);
        }
        let pause = run.run(until, step)?;
        if let Some(arrivals) = &arrivals {
            tell_arrivals(arrivals, cut == Cut::None && !phases.is_preparing(), listener)?;
        }
        if pause == Pause::Stopped {
            let now = run.now();
            loop {
                let Some(done) = run.drain(ports.done).next() else { break };
                completed += 1;
                programs.complete(done.id(), now)?;
                if !phases.counts(done.id(), now) {
                    continue;
                }
                counted += 1;
                if matches!(cut, Cut::Requests(count) if counted > count) {
                    cut = Cut::None;
                    cut_at = now;
                    run.marking_mut().reset_statistics();
                    collector.restart(cut_at);
                }
                collector.record(&done, now);
                if cut == Cut::None {
                    listener.completed(&done, now)?;
                }
            }
            patience.renew(&run);
            if completed % SIGN == 0 {
                progress(Progress { completed, now });
            }
            // What drains after the last arrival says nothing about the load.
            if due != Due::Never {
                growth.note(completed, issued - completed);
            }
            continue;
        }
        progress(Progress { completed, now: run.now() });
        if pause == Pause::Firings {
            patience.check(&run, &system.devices, Awaited { next, in_flight: issued - completed })?;
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
        if next.is_never() && pause == Pause::Dead {
            return Err(RunFailure::Stalled { now: run.now(), in_flight: issued - completed });
        }
    }
    run.check_conservation()?;
    let end = run.now();
    if let Cut::Span(warm_up) = cut {
        return Err(RunFailure::AllWarmUp { warm_up, end });
    }
    let counted_until = phases.counted_until();
    let outcome = Outcome {
        collected: collector.finish(counted_until.unwrap_or(end)),
        // As they were when the last of what counts was over, where something else came after it.
        stages: match stages_counted {
            Some((rows, until)) if until == counted => rows,
            _ => stage_rows(&system.stages, run.marking()),
        },
        copies: copies(system, &run),
        end,
        cut_at,
        counted_until,
        in_flight: issued - completed,
        growing: growth.is_growing(),
    };
    Ok((outcome, programs))
}

/// What the System's replications came to.
fn copies(system: &System, run: &Simulation) -> Vec<CopiesFigures> {
    let mut all = Vec::new();
    for (name, place) in &system.replications {
        run.for_each_token(*place, |replicas| all.push(CopiesFigures::of(name, replicas.tally())));
    }
    all
}

/// What has reached the devices since it was last told.
type Arrivals = Arc<Mutex<Vec<(usize, BlockRequest, Time)>>>;

fn watched_devices(run: &mut Simulation, system: &System) -> Arrivals {
    let seen = Arrivals::default();
    for (device, &port) in system.devices.iter().enumerate() {
        let seen = Arc::clone(&seen);
        run.observe(port, (), move |(), at, request: &BlockRequest| {
            let mut seen = seen.lock().unwrap_or_else(PoisonError::into_inner);
            seen.push((device, request.clone(), at));
        });
    }
    seen
}

fn tell_arrivals<R>(
    arrivals: &Arrivals,
    counts: bool,
    listener: &mut impl Listener<R>,
) -> Result<(), ReportError> {
    let mut seen = arrivals.lock().unwrap_or_else(PoisonError::into_inner);
    for (device, request, at) in seen.drain(..) {
        if counts {
            listener.arrived(device, &request, at)?;
        }
    }
    Ok(())
}
