//! What a firing of a host's page works on: the host's memory, a mounted file system and its journal, at one instant.
//!
//! The pages' files add the steps of reading, writing, syncing and so on. A step takes no time: it says what comes
//! [next](super::job::Next), and leaves requests, events and signals in the mounted file system for its page to send off.

use super::job::{Job, Next};
use crate::host::copy_cost::PAGE_BYTES;
use crate::host::daemon::Daemon;
use crate::host::file_system::AccessTimes;
use crate::host::journal::{BlockKey, Journal, Start};
use crate::host::page_cache::FileKey;
use crate::host::state::{Event, Memory, Mounted, Moves, Touch};
use crate::host::write_back::{Limits, Position};
use petrio_colours::{AccessFlags, Direction, FileCause, FileId, FileOp};
use petrio_kernel::Time;

/// Blocks that a change of an inode's times may dirty (EXT4_RESERVE_TRANS_BLOCKS of fs/ext4/ext4_jbd2.h is 12; its inode is one).
const ACCESS_CREDITS: u64 = 2;

/// What came of writing pages.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Written {
    /// Pages that were sent.
    pub(super) pages: u64,
    /// Requests that they made.
    pub(super) requests: u64,
    /// Where it stopped because the device's queue is full.
    pub(super) full_at: Option<u64>,
}

/// One instant of a host.
pub(super) struct Context<'a> {
    pub(super) memory: &'a mut Memory,
    pub(super) fs: &'a mut Mounted,
    pub(super) journal: &'a mut Journal,
    pub(super) now: Time,
}

