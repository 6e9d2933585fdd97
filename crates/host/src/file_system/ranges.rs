//! Ranges of files that get blocks without data, lose their blocks, or are zeros from now on; and data that come into such blocks.
//!
//! After ext4_fallocate, ext4_zero_range and ext4_alloc_file_blocks (fs/ext4/extents.c) and ext4_punch_hole (fs/ext4/inode.c): just as many
//! blocks are looked for as are asked for (EXT4_GET_BLOCKS_NO_NORMALIZE), as extents that hold no data. Of ext4 alone, as indirect blocks
//! can't say that. Leaves out that dirty pages of a range that goes are written before, and the zeroing of blocks that go in part.

use super::error::FileError;
use super::parameters::{BLOCK_SIZE, Family};
use super::search::Holds;
use super::touched::Touched;
use super::volume::Volume;
use petrio_colours::{Fallocate, FileId, FileOp};
use std::sync::Arc;

impl Volume {
    /// Carries out a fallocate.
    pub(super) fn change_range(&mut self, op: &FileOp, touched: &mut Touched) -> Result<(), FileError> {
        let file = op.file;
        if self.find(file)?.directory.is_some() {
            return Err(FileError::IsADirectory { file });
        }
        if self.parameters.family == Family::Ext3 {
            return Err(FileError::NotSupported { file });
        }
        let blocks = (op.offset / BLOCK_SIZE, op.end().div_ceil(BLOCK_SIZE));
        let whole = (op.offset.div_ceil(BLOCK_SIZE), op.end() / BLOCK_SIZE);
        self.fits_a_file(file, blocks.1)?;
        match op.fallocate {
            Fallocate::PunchHole => self.punch(file, whole, touched)?,
            mode => {
                if mode == Fallocate::ZeroRange {
                    self.mark(file, whole, true, touched)?;
                }
                let mut inode = self.take_out(file)?;
                let filled = self.fill_as(file, Arc::make_mut(&mut inode), blocks, Holds::Nothing, touched);
                self.put(file, inode);
                filled?;
                if mode != Fallocate::KeepSize {
                    self.grow(file, op.end());
                }
            }
        }
        touched.update(self.inode_block(file));
        Ok(())
    }

    /// Whether some of a range has blocks that hold no data.
    pub fn is_unwritten(&self, file: FileId, first: u64, count: u64) -> bool {
        let Some(inode) = self.get(file).filter(|inode| inode.extents.has_unwritten()) else { return false };
        let mut found = false;
        inode.extents.walk(first, |extent| {
            found |= extent.unwritten && extent.end() > first && extent.first < first + count;
            !found && extent.first < first + count
        });
        found
    }

    /// Data come into blocks of a range that held none; whether there were any.
    ///
    /// # Errors
    /// Where there is no such file, or no room for what the extents need.
    pub fn write_into(
        &mut self,
        file: FileId,
        (first, count): (u64, u64),
        touched: &mut Touched,
    ) -> Result<bool, FileError> {
        if !self.is_unwritten(file, first, count) {
            return Ok(false);
        }
        self.mark(file, (first, first + count), false, touched)?;
        touched.update(self.inode_block(file));
        touched.settle();
        Ok(true)
    }

    fn mark(
        &mut self,
        file: FileId,
        (first, end): (u64, u64),
        unwritten: bool,
        touched: &mut Touched,
    ) -> Result<(), FileError> {
        self.change_extents(file, first, touched, |extents| {
            extents.mark(first, end, unwritten);
        })
    }

    fn punch(
        &mut self,
        file: FileId,
        (first, end): (u64, u64),
        touched: &mut Touched,
    ) -> Result<(), FileError> {
        self.discard_reservation(file);
        let (mut data, mut tree) = (Vec::new(), Vec::new());
        self.change_extents(file, first, touched, |extents| {
            let gives = |block, count| data.push((block, count));
            extents.punch((first, end), gives, |node| tree.push(node));
        })?;
        for &(block, count) in &data {
            self.give_back(block, count, touched);
            touched.free(block, count);
        }
        for &node in &tree {
            self.give_back(node, 1, touched);
            touched.forget(node);
        }
        Ok(())
    }

    /// Changes a file's extents from a block on: the nodes above it are read and changed, and there may be more of them after.
    fn change_extents(
        &mut self,
        file: FileId,
        at: u64,
        touched: &mut Touched,
        change: impl FnOnce(&mut super::extents::Extents),
    ) -> Result<(), FileError> {
        let free = self.free_blocks();
        let mut taken = self.take_out(file)?;
        let inode = Arc::make_mut(&mut taken);
        let (index, leaf) = inode.extents.nodes_above(at);
        index.into_iter().for_each(|block| touched.read(block));
        leaf.into_iter().for_each(|block| touched.update(block));
        change(&mut inode.extents);
        let near = inode.extents.before(at).map_or(0, |extent| extent.block);
        let done = self.complete_tree(inode, at, near, touched);
        self.put(file, taken);
        done.ok_or(FileError::NoSpace { file, wanted: 1, free })
    }
}
