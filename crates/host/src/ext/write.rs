//! Pages are prepared for a write and posted: journal handle, blocks, what is logged.
//!
//! After fs/ext3/inode.c (`ext3_write_begin`, the three `write_end`s) and fs/ext4/inode.c; `ext4_dio_write_iter` past the cache.

use super::Ext;
use crate::below::{Change, FileSystem, Kernel, Piece, Posted, Prepared, Stop};
use crate::file_system::{FileError, JournalMode, Mapping};
use crate::journal::BlockKey;
use crate::page_cache::FileKey;
use crate::state::{Event, Touch, times};
use petrio_colours::{Direction, Failure, FileCause, FileId, FileOp};

/// Blocks that a write of one page may dirty beside its data: inode, bitmap, group descriptor, and indirect blocks with their
/// own bitmaps (`ext3_writepage_trans_blocks`, about).
const CREDITS: u64 = 12;

impl Ext {
    pub(super) fn prepare_pages(
        &mut self,
        kernel: &mut Kernel<'_>,
        &Piece { op, key, first, pages, end, size }: &Piece<'_>,
    ) -> Result<Prepared, Stop> {
        let file = op.file;
        let delayed = kernel.fs.rules.nature.delayed;
        let logs_data = self.rules.logs_data();
        let extends = end > size;
        let ages = kernel.ages(file);
        let holes = kernel.holes(self, file, (first, pages));
        let allocates = holes > 0 && !delayed;
        let reserves =
            if delayed && holes > 0 { self.unreserved(kernel, file, key, (first, pages)) } else { 0 };
        if reserves > 0 && !kernel.fs.has_room_for(reserves, self.volume.free_blocks()) {
            return Err(Stop::Fail(Failure::NoSpace));
        }
        let mapping = self.unknown_mapping(kernel, file, key, (first, pages), holes);
        let mut prepared = Prepared::default();
        // A page that becomes writable in somebody's memory changes nothing of its file but its times, and blocks where it
        // had none; its content is logged where data are.
        let begins_handle = match op.flags.mapped {
            true => ages || allocates || logs_data,
            false => !delayed || extends || ages,
        };
        if begins_handle {
            let change = self.start(kernel, CREDITS + if logs_data { pages } else { 0 })?;
            prepared.change = Some(change);
            prepared.work += kernel.memory.costs.journal_handle;
            kernel.fs.touched.clear();
            if ages || extends {
                kernel.touch_times(file);
                self.volume.touch_inode(file, &mut kernel.fs.touched);
            }
            if allocates {
                if let Err(error) = self.allocate(kernel, file, (first, pages)) {
                    self.log_touched(kernel, change.id);
                    self.stop(kernel, change);
                    return Err(error.into());
                }
                let costs = &kernel.memory.costs;
                prepared.work += times(costs.allocate, holes) + costs.allocate_call;
                if size == 0 {
                    prepared.work += costs.allocate_file;
                }
            }
            prepared.group = kernel.bring_touched(Touch::of(op, Direction::Read, true));
            self.log_touched(kernel, change.id);
            let ordered = self.rules.mode == JournalMode::Ordered;
            // JBD hangs every dirty buffer on the transaction, JBD2 only inodes that got blocks.
            if ordered && (allocates || self.rules.is_old()) {
                let range = if self.rules.orders_files { (0, u64::MAX) } else { (first, first + pages) };
                self.journal.order(change.id, key.0, range);
            }
            let inode = kernel.fs.inodes.get_mut(file);
            if ages || extends || allocates {
                inode.sync = change.id;
            }
            if extends || allocates {
                inode.data_sync = change.id;
            }
        }
        let touch = Touch::of(op, Direction::Read, true);
        for block in mapping {
            prepared.group = kernel.bring_block(block, prepared.group, touch).or(prepared.group);
        }
        if reserves > 0 {
            kernel.fs.set_delayed(file, kernel.fs.inodes.get(file).delayed + reserves);
        }
        Ok(prepared)
    }

    /// The blocks that say where pages lie that are overwritten and aren't in memory: without them nobody knows (`ext4_map_blocks`,
    /// `ext3_get_blocks_handle`). Of pages in memory it is known.
    fn unknown_mapping(
        &self,
        kernel: &Kernel<'_>,
        file: FileId,
        key: FileKey,
        (first, pages): (u64, u64),
        holes: u64,
    ) -> Vec<u64> {
        // Where nobody has mounted it just now, others know where files lie.
        if holes == pages || self.found.is_none() {
            return Vec::new();
        }
        if (first..first + pages).all(|index| kernel.memory.cache.look(key, index).is_some()) {
            return Vec::new();
        }
        let mut mapping = Mapping::default();
        self.volume.map(file, first, pages, &mut mapping);
        mapping.metadata.iter().map(|&(_, block)| block).collect()
    }

