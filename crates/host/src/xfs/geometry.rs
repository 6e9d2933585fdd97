//! Where mkfs.xfs puts everything: allocation groups, their headers, the log, the first inodes.
//!
//! After mkfs/xfs_mkfs.c of xfsprogs 6.1 with its defaults (inodes of 512 bytes, `crc=1,finobt=1,sparse=1,reflink=1,inobtcount=1,
//! rmapbt=0`, sectors of 512 bytes, no stripe). Left out: realtime devices, `rmapbt`, more than four groups below 4 TiB that a
//! striped array would get.

use crate::file_system::{BLOCK_SIZE, FormatError};
use petrio_persist::Persist;
use std::ops::Range;

/// Inodes in a block (`sb_inopblock`): 512 bytes each.
pub(super) const INODES_PER_BLOCK: u64 = 8;

/// Blocks that are read and written at once for an inode (`M_IGEO(mp)->blocks_per_cluster`: XFS_INODE_BIG_CLUSTER_SIZE of 8 KiB, twice
/// that for inodes of 512 bytes).
pub(super) const CLUSTER_BLOCKS: u64 = 4;

/// Inodes that are made at a time (XFS_INODES_PER_CHUNK).
pub(super) const CHUNK_INODES: u64 = 64;

/// Blocks of them.
pub(super) const CHUNK_BLOCKS: u64 = CHUNK_INODES / INODES_PER_BLOCK;

/// Blocks before which nothing of a group is free: the sector headers, and the roots of bnobt, cntbt, inobt, finobt and refcountbt.
pub(super) const HEADER_BLOCKS: u64 = 6;

/// Blocks on a group's own free list when it is made, behind its headers (`xfs_alloc_min_freelist`, two for each B+tree of free space).
pub(super) const FREE_LIST_BLOCKS: u64 = 4;

/// The smallest log that mkfs.xfs makes on its own (XFS_MIN_REALISTIC_LOG_BLOCKS): 64 MiB.
const LOG_LEAST_BYTES: u64 = 64 << 20;

/// The largest log (XFS_MAX_LOG_BYTES is 2 GiB less a block).
const LOG_MOST_BYTES: u64 = (2 << 30) - BLOCK_SIZE;

/// Blocks of file system for each block of log where that is more (`calculate_log_size`: 2048 to 1).
const BLOCKS_PER_LOG_BLOCK: u64 = 2048;

/// The largest allocation group (XFS_AG_MAX_BLOCKS): 1 TiB less a block.
const GROUP_MOST_BLOCKS: u64 = (1 << 40) / BLOCK_SIZE - 1;

/// The smallest device that mkfs.xfs 6.1 takes: 300 MB.
const DEVICE_LEAST_BYTES: u64 = 300 << 20;

/// Roots of a group's B+trees, by their block in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Root {
    /// Free space by block.
    FreeByBlock = 1,
    /// Free space by size.
    FreeBySize = 2,
    /// Inodes.
    Inodes = 3,
    /// Inodes of which some are free.
    FreeInodes = 4,
}

/// The layout of an XFS file system.
#[derive(Clone, Debug, PartialEq, Eq, Persist)]
pub struct Geometry {
    /// Blocks of 4 KiB.
    pub blocks: u64,
    /// Allocation groups.
    pub groups: u32,
    /// Blocks of a group; the last one may have fewer.
    pub group_blocks: u64,
    /// The log's blocks; empty where it is a device of its own.
    pub log: Range<u64>,
}

impl Geometry {
    /// Of a device of so many blocks of 4 KiB. `groups` and `log_blocks` are mkfs.xfs' own choice where left out; `log_apart` says that
    /// the log lies elsewhere.
    ///
    /// # Errors
    /// A device below 300 MB, or one of groups or log that don't fit it.
    pub fn new(
        blocks: u64,
        groups: Option<u32>,
        log_blocks: Option<u64>,
        log_apart: bool,
    ) -> Result<Self, FormatError> {
        let least = DEVICE_LEAST_BYTES / BLOCK_SIZE;
        if blocks < least {
            return Err(FormatError::TooSmall { blocks, needed: least });
        }
        let wanted = groups.map_or_else(|| default_groups(blocks), u64::from).max(1);
        let group_blocks = blocks.div_ceil(wanted);
        if group_blocks > GROUP_MOST_BLOCKS {
            return Err(FormatError::Parameter {
                parameter: "groups",
                value: wanted,
                expected: "a group has at most 1 TiB: take more of them",
            });
        }
        let groups = u32::try_from(blocks.div_ceil(group_blocks)).unwrap_or(u32::MAX);
        let log_blocks = log_blocks.unwrap_or_else(|| default_log_blocks(blocks));
        let needed = HEADER_BLOCKS + FREE_LIST_BLOCKS + log_blocks + CHUNK_BLOCKS;
        if !log_apart && needed >= group_blocks {
            return Err(FormatError::TooSmall { blocks, needed: needed * wanted });
        }
        let log = if log_apart {
            0..0
        } else {
            // The middle group (`start_superblock_setup`: sb_agcount / 2), behind its headers.
            let first = u64::from(groups / 2) * group_blocks + HEADER_BLOCKS;
            first..first + log_blocks
        };
        Ok(Self { blocks, groups, group_blocks, log })
    }

