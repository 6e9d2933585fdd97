//! The end of a queue's turn in bfq: what it is charged, and how large its next budget is.
//!
//! Source: bfq_bfqq_expire, bfq_bfqq_is_slow and __bfq_bfqq_recalc_budget of block/bfq-iosched.c, and
//! bfq_bfqq_charge_time of block/bfq-wf2q.c of Linux 6.18. Leaves out: what serves joining queues.

use super::{Bfq, SEEKER_IDLE, Time};
use petrio_units::numbers::in_proportion;

/// Below this a turn is too short to tell a rate, and below the other to tell one well (bfq_bfqq_is_slow).
const SHORT_TURN: Time = Time::from_millis(1);
const TELLING_TURN: Time = Time::from_millis(20);

/// Why a turn is over (bfqq_expiration).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reason {
    /// Its process was waited for in vain.
    TooIdle,
    /// Its time is over.
    Timeout,
    /// Its budget doesn't suffice for the next request.
    Exhausted,
    /// It has no requests, and its process isn't waited for.
    NoMore,
    /// Another queue goes before.
    Preempted,
}

impl Bfq {
    /// The turn of the queue in service is over (bfq_bfqq_expire). `compensate`: the time that it was waited for
    /// doesn't count.
    pub(super) fn expire(&mut self, compensate: bool, reason: Reason, now: Time) {
        let Some(queue) = self.in_service else { return };
        let (slow, time) = self.speed(queue, if compensate { self.idle_since } else { now });
        let entity = &self.queues[queue].entity;
        let lingers = slow || (reason == Reason::Timeout && entity.left() >= entity.budget / 3);
        if lingers && !self.queues[queue].raise.is_on() {
            self.charge_time(queue, time);
        }
        if self.parameters.low_latency {
            let (empty, idle) = (self.is_empty(queue), self.parameters.slice_idle.time());
            let asks = &mut self.queues[queue];
            asks.raise.turn_is_over(empty, asks.dispatched > 0, idle, now);
        }
        self.sampling.reset();
        self.feed_back(queue, reason);
        self.leave_service(queue, reason, now);
    }

    /// The queue in service makes room for another (__bfq_bfqq_expire).
    pub(super) fn leave_service(&mut self, queue: usize, reason: Reason, now: Time) {
        // A queue that another goes before keeps its place, if shares would not be kept otherwise.
        if self.is_empty(queue) && !(reason == Reason::Preempted && self.idling_keeps_share(queue)) {
            let asks = &mut self.queues[queue];
            if asks.dispatched == 0 {
                asks.budget_timeout = Some(now);
            }
            self.set_busy(queue, false);
            self.fair.deactivate(&mut self.queues, queue);
        } else {
            let weight = self.queues[queue].standing().1;
            self.fair.requeue(&mut self.queues, queue, weight);
        }
        self.in_service = None;
        self.awaits_request = false;
        self.idle_until = None;
        let asks = &mut self.queues[queue];
        if !asks.busy && !matches!(reason, Reason::Timeout | Reason::Exhausted) {
            asks.continues = true;
        } else {
            asks.entity.service = 0;
        }
    }

    /// Whether a queue's process is slow, and for how long its turn has lasted by then (bfq_bfqq_is_slow).
    fn speed(&self, queue: usize, until: Time) -> (bool, Time) {
        let asks = &self.queues[queue];
        let lasted = until - self.turn_began;
        if !asks.synchronous() {
            return (false, Time::ZERO);
        }
        if lasted < SHORT_TURN {
            let least = if self.rotational { self.parameters.slice_idle.time() } else { SEEKER_IDLE };
            return (asks.is_seeky(), least);
        }
        if lasted > TELLING_TURN {
            return (asks.entity.service < self.max_budget / 2, lasted);
        }
        (asks.is_seeky(), lasted)
    }

    /// Charges a queue what a fast one would have got in the time, of which no more than a whole turn counts
    /// (bfq_bfqq_charge_time).
    fn charge_time(&mut self, queue: usize, time: Time) {
        let whole = self.parameters.timeout.time();
        let entity = &mut self.queues[queue].entity;
        let mut total = entity.service;
        if whole > Time::ZERO {
            total = total.max(in_proportion(self.max_budget, time.min(whole).as_picos(), whole.as_picos()));
        }
        entity.budget = entity.budget.max(total);
        let more = total - entity.service;
        self.serve(queue, more);
    }

    /// How large the next budget is (__bfq_bfqq_recalc_budget).
    fn feed_back(&mut self, queue: usize, reason: Reason) {
        let (most, least) = (self.max_budget, self.max_budget / 32);
        let asks = &mut self.queues[queue];
        let budget = asks.max_budget;
        asks.max_budget = match reason {
            _ if !asks.synchronous() => most,
            // Small and always the same, for the latency's sake.
            _ if asks.raise.is_on() => 2 * least,
            Reason::TooIdle if asks.dispatched > 0 => (2 * budget).min(most),
            Reason::TooIdle if budget > 5 * least => budget - 4 * least,
            Reason::TooIdle => least,
            Reason::Timeout => (2 * budget).min(most),
            Reason::Exhausted => (4 * budget).min(most),
            Reason::NoMore => asks.entity.service.max(least),
            Reason::Preempted => return,
        };
        if let Some(next) = asks.next {
            let charge = self.charge(queue, next);
            let asks = &mut self.queues[queue];
            asks.entity.budget = asks.max_budget.max(charge);
        }
    }
}
