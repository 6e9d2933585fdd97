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
//! A process that has asked for nothing for two seconds is taken for an interactive one when it asks again, and one that asks
//! little and in order for a soft real-time one: their weights are raised for a while (`raise.rs`), unless many begin at once
//! (`burst.rs`), and the device is left idle for them, and free of what others have (`idle.rs`). While the device is left idle
//! for a process, some requests of others may be let in (`inject.rs`); and how many requests may wait here is limited for what
//! isn't read (`places.rs`).
//!
//! Leaves out: groups, joining queues of processes that work together, and several actuators. How much a turn may be is what the
//! device gives at its best in the time of one, which is learned (`rate.rs`). Whether a device queues by itself is known from its
//! depth, where the kernel finds out.

mod arrive;
mod burst;
mod expire;
mod fair;
mod idle;
mod inject;
mod places;
mod queue;
mod raise;
mod rate;
mod serve;

use super::Scheduler;
use super::processes::{FadingMean, PRIORITIES, Queues, urgency};
use super::sweep::Sweep;
use crate::elevator::{Added, Elevator, IoRequest, Next, QueueLimits};
use crate::waiting::{Handle, MergeRules, Placed, Waiting};
use burst::Bursts;
use expire::Reason;
use fair::{Entities, Entity, Fair};
use inject::Sampling;
use petrio_colours::{BlockRequest, IoClass};
use petrio_kernel::Time;
use petrio_persist::Persist;
use petrio_units::numbers::as_number;
use petrio_units::{Blocks, Duration};
use places::{Kind, RequestTags};
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
    /// Whether processes that have just begun to ask, or ask for little at a time, weigh 30 and 3,000 times as much for a while
    /// (`low_latency`; 1).
    pub low_latency: bool,
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
            low_latency: true,
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
            peak_rate: PeakRate::new(limits.rotational),
            parameters: self.clone(),
            rotational: limits.rotational,
            queueing: limits.depth > QUEUEING_DEPTH,
            queues: Queues::new(|class, priority| {
                Queue::new((class, priority), None, max_budget, Time::ZERO)
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
            raised: 0,
            bursts: Bursts::default(),
            sampling: Sampling::default(),
            completed: None,
            places: RequestTags::new(limits.requests),
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

#[derive(Clone, Persist)]
struct Bfq {
    waiting: Waiting,
    sweep: Sweep,
    #[persist(keep)]
    parameters: BfqParameters,
    max_budget: u64,
    peak_rate: PeakRate,
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
    /// Queues that are busy or have requests in the device, by weight, those with raised weights apart.
    weights: [u32; PRIORITIES],
    /// When the idle class was last looked after.
    idle_class_served: Time,
    /// Busy queues with raised weights (wr_busy_queues).
    raised: u32,
    bursts: Bursts,
    sampling: Sampling,
    /// Whose request was last complete, and when.
    completed: Option<(usize, Time)>,
    places: RequestTags,
}

impl Bfq {
    fn is_empty(&self, queue: usize) -> bool {
        self.waiting.group_len(as_number(queue)) == 0
    }

    fn busy_queues(&self) -> u32 {
        self.busy.iter().sum()
    }

    /// What serving a request costs its queue (bfq_serv_to_charge).
    fn charge(&self, queue: usize, handle: Handle) -> u64 {
        let blocks = self.waiting.get(handle).map_or(0, |io| u64::from(io.blocks));
        let asks = &self.queues[queue];
        if asks.synchronous() || asks.raise.is_on() || self.is_asymmetric(queue) {
            return blocks;
        }
        blocks * u64::from(self.parameters.async_charge_factor)
    }

    /// Counts the queue's weight among those that matter, or no longer.
    fn count_weight(&mut self, queue: usize) {
        let queue = &mut self.queues[queue];
        let counts = (queue.busy || queue.dispatched > 0) && !queue.raise.is_on();
        if let Some(weight) = queue.counted.take() {
            self.weights[weight] -= 1;
        }
        if counts {
            let weight = (Queue::weight(queue.urgency.1) / Queue::WEIGHT_STEP) as usize - 1;
            self.weights[weight] += 1;
            queue.counted = Some(weight);
        }
    }

    /// A queue is busy from now on, or no longer.
    fn set_busy(&mut self, queue: usize, busy: bool) {
        let asks = &mut self.queues[queue];
        asks.busy = busy;
        let raised = u32::from(asks.raise.is_on());
        let of_class = &mut self.busy[asks.entity.class()];
        if busy {
            *of_class += 1;
            self.raised += raised;
        } else {
            *of_class -= 1;
            self.raised -= raised;
        }
        self.count_weight(queue);
    }
}

impl Elevator for Bfq {
    fn add(&mut self, request: BlockRequest, now: Time) -> Added {
        self.look(now);
        let urgency = urgency(request.class, request.priority);
        let max_budget = self.max_budget;
        let process = request.process;
        let queue =
            self.queues.find_or_make(&request, || Queue::new(urgency, Some(process), max_budget, now));
        let (address, blocks) = (request.address, request.blocks);
        let kind = Kind::of(request.direction, request.synchronous);
        let placed = self.waiting.add(as_number(queue), request, now);
        match placed {
            Placed::Queued(handle) => {
                if let Some(io) = self.waiting.get_mut(handle) {
                    io.note = queue as u64;
                }
                self.queues[queue].urgency = urgency;
                self.take_place(queue, kind);
                self.arrive(queue, handle, (address, blocks), now);
            }
            Placed::Front(handle) => {
                self.offer(queue, handle, now);
            }
            Placed::Back(handle) => self.grow(queue, handle, now),
            Placed::Joined { into, gone } => {
                self.leave_place(queue, kind);
                if self.queues[queue].next == Some(gone) {
                    self.queues[queue].next = self.sweep.joined(&self.waiting, self.head, into);
                    self.fit_budget(queue);
                }
                self.grow(queue, into, now);
            }
        }
        placed.added()
    }

    fn would_merge(&self, request: &BlockRequest) -> bool {
        let queue = self.queues.find(request);
        queue.is_some_and(|queue| self.waiting.would_merge(as_number(queue), request))
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
        let queue = inject::queue_of(request.note);
        self.sampled(request.note, now);
        self.in_driver = self.in_driver.saturating_sub(1);
        self.peak_rate.complete(now);
        let asks = &mut self.queues[queue];
        asks.dispatched = asks.dispatched.saturating_sub(1);
        asks.ended = now;
        if asks.dispatched == 0 && !asks.busy {
            asks.budget_timeout = Some(now);
        }
        self.completed = Some((queue, now));
        self.leave_place(queue, Kind::of(request.direction, request.synchronous));
        self.count_weight(queue);
        self.look_whether_soft(queue, now);
        if self.in_service != Some(queue) {
            return;
        }
        let out_of_requests = self.queues[queue].dispatched == 0;
        if self.must_idle(queue) {
            if out_of_requests {
                self.leave_idle(queue, now);
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
        self.bursts.ends(queue);
        self.forget_wakers(queue);
        if self.in_service == Some(queue) {
            self.leave_service(queue, Reason::Timeout, now);
        }
    }

    fn room(&self, request: &BlockRequest) -> bool {
        self.has_place(request)
    }

    fn limits_places(&self) -> bool {
        true
    }

    fn waiting(&self) -> usize {
        self.waiting.len()
    }
}

#[cfg(test)]
mod tests;
