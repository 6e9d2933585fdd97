//! Writing past the cache (O_DIRECT): what the cache holds of the pages goes to the device first, and leaves the cache; then the
//! process's own memory goes there.
//!
//! After `iomap_dio_rw` of fs/iomap/direct-io.c and fs/direct-io.c. Leaves out the inode's lock, which writers of blocks that are there
//! share.

use super::context::Context;
use super::job::{Job, Next, Then};
use super::write::CREDITS;
use crate::host::copy_cost::PAGE_BYTES;
use crate::host::state::{Event, Moves, Touch, times};
use petrio_colours::{Direction, FileCause};

impl Context<'_> {
    /// O_DIRECT: from the process and past the cache.
    pub(super) fn write_past_cache(&mut self, job: &mut Job) -> Next {
        let key = job.key(self.fs.number);
        let file = job.op.file;
        let (first, end) = (job.position / PAGE_BYTES, job.end.div_ceil(PAGE_BYTES));
        let touch = Touch::of(&job.op, Direction::Write, true);
        let group = self.fs.transfers.group();
        job.waited = true;
        match self.find_delayed_blocks(key, Touch { direction: Direction::Read, ..touch }) {
            Ok(None) => {}
            Ok(Some(event)) => return Self::wait(event, FileCause::Journal, Then::Begin),
            Err(error) => return self.fail(job, error.failure()),
        }
        if self.write_pages(key, (first, end), u64::MAX, touch, group).1 > 0 {
            return Self::wait(Event::Group(group), FileCause::Write, Then::Begin);
        }
        // What is on its way is waited for, too, and may have been written again (`filemap_write_and_wait_range`).
        if let Some(write) = self.fs.transfers.await_write(key, (first, end), u64::MAX) {
            return Self::wait(Event::Written(write), FileCause::Write, Then::Begin);
        }
        self.memory.cache.remove(key, first, end);
        let size = self.fs.inodes.get(file).size;
        let holes = self.holes(job, first, end - first);
        let extends = holes > 0 || job.end > size;
        // An overwrite changes nothing but the modification time, which a later fsync has to commit (`file_modified`).
        if extends || self.ages(file) {
            let id = match self.start_handle(CREDITS) {
                Ok(id) => id,
                Err(event) => return Self::wait(event, FileCause::Journal, Then::Begin),
            };
            self.fs.touched.clear();
            self.touch_times(file);
            self.fs.volume.touch_inode(file, &mut self.fs.touched);
            if holes > 0
                && let Err(error) = self.allocate(job, first, end - first)
            {
                self.log_touched(id);
                job.handle = Some((id, CREDITS));
                return self.fail(job, error.failure());
            }
            let missing = self.bring_touched(touch);
            self.log_touched(id);
            let inode = self.fs.inodes.get_mut(file);
            (inode.sync, inode.size) = (id, inode.size.max(job.end));
            if extends {
                inode.data_sync = id;
            }
            let size = inode.size;
            self.fs.volume.grow(file, size);
            self.stop_handle(id, CREDITS);
            if let Some(group) = missing {
                return Self::wait(Event::Group(group), FileCause::Read, Then::Begin);
            }
        }
        let mut mapping = std::mem::take(&mut self.fs.mapping);
        self.fs.volume.map(file, first, end - first, &mut mapping);
        let mut sent = 0;
        for segment in &mapping.segments {
            if let Some(block) = segment.block {
                let run = (block, segment.count);
                sent += self.fs.send(run, touch, group, self.now, |_, _| Moves::Plain);
            }
        }
        self.fs.mapping = mapping;
        job.position = job.end;
        let work = times(self.memory.costs.submit, sent);
        // Who makes a file longer waits until it is (IOMAP_DIO_FORCE_WAIT, fs/ext4/file.c; before it, fs/direct-io.c).
        job.is_sent = !extends;
        Next::Wait { event: Event::Group(group), cause: FileCause::Write, work, then: Then::Begin }
    }
}