impl Context<'_> {
    /// Starts a journal handle, or says what must happen first.
    pub(super) fn start_handle(&mut self, credits: u64) -> Result<u64, Event> {
        let running = self.journal.running();
        match self.journal.start(credits, self.now) {
            Start::In(id) => {
                if running.is_none() {
                    self.fs.signals.began = Some(id);
                }
                Ok(id)
            }
            Start::AfterLock => Err(Event::Handle),
            Start::AfterCommit(id) => {
                self.fs.signals.commit = true;
                Err(Event::Committed(id))
            }
            Start::AfterCheckpoint => {
                self.fs.signals.checkpoint = true;
                Err(Event::Handle)
            }
        }
    }

    /// Ends a handle.
    pub(super) fn stop_handle(&mut self, id: u64, credits: u64) {
        self.journal.stop(id, credits);
        if self.journal.committing() == Some(id) && self.journal.open_handles() == 0 {
            self.fs.signals.closed = true;
        }
    }

    /// Puts the metadata blocks that an operation has changed into a transaction, and takes out those that it freed.
    pub(super) fn log_touched(&mut self, id: u64) {
        let device = self.fs.device();
        for &block in &self.fs.touched.dirtied {
            self.journal.dirty(id, BlockKey { file: device.0, index: block });
        }
        let logs_data = self.fs.rules.logs_data();
        for &block in &self.fs.touched.forgotten {
            let key = BlockKey { file: device.0, index: block };
            // What may lie in the log under the same number must not come back, whatever it was.
            if logs_data {
                self.journal.forget(key);
            } else {
                self.journal.revoke(key);
            }
            self.memory.cache.remove(device, block, block + 1);
        }
    }

    /// Whether a write now changes a file's modification time, which it does once in a tick.
    pub(super) fn ages(&self, file: FileId) -> bool {
        self.fs.inodes.get(file).time != self.tick()
    }

    /// Changes a file's modification time.
    pub(super) fn touch_times(&mut self, file: FileId) {
        self.fs.inodes.get_mut(file).time = self.tick();
    }

    /// Whether a read now changes the time of its file's last access (`touch_atime`, `relatime_need_update`).
    pub(super) fn notes_access(&self, file: FileId) -> bool {
        let rule = self.fs.rules.access_times;
        if rule == AccessTimes::Never || self.fs.is_read_only {
            return false;
        }
        let inode = self.fs.inodes.get(file);
        inode.accessed != self.tick() && (rule == AccessTimes::Always || inode.accessed <= inode.time)
    }

    /// Changes the time of a file's last access, in a handle of its own; what must happen first, if anything must.
    pub(super) fn note_access(&mut self, op: &FileOp) -> Result<(), (Event, FileCause)> {
        let id = self.start_handle(ACCESS_CREDITS).map_err(|event| (event, FileCause::Journal))?;
        self.fs.touched.clear();
        self.fs.volume.touch_inode(op.file, &mut self.fs.touched);
        let group = self.bring_touched(Touch::of(op, Direction::Read, true));
        if group.is_none() {
            self.log_touched(id);
            let now = self.tick();
            let inode = self.fs.inodes.get_mut(op.file);
            (inode.accessed, inode.sync) = (now, id);
        }
        self.stop_handle(id, ACCESS_CREDITS);
        group.map_or(Ok(()), |group| Err((Event::Group(group), FileCause::Read)))
    }

    /// The number of the tick, from 1.
    fn tick(&self) -> u64 {
        self.now.as_picos() / self.fs.rules.tick.as_picos().max(1) + 1
    }

    /// Brings metadata blocks into memory; the group to wait for, if any isn't there.
    pub(super) fn bring_touched(&mut self, touch: Touch) -> Option<u64> {
        let blocks = std::mem::take(&mut self.fs.touched.reads);
        let group = blocks.iter().fold(None, |group, &block| self.bring_block(block, group, touch).or(group));
        self.fs.touched.reads = blocks;
        // Blocks just made are in memory, too.
        let dirtied = std::mem::take(&mut self.fs.touched.dirtied);
        dirtied.iter().for_each(|&block| self.keep_new_block(block));
        self.fs.touched.dirtied = dirtied;
        group
    }

    /// A metadata block just made is in memory without being read.
    pub(super) fn keep_new_block(&mut self, block: u64) {
        let device = self.fs.device();
        if self.memory.cache.look(device, block).is_none() {
            self.memory.make_room(1);
            self.memory.cache.insert_for_write(device, block, 1, 1, true);
        }
    }

    /// Pages that have been written are there, and owed to the device: they are locked from `write_begin` to `write_end`, so that neither
    /// reclaim nor a write past the cache takes them meanwhile. Not where the file has been removed, or what is mapped cut off.
    pub(super) fn keep_written(&mut self, job: &Job, first: u64, pages: u64) {
        let key = job.key(self.fs.number);
        let is_cut = job.op.flags.mapped && first * PAGE_BYTES >= self.fs.inodes.get(job.op.file).size;
        if is_cut || !self.fs.volume.exists(job.op.file) {
            return;
        }
        let (mut at, end) = (first, first + pages);
        while let Some((start, run)) = self.memory.cache.missing_run(key, at, end) {
            self.memory.make_room(run);
            self.memory.cache.insert_for_write(key, start, run, 1, true);
            at = start + run;
        }
        self.fs.promises.wrote(key, first, pages);
    }

    /// Brings one metadata block into memory; the group to wait for unless it is there.
    pub(super) fn bring_block(&mut self, block: u64, group: Option<u64>, touch: Touch) -> Option<u64> {
        let device = self.fs.device();
        match self.memory.cache.look(device, block) {
            Some(page) if page.uptodate => {
                self.memory.cache.access(device, block, 1);
                None
            }
            Some(_) => self.fs.transfers.bringing(device, block),
            None => {
                self.memory.make_room(1);
                self.memory.cache.insert(device, block, 1, None);
                let group = group.unwrap_or_else(|| self.fs.transfers.group());
                let touch = Touch { direction: Direction::Read, synchronous: true, ..touch };
                self.fs.send((block, 1), touch, group, self.now, |_, pages| Moves::Read {
                    file: device,
                    first: block,
                    pages,
                });
                Some(group)
            }
        }
    }

    /// Makes room for pages; what to wait for if there is none. Time spent reclaiming is the answer otherwise.
    pub(super) fn make_room(&mut self, pages: u64) -> Result<Time, Event> {
        let room = self.memory.make_room(pages);
        if room.must_write {
            self.fs.signals.flush = true;
        }
        if self.memory.swaps.out > self.memory.swaps.sent && self.fs.has_swap() {
            let touch = Touch::daemon(self.fs.daemon(Daemon::Swapper), Direction::Write, false);
            self.memory.swaps.sent = self.memory.swaps.out;
            self.memory.swaps.group =
                Some(self.fs.send_to_swap(self.memory.cache.take_swapped_out(), touch, self.now));
        }
        // Where nothing is being written there is nothing to wait for: the allocation goes beyond the limit, as the
        // kernel's reserves allow.
        if room.made || self.memory.cache.writeback() == 0 {
            return Ok(room.work);
        }
        self.memory.waiters += 1;
        Err(Event::Memory)
    }

    /// How much of the host's memory is dirty or being written and how much may be, and the same of this file system where it has
    /// a limit of its own.
    pub(super) fn dirty_positions(&self, flags: AccessFlags) -> (Position, Option<Position>) {
        let limits = self.memory.limits();
        let raised = |limits: Limits| if flags.real_time { limits.of_real_time() } else { limits };
        let device = self.fs.rules.dirty_limit.map(|most| Position {
            unwritten: self.memory.cache.unwritten_of(self.fs.number),
            limits: raised(limits.of_device(most)),
        });
        (Position { unwritten: self.memory.unwritten(), limits: raised(limits) }, device)
    }

    /// Writes dirty pages of a file from page `from` on, up to `to` and `most` pages; pages that belong to a transaction which has
    /// not been committed stay. The group joins the requests of one call. Returns pages and requests.
    pub(super) fn write_pages(
        &mut self,
        key: FileKey,
        range: (u64, u64),
        most: u64,
        touch: Touch,
        group: u64,
    ) -> (u64, u64) {
        let Written { pages, requests, .. } = self.write_within(key, range, (most, u32::MAX), touch, group);
        (pages, requests)
    }

    /// The same while there is room in the device's queue.
    pub(super) fn write_in_room(
        &mut self,
        key: FileKey,
        range: (u64, u64),
        most: u64,
        touch: Touch,
        group: u64,
    ) -> Written {
        let queued = self.fs.room.up_to(self.fs.transfers.queued());
        self.write_within(key, range, (most, queued), touch, group)
    }

    /// Waits for room in the device's queue.
    pub(super) fn room(&mut self) -> Event {
        Event::Room(self.fs.room.wait())
    }

    /// The same up to so many pages, and requests in the queue.
    fn write_within(
        &mut self,
        key: FileKey,
        (from, to): (u64, u64),
        (most, queued): (u64, u32),
        touch: Touch,
        group: u64,
    ) -> Written {
        let touch = Touch { direction: Direction::Write, ..touch };
        let is_device = key == self.fs.device();
        let holds = is_device || self.fs.rules.logs_data();
        let mut done = Written::default();
        // Logged data are dirty from when they are held, so that as many held as dirty are all of them: a stream's are, and are
        // asked for at every look.
        let data_held = holds && !is_device && self.fs.rules.logged_data_are_dirty();
        if data_held && self.journal.held_of(key.0) >= self.memory.cache.counts(key).dirty {
            return done;
        }
        let mut at = from;
        while at < to && done.pages < most {
            let Some((first, run)) = self.memory.cache.dirty_run(key, at, most - done.pages) else { break };
            if first >= to {
                break;
            }
            let end = to.min(first + run);
            at = first;
            while at < end {
                let left = queued.saturating_sub(self.fs.transfers.queued());
                if left == 0 {
                    done.full_at = Some(at);
                    return done;
                }
                let room = self.fs.pages_for(left);
                let mut stop = end.min(at.saturating_add(room));
                if holds {
                    let held = |&index: &u64| self.journal.holds(BlockKey { file: key.0, index });
                    let Some(free) = (at..end).find(|index| !held(index)) else {
                        at = end;
                        break;
                    };
                    at = free;
                    stop = end.min(at.saturating_add(room));
                    stop = (at + 1..stop).find(held).unwrap_or(stop);
                }
                let (pages, requests) = self.write_run(key, at, stop - at, touch, group);
                (done.pages, done.requests) = (done.pages + pages, done.requests + requests);
                at = stop;
            }
        }
        done
    }

    /// Sends off a run of dirty pages. Those without blocks stay as they are where these are found late: whoever writes has found
    /// them before, but for a commit, which doesn't (`ext4_bh_delay_or_unwritten`). Returns pages and requests.
    fn write_run(&mut self, key: FileKey, first: u64, pages: u64, touch: Touch, group: u64) -> (u64, u64) {
        let moves = |start: u64| {
            move |offset: u64, pages: u64| Moves::Write { file: key, first: start + offset, pages }
        };
        let Some(file) = crate::host::state::file_of(key) else {
            self.memory.cache.begin_write(key, first, pages);
            return (pages, self.fs.send((first, pages), touch, group, self.now, moves(first)));
        };
        let mut mapping = std::mem::take(&mut self.fs.mapping);
        self.fs.volume.map(file, first, pages, &mut mapping);
        let (mut written, mut sent) = (0, 0);
        for segment in &mapping.segments {
            match segment.block {
                Some(block) => {
                    written += segment.count;
                    self.memory.cache.begin_write(key, segment.first, segment.count);
                    let run = (block, segment.count);
                    let folio = self.memory.cache.look(key, segment.first).map_or(1, |page| page.pages);
                    let send = (touch, group, self.now);
                    sent += self.fs.send_folios(run, u64::from(folio), send, moves(segment.first));
                }
                None if self.fs.rules.delayed => {}
                // Truncated while it was dirty: there is nothing to write.
                None => {
                    written += segment.count;
                    self.memory.cache.begin_write(key, segment.first, segment.count);
                    self.memory.cache.written(key, segment.first, segment.count);
                }
            }
        }
        self.fs.mapping = mapping;
        (written, sent)
    }

    /// Waits for an event.
    pub(super) fn wait(event: Event, cause: FileCause, then: super::job::Then) -> Next {
        Next::Wait { event, cause, work: Time::ZERO, then }
    }
}
