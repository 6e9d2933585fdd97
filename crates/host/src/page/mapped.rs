//! Files mapped into processes: no calls, but a fault for each page that isn't mapped yet, or not for writing.
//!
//! ```text
//! access ─▶ look up ─┬─ mapped ─────────────────────▶ processor (copying) ──▶ look up … ──▶ return
//!                    ├─ in memory ──▶ fault: it and its neighbours are mapped ──▶ look up
//!                    └─ not there ──▶ fault: read around it ──▶ read in
//! store ──▶ begin ───┬─ mapped and dirty ───────────▶ processor (copying) ──▶ begin …
//!                    ├─ in memory ──▶ fault: it becomes dirty, in a journal handle where its file has holes or ages
//!                    └─ not there ──▶ look up, as above
//! ```
//!
//! After mm/filemap.c (`filemap_fault`, `do_sync_mmap_readahead`, `filemap_map_pages`), mm/memory.c (`do_fault_around`,
//! `fault_dirty_shared_page`) and `ext4_page_mkwrite`. msync(2) is fdatasync on the file (mm/msync.c). Leaves out advice
//! (madvise), large pages in page tables, private mappings, and the unmapping of pages that a process gives back.

use super::context::Context;
use super::job::{Job, Next, Then};
use crate::below::{Piece, Posts};
use crate::copy_cost::PAGE_BYTES;
use crate::page_cache::{Absent, FileKey};
use crate::read_ahead;
use crate::state::Event;
use petrio_colours::{Failure, FileCause, Operation};
use petrio_kernel::Time;
use petrio_units::numbers::as_number;

/// Pages that a fault maps at once, if they are in memory (`fault_around_bytes`, 64 KiB).
const FAULT_AROUND: u64 = 16;

impl Context<'_> {
    /// The next page of an access to a mapped file that is there up to `end`.
    pub(super) fn look_up_mapped(&mut self, job: &mut Job, end: u64, size: u64) -> Next {
        let key = job.key(self.fs.number);
        let index = job.position / PAGE_BYTES;
        let wanted = (end - 1) / PAGE_BYTES - index + 1;
        let writes = job.op.operation == Operation::Write;
        if !writes {
            let run = self.memory.cache.mapped_run(key, index, wanted, false);
            if run > 0 {
                return self.take_mapped(job, key, (index, run), end, size);
            }
        }
        let pages = size.div_ceil(PAGE_BYTES);
        let parameters = &self.fs.rules.kernel.read_ahead;
        match self.memory.cache.look(key, index) {
            Some(page) if page.uptodate && page.marker => {
                self.memory.cache.clear_marker(key, index);
                let view = self.memory.cache.view(key, self.fs.rules.nature.large_folios, false);
                let open = self.fs.opened.get(job.op.process, job.op.file);
                open.mapped_misses = open.mapped_misses.saturating_sub(1);
                let window = read_ahead::on_marker(parameters, &mut open.read_ahead, &view, index, 1, pages);
                if !window.is_empty() {
                    return self.read_window(job, window);
                }
                // Without its marker it is a page like others.
                self.look_up_mapped(job, end, size)
            }
            // The store's own fault maps it.
            Some(page) if page.uptodate && writes => Next::Go(Then::Begin),
            Some(page) if page.uptodate => {
                let first = index / FAULT_AROUND * FAULT_AROUND;
                let mapped = self.memory.cache.map(key, first, (first + FAULT_AROUND).min(pages));
                let open = self.fs.opened.get(job.op.process, job.op.file);
                open.mapped_misses = open.mapped_misses.saturating_sub(as_number(mapped));
                self.fault(Then::LookUp)
            }
            Some(_) => {
                job.waited = true;
                match self.fs.transfers.bringing(key, index) {
                    Some(group) => Self::wait(Event::Group(group), FileCause::Read, Then::LookUp),
                    None => {
                        let span = self.memory.costs.wake_up.max(Time::from_micros(1));
                        Next::Sleep { span, cause: FileCause::Cache, then: Then::LookUp }
                    }
                }
            }
            None if self.fs.rules.nature.posts == Posts::Kept => self.fault_in_memory(job, key, index),
            None => {
                let open = self.fs.opened.get(job.op.process, job.op.file);
                open.mapped_misses = open.mapped_misses.saturating_add(1);
                let reads_around = open.mapped_misses <= read_ahead::MOST_MAPPED_MISSES;
                let window = read_ahead::around(parameters, &mut open.read_ahead, index, pages, reads_around);
                self.read_window(job, window)
            }
        }
    }

    /// A page of a file that lives in memory alone comes back from swap space, or is made of zeroes (`shmem_fault`).
    fn fault_in_memory(&mut self, job: &mut Job, key: FileKey, index: u64) -> Next {
        if let Absent::Swapped(slot, slots) = self.memory.cache.absent(key, index, 1) {
            return self.swap_in(job, (slot, slots), Then::LookUp);
        }
        match self.kernel().make_room(1) {
            Ok(work) => job.owed += work,
            Err(event) => return Self::wait(event, FileCause::Write, Then::LookUp),
        }
        let size = self.fs.inodes.get(job.op.file).size;
        let piece = Piece { op: &job.op, key, first: index, pages: 1, end: job.end, size };
        let (system, mut kernel) = self.split();
        if let Err(stop) = system.prepare(&mut kernel, &piece) {
            return self.stopped(job, stop, Then::LookUp);
        }
        self.memory.cache.insert_shared(key, index, 1);
        self.fault(Then::LookUp)
    }

    fn fault(&self, then: Then) -> Next {
        let work = self.memory.costs.fault;
        Next::Run { work, cause: FileCause::Cache, cache: work, then }
    }

    /// Uses a run of mapped pages, up to `end`.
    fn take_mapped(
        &mut self,
        job: &mut Job,
        key: FileKey,
        (index, run): (u64, u64),
        end: u64,
        size: u64,
    ) -> Next {
        let stop = ((index + run) * PAGE_BYTES).min(end);
        let bytes = stop - job.position;
        self.memory.cache.touch_mapped(key, index, run);
        job.position = stop;
        let writes = job.op.operation == Operation::Write;
        let curve = if writes { &mut self.memory.from_user } else { &mut self.memory.to_user };
        let work = curve.time(bytes, job.op.length.max(1), size);
        let then = match job.position >= end {
            true => Then::Return,
            false if writes => Then::Begin,
            false => Then::LookUp,
        };
        Next::Run { work, cause: FileCause::Copy, cache: Time::ZERO, then }
    }

    /// The next page of a store into a mapped file.
    pub(super) fn begin_mapped(&mut self, job: &mut Job) -> Next {
        let size = self.fs.inodes.get(job.op.file).size;
        // A page beyond the last one of the file is nobody's memory.
        if job.end > size {
            return self.fail(job, Failure::BeyondMapping);
        }
        let key = job.key(self.fs.number);
        let index = job.position / PAGE_BYTES;
        let wanted = (job.end - 1) / PAGE_BYTES - index + 1;
        let run = self.memory.cache.mapped_run(key, index, wanted, true);
        if run > 0 {
            let end = job.end;
            return self.take_mapped(job, key, (index, run), end, size);
        }
        let there = self.memory.cache.look(key, index).is_some_and(|page| page.uptodate && !page.marker);
        if !there {
            return Next::Go(Then::LookUp);
        }
        self.memory.cache.map_one(key, index);
        self.memory.cache.touch_mapped(key, index, 1);
        job.owed += self.memory.costs.store_fault;
        let piece = job.end.min((index + 1) * PAGE_BYTES);
        self.prepare(job, key, (index, 1, 0), piece, size)
    }
}
