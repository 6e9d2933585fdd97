//! Giving blocks to a file: the tree above them, the goal, and what that touches.
//!
//! After fs/ext4/indirect.c (ext4_ind_map_blocks, ext4_alloc_branch), fs/ext4/extents.c, and fs/ext3/inode.c of Linux
//! 2.6.24. Where the blocks are found is in `search.rs`. With the reservation of old ext3 a branch's indirect blocks
//! come out of the file's window and so lie before the data that they point to; multi-block allocation takes them near
//! the goal, outside of what was preallocated for data. Leaves out quotas and extended attributes.

use super::error::FileError;
use super::extents::Extent;
use super::geometry::POINTERS;
use super::indirect::{Branch, MOST_BLOCKS};
use super::parameters::{Allocation, Family};
use super::prepare::AT_ONCE;
use super::search::{FLEX_FOR_DIRECTORIES, Holds};
use super::touched::{Mapping, Touched};
use super::volume::{Inode, Volume};
use petrio_colours::FileId;
use petrio_units::numbers::as_number;
use std::sync::Arc;

/// Blocks of a file whose numbers the extent tree can hold.
const MOST_LOGICAL: u64 = 1 << 32;

impl Volume {
    /// Gives blocks to those of `first .. first + count` that have none. `mapping` tells afterwards where all of them
    /// lie; `touched` gains what is read and changed. The file's size stays as it is ([`Volume::grow`]).
    ///
    /// Delayed allocation asks for many blocks at once; without it a write asks page by page.
    ///
    /// # Errors
    ///
    /// When there is no such file, it would become too large, or the volume is full: what was allocated until then
    /// stays.
    pub fn allocate(
        &mut self,
        file: FileId,
        first: u64,
        count: u64,
        mapping: &mut Mapping,
        touched: &mut Touched,
    ) -> Result<u64, FileError> {
        let end = first.saturating_add(count);
        let mut inode = self.take_out(file)?;
        let fits = self.fits_a_file(file, end);
        let result = fits.and_then(|()| self.fill(file, Arc::make_mut(&mut inode), first, end, touched));
        self.put(file, inode);
        touched.settle();
        self.map(file, first, count, mapping);
        result
    }

    /// Whether a file may have so many blocks.
    pub(super) fn fits_a_file(&self, file: FileId, blocks: u64) -> Result<(), FileError> {
        let most = match self.parameters.family {
            Family::Ext3 => MOST_BLOCKS,
            Family::Ext4 => MOST_LOGICAL,
        };
        if blocks > most { Err(FileError::TooLarge { file, blocks, most }) } else { Ok(()) }
    }

    /// Takes an inode out of the table, so that it and the volume can be changed side by side.
    pub(super) fn take_out(&mut self, file: FileId) -> Result<Arc<Inode>, FileError> {
        self.files.take(file.0 as usize).ok_or(FileError::NotFound { file })
    }

    /// Fills the holes of a range; how many blocks of data were given.
    pub(super) fn fill(
        &mut self,
        file: FileId,
        inode: &mut Inode,
        first: u64,
        end: u64,
        touched: &mut Touched,
    ) -> Result<u64, FileError> {
        let holds = Holds::data(inode);
        self.fill_as(file, inode, (first, end), holds, touched)
    }

    /// The same with blocks that are for something else.
    pub(super) fn fill_as(
        &mut self,
        file: FileId,
        inode: &mut Inode,
        (first, end): (u64, u64),
        holds: Holds,
        touched: &mut Touched,
    ) -> Result<u64, FileError> {
        let mut given = 0;
        let mut at = first;
        while at < end {
            let (before, behind) = inode.extents.around(at);
            if let Some(extent) = before
                && at < extent.end()
            {
                at = extent.end();
                continue;
            }
            let hole_end = behind.map_or(end, |extent| extent.first.min(end));
            let full =
                |volume: &Self| FileError::NoSpace { file, wanted: end - at, free: volume.free_blocks() };
            let (block, count) = match self.parameters.family {
                Family::Ext3 => self.give_indirect(inode, at, hole_end, before, touched),
                Family::Ext4 => self.give_extent(inode, (at, hole_end), holds, (before, behind), touched),
            }
            .ok_or_else(|| full(self))?;
            given += count;
            self.scatter = None;
            inode.extents.insert(at, block, count, holds == Holds::Nothing);
            if self.parameters.family == Family::Ext4 {
                self.complete_tree(inode, at, block, touched).ok_or_else(|| full(self))?;
            }
            at += count;
        }
        if given > 0 {
            touched.update(self.geometry.inode_block(inode.number));
            touched.credits += self.allocation_credits(given);
        }
        Ok(given)
    }

