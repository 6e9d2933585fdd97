//! Gathers what a report needs from completed requests, one at a time.

use crate::report::error::ReportError;
use crate::report::latency::LatencyHistogram;
use crate::report::series::SeriesCollector;
use crate::report::served::{OperationFailures, OperationFigures, Requests, Served, Share};
use crate::report::sink::RequestSink;
use crate::report::subject::{Reported, Sort, Subject};
use petrio_colours::{BlockRequest, Causes, Failure, MOST_CAUSES};
use petrio_kernel::Time;
use std::collections::BTreeMap;
use std::marker::PhantomData;

/// Collects the request side of a report: counts, latencies, the breakdown of time and the series. Its memory is
/// bounded whatever the number of requests.
#[derive(Clone, Debug)]
pub struct Collector<R = BlockRequest> {
    begin: Time,
    /// By kind; a kind that never comes has none.
    kinds: Vec<Option<Box<Tallied>>>,
    by_cause: [u128; MOST_CAUSES],
    found_nothing: u64,
    /// What could not be done, by kind and reason, and how often.
    failures: BTreeMap<(usize, Failure), u64>,
    series: SeriesCollector,
    colour: PhantomData<fn(R)>,
}

/// The requests of a kind.
#[derive(Clone, Debug, Default)]
struct Tallied {
    latencies: LatencyHistogram,
    bytes: u64,
    from_cache: u64,
}

impl<R: Reported> Collector<R> {
    /// Begins measuring at a point in model time, the end of the warm-up.
    pub fn new(begin: Time) -> Self {
        Self {
            begin,
            kinds: R::KINDS.iter().map(|_| None).collect(),
            by_cause: [0; MOST_CAUSES],
            found_nothing: 0,
            failures: BTreeMap::new(),
            series: SeriesCollector::new(begin),
            colour: PhantomData,
        }
    }

    /// Forgets everything so far and begins anew at `begin`: the warm-up is over.
    pub fn restart(&mut self, begin: Time) {
        *self = Self::new(begin);
    }

    /// Adds a request that completed at `at`.
    #[inline]
    pub fn record(&mut self, request: &R, at: Time) {
        let (issued, bytes) = (request.issued(), request.bytes());
        let kind = self.kinds[request.kind()].get_or_insert_with(Box::default);
        kind.latencies.record(at - issued);
        kind.bytes = kind.bytes.saturating_add(bytes);
        kind.from_cache += u64::from(request.is_from_cache());
        self.found_nothing += u64::from(request.found_nothing());
        for (sum, cause) in self.by_cause.iter_mut().zip(R::Cause::ALL) {
            *sum += u128::from(request.ledger().of(*cause).as_picos());
        }
        self.series.record(issued, at, bytes);
    }

    /// Adds a request that could not be done.
    pub fn record_failure(&mut self, request: &R, failure: Failure) {
        *self.failures.entry((request.kind(), failure)).or_default() += 1;
    }

    /// What was found, the run having ended at `end`; what the workload was, and what it left behind, is for the run to
    /// say.
    pub fn finish(self, end: Time) -> Served {
        let measured_s = (end - self.begin).as_seconds();
        let per_second = |amount: u64| if measured_s > 0.0 { amount as f64 / measured_s } else { 0.0 };
        let mut all = Tallied::default();
        let mut requests = Requests::default();
        for (tallied, kind) in self.kinds.iter().zip(R::KINDS) {
            let Some(tallied) = tallied else { continue };
            let count = tallied.latencies.count();
            match kind.sort {
                Sort::Read => requests.reads += count,
                Sort::Write => requests.writes += count,
                Sort::Flush => requests.flushes += count,
                Sort::Other => requests.others += count,
            }
            all.latencies.merge(&tallied.latencies);
            all.bytes = all.bytes.saturating_add(tallied.bytes);
            all.from_cache += tallied.from_cache;
        }
        requests.completed = all.latencies.count();
        requests.from_cache = all.from_cache;
        let both = requests.reads > 0 && requests.writes > 0;
        let apart = |sort: Sort| {
            let index = R::KINDS.iter().position(|kind| kind.sort == sort).filter(|_| both)?;
            self.kinds[index].as_ref()?.latencies.summary()
        };
        let operations = if R::SUBJECT == Subject::FileOperations {
            let figures = |(tallied, kind): (&Option<Box<Tallied>>, &crate::report::Kind)| {
                let tallied = tallied.as_ref()?;
                let completed = tallied.latencies.count();
                Some(OperationFigures {
                    operation: kind.name.to_owned(),
                    completed,
                    per_s: per_second(completed).into(),
                    bytes: tallied.bytes,
                    from_cache: tallied.from_cache,
                    latency: tallied.latencies.summary()?,
                })
            };
            self.kinds.iter().zip(R::KINDS).filter_map(figures).collect()
        } else {
            Vec::new()
        };
        let failures = self.failures.iter().map(|(&(kind, failure), &failed)| OperationFailures {
            operation: R::KINDS[kind].name.to_owned(),
            failed,
            failure: failure.to_string(),
        });
        let failures = failures.collect();
        requests.found_nothing = self.found_nothing;
        Served {
            subject: R::SUBJECT,
            requests,
            bytes: all.bytes,
            throughput_bytes_per_s: per_second(all.bytes).into(),
            requests_per_s: per_second(requests.completed).into(),
            latency: all.latencies.summary(),
            read_latency: apart(Sort::Read),
            write_latency: apart(Sort::Write),
            operations,
            failures,
            breakdown: self.breakdown(&all.latencies),
            histogram: all.latencies.bins(),
            quantiles: all.latencies.quantiles(),
            series: self.series.finish(end),
            ..Served::default()
        }
    }

