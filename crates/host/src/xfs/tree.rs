//! A group's B+trees as far as the log shows: in which block a record lies, and at which byte.
//!
//! A tree of one block is exact. In larger ones records are spread evenly over leaves that are three quarters full, what a B+tree under
//! random changes tends to (fs/xfs/libxfs/xfs_btree.c splits halves and joins neighbours); which leaf a record is in is thereby guessed.
//! Nodes above the leaves change too seldom to be logged.

use super::items::{Buffer, Changes};
use super::space::RecordChange;
use petrio_persist::Persist;

/// A header of a block with short pointers and checksum (`struct xfs_btree_block`).
const HEADER: u64 = 56;
const BLOCK: u64 = 4096;

/// Leaves of a tree beyond its root.
#[derive(Clone, Debug, Default, Persist)]
pub(super) struct Tree {
    leaves: Vec<u64>,
    record_bytes: u64,
}

impl Tree {
    pub(super) const fn new(record_bytes: u64) -> Self {
        Self { leaves: Vec::new(), record_bytes }
    }

    /// Records of a block.
    const fn capacity(&self) -> u64 {
        (BLOCK - HEADER) / self.record_bytes
    }

    /// Leaves that are still to be given blocks when it has so many records.
    pub(super) fn wanted(&self, records: u64) -> usize {
        if records <= self.capacity() && self.leaves.is_empty() {
            return 0;
        }
        let leaves = records.div_ceil(self.capacity() * 3 / 4);
        usize::try_from(leaves).unwrap_or(usize::MAX).saturating_sub(self.leaves.len())
    }

    /// Another leaf.
    pub(super) fn grow(&mut self, block: u64) {
        self.leaves.push(block);
    }

    /// The leaf of a record among so many, and its byte there.
    fn place(&self, root: u64, index: u64, records: u64) -> (u64, u64) {
        if self.leaves.is_empty() {
            return (root, HEADER + index.min(self.capacity() - 1) * self.record_bytes);
        }
        let leaves = self.leaves.len() as u64;
        let each = records.div_ceil(leaves).clamp(1, self.capacity());
        let leaf = (index / each).min(leaves - 1);
        let within = (index % each) * self.record_bytes;
        (self.leaves[usize::try_from(leaf).unwrap_or(0)], HEADER + within)
    }

    /// The block of a record.
    #[cfg(test)]
    pub(super) fn block(&self, root: u64, index: u64, records: u64) -> u64 {
        self.place(root, index, records).0
    }

    /// Logs a change of a record: it alone, or all behind it with the header.
    pub(super) fn log_record(
        &self,
        root: u64,
        RecordChange { index, moved }: RecordChange,
        records: u64,
        changes: &mut Changes,
    ) {
        let (block, at) = self.place(root, index, records);
        let buffer = Buffer::blocks(block, 1);
        if moved {
            let here = match self.leaves.len() as u64 {
                0 => records,
                leaves => records.div_ceil(leaves),
            };
            let end = (HEADER + here * self.record_bytes).min(BLOCK);
            changes.change(buffer, 0, HEADER);
            changes.change(buffer, at, end.max(at + self.record_bytes).min(BLOCK));
        } else {
            changes.change(buffer, at, (at + self.record_bytes).min(BLOCK));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_of_one_block_is_its_root() {
        let tree = Tree::new(8);
        assert_eq!((tree.wanted(505), tree.wanted(506)), (0, 2));
        let mut changes = Changes::default();
        tree.log_record(7, RecordChange { index: 8, moved: false }, 100, &mut changes);
        // The ninth record ends at byte 128.
        assert_eq!(changes.buffers[0].1.runs(), (1, 1));
        tree.log_record(7, RecordChange { index: 8, moved: true }, 100, &mut changes);
        assert_eq!(changes.buffers[0].1.runs(), (7, 1), "all behind it: 56 + 800 bytes");
    }

    #[test]
    fn records_of_a_large_tree_lie_in_all_its_leaves() {
        let mut tree = Tree::new(8);
        (0..10).for_each(|block| tree.grow(100 + block));
        let blocks: Vec<u64> = (0..3_780).step_by(378).map(|index| tree.block(1, index, 3_780)).collect();
        assert_eq!(blocks, (100..110).collect::<Vec<_>>());
    }
}
