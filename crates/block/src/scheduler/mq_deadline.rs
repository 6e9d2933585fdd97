//! mq-deadline: deadline for blk-mq, with a level for each I/O class.
//!
//! Source: block/mq-deadline.c of Linux 6.18 (levels from 5.14; positions instead of "next" pointers from 6.3).
//! Real-time requests go before best-effort ones, and these before idle ones, as long as any of the higher level is
//! waiting or in flight; a request of a lower level that has waited for `prio_aging_expire` goes before all. Within a
//! level batches are made as by deadline, except that a direction goes on where it last was. Leaves out: zoned devices,
//! and the limit on writers' share of the tags (`async_depth`).

use super::Scheduler;
use super::deadline::{READ, WRITE, group as of_direction};
use crate::elevator::{Added, Elevator, IoRequest, Next, QueueLimits};
use crate::waiting::{Handle, MergeRules, Waiting};
use petrio_colours::{BlockRequest, Direction, IoClass};
use petrio_kernel::Time;
use petrio_persist::Persist;
use petrio_units::Duration;
use petrio_units::numbers::as_number;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Parameters of mq-deadline.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct MqDeadlineParameters {
    /// How long a read may wait before the next batch begins with it (`read_expire`; HZ/2 in mq-deadline.c).
    pub read_expire: Duration,
    /// How long a write may wait, likewise (`write_expire`; 5·HZ).
    pub write_expire: Duration,
    /// How long requests of a lower I/O class wait behind those of a higher one (`prio_aging_expire`; 10·HZ).
    pub prio_aging_expire: Duration,
    /// How many batches of reads may pass writes that wait (`writes_starved`; 2).
    pub writes_starved: u32,
    /// Requests in a batch (`fifo_batch`; 16).
    pub fifo_batch: u32,
    /// Whether a request is merged at the front of one that begins where it ends (`front_merges`; 1).
    pub front_merges: bool,
}

impl Default for MqDeadlineParameters {
    fn default() -> Self {
        Self {
            read_expire: Duration::from(Time::from_millis(500)),
            write_expire: Duration::from(Time::from_whole_seconds(5)),
            prio_aging_expire: Duration::from(Time::from_whole_seconds(10)),
            writes_starved: 2,
            fifo_batch: 16,
            front_merges: true,
        }
    }
}

impl Scheduler for MqDeadlineParameters {
    fn elevator(&self, limits: &QueueLimits) -> Box<dyn Elevator> {
        let rules = MergeRules { front: self.front_merges, ..MergeRules::new(limits) };
        Box::new(MqDeadline {
            waiting: Waiting::new(rules),
            parameters: self.clone(),
            levels: [Level::default(); LEVELS],
            last: WRITE,
            batching: 0,
            starved: 0,
        })
    }
}

const LEVELS: usize = 3;

/// A level: one I/O class.
#[derive(Clone, Copy, Debug, Default, Persist)]
struct Level {
    /// Requests of the level that are in flight.
    in_flight: u32,
    /// By direction, where the request served last began.
    position: [u64; 2],
}

#[derive(Clone, Persist)]
struct MqDeadline {
    waiting: Waiting,
    #[persist(keep)]
    parameters: MqDeadlineParameters,
    levels: [Level; LEVELS],
    /// The direction of the batch.
    last: u32,
    /// Requests served in this batch.
    batching: u32,
    /// Batches of reads that have passed waiting writes.
    starved: u32,
}

fn level_of(class: IoClass) -> usize {
    match class {
        IoClass::RealTime => 0,
        IoClass::BestEffort => 1,
        IoClass::Idle => 2,
    }
}

fn group(level: usize, direction: u32) -> u32 {
    as_number(level) * 2 + direction
}

fn group_for(class: IoClass, direction: Direction) -> u32 {
    group(level_of(class), of_direction(direction))
}

impl MqDeadline {
    /// Requests of a level, waiting or in flight (dd_queued).
    fn queued(&self, level: usize) -> usize {
        let waiting = |direction| self.waiting.group_len(group(level, direction));
        waiting(READ) + waiting(WRITE) + self.levels[level].in_flight as usize
    }

