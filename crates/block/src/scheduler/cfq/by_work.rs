//! cfq as it is from 2.6.33 on: queues by kind of work, and idling by what their tree needs.
//!
//! Source: block/cfq-iosched.c of Linux 3.2. The queues of a class stand in three trees: those whose process is idled
//! for; those for whom nobody idles, because they seek, think long or have said that no more comes (REQ_NOIDLE, as
//! fsync's data and a journal's log); and those that nobody waits for. A tree is served for a time that follows from how
//! many stand there. In the second, one queue after the other is served without a pause, so that a drive with a queue
//! has something to choose from; only its last one is idled for, and whoever comes to it then goes before at once
//! (cfq_should_preempt). A drive without arm that queues is never left idle (cfq_arm_slice_timer).
//!
//! Leaves out: groups, and with them `group_idle` and the wait for a group to become busy; metadata requests that go
//! before others; joining queues of processes that work in the same place, and breaking these apart.

mod limits;

use super::super::processes::{FadingMean, PerProcess, is_synchronous, urgency};
use super::super::sweep::Sweep;
use super::depth::{Depth, QUEUEING_DEPTH};
use super::trees::{IDLE_TREE, Queue, Slice, TARGET, Trees, Work, tree};
use super::{CfqParameters, SEEKER_IDLE};
use crate::elevator::{Added, Elevator, IoRequest, Next, QueueLimits};
use crate::waiting::{Handle, MergeRules, Placed, Waiting};
use petrio_colours::{BlockRequest, IoClass};
use petrio_kernel::Time;
use petrio_persist::Persist;
use petrio_units::Duration;
use petrio_units::numbers::{as_index, as_number};

/// A way beyond this is a seek (CFQQ_SEEK_THR), and on a device without arm a request below that (CFQQ_SECT_THR_NONROT);
/// in device blocks.
const FAR: u64 = 8 * 100;
const SMALL: u64 = 2 * 32;
/// Another's request so near to the head is as good as that of the process that is waited for (CFQQ_CLOSE_THR).
const CLOSE: u64 = 8 * 1_024;
/// As many requests at once make a queue a deep one.
const DEEP: usize = 4;
/// Requests of a queue at a time (cfq_quantum).
const QUANTUM: u32 = 8;

/// What is known of a process (cfq_io_context).
#[derive(Clone, Copy, Debug, Default, Persist)]
struct Process {
    think: FadingMean,
    /// When its last request that it waited for completed; at first, when it asked first.
    ended: Option<Time>,
    gone: bool,
}

/// The scheduler.
#[derive(Clone, Persist)]
pub(super) struct ByWork {
    waiting: Waiting,
    sweep: Sweep,
    #[persist(keep)]
    parameters: CfqParameters,
    trees: Trees,
    processes: PerProcess<Process>,
    rotational: bool,
    /// The queue that has the device, and the process whose request was first in its slice.
    active: Option<usize>,
    active_process: Option<usize>,
    /// The tree that is served, and until when.
    serving: (IoClass, Work),
    work_ends: Option<Time>,
    /// Whether the active queue has run dry and its process is waited for; until when.
    awaits_request: bool,
    idle_until: Option<Time>,
    /// Where the last request that the device took ended.
    head: u64,
    in_driver: usize,
    /// In the device, that nobody waits for and others.
    in_flight: [u32; 2],
    depth: Depth,
    /// When a request that is waited for last took long (last_delayed_sync).
    delayed: Option<Time>,
}

impl ByWork {
    pub(super) fn new(parameters: &CfqParameters, rules: MergeRules, limits: &QueueLimits) -> Self {
        Self {
            waiting: Waiting::new(rules),
            sweep: Sweep {
                back_blocks: parameters.back_seek_max.get(),
                back_penalty: u64::from(parameters.back_seek_penalty),
            },
            parameters: parameters.clone(),
            trees: Trees::new(parameters),
            processes: PerProcess::default(),
            rotational: limits.rotational,
            active: None,
            active_process: None,
            serving: (IoClass::BestEffort, Work::NoIdle),
            work_ends: None,
            awaits_request: false,
            idle_until: None,
            head: 0,
            in_driver: 0,
            in_flight: [0; 2],
            depth: Depth::default(),
            delayed: None,
        }
    }

