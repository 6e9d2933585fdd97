//! The extents of a file: where its blocks lie, which of them hold no data yet, and which are only promised.
//!
//! After fs/xfs/libxfs/xfs_bmap.c, xfs_bmap_btree.c and fs/xfs/xfs_iomap.c of Linux 6.18: extents in the inode up to 21 (16 bytes each in
//! an inode of 512), in a B+tree beyond; delayed allocation with speculative preallocation behind the end of the file
//! (`xfs_iomap_prealloc_size`). Neighbours that lie one behind the other and are of the same kind are one extent.

use crate::file_system::BLOCK_SIZE;
use petrio_persist::Persist;

/// Bytes of an extent (`struct xfs_bmbt_rec`).
const RECORD_BYTES: u64 = 16;

/// Extents that fit into an inode of 512 bytes: what is behind its core of 176.
pub(super) const INLINE_EXTENTS: u64 = 336 / RECORD_BYTES;

/// Extents in a leaf of the tree behind its header of 72 bytes (`struct xfs_btree_block` with long pointers and checksum).
pub(super) const LEAF_EXTENTS: u64 = (BLOCK_SIZE - LEAF_HEADER) / RECORD_BYTES;
pub(super) const LEAF_HEADER: u64 = 72;

/// Blocks of the longest extent (XFS_MAX_BMBT_EXTLEN).
pub(super) const EXTENT_MOST: u64 = (1 << 21) - 1;

/// What is preallocated at least, and files below it get nothing (`m_allocsize_blocks` without `allocsize`: 64 KiB).
pub(super) const LEAST_PREALLOCATED: u64 = 16;

/// What a run of a file's blocks is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub enum Kind {
    /// Data lie there.
    Written(u64),
    /// Blocks that read as zeros until something is written into them.
    Unwritten(u64),
    /// To be found when it is written back: blocks are reserved.
    Delayed,
}

impl Kind {
    /// The volume's block, where there is one.
    #[must_use]
    pub const fn block(self) -> Option<u64> {
        match self {
            Self::Written(block) | Self::Unwritten(block) => Some(block),
            Self::Delayed => None,
        }
    }

    /// The same so many blocks further on.
    const fn skip(self, blocks: u64) -> Self {
        match self {
            Self::Written(block) => Self::Written(block + blocks),
            Self::Unwritten(block) => Self::Unwritten(block + blocks),
            Self::Delayed => Self::Delayed,
        }
    }
}

/// A run of a file's blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub struct Extent {
    /// The file's block.
    pub first: u64,
    /// Blocks.
    pub count: u64,
    /// What it is.
    pub kind: Kind,
}

impl Extent {
    /// Behind its last block.
    #[must_use]
    pub const fn end(&self) -> u64 {
        self.first + self.count
    }

    fn joins(&self, next: &Self) -> bool {
        let reaches = self.end() == next.first && self.kind.skip(self.count) == next.kind;
        reaches && (self.kind == Kind::Delayed || self.count + next.count <= EXTENT_MOST)
    }
}

/// A file's extents in order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Persist)]
pub struct Fork {
    extents: Vec<Extent>,
    /// Blocks of its tree's leaves, where it has one.
    pub(super) leaves: Vec<u64>,
    delayed: u64,
    real: u64,
}

impl Fork {
    /// All extents.
    #[must_use]
    pub fn extents(&self) -> &[Extent] {
        &self.extents
    }

    /// Blocks on the volume.
    #[must_use]
    pub const fn blocks(&self) -> u64 {
        self.real
    }

    /// Blocks that are to be found yet.
    #[must_use]
    pub const fn delayed(&self) -> u64 {
        self.delayed
    }

    /// Extents that are on the volume.
    #[must_use]
    pub fn records(&self) -> u64 {
        if self.delayed == 0 {
            return self.extents.len() as u64;
        }
        self.extents.iter().filter(|extent| extent.kind != Kind::Delayed).count() as u64
    }

    /// The place of the extent that holds a block or is the next behind it.
    #[must_use]
    pub fn index(&self, block: u64) -> usize {
        self.extents.partition_point(|extent| extent.end() <= block)
    }

