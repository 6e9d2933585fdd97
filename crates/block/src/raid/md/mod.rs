//! Linux md at levels 4, 5 and 6: rows of one page a member in a cache, and a thread that handles them.
//!
//! ```text
//! requests ─▶ submit ─▶ stripe heads ─(plug)─▶ handle ─▶ thread ─▶ decide ─▶ members
//!               ▲ sleepers     ▲                hold ◀─ delayed ◀┘             │
//!               └──────────────┴──────────── idle, oldest first ◀──────────────┘
//! ```
//!
//! Source: drivers/md/raid5.c of Linux 6.1. A row is known by its *stripe head*. Writes of one row gather on it until the thread looks
//! at it; what somebody waits for is read at once, all else when nothing is read for parity any more (`cache`); of the two ways to make
//! parity the one with fewer reads is taken, and what is in memory needn't be read (`decide`). Nothing else is locked than the pages
//! that are on their way. Where there is a journal or a partial parity log (`log`, `journal`), rows pass it before they go to the members.
//!
//! Leaves out: resyncs, reshapes, bad blocks, discards; that a row which is written whole together with others takes nothing more until
//! all are (STRIPE_BATCH_READY).

mod cache;
mod decide;
mod handle;
mod journal;
mod lists;
mod log;
mod members;
mod parameters;
mod stripe;
mod submit;

pub(super) use cache::MOST_ROWS;
pub(super) use decide::MOST_UNITS;
pub use log::{JournalMode, JournalParameters};
pub(super) use log::{LogKind, fewest_blocks};
pub(super) use members::Piece;
pub use parameters::StripeCacheParameters;
pub(super) use stripe::PAGE_BLOCKS;

use super::layout::Layout;
use super::parameters::ParityUpdate;
use super::plan::Members;
use cache::Cache;
use decide::Shape;
use handle::end;
use journal::LogUnit;
use log::{Log, Waiter};
use members::Plug;
use petrio_colours::{BlockRequest, Direction, Purposes};
use petrio_persist::Persist;
use petrio_stage::slab::Slab;
use petrio_units::numbers::as_number;
use submit::{Sleeper, Submission};

/// Stripe heads that the thread takes at a time (MAX_STRIPE_BATCH).
const BATCH: usize = 8;

/// Stripe heads after which what the thread has submitted leaves it: a request to a member of the usual largest size, which pulls the
/// plug (BLK_PLUG_FLUSH_SIZE).
const ROWS_A_PLUG: u64 = 256;

/// How md goes about its work.
#[derive(Clone, Debug)]
pub(super) struct MdRules {
    pub(super) layout: Layout,
    /// `rmw_level`.
    pub(super) update: ParityUpdate,
    /// `stripe_cache_size`.
    pub(super) rows: u32,
    /// `preread_bypass_threshold`.
    pub(super) bypass: u32,
    pub(super) skip_copy: bool,
    /// What is written down before the members have it.
    pub(super) log: Option<LogKind>,
    /// Blocks of the largest request to a member.
    pub(super) most_blocks: u64,
}

/// What is known of a request.
#[derive(Clone, Copy, Debug, Default, Persist)]
struct RequestState {
    /// Pages that somebody has put down, and that aren't done.
    left: u32,
    /// All are put down.
    is_down: bool,
    failed: bool,
    force_unit_access: bool,
    awaited: bool,
    purposes: Purposes,
}

/// What the thread did at a time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Persist)]
pub(super) struct Work {
    /// Stripe heads that it handled.
    pub(super) rows: u64,
    /// Pages that it copied, or that went into parity.
    pub(super) pages: u64,
}

/// What is at a member.
#[derive(Clone, Debug, Persist)]
enum Trip {
    /// Pages of stripe heads and their units, that are read or written.
    Pages(bool, Vec<(u32, u8)>),
    /// A unit of a log, and who waits for it.
    Log(Vec<Waiter>),
    /// The flush of the journal.
    JournalFlush,
    /// The flush of a member for a unit of a partial parity log.
    UnitFlush(u32),
    /// What nobody waits for.
    Nothing,
}

