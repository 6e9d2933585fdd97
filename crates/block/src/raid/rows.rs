//! An array whose rows of pages Linux md's thread handles: what of it goes through the stripe cache, and back.

use super::array::Array;
use super::layout::Layout;
use super::md::{LogKind, Md, MdRules, PAGE_BLOCKS, Piece, StripeCacheParameters, Work};
use super::outcome::Outcome;
use super::parameters::{RaidLevel, RaidParameters};
use super::plan::Members;
use petrio_colours::{
    BlockRequest, Cause, Causes, Direction, Failure, Ledger, Purpose, RequestId, SECTOR_BYTES, Status,
};
use petrio_kernel::Time;
use petrio_persist::Persist;
use petrio_units::numbers::{as_number, low_half};

/// Requests to members with this bit in their tags are of the stripe cache.
const OF_ROWS: u64 = 1 << 63;

/// Rows of pages, and the thread that handles them.
#[derive(Clone, Debug, Persist)]
pub(super) struct Rows {
    md: Md,
    #[persist(keep)]
    parameters: StripeCacheParameters,
    /// The thread was woken and isn't done.
    is_awake: bool,
    /// How long the last answer of a member took, by cause.
    latest: Ledger,
    granted: Vec<u32>,
}

impl RaidParameters {
    /// The stripe cache, at a level that has use for it.
    pub(super) fn stripe_cache_in_use(&self) -> Option<&StripeCacheParameters> {
        let has_parity =
            matches!(self.level, RaidLevel::ParityMember | RaidLevel::Rotated | RaidLevel::DoubleRotated);
        let works_so = has_parity && self.stripe_width.is_none() && self.controller.is_none();
        self.stripe_cache.as_ref().filter(|_| works_so)
    }

    /// The rows of an array that has any.
    pub(super) fn rows(&self, layout: &Layout, journal_blocks: u64) -> Option<Rows> {
        let parameters = self.stripe_cache_in_use()?;
        let journal = self.journal.as_ref().map(|journal| LogKind::Journal(journal.mode, journal_blocks));
        let log = journal.or_else(|| self.partial_parity_log.then_some(LogKind::PartialParity));
        let rules = MdRules {
            layout: layout.clone(),
            update: self.parity_update,
            rows: parameters.rows,
            bypass: parameters.bypass,
            skip_copy: parameters.skip_copy,
            log,
            most_blocks: parameters.largest_request.get() / SECTOR_BYTES,
        };
        Some(Rows {
            md: Md::new(rules),
            parameters: parameters.clone(),
            is_awake: false,
            latest: Ledger::default(),
            granted: Vec::new(),
        })
    }
}

impl Rows {
    /// How long the threads take for what was done. Several share it by batches of eight rows.
    fn time_for(&self, work: Work) -> Time {
        let StripeCacheParameters { row_time, page_rate, threads, .. } = &self.parameters;
        let rows =
            row_time.map_or(Time::ZERO, petrio_units::Duration::time).as_picos().saturating_mul(work.rows);
        let bytes = work.pages.saturating_mul(PAGE_BLOCKS * SECTOR_BYTES);
        let pages = page_rate.map_or(Time::ZERO, |rate| rate.time_for(bytes));
        let all = rows.saturating_add(pages.as_picos());
        let sharers = u64::from((*threads).max(1)).min(work.rows.div_ceil(8)).max(1);
        Time::from_picos(all / sharers)
    }

    /// Whether nothing is on its way.
    #[cfg(test)]
    pub(super) fn are_at_rest(&self) -> bool {
        self.md.is_at_rest()
    }
}

impl Array {
    /// Whether a request goes by rows: all writes, and reads where something may have to be worked out.
    pub(super) fn goes_by_rows(&self, direction: Direction, range: (u64, u64)) -> bool {
        let Some(rows) = &self.rows else { return false };
        match direction {
            Direction::Write => true,
            Direction::Read => !self.members.are_whole() || rows.md.gathers_in(range),
            Direction::Flush => rows.md.journals().is_some(),
            Direction::Discard => false,
        }
    }

    /// Whether a journal takes part: flushes end there.
    pub(super) fn has_journal(&self) -> bool {
        self.rows.as_ref().is_some_and(|rows| rows.md.journals().is_some())
    }

    /// A request is put down on its rows.
    pub(super) fn put_down(&mut self, slot: u32, outcome: &mut Outcome) {
        let (Some(rows), Some(whole)) = (&mut self.rows, self.wholes.get_mut(slot)) else { return };
        if whole.request.direction == Direction::Flush && !rows.md.flush(slot) {
            return self.end(slot, Time::ZERO, outcome);
        }
        whole.by_rows = true;
        if whole.request.direction == Direction::Flush {
            return self.wake_thread(outcome);
        }
        if !rows.md.arrive(&whole.request, slot) {
            self.tally.waited += 1;
            outcome.waits = Some(slot);
        }
        self.wake_thread(outcome);
    }

    /// The thread is woken if there is anything for it.
    fn wake_thread(&mut self, outcome: &mut Outcome) {
        let Some(rows) = &mut self.rows else { return };
        let wakes = !rows.is_awake && rows.md.has_work();
        outcome.wakes |= wakes;
        rows.is_awake |= wakes;
    }