    /// The extent that holds a block.
    #[must_use]
    pub fn at(&self, block: u64) -> Option<Extent> {
        self.extents.get(self.index(block)).copied().filter(|extent| extent.first <= block)
    }

    /// Behind its last block, promised ones too.
    #[must_use]
    pub fn end(&self) -> u64 {
        self.extents.last().map_or(0, Extent::end)
    }

    /// Makes a run what it is from now on, whatever it was before.
    pub fn set(&mut self, first: u64, count: u64, kind: Kind) {
        self.punch(first, count);
        let at = self.index(first);
        self.add(at, Extent { first, count, kind });
    }

    /// Takes a run out; what was on the volume is told: block and count.
    pub fn remove(&mut self, first: u64, count: u64, freed: &mut Vec<(u64, u64)>) {
        let end = first.saturating_add(count);
        let from = self.index(first);
        for extent in self.extents[from..].iter().take_while(|extent| extent.first < end) {
            let (begin, stop) = (extent.first.max(first), extent.end().min(end));
            if let Some(block) = extent.kind.skip(begin - extent.first).block() {
                freed.push((block, stop - begin));
            }
        }
        self.punch(first, count);
    }

    fn add(&mut self, at: usize, extent: Extent) {
        self.count(extent, true);
        self.extents.insert(at, extent);
        if let Some(next) = self.extents.get(at + 1)
            && extent.joins(next)
        {
            self.extents[at].count += next.count;
            self.extents.remove(at + 1);
        }
        if at > 0 && self.extents[at - 1].joins(&self.extents[at]) {
            self.extents[at - 1].count += self.extents[at].count;
            self.extents.remove(at);
        }
    }

    fn punch(&mut self, first: u64, count: u64) {
        let end = first.saturating_add(count);
        let mut at = self.index(first);
        while let Some(&extent) = self.extents.get(at)
            && extent.first < end
        {
            self.extents.remove(at);
            self.count(extent, false);
            if extent.first < first {
                let head = Extent { count: first - extent.first, ..extent };
                self.count(head, true);
                self.extents.insert(at, head);
                at += 1;
            }
            if extent.end() > end {
                let skipped = end - extent.first;
                let tail =
                    Extent { first: end, count: extent.count - skipped, kind: extent.kind.skip(skipped) };
                self.count(tail, true);
                self.extents.insert(at, tail);
                at += 1;
            }
        }
    }

    fn count(&mut self, extent: Extent, more: bool) {
        let sum = if extent.kind == Kind::Delayed { &mut self.delayed } else { &mut self.real };
        *sum = if more { *sum + extent.count } else { *sum - extent.count };
    }

    /// Bytes of the fork in its inode: its extents, or the root of its tree (a header, then keys and pointers).
    #[must_use]
    pub fn bytes(&self) -> u64 {
        match self.leaves.len() as u64 {
            0 => self.records() * RECORD_BYTES,
            // As a node of its own the root has a header of 72 bytes in memory, which is what is logged.
            leaves => LEAF_HEADER + leaves * RECORD_BYTES,
        }
    }

    /// Blocks to promise behind a write of `count` bytes at `offset` that makes a file of `size` bytes longer, from the write's end on
    /// (`xfs_iomap_prealloc_size`). `free` blocks are free of `all`; `least` is the mount's `allocsize`, where it has one.
    #[must_use]
    pub fn preallocated(
        &self,
        (offset, count): (u64, u64),
        size: u64,
        (free, all): (u64, u64),
        least: Option<u64>,
    ) -> u64 {
        let unit = least.unwrap_or(LEAST_PREALLOCATED).max(1);
        let wanted = match least {
            Some(blocks) => blocks,
            None if size < LEAST_PREALLOCATED * BLOCK_SIZE => return 0,
            None => self.dynamic(offset / BLOCK_SIZE, (free, all)),
        };
        let last = (offset + count - 1) / BLOCK_SIZE;
        let end = (offset + count).div_ceil(BLOCK_SIZE);
        (last / unit * unit + wanted).saturating_sub(end)
    }

