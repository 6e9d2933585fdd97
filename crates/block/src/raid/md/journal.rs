//! Rows on their way through a log: into the journal and out of it, or by way of the partial parity log.

use super::decide::{Pages, Units};
use super::log::{Entry, Log, LogKind, Waiter};
use super::members::{Piece, each};
use super::stripe::{PAGE_BLOCKS, Want};
use super::{Md, Trip, end};
use crate::raid::plan::Members;
use petrio_colours::{Direction, Purpose};
use petrio_persist::Persist;
use petrio_units::numbers::as_number;

/// A unit of a partial parity log that is on its way.
#[derive(Clone, Debug, Default, Persist)]
pub(super) struct LogUnit {
    /// Whose log it is in.
    member: usize,
    /// Rows of it that the members don't have.
    rows: u32,
    /// Members to which they are written.
    written: Units,
    /// Flushes of these that aren't back.
    flushes: u32,
}

impl Md {
    /// What is written of a row goes into the journal only, where that keeps it for the members (`r5c_try_caching_write`).
    pub(super) fn takes_into_journal(&mut self, number: u32, failed: Units) -> bool {
        let Some(log) = self.log.as_mut().filter(|log| log.is_write_back()) else { return false };
        let stripe = &mut self.cache.stripes[number as usize];
        let pages = stripe.pages(failed);
        if pages.to_write == 0 {
            return false;
        }
        let partly = pages.to_write & !pages.overwrite & !stripe.in_journal;
        let is_first = !stripe.is_caching && stripe.in_journal == 0;
        if failed != 0 || partly != 0 || !(is_first || stripe.is_caching) {
            stripe.is_caching = false;
            if stripe.in_journal != 0 && !std::mem::replace(&mut stripe.preread, true) {
                self.cache.preread_active += 1;
            }
            return false;
        }
        stripe.is_caching = true;
        stripe.up_to_date |= pages.to_write;
        stripe.to_journal = pages.to_write;
        stripe.under_way += 1;
        let slot = stripe.wishes.first().map_or(0, |wish| wish.slot);
        for wish in stripe.wishes.iter_mut().filter(|wish| wish.what == Want::Write) {
            wish.what = Want::Written;
        }
        let ends = std::mem::take(&mut stripe.preread);
        let count = u64::from(pages.to_write.count_ones());
        log.add(Entry { waiter: Waiter::Row(number), pages: count, slot, row: (0, 0) }, 0);
        self.cache.preread_active -= u32::from(ends);
        self.work.pages += count;
        true
    }

    /// Whether a row whose parity is made has something to write down first; it goes to the members after that.
    pub(super) fn logs(&mut self, number: u32, pages: &Pages, members: &Members) -> bool {
        let Some(log) = &mut self.log else { return false };
        let stripe = &mut self.cache.stripes[number as usize];
        let spot = self.layout.spot(stripe.row / self.unit_rows, self.shape.data as usize);
        let (count, member) = match log.kind {
            LogKind::Journal(..) => {
                ((pages.to_write & !stripe.in_journal).count_ones() + self.shape.parities, 0)
            }
            LogKind::PartialParity if !members.writes(spot.member) => return false,
            LogKind::PartialParity => (u32::from(pages.to_write != self.shape.data_units()), spot.member),
        };
        let slot = stripe.wishes.first().map_or(0, |wish| wish.slot);
        stripe.to_members = Some(pages.to_write);
        stripe.under_way += 1;
        let row = (stripe.row, stripe.row / self.unit_rows);
        log.add(Entry { waiter: Waiter::Row(number), pages: count.into(), slot, row }, member);
        true
    }

    /// A flush comes to an array with a journal: false where it is done at once. What was answered before is on the members, or
    /// flushed to the journal (`r5l_handle_flush_request`).
    pub(in super::super) fn flush(&mut self, slot: u32) -> bool {
        let Some(log) = self.log.as_mut().filter(|log| log.is_write_back()) else { return false };
        if self.asked.len() <= slot as usize {
            self.asked.resize(slot as usize + 1, Default::default());
        }
        self.asked[slot as usize] =
            super::RequestState { left: 1, is_down: true, awaited: true, ..Default::default() };
        self.outstanding += 1;
        log.add(Entry { waiter: Waiter::Flush(slot), pages: 0, slot, row: (0, 0) }, 0);
        true
    }

    /// Whether what a read asks for may be in the journal only (`r5c_big_stripe_cached`).
    pub(in super::super) fn gathers_in(&self, (from, to): (u64, u64)) -> bool {
        let blocks = self.unit_rows * PAGE_BLOCKS * u64::from(self.shape.data);
        let rows = |stripe: u64| stripe * self.unit_rows..(stripe + 1) * self.unit_rows;
        (from / blocks..=(to.max(from + 1) - 1) / blocks).any(|stripe| self.cache.gathers(rows(stripe)))
    }

