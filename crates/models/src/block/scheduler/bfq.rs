//! bfq: processes share the device's service by weight, each with a budget of blocks at a time.
//!
//! Source: block/bfq-iosched.c and block/bfq-wf2q.c of Linux 6.18; Valente and Avanzini, "Evolution of the BFQ Storage
//! I/O Scheduler", MST 2015. What a process waits for has a queue of its own; what nobody waits for goes to queues
//! shared by priority. Which queue is served is decided in `fair.rs`: the class first, then the weight, ten for each
//! priority above 8. A queue is served until its budget or its time is used up, or it runs dry; but where that is good
//! for throughput, or shares would not be kept without, the device is left idle for its process for a moment. Budgets
//! grow for processes that use them up and shrink for others; who is slow is charged by time. A process that asks again
//! soon after all takes up where it stopped. Within a queue requests are served by sweeps with short ways back, and
//! once a turn the oldest if it has expired.
//!
//! Leaves out what isn't the core: weight raising for interactive and soft real-time processes (`low_latency`), groups,
//! joining queues of processes that work together, injecting others' requests while the device is left idle, several
//! actuators, and the limits on the places in front. How much a turn may be is what the device gives at its best in the
//! time of one, which is learned (`rate.rs`). Whether a device queues by itself is known from its depth, where the
//! kernel finds out.

mod expire;
mod fair;
mod queue;
mod rate;

use super::Scheduler;
use super::processes::{FadingMean, PRIORITIES, Queues, urgency};
use super::sweep::Sweep;
use crate::block::elevator::{Added, Elevator, IoRequest, Next, QueueLimits};
use crate::block::waiting::{Handle, MergeRules, Placed, Waiting};
use expire::Reason;
use fair::{Entities, Entity, Fair};
use petrio_colours::{BlockRequest, IoClass};
use petrio_kernel::Time;
use petrio_units::{Blocks, Duration};
use queue::Queue;
use rate::PeakRate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Parameters of bfq.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct BfqParameters {
    /// The most that a queue is served in a turn (`max_budget`; 0). Zero: 16,384 blocks at first, and then what the device
    /// has been seen to serve at its best in the time of a turn.
    pub max_budget: Blocks,
    /// How long a turn lasts at most (`timeout_sync`; HZ/8).
    pub timeout: Duration,
    /// How long a process' next request is waited for (`slice_idle`; 8 ms). Zero switches idling off.
    pub slice_idle: Duration,
    /// How much more what nobody waits for is charged (bfq_async_charge_factor; 3), unless shares differ.
    pub async_charge_factor: u32,
    /// How long a request that is waited for may wait before it goes before nearer ones (`fifo_expire_sync`; 125 ms).
    pub fifo_expire_sync: Duration,
    /// How long one that nobody waits for may wait, likewise (`fifo_expire_async`; 250 ms).
    pub fifo_expire_async: Duration,
    /// The furthest that the head goes back within a sweep (`back_seek_max`; 16 MiB).
    pub back_seek_max: Blocks,
    /// How much longer a way back counts than the same way forward (`back_seek_penalty`; 2).
    pub back_seek_penalty: u32,
    /// Whether shares are kept at any price: one request at a time, and always idling (`strict_guarantees`; 0).
    pub strict_guarantees: bool,
}

impl Default for BfqParameters {
    fn default() -> Self {
        Self {
            max_budget: Blocks(0),
            timeout: Duration::from(Time::from_millis(125)),
            slice_idle: Duration::from(Time::from_millis(8)),
            async_charge_factor: 3,
            fifo_expire_sync: Duration::from(Time::from_millis(125)),
            fifo_expire_async: Duration::from(Time::from_millis(250)),
            back_seek_max: Blocks(16 << 11),
            back_seek_penalty: 2,
            strict_guarantees: false,
        }
    }
}