    /// Credits for a write of so many new blocks (ext4_meta_trans_blocks): tree, bitmaps and descriptors, and six more.
    fn allocation_credits(&self, blocks: u64) -> u32 {
        let tree = match self.parameters.family {
            Family::Ext3 => as_number(blocks.div_ceil(POINTERS)) + 4,
            Family::Ext4 => 3,
        };
        let groups = (tree + 1).min(self.geometry.groups);
        let descriptors = (tree + 1).min(self.geometry.descriptor_blocks);
        tree + groups + descriptors + 6
    }

    /// Where the next blocks of the file should be (ext4_find_near, ext4_ext_find_goal).
    fn goal(&self, inode: &Inode, at: u64, before: Option<Extent>) -> u64 {
        if let Some(goal) = self.scatter {
            return goal;
        }
        if self.parameters.family == Family::Ext4 {
            if let Some(extent) = before {
                return (extent.block + (at - extent.first)).min(self.geometry.blocks - 1);
            }
        } else if let Some(block) = self.pointed_to_before(inode, at, before) {
            return (block + 1).min(self.geometry.blocks - 1);
        }
        let mut group = self.geometry.group_of_inode(inode.number);
        let flex = self.geometry.flex;
        if flex >= FLEX_FOR_DIRECTORIES {
            // EXT4_FLEX_SIZE_DIR_ALLOC_SCHEME: directories at the beginning of the flexible group, files behind its
            // first.
            group &= !(flex - 1);
            if inode.directory.is_none() {
                group = (group + 1).min(self.geometry.groups - 1);
            }
        }
        let start = u64::from(group) * u64::from(self.geometry.blocks_per_group);
        let delayed = self.parameters.family == Family::Ext4;
        let colour = if delayed { 0 } else { u64::from(inode.colour) };
        let size = u64::from(self.taken.size_of(group));
        start + colour * (size / 16)
    }

    /// The block that the pointer before that of `at` points to, or else the block that holds the pointers. Old ext3
    /// looks at the last block allocated first, where the file goes on there (ext3_find_goal).
    fn pointed_to_before(&self, inode: &Inode, at: u64, before: Option<Extent>) -> Option<u64> {
        let last = before.map(|extent| extent.block + u64::from(extent.count) - 1);
        if self.allocation == Allocation::Reservation && before.is_some_and(|extent| extent.end() == at) {
            return last;
        }
        let branch = Branch::to(at);
        let [_, _, lowest] = inode.indirect.of(branch);
        let same_block = before.is_some_and(|extent| Branch::to(extent.end() - 1).lowest == branch.lowest);
        match (branch.lowest, lowest) {
            (None, _) => last,
            (Some(_), Some(lowest)) => {
                if same_block {
                    last
                } else {
                    Some(lowest)
                }
            }
            (Some(0), None) => last.filter(|_| before.is_some_and(|extent| extent.end() == at)),
            (Some(_), None) => inode.indirect.beside(branch),
        }
    }

