//! cfq: processes take turns, each with the device to itself for a slice of time.
//!
//! Source: block/cfq-iosched.c of Linux 2.6.24. What a process waits for has a queue of its own; what nobody waits for
//! goes to queues shared by priority. Queues are served in turns ordered by time, real-time ones first, idle ones last
//! and only after a grace period without others. A slice is longer the higher the priority, begins with its first
//! completion, and ends early when the queue runs dry; but for a process that is known to ask again soon the device is
//! left idle for a moment. A queue is served by sweeps with short ways back, and once a slice the oldest request if it
//! has expired. Up to `quantum` requests at a time go to a dispatch list, which is sorted by address.
//!
//! From 2.6.33 on cfq is another: queues stand in trees by kind of work (`by_work.rs`). The kernel's profile says which.
//!
//! Parameters for what later kernels do: `target_latency` and `real_time_preempts`. Leaves out: metadata requests, the
//! boost for holders of file system locks, groups (and with them `group_idle`, which only idles between groups), and
//! joining queues of processes that work in the same place. Times are exact, where the kernel counts timer ticks.

mod by_work;
mod depth;
mod trees;
mod turns;

use super::Scheduler;
use super::processes::{FadingMean, PerProcess, SeekDistance, is_synchronous, urgency};
use super::sweep::Sweep;
use crate::elevator::{Added, Elevator, IoRequest, Next, QueueLimits};
use crate::waiting::{Handle, MergeRules, Placed, Waiting};
use by_work::ByWork;
use petrio_colours::{BlockRequest, IoClass};
use petrio_kernel::Time;
use petrio_persist::Persist;
use petrio_units::numbers::{as_index, as_number};
use petrio_units::{Blocks, Duration};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use turns::{Queue, Turns};

/// Parameters of cfq.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct CfqParameters {
    /// Whether queues stand in trees by kind of work, and idling follows from how many do. Left out: as the kernel does
    /// it (from 2.6.33 on; `block.service_trees` of its profile).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub service_trees: Option<bool>,
    /// Most requests of a queue that are dispatched at a time (`quantum`). Left out: 4, and 8 with service trees.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quantum: Option<u32>,
    /// How long a request that is waited for may wait before it goes before nearer ones (`fifo_expire_sync`; HZ/8).
    pub fifo_expire_sync: Duration,
    /// How long one that nobody waits for may wait, likewise (`fifo_expire_async`; HZ/4).
    pub fifo_expire_async: Duration,
    /// The furthest that the head goes back within a sweep (`back_seek_max`; 16 MiB).
    pub back_seek_max: Blocks,
    /// How much longer a way back counts than the same way forward (`back_seek_penalty`; 2).
    pub back_seek_penalty: u32,
    /// The slice of a process' queue at priority 4 (`slice_sync`; HZ/10); a fifth more or less for each priority.
    pub slice_sync: Duration,
    /// The slice of a shared queue, likewise (`slice_async`; HZ/25).
    pub slice_async: Duration,
    /// Requests of a shared queue in a slice: twice this at priority 7, and as many more for each priority above
    /// (`slice_async_rq`; 2).
    pub slice_async_rq: u32,
    /// How long a process' next request is waited for (`slice_idle`; HZ/125). Zero switches idling off.
    pub slice_idle: Duration,
    /// In which time every process gets a turn: slices become shorter for it (`target_latency`). Zero leaves them as they
    /// are. Left out: zero, and 300 ms with service trees.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target_latency: Option<Duration>,
    /// Whether a real-time request ends the slice of another class, as it always does with service trees. 2.6.24 lets it
    /// come to its end.
    pub real_time_preempts: bool,
}

impl Default for CfqParameters {
    fn default() -> Self {
        Self {
            service_trees: None,
            quantum: None,
            fifo_expire_sync: Duration::from(Time::from_millis(125)),
            fifo_expire_async: Duration::from(Time::from_millis(250)),
            back_seek_max: Blocks(16 << 11),
            back_seek_penalty: 2,
            slice_sync: Duration::from(Time::from_millis(100)),
            slice_async: Duration::from(Time::from_millis(40)),
            slice_async_rq: 2,
            slice_idle: Duration::from(Time::from_millis(8)),
            target_latency: None,
            real_time_preempts: false,
        }
    }
}

impl Scheduler for CfqParameters {
    fn elevator(&self, limits: &QueueLimits) -> Box<dyn Elevator> {
        let rules = MergeRules { synchronous_apart: true, ..MergeRules::new(limits) };
        if self.service_trees.unwrap_or(limits.service_trees) {
            return Box::new(ByWork::new(self, rules, limits));
        }
        Box::new(Cfq {
            waiting: Waiting::new(rules),
            sweep: Sweep {
                back_blocks: self.back_seek_max.get(),
                back_penalty: u64::from(self.back_seek_penalty),
            },
            parameters: self.clone(),
            turns: Turns::new(self),
            processes: PerProcess::default(),
            active: None,
            active_process: None,
            awaits_request: false,
            idle_until: None,
            dispatch: VecDeque::new(),
            head: 0,
            in_driver: 0,
            queueing: false,
            synchronous_in_flight: 0,
            last_end: Time::ZERO,
        })
    }
}

