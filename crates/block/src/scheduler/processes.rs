//! What schedulers know of processes: whose queue a request belongs to, how long they think, how far they seek.
//!
//! Source: as_update_thinktime and as_update_seekdist of block/as-iosched.c of Linux 2.6.24, and the same in
//! block/cfq-iosched.c and block/bfq-iosched.c; the queues of cfq_get_queue and bfq_get_queue. Means are in fixed
//! point, 256 to one sample, and forget an eighth with each sample. What is known of a process that has ended is kept, so
//! memory grows with the number of processes. Times are exact, where the older kernels count timer ticks.

use petrio_colours::{BlockRequest, Direction, IoClass};
use petrio_persist::Persist;
use std::collections::BTreeMap;

/// Whether a request counts as one that its process waits for: every read does (rq_is_sync, op_is_sync).
pub(super) fn is_synchronous(direction: Direction, synchronous: bool) -> bool {
    direction == Direction::Read || synchronous
}

/// Priorities in an I/O class (IOPRIO_BE_NR).
pub(super) const PRIORITIES: usize = LOWEST as usize + 1;
const LOWEST: u8 = 7;

/// Queues for what no process waits for, shared by all processes: one for each priority of the two upper classes, and
/// one for the idle class (cfq_async_queue_prio).
pub(super) const SHARED_QUEUES: usize = 2 * PRIORITIES + 1;

/// The class and priority in force: the idle class has but one priority, the lowest (cfq_init_prio_data).
pub(super) fn urgency(class: IoClass, priority: u8) -> (IoClass, u8) {
    (class, if class == IoClass::Idle { LOWEST } else { priority.min(LOWEST) })
}

/// The classes and priorities of the shared queues, in their order.
pub(super) fn shared_urgencies() -> impl Iterator<Item = (IoClass, u8)> {
    let upper = [IoClass::RealTime, IoClass::BestEffort];
    let upper = upper.into_iter().flat_map(|class| (0..=LOWEST).map(move |of| (class, of)));
    upper.chain([urgency(IoClass::Idle, 0)])
}

fn shared_queue(class: IoClass, priority: u8) -> usize {
    match urgency(class, priority) {
        (IoClass::RealTime, priority) => usize::from(priority),
        (IoClass::BestEffort, priority) => PRIORITIES + usize::from(priority),
        (IoClass::Idle, _) => 2 * PRIORITIES,
    }
}

/// Queues by number: the shared ones, then one for each process.
#[derive(Clone, Debug, Persist)]
pub(super) struct Queues<T> {
    all: Vec<T>,
    of_process: PerProcess<()>,
}

impl<T> Queues<T> {
    /// The shared queues, made from their classes and priorities.
    pub(super) fn new(shared: impl Fn(IoClass, u8) -> T) -> Self {
        let all = shared_urgencies().map(|(class, priority)| shared(class, priority)).collect();
        Self { all, of_process: PerProcess::default() }
    }

    /// The number of a process' own queue, if it has one.
    pub(super) fn of_process(&self, process: u32) -> Option<usize> {
        self.of_process.find(process).map(|index| SHARED_QUEUES + index)
    }

    /// The number of a request's queue; `None` where it would be the first one of its process that is waited for.
    pub(super) fn find(&self, request: &BlockRequest) -> Option<usize> {
        if is_synchronous(request.direction, request.synchronous) {
            return self.of_process(request.process);
        }
        Some(shared_queue(request.class, request.priority))
    }

    /// The same, with a new queue where there is none.
    pub(super) fn find_or_make(&mut self, request: &BlockRequest, make: impl FnOnce() -> T) -> usize {
        if let Some(found) = self.find(request) {
            return found;
        }
        self.of_process.index(request.process);
        self.all.push(make());
        self.all.len() - 1
    }
}

impl<T> std::ops::Index<usize> for Queues<T> {
    type Output = T;

    fn index(&self, queue: usize) -> &T {
        &self.all[queue]
    }
}

impl<T> std::ops::IndexMut<usize> for Queues<T> {
    fn index_mut(&mut self, queue: usize) -> &mut T {
        &mut self.all[queue]
    }
}

/// Something kept for each process that has ever asked.
#[derive(Clone, Debug, Default, Persist)]
pub(super) struct PerProcess<T> {
    numbers: BTreeMap<u32, usize>,
    kept: Vec<T>,
}

impl<T: Default> PerProcess<T> {
    /// Where a process' entry is, if it has one.
    pub(super) fn find(&self, process: u32) -> Option<usize> {
        self.numbers.get(&process).copied()
    }

    /// Where a process' entry is; a first one is made.
    pub(super) fn index(&mut self, process: u32) -> usize {
        let next = self.kept.len();
        let index = *self.numbers.entry(process).or_insert(next);
        if index == next {
            self.kept.push(T::default());
        }
        index
    }
}

impl<T> std::ops::Index<usize> for PerProcess<T> {
    type Output = T;

    fn index(&self, index: usize) -> &T {
        &self.kept[index]
    }
}