    /// Blocks behind pointers, and the indirect blocks that lead to them.
    fn give_indirect(
        &mut self,
        inode: &mut Inode,
        at: u64,
        end: u64,
        before: Option<Extent>,
        touched: &mut Touched,
    ) -> Option<(u64, u64)> {
        let branch = Branch::to(at);
        let mut goal = self.goal(inode, at, before);
        let data = Holds::data(inode);
        let missing = inode.indirect.missing(branch);
        let from_window = self.allocation == Allocation::Reservation && data == Holds::Data;
        if self.free_blocks() < missing as u64 + 1 {
            return None;
        }
        let [top, middle, lowest] = inode.indirect.of(branch);
        [top, middle, lowest].into_iter().flatten().for_each(|block| touched.read(block));
        if let (true, Some(parent)) = (missing > 0, middle.or(top)) {
            touched.dirty(parent);
        }
        for _ in 0..missing {
            let holds = if from_window { Holds::Data } else { Holds::Metadata };
            let (block, _) = self.give(inode, holds, at, 1, goal, touched)?;
            inode.indirect.give(branch, block);
            touched.dirty(block);
            goal = (block + 1).min(self.geometry.blocks - 1);
        }
        let most = end.min(branch.end()) - at;
        let given = self.give(inode, data, at, most, goal, touched)?;
        if let Some(lowest) = lowest {
            touched.dirty(lowest);
        }
        Some(given)
    }

    /// Blocks for an extent.
    fn give_extent(
        &mut self,
        inode: &mut Inode,
        (at, end): (u64, u64),
        holds: Holds,
        (before, behind): (Option<Extent>, Option<Extent>),
        touched: &mut Touched,
    ) -> Option<(u64, u64)> {
        let goal = match (before, behind) {
            (None, Some(behind)) => behind.block.saturating_sub(behind.first - at),
            _ => self.goal(inode, at, before),
        };
        if self.free_blocks() < inode.extents.nodes_to_come(at) as u64 + 1 {
            return None;
        }
        let (index, leaf) = inode.extents.nodes_above(at);
        [index, leaf].into_iter().flatten().for_each(|block| touched.read(block));
        let most = if holds == Holds::Nothing { end - at } else { (end - at).min(AT_ONCE) };
        let given = self.give(inode, holds, at, most, goal, touched)?;
        if let Some(leaf) = leaf {
            touched.dirty(leaf);
        }
        Some(given)
    }

    /// Gives the extent tree the nodes that it needs after an extent was added.
    pub(super) fn complete_tree(
        &mut self,
        inode: &mut Inode,
        at: u64,
        near: u64,
        touched: &mut Touched,
    ) -> Option<()> {
        while inode.extents.nodes_missing() > 0 {
            let (index, leaf) = inode.extents.nodes_above(at);
            [index, leaf].into_iter().flatten().for_each(|block| touched.dirty(block));
            let (block, _) = self.give(inode, Holds::Metadata, at, 1, near, touched)?;
            inode.extents.give_node(block);
            touched.dirty(block);
        }
        Some(())
    }

    /// Takes one block for metadata near another.
    pub(super) fn take_one(&mut self, goal: u64, touched: &mut Touched) -> Option<u64> {
        let (block, _) = self.near(goal, 1)?;
        self.free_seen.add(-1);
        self.touch_bitmaps(block, 1, touched);
        Some(block)
    }

    /// Takes blocks for what is to lie there; bitmaps and descriptors are touched.
    fn give(
        &mut self,
        inode: &mut Inode,
        holds: Holds,
        at: u64,
        most: u64,
        goal: u64,
        touched: &mut Touched,
    ) -> Option<(u64, u64)> {
        let (block, count) = self.search(inode, holds, at, most, goal)?;
        self.free_seen.add(-(count as i64));
        self.touch_bitmaps(block, count, touched);
        Some((block, count))
    }

    /// Bitmaps and descriptors of the groups that a run of blocks lies in.
    #[inline]
    pub(super) fn touch_bitmaps(&mut self, block: u64, count: u64, touched: &mut Touched) {
        let mut group = self.geometry.group_of_block(block);
        let mut end = (u64::from(group) + 1) * u64::from(self.geometry.blocks_per_group);
        loop {
            let bitmap = self.geometry.block_bitmap(group);
            // One that was made up for this very operation isn't on the device.
            if !std::mem::take(&mut self.unwritten[group as usize].blocks) && !touched.has_dirtied(bitmap) {
                touched.read(bitmap);
            }
            touched.dirty(bitmap);
            touched.dirty(self.geometry.descriptor(group));
            if block + count <= end {
                return;
            }
            group += 1;
            end += u64::from(self.geometry.blocks_per_group);
        }
    }
}