/// Requests of a queue at a time (cfq_quantum).
const QUANTUM: u32 = 4;
/// How long the idle class waits after the last completion of the others (CFQ_IDLE_GRACE; HZ/10).
const IDLE_GRACE: Time = Time::from_millis(100);
/// How long a process is waited for that seeks far (CFQ_MIN_TT; 2 ms).
const SEEKER_IDLE: Time = Time::from_millis(2);
/// A mean seek beyond this is far (CIC_SEEKY), in device blocks.
const FAR: u64 = 8 * 1_024;
/// Requests in a device that queues by itself (cfq_activate_request).
const QUEUEING_DEPTH: u32 = 5;

/// What is known of a process (cfq_io_context).
#[derive(Clone, Copy, Debug, Default, Persist)]
struct Process {
    think: FadingMean,
    seek: SeekDistance,
    /// When its last request that it waited for completed; at first, when it asked first.
    ended: Option<Time>,
    /// Whether it has ended itself.
    gone: bool,
}

#[derive(Clone, Persist)]
struct Cfq {
    waiting: Waiting,
    sweep: Sweep,
    #[persist(keep)]
    parameters: CfqParameters,
    turns: Turns,
    processes: PerProcess<Process>,
    /// The queue that has the device, and the process whose request was first in its slice.
    active: Option<usize>,
    active_process: Option<usize>,
    /// Whether the active queue has run dry and its process is waited for.
    awaits_request: bool,
    /// Until when.
    idle_until: Option<Time>,
    /// What goes to the device next.
    dispatch: VecDeque<IoRequest>,
    /// Where the last request that the device took ended.
    head: u64,
    in_driver: u32,
    /// Whether the device has been seen to queue by itself.
    queueing: bool,
    synchronous_in_flight: u32,
    /// When a request last completed that wasn't of the idle class.
    last_end: Time,
}

impl Cfq {
    /// A request of a queue waits, or begins earlier than before: it may be the next one (cfq_add_rq_rb).
    fn offer(&mut self, queue: usize, handle: Handle, now: Time) {
        if !self.turns[queue].is_busy() {
            self.turns.line_up(queue, false, now);
        }
        let next = self.turns[queue].next;
        self.turns[queue].next = self.sweep.nearer(&self.waiting, self.head, next, Some(handle));
    }

    /// What a new request says of its process, and what it means for the active queue (cfq_rq_enqueued).
    fn enqueued(&mut self, queue: usize, process: usize, (address, end): (u64, u64), now: Time) {
        let idle = self.parameters.slice_idle.time();
        let known = &mut self.processes[process];
        let think = (now - *known.ended.get_or_insert(now)).min(idle + idle);
        known.think.add(think.as_picos());
        known.seek.add(address);
        known.seek.end_at(end);
        let known = *known;
        let mine = &mut self.turns[queue];
        if mine.synchronous {
            if idle == Time::ZERO || (self.queueing && known.seek.mean().mean() > FAR) {
                mine.idle_window = false;
            } else if known.think.is_settled() {
                mine.idle_window = known.think.mean() <= idle.as_picos();
            }
        }
        if self.active == Some(queue) {
            if self.awaits_request {
                self.idle_until = None;
            }
        } else if self.should_preempt(queue, address, now) {
            self.expire(true, now);
            self.turns.line_up(queue, true, now);
        }
    }

    /// Whether a request in another queue ends the active queue's slice (cfq_should_preempt).
    fn should_preempt(&self, queue: usize, address: u64, now: Time) -> bool {
        let Some(active) = self.active else { return false };
        let (active, new) = (&self.turns[active], &self.turns[queue]);
        if active.slice_is_used(now) {
            return true;
        }
        if new.class == IoClass::Idle || active.class == IoClass::Idle {
            return new.class != IoClass::Idle;
        }
        if new.synchronous && !active.synchronous {
            return true;
        }
        if self.parameters.real_time_preempts
            && new.class == IoClass::RealTime
            && active.class != IoClass::RealTime
        {
            return true;
        }
        let Some(process) = self.active_process.filter(|_| self.awaits_request) else { return false };
        let seek = self.processes[process].seek.mean();
        seek.is_settled() && self.head.abs_diff(address) <= seek.mean()
    }

