//! Gathers what a report needs from completed requests, one at a time.

use crate::by_kind::{ByKind, per_second};
use crate::depths::Depths;
use crate::error::ReportError;
use crate::processes::Processes;
use crate::series::SeriesCollector;
use crate::served::{DeadlineFigures, OperationFailures, Served};
use crate::sink::RequestSink;
use crate::subject::{Reported, Sort, Subject};
use crate::transactions::Transactions;
use crate::waiting::Left;
use petrio_colours::{BlockRequest, Failure};
use petrio_kernel::Time;
use std::collections::BTreeMap;
use std::marker::PhantomData;

/// Collects the request side of a report: counts, latencies, the breakdown of time and the series. Its memory is
/// bounded whatever the number of requests.
#[derive(Clone, Debug)]
pub struct Collector<R = BlockRequest> {
    begin: Time,
    /// The workloads' names.
    names: Vec<String>,
    /// Whether there are others beside these, so that each is told of.
    beside: bool,
    /// What each got.
    workloads: Vec<ByKind>,
    /// How long requests of each may take, and how many that move data have been there and were late.
    deadlines: Vec<(Option<Time>, u64, u64)>,
    transactions: Transactions,
    depths: Depths,
    processes: Processes,
    found_nothing: u64,
    /// What could not be done, by kind and reason, and how often.
    failures: BTreeMap<(usize, Failure), u64>,
    series: SeriesCollector,
    colour: PhantomData<fn(R)>,
}

impl<R: Reported> Collector<R> {
    /// Begins measuring at a point in model time, the end of the warm-up.
    pub fn new(begin: Time) -> Self {
        Self {
            begin,
            names: Vec::new(),
            beside: false,
            workloads: vec![ByKind::default()],
            deadlines: Vec::new(),
            transactions: Transactions::default(),
            depths: Depths::default(),
            processes: Processes::default(),
            found_nothing: 0,
            failures: BTreeMap::new(),
            series: SeriesCollector::new(begin),
            colour: PhantomData,
        }
    }

    /// There are workloads of another sort beside these.
    #[must_use]
    pub fn beside_others(mut self, beside: bool) -> Self {
        self.beside = beside;
        self
    }

    /// Tells several workloads apart, which have these names.
    #[must_use]
    pub fn of_workloads(mut self, names: Vec<String>) -> Self {
        self.workloads.resize_with(names.len().max(1), ByKind::default);
        self.names = names;
        self
    }

    /// Counts what is late, where it is said how long requests of a workload may take.
    #[must_use]
    pub fn with_deadlines(mut self, deadlines: Vec<Option<Time>>) -> Self {
        if deadlines.iter().any(Option::is_some) {
            self.deadlines = deadlines.into_iter().map(|deadline| (deadline, 0, 0)).collect();
        }
        self
    }

    /// Counts transactions, which are ended by a request of these kinds of each workload.
    #[must_use]
    pub fn with_transactions(mut self, ends: Vec<Option<usize>>) -> Self {
        self.transactions = Transactions::of(ends);
        self
    }

    /// Tells the processes of those workloads apart that replay traces; processes with these numbers in the run have others there.
    #[must_use]
    pub fn with_processes(mut self, replays: Vec<bool>, numbers: BTreeMap<u32, u32>) -> Self {
        self.processes = Processes::of(replays, numbers);
        self
    }

    /// Forgets everything so far and begins anew at `begin`: the warm-up is over.
    pub fn restart(&mut self, begin: Time) {
        let names = std::mem::take(&mut self.names);
        let deadlines = self.deadlines.iter().map(|(deadline, ..)| *deadline).collect();
        let beside = self.beside;
        let transactions = std::mem::take(&mut self.transactions).restarted();
        let processes = std::mem::take(&mut self.processes).restarted();
        *self = Self::new(begin).of_workloads(names).with_deadlines(deadlines).beside_others(beside);
        (self.transactions, self.processes) = (transactions, processes);
    }

    /// Adds a request of the only workload that completed at `at`.
    #[inline]
    pub fn record(&mut self, request: &R, at: Time) {
        self.record_of(0, request, at);
    }

    /// Adds a request of a workload, by the number of its name, that completed at `at`.
    #[inline]
    pub fn record_of(&mut self, workload: usize, request: &R, at: Time) {
        let (issued, bytes) = (request.issued(), request.bytes());
        self.workloads[workload].record(request, at);
        self.found_nothing += u64::from(request.found_nothing());
        self.series.record(issued, at, bytes);
        self.transactions.record(workload, request, at);
        self.processes.record(workload, request, at);
        if let Some((Some(deadline), moved, late)) = self.deadlines.get_mut(workload)
            && bytes > 0
        {
            *moved += 1;
            *late += u64::from(at - issued > *deadline);
        }
    }

