//! Where mke2fs puts superblocks, descriptors, bitmaps, inode tables and the journal.
//!
//! After lib/ext2fs/initialize.c, alloc_tables.c, res_gdt.c and mkjournal.c of e2fsprogs 1.47; the tests hold numbers
//! that `dumpe2fs` prints. The journal is one run of blocks here. mke2fs weaves the indirect blocks of an ext3 journal
//! into it, one for each 1024 blocks, so its later blocks lie up to a thousandth of its size farther on; the model puts
//! them behind it, so that the volume's free blocks are the same. A journal that reaches into further groups pushes
//! their bitmaps and tables behind it. In a volume of a single flexible group mke2fs keeps room for sixteen bitmaps of
//! each kind and lets the journal fill it; the model puts them side by side, with the same number of free blocks.

use super::bitmap::MOST_BITS;
use super::error::FormatError;
use super::parameters::{BLOCK_SIZE, Family, FileSystemParameters, JournalPlace};
use petrio_persist::Persist;
use petrio_units::Bytes;
use petrio_units::numbers::as_number;
use std::ops::Range;

/// Pointers in an indirect block.
pub(super) const POINTERS: u64 = BLOCK_SIZE / 4;
/// The first blocks of a file, to which its inode points.
pub(super) const DIRECT: u64 = 12;
/// Inodes 1 to 10 are the file system's own, and 11 is lost+found.
pub(super) const FIRST_INODE: u32 = 11;
/// The inode of the root directory.
pub(super) const ROOT_INODE: u32 = 2;

/// Indirect blocks of a file of so many blocks, all of them mapped.
pub(super) fn indirect_blocks(blocks: u64) -> u64 {
    let mut rest = blocks.saturating_sub(DIRECT);
    let mut count = u64::from(rest > 0);
    rest = rest.saturating_sub(POINTERS);
    if rest > 0 {
        let here = rest.min(POINTERS * POINTERS);
        count += 1 + here.div_ceil(POINTERS);
        rest -= here;
    }
    if rest > 0 {
        count += 1 + rest.div_ceil(POINTERS * POINTERS) + rest.div_ceil(POINTERS);
    }
    count
}

/// Positions of everything that a fresh volume holds.
#[derive(Clone, Debug, PartialEq, Persist)]
pub(super) struct Geometry {
    pub(super) blocks: u64,
    pub(super) groups: u32,
    pub(super) blocks_per_group: u32,
    pub(super) inodes_per_group: u32,
    pub(super) inodes_per_block: u32,
    pub(super) descriptors_per_block: u32,
    /// Blocks that the descriptors take.
    pub(super) descriptor_blocks: u32,
    /// Whether each such block lies among the groups that it describes (meta_bg), not all of them in the first group.
    scattered: bool,
    /// Groups of a flexible group; 1 where there are none.
    pub(super) flex: u32,
    /// Blocks at the beginning of each group that metadata take: a superblock's copy, descriptors, bitmaps, tables; in
    /// the journal's groups the journal too, and in the first one root directory and lost+found.
    pub(super) lead: Vec<u32>,
    block_bitmap: Vec<u64>,
    inode_bitmap: Vec<u64>,
    inode_table: Vec<u64>,
    /// The root directory's block.
    pub(super) root: u64,
    pub(super) journal: Range<u64>,
}

/// Whether a group holds a copy of superblock and descriptors: 0, 1 and the powers of 3, 5 and 7 (sparse_super).
fn has_superblock(group: u32) -> bool {
    let power_of = |base: u32| {
        let mut power = u64::from(base);
        while power < u64::from(group) {
            power *= u64::from(base);
        }
        power == u64::from(group)
    };
    group <= 1 || power_of(3) || power_of(5) || power_of(7)
}

/// Blocks kept in each copy of the descriptors so that the file system can grow (calc_reserved_gdt_blocks).
fn reserved_descriptors(blocks: u64, parameters: &FileSystemParameters, per_block: u32) -> u64 {
    let groups = |blocks: u64| blocks.div_ceil(u64::from(parameters.blocks_per_group));
    let described = |blocks: u64| groups(blocks).div_ceil(u64::from(per_block));
    let reach = blocks.saturating_mul(1024).min(u64::from(u32::MAX));
    described(reach).saturating_sub(described(blocks)).min(POINTERS)
}

