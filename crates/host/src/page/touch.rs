//! A process uses memory of its own, some of which may not be there.
//!
//! ```text
//! call ─▶ touch ─┬─ in memory ──────────────▶ touch …  ──▶ return
//!                ├─ never used ──▶ room, fault, zeroes ──▶ touch
//!                └─ in swap space ──▶ room; its window of slots is read ──▶ touch
//! ```
//!
//! After mm/memory.c (`do_anonymous_page`, `do_swap_page`) and mm/swap_state.c. Who needs pages for which others have to go waits until
//! these are written, as a direct reclaim does (`shrink_folio_list`); memory that is given back costs nothing. Leaves out huge pages,
//! copies on write, and memory that is given back in parts.

use super::context::Context;
use super::job::{Job, Next, Then};
use crate::below::Posts;
use crate::copy_cost::PAGE_BYTES;
use crate::page_cache::{Absent, FileKey, RECLAIM_BATCH, Touched};
use crate::state::{Event, Touch, times};
use petrio_colours::{Direction, FileCause};

/// Pages that a process gets before it looks whether others had to go for them.
const NEW_AT_ONCE: u64 = 4 * RECLAIM_BATCH;

impl Context<'_> {
    /// The next pages that a process uses.
    pub(super) fn touch(&mut self, job: &mut Job) -> Next {
        self.swapped_back(job);
        if let Some(event) = self.going_to_swap() {
            return Self::wait(event, FileCause::Write, Then::Touch);
        }
        let segment = job.op.file.0;
        if job.op.length == 0 {
            self.memory.cache.remove_process(segment);
            return Next::Return;
        }
        loop {
            let (first, end) = (job.position / PAGE_BYTES, job.end.div_ceil(PAGE_BYTES));
            if first >= end {
                return Next::Return;
            }
            match self.memory.cache.touch(segment, first, end) {
                Touched::There(pages) => job.position = (first + pages) * PAGE_BYTES,
                Touched::New(pages) => {
                    let pages = pages.min(NEW_AT_ONCE);
                    let reclaiming = match self.kernel().make_room(pages) {
                        Ok(work) => work,
                        Err(event) => return Self::wait(event, FileCause::Write, Then::Touch),
                    };
                    self.memory.cache.insert_anonymous(segment, pages);
                    let bytes = pages * PAGE_BYTES;
                    let zeroes = self.memory.from_user.time(bytes, bytes, bytes);
                    let work = times(self.memory.costs.fault, pages) + zeroes + reclaiming;
                    return Next::Run { work, cause: FileCause::Cache, cache: work, then: Then::Touch };
                }
                Touched::Swapped(slot, slots) => {
                    return self.swap_in(job, (slot, slots), Then::Touch);
                }
            }
        }
    }

    /// What this mount has sent to swap space, if nobody has waited for it: who needs the memory does.
    fn going_to_swap(&mut self) -> Option<Event> {
        let (_, group) = self.memory.swaps.group.filter(|(mount, _)| *mount == self.fs.number)?;
        self.memory.swaps.group = None;
        self.fs.transfers.is_pending(group).then_some(Event::Group(group))
    }

    /// What was read from swap space for an operation is in memory.
    pub(super) fn swapped_back(&mut self, job: &mut Job) {
        if let Some((slots, asked)) = job.swapped_in.take() {
            self.memory.swaps.back += self.memory.cache.bring_back(slots.0, slots.1);
            self.memory.swaps.waited += self.now - asked;
        }
    }

    /// Reads a window of slots of the swap space, for which there has to be room.
    pub(super) fn swap_in(&mut self, job: &mut Job, (slot, slots): (u64, u64), then: Then) -> Next {
        let wanted = self.memory.cache.filled_slots(slot, slots).iter().map(|run| run.1).sum();
        match self.kernel().make_room(wanted) {
            Ok(work) => job.owed += work,
            Err(event) => return Self::wait(event, FileCause::Write, then),
        }
        job.waited = true;
        job.swapped_in = Some(((slot, slots), self.now));
        let touch = Touch::of(&job.op, Direction::Read, true);
        let runs = self.memory.cache.filled_slots(slot, slots);
        let group = self.fs.send_to_swap(runs, touch, self.now);
        let work = self.memory.costs.fault;
        Next::Wait { event: Event::Group(group), cause: FileCause::Read, work, then }
    }

    /// Brings back what of these pages of a file that lives in memory alone is in swap space; what comes next, if any is.
    pub(super) fn swap_in_file(
        &mut self,
        job: &mut Job,
        key: FileKey,
        (first, pages): (u64, u64),
        then: Then,
    ) -> Option<Next> {
        self.swapped_back(job);
        if self.fs.rules.nature.posts != Posts::Kept || self.memory.cache.swapped() == 0 {
            return None;
        }
        if let Some(event) = self.going_to_swap() {
            job.waited = true;
            return Some(Self::wait(event, FileCause::Write, then));
        }
        let (mut at, end) = (first, first + pages);
        while let Some((start, run)) = self.memory.cache.missing_run(key, at, end) {
            match self.memory.cache.absent(key, start, run) {
                Absent::Hole(holes) => at = start + holes.max(1),
                Absent::Swapped(slot, slots) => return Some(self.swap_in(job, (slot, slots), then)),
            }
        }
        None
    }
}