    /// A process of a workload submits a request with so many in flight.
    #[inline]
    pub fn submits(&mut self, workload: usize, depth: u32) {
        self.depths.record(workload, depth);
    }

    /// Adds a request that could not be done.
    pub fn record_failure(&mut self, request: &R, failure: Failure) {
        *self.failures.entry((request.kind(), failure)).or_default() += 1;
    }

    /// What was found, the run having ended at `end` with nothing under way; what the workload was, and what it left
    /// behind, is for the run to say.
    pub fn finish(self, end: Time) -> Served {
        self.finish_with(end, &Left { now: end, ..Left::default() })
    }

    /// What each workload moved in time.
    fn deadlines(&self, left: &Left) -> Vec<DeadlineFigures> {
        (self.deadlines.iter().enumerate())
            .filter_map(|(row, &(deadline, moved, late))| {
                let (workload, deadline) = (self.names.get(row).cloned().unwrap_or_default(), deadline?);
                // What is under way may still be in time, or be late already.
                let is_late = left.under_way.iter().filter(|request| {
                    request.workload == row && request.moves && left.now - request.issued > deadline
                });
                let late_under_way = is_late.count() as u64;
                Some(DeadlineFigures {
                    workload,
                    deadline_ms: deadline.as_seconds() * 1e3,
                    moved: moved + late_under_way,
                    late: late + late_under_way,
                    late_under_way,
                })
            })
            .collect()
    }

