//! The queues of cfq from 2.6.33 on: in which order they stand, in trees by class and kind of work, and their slices.
//!
//! Source: cfq_service_tree_add, cfqq_type, cfq_slice_offset and cfq_scaled_cfqq_slice of block/cfq-iosched.c of Linux
//! 3.2. A queue that runs dry stays in its tree as long as it has the device.

use super::super::processes::{FadingMean, Queues};
use super::CfqParameters;
use crate::waiting::Handle;
use petrio_colours::IoClass;
use petrio_kernel::Time;
use petrio_persist::Persist;
use std::collections::BTreeSet;

/// What a queue's requests are like (wl_type_t).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Persist)]
pub(super) enum Work {
    /// Nobody waits for them.
    Async,
    /// Somebody does, but he isn't idled for: he seeks, thinks long, or has said that no more comes.
    NoIdle,
    /// Its process is idled for.
    Sync,
}

impl Work {
    /// All kinds, in the order in which a tie is decided.
    pub(super) const ALL: [Self; 3] = [Self::Async, Self::NoIdle, Self::Sync];
}

/// One of the trees: of the idle class there is one alone.
pub(super) const IDLE_TREE: usize = 6;
const TREES: usize = IDLE_TREE + 1;

/// The tree of a class and a kind.
pub(super) fn tree(class: IoClass, work: Work) -> usize {
    match class {
        IoClass::RealTime => work as usize,
        IoClass::BestEffort => 3 + work as usize,
        IoClass::Idle => IDLE_TREE,
    }
}

/// A slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub(super) enum Slice {
    /// Nothing of it has completed: its time doesn't run yet.
    New,
    /// It began with the first completion, and ends.
    Runs { began: Time, ends: Time },
}

/// A queue of requests (cfq_queue).
#[derive(Clone, Debug, Persist)]
pub(super) struct Queue {
    pub(super) class: IoClass,
    pub(super) priority: u8,
    pub(super) synchronous: bool,
    /// What is served next.
    pub(super) next: Option<Handle>,
    /// Its tree and key there, while it is in one.
    place: Option<(usize, Key)>,
    /// Its requests in the device.
    pub(super) dispatched: u32,
    /// Those of this slice.
    pub(super) slice_dispatched: u32,
    /// Whether the device is left idle for it.
    pub(super) idle_window: bool,
    /// Whether it has had several requests at once (CFQ_CFQQ_FLAG_deep).
    pub(super) deep: bool,
    pub(super) slice: Slice,
    /// What was left of its last slice, in picoseconds; negative where it took longer.
    pub(super) left: i128,
    /// Whether the oldest was looked at in this slice.
    pub(super) looked: bool,
    /// Whether one came in though the queue was full, in this slice.
    pub(super) must_have_come: bool,
    /// The last 32 requests: a bit for each that was a seek, and where the last one ended.
    pub(super) seeks: u32,
    pub(super) end: u64,
}

impl Queue {
    /// A queue without requests.
    pub(super) fn new(class: IoClass, priority: u8, synchronous: bool) -> Self {
        Self {
            class,
            priority,
            synchronous,
            next: None,
            place: None,
            dispatched: 0,
            slice_dispatched: 0,
            idle_window: synchronous && class != IoClass::Idle,
            deep: false,
            slice: Slice::New,
            left: 0,
            looked: false,
            must_have_come: false,
            seeks: 0,
            end: 0,
        }
    }

    /// The kind of its work (cfqq_type).
    pub(super) fn work(&self) -> Work {
        match (self.synchronous, self.idle_window) {
            (false, _) => Work::Async,
            (true, false) => Work::NoIdle,
            (true, true) => Work::Sync,
        }
    }

    /// Whether more than an eighth of its last requests were seeks (CFQQ_SEEKY).
    pub(super) fn is_seeky(&self) -> bool {
        self.seeks.count_ones() > 32 / 8
    }

    /// Whether its slice is over.
    pub(super) fn slice_is_used(&self, now: Time) -> bool {
        matches!(self.slice, Slice::Runs { ends, .. } if now >= ends)
    }

