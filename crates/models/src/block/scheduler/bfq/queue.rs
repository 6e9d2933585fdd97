//! A queue of bfq: how it stands to the others, and what is known of who fills it.
//!
//! Source: bfq_init_bfqq, bfq_update_io_thinktime, bfq_update_io_seektime, bfq_update_has_short_ttime and
//! bfq_update_io_intensity of block/bfq-iosched.c of Linux 6.18.
//! Leaves out: what serves weight raising, injection and joining queues.

use super::super::processes::PRIORITIES;
use super::fair::Entity;
use super::{FadingMean, Handle, IoClass, Time};

/// A seek beyond this is far (BFQQ_SEEK_THR), in device blocks.
const FAR: u64 = 8 * 100;
/// On a device without arm, requests of this many blocks don't count as seeks however far they are
/// (BFQQ_SECT_THR_NONROT).
const LARGE: u32 = 2 * 32;
/// More far seeks than this among the last 32 make a process a seeker (BFQQ_SEEKY).
const SEEKS: u32 = 19;
/// How far back it is looked whether a process asks all the time.
const OBSERVED: Time = Time::from_millis(200);

/// Whether a way to a request of so many blocks is a seek (BFQ_RQ_SEEKY).
pub(super) fn is_far(way: u64, blocks: u32, rotational: bool) -> bool {
    way > FAR && (rotational || blocks < LARGE)
}

/// A queue (bfq_queue).
#[derive(Clone, Debug)]
pub(super) struct Queue {
    pub(super) entity: Entity,
    /// Class and priority of its process; they count from when it next becomes busy.
    pub(super) urgency: (IoClass, u8),
    pub(super) synchronous: bool,
    /// What is served next.
    pub(super) next: Option<Handle>,
    /// Whether it waits for service or gets it.
    pub(super) busy: bool,
    /// Where its weight is counted.
    pub(super) counted: Option<usize>,
    /// Its requests in the device.
    pub(super) dispatched: u32,
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
    pub(super) fn new(urgency: (IoClass, u8), synchronous: bool, max_budget: u64, now: Time) -> Self {
        Self {
            entity: Entity::new(urgency.0 as usize, Self::weight(urgency.1)),
            urgency,
            synchronous,
            next: None,
            busy: false,
            counted: None,
            dispatched: 0,
            max_budget: 2 * max_budget / 3,
            ended: now,
            short_think: synchronous && urgency.0 != IoClass::Idle,
            io_bound: true,
            continues: false,
            fresh: true,
            looked: false,
            gone: false,
            think: FadingMean::default(),
            seeks: 1,
            end: 0,
            observed_from: now,
            idle: Time::ZERO,
        }
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
        if self.synchronous && self.urgency.0 != IoClass::Idle && idle > Time::ZERO {
            self.short_think = !self.think.is_settled() || self.think.mean() <= idle.as_picos();
        }
        let distance = if self.end == 0 { 0 } else { self.end.abs_diff(address) };
        self.seeks = self.seeks << 1 | u32::from(is_far(distance, blocks, rotational));
        self.end = address + u64::from(blocks);
        if self.synchronous {
            self.observe(alone, now);
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
