//! Pages are prepared for a write and find their blocks: what is promised, what the log gets.

use super::Xfs;
use crate::below::{Kernel, Piece, Prepared, Stop};
use crate::copy_cost::PAGE_BYTES;
use crate::page_cache::FileKey;
use crate::state::{Touch, file_of, times};
use petrio_colours::{Direction, FileCause, FileId, FileOp};

impl Xfs {
    /// Promises blocks to all of the call that is left, and changes the file's times in a transaction of its own
    /// (`xfs_buffered_write_iomap_begin`, `xfs_vn_update_time`).
    pub(super) fn prepare_pages(
        &mut self,
        kernel: &mut Kernel<'_>,
        &Piece { op, first, end, .. }: &Piece<'_>,
    ) -> Result<Prepared, Stop> {
        let file = op.file;
        let mut prepared = Prepared::default();
        let is_call = !op.flags.mapped && !op.flags.stdio;
        let from = if is_call { (first * PAGE_BYTES).max(op.offset) } else { first * PAGE_BYTES };
        let to = if is_call { end.max(op.end()) } else { end };
        let before = self.volume.free_blocks();
        self.volume.promise(file, (from, to.saturating_sub(from).max(1)))?;
        let promised = before - self.volume.free_blocks();
        if promised > 0 {
            prepared.work += kernel.memory.costs.allocate_call + times(kernel.memory.costs.allocate, 1);
        }
        if kernel.ages(file) {
            kernel.touch_times(file);
            self.volume.touch_inode(file, &mut self.changes);
            let sequence = self.commit_asking(kernel);
            kernel.fs.inodes.get_mut(file).sync = sequence;
            prepared.work += kernel.memory.costs.journal_handle;
        }
        Ok(prepared)
    }

    /// What must be in memory before a file gets blocks.
    fn bring_space(&mut self, kernel: &mut Kernel<'_>, file: FileId, touch: Touch) -> Result<(), Stop> {
        self.changes.clear();
        let reads = &mut self.changes.reads;
        self.volume.needs_space(file, |buffer| reads.push(buffer));
        self.bring_all(kernel, touch, FileCause::Write)
    }

    /// Finds blocks for what of a file is dirty and has only been promised some. Where there are none, the data are lost.
    pub(super) fn find_promised(
        &mut self,
        kernel: &mut Kernel<'_>,
        key: FileKey,
        touch: Touch,
    ) -> Result<(), Stop> {
        let Some(file) = file_of(key) else { return Ok(()) };
        if self.volume.fork(file).is_none_or(|fork| fork.delayed() == 0) {
            return Ok(());
        }
        self.bring_space(kernel, file, touch)?;
        let (mut at, mut found) = (0, Ok(false));
        while let Some((first, pages)) = kernel.memory.cache.dirty_run(key, at, u64::MAX) {
            match self.volume.find_promised(file, (first, pages), &mut self.changes) {
                Ok(more) => found = found.map(|before| before || more),
                Err(error) => {
                    found = Err(error);
                    break;
                }
            }
            at = first + pages;
        }
        let sequence = self.commit_asking(kernel);
        if !matches!(found, Ok(false)) {
            let inode = kernel.fs.inodes.get_mut(file);
            (inode.sync, inode.data_sync) = (sequence, sequence);
        }
        if let Err(error) = found {
            kernel.memory.cache.remove(key, at, u64::MAX);
            kernel.fs.promises.gone(key, at, u64::MAX);
            kernel.fs.unwritten.insert(file, error.failure());
            return Err(error.into());
        }
        Ok(())
    }

    /// A write past the cache: blocks for its holes, which hold data with the size that it makes (`xfs_dio_write_end_io` says both
    /// once data are there; here that is part of the same checkpoint).
    pub(super) fn prepare_direct(
        &mut self,
        kernel: &mut Kernel<'_>,
        op: &FileOp,
        (first, end): (u64, u64),
        last_byte: u64,
    ) -> Result<bool, Stop> {
        let file = op.file;
        let size = kernel.fs.inodes.get(file).size;
        let holes = kernel.holes(self, file, (first, end - first));
        if holes > 0 {
            self.bring_space(kernel, file, Touch::of(op, Direction::Read, true))?;
        }
        self.changes.clear();
        let ages = kernel.ages(file);
        if ages {
            kernel.touch_times(file);
            self.volume.touch_inode(file, &mut self.changes);
        }
        let mut data = false;
        if holes > 0 {
            if let Err(error) = self.volume.allocate(file, (first, end - first), &mut self.changes) {
                self.commit_asking(kernel);
                return Err(error.into());
            }
            data = true;
        }
        let extends = last_byte > size;
        let inode = kernel.fs.inodes.get_mut(file);
        inode.size = inode.size.max(last_byte);
        self.volume.grow(file, last_byte);
        data |= self.volume.written(file, (first, end - first), &mut self.changes);
        if ages || data {
            let sequence = self.commit_asking(kernel);
            let inode = kernel.fs.inodes.get_mut(file);
            inode.sync = sequence;
            if data {
                inode.data_sync = sequence;
            }
        }
        Ok(extends || holes > 0)
    }
}