    /// The thread handles what there is; how long it takes for that. What it asks of members leaves it then.
    pub(super) fn handle_rows(&mut self, now: Time) -> (Box<Outcome>, Time) {
        let mut outcome = self.outcome();
        let Some(mut rows) = self.rows.take() else { return (outcome, Time::ZERO) };
        let mut asked = std::mem::take(&mut outcome.sends);
        let members = Members(std::mem::take(&mut self.members.0));
        let work = rows.md.run(&members, |piece, trip| asked.push(self.request(piece, trip)));
        self.members = members;
        let after = rows.time_for(work);
        for (_, request) in &mut asked {
            request.issued = now + after;
        }
        outcome.sends = asked;
        self.rows = Some(rows);
        self.rows_done(now, &mut outcome);
        (outcome, after)
    }

    /// The thread is done with what it had, and looks for more.
    pub(super) fn thread_is_free(&mut self) -> Box<Outcome> {
        let mut outcome = self.outcome();
        if let Some(rows) = &mut self.rows {
            rows.is_awake = false;
        }
        self.wake_thread(&mut outcome);
        outcome
    }

    /// A request to a member, as the thread makes it.
    fn request(&mut self, piece: Piece, trip: u32) -> (usize, BlockRequest) {
        let (tally, blocks) = (&mut self.tally, piece.blocks);
        match piece.direction {
            Direction::Write => {
                tally.member_writes.add(blocks);
                tally.redundant_bytes += piece.redundant * SECTOR_BYTES;
            }
            Direction::Flush | Direction::Discard => {}
            Direction::Read => {
                tally.member_reads.add(blocks);
                tally.extra_read_bytes += piece.redundant * SECTOR_BYTES;
            }
        }
        let id = RequestId(self.number);
        self.number += 1;
        let like = self.wholes.get_mut(piece.slot).map(|whole| whole.request.clone()).unwrap_or_default();
        let has_data = piece.redundant < blocks;
        let redundancy = (piece.redundant > 0).then_some(Purpose::Redundancy.into());
        let purposes = match redundancy {
            Some(redundancy) if has_data => piece.purposes.and(redundancy),
            Some(redundancy) => redundancy,
            None => piece.purposes,
        };
        let request = BlockRequest {
            id,
            direction: piece.direction,
            address: piece.address,
            blocks: as_number(blocks),
            tag: OF_ROWS | u64::from(trip),
            flush_before: piece.flush_before,
            force_unit_access: piece.force_unit_access && piece.direction == Direction::Write,
            synchronous: piece.awaited,
            purposes,
            ledger: Ledger::default(),
            ..like
        };
        // The journal is the last of those that the array lies on.
        let port = self.seats.get(piece.member).copied().unwrap_or(self.drives.len());
        (port, request)
    }

    /// An answer to the thread has come; `None` where it isn't one, or was never asked for.
    pub(super) fn row_answer(&mut self, port: usize, part: &BlockRequest, now: Time) -> Option<Box<Outcome>> {
        let mut outcome = self.outcome();
        let failed = part.status.failure() == Some(Failure::Device);
        if failed && port < self.drives.len() {
            self.member_failed((port, false), now, &mut outcome);
        }
        let member = self.seats.iter().position(|&seat| seat == port);
        let reads = part.direction != Direction::Read
            || member.is_some_and(|member| self.members.reads(member, part.end()));
        let rows = self.rows.as_mut()?;
        rows.latest = part.ledger;
        if !rows.md.answered(low_half(part.tag), reads && !failed) {
            return None;
        }
        self.tally.answered(part.ledger.total());
        self.rows_done(now, &mut outcome);
        self.wake_thread(&mut outcome);
        Some(outcome)
    }

    /// Whether an answer is to the thread.
    pub(super) fn is_of_rows(part: &BlockRequest) -> bool {
        part.tag & OF_ROWS != 0
    }

    /// What the thread has asked of members, and has no answer to.
    pub(super) fn rows_asked(&self) -> usize {
        self.rows.as_ref().map_or(0, |rows| rows.md.asked_of_members())
    }

    /// Requests that are done are answered, and those who slept go on.
    fn rows_done(&mut self, now: Time, outcome: &mut Outcome) {
        while let Some((slot, failed)) = self.rows.as_mut().and_then(|rows| rows.md.take_done()) {
            let latest = self.rows.as_ref().map(|rows| rows.latest).unwrap_or_default();
            let Some(whole) = self.wholes.get_mut(slot) else { continue };
            let request = &mut whole.request;
            let passed = now.saturating_sub(request.issued + request.ledger.total());
            // The last answer was on its way all the time, unless the request came after it had been asked for.
            let (trip, of_trip) =
                if latest.total() <= passed { (latest.total(), latest) } else { Default::default() };
            for &cause in Cause::ALL {
                request.ledger.charge(cause, of_trip.of(cause));
            }
            request.ledger.charge(Cause::Queue, passed.saturating_sub(trip));
            whole.status = if failed { Status::Failed(Failure::Device) } else { Status::Done };
            self.tally.lost += u64::from(failed);
            self.end(slot, now, outcome);
        }
        if let Some(rows) = &mut self.rows {
            rows.md.wake(&mut rows.granted);
            outcome.granted.append(&mut rows.granted);
        }
    }
}