    /// Whether a journal takes part, and whether it answers before the members.
    pub(in super::super) fn journals(&self) -> Option<bool> {
        let log = self.log.as_ref().filter(|log| matches!(log.kind, LogKind::Journal(..)));
        log.map(Log::is_write_back)
    }

    /// What the thread has to write down leaves it, and once it is `idle` the flush for what is written.
    pub(super) fn send_logs(&mut self, idle: bool, members: &Members, send: &mut impl FnMut(Piece, u32)) {
        let journal = self.layout.members();
        self.flush_units(members, send);
        let Some(log) = &mut self.log else { return };
        let is_partial = log.kind == LogKind::PartialParity;
        for write in log.take_writes() {
            let piece = write.piece(is_partial);
            if is_partial {
                let rows = as_number(write.waiters.len());
                let unit =
                    self.log_units.insert(LogUnit { member: write.member, rows, ..LogUnit::default() });
                for waiter in &write.waiters {
                    if let Waiter::Row(number) = waiter {
                        self.cache.stripes[*number as usize].log_unit = Some(unit);
                    }
                }
            }
            let trip = self.trips.insert(Trip::Log(write.waiters));
            send(piece, trip);
        }
        if idle && log.wants_flush() {
            log.flush();
            let trip = self.trips.insert(Trip::JournalFlush);
            send(flush_of(journal), trip);
        }
        if std::mem::take(&mut log.clears) {
            for member in (0..journal).filter(|&member| members.writes(member)) {
                let trip = self.trips.insert(Trip::Nothing);
                send(superblock_of(member), trip);
            }
        }
    }

    /// Members are flushed that have all rows of a unit of a partial parity log.
    pub(super) fn flush_units(&mut self, members: &Members, send: &mut impl FnMut(Piece, u32)) {
        for unit in std::mem::take(&mut self.to_flush) {
            let Some(of) = self.log_units.get_mut(unit) else { continue };
            for member in each(of.written).filter(|&member| members.writes(member)) {
                of.flushes += 1;
                send(flush_of(member), self.trips.insert(Trip::UnitFlush(unit)));
            }
            if of.flushes == 0 {
                self.ends(unit);
            }
        }
    }

    /// A member is flushed for a unit.
    pub(super) fn is_flushed(&mut self, unit: u32) {
        let Some(of) = self.log_units.get_mut(unit) else { return };
        of.flushes -= 1;
        if of.flushes == 0 {
            self.ends(unit);
        }
    }

    /// A unit is done with, and the next one of that member's log may go.
    fn ends(&mut self, unit: u32) {
        if let Some(LogUnit { member, .. }) = self.log_units.remove(unit)
            && let Some(log) = &mut self.log
        {
            log.ends_on(member);
        }
    }

    /// A row of a partial parity log's unit is on the members: once all are, those that were written are flushed.
    pub(super) fn ends_of_unit(&mut self, number: u32) {
        let Some(unit) = self.cache.stripe(number).log_unit.take() else { return };
        let Some(of) = self.log_units.get_mut(unit) else { return };
        of.rows -= 1;
        if of.rows == 0 {
            self.to_flush.push(unit);
        }
    }

    /// Members to which a row is written.
    pub(super) fn writes_to(&mut self, number: u32, member: usize) {
        let unit = self.cache.stripe(number).log_unit;
        if let Some(of) = unit.and_then(|unit| self.log_units.get_mut(unit)) {
            of.written |= 1 << member;
        }
    }

    /// A log has what it must of these.
    pub(super) fn are_logged(&mut self, waiters: Vec<Waiter>) {
        for waiter in waiters {
            match waiter {
                Waiter::Row(number) => {
                    let stripe = self.cache.stripe(number);
                    stripe.under_way -= 1;
                    stripe.to_handle = true;
                    self.cache.release(number);
                }
                Waiter::Flush(slot) => end(&mut self.asked, &mut self.done, slot, false),
            }
        }
    }
}

/// A flush of a member.
fn flush_of(member: usize) -> Piece {
    Piece { direction: Direction::Flush, blocks: 0, redundant: 0, ..superblock_of(member) }
}

/// The superblock of a member, when the journal is cleared up to a place that it names (`r5l_write_super_and_discard_space`).
fn superblock_of(member: usize) -> Piece {
    Piece {
        member,
        direction: Direction::Write,
        address: 0,
        blocks: PAGE_BLOCKS,
        redundant: PAGE_BLOCKS,
        slot: u32::MAX,
        flush_before: true,
        force_unit_access: true,
        awaited: true,
        purposes: Purpose::Redundancy.into(),
    }
}