    /// The group of a block.
    #[must_use]
    pub fn group_of(&self, block: u64) -> u32 {
        u32::try_from(block / self.group_blocks).unwrap_or(u32::MAX)
    }

    /// The first block of a group.
    #[must_use]
    pub fn group_start(&self, group: u32) -> u64 {
        u64::from(group) * self.group_blocks
    }

    /// Blocks of a group.
    #[must_use]
    pub fn blocks_of(&self, group: u32) -> u64 {
        self.group_blocks.min(self.blocks.saturating_sub(self.group_start(group)))
    }

    /// The first block of a group, from its beginning, that is free when it is made.
    #[must_use]
    pub fn first_free(&self, group: u32) -> u64 {
        let log = if !self.log.is_empty() && self.group_of(self.log.start) == group {
            self.log.end - self.log.start
        } else {
            0
        };
        HEADER_BLOCKS + log + FREE_LIST_BLOCKS
    }

    /// Blocks of a group that are kept for its B+trees of shared extents and of free inodes, were they as large as they can become
    /// (`xfs_ag_resv_init`; `xfs_btree_calc_size` with leaves half full).
    #[must_use]
    pub fn reserved(&self, group: u32) -> u64 {
        let blocks = self.blocks_of(group);
        // Records of 12 bytes in 4,096 less a header of 56: 336, and at least half of that; keys and pointers of 8 bytes above.
        let shared = tree_blocks(blocks, 168);
        // Chunks of 64 inodes, 8 in a block; records of 16 bytes: 252, at least half.
        let inodes = tree_blocks(blocks.div_ceil(CHUNK_BLOCKS), 126);
        shared + inodes
    }

    /// The block of a root of a group.
    #[must_use]
    pub fn root(&self, group: u32, root: Root) -> u64 {
        self.group_start(group) + root as u64
    }
}

/// Blocks of a B+tree of so many records, as few in a leaf as may be.
fn tree_blocks(records: u64, in_leaf: u64) -> u64 {
    // Keys of 4 and pointers of 4 bytes: 505 in a node, and at least 252.
    let (mut level, mut all) = (records.div_ceil(in_leaf), 0);
    loop {
        all += level;
        if level <= 1 {
            return all;
        }
        level = level.div_ceil(252);
    }
}

/// `calc_default_ag_geometry` of xfsprogs: four groups up to 4 TiB, then as large as they may be.
fn default_groups(blocks: u64) -> u64 {
    if blocks >= (4 << 40) / BLOCK_SIZE { blocks.div_ceil(GROUP_MOST_BLOCKS) } else { 4 }
}

/// `calculate_log_size` of xfsprogs.
fn default_log_blocks(blocks: u64) -> u64 {
    let bytes = blocks / BLOCKS_PER_LOG_BLOCK * BLOCK_SIZE;
    bytes.clamp(LOG_LEAST_BYTES, LOG_MOST_BYTES) / BLOCK_SIZE
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    /// mkfs.xfs 6.1.0 on 4 GiB and on 512 MiB (its output: 4 groups of 262,144 and of 32,768 blocks, log of 16,384 blocks from block 6
    /// of group 2).
    #[test]
    fn groups_and_log_lie_where_mkfs_puts_them() {
        for (blocks, group_blocks) in [(1_048_576, 262_144), (131_072, 32_768)] {
            let geometry = Geometry::new(blocks, None, None, false).unwrap();
            assert_eq!((geometry.groups, geometry.group_blocks), (4, group_blocks));
            assert_eq!(geometry.log, 2 * group_blocks + 6..2 * group_blocks + 6 + 16_384);
            assert_eq!((geometry.first_free(0), geometry.first_free(2)), (10, 16_394));
        }
    }

    #[test]
    fn a_log_apart_leaves_its_room_to_the_groups() {
        let geometry = Geometry::new(131_072, None, None, true).unwrap();
        assert_eq!(geometry.first_free(2), 10);
    }

    /// A file in group 1 of 512 MiB could get all blocks but 231 of those free (measured: an extent of 32,527 of 32,758).
    #[test]
    fn a_group_keeps_room_for_its_trees() {
        let geometry = Geometry::new(131_072, None, None, false).unwrap();
        assert_eq!(geometry.blocks_of(1) - geometry.first_free(1) - geometry.reserved(1), 32_527);
    }

    #[test]
    fn what_is_too_small_is_refused() {
        assert!(matches!(Geometry::new(1_000, None, None, false), Err(FormatError::TooSmall { .. })));
        assert!(matches!(Geometry::new(131_072, Some(64), None, false), Err(FormatError::TooSmall { .. })));
        assert!(Geometry::new(131_072, Some(64), None, true).is_ok());
    }
}
