//! Writing: pages are prepared, filled, and what has changed is posted; nothing reaches the device yet.
//!
//! ```text
//! call ─▶ begin (pages, journal handle, blocks) ─▶ processor ─▶ copy ─▶ processor ─▶ commit (dirty, logged) ─▶ balance ─▶ return
//!           │ waits: a locked transaction, log space, memory, a page or metadata to be read                  └▶ sleeps, or writes back
//! ```
//!
//! After `generic_perform_write`, fs/ext3/inode.c (`ext3_write_begin`, the three `write_end`s) and fs/ext4/inode.c. A call is
//! handled in pieces of up to 128 KiB. Direct writes go past the cache; stores into mapped files are in `mapped`.

use super::context::Context;
use super::job::{Job, Next, SyncState, Then};
use crate::below::{Piece, Posted, Posts, Prepared, Stop};
use crate::copy_cost::PAGE_BYTES;
use crate::kernel_profile::Throttling;
use crate::page_cache::FileKey;
use crate::state::{Event, Moves, Touch, times};
use crate::write_back::{Pause, Writer};
use petrio_colours::{Direction, FileCause, Operation};
use petrio_kernel::Time;

/// Pages of a piece: what is prepared, copied and posted at once.
const PIECE_PAGES: u64 = 32;
/// How long a writer counts as held back after it was (wb_recent_wait; HZ).
const PRESSED: Time = Time::from_whole_seconds(1);
/// How long a writer waits that found nothing to write back and nothing on its way (`congestion_wait`, HZ/10).
const CONGESTION_WAIT: Time = Time::from_millis(100);

