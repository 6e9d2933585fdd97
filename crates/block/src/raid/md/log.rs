//! What is written down of rows before the members have them: the journal of levels 4, 5 and 6, and level 5's partial parity log.
//!
//! Source: drivers/md/raid5-cache.c (`r5l_write_stripe`, `r5l_log_endio`, `r5l_flush_stripe_to_raid`, `r5l_handle_flush_request`,
//! `r5c_try_caching_write`, `r5c_do_reclaim`, `r5l_do_reclaim`) and raid5-ppl.c (`ppl_log_stripe`, `ppl_submit_iounit`, `ppl_do_flush`) of
//! Linux 6.1. The rows that the thread looks at together are one unit: a page that describes them, and their pages. Units that follow
//! each other in the journal join under the thread's plug. Once the thread finds nothing else to do, one flush covers all units that are
//! written; only then do rows go on to the members, or, with `write-back`, are their writers answered. A partial parity log lies on the
//! member that has the row's parity, and is written to the medium at once; a row that is written whole leaves only its description there.
//! After the members have all rows of a unit, those written are flushed; only then does the next unit go to that member's log
//! (`ppl_submit_current_io`), and what has come meanwhile is in it. Leaves out: journals that fail or run full, what recovery reads.

use super::cache::MOST_ROWS;
use super::members::Piece;
use super::stripe::PAGE_BLOCKS;
use petrio_colours::{Direction, Purpose};
use petrio_persist::Persist;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// When the members get what the journal has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Persist)]
#[serde(rename_all = "kebab-case")]
pub enum JournalMode {
    /// At once, before the writer is answered: data and parity are written down first (md's default).
    #[default]
    WriteThrough,
    /// Once rows are whole or the stripe cache fills: the writer is answered when the journal has his data.
    WriteBack,
}

/// A journal on a device of its own (`mdadm --write-journal`): the last of those that the array lies on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct JournalParameters {
    /// When the members get what the journal has (`journal_mode`).
    pub mode: JournalMode,
}

/// What is written down where.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub(in super::super) enum LogKind {
    /// Data and parity, on a device of so many blocks.
    Journal(JournalMode, u64),
    /// Partial parity, on the members.
    PartialParity,
}

/// Blocks that a member keeps for its partial parity log, from its first: 1 MiB, through which units go round (mdadm's
/// MULTIPLE_PPL_AREA_SIZE_SUPER1 of super1.c; `ppl_submit_iounit` rewinds where a unit has no room).
const LOG_BLOCKS: u64 = 2_048;

/// Pages of partial parity of a unit: once it has so many, a row begins another (PPL_SPACE_SIZE, 128 KiB: `ppl_log_stripe`).
const UNIT_PAGES: u64 = 32;

/// Runs of rows within a stripe that a unit describes at most (PPL_HDR_MAX_ENTRIES, raid/md_p.h).
const UNIT_RUNS: usize = 148;

/// The journal is cleared whenever a quarter of it is written, or so many blocks, 10 GiB (RECLAIM_MAX_FREE_SPACE).
const RECLAIM_BLOCKS: u64 = 10 * 1_024 * 1_024 * 2;
const RECLAIM_SHARE: u64 = 4;

/// Rows that are written out together where the cache is full (R5C_RECLAIM_STRIPE_GROUP).
pub(super) const RECLAIMED_ROWS: usize = 16;

/// Fewest blocks of a journal for so many rows of so many units: four times what all of them take.
pub(in super::super) fn fewest_blocks(rows: u32, units: usize) -> u64 {
    u64::from(rows.min(MOST_ROWS)) * (units as u64 + 1) * PAGE_BLOCKS * RECLAIM_SHARE
}

/// Who waits for a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub(super) enum Waiter {
    /// A row, by its stripe head.
    Row(u32),
    /// A flush, by its slot.
    Flush(u32),
}

/// A write to a log.
#[derive(Clone, Debug, Persist)]
pub(super) struct LogWrite {
    pub(super) member: usize,
    pub(super) address: u64,
    pub(super) blocks: u64,
    slot: u32,
    pub(super) waiters: Vec<Waiter>,
}

/// A row, or a flush, that has something to write down.
#[derive(Clone, Copy, Debug, Persist)]
pub(super) struct Entry {
    /// Who waits.
    pub(super) waiter: Waiter,
    /// How many pages.
    pub(super) pages: u64,
    /// Of whose request.
    pub(super) slot: u32,
    /// Which row, and of which stripe; none of a flush.
    pub(super) row: (u64, u64),
}

