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
use crate::host::copy_cost::PAGE_BYTES;
use crate::host::page_cache::{RECLAIM_BATCH, Touched};
use crate::host::state::{Event, Touch, times};
use petrio_colours::{Direction, FileCause};

/// Pages that a process gets before it looks whether others had to go for them.
const NEW_AT_ONCE: u64 = 4 * RECLAIM_BATCH;

impl Context<'_> {
    /// The next pages that a process uses.
    pub(super) fn touch(&mut self, job: &mut Job) -> Next {
        if let Some((slots, asked)) = job.swapped_in.take() {
            self.memory.swaps.back += self.memory.cache.bring_back(slots.0, slots.1);
            self.memory.swaps.waited += self.now - asked;
        }
        if let Some(group) =
            self.memory.swaps.group.take().filter(|&group| self.fs.transfers.is_pending(group))
        {
            return Self::wait(Event::Group(group), FileCause::Write, Then::Touch);
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
                    let wanted = self.memory.cache.filled_slots(slot, slots).iter().map(|run| run.1).sum();
                    match self.kernel().make_room(wanted) {
                        Ok(work) => job.owed += work,
                        Err(event) => return Self::wait(event, FileCause::Write, Then::Touch),
                    }
                    job.waited = true;
                    job.swapped_in = Some(((slot, slots), self.now));
                    let touch = Touch::of(&job.op, Direction::Read, true);
                    let runs = self.memory.cache.filled_slots(slot, slots);
                    let group = self.fs.send_to_swap(runs, touch, self.now);
                    let work = self.memory.costs.fault;
                    return Next::Wait {
                        event: Event::Group(group),
                        cause: FileCause::Read,
                        work,
                        then: Then::Touch,
                    };
                }
            }
        }
    }
}
