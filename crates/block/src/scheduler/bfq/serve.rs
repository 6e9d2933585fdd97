//! Which queue is served in bfq, and which of its requests.
//!
//! Source: bfq_select_queue, bfq_dispatch_rq_from_bfqq, bfq_remove_request, bfq_set_in_service_queue and
//! bfq_idle_slice_timer_body of block/bfq-iosched.c of Linux 6.18.

use super::queue::{Queue, is_far};
use super::{Bfq, Handle, IDLE_CLASS_TIMEOUT, IoClass, IoRequest, Reason, Time};
use petrio_units::numbers::as_number;

impl Bfq {
    /// Does what the idle timer would have done.
    pub(super) fn look(&mut self, now: Time) {
        let Some(at) = self.idle_until.filter(|&at| now >= at) else { return };
        self.idle_until = None;
        self.awaits_request = false;
        let Some(queue) = self.in_service else { return };
        if self.time_is_over(queue, at) {
            self.expire(true, Reason::Timeout, at);
        } else if self.is_empty(queue) {
            self.expire(true, Reason::TooIdle, at);
        }
    }

    /// Gives the next queue its turn.
    fn begin_turn(&mut self, now: Time) -> Option<usize> {
        let mut first = 0;
        if now > self.idle_class_served + IDLE_CLASS_TIMEOUT {
            self.idle_class_served = now;
            if self.fair.waits(IoClass::Idle as usize) {
                first = IoClass::Idle as usize;
            }
        }
        let queue = (first..3).find_map(|class| self.fair.take(&mut self.queues, class))?;
        let asks = &mut self.queues[queue];
        asks.looked = false;
        asks.raise.begins_turn(asks.budget_timeout, now);
        // A raised weight gives as much longer a turn, but for soft real-time processes (bfq_set_budget_timeout).
        let times = if asks.raise.is_soft() {
            1
        } else {
            (asks.entity.weight() / Queue::weight(asks.urgency.1)).max(1)
        };
        let lasts = self.parameters.timeout.time().as_picos().saturating_mul(times);
        asks.budget_timeout = Some(now + Time::from_picos(lasts));
        self.turn_began = now;
        self.in_service = Some(queue);
        Some(queue)
    }

    /// The queue that is served, and its request.
    pub(super) fn select(&mut self, now: Time) -> Option<(usize, Handle)> {
        if let Some(queue) = self.in_service
            && self.may_time_out(queue, now)
            && !self.must_idle(queue)
        {
            self.expire(false, Reason::Timeout, now);
        }
        loop {
            let queue = match self.in_service {
                Some(queue) => queue,
                None => self.begin_turn(now)?,
            };
            let asks = &self.queues[queue];
            match asks.next {
                Some(next) if self.charge(queue, next) <= asks.entity.left() => {
                    self.awaits_request = false;
                    self.idle_until = None;
                    return Some((queue, next));
                }
                Some(_) => self.expire(false, Reason::Exhausted, now),
                None if self.awaits_request || (asks.dispatched > 0 && self.better_to_idle(queue)) => {
                    return self.inject(queue, now);
                }
                None => self.expire(false, Reason::NoMore, now),
            }
        }
    }

    /// What a queue serves after a request that still waits (bfq_find_next_rq).
    fn following(&mut self, queue: usize, chosen: Handle, now: Time) -> Option<Handle> {
        let asks = &mut self.queues[queue];
        if !std::mem::replace(&mut asks.looked, true) {
            let parameters = &self.parameters;
            let expire =
                if asks.synchronous() { parameters.fifo_expire_sync } else { parameters.fifo_expire_async };
            let oldest = self.waiting.oldest(as_number(queue)).filter(|&oldest| oldest != chosen);
            if let Some(io) = oldest.and_then(|oldest| self.waiting.get(oldest))
                && now >= io.queued + expire.time()
            {
                return oldest;
            }
        }
        let address = self.waiting.get(chosen)?.address;
        self.sweep.after(&self.waiting, address, chosen)
    }

    /// A request goes to the device: what that says of its rate, and so of the budgets.
    fn watch_rate(&mut self, io: &IoRequest, now: Time) {
        let far = |way: u64| is_far(way, io.blocks, self.rotational);
        let known = self.peak_rate.dispatch((io.address, io.blocks), self.in_driver, far, now);
        if known && self.parameters.max_budget.get() == 0 {
            self.max_budget = self.peak_rate.budget(self.parameters.timeout.time()).max(1);
        }
    }

    pub(super) fn dispatch(&mut self, queue: usize, chosen: Handle, now: Time) -> Option<IoRequest> {
        let charge = self.charge(queue, chosen);
        self.serve(queue, charge);
        self.queues[queue].next = self.following(queue, chosen, now);
        let mut io = self.waiting.take(chosen, now)?;
        self.watch_rate(&io, now);
        self.head = io.end();
        self.queues[queue].dispatched += 1;
        io.note = self.note(queue);
        self.in_driver += 1;
        if self.in_service != Some(queue) {
            self.served_in_passing(queue);
            return Some(io);
        }
        self.look_at_raise(queue, now);
        if self.queues[queue].entity.class() == IoClass::Idle as usize && self.busy_queues() > 1 {
            self.expire(false, Reason::Exhausted, now);
        }
        Some(io)
    }

    /// A queue gets service, in device blocks (bfq_bfqq_served).
    pub(super) fn serve(&mut self, queue: usize, blocks: u64) {
        self.queues[queue].raise.serve(blocks);
        self.fair.serve(&mut self.queues, queue, blocks);
    }

    /// A request of a queue was let in in another's turn: it may have been its last.
    fn served_in_passing(&mut self, queue: usize) {
        if !self.is_empty(queue) {
            self.fit_budget(queue);
            return;
        }
        self.set_busy(queue, false);
        self.fair.deactivate(&mut self.queues, queue);
        let entity = &mut self.queues[queue].entity;
        (entity.budget, entity.service) = (0, 0);
    }
}
