//! A queue of bfq: how it stands to the others, and what is known of who fills it.
//!
//! Source: bfq_init_bfqq, bfq_update_io_thinktime, bfq_update_io_seektime, bfq_update_has_short_ttime and
//! bfq_update_io_intensity of block/bfq-iosched.c of Linux 6.18.
//! Leaves out: what serves joining queues.

use super::super::processes::PRIORITIES;
use super::fair::Entity;
use super::inject::Injection;
use super::raise::Raise;
use super::{FadingMean, Handle, IoClass, Time};
use petrio_persist::Persist;

/// A seek beyond this is far (BFQQ_SEEK_THR), in device blocks.
const FAR: u64 = 8 * 100;
/// On a device without arm, requests of this many blocks don't count as seeks however far they are
/// (BFQQ_SECT_THR_NONROT).
pub(super) const LARGE: u32 = 2 * 32;
/// More far seeks than this among the last 32 make a process a seeker (BFQQ_SEEKY).
const SEEKS: u32 = 19;
/// How far back it is looked whether a process asks all the time.
const OBSERVED: Time = Time::from_millis(200);

/// Whether a way to a request of so many blocks is a seek (BFQ_RQ_SEEKY).
pub(super) fn is_far(way: u64, blocks: u32, rotational: bool) -> bool {
    way > FAR && (rotational || blocks < LARGE)
}

/// A queue (bfq_queue).
#[derive(Clone, Debug, Persist)]
pub(super) struct Queue {
    pub(super) entity: Entity,
    /// Class and priority of its process; they count from when it next becomes busy.
    pub(super) urgency: (IoClass, u8),
    /// Whose it is; none's, where nobody waits for what is in it.
    pub(super) process: Option<u32>,
    /// What is served next.
    pub(super) next: Option<Handle>,
    /// Whether it waits for service or gets it.
    pub(super) busy: bool,
    /// Where its weight is counted.
    pub(super) counted: Option<usize>,
    /// Its requests in the device, and these with those that wait (allocated).
    pub(super) dispatched: u32,
    pub(super) allocated: u64,
    /// How large its budget is, as far as it isn't limited by what is left of it.
    pub(super) max_budget: u64,
    /// When its last request completed; at first, when it was made.
    pub(super) ended: Time,
    /// Whether its process asks again soon.
    pub(super) short_think: bool,
    /// Whether its process asks all the time.
    pub(super) io_bound: bool,
    /// Whether it ran dry, and will go on with its budget if it gets a request soon.
    pub(super) continues: bool,
    /// Whether it has never been busy.
    pub(super) fresh: bool,
    /// Whether the oldest was looked at in this turn.
    pub(super) looked: bool,
    /// Whether its process has ended.
    pub(super) gone: bool,
    /// When its turn is over at the latest; once it has nothing to do, since when.
    pub(super) budget_timeout: Option<Time>,
    pub(super) raise: Raise,
    pub(super) injection: Injection,
    think: FadingMean,
    /// The last 32 requests: a bit for each that was a far seek.
    seeks: u32,
    /// Where its last request ended.
    end: u64,
    /// Since when it is observed, and how long it had nothing to do.
    observed_from: Time,
    idle: Time,
}

impl Queue {
    /// The weight of a priority above the next (BFQ_WEIGHT_CONVERSION_COEFF).
    pub(super) const WEIGHT_STEP: u64 = 10;

    /// The weight of a priority (bfq_ioprio_to_weight).
    pub(super) fn weight(priority: u8) -> u64 {
        (PRIORITIES as u64 - u64::from(priority)) * Self::WEIGHT_STEP
    }

    /// A queue without requests, and with two thirds of the largest budget.
    pub(super) fn new(urgency: (IoClass, u8), process: Option<u32>, max_budget: u64, now: Time) -> Self {
        Self {
            entity: Entity::new(urgency.0 as usize, Self::weight(urgency.1)),
            urgency,
            process,
            next: None,
            busy: false,
            counted: None,
            dispatched: 0,
            allocated: 0,
            max_budget: 2 * max_budget / 3,
            ended: now,
            short_think: process.is_some() && urgency.0 != IoClass::Idle,
            io_bound: true,
            continues: false,
            fresh: true,
            looked: false,
            gone: false,
            budget_timeout: None,
            raise: Raise::new(now),
            injection: Injection::new(now),
            think: FadingMean::default(),
            seeks: 1,
            end: 0,
            observed_from: now,
            idle: Time::ZERO,
        }
    }

    /// Whether somebody waits for what is in it.
    pub(super) fn synchronous(&self) -> bool {
        self.process.is_some()
    }

    /// Its class, and its weight as it is raised.
    pub(super) fn standing(&self) -> (usize, u64) {
        let (class, priority) = self.urgency;
        (class as usize, Self::weight(priority) * self.raise.coefficient())
    }

    /// Whether it has had nothing to do for longer than this (bfq_bfqq_idle_for_long_time).
    pub(super) fn has_rested_for(&self, time: Time, now: Time) -> bool {
        self.dispatched == 0 && self.budget_timeout.is_none_or(|since| since + time < now)
    }

    /// Whether each of its last 32 requests was a far seek (BFQQ_TOTALLY_SEEKY).
    pub(super) fn always_seeks(&self) -> bool {
        self.seeks == u32::MAX
    }

    /// Whether its process seeks far most of the time.
    pub(super) fn is_seeky(&self) -> bool {
        self.seeks.count_ones() > SEEKS
    }

    /// What a new request says of its process. `alone`: no other of it waits. `idle` is how long it would be waited
    /// for.
    pub(super) fn learn(
        &mut self,
        (address, blocks): (u64, u32),
        alone: bool,
        rotational: bool,
        idle: Time,
        now: Time,
    ) {
        if self.dispatched == 0 && !self.busy {
            let first = self.think.is_empty() && self.fresh;
            // Nothing is known of what a process did before it first asked: that counts as long.
            let think = if first { idle + idle } else { (now - self.ended).min(idle + idle) };
            self.think.add(think.as_picos());
        }
        if self.synchronous() && self.urgency.0 != IoClass::Idle && idle > Time::ZERO {
            self.short_think = !self.think.is_settled() || self.think.mean() <= idle.as_picos() / 2;
        }
        let distance = if self.end == 0 { 0 } else { self.end.abs_diff(address) };
        self.seeks = self.seeks << 1 | u32::from(is_far(distance, blocks, rotational));
        self.end = address + u64::from(blocks);
        if self.synchronous() {
            self.observe(alone, now);
        }
    }

    /// The request that came last is longer than it was.
    pub(super) fn grow(&mut self, end: u64, blocks: u32, rotational: bool) {
        self.end = end;
        // No way is far to a large request on a device without arm.
        if !rotational && blocks >= LARGE {
            self.seeks &= !1;
        }
    }

    /// Whether it has had requests for four fifths of the time (bfq_update_io_intensity).
    fn observe(&mut self, alone: bool, now: Time) {
        if alone && self.dispatched == 0 {
            self.idle += now - self.ended;
        }
        if self.fresh {
            return;
        }
        let observed = now - self.observed_from;
        self.io_bound = self.idle.as_picos().saturating_mul(5) <= observed.as_picos();
        if observed > OBSERVED {
            self.observed_from = now - Time::from_picos(observed.as_picos() / 2);
            self.idle = Time::from_picos(self.idle.as_picos() / 2);
        }
    }
}
