//! Giving blocks and inodes back: truncation, removal, and what that touches.
//!
//! After ext4_truncate and ext4_evict_inode (fs/ext4/inode.c), ext4_orphan_add and ext4_orphan_del (fs/ext4/orphan.c),
//! and ext4_free_inode (fs/ext4/ialloc.c). A file that shrinks or goes is put on the list of orphans, which begins in
//! the superblock: so the superblock is journalled with it. Metadata blocks that are freed (directories' blocks too)
//! are revoked. The zeroing of a last block that is cut in two is left to the caller, as a write of data.

use super::error::FileError;
use super::indirect::Branch;
use super::parameters::{BLOCK_SIZE, Family};
use super::touched::Touched;
use super::volume::{Inode, SUPERBLOCK, Volume};
use petrio_colours::FileId;
use std::sync::Arc;

impl Volume {
    /// Keeps a file's blocks although its last name goes: somebody has it open.
    pub fn hold(&mut self, file: FileId) {
        if let Some(inode) = self.files.get_mut(file.0 as usize) {
            inode.holders += 1;
        }
    }

    /// The counterpart of [`Volume::hold`]: the last holder of a file without a name removes it, and the last holder of
    /// any gives back what was kept for its growth (ext4_release_file).
    pub fn release(&mut self, file: FileId, touched: &mut Touched) {
        let Some(inode) = self.files.get_mut(file.0 as usize) else { return };
        inode.holders = inode.holders.saturating_sub(1);
        if inode.holders > 0 {
            return;
        }
        let is_orphan = inode.orphan;
        if is_orphan || self.rare.is_nameless(file) {
            self.evict(file, touched);
        } else {
            self.discard_reservation(file);
        }
        touched.settle();
    }

    /// Gives back the blocks that are kept for the file's growth: when its last writer closes it.
    pub fn discard_reservation(&mut self, file: FileId) {
        if let Ok(mut taken) = self.take_out(file) {
            let inode = Arc::make_mut(&mut taken);
            self.drop_reserve(inode);
            // Nothing of it is remembered (`rsv_window_remove`).
            inode.reserve = None;
            self.put(file, taken);
        }
    }

    /// Puts an inode on the list of orphans: superblock and inode change.
    pub(super) fn orphan_add(&self, inode: &Inode, touched: &mut Touched) {
        touched.dirty(SUPERBLOCK);
        touched.update(self.geometry.inode_block(inode.number));
    }

    /// Sets the length of a plain file (ext4_setattr).
    pub(super) fn truncate(
        &mut self,
        file: FileId,
        size: u64,
        touched: &mut Touched,
    ) -> Result<(), FileError> {
        if self.find(file)?.directory.is_some() {
            return Err(FileError::IsADirectory { file });
        }
        let mut taken = self.take_out(file)?;
        let inode = Arc::make_mut(&mut taken);
        touched.update(self.geometry.inode_block(inode.number));
        if size < inode.size {
            self.orphan_add(inode, touched);
            self.free_from(inode, size.div_ceil(BLOCK_SIZE), touched);
            touched.credits += self.truncate_credits();
        }
        touched.credits += 3;
        inode.size = size;
        self.put(file, taken);
        Ok(())
    }

    /// Credits that a truncation begins with (blocks_for_truncate): at least a few bitmaps, at most 64 and the inode's.
    fn truncate_credits(&self) -> u32 {
        64.min(self.geometry.groups + 8) + 8
    }

    /// Frees the file's blocks from block `from` on, and the tree above them.
    fn free_from(&mut self, inode: &mut Inode, from: u64, touched: &mut Touched) {
        self.drop_reserve(inode);
        if from >= inode.extents.end() {
            return;
        }
        let is_directory = inode.directory.is_some();
        let mut data = std::mem::take(&mut self.scratch.data);
        let mut tree = std::mem::take(&mut self.scratch.tree);
        inode.extents.truncate(from, |block, count| data.push((block, count)), |node| tree.push(node));
        let end = inode.extents.end();
        inode.indirect.truncate(end, |block| tree.push(block));
        // What must be read to know what it points to.
        tree.iter().for_each(|&block| touched.read(block));
        // What stays of the tree and loses pointers.
        match (self.parameters.family, from) {
            (_, 0) => {}
            (Family::Ext3, _) => {
                let [top, middle, lowest] = inode.indirect.of(Branch::to(from));
                let cut = Branch::to(from - 1).lowest == Branch::to(from).lowest;
                lowest.filter(|_| cut).into_iter().for_each(|block| touched.update(block));
                if !tree.is_empty() {
                    [top, middle].into_iter().flatten().for_each(|block| touched.update(block));
                }
            }
            (Family::Ext4, _) => {
                let (index, leaf) = inode.extents.nodes_above(from);
                leaf.into_iter().for_each(|block| touched.update(block));
                index.filter(|_| !tree.is_empty()).into_iter().for_each(|block| touched.update(block));
            }
        }
        for &(block, count) in &data {
            self.give_back(block, count, touched);
            if is_directory {
                (block..block + count).for_each(|block| touched.forget(block));
            } else {
                touched.free(block, count);
            }
        }
        for &block in &tree {
            self.give_back(block, 1, touched);
            touched.forget(block);
        }
        data.clear();
        tree.clear();
        self.scratch.data = data;
        self.scratch.tree = tree;
    }

    pub(super) fn give_back(&mut self, block: u64, count: u64, touched: &mut Touched) {
        self.taken.give_back(block..block + count);
        self.free_seen.add(count as i64);
        self.touch_bitmaps(block, count, touched);
    }

    /// Removes a file without names: its blocks, its inode, its place among the orphans.
    pub(super) fn evict(&mut self, file: FileId, touched: &mut Touched) {
        let Ok(mut taken) = self.take_out(file) else { return };
        let inode = Arc::make_mut(&mut taken);
        self.free_from(inode, 0, touched);
        let group = self.geometry.group_of_inode(inode.number);
        touched.dirty(SUPERBLOCK);
        touched.update(self.geometry.inode_block(inode.number));
        touched.update(self.geometry.inode_bitmap(group));
        touched.dirty(self.geometry.descriptor(group));
        touched.credits += self.truncate_credits() + 3;
        self.inodes.give_back(inode.number, inode.directory.is_some());
        if inode.orphan || self.rare.is_nameless(file) {
            self.orphans -= 1;
        }
        self.drop_rare(file, touched);
    }
}
