//! fsync, fdatasync, O_SYNC, sync: data to the device, then the transaction, then the device's write cache.
//!
//! After fs/ext4/fsync.c (6.x, which also serves ext3) and fs/ext3/fsync.c (2.6.24). Data that were logged are committed first and
//! then written in place; a directory is made durable by committing what runs; a flush of its own is needed only where no commit
//! will bring one. What is dirty when the call begins is sent, as far as the device's queue has room for it, and what has been sent then is
//! waited for: what others send meanwhile isn't (PAGECACHE_TAG_TOWRITE; the kernel's own wait walks the file's pages once and may
//! meet some that were sent behind it). Pages that became dirty again while they were being written are sent a second time. Leaves out
//! fast commits and the pause by which a commit waits for other processes' handles.

use super::context::Context;
use super::job::{Dirty, Job, Next, Stage, Then};
use crate::host::copy_cost::PAGE_BYTES;
use crate::host::file_system::FileError;
use crate::host::kernel_profile::JournalGeneration;
use crate::host::page_cache::FileKey;
use crate::host::state::{Event, Touch, times};
use petrio_colours::{Direction, Failure, FileCause, Operation, Purpose};
use petrio_kernel::Time;

/// Blocks that finding blocks for delayed pages may dirty at a time.
const CREDITS: u64 = 24;