    /// Whether it is in a tree.
    pub(super) fn is_listed(&self) -> bool {
        self.place.is_some()
    }

    /// The tree that it is in, or would be.
    pub(super) fn tree(&self) -> usize {
        self.place.map_or_else(|| tree(self.class, self.work()), |(tree, _)| tree)
    }
}

/// A queue's place in its tree: time in picoseconds, number, queue. Times may be negative.
type Key = (i128, u64, usize);

/// A tree (cfq_rb_root), with the think time of all in it.
#[derive(Clone, Debug, Default, Persist)]
pub(super) struct Tree {
    order: BTreeSet<Key>,
    pub(super) think: FadingMean,
    pub(super) ended: Time,
}

/// The queues, and the order of those with requests.
#[derive(Clone, Debug, Persist)]
pub(super) struct Trees {
    pub(super) queues: Queues<Queue>,
    pub(super) trees: [Tree; TREES],
    number: u64,
    listed: usize,
    listed_synchronous: usize,
    /// Slices at priority 4 in picoseconds, of queues that nobody waits for and others.
    slices: [u64; 2],
    target: u64,
    idle: u64,
    /// How many queues were busy lately: real-time ones, others.
    busy_mean: [u64; 2],
}

/// In which time all get a turn (cfq_target_latency).
pub(super) const TARGET: Time = Time::from_millis(300);

/// A queue of the idle class comes so long after the one before it (CFQ_IDLE_DELAY; HZ/5), and one that goes before
/// others so long before them (HZ).
const IDLE_DELAY: Time = Time::from_millis(200);
const IN_FRONT: Time = Time::from_whole_seconds(1);

fn picos(time: Time) -> i128 {
    i128::from(time.as_picos())
}

impl Trees {
    /// The shared queues, all without requests.
    pub(super) fn new(parameters: &CfqParameters) -> Self {
        Self {
            queues: Queues::new(|class, priority| Queue::new(class, priority, false)),
            trees: std::array::from_fn(|_| Tree::default()),
            number: 0,
            listed: 0,
            listed_synchronous: 0,
            slices: [parameters.slice_async, parameters.slice_sync].map(|slice| slice.time().as_picos()),
            target: parameters.target_latency.map_or(TARGET, petrio_units::Duration::time).as_picos(),
            idle: parameters.slice_idle.time().as_picos(),
            busy_mean: [0; 2],
        }
    }

    /// How many queues are in trees, and how many of them somebody waits for.
    pub(super) fn busy(&self) -> usize {
        self.listed
    }

    /// How many of them somebody waits for.
    pub(super) fn busy_synchronous(&self) -> usize {
        self.listed_synchronous
    }

    /// How many are in a tree.
    pub(super) fn count(&self, tree: usize) -> usize {
        self.trees[tree].order.len()
    }

    /// How many are in the trees of a class.
    pub(super) fn busy_of(&self, class: IoClass) -> usize {
        match class {
            IoClass::Idle => self.count(IDLE_TREE),
            _ => Work::ALL.into_iter().map(|work| self.count(tree(class, work))).sum(),
        }
    }

    /// The first of a tree, and its key.
    pub(super) fn first(&self, tree: usize) -> Option<(i128, usize)> {
        self.trees[tree].order.first().map(|&(key, _, queue)| (key, queue))
    }

    /// A queue has no requests any longer, and doesn't have the device.
    pub(super) fn leave(&mut self, queue: usize) {
        if let Some((tree, key)) = self.queues[queue].place.take() {
            self.trees[tree].order.remove(&key);
            self.listed -= 1;
            self.listed_synchronous -= usize::from(self.queues[queue].synchronous);
        }
    }

    /// The slice of a priority, in picoseconds (cfq_prio_slice).
    fn slice(&self, synchronous: bool, priority: u8) -> u64 {
        let base = self.slices[usize::from(synchronous)];
        base.saturating_add(base / 5 * 4) - base / 5 * u64::from(priority)
    }

