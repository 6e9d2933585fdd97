//! Blocks that have been given back, until what gave them back is durable: only then may the device be told that nobody wants them.
//!
//! After `ext4_mb_free_metadata` and `ext4_process_freed_data` (fs/ext4/mballoc.c) and the busy extents of XFS (fs/xfs/xfs_extent_busy.c):
//! a list for each transaction or checkpoint, in which neighbours are one. Here blocks may be used again as soon as they are given back;
//! the file system leaves out those that were, when their turn comes.

use petrio_persist::Persist;
use petrio_stage::ranges::Ranges;
use std::collections::VecDeque;

/// Blocks that have been given back by changes which aren't durable yet.
#[derive(Clone, Debug, Default, Persist)]
pub(crate) struct Freed {
    /// By the number of what gave them back, in order.
    by_change: VecDeque<(u64, Ranges)>,
}

impl Freed {
    /// A change of this number, none greater before, gives blocks back: the first, and how many.
    pub(crate) fn add(&mut self, change: u64, (first, count): (u64, u64)) {
        if self.by_change.back().is_none_or(|(last, _)| *last < change) {
            self.by_change.push_back((change, Ranges::default()));
        }
        if let Some((_, ranges)) = self.by_change.back_mut() {
            ranges.insert(first, first + count);
        }
    }

    /// What all changes up to this number have given back: runs from a first block to an end. They are durable, and forgotten.
    pub(crate) fn durable(&mut self, change: u64) -> Vec<(u64, u64)> {
        let durable = self.by_change.partition_point(|(number, _)| *number <= change);
        self.by_change.drain(..durable).flat_map(|(_, ranges)| ranges.iter().collect::<Vec<_>>()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_of_one_change_are_one_and_wait_until_it_is_durable() {
        let mut freed = Freed::default();
        for (change, run) in [(3, (8, 4)), (3, (0, 4)), (3, (4, 4)), (5, (12, 1)), (5, (20, 2))] {
            freed.add(change, run);
        }
        assert_eq!(freed.durable(2), []);
        assert_eq!(freed.durable(4), [(0, 12)]);
        assert_eq!(freed.durable(5), [(12, 13), (20, 22)]);
        assert_eq!(freed.durable(9), []);
    }
}
