//! What the thread does with a stripe head (`handle_stripe`): reads are served, writes that are on the members are done, and what
//! `decide` says is asked of the members.

use super::decide::{Decision, MOST_UNITS, Pages, Units, decide};
use super::members::{Piece, each};
use super::stripe::{PAGE_BLOCKS, Want};
use super::{Md, RequestState};
use crate::raid::plan::Members;
use petrio_colours::{Direction, Purpose, Purposes};
use petrio_units::numbers::as_number;

impl Md {
    /// Units of a stripe that can't be read up to a block of their members.
    fn failed(&self, stripe: u64, end: u64, members: &Members) -> Units {
        if members.are_whole() {
            return 0;
        }
        let units = 0..self.layout.width();
        units
            .filter(|&unit| !members.reads(self.layout.spot(stripe, unit).member, end))
            .fold(0, |all, unit| all | 1 << unit)
    }

    /// `handle_stripe`.
    pub(super) fn handle(&mut self, number: u32, members: &Members) {
        let row = self.cache.stripe(number).row;
        let address = row * PAGE_BLOCKS;
        let failed = self.failed(row / self.unit_rows, address + PAGE_BLOCKS, members);
        let stripe = self.cache.stripe(number);
        (stripe.to_handle, stripe.delayed) = (false, false);
        if failed.count_ones() > self.shape.parities {
            self.fail(number, failed);
        }
        if let Some(units) = self.cache.stripe(number).to_members.take() {
            let pages = Pages { to_write: units, failed, ..Pages::default() };
            self.cache.stripe(number).writes_out = true;
            return self.ask_members(
                number,
                &pages,
                Decision { write: true, ..Decision::default() },
                members,
            );
        }
        self.finish(number);
        if self.takes_into_journal(number, failed) {
            return;
        }
        let stripe = self.cache.stripe(number);
        let mut pages = stripe.pages(failed);
        if !stripe.is_caching {
            // What is in the journal only is written with the rest. What was there before isn't known, but where it was read.
            pages.to_write |= stripe.in_journal;
            pages.overwrite |= stripe.in_journal;
            pages.to_read &= !stripe.in_journal;
            pages.up_to_date = pages.up_to_date & !stripe.in_journal | stripe.old_known;
        }
        let decision = decide(self.shape, pages, self.update, stripe.preread);
        // What is worked out now is there when the stripe head is looked at again (`ops_complete_compute`).
        let there = stripe.up_to_date;
        stripe.up_to_date |= decision.computed;
        if decision.computed != 0 {
            self.work.pages += u64::from(self.shape.data + self.shape.parities - 1);
        }
        self.serve(number, there);
        if decision.write {
            self.make_parity(number, &pages, decision);
        }
        if decision.write && self.logs(number, &pages, members) {
            return;
        }
        self.ask_members(number, &pages, decision, members);
        let stripe = self.cache.stripe(number);
        stripe.delayed |= decision.delayed;
        // What waits for others to gather is looked at again; what is read, once it is there.
        stripe.to_handle |= stripe.is_wanted();
        if stripe.under_way == 0 && decision.write {
            self.finish(number);
        }
    }

    /// Reads whose pages are `there` are served.
    fn serve(&mut self, number: u32, there: Units) {
        let (asked, done) = (&mut self.asked, &mut self.done);
        let stripe = self.cache.stripe(number);
        let mut copied = 0;
        stripe.wishes.retain(|wish| {
            let is_served = wish.what == Want::Read && there >> wish.unit & 1 == 1;
            if is_served {
                copied += 1;
                end(asked, done, wish.slot, false);
            }
            !is_served
        });
        self.work.pages += copied;
    }

    /// Too few members are left: writes fail, and reads of what is gone.
    fn fail(&mut self, number: u32, failed: Units) {
        let (asked, done) = (&mut self.asked, &mut self.done);
        let stripe = self.cache.stripe(number);
        let up_to_date = stripe.up_to_date;
        stripe.wishes.retain(|wish| {
            let unit: Units = 1 << wish.unit;
            let fails =
                wish.what == Want::Write || wish.what == Want::Read && failed & unit & !up_to_date != 0;
            if fails {
                end(asked, done, wish.slot, true);
            }
            !fails
        });
        if std::mem::take(&mut stripe.preread) {
            self.cache.preread_active -= 1;
        }
    }

    /// What is written is in the stripe head's pages, and parity is made (`schedule_reconstruction`, `raid_run_ops`).
    fn make_parity(&mut self, number: u32, pages: &Pages, decision: Decision) {
        let (shape, skip_copy) = (self.shape, self.skip_copy);
        let stripe = self.cache.stripe(number);
        stripe.up_to_date |= pages.to_write | shape.parity_units();
        stripe.not_copied = if skip_copy { pages.overwrite } else { 0 };
        for wish in stripe.wishes.iter_mut().filter(|wish| wish.what == Want::Write) {
            wish.what = Want::Written;
        }
        let is_full = pages.to_write == shape.data_units() && decision.reconstructs;
        let begins = is_full && !std::mem::replace(&mut stripe.is_full, is_full);
        let ends = std::mem::take(&mut stripe.preread);
        let (written, copied) =
            (pages.to_write.count_ones(), (pages.to_write & !stripe.not_copied).count_ones());
        self.cache.full_writes += u32::from(begins);
        self.cache.preread_active -= u32::from(ends);
        let into_parity = if decision.reconstructs { shape.data } else { 2 * written + shape.parities };
        self.work.pages += u64::from(copied + into_parity * shape.parities);
    }

