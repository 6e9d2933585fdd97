//! The free space of an allocation group: by block and by size, as its two B+trees have it.
//!
//! After fs/xfs/libxfs/xfs_alloc.c of Linux 6.18: exact (`xfs_alloc_ag_vextent_exact`), near (`xfs_alloc_ag_vextent_near` with
//! `xfs_alloc_compute_diff`) and by size (`xfs_alloc_ag_vextent_size`). Which records of the trees an allocation changes is told, since
//! that is what the log gets. Left out: alignment to stripes, and that blocks which were freed and aren't committed, or
//! discarded, yet aren't taken (busy extents).

use petrio_persist::Persist;
use std::collections::{BTreeMap, BTreeSet};

/// Records of 8 bytes in a block of 4 KiB behind a header of 56 bytes.
pub(super) const RECORDS_PER_BLOCK: u64 = 505;

/// Extents that are looked at by size before the search goes by block instead.
const LOOKED_AT: usize = 64;

/// What happened to records of a tree: from which on they moved, or the one that changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub(super) struct RecordChange {
    /// The record's place in its tree, from 0.
    pub index: u64,
    /// Whether those behind it moved.
    pub moved: bool,
}

/// A change of both trees.
#[derive(Clone, Debug, Default, PartialEq, Eq, Persist)]
pub(super) struct SpaceChange {
    /// Of the tree by block.
    pub by_block: Vec<RecordChange>,
    /// Of the tree by size.
    pub by_size: Vec<RecordChange>,
}

/// Free extents of a group; blocks count from the group's beginning.
#[derive(Clone, Debug, Default, Persist)]
pub(super) struct Space {
    by_block: BTreeMap<u64, u64>,
    by_size: BTreeSet<(u64, u64)>,
    free: u64,
}

impl Space {
    /// One free extent.
    #[must_use]
    pub(super) fn new(first: u64, count: u64) -> Self {
        let mut space = Self::default();
        if count > 0 {
            space.insert(first, count);
        }
        space
    }

    /// Blocks that are free.
    #[must_use]
    pub(super) const fn free(&self) -> u64 {
        self.free
    }

    /// Extents that are free.
    #[must_use]
    pub(super) fn extents(&self) -> u64 {
        self.by_block.len() as u64
    }

    /// The longest free extent.
    #[must_use]
    pub(super) fn longest(&self) -> u64 {
        self.by_size.last().map_or(0, |&(count, _)| count)
    }

    /// How many blocks are free from this one on.
    #[must_use]
    pub(super) fn free_at(&self, block: u64) -> u64 {
        let before = self.by_block.range(..=block).next_back();
        before.map_or(0, |(&first, &count)| (first + count).saturating_sub(block))
    }

    /// The first run of free blocks in `first .. end`: where it begins, and how many.
    #[must_use]
    pub(super) fn free_run(&self, first: u64, end: u64) -> Option<(u64, u64)> {
        if first >= end {
            return None;
        }
        let here = self.free_at(first);
        if here > 0 {
            return Some((first, here.min(end - first)));
        }
        self.by_block.range(first..end).next().map(|(&begin, &free)| (begin, free.min(end - begin)))
    }

    /// Where `count` blocks for data would lie nearest to a block; none where there are no so many in one piece.
    #[must_use]
    pub(super) fn near(&self, wanted: u64, count: u64) -> Option<u64> {
        let mut best: Option<(u64, u64)> = None;
        let mut look = |first: u64, free: u64| {
            let at = place(wanted, count, first, free);
            let away = at.abs_diff(wanted);
            if best.is_none_or(|(least, _)| away < least) {
                best = Some((away, at));
            }
        };
        let mut large = self.by_size.range((count, 0)..);
        for &(free, first) in large.by_ref().take(LOOKED_AT) {
            look(first, free);
        }
        if large.next().is_some() {
            let enough = |(_, free): &(&u64, &u64)| **free >= count;
            let before = self.by_block.range(..=wanted).rev().filter(enough).take(1);
            let behind = self.by_block.range(wanted + 1..).filter(enough).take(1);
            before.chain(behind).for_each(|(&first, &free)| look(first, free));
        }
        best.map(|(_, at)| at)
    }

    /// A run aligned to `align` blocks, nearest to a block: for inodes.
    #[must_use]
    pub(super) fn near_aligned(&self, wanted: u64, count: u64, align: u64) -> Option<u64> {
        let mut best: Option<(u64, u64)> = None;
        let mut look = |first: u64, free: u64| {
            let lowest = first.next_multiple_of(align);
            if lowest + count > first + free {
                return;
            }
            let highest = (first + free - count) / align * align;
            let at = (wanted.next_multiple_of(align)).clamp(lowest, highest);
            let away = at.abs_diff(wanted);
            if best.is_none_or(|(least, _)| away < least) {
                best = Some((away, at));
            }
        };
        let before = self.by_block.range(..=wanted).rev().take(LOOKED_AT);
        let behind = self.by_block.range(wanted + 1..).take(LOOKED_AT);
        let near = before.chain(behind).map(|(&first, &free)| (first, free));
        let largest = self.by_size.last().map(|&(free, first)| (first, free));
        near.chain(largest).for_each(|(first, free)| look(first, free));
        best.map(|(_, at)| at)
    }