    fn is_empty(&self, queue: usize) -> bool {
        self.waiting.group_len(as_number(queue)) == 0
    }

    fn target(&self) -> Time {
        self.parameters.target_latency.map_or(TARGET, Duration::time)
    }

    fn quantum(&self) -> u32 {
        self.parameters.quantum.unwrap_or(QUANTUM)
    }

    fn slice_idle(&self) -> Time {
        self.parameters.slice_idle.time()
    }

    /// A drive without arm that queues by itself; until it is known, it is taken to queue.
    fn is_never_idle(&self) -> bool {
        !self.rotational && self.depth.may_queue()
    }

    /// Whether the device should rather be left idle than serve another when this queue runs dry (cfq_should_idle).
    fn should_idle(&self, queue: usize) -> bool {
        let mine = &self.trees[queue];
        if self.slice_idle() == Time::ZERO || mine.class == IoClass::Idle {
            return false;
        }
        if mine.idle_window && !self.is_never_idle() {
            return true;
        }
        let of = mine.tree();
        let think = &self.trees.trees[of].think;
        let thinks_long = think.is_settled() && think.mean() > self.slice_idle().as_picos();
        self.trees.count(of) == 1 && mine.synchronous && !thinks_long
    }

    /// A request of a queue waits, or begins earlier than before: it may be the next one (cfq_add_rq_rb).
    fn offer(&mut self, queue: usize, handle: Handle, now: Time) {
        if !self.trees[queue].is_listed() {
            self.trees.line_up(queue, false, now);
        }
        let next = self.trees[queue].next;
        self.trees[queue].next = self.sweep.nearer(&self.waiting, self.head, next, Some(handle));
    }

    /// What a new request says of its process, and what it means for the active queue (cfq_rq_enqueued).
    fn enqueued(&mut self, queue: usize, process: usize, (address, blocks): (u64, u64), now: Time) {
        let idle = self.slice_idle();
        if self.trees[queue].synchronous {
            let known = &mut self.processes[process];
            let think = (now - *known.ended.get_or_insert(now)).min(idle + idle);
            known.think.add(think.as_picos());
            let of = &mut self.trees.trees[self.trees.queues[queue].tree()];
            of.think.add((now - of.ended).min(idle + idle).as_picos());
        }
        let mine = &mut self.trees[queue];
        let way = if mine.end == 0 { 0 } else { mine.end.abs_diff(address) };
        let seeks = if self.rotational { way > FAR } else { blocks < SMALL };
        mine.seeks = mine.seeks << 1 | u32::from(seeks);
        mine.end = address + blocks;
        self.update_idle_window(queue, process);
        if self.active == Some(queue) {
            if std::mem::take(&mut self.awaits_request) {
                self.idle_until = None;
            }
        } else if self.should_preempt(queue, address, now) {
            self.preempt(queue, now);
        }
    }

    /// A request has become longer by one that came at the same time: to the kernel's scheduler, which gets them when the process
    /// unplugs, they are one.
    fn grown(&mut self, queue: usize, placed: Placed, now: Time) {
        let (Placed::Back(handle) | Placed::Joined { into: handle, .. }) = placed else { return };
        if let Some(io) = self.waiting.get(handle).filter(|io| io.queued == now) {
            self.trees[queue].end = io.end();
        }
    }

    /// Whether its process is idled for (cfq_update_idle_window).
    fn update_idle_window(&mut self, queue: usize, process: usize) {
        let waiting = self.waiting.group_len(as_number(queue));
        let known = self.processes[process];
        let last =
            self.trees[queue].next.and_then(|next| self.waiting.get(next)).is_some_and(IoRequest::no_idle);
        let idle = self.slice_idle();
        let mine = &mut self.trees[queue];
        if !mine.synchronous || mine.class == IoClass::Idle {
            return;
        }
        mine.deep |= waiting >= DEEP;
        let seeks = !mine.deep && mine.is_seeky();
        if last || known.gone || idle == Time::ZERO || seeks {
            mine.idle_window = false;
        } else if known.think.is_settled() {
            mine.idle_window = known.think.mean() <= idle.as_picos();
        }
    }