/// Rows that have something to write down in a member's partial parity log.
#[derive(Clone, Debug, Default, Persist)]
struct MemberLog {
    waiting: VecDeque<Entry>,
    /// Whether a unit is on its way: written down, on the members, and flushed there.
    is_busy: bool,
    /// Where it goes on.
    head: u64,
}

impl MemberLog {
    /// The next unit, if one may go: how many of those that wait, and their pages.
    fn next(&self) -> Option<(usize, u64)> {
        if self.is_busy || self.waiting.is_empty() {
            return None;
        }
        let (mut rows, mut pages, mut runs) = (0, 0, 0);
        let mut before: Option<(u64, u64)> = None;
        for entry in &self.waiting {
            let goes_on = before.is_some_and(|(row, stripe)| (row + 1, stripe) == entry.row);
            runs += usize::from(!goes_on);
            if pages >= UNIT_PAGES || runs > UNIT_RUNS {
                break;
            }
            (rows, pages, before) = (rows + 1, pages + entry.pages, Some(entry.row));
        }
        Some((rows, pages))
    }
}

/// A log.
#[derive(Clone, Debug, Persist)]
pub(super) struct Log {
    pub(super) kind: LogKind,
    /// What the rows that the thread looks at have for the journal.
    unit: Vec<Entry>,
    /// Where the journal goes on.
    head: u64,
    /// The logs on the members.
    on_members: Vec<MemberLog>,
    writes: Vec<LogWrite>,
    /// Units that are written, and those that a flush covers.
    written: Vec<Waiter>,
    flushed: Vec<Waiter>,
    flushes: bool,
    /// Blocks of the journal that were written since it was cleared.
    since: u64,
    pub(super) clears: bool,
}

impl Log {
    /// A log of an array of so many members.
    pub(super) fn new(kind: LogKind, members: usize) -> Self {
        Self {
            kind,
            unit: Vec::new(),
            head: 0,
            on_members: vec![MemberLog::default(); members],
            writes: Vec::new(),
            written: Vec::new(),
            flushed: Vec::new(),
            flushes: false,
            since: 0,
            clears: false,
        }
    }

    /// Whether writers are answered before the members have anything.
    pub(super) fn is_write_back(&self) -> bool {
        matches!(self.kind, LogKind::Journal(JournalMode::WriteBack, _))
    }

    /// There is something to write down: in a member's log where that is a partial parity log.
    pub(super) fn add(&mut self, entry: Entry, member: usize) {
        match self.kind {
            LogKind::Journal(..) => self.unit.push(entry),
            LogKind::PartialParity => self.on_members[member].waiting.push_back(entry),
        }
    }

    /// The thread has looked at some rows: what they have to write down is a unit for the journal, or for each member's log that has
    /// none on its way.
    pub(super) fn end_unit(&mut self, journal: usize, most_blocks: u64) {
        match self.kind {
            LogKind::Journal(_, size) => self.end_unit_of_journal(journal, size, most_blocks),
            LogKind::PartialParity => {
                for member in 0..self.on_members.len() {
                    self.begin_unit_on(member);
                }
            }
        }
    }

    fn end_unit_of_journal(&mut self, journal: usize, size: u64, most_blocks: u64) {
        let Some(&Entry { slot, .. }) = self.unit.first() else { return };
        let blocks = (1 + self.unit.iter().map(|entry| entry.pages).sum::<u64>()) * PAGE_BLOCKS;
        if self.head + blocks > size {
            self.head = 0;
        }
        let address = self.head;
        self.head += blocks;
        let waiters = self.unit.drain(..).map(|entry| entry.waiter);
        let last = self
            .writes
            .last_mut()
            .filter(|last| last.address + last.blocks == address && last.blocks + blocks <= most_blocks);
        if let Some(last) = last {
            last.blocks += blocks;
            last.waiters.extend(waiters);
        } else {
            let waiters = waiters.collect();
            self.writes.push(LogWrite { member: journal, address, blocks, slot, waiters });
        }
        self.since += blocks;
        if self.since >= RECLAIM_BLOCKS.min(size / RECLAIM_SHARE) {
            self.since = 0;
            self.clears = true;
        }
    }

    /// What waits for a member's log begins a unit, if none is on its way.
    fn begin_unit_on(&mut self, member: usize) {
        let log = &mut self.on_members[member];
        let Some((rows, pages)) = log.next() else { return };
        let blocks = (1 + pages) * PAGE_BLOCKS;
        if log.head + blocks > LOG_BLOCKS {
            log.head = 0;
        }
        let address = log.head;
        log.head += blocks;
        log.is_busy = true;
        let slot = log.waiting[0].slot;
        let waiters = log.waiting.drain(..rows).map(|entry| entry.waiter).collect();
        self.writes.push(LogWrite { member, address, blocks, slot, waiters });
    }

