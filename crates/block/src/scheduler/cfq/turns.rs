//! Whose turn it is, and for how long: the queues of cfq in the order in which they are served, and their slices.
//!
//! Source: cfq_service_tree_add, cfq_slice_offset and cfq_prio_slice of block/cfq-iosched.c of Linux 2.6.24, and
//! cfq_scaled_cfqq_slice of 2.6.33. Finding and changing a queue's place takes time logarithmic in the busy queues.

use super::super::processes::Queues;
use super::CfqParameters;
use crate::waiting::Handle;
use petrio_colours::IoClass;
use petrio_kernel::Time;
use petrio_persist::Persist;
use std::collections::BTreeSet;

/// A queue's place among those that wait for their turn: class, time in picoseconds, number, queue. Times may be
/// negative.
type Turn = (IoClass, i128, u64, usize);

/// A queue of requests (cfq_queue).
#[derive(Clone, Debug, Persist)]
pub(super) struct Queue {
    pub(super) class: IoClass,
    pub(super) priority: u8,
    pub(super) synchronous: bool,
    /// What is served next.
    pub(super) next: Option<Handle>,
    /// Its place, while it has requests that wait.
    turn: Option<Turn>,
    /// Its requests on the dispatch list and in the device.
    pub(super) dispatched: u32,
    /// Whether the device is left idle for it.
    pub(super) idle_window: bool,
    /// When its slice ends; none before the first completion.
    pub(super) slice_end: Option<Time>,
    /// What was left of its last slice, in picoseconds; negative where it took longer.
    pub(super) left: i128,
    /// Whether the oldest was looked at in this slice.
    pub(super) looked: bool,
    /// Whether one came in though the queue was full, in this slice.
    pub(super) must_have_come: bool,
}

impl Queue {
    /// A queue without requests.
    pub(super) fn new(class: IoClass, priority: u8, synchronous: bool) -> Self {
        Self {
            class,
            priority,
            synchronous,
            next: None,
            turn: None,
            dispatched: 0,
            idle_window: synchronous && class != IoClass::Idle,
            slice_end: None,
            left: 0,
            looked: false,
            must_have_come: false,
        }
    }

    /// Whether it has requests that wait.
    pub(super) fn is_busy(&self) -> bool {
        self.turn.is_some()
    }

    /// Whether its slice is over.
    pub(super) fn slice_is_used(&self, now: Time) -> bool {
        self.slice_end.is_some_and(|end| now >= end)
    }
}

/// The queues, and the order of those with requests.
#[derive(Clone, Debug, Persist)]
pub(super) struct Turns {
    /// All queues.
    pub(super) queues: Queues<Queue>,
    order: BTreeSet<Turn>,
    number: u64,
    /// Slices at priority 4 in picoseconds, of queues that nobody waits for and others.
    slices: [u64; 2],
    /// In which time every queue gets a turn, and how long a process is waited for; in picoseconds.
    target: u64,
    idle: u64,
    /// How many queues were busy lately: real-time ones, others.
    busy_mean: [u64; 2],
}

impl Turns {
    /// The shared queues, all without requests.
    pub(super) fn new(parameters: &CfqParameters) -> Self {
        Self {
            queues: Queues::new(|class, priority| Queue::new(class, priority, false)),
            order: BTreeSet::new(),
            number: 0,
            slices: [parameters.slice_async, parameters.slice_sync].map(|slice| slice.time().as_picos()),
            target: parameters.target_latency.unwrap_or_default().time().as_picos(),
            idle: parameters.slice_idle.time().as_picos(),
            busy_mean: [0; 2],
        }
    }

    /// How many queues have requests.
    pub(super) fn busy(&self) -> usize {
        self.order.len()
    }

    /// The queue whose turn it is.
    pub(super) fn first(&self) -> Option<usize> {
        self.order.first().map(|turn| turn.3)
    }

    /// A queue has no requests any longer.
    pub(super) fn leave(&mut self, queue: usize) {
        if let Some(turn) = self.queues[queue].turn.take() {
            self.order.remove(&turn);
        }
    }

    /// The slice of a priority, in picoseconds (cfq_prio_slice).
    fn slice(&self, synchronous: bool, priority: u8) -> u64 {
        let base = self.slices[usize::from(synchronous)];
        base.saturating_add(base / 5 * 4) - base / 5 * u64::from(priority)
    }

    /// The slice that a queue gets now, shorter where many are busy (cfq_scaled_cfqq_slice of 2.6.33).
    pub(super) fn slice_now(&mut self, queue: usize) -> Time {
        let Queue { class, priority, synchronous, .. } = self.queues[queue];
        let slice = self.slice(synchronous, priority);
        let target = self.target;
        if target == 0 {
            return Time::from_picos(slice);
        }
        let real_time = class == IoClass::RealTime;
        let same = |turn: &&Turn| turn.0 != IoClass::Idle && (turn.0 == IoClass::RealTime) == real_time;
        let busy = self.order.iter().filter(same).count() as u64;
        let mean = &mut self.busy_mean[usize::from(!real_time)];
        *mean = (3 * (*mean).max(busy) + (*mean).min(busy) + 2) / 4;
        let whole = u128::from(self.slices[1]).max(1);
        let expected = whole * u128::from(*mean);
        if expected <= u128::from(target) {
            return Time::from_picos(slice);
        }
        let idle = u128::from(self.idle);
        let least = (2 * idle * u128::from(slice) / whole).min(u128::from(slice));
        let scaled = (u128::from(slice) * u128::from(target) / expected).max(least);
        Time::from_picos(u64::try_from(scaled).unwrap_or(slice))
    }

    /// Puts a queue among those that wait for their turn (cfq_service_tree_add): first of its class, or by the time
    /// now, later the lower its priority and the more queues there are.
    pub(super) fn line_up(&mut self, queue: usize, first: bool, now: Time) {
        let Queue { class, priority, synchronous, turn, left, .. } = self.queues[queue];
        let busy = self.order.len() + usize::from(turn.is_none());
        let time = if first {
            i128::MIN
        } else {
            let shorter = i128::from(self.slice(true, 0)) - i128::from(self.slice(synchronous, priority));
            self.queues[queue].left = 0;
            i128::from(now.as_picos()) + (busy as i128 - 1) * shorter + left
        };
        if let Some(turn) = turn {
            if (turn.0, turn.1) == (class, time) {
                return;
            }
            self.order.remove(&turn);
        }
        let turn = (class, time, self.number, queue);
        self.number += 1;
        self.order.insert(turn);
        self.queues[queue].turn = Some(turn);
    }

    /// The process of a queue has another class or priority than before (cfq_init_prio_data).
    pub(super) fn set_urgency(&mut self, queue: usize, (class, priority): (IoClass, u8)) {
        let queue = &mut self.queues[queue];
        (queue.class, queue.priority) = (class, priority);
        queue.idle_window &= class != IoClass::Idle;
        if let Some(turn) = queue.turn.as_mut()
            && turn.0 != class
        {
            self.order.remove(turn);
            turn.0 = class;
            self.order.insert(*turn);
        }
    }
}

impl std::ops::Index<usize> for Turns {
    type Output = Queue;

    fn index(&self, queue: usize) -> &Queue {
        &self.queues[queue]
    }
}

impl std::ops::IndexMut<usize> for Turns {
    fn index_mut(&mut self, queue: usize) -> &mut Queue {
        &mut self.queues[queue]
    }
}