    /// Twice what lies before, a power of two; less where the volume is nearly full.
    fn dynamic(&self, block: u64, (free, all): (u64, u64)) -> u64 {
        let at = self.index(block);
        let before = at.checked_sub(1).and_then(|at| self.extents.get(at));
        let Some(mut before) = before.filter(|extent| extent.end() >= block) else {
            return LEAST_PREALLOCATED;
        };
        let mut length = before.count;
        for extent in self.extents[..at - 1].iter().rev() {
            let reaches = extent.end() == before.first && extent.kind != Kind::Delayed;
            let lies = extent.kind.block().map(|block| block + extent.count) == before.kind.block();
            if length > EXTENT_MOST / 2 || !reaches || !lies {
                break;
            }
            (length, before) = (length + extent.count, extent);
        }
        let mut wanted = if length * 2 > EXTENT_MOST { block } else { length * 2 }.min(EXTENT_MOST + 1);
        // XFS_LOWSP_5_PCNT and so on: a quarter below 5 %, half of that for each per cent less.
        let percent = |share: u64| all / 100 * share;
        if free < percent(5) {
            wanted >>= 2 + (1..5).filter(|&share| free < percent(share)).count();
        }
        let mut wanted = if wanted == 0 { 0 } else { 1 << wanted.ilog2() };
        wanted = wanted.min(EXTENT_MOST);
        while wanted > 0 && wanted >= free {
            wanted >>= 4;
        }
        wanted.max(LEAST_PREALLOCATED)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn neighbours_join_and_pieces_fall_out() {
        let mut fork = Fork::default();
        fork.set(0, 4, Kind::Written(100));
        fork.set(4, 4, Kind::Written(104));
        assert_eq!(fork.extents().len(), 1);
        fork.set(2, 2, Kind::Unwritten(102));
        assert_eq!(fork.extents().len(), 3);
        fork.set(2, 2, Kind::Written(102));
        assert_eq!((fork.extents().len(), fork.blocks()), (1, 8));
        let mut freed = Vec::new();
        fork.remove(3, 2, &mut freed);
        assert_eq!((freed, fork.blocks(), fork.records()), (vec![(103, 2)], 6, 2));
        assert_eq!(fork.at(5).unwrap(), Extent { first: 5, count: 3, kind: Kind::Written(105) });
        assert_eq!(fork.at(3), None);
    }

    /// Measured: a file written in calls of 64 KiB had 64 KiB and then preallocated ends at 192, 448, 960, 1,984, 4,032 KiB; `extents.csv`
    /// has the last ones of each size that was made durable after a MiB.
    #[test]
    fn each_preallocation_is_twice_what_lies_before() {
        let mut fork = Fork::default();
        let (mut size, mut ends) = (0, Vec::new());
        while size < 16 << 20 {
            let call = 64 << 10;
            let block = size / BLOCK_SIZE;
            if fork.at(block).is_none() {
                let more = fork.preallocated((size, call), size, (1 << 20, 1 << 20), None);
                fork.set(block, call / BLOCK_SIZE + more, Kind::Delayed);
                ends.push(fork.end() * 4);
            }
            size += call;
        }
        assert_eq!(ends, [64, 192, 448, 960, 1_984, 4_032, 8_128, 16_320, 32_704]);
    }

    #[test]
    fn a_full_volume_is_promised_less() {
        let mut fork = Fork::default();
        fork.set(0, 4_096, Kind::Written(1_000));
        let of = |free| fork.preallocated((16 << 20, 4_096), 16 << 20, (free, 1 << 20), None);
        let all: Vec<u64> = [1 << 19, 50_000, 40_000, 25_000, 9_000].into_iter().map(of).collect();
        assert!(all.is_sorted_by(|more, less| more >= less) && all[4] < all[0], "{all:?}");
    }

    #[test]
    fn allocsize_is_what_the_mount_says() {
        let fork = Fork::default();
        assert_eq!(fork.preallocated((0, 4_096), 0, (1 << 20, 1 << 20), Some(256)), 255);
        assert_eq!(fork.preallocated((0, 4_096), 0, (1 << 20, 1 << 20), None), 0);
    }
}