/// All of it that changes.
#[derive(Clone, Debug, Persist)]
pub(super) struct Md {
    layout: Layout,
    shape: Shape,
    unit_rows: u64,
    #[persist(keep)]
    update: ParityUpdate,
    skip_copy: bool,
    most_blocks: u64,
    cache: Cache,
    sleepers: Vec<Sleeper>,
    /// Stripe heads that were submitted, and that nobody looks at yet.
    plug: Vec<u32>,
    out: Plug,
    /// By slot.
    asked: Vec<RequestState>,
    /// What is at members: pages, and whether they are read.
    trips: Slab<Trip>,
    log: Option<Log>,
    /// The units of partial parity logs that are on their way.
    log_units: Slab<LogUnit>,
    /// Those whose rows the members have, and that are to be flushed there.
    to_flush: Vec<u32>,
    /// Requests that are done, and whether they failed.
    done: Vec<(u32, bool)>,
    /// Those who slept and have submitted all since.
    granted: Vec<u32>,
    /// Rows that are written whole, one after the other, and their pages.
    batch: Vec<(Piece, (u32, u8))>,
    /// Stripe heads that are looked at together: the thread has hold of them.
    handled: Vec<u32>,
    /// Somebody reads such a row.
    reads_held: bool,
    /// Requests that came and aren't done.
    outstanding: u32,
    work: Work,
}

impl Md {
    pub(super) fn new(rules: MdRules) -> Self {
        let MdRules { layout, update, rows, bypass, skip_copy, most_blocks, log } = rules;
        let shape = Shape { data: as_number(layout.columns()), parities: as_number(layout.parities()) };
        Self {
            shape,
            unit_rows: layout.unit() / PAGE_BLOCKS,
            update,
            skip_copy,
            most_blocks: most_blocks.max(PAGE_BLOCKS),
            cache: Cache::new(rows, bypass, shape.data_units()),
            log: log.map(|kind| Log::new(kind, layout.members())),
            log_units: Slab::new(),
            to_flush: Vec::new(),
            sleepers: Vec::new(),
            plug: Vec::new(),
            out: Plug::new(layout.members()),
            asked: Vec::new(),
            trips: Slab::new(),
            done: Vec::new(),
            granted: Vec::new(),
            batch: Vec::new(),
            handled: Vec::new(),
            reads_held: false,
            outstanding: 0,
            work: Work::default(),
            layout,
        }
    }

    /// A process submits a request; false where it must wait.
    pub(super) fn arrive(&mut self, request: &BlockRequest, slot: u32) -> bool {
        let is_write = request.direction == Direction::Write;
        self.outstanding += 1;
        if self.asked.len() <= slot as usize {
            self.asked.resize(slot as usize + 1, RequestState::default());
        }
        self.asked[slot as usize] = RequestState {
            force_unit_access: request.force_unit_access,
            awaited: request.synchronous,
            purposes: request.purposes,
            ..RequestState::default()
        };
        let range = (request.address, request.end());
        let is_down =
            self.submit(request.process, Submission::new(slot, is_write, request.synchronous, range));
        self.asked[slot as usize].is_down = is_down;
        is_down
    }

    /// So many more of a request's pages are put down.
    fn pages_left(&mut self, slot: u32, pages: u32) {
        self.asked[slot as usize].left += pages;
    }

    /// Those who sleep go on, as far as they can; who has submitted all stands in `granted`.
    pub(super) fn wake(&mut self, granted: &mut Vec<u32>) {
        granted.append(&mut self.granted);
        let before = granted.len();
        self.wake_sleepers(|slot| granted.push(slot));
        for &slot in &granted[before..] {
            self.asked[slot as usize].is_down = true;
        }
    }

    /// The same, while the thread is at work.
    fn wake_in_run(&mut self) {
        let mut granted = Vec::new();
        self.wake(&mut granted);
        self.granted = granted;
    }

    /// Whether the thread would find anything to do.
    pub(super) fn has_work(&self) -> bool {
        let logs = !self.to_flush.is_empty() || self.log.as_ref().is_some_and(Log::has_work);
        logs || !self.handled.is_empty() || !self.plug.is_empty() || self.cache.has_work()
    }

    /// Requests to members that aren't back.
    pub(super) fn asked_of_members(&self) -> usize {
        self.trips.iter().count()
    }

    /// Whether nothing is on its way.
    #[cfg(test)]
    pub(super) fn is_at_rest(&self) -> bool {
        self.cache.is_idle() && self.sleepers.is_empty()
    }

    /// Requests that are done by now, each with whether it failed.
    pub(super) fn take_done(&mut self) -> Option<(u32, bool)> {
        let done = self.done.pop();
        self.outstanding -= u32::from(done.is_some());
        done
    }