    /// The active queue's turn is over (cfq_slice_expired); `keep` what is left of its slice for the next one.
    fn expire(&mut self, keep: bool, now: Time) {
        let Some(active) = self.active.take() else { return };
        if std::mem::take(&mut self.awaits_request) {
            self.idle_until = None;
        }
        self.active_process = None;
        let queue = &mut self.turns[active];
        if let Some(end) = queue.slice_end.filter(|_| keep) {
            queue.left = i128::from(end.as_picos()) - i128::from(now.as_picos());
        }
        if queue.is_busy() {
            self.turns.line_up(active, false, now);
        }
    }

    /// Does what the idle timer would have done (cfq_idle_slice_timer).
    fn look(&mut self, now: Time) {
        let Some(at) = self.idle_until.filter(|&at| now >= at) else { return };
        self.idle_until = None;
        let Some(active) = self.active else { return };
        let queue = &self.turns[active];
        if queue.slice_is_used(at) || (self.turns.busy() > 0 && !queue.is_busy()) {
            self.expire(false, at);
        }
    }

    /// Until when the idle class has to wait, if it is its turn.
    fn grace(&self, now: Time) -> Option<Time> {
        let until = self.last_end + IDLE_GRACE;
        let idle = self.turns.first().is_some_and(|first| self.turns[first].class == IoClass::Idle);
        (idle && now < until).then_some(until)
    }

    /// The queue that may dispatch (cfq_select_queue).
    fn select(&mut self, now: Time) -> Option<usize> {
        if let Some(active) = self.active {
            let queue = &self.turns[active];
            if !queue.slice_is_used(now) {
                if queue.is_busy() {
                    return Some(active);
                }
                if self.idle_until.is_some() || (queue.dispatched > 0 && queue.idle_window) {
                    return None;
                }
            }
            self.expire(false, now);
        }
        let first = self.turns.first().filter(|_| self.grace(now).is_none())?;
        let queue = &mut self.turns[first];
        queue.slice_end = None;
        queue.looked = false;
        queue.must_have_come = false;
        self.active = Some(first);
        Some(first)
    }

    /// Moves requests to the dispatch list (cfq_dispatch_requests).
    fn fill(&mut self, now: Time) {
        while self.turns.busy() > 0
            && let Some(active) = self.select(now)
        {
            let Queue { class, synchronous, dispatched, priority, .. } = self.turns[active];
            let most =
                if class == IoClass::Idle { 1 } else { self.parameters.quantum.unwrap_or(QUANTUM).max(1) };
            let others = self.turns.busy() > 1;
            if dispatched >= most && (others || dispatched >= most.saturating_mul(4)) {
                break;
            }
            if self.synchronous_in_flight > 0 && !synchronous {
                break;
            }
            self.awaits_request = false;
            self.idle_until = None;
            let mut moved = 0;
            while moved < most && self.turns[active].is_busy() {
                self.move_one(active, now);
                moved += 1;
            }
            let slice_requests = 2 * u64::from(self.parameters.slice_async_rq) * (8 - u64::from(priority));
            let used_up = !synchronous && u64::from(moved) >= slice_requests;
            if self.turns.busy() > 1 && (used_up || class == IoClass::Idle) {
                self.expire(false, now);
            }
        }
    }

    /// Moves a queue's oldest request, if it has expired, or the next one of its sweep.
    fn move_one(&mut self, active: usize, now: Time) {
        let Some(chosen) = self.expired(active, now).or(self.turns[active].next) else { return };
        if self.turns[active].next == Some(chosen) {
            self.turns[active].next = self.sweep.after(&self.waiting, self.head, chosen);
        }
        let Some(io) = self.waiting.take(chosen, now) else { return };
        let process = self.processes.index(io.process);
        self.active_process.get_or_insert(process);
        let queue = &mut self.turns[active];
        queue.dispatched += 1;
        self.synchronous_in_flight += u32::from(queue.synchronous);
        if self.waiting.group_len(as_number(active)) == 0 {
            self.turns.leave(active);
        }
        self.sort_in(io);
    }

    /// A queue's oldest request, if it has waited too long; looked at once a slice (cfq_check_fifo).
    fn expired(&mut self, active: usize, now: Time) -> Option<Handle> {
        let queue = &mut self.turns[active];
        if std::mem::replace(&mut queue.looked, true) {
            return None;
        }
        let expire = if queue.synchronous {
            self.parameters.fifo_expire_sync
        } else {
            self.parameters.fifo_expire_async
        };
        let oldest = self.waiting.oldest(as_number(active))?;
        (now >= self.waiting.get(oldest)?.queued + expire.time()).then_some(oldest)
    }

