//! deadline: sweeps in batches of one direction, reads first, and a time by which each request is served.
//!
//! Source: block/deadline-iosched.c of Linux 2.6.24 to 4.20 (batches as fixed in 2.6.24). A batch continues in order of
//! address from the request served last; where nothing lies ahead, or the oldest request of the direction has expired,
//! the next batch begins at the oldest. Expiry is looked at between batches only, so deadlines are soft. Leaves out:
//! times are exact here, where the kernel counts them in timer ticks.

use super::Scheduler;
use crate::elevator::{Added, Elevator, IoRequest, Next, QueueLimits};
use crate::waiting::{Handle, MergeRules, Placed, Waiting};
use petrio_colours::{BlockRequest, Direction};
use petrio_kernel::Time;
use petrio_persist::Persist;
use petrio_units::Duration;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Parameters of deadline.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct DeadlineParameters {
    /// How long a read may wait before the next batch begins with it (`read_expire`; HZ/2 in deadline-iosched.c).
    pub read_expire: Duration,
    /// How long a write may wait, likewise (`write_expire`; 5·HZ).
    pub write_expire: Duration,
    /// How many batches of reads may pass writes that wait (`writes_starved`; 2).
    pub writes_starved: u32,
    /// Requests in a batch (`fifo_batch`; 16).
    pub fifo_batch: u32,
    /// Whether a request is merged at the front of one that begins where it ends (`front_merges`; 1).
    pub front_merges: bool,
}

impl Default for DeadlineParameters {
    fn default() -> Self {
        Self {
            read_expire: Duration::from(Time::from_millis(500)),
            write_expire: Duration::from(Time::from_whole_seconds(5)),
            writes_starved: 2,
            fifo_batch: 16,
            front_merges: true,
        }
    }
}

impl Scheduler for DeadlineParameters {
    fn elevator(&self, limits: &QueueLimits) -> Box<dyn Elevator> {
        let rules = MergeRules { front: self.front_merges, ..MergeRules::new(limits) };
        Box::new(Deadline {
            waiting: Waiting::new(rules),
            expire: [self.read_expire.time(), self.write_expire.time()],
            writes_starved: self.writes_starved,
            fifo_batch: self.fifo_batch,
            next: [None; 2],
            batching: 0,
            starved: 0,
        })
    }
}

/// The group of reads.
pub(super) const READ: u32 = 0;
/// The group of writes.
pub(super) const WRITE: u32 = 1;

/// The group of a direction: all that isn't read is of the writes (`rq_data_dir`).
pub(super) fn group(direction: Direction) -> u32 {
    if direction == Direction::Read { READ } else { WRITE }
}

#[derive(Clone, Persist)]
struct Deadline {
    waiting: Waiting,
    expire: [Time; 2],
    writes_starved: u32,
    fifo_batch: u32,
    /// By direction, the request behind the one served last in order of address.
    next: [Option<Handle>; 2],
    /// Requests served in this batch.
    batching: u32,
    /// Batches of reads that have passed waiting writes.
    starved: u32,
}

impl Deadline {
    fn has(&self, direction: u32) -> bool {
        self.waiting.oldest(direction).is_some()
    }

    /// The request of the running batch, if it may go on.
    fn continued(&self) -> Option<Handle> {
        let next = self.next[WRITE as usize].or(self.next[READ as usize]);
        next.filter(|_| self.batching < self.fifo_batch)
    }

    /// The first request of a new batch.
    fn begin(&mut self, now: Time) -> Option<Handle> {
        let direction = if self.has(READ) { self.reads_or_starved_writes() } else { WRITE };
        if direction == WRITE {
            self.starved = 0;
        }
        let oldest = self.waiting.oldest(direction)?;
        self.batching = 0;
        let ahead = self.next[direction as usize];
        Some(ahead.filter(|_| !self.expired(oldest, direction, now)).unwrap_or(oldest))
    }

    fn reads_or_starved_writes(&mut self) -> u32 {
        if !self.has(WRITE) {
            return READ;
        }
        let passed = self.starved;
        self.starved += 1;
        if passed >= self.writes_starved { WRITE } else { READ }
    }