/// Inodes that mke2fs makes on a device.
fn inodes(parameters: &FileSystemParameters, blocks: u64) -> u64 {
    // mke2fs.conf(5), since e2fsprogs 1.42: "small" file systems have an inode for each block, "big" ones one for 32 KiB, and "huge"
    // ones one for 64 KiB.
    let default_ratio = match blocks.saturating_mul(BLOCK_SIZE) {
        small if small < 512 << 20 => 4096,
        usual if usual < 4 << 40 => 16_384,
        big if big < 16 << 40 => 32_768,
        _ => 65_536,
    };
    let ratio = parameters.inode_ratio.map_or(default_ratio, Bytes::get);
    (blocks * BLOCK_SIZE / ratio).clamp(u64::from(FIRST_INODE) + 5, u32::MAX.into())
}

fn check(parameters: &FileSystemParameters, blocks: u64) -> Result<(), FormatError> {
    let wrong = |parameter, value, expected| Err(FormatError::Parameter { parameter, value, expected });
    let per_group = parameters.blocks_per_group;
    if !(256..=MOST_BITS).contains(&per_group) || !per_group.is_multiple_of(64) {
        return wrong("blocks_per_group", u64::from(per_group), "take a multiple of 64 from 256 to 32768");
    }
    let size = parameters.inode_size.get();
    if !size.is_power_of_two() || !(128..=4096).contains(&size) {
        return wrong("inode_size", size, "take a power of two from 128 to 4096 bytes");
    }
    if let Some(ratio) = parameters.inode_ratio
        && !(1024..=1 << 26).contains(&ratio.get())
    {
        return wrong("inode_ratio", ratio.get(), "take from 1 KiB to 64 MiB");
    }
    if !parameters.flex().is_power_of_two() {
        return wrong("flex_groups", u64::from(parameters.flex()), "take a power of two, or 1 for none");
    }
    if !(1..=255).contains(&parameters.name_length) {
        return wrong("name_length", u64::from(parameters.name_length), "take from 1 to 255 bytes");
    }
    if parameters.fragment.get() < BLOCK_SIZE {
        return wrong("fragment", parameters.fragment.get(), "take at least a block of 4 KiB");
    }
    if let Some(size) = parameters.journal_size
        && size.get() / BLOCK_SIZE < 1024
    {
        return wrong("journal_size", size.get(), "take at least 4 MiB (mke2fs: 1024 blocks)");
    }
    // Block groups are numbered in 32 bits (ext4_group_t, fs/ext4/ext4.h).
    let groups_max = u64::from(u32::MAX) * u64::from(per_group);
    let most = if parameters.family == Family::Ext3 { u64::from(u32::MAX) } else { groups_max.min(1 << 48) };
    if blocks > most {
        return Err(FormatError::TooLarge { blocks, most });
    }
    Ok(())
}

impl Geometry {
    pub(super) fn new(parameters: &FileSystemParameters, device_blocks: u64) -> Result<Self, FormatError> {
        check(parameters, device_blocks)?;
        let per_group = u64::from(parameters.blocks_per_group);
        let journal_blocks = parameters.journal_blocks(device_blocks);
        let too_small = |needed| FormatError::TooSmall { blocks: device_blocks, needed };
        // mke2fs makes no journal below 8 MiB unless it is told a size.
        let least = if parameters.journal_size.is_some() || journal_blocks == 0 {
            512 + journal_blocks
        } else {
            2048
        };
        if device_blocks < least {
            return Err(too_small(least));
        }
        // The number of inodes follows from the whole device.
        let inodes = inodes(parameters, device_blocks);
        let mut blocks = device_blocks;
        // A last group too small for its own metadata and fifty blocks is left away.
        let geometry = loop {
            let geometry = Self::positions(parameters, blocks, inodes);
            let last = geometry.groups - 1;
            let size = blocks - u64::from(last) * per_group;
            let overhead = 2 + geometry.table_blocks() + geometry.descriptors(parameters, last);
            if last == 0 || size >= overhead + 50 {
                break geometry;
            }
            blocks -= size;
        };
        geometry.with_journal(parameters, journal_blocks, &too_small)
    }

    /// Blocks of a group's inode table.
    fn table_blocks(&self) -> u64 {
        u64::from(self.inodes_per_group.div_ceil(self.inodes_per_block))
    }

    /// Blocks of superblock, descriptors and the room kept for more of them in a group (calc_reserved_gdt_blocks).
    fn descriptors(&self, parameters: &FileSystemParameters, group: u32) -> u64 {
        if self.scattered {
            // Copies in the first, the second and the last of those that it describes (ext2fs_super_and_bgd_loc2).
            let place = group % self.descriptors_per_block;
            let holds = place <= 1 || place + 1 == self.descriptors_per_block;
            return u64::from(has_superblock(group)) + u64::from(holds);
        }
        if !has_superblock(group) {
            return 0;
        }
        let reserved = reserved_descriptors(self.blocks, parameters, self.descriptors_per_block);
        1 + u64::from(self.descriptor_blocks) + reserved
    }

