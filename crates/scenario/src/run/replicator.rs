//! Replications one by one, for studies that pair those of several scenarios.

use crate::build::{Driven, Ports, ProgramPorts, System};
use crate::load::Loaded;
use crate::report::{Report, Sinks};
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
        let system = System::build(loaded)?;
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

    fn run_with<R: Driven>(&self, ports: &ProgramPorts<R>, replication: u64) -> Result<Report, RunFailure> {
        let plan = RunPlan { replication, limits: self.limits, cut: self.cut, speeds: &[] };
        let mut nobody = Sinks::default();
        let (outcome, programs) = execute(self.loaded, (&self.system, ports), plan, &mut nobody)?;
        let mut report = report(self.loaded, &self.system, outcome, &programs);
        broken_off(&self.loaded.scenario.measure, &mut report);
        Ok(report)
    }
}
