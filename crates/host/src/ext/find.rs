//! Blocks are found for pages that were written without (delayed allocation), before they go to the device.
//!
//! After `ext4_do_writepages` and `mpage_map_and_submit_extent` of fs/ext4/inode.c.

use super::Ext;
use crate::below::{Kernel, Stop};
use crate::file_system::JournalMode;
use crate::page_cache::FileKey;
use crate::state::{Touch, file_of};
use petrio_colours::FileId;

/// Blocks that finding blocks for delayed pages may dirty at a time.
const CREDITS: u64 = 24;

impl Ext {
    /// When the volume is full, its blocks were reserved, but none for what maps them: the data are lost, as in
    /// `mpage_map_and_submit_extent`.
    pub(super) fn find_delayed_blocks(
        &mut self,
        kernel: &mut Kernel<'_>,
        key: FileKey,
        touch: Touch,
    ) -> Result<(), Stop> {
        let Some(file) = file_of(key) else { return Ok(()) };
        let delays = kernel.fs.inodes.get(file).delayed > 0 && kernel.dirty_holes(self, key, 1) > 0;
        if !delays && !self.has_dirty_unwritten(kernel, file, key) {
            return Ok(());
        }
        let change = self.start(kernel, CREDITS)?;
        let id = change.id;
        kernel.fs.touched.clear();
        // What the file has grown to decides how much is looked for (ext4_mb_normalize_request).
        self.volume.grow(file, kernel.fs.inodes.get(file).size);
        let mut mapping = std::mem::take(&mut kernel.fs.mapping);
        let (mut at, mut found) = (0, 0);
        let (mut from, mut to) = (u64::MAX, 0);
        let mut result = Ok(0);
        while let Some((first, pages)) = kernel.memory.cache.dirty_run(key, at, u64::MAX) {
            self.volume.map(file, first, pages, &mut mapping);
            for hole in mapping.segments.iter().filter(|segment| segment.block.is_none()) {
                (from, to) = (from.min(hole.first), to.max(hole.first + hole.count));
                if self.rules.converts {
                    kernel.fs.note_unconverted(file, hole.first, hole.count);
                }
            }
            if self.volume.is_unwritten(file, first, pages) {
                // Their extents are cut before, and hold data once these are there.
                let into = self.volume.write_into(file, (first, pages), &mut kernel.fs.touched);
                result = into.map(|_| 0);
                if result.is_err() {
                    break;
                }
                kernel.fs.note_unconverted(file, first, pages);
            }
            result = self.volume.allocate(file, first, pages, &mut mapping, &mut kernel.fs.touched);
            match result {
                Ok(more) => found += more,
                Err(_) => break,
            }
            at = first + pages;
        }
        kernel.fs.mapping = mapping;
        // Those of a piece that somebody is just writing are still to come.
        let delayed = kernel.fs.inodes.get(file).delayed.saturating_sub(found);
        if let Err(error) = result {
            self.log_touched(kernel, id);
            self.stop(kernel, change);
            kernel.memory.cache.remove(key, at, u64::MAX);
            kernel.fs.promises.gone(key, at, u64::MAX);
            kernel.fs.set_delayed(file, 0);
            kernel.fs.unwritten.insert(file, error.failure());
            return Err(error.into());
        }
        self.volume.touch_inode(file, &mut kernel.fs.touched);
        kernel.bring_touched(touch);
        self.log_touched(kernel, id);
        let ordered = self.rules.mode == JournalMode::Ordered;
        if ordered && from < to && !self.rules.converts {
            let range = if self.rules.orders_files { (0, u64::MAX) } else { (from, to) };
            self.journal.order(id, key.0, range);
        }
        let inode = kernel.fs.inodes.get_mut(file);
        (inode.sync, inode.data_sync) = (id, id);
        kernel.fs.set_delayed(file, delayed);
        self.stop(kernel, change);
        Ok(())
    }

    /// Whether something of a file is dirty that has blocks which hold no data.
    fn has_dirty_unwritten(&self, kernel: &Kernel<'_>, file: FileId, key: FileKey) -> bool {
        let mut at = 0;
        while let Some((first, pages)) = kernel.memory.cache.dirty_run(key, at, u64::MAX) {
            if self.volume.is_unwritten(file, first, pages) {
                return true;
            }
            at = first + pages;
        }
        false
    }
}
