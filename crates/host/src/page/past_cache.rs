//! Writing past the cache (O_DIRECT): what the cache holds of the pages goes to the device first, and leaves the cache; then the
//! process's own memory goes there.
//!
//! After `iomap_dio_rw` of fs/iomap/direct-io.c and fs/direct-io.c. Leaves out the inode's lock, which writers of blocks that are there
//! share.

use super::context::Context;
use super::job::{Job, Next, Then};
use crate::copy_cost::PAGE_BYTES;
use crate::state::{Event, Moves, Touch, times};
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
        let (system, mut kernel) = self.split();
        let found = system.find_blocks(&mut kernel, key, Touch { direction: Direction::Read, ..touch });
        if let Err(stop) = found {
            return self.stopped(job, stop, Then::Begin);
        }
        if kernel.write_pages(system, key, (first, end), u64::MAX, touch, group).1 > 0 {
            return Self::wait(Event::Group(group), FileCause::Write, Then::Begin);
        }
        // What is on its way is waited for, too, and may have been written again (`filemap_write_and_wait_range`).
        if let Some(write) = self.fs.transfers.await_write(key, (first, end), u64::MAX) {
            return Self::wait(Event::Written(write), FileCause::Write, Then::Begin);
        }
        self.memory.cache.remove(key, first, end);
        let (system, mut kernel) = self.split();
        let extends = match system.prepare_past_cache(&mut kernel, &job.op, (first, end), job.end) {
            Ok(extends) => extends,
            Err(stop) => return self.stopped(job, stop, Then::Begin),
        };
        let mut mapping = std::mem::take(&mut self.fs.mapping);
        self.system.map(file, first, end - first, &mut mapping);
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
