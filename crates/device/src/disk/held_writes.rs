//! Writes that have been reported and are not on the medium yet: what a drive's write cache holds.
//!
//! Held data are kept as runs of consecutive blocks that don't overlap. A write that overlaps held ones becomes one run
//! with them, so that each block is written once; one that only touches a run joins it as long as both fit into a
//! segment and a quarter of the room, so that a run is never much longer than what the drive can stop for. A run that
//! is being written is beyond change: data that come for its blocks meanwhile are held beside it, and written later.
//!
//! Left out: that the room is part of the same buffer as the segments, so that what is held leaves reads less of it;
//! the time that bookkeeping takes.

use super::mechanics::Spot;
use super::parameters::CacheParameters;
use petrio_persist::Persist;

/// All that is held.
#[derive(Clone, Debug, Default, Persist)]
pub(super) struct HeldWrites {
    /// By first block; none overlaps another.
    runs: Vec<HeldRun>,
    /// The run that is being written.
    under_way: Option<HeldRun>,
    /// Blocks held, those being written included.
    blocks: u64,
    /// Writes held so far.
    count: u64,
}

/// Consecutive blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub(super) struct HeldRun {
    /// First block.
    pub(super) start: u64,
    /// One past the last.
    pub(super) end: u64,
    /// The number of its oldest write.
    pub(super) number: u64,
    /// Where its first block lies: looked up once, as the arm looks at all runs whenever it picks one.
    pub(super) spot: Spot,
}

impl HeldRun {
    fn blocks(&self) -> u64 {
        self.end - self.start
    }

    fn holds(&self, block: u64) -> bool {
        self.start <= block && block < self.end
    }
}

impl HeldWrites {
    /// Whether runs wait to be written.
    pub(super) fn waiting(&self) -> bool {
        !self.runs.is_empty()
    }

    /// Runs that wait.
    pub(super) fn runs(&self) -> u64 {
        self.runs.len() as u64
    }

    /// Blocks that are held, those being written included.
    pub(super) const fn blocks(&self) -> u64 {
        self.blocks
    }

    /// Whether nothing is held, and nothing is being written.
    pub(super) fn is_clean(&self) -> bool {
        self.runs.is_empty() && self.under_way.is_none()
    }

    /// Whether the arm is at work for one of them.
    pub(super) const fn is_being_written(&self) -> bool {
        self.under_way.is_some()
    }

    /// Whether a write of so many blocks finds room, even if it can join no run.
    pub(super) fn has_room(&self, parameters: &CacheParameters, blocks: u64) -> bool {
        let runs = self.runs.len() + usize::from(self.under_way.is_some());
        let most = parameters.write_back.runs as usize;
        self.blocks + blocks <= parameters.most_held() && (most == 0 || runs < most)
    }

    /// Holds `start..end`, for which there is room; `start` lies at `spot`.
    pub(super) fn hold(&mut self, parameters: &CacheParameters, start: u64, end: u64, spot: Spot) {
        let (mut first, mut behind) = self.overlapping(start, end);
        let mut run = HeldRun { start, end, number: self.count, spot };
        self.count += 1;
        for other in &self.runs[first..behind] {
            run = union(run, *other);
        }
        let longest = parameters.longest_run();
        let fits = |run: HeldRun| run.blocks() <= longest;
        if let Some(before) = first.checked_sub(1).map(|before| self.runs[before])
            && before.end == run.start
            && fits(union(run, before))
        {
            run = union(run, before);
            first -= 1;
        }
        if let Some(after) = self.runs.get(behind).copied()
            && after.start == run.end
            && fits(union(run, after))
        {
            run = union(run, after);
            behind += 1;
        }
        self.replace(first, behind, [Some(run), None]);
    }

    /// Gives up `start..end`: newer data go to the medium by themselves. `end` lies at `spot`.
    pub(super) fn give_up(&mut self, start: u64, end: u64, spot: impl FnOnce() -> Spot) {
        let (first, behind) = self.overlapping(start, end);
        if first == behind {
            return;
        }
        let head = HeldRun { end: start, ..self.runs[first] };
        let tail = HeldRun { start: end, ..self.runs[behind - 1] };
        let head = Some(head).filter(|head| head.start < head.end);
        let tail =
            Some(tail).filter(|tail| tail.start < tail.end).map(|tail| HeldRun { spot: spot(), ..tail });
        self.replace(first, behind, [head, tail]);
    }

    /// The end of what is held from `block` on without a gap, what is being written included; `block` itself where it
    /// isn't held.
    pub(super) fn held_to(&self, block: u64) -> u64 {
        let mut end = block;
        loop {
            let (_, next) = self.overlapping(end, end + 1);
            let found = next.checked_sub(1).map(|last| self.runs[last]).filter(|run| run.holds(end));
            match found.or(self.under_way.filter(|run| run.holds(end))) {
                Some(run) => end = run.end,
                None => return end,
            }
        }
    }

    /// Begins to write the run for which `key` is least, the older of equals.
    pub(super) fn begin<K: Ord>(&mut self, mut key: impl FnMut(&HeldRun) -> K) -> Option<HeldRun> {
        if self.under_way.is_some() {
            return None;
        }
        let (index, _) = self.runs.iter().enumerate().min_by_key(|(_, run)| (key(run), run.number))?;
        self.under_way = Some(self.runs.remove(index));
        self.under_way
    }

    /// The run that was being written is on the medium.
    pub(super) fn finish(&mut self) {
        self.blocks -= self.under_way.take().map_or(0, |run| run.blocks());
    }