impl Scheduler for BfqParameters {
    fn elevator(&self, limits: &QueueLimits) -> Box<dyn Elevator> {
        let rules = MergeRules { synchronous_apart: true, ..MergeRules::new(limits) };
        let max_budget = if self.max_budget.get() == 0 { FIRST_BUDGET } else { self.max_budget.get() };
        Box::new(Bfq {
            waiting: Waiting::new(rules),
            sweep: Sweep {
                back_blocks: self.back_seek_max.get(),
                back_penalty: u64::from(self.back_seek_penalty),
            },
            max_budget,
            peak_rate: (self.max_budget.get() == 0).then(|| PeakRate::new(limits.rotational)),
            parameters: self.clone(),
            rotational: limits.rotational,
            queueing: limits.depth > QUEUEING_DEPTH,
            queues: Queues::new(|class, priority| {
                Queue::new((class, priority), false, max_budget, Time::ZERO)
            }),
            fair: Fair::default(),
            in_service: None,
            turn_began: Time::ZERO,
            awaits_request: false,
            idle_since: Time::ZERO,
            idle_until: None,
            head: 0,
            in_driver: 0,
            busy: [0; 3],
            weights: [0; PRIORITIES],
            idle_class_served: Time::ZERO,
        })
    }
}

/// The budget before a rate is known (bfq_default_max_budget), in blocks.
const FIRST_BUDGET: u64 = 16 << 10;
/// A device that takes more requests than this queues by itself (BFQ_HW_QUEUE_THRESHOLD).
const QUEUEING_DEPTH: u32 = 3;
/// How long a process is waited for that seeks far (BFQ_MIN_TT).
const SEEKER_IDLE: Time = Time::from_millis(2);
/// How long the idle class goes without service at most (BFQ_CL_IDLE_TIMEOUT; HZ/5).
const IDLE_CLASS_TIMEOUT: Time = Time::from_millis(200);
impl Entities for Queues<Queue> {
    fn entity(&mut self, index: usize) -> &mut Entity {
        &mut self[index].entity
    }
}

#[derive(Clone)]
struct Bfq {
    waiting: Waiting,
    sweep: Sweep,
    parameters: BfqParameters,
    max_budget: u64,
    /// The device's rate, where the budget follows it.
    peak_rate: Option<PeakRate>,
    rotational: bool,
    queueing: bool,
    queues: Queues<Queue>,
    fair: Fair,
    /// Whose turn it is, and since when.
    in_service: Option<usize>,
    turn_began: Time,
    /// Whether that queue has run dry and its process is waited for; since when, and until when.
    awaits_request: bool,
    idle_since: Time,
    idle_until: Option<Time>,
    /// Where the last request that was dispatched ended.
    head: u64,
    in_driver: u32,
    /// Busy queues by class.
    busy: [u32; 3],
    /// Queues that are busy or have requests in the device, by weight.
    weights: [u32; PRIORITIES],
    /// When the idle class was last looked after.
    idle_class_served: Time,
}

impl Bfq {
    fn is_empty(&self, queue: usize) -> bool {
        self.waiting.group_len(queue as u32) == 0
    }

    /// Whether queues should get unequal service, this one more than the least (bfq_asymmetric_scenario).
    fn is_asymmetric(&self, queue: usize) -> bool {
        let mut weights = (0..PRIORITIES).filter(|&weight| self.weights[weight] > 0);
        let least = weights.next();
        let varied = weights.next().is_some() && self.queues[queue].counted != least;
        varied || self.busy.iter().filter(|&&busy| busy > 0).count() > 1
    }

    /// What serving a request costs its queue (bfq_serv_to_charge).
    fn charge(&self, queue: usize, handle: Handle) -> u64 {
        let blocks = self.waiting.get(handle).map_or(0, |io| u64::from(io.blocks));
        if self.queues[queue].synchronous || self.is_asymmetric(queue) {
            return blocks;
        }
        blocks * u64::from(self.parameters.async_charge_factor)
    }

    /// Whether it is better to leave the device idle than to serve another when this queue runs dry
    /// (bfq_better_to_idle).
    fn better_to_idle(&self, queue: usize) -> bool {
        let asks = &self.queues[queue];
        if asks.gone {
            return false;
        }
        if self.parameters.strict_guarantees {
            return true;
        }
        if self.parameters.slice_idle == Duration::ZERO
            || !asks.synchronous
            || asks.urgency.0 == IoClass::Idle
        {
            return false;
        }
        let sequential = !asks.is_seeky() && asks.io_bound && asks.short_think;
        let (seeks, queues) = (self.rotational, self.queueing);
        let boosts = (seeks && !queues) || ((seeks || !queues) && sequential);
        boosts || self.is_asymmetric(queue)
    }

    fn must_idle(&self, queue: usize) -> bool {
        self.is_empty(queue) && self.better_to_idle(queue)
    }

    fn time_is_over(&self, now: Time) -> bool {
        now >= self.turn_began + self.parameters.timeout.time()
    }