impl<T> std::ops::IndexMut<usize> for PerProcess<T> {
    fn index_mut(&mut self, index: usize) -> &mut T {
        &mut self.kept[index]
    }
}

/// A mean that forgets.
#[derive(Clone, Copy, Debug, Default, Persist)]
pub(super) struct FadingMean {
    /// How much of 256 is known: near 256 after many samples.
    samples: u64,
    /// The sum of fading samples, each times 256. Wide, as a sample may be any time in picoseconds.
    total: u128,
    mean: u64,
}

impl FadingMean {
    /// Adds a sample.
    pub(super) fn add(&mut self, sample: u64) {
        self.samples = (7 * self.samples + 256) / 8;
        self.total = (7 * self.total + 256 * u128::from(sample)) / 8;
        let mean = (self.total + u128::from(self.samples / 2)) / u128::from(self.samples);
        self.mean = u64::try_from(mean).unwrap_or(u64::MAX);
    }

    /// The mean of the samples so far; zero before the first.
    pub(super) fn mean(&self) -> u64 {
        self.mean
    }

    /// The mean as if all that isn't known yet were zero.
    pub(super) fn cautious_mean(&self) -> u64 {
        u64::try_from(self.total / 256).unwrap_or(u64::MAX)
    }

    /// Whether there is no sample.
    pub(super) fn is_empty(&self) -> bool {
        self.samples == 0
    }

    /// Whether there are enough samples to build on: three (sample_valid).
    pub(super) fn is_settled(&self) -> bool {
        self.samples > 80
    }
}

/// How far a process seeks from one request to the next, in device blocks.
#[derive(Clone, Copy, Debug, Default, Persist)]
pub(super) struct SeekDistance {
    mean: FadingMean,
    /// Where its last request ended.
    end: u64,
}

impl SeekDistance {
    /// Adds the way to a request, and gives what was added: a single far seek counts only so much.
    pub(super) fn add(&mut self, address: u64) -> u64 {
        let distance = self.end.abs_diff(address);
        // One of the first samples weighs more, so it may be larger (2 Mi and 128 Ki blocks in the kernel).
        let more = if self.mean.samples <= 60 { 2 << 20 } else { 2 << 16 };
        let distance = distance.min(self.mean.mean.saturating_mul(4).saturating_add(more));
        self.mean.add(distance);
        distance
    }

    /// The process' last request ends here.
    pub(super) fn end_at(&mut self, end: u64) {
        self.end = end;
    }

    /// Its mean.
    pub(super) fn mean(&self) -> &FadingMean {
        &self.mean
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::super::tests::{read, write};
    use super::*;

    #[test]
    fn three_samples_settle_a_mean() {
        let mut mean = FadingMean::default();
        // 256/8 = 32, then (7·32 + 256)/8 = 60, then (7·60 + 256)/8 = 84, which is above 80.
        for settled in [false, false, true] {
            mean.add(1_000);
            assert_eq!(mean.is_settled(), settled);
            assert!(mean.mean().abs_diff(1_000) <= 20, "{}", mean.mean());
        }
    }

    #[test]
    fn a_new_habit_takes_over_by_an_eighth_a_sample() {
        let mut mean = FadingMean::default();
        for _ in 0..200 {
            mean.add(1_000_000);
        }
        for _ in 0..8 {
            mean.add(0);
        }
        // (7/8)^8 = 0.344, times 256/249: rounding down stops the samples at 249 of 256, in the kernel as here.
        assert!(mean.mean().abs_diff(353_000) < 1_000, "{}", mean.mean());
    }

    #[test]
    fn one_far_seek_does_not_make_a_process_a_seeker() {
        let mut seeks = SeekDistance::default();
        for index in 0..50 {
            seeks.add(index * 8);
            seeks.end_at(index * 8 + 8);
        }
        assert_eq!(seeks.add(1 << 40), 2 << 16);
    }

    #[test]
    fn reads_have_a_queue_a_process_and_writes_one_a_priority() {
        let mut queues = Queues::new(|class, priority| (class, priority));
        let of = |process, request| BlockRequest { process, ..request };
        assert_eq!(queues.find(&of(7, read(0))), None);
        let mine = queues.find_or_make(&of(7, read(0)), || (IoClass::BestEffort, 4));
        let other = queues.find_or_make(&of(3, read(0)), || (IoClass::BestEffort, 4));
        assert_eq!((mine, other), (17, 18));
        assert_eq!(queues.find(&of(7, read(99))), Some(mine));
        assert_eq!(queues.find(&of(7, write(0))), queues.find(&of(3, write(0))));
        for (class, priority) in shared_urgencies() {
            let request = BlockRequest { class, priority, ..write(0) };
            assert_eq!(queues[queues.find(&request).unwrap()], (class, priority));
        }
        let awaited = BlockRequest { synchronous: true, ..of(7, write(0)) };
        assert_eq!(queues.find(&awaited), Some(mine));
    }
}