    /// Whether a request in another queue ends the active queue's slice (cfq_should_preempt).
    fn should_preempt(&self, queue: usize, address: u64, now: Time) -> bool {
        let Some(active) = self.active else { return false };
        let (old, new) = (&self.trees[active], &self.trees[queue]);
        if new.class == IoClass::Idle || old.class == IoClass::Idle {
            return new.class != IoClass::Idle;
        }
        let [old_first, new_first] = [old, new].map(|queue| queue.class == IoClass::RealTime);
        if old_first && !new_first {
            return false;
        }
        if (new.synchronous && !old.synchronous) || old.slice_is_used(now) {
            return true;
        }
        let dry = self.is_empty(active);
        // The last one of those for whom nobody idles is idled for: now there is another.
        let of_no_idle = self.serving.1 == Work::NoIdle && new.work() == Work::NoIdle;
        let another = of_no_idle && self.trees.count(new.tree()) == 2 && dry;
        if another || (new_first && !old_first) || (dry && !self.should_idle(active)) {
            return true;
        }
        self.active_process.is_some() && self.awaits_request && self.head.abs_diff(address) <= CLOSE
    }

    fn preempt(&mut self, queue: usize, now: Time) {
        let was = self.active.map(|active| self.trees[active].work());
        self.expire(true, now);
        if was != Some(self.trees[queue].work()) {
            self.work_ends = None;
        }
        self.trees.line_up(queue, true, now);
        self.trees[queue].slice = Slice::New;
    }

    /// The active queue's turn is over (cfq_slice_expired); `keep` what is left of its slice for the next one.
    fn expire(&mut self, keep: bool, now: Time) {
        let Some(active) = self.active.take() else { return };
        self.awaits_request = false;
        self.idle_until = None;
        self.active_process = None;
        if keep {
            let whole = self.trees.slice_now(active);
            self.trees[active].left = match self.trees[active].slice {
                Slice::New => i128::from(whole.as_picos()),
                Slice::Runs { ends, .. } => i128::from(ends.as_picos()) - i128::from(now.as_picos()),
            };
        }
        if self.is_empty(active) {
            self.trees.leave(active);
        } else {
            self.trees.line_up(active, false, now);
        }
    }

    /// Does what the idle timer would have done (cfq_idle_slice_timer).
    fn look(&mut self, now: Time) {
        let Some(at) = self.idle_until.filter(|&at| now >= at) else { return };
        self.idle_until = None;
        let Some(active) = self.active else { return };
        if self.trees[active].slice_is_used(at) || self.is_empty(active) {
            self.trees[active].deep = false;
            self.expire(false, at);
        }
    }

    /// Which tree is served now, and until when (choose_service_tree).
    fn choose_work(&mut self, now: Time) {
        let classes = [IoClass::RealTime, IoClass::BestEffort];
        let Some(class) = classes.into_iter().find(|&class| self.trees.busy_of(class) > 0) else {
            self.serving = (IoClass::Idle, Work::NoIdle);
            self.work_ends = None;
            return;
        };
        let work = self.serving.1;
        self.serving.0 = class;
        let goes_on = self.work_ends.is_some_and(|end| now <= end);
        if self.trees.count(tree(class, work)) > 0 && goes_on {
            return;
        }
        let key = |work: &Work| self.trees.first(tree(class, *work)).map(|(key, _)| key);
        let busy = Work::ALL.into_iter().filter(|work| key(work).is_some());
        let work = busy.min_by_key(key).unwrap_or(Work::NoIdle);
        let whole = if self.target() == Time::ZERO { TARGET } else { self.target() };
        let mut share = self.trees.share(class, work, whole).max(SEEKER_IDLE);
        if work != Work::Async {
            share = share.max(self.slice_idle() + self.slice_idle());
        }
        self.serving = (class, work);
        self.work_ends = Some(now.saturating_add(share));
    }