    fn oldest(&self, level: usize, direction: u32) -> Option<Handle> {
        self.waiting.oldest(group(level, direction))
    }

    /// The next request of a direction at or behind the one served last.
    fn ahead(&self, level: usize, direction: u32) -> Option<Handle> {
        self.waiting.at_or_after(group(level, direction), self.levels[level].position[direction as usize])
    }

    fn queued_at(&self, handle: Handle) -> Time {
        self.waiting.get(handle).map_or(Time::NEVER, |request| request.queued)
    }

    /// A level's next request, if it came no later than `latest` (__dd_dispatch_request).
    fn choose(&mut self, level: usize, latest: Time, now: Time) -> Option<(Handle, u32)> {
        let running = self.ahead(level, self.last).filter(|_| self.batching < self.parameters.fifo_batch);
        let (chosen, direction) = match running {
            Some(next) => (next, self.last),
            None => {
                let direction = self.direction(level)?;
                let oldest = self.oldest(level, direction)?;
                let expire = if direction == READ {
                    self.parameters.read_expire
                } else {
                    self.parameters.write_expire
                };
                let expired = now >= self.queued_at(oldest).saturating_add(expire.time());
                let ahead = self.ahead(level, direction).filter(|_| !expired);
                (self.last, self.batching) = (direction, 0);
                (ahead.unwrap_or(oldest), direction)
            }
        };
        (self.queued_at(chosen) <= latest).then_some((chosen, direction))
    }

    fn direction(&mut self, level: usize) -> Option<u32> {
        let (reads, writes) = (self.oldest(level, READ).is_some(), self.oldest(level, WRITE).is_some());
        if reads {
            let passed = self.starved;
            self.starved += u32::from(writes);
            if !writes || passed < self.parameters.writes_starved {
                return Some(READ);
            }
        } else if !writes {
            return None;
        }
        self.starved = 0;
        Some(WRITE)
    }

    /// A request of a lower level that has waited too long behind a higher one (dd_dispatch_prio_aged_requests).
    fn aged(&mut self, now: Time) -> Option<(usize, Handle, u32)> {
        let levels = (0..LEVELS).filter(|&level| self.queued(level) > 0).count();
        let latest = Time::from_picos(
            now.as_picos().checked_sub(self.parameters.prio_aging_expire.time().as_picos())?,
        );
        if levels < 2 {
            return None;
        }
        (1..LEVELS).find_map(|level| {
            self.choose(level, latest, now).map(|(handle, direction)| (level, handle, direction))
        })
    }

    fn in_order(&mut self, now: Time) -> Option<(usize, Handle, u32)> {
        for level in 0..LEVELS {
            if let Some((handle, direction)) = self.choose(level, now, now) {
                return Some((level, handle, direction));
            }
            if self.queued(level) > 0 {
                return None;
            }
        }
        None
    }
}

impl Elevator for MqDeadline {
    fn add(&mut self, request: BlockRequest, now: Time) -> Added {
        self.waiting.add(group_for(request.class, request.direction), request, now).added()
    }

    fn would_merge(&self, request: &BlockRequest) -> bool {
        self.waiting.would_merge(group_for(request.class, request.direction), request)
    }

    fn next(&mut self, now: Time) -> Next {
        let Some((level, handle, direction)) = self.aged(now).or_else(|| self.in_order(now)) else {
            return Next::Empty;
        };
        let Some(request) = self.waiting.take(handle, now) else { return Next::Empty };
        self.batching += 1;
        self.levels[level].position[direction as usize] = request.address;
        self.levels[level].in_flight += 1;
        Next::Dispatch(request)
    }

    fn completed(&mut self, request: &IoRequest, _: Time) {
        let level = &mut self.levels[level_of(request.class)];
        level.in_flight = level.in_flight.saturating_sub(1);
    }

