//! What an experiment of the dissertation's cluster gave: each client's rate in each of its runs.

use super::experiments::Experiment;
use crate::verdict::LEVEL;
use petrio_colours::FileOp;
use petrio_kernel::Time;
use petrio_scenario::report::{Estimate, ReportError, RequestSink};
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// What the runs of an experiment gave.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Outcome {
    /// Which.
    pub experiment: Experiment,
    /// Of each run, the rate of each client in order, bytes a second.
    pub bytes_per_s: Vec<Vec<f64>>,
}

impl Outcome {
    /// The mean of something that each run gives.
    fn over_runs(&self, of: impl Fn(&[f64]) -> f64) -> Estimate {
        Estimate::of(self.bytes_per_s.iter().map(|clients| of(clients)), LEVEL)
    }

    /// A client's rate on average, bytes a second.
    pub fn mean(&self) -> Estimate {
        self.over_runs(mean)
    }

    /// The rate of one of the clients, counted from 0, bytes a second.
    pub fn client(&self, number: usize) -> Estimate {
        self.over_runs(|clients| clients.get(number).copied().unwrap_or(f64::NAN))
    }

    /// All clients' rate, bytes a second.
    pub fn aggregate(&self) -> Estimate {
        self.over_runs(|clients| clients.iter().sum())
    }

    /// How far the clients of a run lie apart: the fastest less the slowest, as a part of their mean.
    pub fn spread(&self) -> Estimate {
        self.over_runs(|clients| {
            let most = clients.iter().copied().fold(0.0, f64::max);
            let least = clients.iter().copied().fold(f64::INFINITY, f64::min);
            (most - least) / mean(clients)
        })
    }

    /// A client's rate on average by that of another experiment, run by run: those of the same number have the same seed.
    pub fn over(&self, other: &Self) -> Estimate {
        let pairs = self.bytes_per_s.iter().zip(&other.bytes_per_s);
        Estimate::of(pairs.map(|(own, others)| mean(own) / mean(others)), LEVEL)
    }
}

fn mean(clients: &[f64]) -> f64 {
    Estimate::of(clients.iter().copied(), LEVEL).value
}

/// The outcome of an experiment, where it was run.
pub fn find<'o>(outcomes: &'o [Outcome], experiment: &Experiment) -> Option<&'o Outcome> {
    outcomes.iter().find(|outcome| outcome.experiment == *experiment)
}

/// What each process has moved, and in which time.
#[derive(Clone, Debug)]
pub(super) struct Clients {
    /// Bytes of each that aren't counted, nor their time.
    before: u64,
    told: Arc<Mutex<BTreeMap<u32, Moved>>>,
}

/// What a process has moved.
#[derive(Clone, Copy, Debug, Default)]
struct Moved {
    uncounted: u64,
    bytes: u64,
    since: Time,
    until: Time,
}

impl Clients {
    /// What counts begins with the first call after so many bytes of a process.
    pub(super) fn after(before: u64) -> Self {
        Self { before, told: Arc::default() }
    }

    /// Each one's rate, bytes a second.
    pub(super) fn bytes_per_s(&self) -> Vec<f64> {
        let told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        told.values().map(|moved| moved.bytes as f64 / (moved.until - moved.since).as_seconds()).collect()
    }
}

impl RequestSink<FileOp> for Clients {
    fn completed(&mut self, op: &FileOp, at: Time) -> Result<(), ReportError> {
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        let of = told.entry(op.process).or_default();
        if of.uncounted < self.before {
            (of.uncounted, of.since) = (of.uncounted + op.length, at);
        } else {
            (of.bytes, of.until) = (of.bytes + op.length, at);
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<(), ReportError> {
        Ok(())
    }
}