    fn breakdown(&self, all: &LatencyHistogram) -> Vec<Share> {
        let completed = all.count().max(1) as f64;
        let response = all.sum_ps();
        let share = |cause: &str, sum: u128| Share {
            cause: cause.to_owned(),
            mean_ms: sum as f64 / 1e9 / completed,
            fraction: sum as f64 / response.max(1) as f64,
        };
        let charged: u128 = self.by_cause.iter().sum();
        let mut shares: Vec<Share> = R::Cause::ALL
            .iter()
            .zip(&self.by_cause)
            .filter(|&(_, &sum)| sum > 0)
            .map(|(cause, &sum)| share(cause.name(), sum))
            .collect();
        // A stage that took time without saying on what is a gap in the model; it is shown rather than hidden.
        if response > charged {
            shares.push(share("not attributed", response - charged));
        }
        shares
    }
}

impl<R: Reported> RequestSink<R> for Collector<R> {
    fn completed(&mut self, request: &R, at: Time) -> Result<(), ReportError> {
        self.record(request, at);
        Ok(())
    }

    fn finish(&mut self) -> Result<(), ReportError> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use petrio_colours::{Cause, Direction, FileCause, FileOp, Operation};

    fn request(direction: Direction, issued_ms: u64, seek_ms: u64) -> BlockRequest {
        let mut request = BlockRequest {
            direction,
            blocks: 8,
            issued: Time::from_millis(issued_ms),
            ..BlockRequest::default()
        };
        request.ledger.charge(Cause::Seek, Time::from_millis(seek_ms));
        request
    }

    #[test]
    fn shares_add_up_to_the_mean_latency_and_gaps_are_named() {
        let mut collector = Collector::new(Time::ZERO);
        collector.record(&request(Direction::Read, 0, 3), Time::from_millis(4));
        collector.record(&request(Direction::Write, 2, 6), Time::from_millis(8));
        let found = collector.finish(Time::from_millis(10));
        assert_eq!(found.latency.unwrap().mean_ms.value, 5.0);
        let causes: Vec<&str> = found.breakdown.iter().map(|share| share.cause.as_str()).collect();
        assert_eq!(causes, ["seek", "not attributed"]);
        assert!((found.breakdown.iter().map(|share| share.fraction).sum::<f64>() - 1.0).abs() < 1e-12);
        assert_eq!(found.requests_per_s.value, 200.0);
        assert_eq!(found.throughput_bytes_per_s.value, 8_192.0 * 100.0);
        assert_eq!(found.read_latency.unwrap().max_ms.value, 4.0);
    }

    #[test]
    fn file_operations_are_told_apart_by_kind() {
        let mut collector = Collector::<FileOp>::new(Time::ZERO);
        for (operation, count, us) in
            [(Operation::Read, 3, 2u64), (Operation::Fsync, 2, 5_000), (Operation::Create, 1, 40)]
        {
            for _ in 0..count {
                let mut op = FileOp { operation, length: 4_096, ..FileOp::default() };
                op.ledger.charge(FileCause::Call, Time::from_micros(us));
                collector.record(&op, Time::from_micros(us));
            }
        }
        let found = collector.finish(Time::from_seconds(2.0));
        let figures: Vec<(&str, u64, f64, f64)> = found
            .operations
            .iter()
            .map(|figures| {
                let (per_s, mean) = (figures.per_s.value, figures.latency.mean_ms.value);
                (figures.operation.as_str(), figures.completed, per_s, mean)
            })
            .collect();
        assert_eq!(figures, [("read", 3, 1.5, 0.002), ("fsync", 2, 1.0, 5.0), ("create", 1, 0.5, 0.04)]);
        assert_eq!((found.requests.reads, found.requests.flushes, found.requests.others), (3, 2, 1));
        assert_eq!(found.bytes, 3 * 4_096, "an fsync moves nothing");
        assert_eq!(found.breakdown[0].cause, "system call");
    }
}