    /// The slice that a queue gets now, shorter where many are busy (cfq_scaled_cfqq_slice).
    pub(super) fn slice_now(&mut self, queue: usize) -> Time {
        let Queue { class, priority, synchronous, .. } = self.queues[queue];
        let slice = self.slice(synchronous, priority);
        if self.target == 0 {
            return Time::from_picos(slice);
        }
        let real_time = class == IoClass::RealTime;
        let busy = self.busy_of(if real_time { class } else { IoClass::BestEffort }) as u64;
        let mean = &mut self.busy_mean[usize::from(!real_time)];
        *mean = (3 * (*mean).max(busy) + (*mean).min(busy) + 2) / 4;
        let whole = u128::from(self.slices[1]).max(1);
        let expected = whole * u128::from(*mean);
        if expected <= u128::from(self.target) {
            return Time::from_picos(slice);
        }
        let least = (2 * u128::from(self.idle) * u128::from(slice) / whole).min(u128::from(slice));
        let scaled = (u128::from(slice) * u128::from(self.target) / expected).max(least);
        Time::from_picos(u64::try_from(scaled).unwrap_or(slice))
    }

    /// How long a kind of work is served of what many queues share (choose_service_tree), before its bounds.
    pub(super) fn share(&self, class: IoClass, work: Work, whole: Time) -> Time {
        let busy = self.busy_of(class) as u64;
        let mean = self.busy_mean[usize::from(class != IoClass::RealTime)];
        let count = self.count(tree(class, work)) as u64;
        let part = u128::from(whole.as_picos()) * u128::from(count) / u128::from(mean.max(busy).max(1));
        let mut part = u64::try_from(part).unwrap_or(u64::MAX);
        if work == Work::Async {
            let all = whole.as_picos() / (self.busy() as u64).max(1) * count;
            let scaled = u128::from(part.min(all)) * u128::from(self.slices[0]);
            part = u64::try_from(scaled / u128::from(self.slices[1]).max(1)).unwrap_or(u64::MAX);
        }
        Time::from_picos(part)
    }

    /// Puts a queue into its tree (cfq_service_tree_add): before all others, or by the time now, later the lower its
    /// priority and the more queues there are.
    pub(super) fn line_up(&mut self, queue: usize, first: bool, now: Time) {
        let Queue { class, priority, synchronous, place, left, .. } = self.queues[queue];
        let of = tree(class, self.queues[queue].work());
        let busy = self.listed + usize::from(place.is_none());
        let time = if class == IoClass::Idle {
            let others = self.trees[of].order.iter().rev().find(|key| key.2 != queue);
            others.map_or(picos(now), |key| key.0) + picos(IDLE_DELAY)
        } else if first {
            self.first(of).map_or(picos(now), |(key, _)| key) - picos(IN_FRONT)
        } else {
            let shorter = i128::from(self.slice(true, 0)) - i128::from(self.slice(synchronous, priority));
            self.queues[queue].left = 0;
            picos(now) + (busy as i128 - 1) * shorter - left
        };
        if let Some((there, key)) = place {
            if (there, key.0) == (of, time) {
                return;
            }
            self.leave(queue);
        }
        let key = (time, self.number, queue);
        self.number += 1;
        self.trees[of].order.insert(key);
        self.queues[queue].place = Some((of, key));
        self.listed += 1;
        self.listed_synchronous += usize::from(synchronous);
    }

    /// The process of a queue has another class or priority than before (cfq_init_prio_data); it counts from when it is
    /// next put into a tree.
    pub(super) fn set_urgency(&mut self, queue: usize, (class, priority): (IoClass, u8)) {
        let queue = &mut self.queues[queue];
        (queue.class, queue.priority) = (class, priority);
        queue.idle_window &= class != IoClass::Idle;
    }
}

impl std::ops::Index<usize> for Trees {
    type Output = Queue;

    fn index(&self, queue: usize) -> &Queue {
        &self.queues[queue]
    }
}

impl std::ops::IndexMut<usize> for Trees {
    fn index_mut(&mut self, queue: usize) -> &mut Queue {
        &mut self.queues[queue]
    }
}
