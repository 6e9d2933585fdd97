//! kyber: as many requests in flight as keep reads and writes within their target latencies.
//!
//! Source: block/kyber-iosched.c of Linux 6.18 (this form from 4.20). Reads, writes and discards are three domains; each is served
//! in order of arrival, in batches by turns, and has so many in flight at most. A tenth of a second after a completion
//! latencies are looked at, in a histogram whose buckets are quarters of the target: where the device is slow (a
//! domain's 90th percentile of time in the device above its target), each domain's depth is scaled by its 99th
//! percentile of total time over its target; a domain that is above its target gets more depth in any case. Leaves out:
//! the domain of all else, of which no block request is one; one queue a processor and the limits on
//! how far back merging looks; and that writes nobody waits for get at most three quarters of the scheduler's places
//! (KYBER_ASYNC_PERCENT), because places are given in front of a scheduler.

use super::Scheduler;
use crate::elevator::{Added, Elevator, IoRequest, Next, QueueLimits};
use crate::waiting::{MergeRules, Waiting};
use petrio_colours::{BlockRequest, Direction};
use petrio_kernel::Time;
use petrio_persist::Persist;
use petrio_units::Duration;
use petrio_units::numbers::as_number;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// Parameters of kyber.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct KyberParameters {
    /// The latency that reads should keep (`read_lat_nsec`; 2 ms in kyber-iosched.c).
    pub read_target: Duration,
    /// The latency that writes should keep (`write_lat_nsec`; 10 ms).
    pub write_target: Duration,
    /// Most reads in flight (kyber_depth; 256). At least one is let through.
    pub read_depth: u32,
    /// Most writes in flight (kyber_depth; 128). At least one is let through.
    pub write_depth: u32,
    /// Reads in a batch (kyber_batch_size; 16).
    pub read_batch: u32,
    /// Writes in a batch (kyber_batch_size; 8).
    pub write_batch: u32,
    /// Most discards in flight (kyber_depth; 64). At least one is let through.
    pub discard_depth: u32,
}

impl Default for KyberParameters {
    fn default() -> Self {
        Self {
            read_target: Duration::from(Time::from_millis(2)),
            write_target: Duration::from(Time::from_millis(10)),
            read_depth: 256,
            write_depth: 128,
            read_batch: 16,
            write_batch: 8,
            discard_depth: 64,
        }
    }
}

impl Scheduler for KyberParameters {
    fn elevator(&self, limits: &QueueLimits) -> Box<dyn Elevator> {
        Box::new(Kyber {
            waiting: Waiting::new(MergeRules::new(limits)),
            domains: [
                Domain::new(self.read_target.time(), self.read_depth, self.read_batch),
                Domain::new(self.write_target.time(), self.write_depth, self.write_batch),
                Domain::new(DISCARD_TARGET, self.discard_depth, DISCARD_BATCH),
            ],
            current: 0,
            batching: 0,
            look_at: Time::NEVER,
        })
    }
}

/// The latency that discards should keep, and how many of them are a batch (kyber_latency_targets, kyber_batch_size).
const DISCARD_TARGET: Time = Time::from_whole_seconds(5);
const DISCARD_BATCH: u32 = 1;
/// Domains: of reads, of writes, of discards.
const DOMAINS: usize = 3;

/// The domain of a direction (kyber_sched_domain).
fn domain(direction: Direction) -> u32 {
    match direction {
        Direction::Read => 0,
        // No flush comes to a scheduler.
        Direction::Write | Direction::Flush => 1,
        Direction::Discard => 2,
    }
}

/// Buckets to the target latency (1 << KYBER_LATENCY_SHIFT); there are as many above it.
const GOOD_BUCKETS: usize = 4;
const BUCKETS: usize = 2 * GOOD_BUCKETS;
/// Samples that are enough for a percentile.
const ENOUGH_SAMPLES: u64 = 500;
/// How long fewer samples are collected.
const PATIENCE: Time = Time::from_whole_seconds(1);
/// How long after a completion latencies are looked at (HZ/10).
const WINDOW: Time = Time::from_millis(100);

type Histogram = [u64; BUCKETS];