    fn positions(parameters: &FileSystemParameters, blocks: u64, inodes: u64) -> Self {
        let per_group = u64::from(parameters.blocks_per_group);
        let groups = as_number(blocks.div_ceil(per_group));
        let inodes_per_block = as_number(BLOCK_SIZE / parameters.inode_size.get());
        // Inodes are numbered in 32 bits (ext2fs_initialize: ipg_retry).
        let step = u64::from(inodes_per_block.max(8));
        let most = u64::from(u32::MAX) / u64::from(groups) / step * step;
        let inodes_per_group = as_number(inodes.div_ceil(u64::from(groups)).next_multiple_of(step).min(most))
            .min(MOST_BITS)
            .min(parameters.blocks_per_group * inodes_per_block / 2);
        let descriptor_size = if parameters.family == Family::Ext4 { 64 } else { 32 };
        let descriptors_per_block = as_number(BLOCK_SIZE) / descriptor_size;
        let descriptor_blocks = groups.div_ceil(descriptors_per_block);
        // Where more than three quarters of a group would go to them, mke2fs scatters descriptors and reserves none
        // (ext2fs_initialize).
        let reserved = reserved_descriptors(blocks, parameters, descriptors_per_block);
        let mut geometry = Self {
            blocks,
            groups,
            blocks_per_group: parameters.blocks_per_group,
            inodes_per_group,
            inodes_per_block,
            descriptors_per_block,
            descriptor_blocks,
            scattered: reserved + u64::from(descriptor_blocks) > per_group * 3 / 4,
            flex: parameters.flex(),
            lead: Vec::with_capacity(groups as usize),
            block_bitmap: Vec::with_capacity(groups as usize),
            inode_bitmap: Vec::with_capacity(groups as usize),
            inode_table: Vec::with_capacity(groups as usize),
            root: 0,
            journal: 0..0,
        };
        let table = geometry.table_blocks();
        let mut left = 0;
        for group in 0..groups {
            let start = u64::from(group) * per_group;
            let head = start + geometry.descriptors(parameters, group);
            let (first, number, together) = if geometry.flex > 1 {
                let first = group & !(geometry.flex - 1);
                (first, u64::from(group - first), u64::from(geometry.flex.min(groups - first)))
            } else {
                (group, 0, 1)
            };
            if number == 0 {
                left = head;
            }
            geometry.block_bitmap.push(left + number);
            geometry.inode_bitmap.push(left + together + number);
            geometry.inode_table.push(left + 2 * together + number * table);
            let end = if number == 0 { left + 2 * together + together * table } else { head };
            geometry.lead.push(as_number((end - start).min(per_group)));
            debug_assert_eq!(first + as_number(number), group);
        }
        geometry
    }

    /// Puts root directory, lost+found, the inode for resizing and the journal behind the metadata.
    fn with_journal(
        mut self,
        parameters: &FileSystemParameters,
        journal_blocks: u64,
        too_small: &dyn Fn(u64) -> FormatError,
    ) -> Result<Self, FormatError> {
        let per_group = u64::from(self.blocks_per_group);
        self.root = u64::from(self.lead[0]);
        // The root directory's block, four of lost+found, the double indirect block of the inode for resizing, where there is one.
        let first_files = if self.scattered { 5 } else { 6 };
        let first_group_end = self.root + first_files;
        let woven = if parameters.family == Family::Ext3 { indirect_blocks(journal_blocks) } else { 0 };
        let needed = journal_blocks + woven;
        let metadata: u64 = self.lead.iter().map(|&lead| u64::from(lead)).sum::<u64>() + first_files;
        if metadata + needed + 16 > self.blocks || first_group_end > per_group.min(self.blocks) {
            return Err(too_small(metadata + needed + 16));
        }
        self.lead[0] += as_number(first_files);
        let mut group = match parameters.place() {
            JournalPlace::Beginning => 0,
            JournalPlace::Middle => self.middle_group(),
        };
        // Where the journal doesn't fit behind that group's metadata before the end of the volume: from an earlier one
        // on.
        loop {
            let start = u64::from(group) * per_group + u64::from(self.lead[group as usize]);
            if let Some(end) = self.end_behind(start, group, needed) {
                if needed == 0 {
                    return Ok(self);
                }
                self.journal = start..start + journal_blocks;
                self.move_behind(start + needed, group, end);
                return Ok(self);
            }
            group = group.checked_sub(1).ok_or_else(|| too_small(metadata + needed + 16))?;
        }
    }

