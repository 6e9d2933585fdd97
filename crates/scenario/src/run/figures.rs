//! What a run gave in a few numbers, for those who hold many runs against each other.

use crate::report::{Served, Subject};
use crate::run::execute::Outcome;

/// Throughput and mean latency of an experiment, of each sort of programs that there is.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Figures {
    pub(super) served: [Option<Got>; 2],
}

/// Of one sort.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Got {
    pub(super) subject: Subject,
    pub(super) requests_per_s: f64,
    pub(super) mean_ms: f64,
}

impl Figures {
    /// Of a run; nothing where no request completed.
    pub(super) fn of(outcome: &Outcome) -> Option<Self> {
        let got = |served: &Served| {
            let mean_ms = served.latency.as_ref()?.mean_ms.value;
            Some(Got { subject: served.subject, requests_per_s: served.requests_per_s.value, mean_ms })
        };
        let served = [got(&outcome.served), outcome.beside.as_deref().and_then(got)];
        served.iter().any(Option::is_some).then_some(Self { served })
    }
}