    fn may_time_out(&self, queue: usize, now: Time) -> bool {
        let entity = &self.queues[queue].entity;
        (!self.awaits_request || entity.left() >= entity.budget / 3) && self.time_is_over(now)
    }

    /// Counts the queue's weight among those that matter, or no longer.
    fn count_weight(&mut self, queue: usize) {
        let queue = &mut self.queues[queue];
        if queue.busy || queue.dispatched > 0 {
            if queue.counted.is_none() {
                let weight = (queue.entity.weight() / Queue::WEIGHT_STEP) as usize - 1;
                self.weights[weight] += 1;
                queue.counted = Some(weight);
            }
        } else if let Some(weight) = queue.counted.take() {
            self.weights[weight] -= 1;
        }
    }

    /// A request may be what its queue serves next.
    fn offer(&mut self, queue: usize, handle: Handle, now: Time) {
        let before = self.queues[queue].next;
        let next = self.sweep.nearer(&self.waiting, self.head, before, Some(handle));
        self.queues[queue].next = next;
        if !self.queues[queue].busy {
            self.become_busy(queue, now);
        } else if next != before {
            self.fit_budget(queue);
        }
    }

    /// The next request is another: the budget of a queue that waits must suffice for it (bfq_updated_next_req).
    fn fit_budget(&mut self, queue: usize) {
        let Some(next) = self.queues[queue].next.filter(|_| self.in_service != Some(queue)) else { return };
        let charge = self.charge(queue, next);
        let asks = &mut self.queues[queue];
        let budget = asks.max_budget.max(charge).max(asks.entity.service);
        if asks.busy && asks.entity.budget != budget {
            asks.entity.budget = budget;
            self.fair.requeue(&mut self.queues, queue);
        }
    }

    /// A queue gets its first request (bfq_bfqq_handle_idle_busy_switch).
    fn become_busy(&mut self, queue: usize, now: Time) {
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
        asks.fresh = false;
        asks.busy = true;
        let (class, priority) = asks.urgency;
        let standing = (class as usize, Queue::weight(priority));
        self.fair.activate(&mut self.queues, queue, goes_on, standing);
        self.busy[standing.0] += 1;
        self.count_weight(queue);
        let Some(serving) = self.in_service else { return };
        let (new, old) = (&self.queues[queue].entity, &self.queues[serving].entity);
        if goes_on || new.class() < old.class() || new.weight() > old.weight() {
            self.expire(false, Reason::Preempted, now);
        }
    }

    /// Does what the idle timer would have done (bfq_idle_slice_timer_body).
    fn look(&mut self, now: Time) {
        let Some(at) = self.idle_until.filter(|&at| now >= at) else { return };
        self.idle_until = None;
        self.awaits_request = false;
        let Some(queue) = self.in_service else { return };
        if self.time_is_over(at) {
            self.expire(true, Reason::Timeout, at);
        } else if self.is_empty(queue) {
            self.expire(true, Reason::TooIdle, at);
        }
    }

    /// Gives the next queue its turn (bfq_set_in_service_queue).
    fn begin_turn(&mut self, now: Time) -> Option<usize> {
        let mut first = 0;
        if now > self.idle_class_served + IDLE_CLASS_TIMEOUT {
            self.idle_class_served = now;
            if self.fair.waits(IoClass::Idle as usize) {
                first = IoClass::Idle as usize;
            }
        }
        let queue = (first..3).find_map(|class| self.fair.take(&mut self.queues, class))?;
        self.queues[queue].looked = false;
        self.turn_began = now;
        self.in_service = Some(queue);
        Some(queue)
    }

    /// The queue that is served, and its request (bfq_select_queue).
    fn select(&mut self, now: Time) -> Option<(usize, Handle)> {
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
                    return None;
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
                if asks.synchronous { parameters.fifo_expire_sync } else { parameters.fifo_expire_async };
            let oldest = self.waiting.oldest(queue as u32).filter(|&oldest| oldest != chosen);
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
        let Some(peak_rate) = &mut self.peak_rate else { return };
        let far = |way: u64| queue::is_far(way, io.blocks, self.rotational);
        if peak_rate.dispatch((io.address, io.blocks), self.in_driver, far, now) {
            self.max_budget = peak_rate.budget(self.parameters.timeout.time()).max(1);
        }
    }

