//! What a run gave in a few numbers, for those who hold many runs against each other.

use crate::report::{Served, Subject, WorkloadFigures};
use crate::run::execute::Outcome;

/// Throughput and mean latency of an experiment, of each sort of programs that there is.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Figures {
    pub(super) served: [Option<Got>; 2],
    /// Of each workload, where there are several.
    pub(super) workloads: Vec<Own>,
}

/// What a workload got.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Own {
    pub(super) workload: String,
    pub(super) per_s: f64,
    pub(super) mean_ms: f64,
}

/// Of one sort.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Got {
    pub(super) subject: Subject,
    pub(super) requests_per_s: f64,
    /// The mean latency; of programs that only compute and exchange messages the time until the last one is over.
    pub(super) mean_ms: f64,
}

impl Figures {
    /// Of a run; nothing where no request completed and no parallel program ran.
    pub(super) fn of(outcome: &Outcome) -> Option<Self> {
        let completed = outcome.each().any(|served| served.requests.completed > 0);
        let elapsed = outcome.jobs.iter().map(|job| job.elapsed_s).reduce(f64::max);
        if let Some(elapsed) = elapsed.filter(|elapsed| !completed && *elapsed > 0.0) {
            let subject = outcome.served.subject;
            let got = Got { subject, requests_per_s: 1.0 / elapsed, mean_ms: elapsed * 1e3 };
            return Some(Self { served: [Some(got), None], workloads: Vec::new() });
        }
        let got = |served: &Served| {
            let mean_ms = served.latency.as_ref()?.mean_ms.value;
            Some(Got { subject: served.subject, requests_per_s: served.requests_per_s.value, mean_ms })
        };
        let served = [got(&outcome.served), outcome.beside.as_deref().and_then(got)];
        let own = |row: &WorkloadFigures| {
            let mean_ms = row.latency.as_ref()?.mean_ms.value;
            Some(Own { workload: row.workload.clone(), per_s: row.per_s.value, mean_ms })
        };
        let workloads = outcome.each().flat_map(|served| &served.workloads).filter_map(own).collect();
        served.iter().any(Option::is_some).then_some(Self { served, workloads })
    }
}
