//! Reading: the page cache is asked page by page, what is missing is read ahead (`generic_file_read`, `filemap_read`).
//!
//! ```text
//! call ─▶ look up ─┬─ hit ──▶ processor (finding, copying) ──▶ look up … ──▶ return
//!                  ├─ miss or marker ─▶ inserted, processor ─▶ read in ─▶ block requests, then look up
//!                  └─ not up to date ─▶ waits for the request that brings it
//! ```
//!
//! After mm/filemap.c and fs/mpage.c. Direct reads go past the cache. Mapped files are read in `mapped`.

use super::context::Context;
use super::job::{Job, Next, Runs, Then};
use crate::below::Posts;
use crate::copy_cost::PAGE_BYTES;
use crate::file_system::Mapping;
use crate::kernel_profile::{BeforeIndirectBlock, ReadAheadAlgorithm};
use crate::page_cache::{Absent, FileKey};
use crate::read_ahead::{self, Window};
use crate::state::{Event, Moves, Touch, times};
use petrio_colours::{Direction, FileCause};
use petrio_kernel::Time;

impl Context<'_> {
    /// The next page of a read.
    pub(super) fn look_up(&mut self, job: &mut Job) -> Next {
        self.swapped_back(job);
        if self.fs.rules.nature.shared && !job.checked {
            let (system, mut kernel) = self.split();
            if let Err(stop) = system.before_read(&mut kernel, &job.op) {
                return self.stopped(job, stop, Then::LookUp);
            }
            job.checked = true;
        }
        let size = self.fs.inodes.get(job.op.file).size;
        let end = job.end.min(size);
        if job.position >= end {
            return self.end_read(job);
        }
        if job.op.flags.mapped {
            return self.look_up_mapped(job, end, size);
        }
        if job.past_cache {
            return self.read_past_cache(job, end);
        }
        let key = job.key(self.fs.number);
        let index = job.position / PAGE_BYTES;
        let last = (end - 1) / PAGE_BYTES;
        let wanted = last - index + 1;
        if let Some(next) = self.read_ahead_of(job, key, index, wanted, size) {
            return next;
        }
        // The next window is asked for before this one's pages are waited for (`filemap_get_pages`; before it
        // `do_generic_mapping_read`).
        let marked = self.memory.cache.look(key, index).is_some_and(|page| page.marker);
        if marked && let Some(next) = self.marker(job, key, index, wanted, size) {
            return next;
        }
        let run = self.memory.cache.uptodate_run(key, index, wanted);
        if run == 0 && self.fs.rules.nature.posts == Posts::Kept {
            return match self.memory.cache.absent(key, index, wanted) {
                Absent::Hole(zeroes) => self.take_pages(job, key, (index, zeroes), end, size),
                Absent::Swapped(slot, slots) => self.swap_in(job, (slot, slots), Then::LookUp),
            };
        }
        if run == 0 {
            return self.missing(job, key, index, wanted, size);
        }
        self.take_pages(job, key, (index, run), end, size)
    }

    /// A read of which all pages are in memory with no read-ahead hanging on them; none if it is another.
    pub(super) fn hit(&mut self, job: &mut Job) -> Option<Next> {
        let size = self.fs.inodes.get(job.op.file).size;
        let end = job.end.min(size);
        let looks_ahead = self.fs.rules.kernel.read_ahead.algorithm == ReadAheadAlgorithm::CurrentAhead;
        if job.position >= end
            || job.past_cache
            || job.op.flags.mapped
            || looks_ahead
            || self.fs.rules.nature.shared
            || self.kernel().notes_access(job.op.file)
        {
            return None;
        }
        let (key, index) = (job.key(self.fs.number), job.position / PAGE_BYTES);
        let wanted = (end - 1) / PAGE_BYTES - index + 1;
        let all_there = self.memory.cache.uptodate_run(key, index, wanted) == wanted
            && !self.memory.cache.look(key, index).is_some_and(|page| page.marker);
        all_there.then(|| self.take_pages(job, key, (index, wanted), end, size))
    }

    /// Reads a run of pages that are there, up to `end`.
    fn take_pages(
        &mut self,
        job: &mut Job,
        key: FileKey,
        (index, run): (u64, u64),
        end: u64,
        size: u64,
    ) -> Next {
        let stop = ((index + run) * PAGE_BYTES).min(end);
        let open = self.fs.opened.get(job.op.process, job.op.file);
        let previous = open.last_page.replace((stop - 1) / PAGE_BYTES);
        let folios = u64::from(self.memory.cache.access_following(key, previous, index, run)).max(1);
        let bytes = stop - job.position;
        let jumps = self.fs.opened.jumps((job.op.process, job.op.file), job.position, stop);
        job.position = stop;
        let costs = self.memory.costs;
        let mut cache = times(costs.hit, folios) + times(costs.folio_page, run.saturating_sub(folios));
        if jumps {
            cache += self.memory.jumps.at(size).read;
        }
        let work = cache + self.memory.to_user.time(bytes, job.op.length.max(1), size);
        let mut then = Then::LookUp;
        if job.position >= end {
            self.note_read(job);
            if job.calls.is_empty() && !self.kernel().notes_access(job.op.file) {
                then = Then::Return;
            }
        }
        Next::Run { work, cause: FileCause::Copy, cache, then }
    }

    /// The algorithm before 2.6.23 looks ahead when a read begins, and again where it said so; both of its windows are then
    /// read in.
    fn read_ahead_of(
        &mut self,
        job: &mut Job,
        key: FileKey,
        index: u64,
        wanted: u64,
        size: u64,
    ) -> Option<Next> {
        if !job.behind.is_empty() {
            let window = std::mem::replace(&mut job.behind, Window::NONE);
            return Some(self.read_window(job, window));
        }
        let parameters = &self.fs.rules.kernel.read_ahead;
        if parameters.algorithm != ReadAheadAlgorithm::CurrentAhead || index < job.ask_at {
            return None;
        }
        let view = self.memory.cache.view(key, self.fs.rules.nature.large_folios, false);
        let state = &mut self.fs.opened.get(job.op.process, job.op.file).read_ahead;
        let ahead = read_ahead::on_read(parameters, state, &view, index, wanted, size.div_ceil(PAGE_BYTES));
        job.ask_at = ahead.next.max(index + 1);
        let [first, second] = ahead.windows;
        let (now, behind) = if first.is_empty() { (second, Window::NONE) } else { (first, second) };
        job.behind = behind;
        (!now.is_empty()).then(|| self.read_window(job, now))
    }

    /// A page isn't there, or not yet.
    fn missing(&mut self, job: &mut Job, key: FileKey, index: u64, wanted: u64, size: u64) -> Next {
        if self.memory.cache.look(key, index).is_some() {
            job.waited = true;
            if let Some(group) = self.fs.transfers.bringing(key, index) {
                return Self::wait(Event::Group(group), FileCause::Read, Then::LookUp);
            }
            // Prepared by a write that hasn't finished copying into it: it is read once that has.
            let span = self.memory.costs.wake_up.max(Time::from_micros(1));
            return Next::Sleep { span, cause: FileCause::Cache, then: Then::LookUp };
        }
        let parameters = &self.fs.rules.kernel.read_ahead;
        let view = self.memory.cache.view(key, self.fs.rules.nature.large_folios, false);
        let state = &mut self.fs.opened.get(job.op.process, job.op.file).read_ahead;
        let pages = size.div_ceil(PAGE_BYTES);
        let window = read_ahead::on_miss(parameters, state, &view, index, wanted, pages);
        let window = if window.is_empty() {
            Window { start: index, pages: wanted.min(pages - index), ..Window::NONE }
        } else {
            window
        };
        self.read_window(job, window)
    }

    /// A page carries the marker: the next window is read while this one is used.
    fn marker(&mut self, job: &mut Job, key: FileKey, index: u64, wanted: u64, size: u64) -> Option<Next> {
        self.memory.cache.clear_marker(key, index);
        let parameters = &self.fs.rules.kernel.read_ahead;
        let view = self.memory.cache.view(key, self.fs.rules.nature.large_folios, false);
        let state = &mut self.fs.opened.get(job.op.process, job.op.file).read_ahead;
        let pages = size.div_ceil(PAGE_BYTES);
        let window = read_ahead::on_marker(parameters, state, &view, index, wanted, pages);
        (!window.is_empty()).then(|| self.read_window(job, window))
    }

    /// Processor time for a window's pages comes before its requests, and they are in the cache before that: who comes
    /// meanwhile, such as another thread of a server, finds them there, and goes on with the stream.
    pub(super) fn read_window(&mut self, job: &mut Job, window: Window) -> Next {
        job.window = window;
        job.inserted = None;
        let work = times(self.memory.costs.insert, window.pages) + self.memory.costs.submit;
        if self.is_mapped_in_memory(job, window) {
            match self.kernel().make_room(window.pages) {
                Ok(reclaimed) => job.owed += reclaimed,
                Err(event) => {
                    return Next::Wait { event, cause: FileCause::Write, work, then: Then::ReadIn };
                }
            }
            let (key, mut at, mut fresh) = (job.key(self.fs.number), window.start, Runs::new());
            while let Some((start, pages)) = self.memory.cache.missing_run(key, at, window.end()) {
                fresh.push((start, pages));
                at = start + pages;
            }
            self.memory.cache.insert_window(key, &window);
            job.inserted = Some(fresh);
        }
        Next::Run { work, cause: FileCause::Cache, cache: work, then: Then::ReadIn }
    }

    /// Whether what says where a window's blocks lie is in memory, so that nothing has to be read before its pages are.
    fn is_mapped_in_memory(&mut self, job: &Job, window: Window) -> bool {
        let device = self.fs.device();
        let mut mapping = std::mem::take(&mut self.fs.mapping);
        self.system.map(job.op.file, window.start, window.pages, &mut mapping);
        let there = |&(_, block): &(u64, u64)| {
            self.memory.cache.look(device, block).is_some_and(|page| page.uptodate)
        };
        let all = mapping.metadata.iter().all(there);
        self.fs.mapping = mapping;
        all
    }

    /// Brings the pages of a window in: finds out where they lie, which may take reading metadata first, and sends requests.
    pub(super) fn read_in(&mut self, job: &mut Job) -> Next {
        let key = job.key(self.fs.number);
        let window = job.window;
        if job.inserted.is_none() {
            match self.kernel().make_room(window.pages) {
                Ok(work) => job.owed += work,
                Err(event) => return Self::wait(event, FileCause::Write, Then::ReadIn),
            }
        }
        let touch = Touch::of(&job.op, Direction::Read, true);
        let mut mapping = std::mem::take(&mut self.fs.mapping);
        self.system.map_data(job.op.file, window.start, window.pages, &mut mapping);
        // What lies behind a block of metadata that isn't in memory waits until that has been read.
        let missing = mapping.metadata.iter().copied().find(|&(_, block)| self.kernel().lacks_block(block));
        let known = missing.map_or(window.end(), |(first, _)| self.sent_before(&mapping, &window, first));
        // Requests first: what is in the cache already isn't read again.
        for segment in &mapping.segments {
            let (first, end) = (segment.first, (segment.first + segment.count).min(known));
            self.read_segment(key, (first, end), segment.block, job.inserted.as_ref(), touch);
        }
        if job.inserted.is_none() {
            self.memory.cache.insert_window(key, &Window { pages: known - window.start, ..window });
        }
        for segment in mapping.segments.iter().filter(|segment| segment.block.is_none()) {
            let end = (segment.first + segment.count).min(known);
            self.memory.cache.arrived(key, segment.first, end.saturating_sub(segment.first));
        }
        self.fs.mapping = mapping;
        match missing.and_then(|(_, block)| self.kernel().bring_block(block, None, touch)) {
            None => self.look_up(job),
            Some(group) => {
                job.waited = true;
                job.window = Window { start: known, pages: window.end() - known, ..window };
                Self::wait(Event::Group(group), FileCause::Read, Then::ReadIn)
            }
        }
    }

    /// Up to which page a window is sent before that is read which says where its pages from `boundary` on lie.
    fn sent_before(&self, mapping: &Mapping, window: &Window, boundary: u64) -> u64 {
        let boundary = boundary.clamp(window.start, window.end());
        let Some(run) = mapping.segments.iter().rfind(|segment| segment.first < boundary) else {
            return boundary;
        };
        let run_first = run.first.max(window.start);
        let sends = match self.fs.rules.nature.before_indirect_block {
            Some(BeforeIndirectBlock::Sent) => true,
            Some(BeforeIndirectBlock::FolioSent) => {
                // A map begins with its run, or where the block of metadata before says more.
                let before =
                    mapping.metadata.iter().map(|&(first, _)| first).filter(|&first| first < boundary);
                let map_first = before.max().unwrap_or_default().max(run_first);
                self.memory.cache.folio_of_window(window, boundary - 1) == (map_first..boundary)
            }
            None => false,
        };
        if sends || run.block.is_none() { boundary } else { run_first }
    }

    /// Sends requests for the pages of a segment that aren't there yet, or that have been inserted for it.
    fn read_segment(
        &mut self,
        key: FileKey,
        (first, end): (u64, u64),
        block: Option<u64>,
        inserted: Option<&Runs>,
        touch: Touch,
    ) {
        let Some(block) = block else { return };
        let mut at = first;
        while at < end {
            let next = match inserted {
                None => self.memory.cache.missing_run(key, at, end),
                Some(runs) => runs.iter().find_map(|&(start, pages)| {
                    let (from, to) = (start.max(at), (start + pages).min(end));
                    (from < to).then(|| (from, to - from))
                }),
            };
            let Some((start, pages)) = next else { break };
            at = start + pages;
            let group = self.fs.transfers.group();
            let run = (block + (start - first), pages);
            self.fs.send(run, touch, group, self.now, |offset, pages| Moves::Read {
                file: key,
                first: start + offset,
                pages,
            });
        }
    }

    /// O_DIRECT: to the process and past the cache.
    fn read_past_cache(&mut self, job: &mut Job, end: u64) -> Next {
        let (first, last) = (job.position / PAGE_BYTES, (end - 1) / PAGE_BYTES);
        let key = job.key(self.fs.number);
        let touch = Touch::of(&job.op, Direction::Read, true);
        // What is dirty in the cache is written first.
        let group = self.fs.transfers.group();
        let (system, mut kernel) = self.split();
        if kernel.write_pages(system, key, (first, last + 1), u64::MAX, touch, group).1 > 0 {
            job.waited = true;
            return Self::wait(Event::Group(group), FileCause::Write, Then::LookUp);
        }
        let mut mapping = std::mem::take(&mut self.fs.mapping);
        self.system.map_data(job.op.file, first, last - first + 1, &mut mapping);
        // As far as it is known where they lie: what is known later is sent when all of that has come.
        let missing = mapping.metadata.iter().copied().find(|&(_, block)| self.kernel().lacks_block(block));
        let known = missing.map_or(last + 1, |(at, _)| at.clamp(first, last + 1));
        let mut sent = 0;
        for segment in mapping.segments.iter().filter(|segment| segment.first < known) {
            if let Some(block) = segment.block {
                let run = (block, segment.count.min(known - segment.first));
                sent += self.fs.send(run, touch, group, self.now, |_, _| Moves::Plain);
            }
        }
        job.position = job.position.max((known * PAGE_BYTES).min(end));
        let joined = Some(group).filter(|_| sent > 0);
        let brought = missing.and_then(|(_, block)| self.kernel().bring_block(block, joined, touch));
        self.fs.mapping = mapping;
        job.waited = true;
        let work = times(self.memory.costs.submit, sent);
        match (brought, sent) {
            (Some(brought), 0) => Self::wait(Event::Group(brought), FileCause::Read, Then::LookUp),
            (None, 0) => self.end_read(job),
            (_, _) => {
                job.is_sent = brought.is_none();
                Next::Wait { event: Event::Group(group), cause: FileCause::Read, work, then: Then::LookUp }
            }
        }
    }

    /// The system call has read all there is.
    fn end_read(&mut self, job: &mut Job) -> Next {
        if job.op.flags.mapped {
            return self.end_call(job);
        }
        self.note_read(job);
        if self.kernel().notes_access(job.op.file) {
            let (system, mut kernel) = self.split();
            return match system.note_access(&mut kernel, &job.op) {
                Ok(()) => {
                    let work = self.memory.costs.journal_handle;
                    Next::Run { work, cause: FileCause::Cache, cache: work, then: Then::LookUp }
                }
                Err(stop) => self.stopped(job, stop, Then::LookUp),
            };
        }
        self.end_call(job)
    }

    fn note_read(&mut self, job: &Job) {
        self.fs.opened.get(job.op.process, job.op.file).read_ahead.note_access(job.position);
    }
}