    fn dispatch(&mut self, queue: usize, chosen: Handle, now: Time) -> Option<IoRequest> {
        let charge = self.charge(queue, chosen);
        self.fair.serve(&mut self.queues, queue, charge);
        self.queues[queue].next = self.following(queue, chosen, now);
        let io = self.waiting.take(chosen, now)?;
        self.watch_rate(&io, now);
        self.head = io.end();
        self.queues[queue].dispatched += 1;
        self.in_driver += 1;
        if self.queues[queue].entity.class() == IoClass::Idle as usize && self.busy.iter().sum::<u32>() > 1 {
            self.expire(false, Reason::Exhausted, now);
        }
        Some(io)
    }
}

impl Elevator for Bfq {
    fn add(&mut self, request: BlockRequest, now: Time) -> Added {
        self.look(now);
        let urgency = urgency(request.class, request.priority);
        let max_budget = self.max_budget;
        let queue = self.queues.find_or_make(&request, || Queue::new(urgency, true, max_budget, now));
        let (address, blocks) = (request.address, request.blocks);
        let placed = self.waiting.add(queue as u32, request, now);
        match placed {
            Placed::Queued(handle) => {
                if let Some(io) = self.waiting.get_mut(handle) {
                    io.note = queue as u64;
                }
                let alone = self.waiting.group_len(queue as u32) == 1;
                let idle = self.parameters.slice_idle.time();
                let asks = &mut self.queues[queue];
                asks.urgency = urgency;
                asks.learn((address, blocks), alone, self.rotational, idle, now);
                self.offer(queue, handle, now);
                if self.in_service == Some(queue) && self.awaits_request {
                    self.awaits_request = false;
                    self.idle_until = None;
                    if self.time_is_over(now) {
                        self.expire(false, Reason::Timeout, now);
                    }
                }
            }
            Placed::Front(handle) => self.offer(queue, handle, now),
            Placed::Joined { into, gone } if self.queues[queue].next == Some(gone) => {
                self.queues[queue].next = self.sweep.joined(&self.waiting, self.head, into);
                self.fit_budget(queue);
            }
            Placed::Back(_) | Placed::Joined { .. } => {}
        }
        placed.added()
    }

    fn would_merge(&self, request: &BlockRequest) -> bool {
        let queue = self.queues.find(request);
        queue.is_some_and(|queue| self.waiting.would_merge(queue as u32, request))
    }

    fn next(&mut self, now: Time) -> Next {
        self.look(now);
        if self.parameters.strict_guarantees && self.in_driver > 0 {
            return Next::Empty;
        }
        if let Some((queue, chosen)) = self.select(now) {
            return self.dispatch(queue, chosen, now).map_or(Next::Empty, Next::Dispatch);
        }
        match self.idle_until {
            Some(until) if !self.waiting.is_empty() => Next::IdleUntil(until),
            _ => Next::Empty,
        }
    }

    fn completed(&mut self, request: &IoRequest, now: Time) {
        self.look(now);
        let queue = request.note as usize;
        self.in_driver = self.in_driver.saturating_sub(1);
        if let Some(peak_rate) = &mut self.peak_rate {
            peak_rate.complete(now);
        }
        let asks = &mut self.queues[queue];
        asks.dispatched = asks.dispatched.saturating_sub(1);
        asks.ended = now;
        self.count_weight(queue);
        if self.in_service != Some(queue) {
            return;
        }
        let out_of_requests = self.queues[queue].dispatched == 0;
        if self.must_idle(queue) {
            if out_of_requests {
                let idle = self.parameters.slice_idle.time();
                let briefly = self.queues[queue].is_seeky() && !self.is_asymmetric(queue);
                self.awaits_request = true;
                self.idle_since = now;
                self.idle_until = Some(now + if briefly { idle.min(SEEKER_IDLE) } else { idle });
            }
        } else if self.may_time_out(queue, now) {
            self.expire(false, Reason::Timeout, now);
        } else if self.is_empty(queue) {
            // Not better to idle, or else it would have to.
            self.expire(false, Reason::NoMore, now);
        }
    }

    /// The turn of a process that has ended is over, and it isn't charged (bfq_exit_bfqq).
    fn exited(&mut self, process: u32, now: Time) {
        self.look(now);
        let Some(queue) = self.queues.of_process(process) else { return };
        self.queues[queue].gone = true;
        if self.in_service == Some(queue) {
            self.leave_service(queue, Reason::Timeout);
        }
    }

    fn waiting(&self) -> usize {
        self.waiting.len()
    }

    fn clone_box(&self) -> Box<dyn Elevator> {
        Box::new(self.clone())
    }
}

#[cfg(test)]
mod tests;
