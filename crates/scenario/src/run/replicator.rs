//! Replications one by one, for studies that pair those of several scenarios.

use crate::build::{Driven, Ports, ProgramPorts, System};
use crate::load::Loaded;
use crate::report::{Report, Sinks};
use crate::run::bottleneck::Figures;
use crate::run::engine::Limits;
use crate::run::execute::{Cut, RunPlan, execute};
use crate::run::{RunFailure, broken_off, cut, limits, report};

/// A scenario of which any replication can be run, in any order and on any thread.
///
/// Random numbers are named by (seed, replication, path, purpose): two scenarios of one seed whose parts have the same names
/// draw the same numbers in replications of the same number.
pub struct Replicator<'l> {
    loaded: &'l Loaded,
    system: System,
    limits: Limits,
    cut: Cut,
}

impl<'l> Replicator<'l> {
    /// Builds the System, and finds out what is cut off as warm-up: the same in every replication.
    ///
    /// # Errors
    /// As of [`run`](crate::run::run).
    pub fn new(loaded: &'l Loaded) -> Result<Self, RunFailure> {
        Self::of(loaded, System::build(loaded)?)
    }

    /// As [`Replicator::new`], with the System built already.
    pub(super) fn of(loaded: &'l Loaded, system: System) -> Result<Self, RunFailure> {
        let limits = limits(&loaded.scenario.measure);
        let cut = match &system.programs {
            Ports::Requests(ports) => cut((loaded, &system, ports), limits)?,
            Ports::Operations(ports) => cut((loaded, &system, ports), limits)?,
        };
        Ok(Self { loaded, system, limits, cut })
    }

    /// Runs the replication of this number, from 0, and reports it.
    ///
    /// # Errors
    /// As of [`run`](crate::run::run).
    pub fn run(&self, replication: u64) -> Result<Report, RunFailure> {
        match &self.system.programs {
            Ports::Requests(ports) => self.run_with(ports, replication),
            Ports::Operations(ports) => self.run_with(ports, replication),
        }
    }

    /// The System.
    pub(super) fn system(&self) -> &System {
        &self.system
    }

    /// Throughput and latency of a replication of at most so many requests, with pages at other speeds; nothing where no request
    /// completes.
    pub(super) fn figures(
        &self,
        replication: u64,
        speeds: &[(&str, f64)],
        most: Option<u64>,
    ) -> Result<Option<Figures>, RunFailure> {
        match &self.system.programs {
            Ports::Requests(ports) => self.figures_with(ports, replication, speeds, most),
            Ports::Operations(ports) => self.figures_with(ports, replication, speeds, most),
        }
    }

    fn figures_with<R: Driven>(
        &self,
        ports: &ProgramPorts<R>,
        replication: u64,
        speeds: &[(&str, f64)],
        most: Option<u64>,
    ) -> Result<Option<Figures>, RunFailure> {
        let requests = self.limits.requests.into_iter().chain(most).min();
        let limits = Limits { requests, ..self.limits };
        let plan = RunPlan { replication, limits, cut: self.cut, speeds };
        let mut nobody = Sinks::default();
        let (outcome, _) = execute(self.loaded, (&self.system, ports), plan, &mut nobody)?;
        let collected = outcome.collected;
        Ok(collected.latency.map(|latency| Figures {
            requests_per_s: collected.requests_per_s,
            mean_ms: latency.mean_ms.value,
        }))
    }

    fn run_with<R: Driven>(&self, ports: &ProgramPorts<R>, replication: u64) -> Result<Report, RunFailure> {
        let plan = RunPlan { replication, limits: self.limits, cut: self.cut, speeds: &[] };
        let mut nobody = Sinks::default();
        let (outcome, programs) = execute(self.loaded, (&self.system, ports), plan, &mut nobody)?;
        let mut report = report(self.loaded, &self.system, outcome, &programs);
        broken_off(&self.loaded.scenario.measure, &mut report);
        Ok(report)
    }
}