    /// get_midpoint_journal_block of lib/ext2fs/mkjournal.c: the emptiest of the groups around the middle.
    fn middle_group(&self) -> u32 {
        let mut group = as_number(self.blocks / 2 / u64::from(self.blocks_per_group));
        let start = if self.flex > 1 && group > self.flex {
            group &= !(self.flex - 1);
            group
        } else {
            group.saturating_sub(1)
        };
        let end = (group + 1).min(self.groups - 1);
        let free = |group: u32| self.size_of(group) - u64::from(self.lead[group as usize]);
        (start + 1..=end).fold(start, |best, other| if free(other) > free(best) { other } else { best })
    }

    fn size_of(&self, group: u32) -> u64 {
        let before = u64::from(group) * u64::from(self.blocks_per_group);
        (self.blocks - before).min(u64::from(self.blocks_per_group))
    }

    /// Where a run of `needed` blocks from `start` in `group` ends, together with the metadata of the groups that it
    /// covers.
    fn end_behind(&self, start: u64, group: u32, needed: u64) -> Option<u64> {
        let per_group = u64::from(self.blocks_per_group);
        let mut end = start + needed;
        let mut covered = group;
        while covered + 1 < self.groups && u64::from(covered + 1) * per_group < end {
            covered += 1;
            end += u64::from(self.lead[covered as usize]);
        }
        (end <= self.blocks).then_some(end)
    }

    /// Moves the metadata of the groups behind `group`, up to `end`, to `to`, so that the journal is one run. mke2fs
    /// leaves them in the journal's midst, half a megabyte in each 128.
    fn move_behind(&mut self, to: u64, group: u32, end: u64) {
        let per_group = u64::from(self.blocks_per_group);
        let mut to = to;
        let last = as_number((end - 1) / per_group);
        for covered in group + 1..=last {
            let from = u64::from(covered) * per_group;
            let count = u64::from(self.lead[covered as usize]);
            for positions in [&mut self.block_bitmap, &mut self.inode_bitmap, &mut self.inode_table] {
                for position in positions.iter_mut().filter(|at| (from..from + count).contains(at)) {
                    *position = *position - from + to;
                }
            }
            to += count;
        }
        debug_assert_eq!(to, end);
        for covered in group..=last {
            let before = u64::from(covered) * per_group;
            self.lead[covered as usize] = as_number((end - before).min(per_group));
        }
    }

    /// The block of the group's descriptor; the first descriptors lie behind the superblock.
    #[inline]
    pub(super) fn descriptor(&self, group: u32) -> u64 {
        if self.scattered {
            let first = group - group % self.descriptors_per_block;
            return u64::from(first) * u64::from(self.blocks_per_group) + u64::from(has_superblock(first));
        }
        1 + u64::from(group / self.descriptors_per_block)
    }

    /// Whether mke2fs leaves the block bitmap of a group of ext4 unwritten: nothing of the group is in use but copies
    /// of superblock and descriptors, and it isn't the last.
    pub(super) fn block_bitmap_is_unwritten(&self, group: u32) -> bool {
        let first = u64::from(group) * u64::from(self.blocks_per_group);
        let tables = group.is_multiple_of(self.flex);
        let journal =
            self.journal.start < first + u64::from(self.blocks_per_group) && self.journal.end > first;
        group + 1 < self.groups && !tables && !journal
    }

    #[inline]
    pub(super) fn block_bitmap(&self, group: u32) -> u64 {
        self.block_bitmap[group as usize]
    }

    #[inline]
    pub(super) fn inode_bitmap(&self, group: u32) -> u64 {
        self.inode_bitmap[group as usize]
    }

    /// The first block of a group's inode table.
    pub(super) fn inode_table(&self, group: u32) -> u64 {
        self.inode_table[group as usize]
    }

    #[inline]
    pub(super) fn group_of_inode(&self, inode: u32) -> u32 {
        (inode - 1) / self.inodes_per_group
    }

    /// The block of the inode table that holds an inode.
    #[inline]
    pub(super) fn inode_block(&self, inode: u32) -> u64 {
        let group = self.group_of_inode(inode);
        let index = (inode - 1) % self.inodes_per_group;
        self.inode_table[group as usize] + u64::from(index / self.inodes_per_block)
    }

    #[inline]
    pub(super) fn group_of_block(&self, block: u64) -> u32 {
        as_number(block / u64::from(self.blocks_per_group))
    }
}
