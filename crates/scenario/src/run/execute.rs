//! A run of a scenario, measured: what is cut off at its beginning, what counts, and what is collected of it.

use crate::build::{Driven, ProgramPorts, Programs, System};
use crate::load::Loaded;
use crate::report::{Collected, Collector, CopiesFigures, ReportError, Sinks, Stage};
use crate::run::RunFailure;
use crate::run::engine::{Ended, Engine, Limits, Listener};
use crate::run::phases::Phases;
use crate::run::stages::stage_rows;
use petrio_colours::BlockRequest;
use petrio_kernel::{Simulation, Time};
use petrio_workload::SourceItem;

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

/// Everything about a run that changes from run to run.
#[derive(Clone, Copy)]
pub(crate) struct RunPlan<'a> {
    pub(crate) replication: u64,
    pub(crate) limits: Limits,
    pub(crate) cut: Cut,
    /// Speed factors by page path.
    pub(crate) speeds: &'a [(&'a str, f64)],
}

/// Who is told of what counts in a run.
pub(crate) trait Audience<R> {
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

impl<R: Driven> Audience<R> for Sinks {
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

/// Measures a run as its scenario says.
struct Measured<'a, R, A> {
    system: &'a System,
    audience: &'a mut A,
    collector: Collector<R>,
    phases: Phases,
    cut: Cut,
    cut_at: Time,
    /// Requests that counted, those that were cut off among them.
    counted: u64,
    /// The stages as they were when so many had counted, and something came that doesn't.
    stages_counted: Option<(Vec<Stage>, u64)>,
}

impl<R: Driven, A> Measured<'_, R, A> {
    /// Begins to measure.
    fn begin(&mut self, run: &mut Simulation) {
        self.cut = Cut::None;
        self.cut_at = run.now();
        run.marking_mut().reset_statistics();
        self.collector.restart(self.cut_at);
    }
}

impl<R: Driven, A: Audience<R>> Listener<R> for Measured<'_, R, A> {
    fn issued(&mut self, item: &SourceItem<R>, run: &mut Simulation) -> Result<(), RunFailure> {
        if self.phases.begins_to_count(item) && self.cut == Cut::None {
            self.begin(run);
        }
        if self.phases.note(item) {
            self.stages_counted = Some((stage_rows(&self.system.stages, run.marking()), self.counted));
        }
        Ok(())
    }

    fn completed(&mut self, request: &R, run: &mut Simulation) -> Result<(), RunFailure> {
        let now = run.now();
        if !self.phases.counts(request.id(), now) {
            return Ok(());
        }
        self.counted += 1;
        if matches!(self.cut, Cut::Requests(count) if self.counted > count) {
            self.begin(run);
        }
        self.collector.record(request, now);
        if self.cut == Cut::None {
            self.audience.completed(request, now)?;
        }
        Ok(())
    }

    fn hears_devices(&self) -> bool {
        self.audience.hears_devices()
    }

    fn arrived(&mut self, device: usize, request: &BlockRequest, at: Time) -> Result<(), RunFailure> {
        if self.cut == Cut::None && !self.phases.is_preparing() {
            self.audience.arrived(device, request, at)?;
        }
        Ok(())
    }

    fn looks_at(&self) -> Time {
        match self.cut {
            Cut::Span(span) => span,
            Cut::None | Cut::Requests(_) => Time::NEVER,
        }
    }

    fn look(&mut self, run: &mut Simulation) {
        self.begin(run);
    }
}

/// Runs a System with its programs, which it gives back for what they have to say.
pub(crate) fn execute<R: Driven>(
    loaded: &Loaded,
    (system, ports): (&System, &ProgramPorts<R>),
    plan: RunPlan<'_>,
    audience: &mut impl Audience<R>,
) -> Result<(Outcome, Programs<R>), RunFailure> {
    let RunPlan { replication, limits, cut, speeds } = plan;
    let mut programs = R::programs_of(loaded, system, replication)?;
    let mut measured = Measured {
        system,
        audience,
        collector: Collector::new(Time::ZERO),
        phases: Phases::default(),
        cut,
        cut_at: Time::ZERO,
        counted: 0,
        stages_counted: None,
    };
    let engine = Engine {
        net: &system.net,
        ports,
        told: &[],
        devices: &system.devices,
        seed: loaded.scenario.seed,
        replication,
        speeds,
        limits,
        watch: &loaded.watch,
    };
    let Ended { run, in_flight, growing } = engine.run(&mut programs, &mut measured)?;
    let end = run.now();
    if let Cut::Span(warm_up) = measured.cut {
        return Err(RunFailure::AllWarmUp { warm_up, end });
    }
    let counted_until = measured.phases.counted_until();
    let outcome = Outcome {
        collected: measured.collector.finish(counted_until.unwrap_or(end)),
        // As they were when the last of what counts was over, where something else came after it.
        stages: match measured.stages_counted {
            Some((rows, until)) if until == measured.counted => rows,
            _ => stage_rows(&system.stages, run.marking()),
        },
        copies: copies(system, &run),
        end,
        cut_at: measured.cut_at,
        counted_until,
        in_flight,
        growing,
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
