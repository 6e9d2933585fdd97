//! Transactions: what a process does from one operation of a kind to the next, as a database's client waits for a commit,
//! which is a write and an fdatasync.

use crate::by_kind::per_second;
use crate::estimate::Estimate;
use crate::figure::figures;
use crate::latency::{Latency, LatencyHistogram};
use crate::served::WorkloadFigures;
use crate::subject::Reported;
use petrio_kernel::Time;
use petrio_page::numbers::{grouped, time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The transactions of a workload.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TransactionFigures {
    /// Its name; of copies, with a star for what differs.
    pub workload: String,
    /// The operation that ends one.
    pub ends_with: String,
    /// Completed in the measured part of the run.
    pub completed: u64,
    /// Completed per second, over the workload's own span.
    pub per_s: Estimate,
    /// From the issue of its process' first operation since the transaction before, to the end of the last; absent when none
    /// completed.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub latency: Option<Latency>,
}

figures! { TransactionFigures:
    completed => "completed" One Neither;
    per_s => "rate" PerSecond Up;
}

impl TransactionFigures {
    /// In a line: `"commits": 196 transactions/s, each until its fdatasync, 1,963 in all; mean 5.10 ms, p50 4.90 ms, …`.
    pub fn sentence(&self) -> String {
        let Self { workload, ends_with, completed, per_s, latency } = self;
        let who = if workload.is_empty() { String::new() } else { format!("\"{workload}\": ") };
        let (per_s, count) = (per_s.scaled(1.0), grouped(*completed));
        let head = format!("{who}{per_s} transactions/s, each until its {ends_with}, {count} in all");
        match latency {
            None => head,
            Some(latency) => format!(
                "{head}; mean {}, p50 {}, p99 {}, max {}",
                time(latency.mean_ms.value),
                time(latency.p50_ms.value),
                time(latency.p99_ms.value),
                time(latency.max_ms.value)
            ),
        }
    }
}

/// Collects them.
#[derive(Clone, Debug, Default)]
pub(super) struct Transactions {
    /// By row: the kind that ends one, and how long they took.
    rows: Vec<(Option<usize>, LatencyHistogram)>,
    /// When those began that are under way, by process.
    begun: BTreeMap<u32, Time>,
}

impl Transactions {
    /// Of workloads whose transactions these kinds end.
    pub(super) fn of(ends: Vec<Option<usize>>) -> Self {
        // Where nobody asks for them, nothing is looked up.
        if ends.iter().all(Option::is_none) {
            return Self::default();
        }
        let rows = ends.into_iter().map(|end| (end, LatencyHistogram::default())).collect();
        Self { rows, begun: BTreeMap::new() }
    }

    /// Forgets those that have ended: the warm-up is over.
    pub(super) fn restarted(mut self) -> Self {
        self.rows.iter_mut().for_each(|(_, latencies)| *latencies = LatencyHistogram::default());
        self
    }

    /// A request of a workload completed at `at`.
    #[inline]
    pub(super) fn record<R: Reported>(&mut self, workload: usize, request: &R, at: Time) {
        let Some((Some(end), latencies)) = self.rows.get_mut(workload) else { return };
        let begun = *self.begun.entry(request.process()).or_insert_with(|| request.issued());
        if request.kind() == *end {
            latencies.record(at - begun);
            self.begun.remove(&request.process());
        }
    }

    /// What they came to; `row` tells of a workload when it was at work.
    pub(super) fn figures<R: Reported>(
        &self,
        row: impl Fn(usize) -> Option<WorkloadFigures>,
    ) -> Vec<TransactionFigures> {
        let figures = |(number, (end, latencies)): (usize, &(Option<usize>, LatencyHistogram))| {
            let kind = R::KINDS.get((*end)?)?;
            let WorkloadFigures { workload, from_s, until_s, .. } = row(number)?;
            let completed = latencies.count();
            Some(TransactionFigures {
                workload,
                ends_with: kind.name.to_owned(),
                completed,
                per_s: per_second(completed, until_s - from_s).into(),
                latency: latencies.summary(),
            })
        };
        self.rows.iter().enumerate().filter_map(figures).collect()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use crate::Collector;
    use petrio_colours::{FileOp, Operation};
    use petrio_kernel::Time;

    #[test]
    fn a_commit_is_a_write_and_its_fdatasync_and_counts_once() {
        let mut collector = Collector::<FileOp>::new(Time::ZERO).of_workloads(vec!["log".to_owned()]);
        collector = collector.with_transactions(vec![Some(Operation::Fdatasync as usize)]);
        // Two processes in turn: each writes for 1 ms, rests for 2, and makes durable for 5; then rests for 2.
        for commit in 0..50u64 {
            for process in 0..2 {
                let begin = 10 * commit + u64::from(process);
                for (operation, from, to) in [(Operation::Write, 0, 1), (Operation::Fdatasync, 3, 8)] {
                    let issued = Time::from_millis(begin + from);
                    let operation = FileOp { operation, process, issued, ..FileOp::default() };
                    collector.record_of(0, &operation, Time::from_millis(begin + to));
                }
            }
        }
        let found = collector.finish(Time::from_millis(499));
        assert_eq!(found.requests.completed, 200);
        let [log] = found.transactions.as_slice() else { panic!("{:?}", found.transactions) };
        assert_eq!((log.workload.as_str(), log.ends_with.as_str(), log.completed), ("log", "fdatasync", 100));
        assert!((log.per_s.value - 100.0 / 0.499).abs() < 1e-9, "{log:?}");
        let latency = log.latency.as_ref().unwrap();
        assert!(
            (latency.mean_ms.value - 8.0).abs() < 1e-9,
            "from the write's beginning, with the rest between"
        );
    }
}