    /// The runs that overlap `start..end`: first, and one past the last.
    fn overlapping(&self, start: u64, end: u64) -> (usize, usize) {
        let first = self.runs.partition_point(|run| run.end <= start);
        let behind = self.runs.partition_point(|run| run.start < end);
        (first, behind.max(first))
    }

    /// Puts up to two runs in the place of others.
    fn replace(&mut self, first: usize, behind: usize, pieces: [Option<HeldRun>; 2]) {
        self.blocks -= self.runs.drain(first..behind).map(|run| run.blocks()).sum::<u64>();
        for piece in pieces.into_iter().rev().flatten() {
            self.blocks += piece.blocks();
            self.runs.insert(first, piece);
        }
    }
}

fn union(a: HeldRun, b: HeldRun) -> HeldRun {
    let first = if a.start <= b.start { a } else { b };
    HeldRun { end: a.end.max(b.end), number: a.number.min(b.number), ..first }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use petrio_kernel::Time;
    use petrio_units::Blocks;
    use proptest::prelude::*;

    fn parameters(segment: u64, runs: u32) -> CacheParameters {
        let mut parameters =
            CacheParameters { segments: 8, segment_size: Blocks(segment), ..CacheParameters::default() };
        parameters.write_back.runs = runs;
        parameters
    }

    /// Blocks of the tests lie one behind the other.
    fn spot(block: u64) -> Spot {
        Spot { angle: Time::from_picos(block), ..Spot::default() }
    }

    fn runs(held: &HeldWrites) -> Vec<(u64, u64)> {
        held.runs.iter().map(|run| (run.start, run.end)).collect()
    }

    #[test]
    fn writes_that_touch_join_as_long_as_they_fit_into_a_segment() {
        let parameters = parameters(10, 0);
        let mut held = HeldWrites::default();
        for (start, end) in [(10, 14), (18, 22), (14, 18), (22, 26), (40, 44)] {
            held.hold(&parameters, start, end, spot(start));
        }
        // 14..18 joins what comes before it: with what comes behind, the run would be longer than a segment.
        assert_eq!(runs(&held), [(10, 18), (18, 26), (40, 44)]);
        // Without a gap all the same.
        assert_eq!(held.held_to(12), 26);
        // Overlapping ones are one run in any case, as old as the oldest.
        held.hold(&parameters, 16, 20, spot(16));
        assert_eq!(runs(&held), [(10, 26), (40, 44)]);
        assert_eq!(held.begin(|_| 0).map(|run| (run.start, run.number)), Some((10, 0)));
    }

    #[test]
    fn newer_data_past_the_cache_leave_what_lies_around_them() {
        let mut held = HeldWrites::default();
        held.hold(&parameters(50, 0), 10, 30, spot(10));
        held.give_up(15, 20, || spot(20));
        assert_eq!(runs(&held), [(10, 15), (20, 30)]);
        held.give_up(0, 25, || spot(25));
        assert_eq!(runs(&held), [(25, 30)]);
        held.give_up(25, 30, || spot(30));
        assert!(held.is_clean());
    }

    #[test]
    fn a_limit_of_runs_counts_the_one_being_written() {
        let parameters = parameters(50, 2);
        let mut held = HeldWrites::default();
        held.hold(&parameters, 10, 11, spot(10));
        held.begin(|_| 0);
        assert!(held.has_room(&parameters, 1));
        held.hold(&parameters, 20, 21, spot(20));
        assert!(!held.has_room(&parameters, 1));
        held.finish();
        assert!(held.has_room(&parameters, 1));
    }

    /// The same, block by block.
    #[derive(Default)]
    struct Naive {
        waiting: std::collections::BTreeSet<u64>,
        under_way: std::collections::BTreeSet<u64>,
    }

    proptest! {
        #[test]
        fn runs_hold_what_single_blocks_would(
            steps in proptest::collection::vec((0u8..5, 0u64..120, 1u64..30), 1..200),
        ) {
            let parameters = parameters(16, 0);
            let (mut held, mut naive) = (HeldWrites::default(), Naive::default());
            for (what, start, blocks) in steps {
                let end = start + blocks;
                let room = (naive.waiting.len() + naive.under_way.len()) as u64 + blocks <= 128;
                prop_assert_eq!(held.has_room(&parameters, blocks), room);
                match what {
                    0..=2 if room => {
                        held.hold(&parameters, start, end, spot(start));
                        naive.waiting.extend(start..end);
                    }
                    3 => {
                        held.give_up(start, end, || spot(end));
                        naive.waiting.retain(|block| !(start..end).contains(block));
                    }
                    4 if held.under_way.is_none() => {
                        if let Some(run) = held.begin(|run| run.start.abs_diff(start)) {
                            let nearest = naive.waiting.iter().any(|block| *block == run.start);
                            prop_assert!(nearest);
                            for block in run.start..run.end {
                                prop_assert!(naive.waiting.remove(&block));
                                naive.under_way.insert(block);
                            }
                        }
                    }
                    _ => {
                        held.finish();
                        naive.under_way.clear();
                    }
                }
                prop_assert_eq!(held.waiting(), !naive.waiting.is_empty());
                prop_assert!(held.runs.iter().all(|run| run.spot == spot(run.start)));
                prop_assert!(held.runs.windows(2).all(|pair| pair[0].end <= pair[1].start));
                for block in 0..160 {
                    let there = |block: &u64| naive.waiting.contains(block) || naive.under_way.contains(block);
                    prop_assert_eq!(held.held_to(block), (block..).find(|block| !there(block)).unwrap());
                }
            }
        }
    }
}
