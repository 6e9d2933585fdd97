//! The processes of a replayed trace, each by the number that it has there.

use crate::by_kind::per_second;
use crate::estimate::Estimate;
use crate::figure::figures;
use crate::latency::{Latency, LatencyHistogram};
use crate::served::WorkloadFigures;
use crate::subject::Reported;
use petrio_files::shown;
use petrio_kernel::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// So many processes are told of one by one, those that come first; of all others, how many they are: what is kept of the latencies of
/// one takes up to 400 KB.
const MOST: usize = 64;

/// What a process of a trace got.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProcessFigures {
    /// The workload that replays the trace.
    pub workload: String,
    /// The number of the process in the trace.
    pub process: u32,
    /// The command that it ran, where the trace has it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub name: Option<String>,
    /// Completed in the measured part of the run.
    pub completed: u64,
    /// Bytes that they moved.
    pub bytes: u64,
    /// Completed per second, over the workload's own span.
    pub per_s: Estimate,
    /// From issue to completion, all kinds; absent when none completed.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub latency: Option<Latency>,
}

figures! { ProcessFigures:
    completed => "completed" One Neither;
    bytes => "bytes" Bytes Neither;
    per_s => "rate" PerSecond Up;
}

impl ProcessFigures {
    /// By which a person knows it: "replay 1234 (postgres)".
    pub(crate) fn words(&self) -> String {
        format!("{} {}", self.workload, self.number())
    }

    /// By which it is known within its workload: "1234 (postgres)".
    pub(crate) fn number(&self) -> String {
        let name = self.name.as_ref().map(|name| format!(" ({})", shown::text(name))).unwrap_or_default();
        format!("{}{name}", self.process)
    }
}

/// Collects them.
#[derive(Clone, Debug, Default)]
pub(super) struct Processes {
    /// By row: whether it replays a trace.
    replays: Vec<bool>,
    /// The numbers in their traces of those that have others in the run.
    numbers: BTreeMap<u32, u32>,
    /// By row and number in the trace.
    each: BTreeMap<(usize, u32), (LatencyHistogram, u64)>,
    /// Those beyond the most.
    more: BTreeSet<(usize, u32)>,
}

impl Processes {
    /// Of workloads of which these replay traces; processes with these numbers in the run have others in their traces.
    pub(super) fn of(replays: Vec<bool>, numbers: BTreeMap<u32, u32>) -> Self {
        Self { replays, numbers, ..Self::default() }
    }

    /// Forgets what has completed: the warm-up is over.
    pub(super) fn restarted(self) -> Self {
        Self::of(self.replays, self.numbers)
    }

    /// A request of a workload completed at `at`.
    #[inline]
    pub(super) fn record<R: Reported>(&mut self, workload: usize, request: &R, at: Time) {
        if !self.replays.get(workload).is_some_and(|replays| *replays) {
            return;
        }
        let number = request.process();
        let key = (workload, self.numbers.get(&number).copied().unwrap_or(number));
        if self.each.len() >= MOST && !self.each.contains_key(&key) {
            self.more.insert(key);
            return;
        }
        let (latencies, bytes) = self.each.entry(key).or_default();
        latencies.record(at - request.issued());
        *bytes = bytes.saturating_add(request.bytes());
    }

    /// How many aren't told of one by one.
    pub(super) fn left_out(&self) -> u64 {
        self.more.len() as u64
    }

    /// What they came to, of traces of several; `row` tells of a workload when it was at work.
    pub(super) fn figures(&self, row: impl Fn(usize) -> Option<WorkloadFigures>) -> Vec<ProcessFigures> {
        let several =
            |workload: usize| self.each.range((workload, 0)..=(workload, u32::MAX)).nth(1).is_some();
        let figures =
            |(&(number, process), (latencies, bytes)): (&(usize, u32), &(LatencyHistogram, u64))| {
                let WorkloadFigures { workload, from_s, until_s, .. } =
                    row(number).filter(|_| several(number))?;
                let completed = latencies.count();
                Some(ProcessFigures {
                    workload,
                    process,
                    name: None,
                    completed,
                    bytes: *bytes,
                    per_s: per_second(completed, until_s - from_s).into(),
                    latency: latencies.summary(),
                })
            };
        self.each.iter().filter_map(figures).collect()
    }
}