    /// The queue that may dispatch (cfq_select_queue).
    fn select(&mut self, now: Time) -> Option<usize> {
        if self.waiting.is_empty() {
            return None;
        }
        if let Some(active) = self.active {
            let dry = self.is_empty(active);
            let used = self.trees[active].slice_is_used(now);
            if !used && !dry {
                return Some(active);
            }
            if !used && self.idle_until.is_some() {
                return None;
            }
            let mine = &mut self.trees[active];
            let fast = match mine.slice {
                Slice::New => true,
                Slice::Runs { began, ends } => ends.saturating_sub(now) > now - began,
            };
            // Many seeks at once that the device serves faster than they come.
            if !used && mine.is_seeky() && mine.idle_window && fast {
                (mine.deep, mine.idle_window) = (false, false);
            }
            let alone = !used || self.trees.busy() == 1;
            if dry && alone && self.trees[active].dispatched > 0 && self.should_idle(active) {
                return None;
            }
            self.expire(false, now);
        }
        self.choose_work(now);
        let of =
            if self.serving.0 == IoClass::Idle { IDLE_TREE } else { tree(self.serving.0, self.serving.1) };
        let (_, first) = self.trees.first(of)?;
        let queue = &mut self.trees[first];
        (queue.slice, queue.slice_dispatched) = (Slice::New, 0);
        (queue.looked, queue.must_have_come) = (false, false);
        self.active = Some(first);
        Some(first)
    }

    /// Sends a queue's oldest request, if it has expired, or the next one of its sweep (cfq_dispatch_request).
    fn dispatch(&mut self, active: usize, now: Time) -> Option<IoRequest> {
        let chosen = self.expired(active, now).or(self.trees[active].next)?;
        let address = self.waiting.get(chosen)?.address;
        self.trees[active].next = self.sweep.after(&self.waiting, address, chosen);
        let io = self.waiting.take(chosen, now)?;
        let process = self.processes.index(io.process);
        self.active_process.get_or_insert(process);
        self.head = io.end();
        self.in_driver += 1;
        let queue = &mut self.trees[active];
        queue.dispatched += 1;
        queue.slice_dispatched += 1;
        let Queue { class, synchronous, priority, slice_dispatched, .. } = *queue;
        self.in_flight[usize::from(synchronous)] += 1;
        let most = 2 * u64::from(self.parameters.slice_async_rq) * (8 - u64::from(priority));
        let used_up = !synchronous && u64::from(slice_dispatched) >= most;
        if self.trees.busy() > 1 && (used_up || class == IoClass::Idle) {
            self.expire(false, now);
        }
        Some(io)
    }

    /// A queue's oldest request, if it has waited too long; looked at once a slice (cfq_check_fifo).
    fn expired(&mut self, active: usize, now: Time) -> Option<Handle> {
        let queue = &mut self.trees[active];
        if std::mem::replace(&mut queue.looked, true) {
            return None;
        }
        let parameters = &self.parameters;
        let expire =
            if queue.synchronous { parameters.fifo_expire_sync } else { parameters.fifo_expire_async };
        let oldest = self.waiting.oldest(as_number(active))?;
        (now >= self.waiting.get(oldest)?.queued + expire.time()).then_some(oldest)
    }

    /// The active queue has run dry: its process is waited for, if that is worth it (cfq_arm_slice_timer).
    fn idle(&mut self, active: usize, now: Time) {
        if self.is_never_idle() || !self.should_idle(active) || self.trees[active].dispatched > 0 {
            return;
        }
        let Some(process) = self.active_process.map(|process| self.processes[process]) else { return };
        let left = match self.trees[active].slice {
            Slice::New => Time::NEVER,
            Slice::Runs { ends, .. } => ends.saturating_sub(now),
        };
        if process.gone || (process.think.is_settled() && left.as_picos() < process.think.mean()) {
            return;
        }
        self.awaits_request = true;
        self.idle_until = Some(now + self.slice_idle());
    }

