//! Time between calls: from one arrival to the next, and the think time of each process.
//!
//! A process's think time is from the *end* of its call before to the beginning of the next. From beginning to
//! beginning would count the service time twice, once here and once in whatever serves the calls again. Calls of one
//! process that overlap (several threads under one number, or asynchronous requests) have no think time between them;
//! they are counted.
//!
//! Where the trace doesn't know a call's process, it has no think time. Requests to a device are an exception: without
//! processes they count as one initiator's.
//!
//! Memory grows with the number of processes.

use super::distribution::{Distribution, ValueTally};
use super::gaps::Gaps;
use petrio_time::Time;
use serde::Serialize;

#[derive(Debug)]
pub(super) struct InterArrivals {
    gaps: Gaps,
    gaps_ns: ValueTally,
    thinks_ns: ValueTally,
    overlapping: u64,
    without_service: u64,
}

pub(super) fn nanos(time: Time) -> u64 {
    time.as_picos() / 1_000
}

impl InterArrivals {
    pub(super) fn new() -> Self {
        Self {
            gaps: Gaps::default(),
            gaps_ns: ValueTally::new(),
            thinks_ns: ValueTally::new(),
            overlapping: 0,
            without_service: 0,
        }
    }

    /// A call of a process, or of one that isn't known.
    #[inline]
    pub(super) fn add(&mut self, time: Time, service: Option<Time>, process: Option<u32>) {
        self.without_service += u64::from(process.is_some() && service.is_none());
        let gap = self.gaps.next(time, service, process);
        if let Some(since) = gap.inter_arrival {
            self.gaps_ns.add(nanos(since));
        }
        if let Some(think) = gap.think {
            self.thinks_ns.add(nanos(think));
        }
        self.overlapping += u64::from(gap.overlaps);
    }

    pub(super) fn finish(&self) -> InterArrival {
        InterArrival {
            inter_arrival_us: self.gaps_ns.finish(1e3),
            think_us: self.thinks_ns.finish(1e3),
            processes: self.gaps.processes() as u64,
            overlapping: self.overlapping,
            without_service: self.without_service,
        }
    }
}

/// Time between calls.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct InterArrival {
    /// From one call's beginning to the next one's, of any process; microseconds.
    pub inter_arrival_us: Option<Distribution>,
    /// From the end of a process's call to the beginning of its next; microseconds.
    pub think_us: Option<Distribution>,
    /// Processes with think times.
    pub processes: u64,
    /// Calls that began before the process's call before was over; not among the think times.
    pub overlapping: u64,
    /// Calls whose service time the trace doesn't know, so that the think time after them includes it.
    pub without_service: u64,
}

impl InterArrival {
    /// Whether the trace tells service times at all; without them a think time includes the service.
    pub fn tells_service(&self) -> bool {
        let thinks = self.think_us.as_ref().map_or(0, |think| think.count);
        self.without_service < thinks + self.overlapping + self.processes
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn think_is_from_the_end_of_a_process_s_call_to_its_next() {
        let mut calls = InterArrivals::new();
        let micros = Time::from_micros;
        for (time, service, process) in [(0, 30, 1), (10, 100, 2), (50, 10, 1), (65, 5, 1), (130, 1, 2)] {
            calls.add(micros(time), Some(micros(service)), Some(process));
        }
        let found = calls.finish();
        // Process 1 thinks 20 and 5 µs, process 2 20 µs.
        assert!(found.tells_service());
        let think = found.think_us.unwrap();
        assert_eq!((think.count, think.mean, think.least, think.greatest), (3, 15.0, 5.0, 20.0));
        let gaps = found.inter_arrival_us.unwrap();
        assert_eq!((gaps.count, gaps.mean), (4, 32.5));
        assert_eq!((found.processes, found.overlapping, found.without_service), (2, 0, 0));
    }

    #[test]
    fn overlapping_calls_are_counted_and_the_latest_end_counts() {
        let mut calls = InterArrivals::new();
        let micros = Time::from_micros;
        for (time, service) in [(0, 100), (10, 20), (110, 0)] {
            calls.add(micros(time), Some(micros(service)), Some(7));
        }
        let found = calls.finish();
        assert_eq!(found.overlapping, 1);
        assert_eq!(found.think_us.unwrap().mean, 10.0);
    }

    #[test]
    fn an_unknown_process_thinks_nothing() {
        let mut calls = InterArrivals::new();
        calls.add(Time::ZERO, None, None);
        calls.add(Time::from_micros(3), None, None);
        let found = calls.finish();
        assert_eq!((found.think_us, found.processes), (None, 0));
        assert_eq!(found.inter_arrival_us.unwrap().mean, 3.0);
        let mut calls = InterArrivals::new();
        [0, 5].into_iter().for_each(|time| calls.add(Time::from_micros(time), None, Some(1)));
        assert!(!calls.finish().tells_service());
    }
}
