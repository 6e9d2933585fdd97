//! What a file system finds around it at one instant: memory and the page cache, the mount's files in memory and its requests on
//! their way.

use super::FileSystem;
use crate::daemon::Daemon;
use crate::file_system::AccessTimes;
use crate::page_cache::FileKey;
use crate::state::{Event, Memory, Mounted, Moves, Touch, file_of};
use petrio_colours::{Direction, FileId};
use petrio_kernel::Time;

/// What came of writing pages.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Written {
    /// Pages that were sent.
    pub(crate) pages: u64,
    /// Requests that they made.
    pub(crate) requests: u64,
    /// Where it stopped because the device's queue is full.
    pub(crate) full_at: Option<u64>,
}

/// The kernel around a mounted file system, at one instant.
pub(crate) struct Kernel<'a> {
    /// The host's memory, with its page cache.
    pub(crate) memory: &'a mut Memory,
    /// The mount: its files in memory, its requests on their way, what is to be sent off.
    pub(crate) fs: &'a mut Mounted,
    pub(crate) now: Time,
}

impl Kernel<'_> {
    /// How many pages of a range have no block.
    pub(crate) fn holes<F: FileSystem + ?Sized>(
        &mut self,
        system: &F,
        file: FileId,
        (first, pages): (u64, u64),
    ) -> u64 {
        let mut mapping = std::mem::take(&mut self.fs.mapping);
        system.map(file, first, pages, &mut mapping);
        let holes =
            mapping.segments.iter().filter(|segment| segment.block.is_none()).map(|segment| segment.count);
        let holes = holes.sum();
        self.fs.mapping = mapping;
        holes
    }

    /// How many dirty pages of a file have no block, counted until `enough` are found.
    pub(crate) fn dirty_holes<F: FileSystem + ?Sized>(
        &mut self,
        system: &F,
        key: FileKey,
        enough: u64,
    ) -> u64 {
        let Some(file) = file_of(key).filter(|_| self.fs.rules.nature.delayed) else { return 0 };
        let mut mapping = std::mem::take(&mut self.fs.mapping);
        let (mut at, mut holes) = (0, 0);
        while holes < enough
            && let Some((first, pages)) = self.memory.cache.dirty_run(key, at, u64::MAX)
        {
            system.map(file, first, pages, &mut mapping);
            let without = mapping.segments.iter().filter(|segment| segment.block.is_none());
            holes += without.map(|segment| segment.count).sum::<u64>();
            at = first + pages;
        }
        self.fs.mapping = mapping;
        holes
    }

    /// Whether a write now changes a file's modification time, which it does once in a tick.
    pub(crate) fn ages(&self, file: FileId) -> bool {
        self.fs.inodes.get(file).time != self.tick()
    }

    /// Changes a file's modification time.
    pub(crate) fn touch_times(&mut self, file: FileId) {
        self.fs.inodes.get_mut(file).time = self.tick();
    }

    /// Changes the time of a file's last access.
    pub(crate) fn touch_access(&mut self, file: FileId) {
        self.fs.inodes.get_mut(file).accessed = self.tick();
    }

    /// Whether a read now changes the time of its file's last access (`touch_atime`, `relatime_need_update`).
    pub(crate) fn notes_access(&self, file: FileId) -> bool {
        let rule = self.fs.rules.nature.access_times;
        if rule == AccessTimes::Never || self.fs.is_read_only {
            return false;
        }
        let inode = self.fs.inodes.get(file);
        inode.accessed != self.tick() && (rule == AccessTimes::Always || inode.accessed <= inode.time)
    }

    /// The number of the tick, from 1.
    fn tick(&self) -> u64 {
        self.now.as_picos() / self.fs.rules.nature.tick.as_picos().max(1) + 1
    }

    /// Brings metadata blocks into memory; the group to wait for, if any isn't there.
    pub(crate) fn bring_touched(&mut self, touch: Touch) -> Option<u64> {
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
    pub(crate) fn keep_new_block(&mut self, block: u64) {
        let device = self.fs.device();
        if self.memory.cache.look(device, block).is_none() {
            self.memory.make_room(1);
            self.memory.cache.insert_for_write(device, block, 1, 1, true);
        }
    }

    /// Whether a metadata block isn't in memory; one that is has been used.
    pub(crate) fn lacks_block(&mut self, block: u64) -> bool {
        let device = self.fs.device();
        match self.memory.cache.look(device, block) {
            Some(page) if page.uptodate => {
                self.memory.cache.access(device, block, 1);
                false
            }
            Some(_) => self.fs.transfers.bringing(device, block).is_some(),
            None => true,
        }
    }

    /// Brings one metadata block into memory; the group to wait for unless it is there.
    pub(crate) fn bring_block(&mut self, block: u64, group: Option<u64>, touch: Touch) -> Option<u64> {
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
    pub(crate) fn make_room(&mut self, pages: u64) -> Result<Time, Event> {
        let room = self.memory.make_room(pages);
        if room.must_write {
            self.fs.signals.flush = true;
        }
        if self.memory.swaps.out > self.memory.swaps.sent && self.fs.has_swap() {
            let touch = Touch::daemon(self.fs.daemon(Daemon::Swapper), Direction::Write, false);
            self.memory.swaps.sent = self.memory.swaps.out;
            let group = self.fs.send_to_swap(self.memory.cache.take_swapped_out(), touch, self.now);
            self.memory.swaps.group = Some((self.fs.number, group));
        }
        // Where nothing is being written there is nothing to wait for: the allocation goes beyond the limit, as the
        // kernel's reserves allow.
        if room.made || self.memory.cache.writeback() == 0 {
            return Ok(room.work);
        }
        self.memory.waiters += 1;
        Err(Event::Memory)
    }

    /// Writes dirty pages of a file from page `from` on, up to `to` and `most` pages; pages that belong to a transaction which has
    /// not been committed stay. The group joins the requests of one call. Returns pages and requests.
    pub(crate) fn write_pages<F: FileSystem + ?Sized>(
        &mut self,
        system: &F,
        key: FileKey,
        range: (u64, u64),
        most: u64,
        touch: Touch,
        group: u64,
    ) -> (u64, u64) {
        let Written { pages, requests, .. } =
            self.write_within(system, key, range, (most, u32::MAX), touch, group);
        (pages, requests)
    }

    /// The same while there is room in the device's queue.
    pub(crate) fn write_in_room<F: FileSystem + ?Sized>(
        &mut self,
        system: &F,
        key: FileKey,
        range: (u64, u64),
        most: u64,
        touch: Touch,
        group: u64,
    ) -> Written {
        let queued = self.fs.room.up_to(self.fs.transfers.queued());
        self.write_within(system, key, range, (most, queued), touch, group)
    }

    /// Waits for room in the device's queue.
    pub(crate) fn room(&mut self) -> Event {
        Event::Room(self.fs.room.wait())
    }

    /// The same up to so many pages, and requests in the queue.
    fn write_within<F: FileSystem + ?Sized>(
        &mut self,
        system: &F,
        key: FileKey,
        (from, to): (u64, u64),
        (most, queued): (u64, u32),
        touch: Touch,
        group: u64,
    ) -> Written {
        let touch = Touch { direction: Direction::Write, ..touch };
        let mut done = Written::default();
        // As many held as dirty are all of them: a stream's are where data are logged, and are asked for at every look.
        let held = system.pages_held(key);
        if held.is_some_and(|held| held > 0 && held >= self.memory.cache.counts(key).dirty) {
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
                if held.is_some() {
                    let held = |&index: &u64| system.holds(key, index);
                    let Some(free) = (at..end).find(|index| !held(index)) else {
                        at = end;
                        break;
                    };
                    at = free;
                    stop = end.min(at.saturating_add(room));
                    stop = (at + 1..stop).find(held).unwrap_or(stop);
                }
                let (pages, requests) = self.write_run(system, key, (at, stop - at), touch, group);
                (done.pages, done.requests) = (done.pages + pages, done.requests + requests);
                at = stop;
            }
        }
        done
    }

    /// Sends off a run of dirty pages. Those without blocks stay as they are where these are found late: whoever writes has found
    /// them before, but for a commit, which doesn't (`ext4_bh_delay_or_unwritten`). Returns pages and requests.
    fn write_run<F: FileSystem + ?Sized>(
        &mut self,
        system: &F,
        key: FileKey,
        (first, pages): (u64, u64),
        touch: Touch,
        group: u64,
    ) -> (u64, u64) {
        let moves = |start: u64| {
            move |offset: u64, pages: u64| Moves::Write { file: key, first: start + offset, pages }
        };
        let Some(file) = file_of(key) else {
            self.memory.cache.begin_write(key, first, pages);
            return (pages, self.fs.send((first, pages), touch, group, self.now, moves(first)));
        };
        let mut mapping = std::mem::take(&mut self.fs.mapping);
        system.map(file, first, pages, &mut mapping);
        let (mut written, mut sent) = (0, 0);
        for segment in &mapping.segments {
            match segment.block {
                Some(block) => {
                    written += segment.count;
                    self.memory.cache.begin_write(key, segment.first, segment.count);
                    let run = (block, segment.count);
                    let folio = self.memory.cache.look(key, segment.first).map_or(1, |page| page.pages);
                    let send = (touch, group, self.now);
                    let before = self.fs.outbox.len();
                    sent += self.fs.send_folios(run, u64::from(folio), send, moves(segment.first));
                    let Mounted { inodes, outbox, .. } = &mut *self.fs;
                    system.complete(inodes, outbox.get_mut(before..).unwrap_or_default());
                }
                None if self.fs.rules.nature.delayed => {}
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
}