    /// `ops_run_io`: from the last member to the first.
    fn ask_members(&mut self, number: u32, pages: &Pages, decision: Decision, members: &Members) {
        let written = if decision.write { pages.to_write | self.shape.parity_units() } else { 0 };
        if decision.read | written == 0 {
            return;
        }
        let stripe = &self.cache.stripes[number as usize];
        let (row, asked_for) = (stripe.row, pages.to_read);
        let mut sum = RequestState { purposes: Purposes::NONE, ..RequestState::default() };
        for wish in &stripe.wishes {
            let asked = &self.asked[wish.slot as usize];
            sum.force_unit_access |= asked.force_unit_access && wish.what == Want::Written;
            sum.awaited |= asked.awaited;
            sum.purposes = sum.purposes.and(asked.purposes);
        }
        let slot = stripe.wishes.first().map_or(0, |wish| wish.slot);
        let mut order = [(0usize, 0usize, Direction::Read); MOST_UNITS];
        let mut count = 0;
        for (units, direction) in [(decision.read, Direction::Read), (written, Direction::Write)] {
            for unit in each(units) {
                let member = self.layout.spot(row / self.unit_rows, unit).member;
                if direction == Direction::Read || members.writes(member) {
                    order[count] = (member, unit, direction);
                    count += 1;
                }
            }
        }
        order[..count].sort_unstable_by_key(|(member, ..)| std::cmp::Reverse(*member));
        let is_full = stripe.is_full && self.log.is_none();
        if !is_full || self.batch.last().is_some_and(|(_, (last, _))| !self.goes_on(*last, row)) {
            self.flush_batch();
        }
        for &(member, unit, direction) in &order[..count] {
            let is_redundant = match direction {
                Direction::Read => asked_for >> unit & 1 == 0,
                _ => unit >= self.shape.data as usize,
            };
            let piece = Piece {
                member,
                direction,
                address: row * PAGE_BLOCKS,
                blocks: PAGE_BLOCKS,
                redundant: if is_redundant { PAGE_BLOCKS } else { 0 },
                slot,
                flush_before: false,
                force_unit_access: sum.force_unit_access,
                awaited: sum.awaited || direction == Direction::Read,
                purposes: if is_redundant { Purpose::Redundancy.into() } else { sum.purposes },
            };
            if direction == Direction::Write {
                self.writes_to(number, member);
            }
            #[expect(clippy::cast_possible_truncation, reason = "a row has 128 units at most")]
            let page = (number, unit as u8);
            if is_full {
                self.batch.push((piece, page));
            } else {
                self.out.add(piece, page, self.most_blocks);
            }
        }
        let stripe = self.cache.stripe(number);
        stripe.under_way += as_number(count);
        stripe.started = true;
    }

    /// Nothing of a stripe head is under way: what was written is done (`handle_stripe_clean_event`).
    fn finish(&mut self, number: u32) {
        let (asked, done) = (&mut self.asked, &mut self.done);
        let stripe = self.cache.stripe(number);
        stripe.wishes.retain(|wish| {
            let is_done = wish.what == Want::Written;
            if is_done {
                end(asked, done, wish.slot, false);
            }
            !is_done
        });
        stripe.up_to_date &= !std::mem::take(&mut stripe.not_copied);
        // What it had for the journal is there; what was written to the members isn't needed there any more.
        let cached = std::mem::take(&mut stripe.to_journal);
        let writes_out = std::mem::take(&mut stripe.writes_out);
        if writes_out {
            (stripe.in_journal, stripe.old_known) = (0, 0);
        }
        stripe.in_journal |= cached;
        stripe.to_handle = !stripe.wishes.is_empty();
        let ends = std::mem::take(&mut stripe.is_full);
        self.cache.full_writes -= u32::from(ends);
        if writes_out {
            self.ends_of_unit(number);
        }
    }

    /// Whether a row goes on in the same units from that of a stripe head.
    fn goes_on(&self, number: u32, row: u64) -> bool {
        self.cache.stripes[number as usize].row + 1 == row && !row.is_multiple_of(self.unit_rows)
    }

    /// Whether the row that is looked at next was written whole together with this.
    pub(super) fn next_goes_on(&self, number: u32) -> bool {
        let is_full = |number: u32| self.cache.stripes[number as usize].is_full;
        self.log.is_none()
            && self.cache.first().is_some_and(|next| {
                is_full(number)
                    && is_full(next)
                    && self.goes_on(number, self.cache.stripes[next as usize].row)
            })
    }

    /// Rows of a stripe that are written whole, one after the other, go to each member together (STRIPE_BATCH_READY).
    pub(super) fn flush_batch(&mut self) {
        self.batch.sort_by_key(|(piece, _)| std::cmp::Reverse(piece.member));
        for (piece, page) in self.batch.drain(..) {
            self.out.add(piece, page, self.most_blocks);
        }
    }
}

/// A page of a request is done.
pub(super) fn end(asked: &mut [RequestState], done: &mut Vec<(u32, bool)>, slot: u32, failed: bool) {
    let request = &mut asked[slot as usize];
    request.left -= 1;
    request.failed |= failed;
    if request.left == 0 && request.is_down {
        done.push((slot, request.failed));
    }
}