    /// Looks whether the device queues by itself.
    fn look_at_depth(&mut self) {
        // A queue that is idled for and has little to do isn't the device's fault.
        let few = self.active.is_some_and(|active| {
            let queue = &self.trees[active];
            let all = queue.dispatched as usize + self.waiting.group_len(as_number(active));
            queue.idle_window && all < QUEUEING_DEPTH && self.in_driver < QUEUEING_DEPTH
        });
        self.depth.look(self.waiting.len(), self.in_driver, few);
    }
}

impl Elevator for ByWork {
    fn add(&mut self, request: BlockRequest, now: Time) -> Added {
        self.look(now);
        let urgency = urgency(request.class, request.priority);
        let queue = self.trees.queues.find_or_make(&request, || Queue::new(urgency.0, urgency.1, true));
        let process = self.processes.index(request.process);
        let extent = (request.address, u64::from(request.blocks));
        let placed = self.waiting.add(as_number(queue), request, now);
        match placed {
            Placed::Queued(handle) => {
                if let Some(io) = self.waiting.get_mut(handle) {
                    io.note = queue as u64;
                }
                self.trees.set_urgency(queue, urgency);
                self.offer(queue, handle, now);
                self.enqueued(queue, process, extent, now);
            }
            Placed::Front(handle) => self.offer(queue, handle, now),
            Placed::Joined { into, gone } if self.trees[queue].next == Some(gone) => {
                self.trees[queue].next = self.sweep.joined(&self.waiting, self.head, into);
            }
            Placed::Back(_) | Placed::Joined { .. } => {}
        }
        self.grown(queue, placed, now);
        placed.added()
    }

    /// The process that is idled for, once a slice (cfq_may_queue).
    fn must_come_in(&mut self, request: &BlockRequest) -> bool {
        let Some(active) = self.active.filter(|_| self.awaits_request) else { return false };
        let mine = self.trees.queues.find(request) == Some(active);
        mine && !std::mem::replace(&mut self.trees[active].must_have_come, true)
    }

    fn would_merge(&self, request: &BlockRequest) -> bool {
        let queue = self.trees.queues.find(request);
        queue.is_some_and(|queue| self.waiting.would_merge(as_number(queue), request))
    }

    fn next(&mut self, now: Time) -> Next {
        self.look(now);
        if let Some(active) = self.select(now)
            && self.may_dispatch(active, now)
            && let Some(io) = self.dispatch(active, now)
        {
            return Next::Dispatch(io);
        }
        match self.idle_until {
            Some(until) if !self.waiting.is_empty() => Next::IdleUntil(until),
            _ => Next::Empty,
        }
    }

    fn completed(&mut self, request: &IoRequest, now: Time) {
        self.look(now);
        self.look_at_depth();
        let number = as_index(request.note);
        let queue = &mut self.trees[number];
        self.in_driver = self.in_driver.saturating_sub(1);
        queue.dispatched = queue.dispatched.saturating_sub(1);
        let (synchronous, of) = (queue.synchronous, queue.tree());
        let flight = &mut self.in_flight[usize::from(synchronous)];
        *flight = flight.saturating_sub(1);
        if is_synchronous(request.direction, request.synchronous) {
            let process = self.processes.index(request.process);
            self.processes[process].ended = Some(now);
            self.trees.trees[of].ended = now;
            if now >= request.queued + self.parameters.fifo_expire_sync.time() {
                self.delayed = Some(now);
            }
        }
        if self.active != Some(number) {
            return;
        }
        if self.trees[number].slice == Slice::New {
            let slice = self.trees.slice_now(number);
            self.trees[number].slice = Slice::Runs { began: now, ends: now + slice };
        }
        if self.trees[number].slice_is_used(now) || self.trees[number].class == IoClass::Idle {
            self.expire(true, now);
        } else if synchronous && self.is_empty(number) {
            self.idle(number, now);
        }
    }

    fn exited(&mut self, process: u32, now: Time) {
        self.look(now);
        let Some(index) = self.processes.find(process) else { return };
        self.processes[index].gone = true;
        let queue = self.trees.queues.of_process(process);
        if queue.is_some() && queue == self.active {
            self.expire(false, now);
        }
    }

    fn waiting(&self) -> usize {
        self.waiting.len()
    }
}

#[cfg(test)]
mod tests;
