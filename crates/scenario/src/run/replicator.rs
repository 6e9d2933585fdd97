//! Replications one by one, for studies that pair those of several scenarios.

use crate::build::System;
use crate::loaded::Loaded;
use crate::report::{Report, Sinks};
use crate::run::RunFailure;
use crate::run::execute::{Cut, RunPlan, execute};
use crate::run::figures::Figures;
use crate::run::resumed::fitting;
use crate::run::single::{broken_off, cut, limits, report};
use crate::state::SavedRun;
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
    /// Where its replications go on from, where not from the beginning.
    from: Option<&'l SavedRun>,
}

impl<'l> Replicator<'l> {
    /// Builds the System, and finds out what is cut off as warm-up: the same in every replication.
    ///
    /// # Errors
    /// As of [`run`](crate::run::run).
    pub fn new(loaded: &'l Loaded) -> Result<Self, RunFailure> {
        Self::of(loaded, System::build(loaded)?, None)
    }

    /// Of a scenario whose replications go on from a state of its System, or of one that differs from it in speeds alone.
    ///
    /// # Errors
    /// As of [`run_part`](crate::run::run_part).
    pub fn going_on(loaded: &'l Loaded, from: &'l SavedRun) -> Result<Self, RunFailure> {
        Self::of(loaded, fitting(loaded, from, limits(&loaded.scenario.measure).time)?, Some(from))
    }

    /// As [`Replicator::new`] or [`Replicator::going_on`], with the System built already, which the state fits.
    pub(super) fn of(
        loaded: &'l Loaded,
        system: System,
        from: Option<&'l SavedRun>,
    ) -> Result<Self, RunFailure> {
        let limits = limits(&loaded.scenario.measure);
        // What was put aside is warm.
        let cut = if from.is_some() { Cut::None } else { cut(loaded, &system, limits)? };
        Ok(Self { loaded, system, limits, cut, from })
    }

    /// Where its replications go on from.
    pub(super) const fn from(&self) -> Option<&'l SavedRun> {
        self.from
    }

    /// Runs the replication of this number, from 0, and reports it.
    ///
    /// # Errors
    /// As of [`run`](crate::run::run).
    pub fn run(&self, replication: u64) -> Result<Report, RunFailure> {
        let plan = RunPlan { from: self.from, ..RunPlan::of(replication, self.limits, self.cut) };
        let outcome = execute(self.loaded, &self.system, plan, &mut Sinks::default())?;
        let mut report = report(self.loaded, &self.system, outcome);
        broken_off(&self.loaded.scenario.measure, &mut report);
        Ok(report)
    }

    /// Adds to a report of one how sure its figures are, as a run does.
    pub fn tell_how_sure(&self, report: &mut Report) {
        super::model_error::tell(self.loaded, report);
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
        let from = self.from;
        let plan = RunPlan { speeds, most, from, ..RunPlan::of(replication, self.limits, self.cut) };
        let outcome = execute(self.loaded, &self.system, plan, &mut Sinks::default())?;
        Ok(Figures::of(&outcome))
    }
}