    /// Puts a request on the dispatch list, in order of address from the head on (elv_dispatch_sort).
    fn sort_in(&mut self, io: IoRequest) {
        let key = |other: &IoRequest| (other.address < self.head, other.address);
        let goes_before = |other: &&IoRequest| other.direction == io.direction && key(&io) < key(other);
        let behind = self.dispatch.iter().rev().take_while(goes_before).count();
        self.dispatch.insert(self.dispatch.len() - behind, io);
    }

    /// The active queue has run dry: its process is waited for, if that is worth it (cfq_arm_slice_timer).
    fn idle(&mut self, active: usize, now: Time) {
        let idle = self.parameters.slice_idle.time();
        let Some(process) = self.active_process else { return };
        if idle == Time::ZERO || !self.turns[active].idle_window {
            return;
        }
        let Process { seek, gone, .. } = self.processes[process];
        if gone {
            return;
        }
        let far = seek.mean().is_settled() && seek.mean().mean() > FAR;
        self.awaits_request = true;
        self.idle_until = Some(now + if far { idle.min(SEEKER_IDLE) } else { idle });
    }
}

impl Elevator for Cfq {
    fn add(&mut self, request: BlockRequest, now: Time) -> Added {
        self.look(now);
        let urgency = urgency(request.class, request.priority);
        let queue = self.turns.queues.find_or_make(&request, || Queue::new(urgency.0, urgency.1, true));
        let process = self.processes.index(request.process);
        let extent = (request.address, request.end());
        let placed = self.waiting.add(as_number(queue), request, now);
        match placed {
            Placed::Queued(handle) => {
                if let Some(io) = self.waiting.get_mut(handle) {
                    io.note = queue as u64;
                }
                self.turns.set_urgency(queue, urgency);
                self.offer(queue, handle, now);
                self.enqueued(queue, process, extent, now);
            }
            Placed::Front(handle) => self.offer(queue, handle, now),
            Placed::Joined { into, gone } if self.turns[queue].next == Some(gone) => {
                self.turns[queue].next = self.sweep.joined(&self.waiting, self.head, into);
            }
            Placed::Back(_) | Placed::Joined { .. } => {}
        }
        placed.added()
    }

    /// The process that is idled for, once a slice (cfq_may_queue).
    fn must_come_in(&mut self, request: &BlockRequest) -> bool {
        let Some(active) = self.active.filter(|_| self.awaits_request) else { return false };
        let mine = self.turns.queues.find(request) == Some(active);
        mine && !std::mem::replace(&mut self.turns[active].must_have_come, true)
    }

    fn would_merge(&self, request: &BlockRequest) -> bool {
        let queue = self.turns.queues.find(request);
        queue.is_some_and(|queue| self.waiting.would_merge(as_number(queue), request))
    }

    fn next(&mut self, now: Time) -> Next {
        self.look(now);
        if self.dispatch.is_empty() {
            self.fill(now);
        }
        if let Some(mut io) = self.dispatch.pop_front() {
            io.dispatched = now;
            self.in_driver += 1;
            self.queueing |= self.in_driver >= QUEUEING_DEPTH;
            self.head = io.end();
            return Next::Dispatch(io);
        }
        if self.waiting.is_empty() {
            return Next::Empty;
        }
        let grace = || self.active.is_none().then(|| self.grace(now)).flatten();
        self.idle_until.or_else(grace).map_or(Next::Empty, Next::IdleUntil)
    }

    fn completed(&mut self, request: &IoRequest, now: Time) {
        self.look(now);
        let number = as_index(request.note);
        let queue = &mut self.turns[number];
        self.in_driver = self.in_driver.saturating_sub(1);
        queue.dispatched = queue.dispatched.saturating_sub(1);
        self.synchronous_in_flight -= u32::from(queue.synchronous);
        if queue.class != IoClass::Idle {
            self.last_end = now;
        }
        let synchronous = is_synchronous(request.direction, request.synchronous);
        if synchronous {
            let process = self.processes.index(request.process);
            self.processes[process].ended = Some(now);
        }
        if self.active != Some(number) {
            return;
        }
        if self.turns[number].slice_end.is_none() {
            self.turns[number].slice_end = Some(now + self.turns.slice_now(number));
        }
        if self.turns[number].slice_is_used(now) {
            self.expire(true, now);
        } else if synchronous && !self.turns[number].is_busy() {
            self.idle(number, now);
        }
    }

    /// The slice of a process that has ended is over (cfq_exit_cfqq).
    fn exited(&mut self, process: u32, now: Time) {
        self.look(now);
        let Some(index) = self.processes.find(process) else { return };
        self.processes[index].gone = true;
        let queue = self.turns.queues.of_process(process);
        if queue.is_some() && queue == self.active {
            self.expire(false, now);
        }
    }

    fn waiting(&self) -> usize {
        self.waiting.len() + self.dispatch.len()
    }
}

#[cfg(test)]
mod tests;
