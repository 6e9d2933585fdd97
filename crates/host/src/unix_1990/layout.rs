//! Where files lie on a fast file system of the eighties: cylinder groups.
//!
//! A directory takes the group with the most free blocks; its files' inodes and blocks lie in that group. A file's
//! blocks follow each other where the next is free; after a quarter of a group it goes on in the next group with room,
//! so that one large file doesn't fill a group (maxbpg).
//!
//! Source: M. McKusick, W. Joy, S. Leffler, R. Fabry, "A fast file system for UNIX", ACM TOCS 2(3), 1984, §3.3. Leaves
//! out rotational interleaving (the analytic disk knows no rotational position), the sharing of a block by several
//! files' fragments, and the free space reserve.

use super::parameters::{UnixError, UnixParameters};
use petrio_colours::SECTOR_BYTES;
use petrio_persist::Persist;
use petrio_units::numbers::{as_index, as_number};

/// Blocks at a group's beginning that hold its superblock copy, map and inodes: one in 16.
const INODE_SHARE: u64 = 16;

/// A file leaves its group after this part of it.
const LARGEST_PART: u64 = 4;

/// Inodes of 128 bytes in a device block.
const INODES_PER_SECTOR: u64 = 4;

#[derive(Clone, Debug, Persist)]
pub(super) struct Layout {
    block_bytes: u64,
    fragment_bytes: u64,
    group_blocks: u64,
    groups: Vec<Group>,
}

#[derive(Clone, Debug, Persist)]
struct Group {
    used: Vec<bool>,
    free: u64,
    directories: u32,
    /// Where the search begins.
    rotor: u64,
}

impl Layout {
    pub(super) fn new(parameters: &UnixParameters, device_blocks: u64) -> Result<Self, UnixError> {
        parameters.check()?;
        parameters.check_device(device_blocks)?;
        let block_bytes = parameters.block.get();
        let group_blocks = parameters.cylinder_group.get() / block_bytes;
        let blocks = device_blocks * SECTOR_BYTES / block_bytes;
        let groups = blocks / group_blocks;
        if groups == 0 {
            return Err(UnixError::Full { blocks });
        }
        let inodes = group_blocks / INODE_SHARE;
        let group = Group {
            used: (0..group_blocks).map(|block| block < inodes).collect(),
            free: group_blocks - inodes,
            directories: 0,
            rotor: inodes,
        };
        let fragment_bytes = parameters.fragment.get();
        Ok(Self { block_bytes, fragment_bytes, group_blocks, groups: vec![group; as_index(groups)] })
    }

    pub(super) fn block_bytes(&self) -> u64 {
        self.block_bytes
    }

    /// Blocks of the file system.
    pub(super) fn blocks(&self) -> u64 {
        self.groups.len() as u64 * self.group_blocks
    }

    /// So many bytes at a block's beginning in device blocks, rounded up to fragments; at least one.
    pub(super) fn whole_fragments(&self, bytes: u64) -> u32 {
        as_number(bytes.max(1).next_multiple_of(self.fragment_bytes) / SECTOR_BYTES)
    }

    fn sectors(&self) -> u64 {
        self.block_bytes / SECTOR_BYTES
    }

    /// The device block of an inode.
    pub(super) fn inode(&self, group: u32, number: u32) -> u64 {
        let inodes = (self.group_blocks / INODE_SHARE).max(1) * self.sectors();
        u64::from(group) * self.group_blocks * self.sectors() + u64::from(number) / INODES_PER_SECTOR % inodes
    }

    /// The group for a new directory: the one with the fewest directories of those with the most free space.
    pub(super) fn emptiest_group(&mut self) -> u32 {
        let best = self
            .groups
            .iter()
            .enumerate()
            .min_by_key(|(_, group)| (group.directories, u64::MAX - group.free));
        let index = best.map_or(0, |(index, _)| index);
        self.groups[index].directories += 1;
        as_number(index)
    }

    /// A block for the `number`-th of a file in a group, after the block at `before` where it can be. Its device block.
    pub(super) fn allocate(&mut self, group: u32, number: u64, before: Option<u64>) -> Option<u64> {
        let most = (self.group_blocks / LARGEST_PART).max(1);
        let groups = self.groups.len() as u64;
        let home = (u64::from(group) + number / most) % groups;
        if let Some(before) = before
            && !number.is_multiple_of(most)
        {
            let next = before / self.sectors() + 1;
            let (at, within) = (next / self.group_blocks, next % self.group_blocks);
            if within != 0 && self.take(at, within) {
                return Some(next * self.sectors());
            }
        }
        (0..groups).find_map(|step| {
            let at = (home + step) % groups;
            let found = self.search(at)?;
            self.take(at, found).then_some((at * self.group_blocks + found) * self.sectors())
        })
    }

    fn search(&mut self, group: u64) -> Option<u64> {
        let entry = &self.groups[as_index(group)];
        if entry.free == 0 {
            return None;
        }
        (entry.rotor..self.group_blocks).chain(0..entry.rotor).find(|&block| !entry.used[as_index(block)])
    }

    fn take(&mut self, group: u64, block: u64) -> bool {
        let Some(entry) = self.groups.get_mut(as_index(group)) else { return false };
        if std::mem::replace(&mut entry.used[as_index(block)], true) {
            return false;
        }
        entry.free -= 1;
        entry.rotor = block;
        true
    }

    /// Gives a block back.
    pub(super) fn release(&mut self, address: u64) {
        let block = address / self.sectors();
        let entry = &mut self.groups[as_index(block / self.group_blocks)];
        if std::mem::replace(&mut entry.used[as_index(block % self.group_blocks)], false) {
            entry.free += 1;
            entry.rotor = entry.rotor.min(block % self.group_blocks);
        }
    }
}