/// A scheduling domain.
#[derive(Clone, Debug, Persist)]
struct Domain {
    target: Time,
    depth_max: u32,
    batch: u32,
    /// How many may be in flight now.
    depth: u32,
    in_flight: u32,
    /// Requests that have been taken to be dispatched next: nothing is merged with them any longer.
    next: VecDeque<IoRequest>,
    /// Latencies in the device.
    in_device: Histogram,
    /// Latencies from arrival on.
    total: Histogram,
    /// Until when a percentile waits for more samples. Both histograms share it, as they do in the kernel.
    patience: Option<Time>,
    /// The 99th percentile's bucket when there last was one.
    remembered: Option<usize>,
}

impl Domain {
    fn new(target: Time, depth: u32, batch: u32) -> Self {
        let depth = depth.max(1);
        Self {
            target,
            depth_max: depth,
            batch,
            depth,
            in_flight: 0,
            next: VecDeque::new(),
            in_device: [0; BUCKETS],
            total: [0; BUCKETS],
            patience: None,
            remembered: None,
        }
    }

    /// The bucket of a latency.
    fn bucket(&self, latency: Time) -> usize {
        let width = (self.target.as_picos() / GOOD_BUCKETS as u64).max(1);
        let index = latency.as_picos().saturating_sub(1) / width;
        usize::try_from(index).map_or(BUCKETS - 1, |index| index.min(BUCKETS - 1))
    }

    /// The bucket of a percentile, once there are enough samples; the histogram then begins anew.
    fn percentile(
        histogram: &mut Histogram,
        patience: &mut Option<Time>,
        percent: u64,
        at: Time,
    ) -> Option<usize> {
        let samples: u64 = histogram.iter().sum();
        if samples == 0 {
            return None;
        }
        let until = *patience.get_or_insert(at + PATIENCE);
        if samples < ENOUGH_SAMPLES && until > at {
            return None;
        }
        *patience = None;
        let mut rank = (samples * percent).div_ceil(100);
        let found = histogram[..BUCKETS - 1].iter().position(|&count| {
            let here = count >= rank;
            rank = rank.saturating_sub(count);
            here
        });
        *histogram = [0; BUCKETS];
        Some(found.unwrap_or(BUCKETS - 1))
    }

    /// Whether requests take longer in the device than they should.
    fn is_slow(&mut self, at: Time) -> bool {
        let found = Self::percentile(&mut self.in_device, &mut self.patience, 90, at);
        found.is_some_and(|bucket| bucket >= GOOD_BUCKETS)
    }

    /// Changes the depth; `congested` where some domain finds the device slow.
    fn adjust(&mut self, congested: bool, at: Time) {
        let mut bucket = Self::percentile(&mut self.total, &mut self.patience, 99, at);
        if congested {
            // The domains' percentiles come at different times; one found before is good for one adjustment.
            bucket = bucket.or(self.remembered);
            self.remembered = None;
        } else if bucket.is_some() {
            self.remembered = bucket;
        }
        let Some(bucket) = bucket else { return };
        if congested || bucket >= GOOD_BUCKETS {
            let depth = u64::from(self.depth) * (bucket as u64 + 1) / GOOD_BUCKETS as u64;
            self.depth = as_number(depth.clamp(1, u64::from(self.depth_max)));
        }
    }
}

#[derive(Clone, Persist)]
struct Kyber {
    waiting: Waiting,
    domains: [Domain; DOMAINS],
    /// Whose batch it is.
    current: u32,
    /// Requests dispatched in this batch.
    batching: u32,
    /// When latencies are looked at next.
    look_at: Time,
}

impl Kyber {
    /// Does what the timer would have done (kyber_timer_fn).
    fn look(&mut self, now: Time) {
        if now < self.look_at {
            return;
        }
        let at = std::mem::replace(&mut self.look_at, Time::NEVER);
        let slow = self.domains.each_mut().map(|domain| domain.is_slow(at));
        let congested = slow.contains(&true);
        for domain in &mut self.domains {
            domain.adjust(congested, at);
        }
    }

