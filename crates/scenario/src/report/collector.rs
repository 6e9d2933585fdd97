//! Gathers what a report needs from completed requests, one at a time.

use crate::report::error::ReportError;
use crate::report::latency::{Bin, Latency, LatencyHistogram, Quantile};
use crate::report::series::{Series, SeriesCollector};
use crate::report::sink::RequestSink;
use crate::report::summary::{Requests, Share};
use petrio_colours::{BlockRequest, Cause, Direction, Status};
use petrio_kernel::Time;

/// Collects the request side of a report: counts, latencies, the breakdown of time and the series. Its memory is
/// bounded whatever the number of requests.
#[derive(Clone, Debug)]
pub struct Collector {
    begin: Time,
    requests: Requests,
    bytes: u64,
    all: LatencyHistogram,
    reads: LatencyHistogram,
    writes: LatencyHistogram,
    by_cause: [u128; Cause::ALL.len()],
    response: u128,
    series: SeriesCollector,
}

/// What a [`Collector`] found.
#[derive(Clone, Debug)]
pub struct Collected {
    /// How many requests; those in flight are for the run to say.
    pub requests: Requests,
    /// Bytes moved.
    pub bytes: u64,
    /// Bytes per second of the measured part.
    pub throughput_bytes_per_s: f64,
    /// Requests per second of the measured part.
    pub requests_per_s: f64,
    /// All latencies.
    pub latency: Option<Latency>,
    /// Latencies of reads, where there were also writes.
    pub read_latency: Option<Latency>,
    /// Latencies of writes, where there were also reads.
    pub write_latency: Option<Latency>,
    /// Where the time of the average request went.
    pub breakdown: Vec<Share>,
    /// Throughput and queue over time.
    pub series: Series,
    /// The latency histogram.
    pub histogram: Vec<Bin>,
    /// The distribution function.
    pub quantiles: Vec<Quantile>,
}

impl Collector {
    /// Begins measuring at a point in model time, the end of the warm-up.
    pub fn new(begin: Time) -> Self {
        Self {
            begin,
            requests: Requests::default(),
            bytes: 0,
            all: LatencyHistogram::default(),
            reads: LatencyHistogram::default(),
            writes: LatencyHistogram::default(),
            by_cause: [0; Cause::ALL.len()],
            response: 0,
            series: SeriesCollector::new(begin),
        }
    }

    /// Forgets everything so far and begins anew at `begin`: the warm-up is over.
    pub fn restart(&mut self, begin: Time) {
        *self = Self::new(begin);
    }

    /// Requests counted so far.
    pub fn completed(&self) -> u64 {
        self.requests.completed
    }

    /// Adds a request that completed at `at`.
    pub fn record(&mut self, request: &BlockRequest, at: Time) {
        let latency = at - request.issued;
        self.requests.completed += 1;
        self.requests.from_cache += u64::from(request.status == Status::DoneFromCache);
        self.bytes = self.bytes.saturating_add(request.bytes());
        self.all.record(latency);
        match request.direction {
            Direction::Read => {
                self.requests.reads += 1;
                self.reads.record(latency);
            }
            Direction::Write => {
                self.requests.writes += 1;
                self.writes.record(latency);
            }
            Direction::Flush => self.requests.flushes += 1,
        }
        for (sum, cause) in self.by_cause.iter_mut().zip(Cause::ALL) {
            *sum += u128::from(request.ledger.of(cause).as_picos());
        }
        self.response += u128::from(latency.as_picos());
        self.series.record(request.issued, at, request.bytes());
    }

    /// What was found, the run having ended at `end`.
    pub fn finish(self, end: Time) -> Collected {
        let measured_s = (end - self.begin).as_seconds();
        let per_second = |amount: u64| if measured_s > 0.0 { amount as f64 / measured_s } else { 0.0 };
        let both = self.reads.count() > 0 && self.writes.count() > 0;
        let apart = |histogram: &LatencyHistogram| if both { histogram.summary() } else { None };
        Collected {
            requests: self.requests,
            bytes: self.bytes,
            throughput_bytes_per_s: per_second(self.bytes),
            requests_per_s: per_second(self.requests.completed),
            latency: self.all.summary(),
            read_latency: apart(&self.reads),
            write_latency: apart(&self.writes),
            breakdown: self.breakdown(),
            histogram: self.all.bins(),
            quantiles: self.all.quantiles(),
            series: self.series.finish(end),
        }
    }

    fn breakdown(&self) -> Vec<Share> {
        let completed = self.requests.completed.max(1) as f64;
        let response = self.response.max(1) as f64;
        let share = |cause: &str, sum: u128| Share {
            cause: cause.to_owned(),
            mean_ms: sum as f64 / 1e9 / completed,
            fraction: sum as f64 / response,
        };
        let charged: u128 = self.by_cause.iter().sum();
        let mut shares: Vec<Share> = Cause::ALL
            .iter()
            .zip(&self.by_cause)
            .filter(|&(_, &sum)| sum > 0)
            .map(|(cause, &sum)| share(cause.name(), sum))
            .collect();
        // A stage that took time without saying on what is a gap in the model; it is shown rather than hidden.
        if self.response > charged {
            shares.push(share("not attributed", self.response - charged));
        }
        shares
    }
}

impl RequestSink for Collector {
    fn completed(&mut self, request: &BlockRequest, at: Time) -> Result<(), ReportError> {
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
        assert_eq!(found.requests_per_s, 200.0);
        assert_eq!(found.throughput_bytes_per_s, 8_192.0 * 100.0);
        assert_eq!(found.read_latency.unwrap().max_ms.value, 4.0);
    }
}