    fn expired(&self, handle: Handle, direction: u32, now: Time) -> bool {
        let queued = self.waiting.get(handle).map_or(Time::NEVER, |request| request.queued);
        now >= queued.saturating_add(self.expire[direction as usize])
    }
}

impl Elevator for Deadline {
    fn add(&mut self, request: BlockRequest, now: Time) -> Added {
        let group = group(request.direction);
        let placed = self.waiting.add(group, request, now);
        if let Placed::Joined { into, gone } = placed
            && self.next[group as usize] == Some(gone)
        {
            self.next[group as usize] = self.waiting.after(into);
        }
        placed.added()
    }

    fn would_merge(&self, request: &BlockRequest) -> bool {
        self.waiting.would_merge(group(request.direction), request)
    }

    fn next(&mut self, now: Time) -> Next {
        let chosen = self.continued().or_else(|| self.begin(now));
        let Some(chosen) = chosen else { return Next::Empty };
        self.batching += 1;
        let direction = self.waiting.group(chosen) as usize;
        self.next = [None; 2];
        self.next[direction] = self.waiting.after(chosen);
        self.waiting.take(chosen, now).map_or(Next::Empty, Next::Dispatch)
    }

    fn completed(&mut self, _: &IoRequest, _: Time) {}

    fn waiting(&self) -> usize {
        self.waiting.len()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::super::tests::{Order, read, write};
    use super::*;

    fn order(parameters: &DeadlineParameters) -> Order {
        Order::new(&parameters.clone().into())
    }

    #[test]
    fn a_batch_sweeps_upward_from_the_oldest() {
        let mut order = order(&DeadlineParameters::default());
        for address in [500, 900, 100, 700] {
            order.add(read(address), Time::ZERO);
        }
        // From the oldest (500) upward; then what is left begins at the oldest again.
        assert_eq!(order.addresses(Time::ZERO), [500, 700, 900, 100]);
    }

    #[test]
    fn writes_wait_for_two_batches_of_reads() {
        let parameters = DeadlineParameters { fifo_batch: 2, ..DeadlineParameters::default() };
        let mut order = order(&parameters);
        for address in [10_010, 10_020, 10_030, 10_040] {
            order.add(write(address), Time::ZERO);
        }
        for address in [10, 20, 30, 40, 50, 60] {
            order.add(read(address), Time::ZERO);
        }
        // Two batches of two reads pass the writes, then a batch of writes, and so on.
        let expected = [10, 20, 30, 40, 10_010, 10_020, 50, 60, 10_030, 10_040];
        assert_eq!(order.addresses(Time::ZERO), expected);
    }

    #[test]
    fn the_next_batch_begins_with_a_request_that_has_expired() {
        let parameters = DeadlineParameters { fifo_batch: 2, ..DeadlineParameters::default() };
        for (at, expected) in [(499, [500, 510, 520, 530, 100]), (500, [500, 510, 100, 520, 530])] {
            let mut order = order(&parameters);
            order.add(read(500), Time::ZERO);
            order.add(read(100), Time::ZERO);
            for address in [510, 520, 530] {
                order.add(read(address), Time::from_millis(1));
            }
            assert_eq!(order.addresses(Time::from_millis(at)), expected, "after {at} ms");
        }
    }

    #[test]
    fn a_running_batch_of_writes_goes_on_when_a_read_comes() {
        let mut order = order(&DeadlineParameters::default());
        for address in [10, 20, 30] {
            order.add(write(address), Time::ZERO);
        }
        assert_eq!(order.next(Time::ZERO), Some(10));
        order.add(read(500), Time::ZERO);
        assert_eq!(order.addresses(Time::ZERO), [20, 30, 500]);
    }

    #[test]
    fn joining_the_next_request_of_a_batch_does_not_end_it() {
        let mut order = order(&DeadlineParameters::default());
        for address in [0, 16, 32, 100] {
            order.add(read(address), Time::ZERO);
        }
        assert_eq!(order.next(Time::ZERO), Some(0));
        // 16..24, 24..32 and 32..40 become one, which is still what comes next.
        order.add(read(24), Time::ZERO);
        assert_eq!(order.addresses(Time::ZERO), [16, 100]);
    }
}