    /// The thread runs until it finds nothing more, has as much as leaves it at a time, or has answered the only request that there
    /// was; what it asks of members goes to `send`, with the number that comes back with the answer.
    ///
    /// Who was answered so is ready to run when the thread gives way (`cond_resched` of `handle_active_stripes`), and puts his next
    /// request down while the thread still has hold of the rows that it looked at last: where it reads these, they go before all
    /// others, and are requests of their own; writes are plugged until all of the request is down (`blkdev_write_iter` has a plug,
    /// `blkdev_read_iter` none). What is asked of members stays under the plug meanwhile.
    pub(super) fn run(&mut self, members: &Members, mut send: impl FnMut(Piece, u32)) -> Work {
        self.work = Work::default();
        if std::mem::take(&mut self.reads_held) {
            self.let_go();
        }
        self.flush_plug();
        self.let_go();
        let mut idle;
        loop {
            if self.log.is_some() {
                self.cache.write_out();
            }
            let rows = self.handle_batch(members);
            self.work.rows += rows;
            idle = rows == 0;
            if self.has_answered_all() {
                return self.work;
            }
            self.let_go();
            self.wake_in_run();
            if rows == 0 || self.work.rows >= ROWS_A_PLUG {
                break;
            }
        }
        self.cache.grow();
        self.flush_batch();
        for (piece, pages) in self.out.take() {
            let trip = self.trips.insert(Trip::Pages(piece.direction == Direction::Read, pages));
            send(piece, trip);
        }
        self.send_logs(idle, members, &mut send);
        self.work
    }

    /// The thread looks at some rows, of which it keeps hold; how many.
    fn handle_batch(&mut self, members: &Members) -> u64 {
        self.cache.activate_delayed();
        let mut batch = std::mem::take(&mut self.handled);
        // Rows that were written together are done together, and count as one.
        let mut taken = 0;
        while taken < BATCH || batch.last().is_some_and(|&last| self.next_goes_on(last)) {
            taken += usize::from(!batch.last().is_some_and(|&last| self.next_goes_on(last)));
            let Some(number) = self.cache.next() else { break };
            self.cache.stripe(number).held = true;
            batch.push(number);
        }
        for &number in &batch {
            self.handle(number, members);
        }
        self.handled = batch;
        let journal = self.layout.members();
        if let Some(log) = &mut self.log {
            log.end_unit(journal, self.most_blocks);
        }
        self.handled.len() as u64
    }

    /// Whether all requests that came are done since the thread looked at rows last, and somebody waits for the last of them.
    fn has_answered_all(&self) -> bool {
        let is_awaited = |&(slot, _): &(u32, bool)| self.asked[slot as usize].awaited;
        !self.handled.is_empty()
            && self.done.len() == self.outstanding as usize
            && self.done.last().is_some_and(is_awaited)
    }

    /// The thread lets go of the rows that it looked at last.
    fn let_go(&mut self) {
        let mut batch = std::mem::take(&mut self.handled);
        for number in batch.drain(..) {
            self.cache.stripe(number).held = false;
            self.cache.release(number);
        }
        self.handled = batch;
    }

    /// An answer of a member has come; `good` unless it failed.
    pub(super) fn answered(&mut self, trip: u32, good: bool) -> bool {
        let (is_read, pages) = match self.trips.remove(trip) {
            None => return false,
            Some(Trip::Pages(is_read, pages)) => (is_read, pages),
            Some(Trip::Nothing) => return true,
            Some(Trip::UnitFlush(unit)) => {
                self.is_flushed(unit);
                return true;
            }
            Some(Trip::JournalFlush) => {
                let waiters = self.log.as_mut().map(Log::is_flushed).unwrap_or_default();
                self.are_logged(waiters);
                return true;
            }
            Some(Trip::Log(waiters)) => {
                match self.log.as_mut().filter(|log| matches!(log.kind, LogKind::Journal(..))) {
                    Some(log) => log.is_written(waiters),
                    None => self.are_logged(waiters),
                }
                return true;
            }
        };
        for (number, unit) in pages {
            let stripe = self.cache.stripe(number);
            stripe.under_way -= 1;
            if is_read && good {
                // Of what is in the journal the page is newer: what is read is the old one.
                match stripe.in_journal >> unit & 1 {
                    1 => stripe.old_known |= 1 << unit,
                    _ => stripe.up_to_date |= 1 << unit,
                }
            }
            if stripe.under_way == 0 {
                stripe.to_handle = true;
                self.cache.release(number);
            }
        }
        true
    }
}