    /// The next request of the current domain, if it may have one more in flight (kyber_dispatch_cur_domain).
    fn of_current(&mut self, now: Time) -> Option<IoRequest> {
        let domain = &mut self.domains[self.current as usize];
        if domain.in_flight >= domain.depth {
            return None;
        }
        if domain.next.is_empty() {
            while let Some(oldest) = self.waiting.oldest(self.current) {
                domain.next.extend(self.waiting.take(oldest, now));
            }
        }
        let mut io = domain.next.pop_front()?;
        io.dispatched = now;
        domain.in_flight += 1;
        self.batching += 1;
        Some(io)
    }
}

impl Elevator for Kyber {
    fn add(&mut self, request: BlockRequest, now: Time) -> Added {
        self.look(now);
        self.waiting.add(domain(request.direction), request, now).added()
    }

    fn would_merge(&self, request: &BlockRequest) -> bool {
        self.waiting.would_merge(domain(request.direction), request)
    }

    fn next(&mut self, now: Time) -> Next {
        self.look(now);
        if self.batching < self.domains[self.current as usize].batch
            && let Some(io) = self.of_current(now)
        {
            return Next::Dispatch(io);
        }
        self.batching = 0;
        for _ in 0..DOMAINS {
            self.current = (self.current + 1) % as_number(DOMAINS);
            if let Some(io) = self.of_current(now) {
                return Next::Dispatch(io);
            }
        }
        Next::Empty
    }

    fn completed(&mut self, request: &IoRequest, now: Time) {
        self.look(now);
        let domain = &mut self.domains[domain(request.direction) as usize];
        domain.in_flight = domain.in_flight.saturating_sub(1);
        let (total, in_device) =
            (domain.bucket(now - request.queued), domain.bucket(now - request.dispatched));
        domain.total[total] += 1;
        domain.in_device[in_device] += 1;
        self.look_at = self.look_at.min(now + WINDOW);
    }

