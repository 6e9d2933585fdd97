//! What is written down of rows before the members have them: the journal of levels 4, 5 and 6, and level 5's partial parity log.
//!
//! Source: drivers/md/raid5-cache.c (`r5l_write_stripe`, `r5l_log_endio`, `r5l_flush_stripe_to_raid`, `r5l_handle_flush_request`,
//! `r5c_try_caching_write`, `r5c_do_reclaim`, `r5l_do_reclaim`) and raid5-ppl.c (`ppl_log_stripe`, `ppl_submit_iounit`, `ppl_do_flush`) of
//! Linux 6.1. The rows that the thread looks at together are one unit: a page that describes them, and their pages. Units that follow
//! each other in the journal join under the thread's plug. Once the thread finds nothing else to do, one flush covers all units that are
//! written; only then do rows go on to the members, or, with `write-back`, are their writers answered. A partial parity log lies on the
//! member that has the row's parity, and is written to the medium at once; a row that is written whole leaves only its description there.
//! After the members have the row, those written are flushed, and nobody waits for that. Leaves out: journals that fail or run full, what
//! recovery reads.

use super::cache::MOST_ROWS;
use super::members::Piece;
use super::stripe::PAGE_BLOCKS;
use petrio_colours::{Direction, Purpose};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// When the members get what the journal has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Waiter {
    /// A row, by its stripe head.
    Row(u32),
    /// A flush, by its slot.
    Flush(u32),
}

/// A write to a log.
#[derive(Clone, Debug)]
pub(super) struct LogWrite {
    pub(super) member: usize,
    pub(super) address: u64,
    pub(super) blocks: u64,
    slot: u32,
    pub(super) waiters: Vec<Waiter>,
}

/// A log.
#[derive(Clone, Debug)]
pub(super) struct Log {
    pub(super) kind: LogKind,
    /// Rows that the thread looks at, their pages, whose member's log, and whose request.
    unit: Vec<(Waiter, u64, usize, u32)>,
    /// Where each member's log goes on; a journal is the first.
    heads: Vec<u64>,
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
            heads: vec![0; members],
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

    /// A row, or a flush, has so many pages to write down in a member's log.
    pub(super) fn add(&mut self, waiter: Waiter, pages: u64, member: usize, slot: u32) {
        self.unit.push((waiter, pages, member, slot));
    }

    /// The thread has looked at some rows: what they have to write down is a unit for each log.
    pub(super) fn end_unit(&mut self, journal: usize, most_blocks: u64) {
        let mut unit = std::mem::take(&mut self.unit);
        let is_journal = matches!(self.kind, LogKind::Journal(..));
        // Rows of one member's log go together.
        unit.sort_by_key(|(_, _, member, _)| *member);
        let mut at = 0;
        while at < unit.len() {
            let member = unit[at].2;
            let end = if is_journal {
                unit.len()
            } else {
                let mut pages = 0;
                let fits = |row: &&(Waiter, u64, usize, u32)| {
                    let fits = row.2 == member && pages < UNIT_PAGES;
                    pages += row.1;
                    fits
                };
                at + unit[at..].iter().take_while(fits).count()
            };
            let rows = &unit[at..end];
            let blocks = (1 + rows.iter().map(|row| row.1).sum::<u64>()) * PAGE_BLOCKS;
            let waiters = rows.iter().map(|row| row.0);
            let (head, room) = match self.kind {
                LogKind::Journal(_, blocks) => (&mut self.heads[0], blocks),
                LogKind::PartialParity => (&mut self.heads[member], LOG_BLOCKS),
            };
            if *head + blocks > room {
                *head = 0;
            }
            let address = *head;
            *head += blocks;
            let member = if is_journal { journal } else { member };
            let last = self.writes.last_mut().filter(|last| {
                is_journal && last.address + last.blocks == address && last.blocks + blocks <= most_blocks
            });
            if let Some(last) = last {
                last.blocks += blocks;
                last.waiters.extend(waiters);
            } else {
                let waiters = waiters.collect();
                self.writes.push(LogWrite { member, address, blocks, slot: rows[0].3, waiters });
            }
            if let LogKind::Journal(_, size) = self.kind {
                self.since += blocks;
                if self.since >= RECLAIM_BLOCKS.min(size / RECLAIM_SHARE) {
                    self.since = 0;
                    self.clears = true;
                }
            }
            at = end;
        }
        unit.clear();
        self.unit = unit;
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
    fn partial_parity_goes_round_its_area_in_units_of_32_pages() {
        let mut log = Log::new(LogKind::PartialParity, 4);
        // 70 rows of one member, and one of another: units of 32, 32, 6 and 1 pages, each behind a page that describes it.
        (0..70).for_each(|row| log.add(Waiter::Row(row), 1, 2, 0));
        log.add(Waiter::Row(70), 1, 3, 0);
        log.end_unit(4, 1 << 20);
        let seen = |log: &mut Log| -> Vec<_> {
            log.take_writes().iter().map(|write| (write.member, write.address, write.blocks)).collect()
        };
        assert_eq!(seen(&mut log), [(2, 0, 264), (2, 264, 264), (2, 528, 56), (3, 0, 16)]);
        // A row that is written whole leaves its description only.
        log.add(Waiter::Row(0), 0, 2, 0);
        log.end_unit(4, 1 << 20);
        assert_eq!(seen(&mut log), [(2, 584, 8)]);
        // 592, 856, 1,120, 1,384 and 1,648: the next unit of 264 blocks has no room before block 2,048.
        for _ in 0..6 {
            (0..32).for_each(|row| log.add(Waiter::Row(row), 1, 2, 0));
            log.end_unit(4, 1 << 20);
        }
        let addresses: Vec<_> = seen(&mut log).iter().map(|write| write.1).collect();
        assert_eq!(addresses, [592, 856, 1_120, 1_384, 1_648, 0]);
    }
}