impl Context<'_> {
    /// The next step of making a file durable.
    pub(super) fn sync(&mut self, job: &mut Job) -> Next {
        if job.op.operation == Operation::Sync {
            return self.sync_all(job);
        }
        let key = job.key(self.fs.number);
        let inode = self.fs.inodes.get(job.op.file);
        let directory = self.fs.volume.is_directory(job.op.file);
        let old = self.fs.rules.generation() == JournalGeneration::Jbd;
        loop {
            match job.stage {
                Stage::Begin => {
                    job.stage = Stage::Data;
                    job.era = self.fs.promises.begin();
                    if self.fs.rules.logs_data() && !old && inode.data > self.journal.committed() {
                        return self.wait_for_commit(job, inode.data);
                    }
                }
                Stage::Data => {
                    let (from, to) = self.range_of(job);
                    job.sends = vec![Dirty { key, from, to }];
                    self.find_redirtied(job);
                    job.stage = Stage::Sending;
                }
                Stage::Sending => {
                    if let Some(next) = self.send_dirty(job) {
                        return next;
                    }
                }
                Stage::Log => {
                    if let Some(write) = self.fs.transfers.await_write(key, self.range_of(job), job.sent) {
                        job.waited = true;
                        return Self::wait(Event::Written(write), FileCause::Write, Then::Sync);
                    }
                    if self.sends_again(job) {
                        continue;
                    }
                    job.landed = self.fs.promises.writes_landed();
                    let running = self.journal.running().or(self.journal.committing());
                    let id = match (directory, self.is_data_only(job)) {
                        (true, _) => running.unwrap_or(0),
                        (false, true) => inode.data_sync,
                        (false, false) => inode.sync,
                    };
                    let flushes = self.fs.rules.barriers && self.fs.rules.kernel.flush_without_commit;
                    let needed = flushes && !directory && !self.journal.will_flush(id);
                    job.stage = Stage::Flush { needed };
                    if id > self.journal.committed() {
                        if !directory {
                            self.journal.flush_data(id);
                        }
                        return self.wait_for_commit(job, id);
                    }
                }
                Stage::Flush { needed } => {
                    job.stage = Stage::Done;
                    if needed {
                        return self.flush_device(job);
                    }
                }
                Stage::InPlace | Stage::Done => {
                    return match self.lost(job) {
                        Some(failure) => self.fail(job, failure),
                        None => {
                            let flushed = self.fs.rules.promises_flush() && !directory;
                            let landed = flushed.then_some(job.landed);
                            self.fs.promises.returns(key, self.range_of(job), job.era, landed);
                            self.end_call(job)
                        }
                    };
                }
            }
        }
    }

    /// Why what was to be made durable isn't: told once of data, and of a journal always.
    fn lost(&mut self, job: &Job) -> Option<Failure> {
        let journal = self.fs.is_read_only.then_some(Failure::ReadOnly);
        self.fs.unwritten.remove(&job.op.file).or(journal)
    }

    /// Whether only data matter, and what is needed to find them.
    fn is_data_only(&self, job: &Job) -> bool {
        match job.op.operation {
            Operation::Fdatasync => true,
            Operation::Write => !job.op.flags.sync,
            _ => false,
        }
    }

    /// The pages concerned: of a synchronous write its own.
    fn range_of(&self, job: &Job) -> (u64, u64) {
        match job.op.operation {
            Operation::Write if !job.op.flags.stdio => {
                (job.op.offset / PAGE_BYTES, job.op.end().div_ceil(PAGE_BYTES))
            }
            _ => (0, u64::MAX),
        }
    }

    /// Notes which of what is to be sent will have to be sent again: pages that are being written and dirty. Nothing is sent that lies
    /// beyond what is dirty now.
    fn find_redirtied(&mut self, job: &mut Job) {
        let cache = &self.memory.cache;
        job.sends.retain_mut(|dirty| {
            dirty.to = cache.dirty_end(dirty.key, dirty.from, dirty.to);
            dirty.from < dirty.to
        });
        let again = |dirty: &Dirty| {
            let (from, to) = cache.redirtied(dirty.key, dirty.from, dirty.to)?;
            Some(Dirty { from, to, ..*dirty })
        };
        job.again = job.sends.iter().filter_map(again).collect();
    }

    /// Goes on with what has to be sent again; whether there is any.
    fn sends_again(&self, job: &mut Job) -> bool {
        if job.again.is_empty() {
            return false;
        }
        job.sends = std::mem::take(&mut job.again);
        job.stage = Stage::Sending;
        true
    }

    /// Sends what is dirty; what comes next, but for nothing that was sent.
    fn send_dirty(&mut self, job: &mut Job) -> Option<Next> {
        let touch = self.fs.rules.awaited(Touch::of(&job.op, Direction::Write, true));
        let reads = Touch::of(&job.op, Direction::Read, true);
        let group = self.fs.transfers.group();
        let mut requests = 0;
        while let Some(&Dirty { key, from, to }) = job.sends.last() {
            match self.find_delayed_blocks(key, reads) {
                Ok(None) => {}
                Ok(Some(event)) => {
                    job.owed += times(self.memory.costs.submit, requests);
                    return Some(Self::wait(event, FileCause::Journal, Then::Sync));
                }
                Err(error) => return Some(self.fail(job, error.failure())),
            }
            let written = self.write_in_room(key, (from, to), u64::MAX, touch, group);
            requests += written.requests;
            if let Some(at) = written.full_at {
                if let Some(last) = job.sends.last_mut() {
                    last.from = at;
                }
                job.owed += times(self.memory.costs.submit, requests);
                job.waited = true;
                return Some(Self::wait(self.room(), FileCause::Write, Then::Sync));
            }
            job.sends.pop();
        }
        job.sent = self.fs.transfers.sent();
        job.stage = Stage::Log;
        (requests > 0).then(|| self.submit(requests))
    }

    fn wait_for_commit(&mut self, job: &mut Job, id: u64) -> Next {
        job.waited = true;
        if self.journal.request(id) {
            self.fs.signals.commit = true;
        }
        Self::wait(Event::Committed(id), FileCause::Journal, Then::Sync)
    }

    fn submit(&self, sent: u64) -> Next {
        let work = times(self.memory.costs.submit, sent);
        Next::Run { work, cause: FileCause::Write, cache: Time::ZERO, then: Then::Sync }
    }

    fn flush_device(&mut self, job: &mut Job) -> Next {
        job.waited = true;
        let group = self.fs.transfers.group();
        let touch = Touch::of(&job.op, Direction::Flush, true);
        self.fs.send_flush(touch, Purpose::Data, group, self.now);
        Self::wait(Event::Group(group), FileCause::Write, Then::Sync)
    }

    /// Finds blocks for pages that were written without (delayed allocation), before they go to the device.
    /// What must happen first, if anything must. Metadata are read as `touch` says.
    ///
    /// # Errors
    /// When the volume is full: its blocks were reserved, but none for what maps them. The data are lost, as in
    /// `mpage_map_and_submit_extent`.
    pub(super) fn find_delayed_blocks(
        &mut self,
        key: FileKey,
        touch: Touch,
    ) -> Result<Option<Event>, FileError> {
        let Some(file) = crate::host::state::file_of(key) else { return Ok(None) };
        if self.fs.inodes.get(file).delayed == 0 || self.dirty_holes(key, 1) == 0 {
            return Ok(None);
        }
        let id = match self.start_handle(CREDITS) {
            Ok(id) => id,
            Err(event) => return Ok(Some(event)),
        };
        self.fs.touched.clear();
        let mut mapping = std::mem::take(&mut self.fs.mapping);
        let (mut at, mut found) = (0, 0);
        let (mut from, mut to) = (u64::MAX, 0);
        let mut result = Ok(0);
        while let Some((first, pages)) = self.memory.cache.dirty_run(key, at, u64::MAX) {
            self.fs.volume.map(file, first, pages, &mut mapping);
            for hole in mapping.segments.iter().filter(|segment| segment.block.is_none()) {
                (from, to) = (from.min(hole.first), to.max(hole.first + hole.count));
                if self.fs.rules.converts() {
                    self.fs.note_unconverted(file, hole.first, hole.count);
                }
            }
            result = self.fs.volume.allocate(file, first, pages, &mut mapping, &mut self.fs.touched);
            match result {
                Ok(more) => found += more,
                Err(_) => break,
            }
            at = first + pages;
        }
        self.fs.mapping = mapping;
        // Those of a piece that somebody is just writing are still to come.
        let delayed = self.fs.inodes.get(file).delayed.saturating_sub(found);
        if let Err(error) = result {
            self.log_touched(id);
            self.stop_handle(id, CREDITS);
            self.memory.cache.remove(key, at, u64::MAX);
            self.fs.promises.gone(key, at, u64::MAX);
            self.fs.set_delayed(file, 0);
            self.fs.unwritten.insert(file, error.failure());
            return Err(error);
        }
        let size = self.fs.inodes.get(file).size;
        self.fs.volume.grow(file, size);
        self.fs.volume.touch_inode(file, &mut self.fs.touched);
        self.bring_touched(touch);
        self.log_touched(id);
        let ordered = self.fs.rules.mode == crate::host::file_system::JournalMode::Ordered;
        if ordered && from < to && !self.fs.rules.converts() {
            let range = if self.fs.rules.orders_files() { (0, u64::MAX) } else { (from, to) };
            self.journal.order(id, key.0, range);
        }
        let inode = self.fs.inodes.get_mut(file);
        (inode.sync, inode.data_sync) = (id, id);
        self.fs.set_delayed(file, delayed);
        self.stop_handle(id, CREDITS);
        Ok(None)
    }

    /// How many dirty pages of a file have no block, counted until `enough` are found.
    pub(super) fn dirty_holes(&mut self, key: FileKey, enough: u64) -> u64 {
        let Some(file) = crate::host::state::file_of(key).filter(|_| self.fs.rules.delayed) else { return 0 };
        let mut mapping = std::mem::take(&mut self.fs.mapping);
        let (mut at, mut holes) = (0, 0);
        while holes < enough
            && let Some((first, pages)) = self.memory.cache.dirty_run(key, at, u64::MAX)
        {
            self.fs.volume.map(file, first, pages, &mut mapping);
            let without = mapping.segments.iter().filter(|segment| segment.block.is_none());
            holes += without.map(|segment| segment.count).sum::<u64>();
            at = first + pages;
        }
        self.fs.mapping = mapping;
        holes
    }

    /// sync(2), and what is left at the end of a run: everything of this file system. As `ksys_sync` of fs/sync.c: data, the
    /// transaction, and then in place what the commit has left dirty (`sync_bdevs`), which nothing flushes.
    fn sync_all(&mut self, job: &mut Job) -> Next {
        loop {
            match job.stage {
                Stage::Begin => {
                    job.stage = Stage::Data;
                    job.era = self.fs.promises.begin();
                    let running = self.journal.running().or(self.journal.committing());
                    if let Some(id) = running.filter(|_| self.fs.rules.logs_data()) {
                        return self.wait_for_commit(job, id);
                    }
                }
                Stage::Data => {
                    let mut sends = Vec::new();
                    for _ in 0..self.memory.cache.files_dirty() {
                        let Some(key) = self.memory.cache.next_dirty_file(None) else { break };
                        self.memory.cache.turn(key);
                        if key.mount() == self.fs.number {
                            sends.push(Dirty { key, from: 0, to: u64::MAX });
                        }
                    }
                    sends.reverse();
                    job.sends = sends;
                    self.find_redirtied(job);
                    job.stage = Stage::Sending;
                }
                Stage::Sending => {
                    if let Some(next) = self.send_dirty(job) {
                        return next;
                    }
                }
                Stage::Log => {
                    if let Some(write) = self.fs.transfers.await_any(job.sent) {
                        job.waited = true;
                        return Self::wait(Event::Written(write), FileCause::Write, Then::Sync);
                    }
                    if self.sends_again(job) {
                        continue;
                    }
                    job.landed = self.fs.promises.writes_landed();
                    let id = self.journal.running().or(self.journal.committing());
                    // The commit of a log apart flushes where data lie only if it has reason to (ext4_sync_fs of fs/ext4/super.c).
                    let will_flush = id.is_some_and(|id| self.journal.will_flush(id));
                    let flushed = will_flush && !self.fs.rules.log_apart;
                    let flushes = self.fs.rules.barriers && self.fs.rules.kernel.sync_flushes_without_commit;
                    job.stage = Stage::Flush { needed: flushes && !flushed };
                    if let Some(id) = id {
                        return self.wait_for_commit(job, id);
                    }
                }
                Stage::Flush { needed } => {
                    job.stage = Stage::InPlace;
                    if needed {
                        return self.flush_device(job);
                    }
                }
                Stage::InPlace => {
                    let touch = self.fs.rules.awaited(Touch::of(&job.op, Direction::Write, true));
                    let group = self.fs.transfers.group();
                    let (_, sent) = self.write_pages(self.fs.device(), (0, u64::MAX), u64::MAX, touch, group);
                    job.sent = self.fs.transfers.sent();
                    job.stage = Stage::Done;
                    if sent > 0 {
                        return self.submit(sent);
                    }
                }
                Stage::Done => {
                    let device = self.fs.device();
                    if let Some(write) = self.fs.transfers.await_write(device, (0, u64::MAX), job.sent) {
                        job.waited = true;
                        return Self::wait(Event::Written(write), FileCause::Write, Then::Sync);
                    }
                    let promises =
                        self.fs.rules.promises_flush() && self.fs.rules.kernel.sync_flushes_without_commit;
                    let landed = promises.then_some(job.landed);
                    self.fs.promises.all_return(job.era, landed);
                    return self.end_call(job);
                }
            }
        }
    }
}
