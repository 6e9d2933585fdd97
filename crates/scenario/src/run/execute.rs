//! A run of a scenario, measured: what is cut off at its beginning, what counts, and what is collected of it.

use crate::build::{Driven, Programs, System, Turns, file_tables};
use crate::loaded::Loaded;
use crate::report::{Report, ReportError, Sinks, StageFigures, Subject, TrafficFigures};
use crate::run::RunFailure;
use crate::run::aside::Aside;
use crate::run::count::{Counted, Counts};
use crate::run::outcome::{Outcome, Ran};
use crate::run::ranks::Ranks;
use crate::run::sampler::Sampler;
use crate::run::shares::{Clients, of_links, servers};
use crate::run::stages::{stage_rows, waited_for};
use crate::run::{parts, traffic};
use crate::schema::OnError;
use crate::state::SavedRun;
use petrio_colours::{BlockRequest, Failure, FileId, FileOp};
use petrio_engine::{
    Engine, EngineError, Lane, Limits, Listener, Load, Onlooker, Ports, ProgramPorts, SideBySide,
    StillWaiting, Visit,
};
use petrio_kernel::{Simulation, Time};
use petrio_persist::Persist;
use petrio_workload::SourceItem;
use std::sync::{Arc, OnceLock};

/// What is cut off at the beginning.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Cut {
    /// Nothing.
    #[default]
    None,
    /// A span of model time.
    Span(Time),
    /// Numbers of completed requests, of each sort of program that there is.
    Requests(Skipped),
}

/// How many requests are left out, of each sort of program that there is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Skipped {
    /// Block requests.
    pub requests: Option<u64>,
    /// Operations on files.
    pub operations: Option<u64>,
}

/// Everything about a run that changes from run to run.
#[derive(Clone, Copy)]
pub(crate) struct RunPlan<'a> {
    pub(crate) replication: u64,
    pub(crate) limits: Limits,
    pub(crate) cut: Cut,
    /// Speed factors by page path.
    pub(crate) speeds: &'a [(&'a str, f64)],
    /// Whether it is seen what stages do when.
    pub(crate) sampled: bool,
    /// Whether what reaches the devices is counted by what it is for: it costs a run a few hundredths of its time, and
    /// experiments don't look at it.
    pub(crate) tallied: bool,
    /// Where it goes on from, where not from the beginning.
    pub(crate) from: Option<&'a SavedRun>,
    /// Where it is put aside at its end.
    pub(crate) saves: Option<&'a OnceLock<SavedRun>>,
    /// Requests at most, from where it begins.
    pub(crate) most: Option<u64>,
}

impl RunPlan<'_> {
    /// A replication of a run as its scenario says, until these limits.
    pub(crate) const fn of(replication: u64, limits: Limits, cut: Cut) -> Self {
        Self {
            replication,
            limits,
            cut,
            speeds: &[],
            sampled: false,
            tallied: false,
            from: None,
            saves: None,
            most: None,
        }
    }
}

/// Who is told of what counts in a run.
pub(crate) trait Audience {
    /// Whether it wants to hear of what reaches the devices.
    fn hears_devices(&self) -> bool {
        false
    }

    /// A request has been at a device.
    fn visited(&mut self, _visit: &Visit) -> Result<(), ReportError> {
        Ok(())
    }
}

/// Who is told of the requests of a colour that count.
pub(crate) trait Hears<R>: Audience {
    /// A request that counts has completed.
    fn completed(&mut self, request: &R, at: Time) -> Result<(), ReportError>;
}

impl Audience for Sinks {
    fn hears_devices(&self) -> bool {
        self.hear_devices()
    }

    fn visited(&mut self, visit: &Visit) -> Result<(), ReportError> {
        Self::visited(self, visit)
    }
}

impl<R: Driven> Hears<R> for Sinks {
    fn completed(&mut self, request: &R, at: Time) -> Result<(), ReportError> {
        Self::completed(self, request, at)
    }
}

/// Measures a run as its scenario says.
struct Measured<'a, A> {
    system: &'a System,
    audience: &'a mut A,
    counts: Counts,
    cut: Cut,
    cut_at: Time,
    /// The stages, and what had reached the devices, when so many had counted and something came that doesn't.
    counted_then: Option<(Vec<StageFigures>, Vec<TrafficFigures>, u64)>,
    clients: Clients<'a>,
    ranks: Ranks,
    sampler: Option<Sampler<'a>>,
    tallied: bool,
    /// Whether it counts from where it went on from.
    resumed: bool,
}