    pub(super) fn post_pages(
        &mut self,
        kernel: &mut Kernel<'_>,
        &Posted { file, key, first, pages, dirtied }: &Posted,
        change: Option<Change>,
    ) {
        if kernel.fs.rules.nature.delayed && dirtied > 0 && kernel.fs.inodes.get(file).delayed == 0 {
            // Others have found blocks for what was kept, or none, since this piece was begun.
            let holes = kernel.holes(self, file, (first, pages));
            kernel.fs.set_delayed(file, holes);
        }
        let Some(change) = change else { return };
        if self.rules.logs_data() {
            for index in first..first + pages {
                self.journal.dirty(change.id, BlockKey { file: key.0, index });
            }
            let inode = kernel.fs.inodes.get_mut(file);
            (inode.data, inode.data_sync, inode.sync) = (change.id, change.id, change.id);
        }
        self.stop(kernel, change);
    }

    /// An overwrite changes nothing but the modification time, which a later fsync has to commit (`file_modified`).
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
        let empty = self.volume.is_unwritten(file, first, end - first);
        let extends = holes > 0 || empty || last_byte > size;
        if !extends && !kernel.ages(file) {
            return Ok(false);
        }
        let change = self.start(kernel, CREDITS)?;
        kernel.fs.touched.clear();
        kernel.touch_times(file);
        self.volume.touch_inode(file, &mut kernel.fs.touched);
        let mut found = Ok(0);
        if holes > 0 {
            found = self.allocate(kernel, file, (first, end - first));
        }
        if empty && found.is_ok() {
            let into = self.volume.write_into(file, (first, end - first), &mut kernel.fs.touched);
            found = into.map(u64::from);
        }
        if let Err(error) = found {
            self.log_touched(kernel, change.id);
            self.stop(kernel, change);
            return Err(error.into());
        }
        let missing = kernel.bring_touched(Touch::of(op, Direction::Write, true));
        self.log_touched(kernel, change.id);
        let inode = kernel.fs.inodes.get_mut(file);
        (inode.sync, inode.size) = (change.id, inode.size.max(last_byte));
        if extends {
            inode.data_sync = change.id;
        }
        let size = inode.size;
        self.volume.grow(file, size);
        self.stop(kernel, change);
        match missing {
            Some(group) => Err(Stop::Wait(Event::Group(group), FileCause::Read)),
            None => Ok(extends),
        }
    }

    /// How many pages of a range have no block, and none that is kept for them: those that are dirty have.
    fn unreserved(
        &self,
        kernel: &mut Kernel<'_>,
        file: FileId,
        key: FileKey,
        (first, pages): (u64, u64),
    ) -> u64 {
        let mut mapping = std::mem::take(&mut kernel.fs.mapping);
        self.map(file, first, pages, &mut mapping);
        let holes = mapping.segments.iter().filter(|segment| segment.block.is_none());
        let pages = holes.flat_map(|hole| hole.first..hole.first + hole.count);
        let is_clean = |&index: &u64| kernel.memory.cache.look(key, index).is_none_or(|page| !page.dirty);
        let unreserved = pages.filter(is_clean).count() as u64;
        kernel.fs.mapping = mapping;
        unreserved
    }

    /// Finds blocks for pages that have none, page by page as they are written: only delayed allocation asks for many.
    fn allocate(
        &mut self,
        kernel: &mut Kernel<'_>,
        file: FileId,
        (first, pages): (u64, u64),
    ) -> Result<u64, FileError> {
        let mut mapping = std::mem::take(&mut kernel.fs.mapping);
        let mut allocated = Ok(0);
        for index in first..first + pages {
            let known = kernel.fs.touched.dirtied.len();
            let one = self.volume.allocate(file, index, 1, &mut mapping, &mut kernel.fs.touched);
            allocated = allocated.and_then(|before| one.map(|more| before + more));
            // The next page's block may hang on an indirect block that this one's has made: it is in memory.
            for at in known..kernel.fs.touched.dirtied.len() {
                let block = kernel.fs.touched.dirtied[at];
                if !kernel.fs.touched.reads.contains(&block) {
                    kernel.keep_new_block(block);
                }
            }
        }
        kernel.fs.mapping = mapping;
        allocated
    }
}
