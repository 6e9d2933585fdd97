//! Replications one by one, for studies that pair those of several scenarios.

use crate::build::System;
use crate::loaded::Loaded;
use crate::report::{Report, Sinks};
use crate::run::RunFailure;
use crate::run::execute::{Cut, RunPlan, execute};
use crate::run::figures::Figures;
use crate::run::single::{broken_off, cut, limits, report};
use petrio_engine::Limits;

/// A scenario of which any replication can be run, in any order and on any thread.
///
/// Random numbers are named by (seed, replication, path, purpose): two scenarios of one seed whose parts have the same
/// names draw the same numbers in replications of the same number.
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
        let cut = cut(loaded, &system, limits)?;
        Ok(Self { loaded, system, limits, cut })
    }

    /// Runs the replication of this number, from 0, and reports it.
    ///
    /// # Errors
    /// As of [`run`](crate::run::run).
    pub fn run(&self, replication: u64) -> Result<Report, RunFailure> {
        let plan = RunPlan::of(replication, self.limits, self.cut);
        let outcome = execute(self.loaded, &self.system, plan, &mut Sinks::default())?;
        let mut report = report(self.loaded, &self.system, outcome);
        broken_off(&self.loaded.scenario.measure, &mut report);
        Ok(report)
    }

    /// The System.
    pub(super) fn system(&self) -> &System {
        &self.system
    }

    /// Throughput and latency of a replication of at most so many requests, with pages at other speeds; nothing where
    /// no request completes.
    pub(super) fn figures(
        &self,
        replication: u64,
        speeds: &[(&str, f64)],
        most: Option<u64>,
    ) -> Result<Option<Figures>, RunFailure> {
        let requests = self.limits.requests.into_iter().chain(most).min();
        let limits = Limits { requests, ..self.limits };
        let plan = RunPlan { speeds, ..RunPlan::of(replication, limits, self.cut) };
        let outcome = execute(self.loaded, &self.system, plan, &mut Sinks::default())?;
        Ok(Figures::of(&outcome))
    }
}