    fn waiting(&self) -> usize {
        self.waiting.len() + self.domains.iter().map(|domain| domain.next.len()).sum::<usize>()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::super::tests::{Order, read, write};
    use super::*;

    fn deep(parameters: &KyberParameters) -> Box<dyn Elevator> {
        parameters.elevator(&QueueLimits { depth: 1_024, ..QueueLimits::default() })
    }

    /// Adds requests and gives out as many as go.
    fn all_that_go(elevator: &mut dyn Elevator, now: Time) -> Vec<IoRequest> {
        std::iter::from_fn(|| match elevator.next(now) {
            Next::Dispatch(io) => Some(io),
            _ => None,
        })
        .collect()
    }

    /// One read at a time is kept waiting `wait` and then served in `service`, `count` times from `start` on; gives the
    /// end.
    fn reads(elevator: &mut dyn Elevator, count: u64, start: Time, service: Time) -> Time {
        let mut now = start;
        for index in 0..count {
            elevator.add(read(index * 1_000), now);
            let Next::Dispatch(io) = elevator.next(now) else { panic!("the read is held back") };
            now += service;
            elevator.completed(&io, now);
        }
        now
    }

    /// How many writes may be in flight.
    fn write_depth(elevator: &dyn Elevator, now: Time) -> usize {
        let mut copy = elevator.clone_box();
        for index in 0..200 {
            copy.add(write(1_000_000 + index * 1_000), now);
        }
        all_that_go(&mut *copy, now).len()
    }

    #[test]
    fn sixteen_reads_go_before_eight_writes() {
        let mut order = Order::new(&KyberParameters::default().into());
        for index in 0..40 {
            order.add(write(100_000 + index * 100), Time::ZERO);
            order.add(read(index * 100), Time::ZERO);
        }
        let runs: Vec<(bool, usize)> = order
            .addresses(Time::ZERO)
            .chunk_by(|a, b| (*a < 100_000) == (*b < 100_000))
            .map(|run| (run[0] < 100_000, run.len()))
            .collect();
        let expected = [(true, 16), (false, 8), (true, 16), (false, 8), (true, 8), (false, 24)];
        assert_eq!(runs, expected);
    }

    #[test]
    fn each_domain_has_its_depth() {
        let parameters = KyberParameters { read_depth: 3, write_depth: 2, ..KyberParameters::default() };
        let mut elevator = deep(&parameters);
        for index in 0..10 {
            elevator.add(read(index * 100), Time::ZERO);
            elevator.add(write(100_000 + index * 100), Time::ZERO);
        }
        let gone = all_that_go(&mut *elevator, Time::ZERO);
        assert_eq!(gone.iter().map(|io| io.address).collect::<Vec<_>>(), [0, 100, 200, 100_000, 100_100]);
        assert_eq!(elevator.next(Time::ZERO), Next::Empty);
        elevator.completed(&gone[3], Time::from_millis(1));
        assert!(matches!(elevator.next(Time::from_millis(1)), Next::Dispatch(io) if io.address == 100_200));
        assert_eq!(elevator.next(Time::from_millis(1)), Next::Empty);
    }

    #[test]
    fn slow_reads_halve_the_depth_of_writes_that_are_fast() {
        let mut elevator = deep(&KyberParameters::default());
        // 600 writes of 5 ms, half of their target, sixteen at a time: bucket 1, of four to the target.
        let mut now = Time::ZERO;
        for batch in 0..600 / 15 {
            for index in 0..15 {
                elevator.add(write((batch * 15 + index) * 1_000), now);
            }
            let gone = all_that_go(&mut *elevator, now);
            assert_eq!(gone.len(), 15);
            now += Time::from_millis(5);
            for io in &gone {
                elevator.completed(io, now);
            }
        }
        assert_eq!(write_depth(&*elevator, now), 128, "nothing is slow yet");
        // 600 reads of 3 ms where 2 ms is the target: bucket 5, which is above it. Writes go down to 2/4 of their
        // depth.
        now = reads(&mut *elevator, 600, now, Time::from_millis(3)) + WINDOW;
        assert_eq!(write_depth(&*elevator, now), 64);
        // The writes' percentile was good for one adjustment; without a new one they stay.
        now = reads(&mut *elevator, 600, now, Time::from_millis(3)) + WINDOW;
        assert_eq!(write_depth(&*elevator, now), 64);
    }

    #[test]
    fn writes_above_their_target_get_their_depth_back() {
        let mut elevator = KyberParameters::default().elevator(&QueueLimits::default());
        // One after the other, so that no more than one is needed; 30 ms is beyond 1.75 times the target: twice the
        // depth.
        let slow = |elevator: &mut dyn Elevator, start: Time, service| {
            let mut now = start;
            for index in 0..600 {
                elevator.add(write(index * 1_000), now);
                let Next::Dispatch(io) = elevator.next(now) else { panic!("the write is held back") };
                now += service;
                elevator.completed(&io, now);
            }
            now
        };
        // First 1 ms writes and slow reads: a quarter of 128.
        let now = slow(&mut *elevator, Time::ZERO, Time::from_millis(1)) + WINDOW;
        let now = reads(&mut *elevator, 600, now, Time::from_millis(3)) + WINDOW;
        assert_eq!(write_depth(&*elevator, now), 32);
        let now = slow(&mut *elevator, now, Time::from_millis(30)) + WINDOW;
        assert_eq!(write_depth(&*elevator, now), 64);
    }

    #[test]
    fn fast_requests_leave_the_depths_alone() {
        let mut elevator = deep(&KyberParameters::default());
        let now = reads(&mut *elevator, 2_000, Time::ZERO, Time::from_millis(1)) + WINDOW;
        assert_eq!(write_depth(&*elevator, now), 128);
    }

    #[test]
    fn a_latency_falls_into_quarters_of_its_target() {
        let domain = Domain::new(Time::from_millis(2), 1, 1);
        let buckets = [0, 1, 500, 501, 2_000, 2_001, 3_500, 3_501, 900_000];
        let buckets = buckets.map(|micros| domain.bucket(Time::from_micros(micros)));
        assert_eq!(buckets, [0, 0, 0, 1, 3, 4, 6, 7, 7]);
    }

    #[test]
    fn what_is_taken_for_dispatch_is_merged_no_longer() {
        let mut elevator = KyberParameters::default().elevator(&QueueLimits::default());
        for address in [0, 100, 200] {
            elevator.add(read(address), Time::ZERO);
        }
        assert!(elevator.would_merge(&read(108)));
        assert!(matches!(elevator.next(Time::ZERO), Next::Dispatch(io) if io.address == 0));
        assert!(!elevator.would_merge(&read(108)));
        assert_eq!(elevator.add(read(108), Time::ZERO), Added::Queued);
        assert_eq!(elevator.waiting(), 3);
    }
}