impl<A> Measured<'_, A> {
    /// Begins to measure.
    fn begin(&mut self, run: &mut Simulation) {
        self.cut = Cut::None;
        self.cut_at = run.now();
        run.marking_mut().reset_statistics();
        traffic::restart(self.system, run);
        self.counts.requests.collector.restart(self.cut_at);
        self.counts.operations.collector.restart(self.cut_at);
        self.clients.restart(self.cut_at);
        if self.sampler.is_some() {
            self.sampler = Some(Sampler::of(&self.system.stages, self.cut_at));
        }
    }

    /// A rank of a parallel program has spent time on something.
    fn spend<R: Counted>(&mut self, request: &R, now: Time) {
        if R::SUBJECT == Subject::FileOperations {
            let sort = R::KINDS[request.kind()].sort;
            let span = (request.issued(), now, request.computing());
            self.ranks.record(request.process(), sort, span, request.bytes());
        }
    }

    const fn counted(&self) -> u64 {
        self.counts.requests.counted + self.counts.operations.counted
    }
}

impl<R: Counted, A: Hears<R>> Listener<R> for Measured<'_, A> {
    fn issued(
        &mut self,
        workload: usize,
        item: &SourceItem<R>,
        run: &mut Simulation,
    ) -> Result<(), EngineError> {
        R::count(&mut self.counts).begins(workload, item);
        if R::count(&mut self.counts).phases.begins_to_count(item) && self.cut == Cut::None {
            self.begin(run);
        }
        if R::count(&mut self.counts).phases.note(item) {
            let rows = stage_rows(&self.system.stages, run.marking());
            self.counted_then = Some((rows, traffic::traffic(self.system, run), self.counted()));
        }
        Ok(())
    }

    fn beside(&mut self, request: &R, now: Time) {
        self.spend(request, now);
    }

    fn completed(&mut self, workload: usize, request: &R, run: &mut Simulation) -> Result<(), EngineError> {
        let now = run.now();
        self.spend(request, now);
        let own = R::count(&mut self.counts);
        own.flight.ends(request.id());
        if !own.phases.counts(request.id(), now) {
            return Ok(());
        }
        own.counted += 1;
        if let Cut::Requests(Skipped { requests, operations }) = self.cut {
            let Counts { requests: blocks, operations: files } = &self.counts;
            if blocks.is_past(requests) && files.is_past(operations) {
                self.begin(run);
            }
        }
        R::count(&mut self.counts).collector.record_of(workload, request, now);
        if R::SUBJECT == Subject::FileOperations {
            self.clients.record(request.process(), (request.issued(), now), request.bytes());
        }
        if self.cut == Cut::None {
            self.audience.completed(request, now).map_err(RunFailure::from)?;
        }
        Ok(())
    }

    fn failed(&mut self, request: &R, failure: Failure, run: &mut Simulation) -> Result<(), EngineError> {
        let own = R::count(&mut self.counts);
        own.flight.ends(request.id());
        if own.phases.counts(request.id(), run.now()) {
            own.collector.record_failure(request, failure);
        }
        Ok(())
    }
}

impl<A: Audience> Onlooker for Measured<'_, A> {
    fn hears_devices(&self) -> bool {
        self.audience.hears_devices()
    }

    fn counts_devices(&self) -> bool {
        let Counts { requests, operations } = &self.counts;
        let preparing = requests.phases.is_preparing() || operations.phases.is_preparing();
        self.cut == Cut::None && !preparing
    }

    fn visited(&mut self, visit: &Visit) -> Result<(), EngineError> {
        Ok(self.audience.visited(visit).map_err(RunFailure::from)?)
    }

    fn waiting(&self, run: &Simulation, in_flight: u64) -> StillWaiting {
        let Counts { requests, operations } = &self.counts;
        let which = operations.waiting().into_iter().chain(requests.waiting()).collect();
        StillWaiting { in_flight, which, at: waited_for(&self.system.stages, run.marking()) }
    }

    fn begins(&mut self, run: &mut Simulation) {
        if self.tallied && !self.resumed {
            traffic::watch(self.system, run);
        }
    }

    fn looks_at(&self) -> Time {
        match self.cut {
            Cut::Span(span) => span,
            Cut::None | Cut::Requests(_) => self.sampler.as_ref().map_or(Time::NEVER, Sampler::next),
        }
    }

    fn look(&mut self, run: &mut Simulation) {
        if matches!(self.cut, Cut::Span(_)) {
            return self.begin(run);
        }
        if let Some(sampler) = &mut self.sampler {
            sampler.look(run.marking(), run.now());
        }
    }
}

