//! fsync, fdatasync, O_SYNC, sync, sync_file_range: data to the device, then the transaction, then the device's write cache.
//!
//! After fs/ext4/fsync.c (6.x, which also serves ext3) and fs/ext3/fsync.c (2.6.24). Data that were logged are committed first and
//! then written in place; a directory is made durable by committing what runs; a flush of its own is needed only where no commit
//! will bring one. What is dirty when the call begins is sent, as far as the device's queue has room for it, and what has been sent then is
//! waited for: what others send meanwhile isn't (PAGECACHE_TAG_TOWRITE; the kernel's own wait walks the file's pages once and may
//! meet some that were sent behind it). Pages that became dirty again while they were being written are sent a second time. Leaves out
//! fast commits and the pause by which a commit waits for other processes' handles.

use super::context::Context;
use super::job::{Dirty, Job, Next, SyncState, Then};
use crate::below::{AfterData, Scope, Stop};
use crate::copy_cost::PAGE_BYTES;
use crate::state::{Event, Touch, times};
use petrio_colours::{Direction, Failure, FileCause, Operation, Purpose};
use petrio_kernel::Time;

impl Context<'_> {
    /// The next step of making a file durable.
    pub(super) fn sync(&mut self, job: &mut Job) -> Next {
        if job.op.operation == Operation::Sync {
            return self.sync_all(job);
        }
        let key = job.key(self.fs.number);
        let scope = Scope::File { file: job.op.file, data_only: self.is_data_only(job) };
        loop {
            match job.stage {
                SyncState::Begin => {
                    job.stage = SyncState::Data;
                    job.era = self.fs.promises.begin();
                    let (system, mut kernel) = self.split();
                    if job.op.operation != Operation::SyncRange
                        && let Some(event) = system.before_data(&mut kernel, scope)
                    {
                        return Self::wait_for_log(job, event);
                    }
                }
                SyncState::Data => {
                    let (from, to) = self.range_of(job);
                    job.sends = vec![Dirty { key, from, to }];
                    self.find_redirtied(job);
                    job.stage = SyncState::Sending;
                }
                SyncState::Sending => {
                    if let Some(next) = self.send_dirty(job) {
                        return next;
                    }
                }
                SyncState::Log => {
                    if let Some(write) = self.fs.transfers.await_write(key, self.range_of(job), job.sent) {
                        job.waited = true;
                        return Self::wait(Event::Written(write), FileCause::Write, Then::Sync);
                    }
                    if self.sends_again(job) {
                        continue;
                    }
                    // Nothing is promised of what is on the device then.
                    if job.op.operation == Operation::SyncRange {
                        return self.end_call(job);
                    }
                    job.landed = self.fs.promises.writes_landed();
                    let (system, mut kernel) = self.split();
                    let AfterData { event, flush } = system.after_data(&mut kernel, scope);
                    job.stage = SyncState::Flush { needed: flush };
                    if let Some(event) = event {
                        return Self::wait_for_log(job, event);
                    }
                }
                SyncState::Flush { needed } => {
                    job.stage = SyncState::Done;
                    if needed {
                        return self.flush_device(job);
                    }
                }
                SyncState::InPlace | SyncState::Done => {
                    return match self.lost(job) {
                        Some(failure) => self.fail(job, failure),
                        None => {
                            let landed = self.system.promises_flush(scope).then_some(job.landed);
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
            Operation::SyncRange => (job.op.offset / PAGE_BYTES, job.op.end().div_ceil(PAGE_BYTES)),
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
        job.stage = SyncState::Sending;
        true
    }

    /// Sends what is dirty; what comes next, but for nothing that was sent.
    fn send_dirty(&mut self, job: &mut Job) -> Option<Next> {
        let touch = self.fs.rules.awaited(Touch::of(&job.op, Direction::Write, true));
        let reads = Touch::of(&job.op, Direction::Read, true);
        let group = self.fs.transfers.group();
        let mut requests = 0;
        while let Some(&Dirty { key, from, to }) = job.sends.last() {
            let (system, mut kernel) = self.split();
            if let Err(stop) = system.find_blocks(&mut kernel, key, reads) {
                if let Stop::Wait(..) = stop {
                    job.owed += times(self.memory.costs.submit, requests);
                }
                return Some(self.stopped(job, stop, Then::Sync));
            }
            let written = kernel.write_in_room(system, key, (from, to), u64::MAX, touch, group);
            requests += written.requests;
            if let Some(at) = written.full_at {
                if let Some(last) = job.sends.last_mut() {
                    last.from = at;
                }
                job.owed += times(self.memory.costs.submit, requests);
                job.waited = true;
                return Some(Self::wait(self.kernel().room(), FileCause::Write, Then::Sync));
            }
            job.sends.pop();
        }
        job.sent = self.fs.transfers.sent();
        job.stage = SyncState::Log;
        (requests > 0).then(|| self.submit(requests))
    }

    fn wait_for_log(job: &mut Job, event: Event) -> Next {
        job.waited = true;
        Self::wait(event, FileCause::Journal, Then::Sync)
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

    /// syncfs(2), and what is left at the end of a run: everything of this file system. As `sync_filesystem` of fs/sync.c: data, the
    /// transaction, and then in place what the commit has left dirty (`sync_blockdev`), which nothing flushes.
    #[expect(clippy::too_many_lines, reason = "a call's stages in their order")]
    fn sync_all(&mut self, job: &mut Job) -> Next {
        loop {
            match job.stage {
                SyncState::Begin => {
                    job.stage = SyncState::Data;
                    job.era = self.fs.promises.begin();
                    let (system, mut kernel) = self.split();
                    if let Some(event) = system.before_data(&mut kernel, Scope::All) {
                        return Self::wait_for_log(job, event);
                    }
                }
                SyncState::Data => {
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
                    job.stage = SyncState::Sending;
                }
                SyncState::Sending => {
                    let next = self.send_dirty(job);
                    if job.stage == SyncState::Log {
                        let (system, mut kernel) = self.split();
                        system.data_sent(&mut kernel);
                    }
                    if let Some(next) = next {
                        return next;
                    }
                }
                SyncState::Log => {
                    if let Some(write) = self.fs.transfers.await_any(job.sent) {
                        job.waited = true;
                        return Self::wait(Event::Written(write), FileCause::Write, Then::Sync);
                    }
                    if self.sends_again(job) {
                        continue;
                    }
                    job.landed = self.fs.promises.writes_landed();
                    let (system, mut kernel) = self.split();
                    let AfterData { event, flush } = system.after_data(&mut kernel, Scope::All);
                    job.stage = SyncState::Flush { needed: flush };
                    if let Some(event) = event {
                        return Self::wait_for_log(job, event);
                    }
                }
                SyncState::Flush { needed } => {
                    job.stage = SyncState::InPlace;
                    if needed {
                        return self.flush_device(job);
                    }
                }
                SyncState::InPlace => {
                    let touch = self.fs.rules.awaited(Touch::of(&job.op, Direction::Write, true));
                    let group = self.fs.transfers.group();
                    let device = self.fs.device();
                    let (system, mut kernel) = self.split();
                    let (_, sent) = kernel.write_pages(system, device, (0, u64::MAX), u64::MAX, touch, group);
                    job.sent = self.fs.transfers.sent();
                    job.stage = SyncState::Done;
                    if sent > 0 {
                        return self.submit(sent);
                    }
                }
                SyncState::Done => {
                    let device = self.fs.device();
                    if let Some(write) = self.fs.transfers.await_write(device, (0, u64::MAX), job.sent) {
                        job.waited = true;
                        return Self::wait(Event::Written(write), FileCause::Write, Then::Sync);
                    }
                    let landed = self.system.promises_flush(Scope::All).then_some(job.landed);
                    self.fs.promises.all_return(job.era, landed);
                    return self.end_call(job);
                }
            }
        }
    }
}
