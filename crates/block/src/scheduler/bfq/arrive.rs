//! A request arrives in bfq: what it says of its process, what its queue serves next, and whether the queue in service must
//! make room.
//!
//! Source: __bfq_insert_request, bfq_add_request, bfq_bfqq_handle_idle_busy_switch, bfq_bfqq_update_budg_for_activation and
//! bfq_rq_enqueued of block/bfq-iosched.c of Linux 6.18.

use super::queue::Queue;
use super::{Bfq, Handle, Reason, Time};
use petrio_units::numbers::as_number;

impl Bfq {
    /// A request of its own that waits now.
    pub(super) fn arrive(&mut self, queue: usize, handle: Handle, blocks: (u64, u32), now: Time) {
        let idle = self.parameters.slice_idle.time();
        let alone = self.waiting.group_len(as_number(queue)) == 1;
        let rotational = self.rotational;
        let asks = &mut self.queues[queue];
        let short_before = asks.short_think;
        asks.learn(blocks, alone, rotational, idle, now);
        self.look_at_think_time(queue, short_before, now);
        self.look_at_seeks(queue, now);
        let asks = &self.queues[queue];
        if asks.synchronous() && alone && asks.dispatched == 0 {
            self.first_of_process(queue, now);
        }
        self.look_at_burst(queue, now);
        let before = self.queues[queue].raise;
        let interactive = self.offer(queue, handle, now);
        self.queues[queue].raise.arrived(self.parameters.low_latency, &before, interactive, now);
        if self.in_service == Some(queue) && self.awaits_request {
            self.awaits_request = false;
            self.idle_until = None;
            if self.time_is_over(queue, now) {
                self.expire(false, Reason::Timeout, now);
            }
        }
    }

    /// A request has become longer. What comes at one time is one request to the kernel's scheduler, which gets it when the process
    /// unplugs.
    pub(super) fn grow(&mut self, queue: usize, handle: Handle, now: Time) {
        let Some(io) = self.waiting.get(handle).filter(|io| io.queued == now) else { return };
        self.queues[queue].grow(io.end(), io.blocks, self.rotational);
    }

    /// A request may be what its queue serves next. Whether its process is taken for an interactive one with it.
    pub(super) fn offer(&mut self, queue: usize, handle: Handle, now: Time) -> bool {
        let before = self.queues[queue].next;
        let next = self.sweep.nearer(&self.waiting, self.head, before, Some(handle));
        self.queues[queue].next = next;
        if !self.queues[queue].busy {
            return self.become_busy(queue, now);
        }
        self.raise_what_nobody_waits_for(queue, now);
        if next != before {
            self.fit_budget(queue);
        }
        false
    }

    /// The next request is another: the budget of a queue that waits must suffice for it (bfq_updated_next_req).
    pub(super) fn fit_budget(&mut self, queue: usize) {
        let Some(next) = self.queues[queue].next.filter(|_| self.in_service != Some(queue)) else { return };
        let charge = self.charge(queue, next);
        let asks = &mut self.queues[queue];
        let budget = asks.max_budget.max(charge).max(asks.entity.service);
        if asks.busy && asks.entity.budget != budget {
            asks.entity.budget = budget;
            let weight = asks.standing().1;
            self.fair.requeue(&mut self.queues, queue, weight);
        }
    }

    /// A queue gets its first request (bfq_bfqq_handle_idle_busy_switch). Whether its process is taken for an interactive one.
    fn become_busy(&mut self, queue: usize, now: Time) -> bool {
        let idle = self.parameters.slice_idle.time();
        let charge = self.queues[queue].next.map_or(0, |next| self.charge(queue, next));
        let asks = &mut self.queues[queue];
        let in_time = now <= asks.ended + idle + idle + idle;
        // It goes on with the rest of its budget if it was about to.
        let goes_on = asks.continues && in_time && asks.entity.left() > 0;
        asks.entity.budget =
            if goes_on { asks.entity.left().min(asks.max_budget) } else { asks.max_budget.max(charge) };
        asks.entity.service = 0;
        asks.continues = false;
        let interactive = self.raise_if_deserved(queue, now);
        self.queues[queue].fresh = false;
        let standing = self.queues[queue].standing();
        self.fair.activate(&mut self.queues, queue, goes_on, standing);
        self.set_busy(queue, true);
        let Some(serving) = self.in_service else { return interactive };
        let (new, old) = (&self.queues[queue], &self.queues[serving]);
        let takes_up = goes_on && new.raise.coefficient() >= old.raise.coefficient();
        if takes_up || goes_before(new, old) || !self.better_to_idle(serving) {
            self.expire(false, Reason::Preempted, now);
        }
        interactive
    }
}

/// Whether a queue has a higher class than another, or a higher weight (bfq_bfqq_higher_class_or_weight).
fn goes_before(new: &Queue, old: &Queue) -> bool {
    new.entity.class() < old.entity.class() || new.entity.weight() > old.entity.weight()
}