/// Runs a System with its programs.
pub(crate) fn execute(
    loaded: &Loaded,
    system: &System,
    plan: RunPlan<'_>,
    audience: &mut (impl Hears<BlockRequest> + Hears<FileOp>),
) -> Result<Outcome, RunFailure> {
    let turns = Arc::default();
    let Ports { operations, requests } = &system.driven.ports;
    match (operations, requests) {
        (None, None) => Err(RunFailure::NoWorkload),
        (None, Some(ports)) => {
            let mut lane = lane::<BlockRequest>(loaded, ports, plan, &turns)?;
            let counts = Counts::of(None, Some(&lane));
            let (counts, ran) = drive(loaded, system, plan, (&mut lane, counts, Ranks::none()), audience)?;
            let served = counts.requests.served(lane, ran.end);
            Ok(ran.outcome(served, None))
        }
        (Some(ports), None) => {
            let mut lane = lane::<FileOp>(loaded, ports, plan, &turns)?;
            let counts = Counts::of(Some(&lane), None);
            let ranks = Ranks::of(loaded, lane.programs().boards())?;
            let (counts, ran) = drive(loaded, system, plan, (&mut lane, counts, ranks), audience)?;
            let served = counts.operations.served(lane, ran.end);
            Ok(ran.outcome(served, None))
        }
        (Some(operations), Some(requests)) => {
            let lanes = (
                lane::<FileOp>(loaded, operations, plan, &turns)?,
                lane::<BlockRequest>(loaded, requests, plan, &turns)?,
            );
            let counts = Counts::of(Some(&lanes.0), Some(&lanes.1));
            let ranks = Ranks::of(loaded, lanes.0.programs().boards())?;
            let mut both = SideBySide::new(lanes.0, lanes.1);
            let (counts, ran) = drive(loaded, system, plan, (&mut both, counts, ranks), audience)?;
            let (operations, requests) = both.into_parts();
            let beside = counts.requests.served(requests, ran.end);
            let served = counts.operations.served(operations, ran.end);
            Ok(ran.outcome(served, Some(beside)))
        }
    }
}

fn lane<'p, R: Driven>(
    loaded: &Loaded,
    ports: &'p ProgramPorts<R>,
    plan: RunPlan<'_>,
    turns: &Arc<Turns>,
) -> Result<Lane<'p, R, Programs<R>>, RunFailure> {
    let counts = loaded.scenario.measure.on_error == OnError::Count;
    Ok(Lane::new(ports, R::programs_of(loaded, plan.replication, turns)?).counting_failures(counts))
}

/// Runs a System under a load, and counts.
fn drive<A: Audience>(
    loaded: &Loaded,
    system: &System,
    plan: RunPlan<'_>,
    (load, counts, ranks): (&mut (impl for<'a> Load<Measured<'a, A>> + Persist), Counts, Ranks),
    audience: &mut A,
) -> Result<(Counts, Ran), RunFailure> {
    let RunPlan { replication, mut limits, cut, speeds, sampled, tallied, from, saves: _, most } = plan;
    let mut measured = Measured {
        system,
        audience,
        counts,
        cut,
        cut_at: Time::ZERO,
        counted_then: None,
        clients: Clients::of(&system.clients),
        ranks,
        sampler: sampled.then(|| Sampler::of(&system.stages, Time::ZERO)),
        // A state has its observers with it.
        tallied: tallied || from.is_some(),
        resumed: false,
    };
    let mut engine = Engine::new(&system.driven, loaded.scenario.seed, replication);
    engine.set_watch(&loaded.watch);
    let aside = Aside::of(plan, &engine, load);
    if from.is_some() {
        // Who looked on when it was put aside looks on again.
        measured.begins(engine.simulation_mut());
        aside.go_on(&mut engine, load, (loaded.scenario.seed, replication))?;
        measured.resumed = true;
        measured.begin(engine.simulation_mut());
    }
    speeds.iter().for_each(|(path, factor)| engine.set_speed(path, *factor));
    let most = most.map(|most| load.served().saturating_add(most));
    limits.requests = limits.requests.into_iter().chain(most).min();
    engine.set_limits(limits);
    let ran = engine.run(load, &mut measured).map_err(RunFailure::from);
    ran.map_err(|failure| failure.naming(|file| file_name(loaded, file)))?;
    aside.put((loaded, system), &engine, load)?;
    let run = engine.simulation();
    let end = run.now();
    if let Cut::Span(warm_up) = measured.cut {
        return Err(RunFailure::AllWarmUp { warm_up, end });
    }
    let counted = measured.counted();
    // As they were when the last of what counts was over, where something else came after it.
    let (stages, traffic) = match measured.counted_then {
        Some((rows, traffic, until)) if until == counted => (rows, traffic),
        _ => (stage_rows(&system.stages, run.marking()), traffic::traffic(system, run)),
    };
    let span = end - measured.cut_at;
    let rates = [measured.clients.rates(), servers(&system.stages, run.marking(), span)];
    let report = Report {
        title: loaded.scenario.title.clone(),
        system: system.line.clone(),
        seed: loaded.scenario.seed,
        simulated_s: end.as_seconds(),
        warm_up_s: measured.cut_at.as_seconds(),
        firings: run.marking().firings_total(),
        replications: 1,
        stages,
        rates: rates.into_iter().flatten().collect(),
        activity: measured.sampler.map_or_else(Vec::new, |sampler| sampler.finish(run.marking(), end)),
        traffic,
        jobs: measured.ranks.figures(&system.clients),
        assumptions: system.assumptions.clone(),
        ..parts::sections(system, run)
    };
    let ran = Ran { report, of_links: of_links(system, run.marking(), span), end };
    Ok((measured.counts, ran))
}

/// A file's name for messages, where its workload gave it one.
fn file_name(loaded: &Loaded, file: FileId) -> Option<String> {
    let (tables, _) = file_tables(loaded).ok()?;
    tables.iter().find_map(|table| table.path(file))
}