    /// Takes free blocks, which lie in one free extent; which records change. Nothing where they aren't free.
    pub(super) fn take(&mut self, first: u64, count: u64, change: &mut SpaceChange) -> bool {
        let Some((&start, &free)) = self.by_block.range(..=first).next_back() else { return false };
        if count == 0 || first + count > start + free {
            return false;
        }
        let index = self.rank(start);
        let size_index = self.size_rank(free, start);
        self.remove(start, free);
        change.by_size.push(RecordChange { index: size_index, moved: true });
        let (before, behind) = (first - start, start + free - first - count);
        for (at, left) in [(start, before), (first + count, behind)] {
            if left > 0 {
                self.insert(at, left);
                change.by_size.push(RecordChange { index: self.size_rank(left, at), moved: true });
            }
        }
        // One record is changed in place; two ask for one more, none for one less.
        let moved = (before > 0) == (behind > 0);
        change.by_block.push(RecordChange { index, moved });
        true
    }

    /// Gives blocks back; which records change (`xfs_free_ag_extent`).
    pub(super) fn give(&mut self, first: u64, count: u64, change: &mut SpaceChange) {
        let (mut start, mut end) = (first, first + count);
        let mut joined = 0;
        if let Some((&at, &free)) = self.by_block.range(..first).next_back()
            && at + free == first
        {
            change.by_size.push(RecordChange { index: self.size_rank(free, at), moved: true });
            self.remove(at, free);
            (start, joined) = (at, joined + 1);
        }
        if let Some(&free) = self.by_block.get(&end) {
            change.by_size.push(RecordChange { index: self.size_rank(free, end), moved: true });
            self.remove(end, free);
            (end, joined) = (end + free, joined + 1);
        }
        self.insert(start, end - start);
        change.by_block.push(RecordChange { index: self.rank(start), moved: joined != 1 });
        change.by_size.push(RecordChange { index: self.size_rank(end - start, start), moved: true });
    }

    fn insert(&mut self, first: u64, count: u64) {
        self.by_block.insert(first, count);
        self.by_size.insert((count, first));
        self.free += count;
    }

    fn remove(&mut self, first: u64, count: u64) {
        self.by_block.remove(&first);
        self.by_size.remove(&(count, first));
        self.free -= count;
    }

    /// The place of a record in the tree by block: counted in a tree of one block, guessed from where it lies in larger ones, since
    /// counting would cost more than what it tells is worth.
    fn rank(&self, first: u64) -> u64 {
        let all = self.extents();
        if all <= RECORDS_PER_BLOCK {
            return self.by_block.range(..first).count() as u64;
        }
        let end = self.by_block.last_key_value().map_or(1, |(&at, &count)| at + count);
        u64::try_from(u128::from(first) * u128::from(all) / u128::from(end.max(1))).unwrap_or(0)
    }

    fn size_rank(&self, count: u64, first: u64) -> u64 {
        let all = self.extents();
        if all <= RECORDS_PER_BLOCK {
            return self.by_size.range(..(count, first)).count() as u64;
        }
        u64::try_from(u128::from(count) * u128::from(all) / u128::from(self.longest().max(count).max(1)))
            .unwrap_or(0)
    }
}

/// Where in a free extent blocks for data are taken (`xfs_alloc_compute_diff`): where they are wanted if all fit there, else at its
/// beginning, so that the file may grow.
fn place(wanted: u64, count: u64, first: u64, free: u64) -> u64 {
    if first >= wanted || first + free < wanted + count { first } else { wanted }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn fresh() -> Space {
        let mut space = Space::new(10, 262_134);
        assert!(space.take(16, 8, &mut SpaceChange::default()));
        space
    }

    /// Measured on a fresh file system whose inodes lie in blocks 16 to 23: a file of a block lies at 40 KiB, one of 16 blocks at 96.
    #[test]
    fn data_lie_nearest_to_their_inode() {
        let space = fresh();
        assert_eq!((space.near(16, 1), space.near(16, 16)), (Some(10), Some(24)));
    }

    #[test]
    fn what_is_taken_and_given_back_leaves_all_as_it_was() {
        let mut space = fresh();
        let before = (space.free(), space.extents(), space.longest());
        let mut change = SpaceChange::default();
        assert!(space.take(100, 50, &mut change));
        assert_eq!((space.free(), space.extents()), (before.0 - 50, before.1 + 1));
        assert!(!space.take(120, 1, &mut change), "it isn't free");
        space.give(100, 50, &mut change);
        assert_eq!((space.free(), space.extents(), space.longest()), before);
    }

    #[test]
    fn free_blocks_within_a_run_are_found_one_run_after_the_other() {
        let space = fresh();
        assert_eq!(space.free_run(0, 100), Some((10, 6)));
        assert_eq!(space.free_run(12, 14), Some((12, 2)));
        assert_eq!((space.free_run(16, 24), space.free_run(18, 30)), (None, Some((24, 6))));
        assert_eq!((space.free_run(24, 24), space.free_run(262_144, 262_150)), (None, None));
    }

    #[test]
    fn nearest_in_thousands_of_pieces_is_the_nearest_of_all() {
        let mut space = Space::new(0, 0);
        for at in 0..5_000 {
            space.give(at * 10, 1 + at % 7, &mut SpaceChange::default());
        }
        for (wanted, count) in [(12_345, 5), (0, 7), (49_999, 3), (25_000, 1)] {
            let at = space.near(wanted, count).unwrap();
            let naive = (0..5_000)
                .filter(|at| 1 + at % 7 >= count)
                .map(|first| place(wanted, count, first * 10, 1 + first % 7).abs_diff(wanted));
            assert_eq!(at.abs_diff(wanted), naive.min().unwrap(), "{wanted} {count}");
        }
        assert_eq!(space.near(0, 8), None);
    }

    #[test]
    fn inodes_are_aligned() {
        let space = Space::new(16_394, 100_000);
        assert_eq!(space.near_aligned(3, 8, 8), Some(16_400));
        assert_eq!(Space::new(10, 12).near_aligned(3, 8, 8), None);
    }
}
