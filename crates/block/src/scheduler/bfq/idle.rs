//! When bfq leaves the device idle for a process whose queue has run dry.
//!
//! Source: bfq_asymmetric_scenario, idling_boosts_thr_without_issues, idling_needed_for_service_guarantees,
//! bfq_better_to_idle, bfq_arm_slice_timer and bfq_bfqq_budget_timeout of block/bfq-iosched.c of Linux 6.18.

use super::{Bfq, Duration, IoClass, PRIORITIES, SEEKER_IDLE, Time};

/// How long a process with a raised weight is waited for at least (bfq_arm_slice_timer).
const RAISED_IDLE: Time = Time::from_millis(20);
/// So many requests of others in the device endanger one with a raised weight (idling_needed_for_service_guarantees).
const MANY_OF_OTHERS: u32 = 4;

impl Bfq {
    /// Whether queues should get unequal service, this one more than the least (bfq_asymmetric_scenario). Raised weights
    /// aren't counted here.
    pub(super) fn is_asymmetric(&self, queue: usize) -> bool {
        let mut weights = (0..PRIORITIES).filter(|&weight| self.weights[weight] > 0);
        let least = weights.next();
        let varied = weights.next().is_some() && self.queues[queue].counted != least;
        varied || self.busy.iter().filter(|&&busy| busy > 0).count() > 1
    }

    /// Whether the throughput is higher where the device is left idle for this queue, and none with a raised weight would
    /// suffer from it.
    pub(super) fn idling_boosts(&self, queue: usize) -> bool {
        let asks = &self.queues[queue];
        let sequential = !asks.is_seeky() && asks.io_bound && asks.short_think;
        let (seeks, queues) = (self.rotational, self.queueing);
        let boosts = (seeks && !queues) || ((seeks || !queues) && sequential);
        boosts && self.raised == 0 && !asks.gone
    }

    /// Whether this queue would not get its share if the device were not left idle for it.
    pub(super) fn idling_keeps_share(&self, queue: usize) -> bool {
        let asks = &self.queues[queue];
        let busy = self.busy_queues();
        let in_danger =
            asks.raise.is_on() && (self.raised < busy || self.in_driver >= asks.dispatched + MANY_OF_OTHERS);
        !asks.gone && (in_danger || self.is_asymmetric(queue) || busy == 1)
    }

    /// Whether it is better to leave the device idle than to serve another when this queue runs dry.
    pub(super) fn better_to_idle(&self, queue: usize) -> bool {
        let asks = &self.queues[queue];
        if asks.gone {
            return false;
        }
        if self.parameters.strict_guarantees {
            return true;
        }
        if self.parameters.slice_idle == Duration::ZERO
            || !asks.synchronous()
            || asks.urgency.0 == IoClass::Idle
        {
            return false;
        }
        self.idling_boosts(queue) || self.idling_keeps_share(queue)
    }

    pub(super) fn must_idle(&self, queue: usize) -> bool {
        self.is_empty(queue) && self.better_to_idle(queue)
    }

    /// The device is left idle for the next request of a queue.
    pub(super) fn leave_idle(&mut self, queue: usize, now: Time) {
        let idle = self.parameters.slice_idle.time();
        let asks = &self.queues[queue];
        let idle = if asks.raise.is_on() {
            idle.max(RAISED_IDLE)
        } else if asks.is_seeky() && !self.is_asymmetric(queue) {
            idle.min(SEEKER_IDLE)
        } else {
            idle
        };
        self.awaits_request = true;
        self.idle_since = now;
        self.idle_until = Some(now + idle);
    }

    pub(super) fn time_is_over(&self, queue: usize, now: Time) -> bool {
        self.queues[queue].budget_timeout.is_some_and(|timeout| now >= timeout)
    }

    pub(super) fn may_time_out(&self, queue: usize, now: Time) -> bool {
        let entity = &self.queues[queue].entity;
        (!self.awaits_request || entity.left() >= entity.budget / 3) && self.time_is_over(queue, now)
    }
}