    fn waiting(&self) -> usize {
        self.waiting.len()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::super::tests::{Order, read, write};
    use super::*;

    fn order(parameters: &MqDeadlineParameters) -> Order {
        Order::new(&parameters.clone().into())
    }

    fn of_class(class: IoClass, mut request: BlockRequest) -> BlockRequest {
        request.class = class;
        request
    }

    #[test]
    fn a_sweep_begins_at_the_last_position_and_wraps_to_the_oldest() {
        let mut order = order(&MqDeadlineParameters::default());
        for address in [500, 900, 100, 700] {
            order.add(read(address), Time::ZERO);
        }
        // The head stands at 0, so the sweep takes them all.
        assert_eq!(order.addresses(Time::ZERO), [100, 500, 700, 900]);
        for address in [950, 20, 10] {
            order.add(read(address), Time::ZERO);
        }
        // From 900 on; then from the oldest of those left; then from there.
        assert_eq!(order.addresses(Time::ZERO), [950, 20, 10]);
    }

    #[test]
    fn a_direction_goes_on_where_it_was() {
        let parameters = MqDeadlineParameters { fifo_batch: 2, ..MqDeadlineParameters::default() };
        let mut order = order(&parameters);
        for address in [10_040, 10_010, 10_030, 10_020] {
            order.add(write(address), Time::ZERO);
        }
        for address in [10, 20, 30, 40, 50, 60] {
            order.add(read(address), Time::ZERO);
        }
        // The direction at the start is that of writes (dd_init_sched); then two batches of reads pass them.
        let expected = [10_010, 10_020, 10, 20, 30, 40, 10_030, 10_040, 50, 60];
        assert_eq!(order.addresses(Time::ZERO), expected);
    }

    #[test]
    fn the_next_batch_begins_with_a_request_that_has_expired() {
        let parameters = MqDeadlineParameters { fifo_batch: 2, ..MqDeadlineParameters::default() };
        for (at, expected) in [(499, [510, 520, 530, 100]), (500, [510, 520, 100, 530])] {
            let mut order = order(&parameters);
            for address in [400, 500] {
                order.add(read(address), Time::ZERO);
            }
            assert_eq!([order.next(Time::ZERO), order.next(Time::ZERO)], [Some(400), Some(500)]);
            for address in [510, 100] {
                order.add(read(address), Time::ZERO);
            }
            for address in [520, 530] {
                order.add(read(address), Time::from_millis(1));
            }
            assert_eq!(order.addresses(Time::from_millis(at)), expected, "after {at} ms");
        }
    }

    #[test]
    fn real_time_goes_before_best_effort_and_idle_goes_last() {
        let mut order = order(&MqDeadlineParameters::default());
        order.add(of_class(IoClass::Idle, read(10)), Time::ZERO);
        order.add(read(20), Time::ZERO);
        order.add(of_class(IoClass::RealTime, write(30)), Time::ZERO);
        assert_eq!(order.addresses(Time::ZERO), [30, 20, 10]);
    }

    #[test]
    fn lower_classes_wait_for_what_is_in_flight() {
        let mut elevator = MqDeadlineParameters::default().elevator(&QueueLimits::default());
        elevator.add(of_class(IoClass::RealTime, read(10)), Time::ZERO);
        elevator.add(read(20), Time::ZERO);
        let Next::Dispatch(first) = elevator.next(Time::ZERO) else { panic!("nothing to do") };
        assert_eq!(first.address, 10);
        assert_eq!(elevator.next(Time::ZERO), Next::Empty);
        elevator.completed(&first, Time::from_millis(5));
        assert!(matches!(elevator.next(Time::from_millis(5)), Next::Dispatch(io) if io.address == 20));
    }

    #[test]
    fn after_ten_seconds_an_idle_request_goes_before_real_time() {
        for (at, first) in [(9_999, 10), (10_000, 20)] {
            let mut order = order(&MqDeadlineParameters::default());
            order.add(of_class(IoClass::Idle, read(20)), Time::ZERO);
            order.add(of_class(IoClass::RealTime, read(10)), Time::from_millis(at));
            assert_eq!(order.next(Time::from_millis(at)), Some(first), "after {at} ms");
        }
    }
}