    /// The same of a run in which something is `left`.
    pub fn finish_with(mut self, end: Time, left: &Left) -> Served {
        let measured_s = (end - self.begin).as_seconds();
        for request in left.under_way.iter().filter(|request| !request.closing) {
            self.series.wait(request.issued, end);
        }
        let mut all = ByKind::default();
        self.workloads.iter().for_each(|workload| all.merge(workload));
        let (latencies, bytes) = all.together();
        let mut requests = all.requests::<R>();
        let sorts = [requests.reads, requests.writes, requests.flushes];
        let is_mixed = sorts.into_iter().filter(|&count| count > 0).count() > 1;
        let apart = |sort: Sort| all.latency_of::<R>(sort).filter(|_| is_mixed);
        let operations = match R::SUBJECT {
            Subject::FileOperations => all.operations::<R>((self.begin, measured_s), left, |_| true),
            Subject::BlockRequests => Vec::new(),
        };
        let workloads = match self.workloads.as_slice() {
            [_] if !self.beside => Vec::new(),
            several => (several.iter().zip(&self.names).enumerate())
                .filter_map(|(number, (workload, name))| {
                    workload.workload::<R>((number, name), self.begin, left)
                })
                .collect(),
        };
        let failures = self.failures.iter().map(|(&(kind, failure), &failed)| OperationFailures {
            operation: R::KINDS[kind].name.to_owned(),
            failed,
            failure: failure.to_string(),
        });
        let failures = failures.collect();
        let at_work = |row: usize| {
            let name = self.names.get(row).map_or("", String::as_str);
            self.workloads.get(row)?.workload::<R>((row, name), self.begin, left)
        };
        let transactions = self.transactions.figures::<R>(at_work);
        let processes = self.processes.figures(at_work);
        requests.found_nothing = self.found_nothing;
        Served {
            subject: R::SUBJECT,
            requests,
            bytes,
            throughput_bytes_per_s: per_second(bytes, measured_s).into(),
            requests_per_s: per_second(requests.completed, measured_s).into(),
            latency: latencies.summary(),
            waiting: left.waiting(|_| true),
            read_latency: apart(Sort::Read),
            write_latency: apart(Sort::Write),
            flush_latency: apart(Sort::Flush).filter(|_| R::SUBJECT == Subject::BlockRequests),
            operations,
            workloads,
            failures,
            deadlines: self.deadlines(left),
            transactions,
            depths: self.depths.figures(&self.names),
            processes,
            processes_left_out: self.processes.left_out(),
            breakdown: all.breakdown::<R>(left.ages(self.begin, |_| true)),
            histogram: latencies.bins(),
            kinds: all.histograms::<R>(),
            quantiles: latencies.quantiles(),
            series: self.series.finish(end),
            ..Served::default()
        }
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
    use crate::series::Series;
    use crate::served::Share;
    use crate::waiting::UnderWay;
    use petrio_colours::{Cause, Direction, FileCause, FileOp, Operation, RequestId};

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
    fn each_workload_has_the_rates_of_its_own_span() {
        let mut collector = Collector::new(Time::ZERO).of_workloads(vec!["a".to_owned(), "b".to_owned()]);
        // One is done after a second, the other goes on for ten.
        for number in 0..100u64 {
            collector.record_of(
                0,
                &request(Direction::Read, number * 10, 1),
                Time::from_millis(number * 10 + 10),
            );
            let issued = number * 100;
            collector.record_of(1, &request(Direction::Write, issued, 1), Time::from_millis(issued + 100));
        }
        let found = collector.finish(Time::from_seconds(10.0));
        assert_eq!(found.requests_per_s.value, 20.0);
        let rows: Vec<_> = found.workloads.iter().map(|row| (&*row.workload, row.per_s.value)).collect();
        assert_eq!(rows, [("a", 100.0), ("b", 10.0)]);
        assert_eq!((found.workloads[0].from_s, found.workloads[0].until_s), (0.0, 1.0));
        assert_eq!(found.workloads.iter().map(|row| row.completed).sum::<u64>(), found.requests.completed);
        assert_eq!(found.workloads[1].latency.unwrap().mean_ms.value, 100.0);
    }

    #[test]
    fn what_is_under_way_at_the_end_counts_with_its_age_in_shares_and_over_time() {
        let names = vec!["a".to_owned(), "b".to_owned()];
        let mut collector = Collector::<FileOp>::new(Time::ZERO).of_workloads(names);
        let mut op = FileOp { operation: Operation::Read, length: 4_096, ..FileOp::default() };
        op.ledger.charge(FileCause::Read, Time::from_millis(10));
        collector.record_of(0, &op, Time::from_millis(10));
        let fsync = FileOp::kind(&FileOp { operation: Operation::Fsync, ..FileOp::default() });
        let hangs = |id: u64, issued_ms: u64, closing: bool| UnderWay {
            id: RequestId(id),
            workload: 1,
            kind: fsync,
            moves: false,
            closing,
            issued: Time::from_millis(issued_ms),
        };
        let now = Time::from_millis(100);
        // What closes a workload without counting is none of it.
        let under_way = vec![hangs(1, 70, false), hangs(2, 20, true)];
        let left = Left { under_way, begun: vec![None, Some(Time::ZERO)], goes_on: vec![false, true], now };
        let found = collector.finish_with(now, &left);
        let told = |shares: &[Share]| -> Vec<(String, f64, f64)> {
            shares.iter().map(|share| (share.cause.clone(), share.fraction, share.mean_ms)).collect()
        };
        let own = |cause: &str, fraction, mean_ms| (cause.to_owned(), fraction, mean_ms);
        assert_eq!(told(&found.breakdown), [own("device reads", 0.25, 5.0), own("unfinished", 0.75, 15.0)]);
        let rows: Vec<_> = found.workloads.iter().map(|row| told(&row.breakdown)).collect();
        assert_eq!(rows, [vec![own("device reads", 1.0, 10.0)], vec![own("unfinished", 1.0, 30.0)]]);
        let kinds: Vec<_> = found.operations.iter().map(|kind| told(&kind.breakdown).len()).collect();
        assert_eq!(kinds, [1, 1]);
        // One for 10 ms, and one for 30 until the end.
        let Series { interval_s, intervals, .. } = &found.series;
        let held: f64 = intervals.iter().map(|interval| interval.mean_outstanding).sum::<f64>() * interval_s;
        assert!((held - 0.04).abs() < 1e-3, "{held}");
        let last = found.series.intervals.last().unwrap();
        assert!((last.mean_outstanding - 1.0).abs() < 1e-9, "{last:?}");
        // A short wait beside a long time is worth no word.
        let mut collector = Collector::<FileOp>::new(Time::ZERO);
        op.ledger.charge(FileCause::Read, Time::from_millis(90));
        collector.record(&op, Time::from_millis(100));
        let short =
            Left { under_way: vec![UnderWay { issued: now, ..hangs(1, 0, false) }], now, ..Left::default() };
        assert_eq!(collector.finish_with(now, &short).breakdown.len(), 1);
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
                let (per_s, mean) = (figures.per_s.value, figures.latency.unwrap().mean_ms.value);
                (figures.operation.as_str(), figures.completed, per_s, mean)
            })
            .collect();
        assert_eq!(figures, [("read", 3, 1.5, 0.002), ("fsync", 2, 1.0, 5.0), ("create", 1, 0.5, 0.04)]);
        assert_eq!((found.requests.reads, found.requests.flushes, found.requests.others), (3, 2, 1));
        assert_eq!(found.bytes, 3 * 4_096, "an fsync moves nothing");
        assert_eq!(found.breakdown[0].cause, "system call");
    }
}
