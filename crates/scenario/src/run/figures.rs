//! What a run gave in a few numbers, for those who hold many runs against each other.

use crate::report::{Served, Subject, WorkloadFigures};
use crate::run::outcome::Outcome;

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
    /// Whether more comes than is served, so that latencies say how long the run is.
    pub(super) overloaded: bool,
}

impl Figures {
    /// Of a run; nothing where no request completed and no parallel program ran.
    pub(super) fn of(Outcome { report, overloaded }: &Outcome) -> Option<Self> {
        let completed = report.each().any(|served| served.requests.completed > 0);
        let elapsed = report.jobs.iter().map(|job| job.elapsed_s).reduce(f64::max);
        if let Some(elapsed) = elapsed.filter(|elapsed| !completed && *elapsed > 0.0) {
            let subject = report.served.subject;
            let got =
                Got { subject, requests_per_s: 1.0 / elapsed, mean_ms: elapsed * 1e3, overloaded: false };
            return Some(Self { served: [Some(got), None], workloads: Vec::new() });
        }
        let got = |served: &Served, overloaded: bool| {
            let mean_ms = served.latency.as_ref()?.mean_ms.value;
            let (subject, requests_per_s) = (served.subject, served.requests_per_s.value);
            Some(Got { subject, requests_per_s, mean_ms, overloaded })
        };
        let [own, other] = *overloaded;
        let served =
            [got(&report.served, own), report.beside.as_deref().and_then(|beside| got(beside, other))];
        let own = |row: &WorkloadFigures| {
            let mean_ms = row.latency.as_ref()?.mean_ms.value;
            Some(Own { workload: row.workload.clone(), per_s: row.per_s.value, mean_ms })
        };
        let workloads = report.each().flat_map(|served| &served.workloads).filter_map(own).collect();
        served.iter().any(Option::is_some).then_some(Self { served, workloads })
    }

    /// What programs of a sort got.
    pub(super) fn of_subject(&self, subject: Subject) -> Option<Got> {
        self.served.into_iter().flatten().find(|got| got.subject == subject)
    }

    /// Whether more of it comes than is served.
    pub(super) fn overloaded(&self, subject: Subject) -> bool {
        self.of_subject(subject).is_some_and(|got| got.overloaded)
    }
}