impl Context<'_> {
    /// Prepares the next piece of a write.
    pub(super) fn begin_write(&mut self, job: &mut Job) -> Next {
        if job.position >= job.end {
            return self.end_write(job);
        }
        if job.op.flags.mapped {
            return self.begin_mapped(job);
        }
        if job.past_cache {
            self.go_to_end(job);
            return self.write_past_cache(job);
        }
        if !std::mem::replace(&mut job.locks, true)
            && let Err(turn) = self.fs.locks.take(job.op.file)
        {
            return Self::wait(Event::Lock(turn), FileCause::Write, Then::Begin);
        }
        self.go_to_end(job);
        let key = job.key(self.fs.number);
        let first = job.position / PAGE_BYTES;
        let piece = job.end.min((first + PIECE_PAGES) * PAGE_BYTES);
        let pages = piece.div_ceil(PAGE_BYTES) - first;
        let size = self.fs.inodes.get(job.op.file).size;
        if let Some(next) = self.swap_in_file(job, key, (first, pages), Then::Begin) {
            return next;
        }
        for edge in [(job.position, first), (piece, first + pages - 1)] {
            if let Some(next) = self.bring_edge(job, key, edge, size) {
                return next;
            }
        }
        let end = first + pages;
        let mut missing = 0;
        let mut at = first;
        while let Some((start, run)) = self.memory.cache.missing_run(key, at, end) {
            missing += run;
            at = start + run;
        }
        match self.kernel().make_room(missing) {
            Ok(work) => job.owed += work,
            Err(event) => return Self::wait(event, FileCause::Write, Then::Begin),
        }
        self.prepare(job, key, (first, pages, missing), piece, size)
    }

    /// A call that appends begins where its file ends now that it is its turn (`generic_write_checks`).
    fn go_to_end(&mut self, job: &mut Job) {
        if !job.op.flags.append || std::mem::replace(&mut job.at_end, true) {
            return;
        }
        let size = self.fs.inodes.get(job.op.file).size;
        job.end = size + (job.end - job.position);
        job.position = size;
        if !job.op.flags.stdio {
            job.op.offset = size;
        }
    }

    /// A page that is only partly written must be there with the rest of its content.
    fn bring_edge(&mut self, job: &mut Job, key: FileKey, edge: (u64, u64), size: u64) -> Option<Next> {
        let (byte, index) = edge;
        if byte % PAGE_BYTES == 0 || index * PAGE_BYTES >= size {
            return None;
        }
        match self.memory.cache.look(key, index) {
            Some(page) if page.uptodate => None,
            Some(_) => {
                job.waited = true;
                let group = self.fs.transfers.bringing(key, index)?;
                Some(Self::wait(Event::Group(group), FileCause::Read, Then::Begin))
            }
            None => {
                let touch = Touch::of(&job.op, Direction::Read, true);
                let mut mapping = std::mem::take(&mut self.fs.mapping);
                self.system.map_data(job.op.file, index, 1, &mut mapping);
                let block = mapping.segments.first().and_then(|segment| segment.block);
                let metadata = mapping.metadata.first().map(|&(_, block)| block);
                self.fs.mapping = mapping;
                let block = block?;
                job.waited = true;
                if let Some(group) = metadata.and_then(|block| self.kernel().bring_block(block, None, touch))
                {
                    return Some(Self::wait(Event::Group(group), FileCause::Read, Then::Begin));
                }
                if let Err(event) = self.kernel().make_room(1) {
                    return Some(Self::wait(event, FileCause::Write, Then::Begin));
                }
                self.memory.cache.insert(key, index, 1, None);
                let group = self.fs.transfers.group();
                self.fs.send((block, 1), touch, group, self.now, |_, pages| Moves::Read {
                    file: key,
                    first: index,
                    pages,
                });
                Some(Self::wait(Event::Group(group), FileCause::Read, Then::Begin))
            }
        }
    }

    /// What the file system has to do for pages that are to be written, the pages, and what all that costs.
    pub(super) fn prepare(
        &mut self,
        job: &mut Job,
        key: FileKey,
        (first, pages, missing): (u64, u64, u64),
        piece: u64,
        size: u64,
    ) -> Next {
        let mut work =
            self.walk_folios(job, key, (first, pages)) + times(self.memory.costs.new_page, missing);
        let (system, mut kernel) = self.split();
        let about = Piece { op: &job.op, key, first, pages, end: piece, size };
        let Prepared { change, work: changing, group } = match system.prepare(&mut kernel, &about) {
            Ok(prepared) => prepared,
            Err(stop) => return self.stopped(job, stop, Then::Begin),
        };
        job.change = change;
        work += changing;
        if missing > 0 {
            let largest = if self.fs.rules.nature.large_folios { u32::MAX } else { 1 };
            match self.fs.rules.nature.posts {
                Posts::Kept => self.memory.cache.insert_shared(key, first, pages),
                _ => {
                    self.memory.cache.insert_for_write(key, first, pages, largest, true);
                }
            }
        }
        job.piece = piece;
        if self.fs.opened.jumps((job.op.process, job.op.file), job.position, piece) {
            let jump = self.memory.jumps.at(size);
            let further = self.memory.cache.look(key, first).map_or(0, |page| u64::from(page.pages) - 1);
            work += jump.write + times(jump.buffer, further);
        }
        match group {
            // Nothing can come between: the copy follows on the same turn.
            None => {
                let copy = self.copy_work(job);
                Next::Run { work: work + copy, cause: FileCause::Copy, cache: work, then: Then::Commit }
            }
            Some(group) => {
                job.waited = true;
                Next::Wait { event: Event::Group(group), cause: FileCause::Read, work, then: Then::Copy }
            }
        }
    }

    /// What preparing and posting the folios of a piece costs that are in the cache. All buffers of a folio are walked, however little
    /// of it is written (`block_write_begin` and `block_commit_write`, fs/buffer.c), and those of one that was read in have to be
    /// made before. A call walks a folio once.
    fn walk_folios(&mut self, job: &Job, key: FileKey, (first, pages): (u64, u64)) -> Time {
        // In memory alone there are no buffers, and single pages only.
        if self.fs.rules.nature.posts == Posts::Kept {
            let there = pages - self.memory.cache.new_shared(key, first, pages);
            return times(self.memory.costs.write_page, there);
        }
        let begun = job.piece != 0 && job.piece == job.position;
        let walk = self.memory.cache.walk_folios(key, first, pages, begun);
        let costs = &self.memory.costs;
        times(costs.write_page, walk.folios)
            + times(costs.buffer, walk.pages - walk.folios)
            + times(costs.new_buffer, walk.new_buffers)
    }

    /// Copies a piece from the process.
    pub(super) fn copy_piece(&mut self, job: &mut Job) -> Next {
        let work = self.copy_work(job);
        Next::Run { work, cause: FileCause::Copy, cache: Time::ZERO, then: Then::Commit }
    }

    fn copy_work(&mut self, job: &Job) -> Time {
        let bytes = job.piece - job.position;
        let footprint = self.fs.inodes.get(job.op.file).size.max(job.piece);
        self.memory.from_user.time(bytes, job.op.length.max(1), footprint)
    }

    /// Posts what has changed: dirty pages, logged data, the file's size.
    pub(super) fn commit_write(&mut self, job: &mut Job) -> Next {
        let file = job.op.file;
        let key = job.key(self.fs.number);
        let first = job.position / PAGE_BYTES;
        let pages = job.piece.div_ceil(PAGE_BYTES) - first;
        self.keep_written(job, first, pages);
        let dirtied = match self.fs.rules.nature.posts {
            Posts::Dirty => self.memory.cache.make_dirty(key, first, pages, self.now),
            Posts::Later => {
                self.memory.cache.arrived(key, first, pages);
                pages
            }
            Posts::Kept => 0,
        };
        if !job.op.flags.mapped {
            self.memory.cache.access(key, first, pages);
        }
        self.fs.balance.dirtied(dirtied);
        let change = job.change.take();
        let (system, mut kernel) = self.split();
        system.post(&mut kernel, &Posted { file, key, first, pages, dirtied }, change);
        let inode = self.fs.inodes.get_mut(file);
        inode.size = inode.size.max(job.piece);
        let size = inode.size;
        self.system.grow(file, size);
        job.position = job.piece;
        let writer = self.fs.writers.entry(job.op.process).or_default();
        writer.dirtied += if self.fs.rules.nature.counts_rewrites { pages } else { dirtied };
        if self.fs.balance.must_ask(writer) {
            return Next::Go(Then::Balance);
        }
        if job.position < job.end { Next::Go(Then::Begin) } else { self.end_write(job) }
    }

    /// Holds the writer back where too many pages are dirty (`balance_dirty_pages`).
    pub(super) fn balance(&mut self, job: &mut Job) -> Next {
        let (host, device) = self.dirty_positions(job.op.flags);
        let tightest = device.unwrap_or(host);
        // A device's own limit wakes the flusher only where it begins to hold writers back.
        if tightest.unwritten > tightest.limits.free_run()
            || self.memory.cache.dirty() > host.limits.background
        {
            self.fs.signals.flush = true;
        }
        let writer = self.fs.writers.entry(job.op.process).or_default();
        match self.fs.rules.kernel.write_back.throttling {
            Throttling::WriterPauses => {
                let (span, then) = match self.fs.balance.ask(writer, host, device, self.now) {
                    Pause::None => return Next::Go(Then::Begin),
                    Pause::Sleep(span) => (span, Then::Begin),
                    Pause::AskAgain(span) => (span, Then::Balance),
                };
                self.fs.pressed_until = self.now + PRESSED;
                Next::Sleep { span, cause: FileCause::Throttle, then }
            }
            Throttling::WriterWritesBack => {
                let exceeded = host.unwritten > host.limits.limit;
                *writer = Writer::asking_after(self.memory.rate_limit.asks_after(exceeded));
                if !exceeded {
                    return Next::Go(Then::Begin);
                }
                self.write_back_myself(job)
            }
        }
    }

    /// A writer of an old kernel writes back more than it has dirtied before it goes on, of whichever files are dirty; what
    /// belongs to a transaction that has not been committed is passed over.
    fn write_back_myself(&mut self, job: &mut Job) -> Next {
        let queued = self.fs.transfers.queued();
        if queued >= self.fs.room.up_to(queued) {
            return Self::wait(self.kernel().room(), FileCause::Throttle, Then::Balance);
        }
        let chunk = self.memory.rate_limit.writes_back();
        let group = self.fs.transfers.group();
        let touch = Touch::of(&job.op, Direction::Write, false);
        let (mut written, mut sent) = (0, 0);
        for _ in 0..self.memory.cache.files_dirty() {
            let Some(key) = self.memory.cache.next_dirty_file(None).filter(|_| written < chunk) else {
                break;
            };
            if key.mount() == self.fs.number {
                let (system, mut kernel) = self.split();
                match system.find_blocks(&mut kernel, key, Touch { direction: Direction::Read, ..touch }) {
                    Ok(()) => {
                        let most = chunk - written;
                        let wrote = kernel.write_in_room(system, key, (0, u64::MAX), most, touch, group);
                        (written, sent) = (written + wrote.pages, sent + wrote.requests);
                    }
                    Err(Stop::Wait(event, _)) if written == 0 => {
                        return Self::wait(event, FileCause::Throttle, Then::Balance);
                    }
                    // It is still to come, or whoever syncs the file hears of it.
                    Err(_) => {}
                }
            }
            self.memory.cache.turn(key);
        }
        let work = times(self.memory.costs.submit, sent);
        match written {
            // Completed writes wake those who wait, as long as the queue isn't full (`clear_bdi_congested`).
            0 if self.fs.transfers.writes() > 0 => {
                self.fs.waits_for_congestion = true;
                Self::wait(Event::Uncongested, FileCause::Throttle, Then::Balance)
            }
            0 => Next::Sleep { span: CONGESTION_WAIT, cause: FileCause::Throttle, then: Then::Balance },
            all => {
                // Who has done his duty goes on; else he looks again, and sleeps while there is nothing to be written.
                let then = if all >= chunk { Then::Begin } else { Then::Balance };
                Next::Run { work, cause: FileCause::Throttle, cache: Time::ZERO, then }
            }
        }
    }

    /// All bytes of the call are written; a synchronous one is now made durable.
    fn end_write(&mut self, job: &mut Job) -> Next {
        self.unlock(job);
        if job.past_cache {
            self.fs.promises.landed_past_cache();
        }
        let flags = job.op.flags;
        if (flags.sync || flags.data_sync || self.fs.rules.nature.synchronous)
            && job.op.operation == Operation::Write
            && job.stage != SyncState::Done
        {
            return Next::Go(Then::Sync);
        }
        self.end_call(job)
    }
}