    /// A unit of a member's log is on the members, and flushed: the next one may go.
    pub(super) fn ends_on(&mut self, member: usize) {
        self.on_members[member].is_busy = false;
        self.begin_unit_on(member);
    }

    /// What is written by now.
    pub(super) fn take_writes(&mut self) -> Vec<LogWrite> {
        std::mem::take(&mut self.writes)
    }

    /// A unit is in the journal; a flush is to come.
    pub(super) fn is_written(&mut self, waiters: Vec<Waiter>) {
        self.written.extend(waiters);
    }

    /// Whether units wait for a flush that could be sent.
    pub(super) fn wants_flush(&self) -> bool {
        !self.flushes && !self.written.is_empty()
    }

    /// Whether the thread has something to do for it.
    pub(super) fn has_work(&self) -> bool {
        self.wants_flush() || !self.unit.is_empty() || !self.writes.is_empty() || self.clears
    }

    /// A flush is sent for all that is written.
    pub(super) fn flush(&mut self) {
        self.flushes = true;
        self.flushed = std::mem::take(&mut self.written);
    }

    /// The flush is done: whom it was for.
    pub(super) fn is_flushed(&mut self) -> Vec<Waiter> {
        self.flushes = false;
        std::mem::take(&mut self.flushed)
    }
}

impl LogWrite {
    /// The request for it.
    pub(super) fn piece(&self, force_unit_access: bool) -> Piece {
        Piece {
            member: self.member,
            direction: Direction::Write,
            address: self.address,
            blocks: self.blocks,
            redundant: self.blocks,
            slot: self.slot,
            flush_before: false,
            force_unit_access,
            awaited: true,
            purposes: Purpose::Redundancy.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn partial_parity_goes_round_its_area_in_units_of_32_pages_one_at_a_time() {
        let mut log = Log::new(LogKind::PartialParity, 4);
        let row = |row, pages| Entry { waiter: Waiter::Row(row), pages, slot: 0, row: (row.into(), 0) };
        // 70 rows of one member, and one of another: units of 32, 32, 6 and 1 pages, each behind a page that describes it.
        (0..70).for_each(|number| log.add(row(number, 1), 2));
        log.add(row(70, 1), 3);
        log.end_unit(4, 1 << 20);
        let seen = |log: &mut Log| -> Vec<_> {
            log.take_writes().iter().map(|write| (write.member, write.address, write.blocks)).collect()
        };
        assert_eq!(seen(&mut log), [(2, 0, 264), (3, 0, 16)]);
        log.end_unit(4, 1 << 20);
        assert_eq!(seen(&mut log), [], "the first ones are on their way");
        log.ends_on(2);
        assert_eq!(seen(&mut log), [(2, 264, 264)]);
        // What comes meanwhile goes with what waits; a row that is written whole leaves its description only.
        log.add(row(0, 0), 2);
        log.end_unit(4, 1 << 20);
        log.ends_on(2);
        assert_eq!(seen(&mut log), [(2, 528, 56)]);
        // 584, 848, 1,112, 1,376 and 1,640: the next unit of 264 blocks has no room before block 2,048.
        (0..192).for_each(|number| log.add(row(number, 1), 2));
        let mut addresses = Vec::new();
        for _ in 0..6 {
            log.ends_on(2);
            addresses.extend(seen(&mut log).iter().map(|write| write.1));
        }
        assert_eq!(addresses, [584, 848, 1_112, 1_376, 1_640, 0]);
    }

    #[test]
    fn a_unit_describes_148_runs_of_rows() {
        let units = |stripe: fn(u64) -> u64| {
            let mut log = Log::new(LogKind::PartialParity, 3);
            for number in 0..200 {
                let row = (number, stripe(number));
                log.add(Entry { waiter: Waiter::Row(number as u32), pages: 0, slot: 0, row }, 1);
            }
            log.end_unit(3, 1 << 20);
            log.ends_on(1);
            log.take_writes().iter().map(|write| (write.waiters.len(), write.blocks)).collect::<Vec<_>>()
        };
        assert_eq!(units(|row| row), [(148, 8), (52, 8)], "a stripe each");
        assert_eq!(units(|row| row / 128), [(200, 8)], "two stripes");
    }
}
