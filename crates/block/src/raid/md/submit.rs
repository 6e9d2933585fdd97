//! What processes submit: each request is put down on the stripe heads of its rows, one after the other, as far as there are any.
//!
//! Source: `raid5_make_request`, `make_stripe_request`, `add_all_stripe_bios` and `raid5_bio_lowest_chunk_sector` of Linux 6.1's
//! drivers/md/raid5.c. A request is taken by pieces of a mebibyte (RAID5_MAX_REQ_STRIPES pages), and of a row all pages at once. A
//! process that finds no stripe head, or its blocks wanted by another, sleeps: what it has submitted so far is looked at (its plug is
//! flushed), and what it submits next waits behind that. Processes sleep each for itself.

use super::Md;
use super::stripe::{PAGE_BLOCKS, Want, Wish};
use petrio_persist::Persist;
use petrio_units::numbers::{as_index, as_number};
use smallvec::SmallVec;
use std::collections::VecDeque;

/// RAID5_MAX_REQ_STRIPES: pages of a piece.
const PIECE_PAGES: u64 = 256;

/// What is submitted of a request, and how far that is.
#[derive(Clone, Debug, Persist)]
pub(super) struct Submission {
    pub(super) slot: u32,
    pub(super) is_write: bool,
    /// Somebody waits for it: what must be read for its parity is read at once (REQ_SYNC).
    pub(super) awaited: bool,
    /// Its blocks that aren't put down.
    pub(super) from: u64,
    pub(super) to: u64,
    /// The piece that is being put down, if one is: pages of it that are left, and the one looked at.
    left: [u64; (PIECE_PAGES / 64) as usize],
    at: u64,
    begun: bool,
}

impl Submission {
    pub(super) fn new(slot: u32, is_write: bool, awaited: bool, (from, to): (u64, u64)) -> Self {
        Self { slot, is_write, awaited, from, to, left: [0; 4], at: 0, begun: false }
    }

    /// The piece's first page and its end, both counted over the array.
    fn pages(&self) -> (u64, u64) {
        let end = self.to.min((self.from / PAGE_BLOCKS + PIECE_PAGES) * PAGE_BLOCKS);
        (self.from / PAGE_BLOCKS, end.div_ceil(PAGE_BLOCKS))
    }

    fn is_left(&self, page: u64) -> bool {
        self.left[(page / 64) as usize] >> (page % 64) & 1 == 1
    }
}

/// Somebody who sleeps, with what he has still to submit.
#[derive(Clone, Debug, Persist)]
pub(super) struct Sleeper {
    pub(super) process: u32,
    submissions: VecDeque<Submission>,
}

impl Md {
    /// Takes what a process submits; false where it waits.
    pub(super) fn submit(&mut self, process: u32, submission: Submission) -> bool {
        if let Some(sleeper) = self.sleepers.iter_mut().find(|sleeper| sleeper.process == process) {
            sleeper.submissions.push_back(submission);
            return false;
        }
        let mut submission = submission;
        if self.put_down(&mut submission) {
            return true;
        }
        self.sleepers.push(Sleeper { process, submissions: [submission].into() });
        false
    }

    /// Those who sleep look again whether they can go on; `granted` hears whose request is put down as a whole.
    pub(super) fn wake_sleepers(&mut self, mut granted: impl FnMut(u32)) {
        let mut index = 0;
        while index < self.sleepers.len() {
            let mut sleeper = self.sleepers.remove(index);
            while let Some(mut submission) = sleeper.submissions.pop_front() {
                if !self.put_down(&mut submission) {
                    sleeper.submissions.push_front(submission);
                    break;
                }
                granted(submission.slot);
            }
            if !sleeper.submissions.is_empty() {
                self.sleepers.insert(index, sleeper);
                index += 1;
            }
        }
    }

    /// Puts a request down, piece after piece; false where it must wait.
    fn put_down(&mut self, submission: &mut Submission) -> bool {
        while submission.from < submission.to {
            let (first, end) = submission.pages();
            let pages = end - first;
            if !submission.begun {
                submission.begun = true;
                for page in 0..pages {
                    submission.left[(page / 64) as usize] |= 1 << (page % 64);
                }
                submission.at = self.lowest(first, pages);
            }
            // From the first one looked at to the end, and around.
            let mut looked = 0;
            while looked < pages {
                if submission.is_left(submission.at) && !self.put_row(submission, first, pages) {
                    return false;
                }
                submission.at = (submission.at + 1) % pages;
                looked += 1;
            }
            submission.begun = false;
            submission.from = end * PAGE_BLOCKS;
        }
        true
    }

    /// The page of a piece that lies lowest in its unit, of the first two units.
    fn lowest(&self, first: u64, pages: u64) -> u64 {
        let unit = self.unit_rows;
        let within = first % unit;
        if unit - within >= pages {
            return 0;
        }
        // The next unit on a member after the last one isn't looked for around the members.
        let stripe = first / (unit * u64::from(self.shape.data));
        let column = as_index(first / unit % u64::from(self.shape.data));
        let member = self.layout.spot(stripe, column).member;
        let parities = self.shape.data as usize..self.layout.width();
        let is_parity =
            |other: usize| parities.clone().any(|unit| self.layout.spot(stripe, unit).member == other);
        let next = (member + 1..self.layout.members()).find(|&other| !is_parity(other));
        if next.is_some() { unit - within } else { 0 }
    }

    /// Puts down all pages of the row in which the page looked at lies; false where the row can't be had.
    #[expect(clippy::cast_possible_truncation, reason = "a row has 128 units at most, and a page 8 blocks")]
    fn put_row(&mut self, submission: &mut Submission, first: u64, pages: u64) -> bool {
        let (unit, data) = (self.unit_rows, u64::from(self.shape.data));
        let page = first + submission.at;
        let (stripe, within) = (page / (unit * data), page % unit);
        let Some(number) = self.cache.get(stripe * unit + within) else {
            self.cache.is_blocked = true;
            self.flush_plug();
            return false;
        };
        let want = if submission.is_write { Want::Write } else { Want::Read };
        let mut wishes: SmallVec<[Wish; 8]> = SmallVec::new();
        for column in 0..data {
            let page = (stripe * data + column) * unit + within;
            let Some(index) =
                page.checked_sub(first).filter(|&index| index < pages && submission.is_left(index))
            else {
                continue;
            };
            let begin = page * PAGE_BLOCKS;
            let from = submission.from.saturating_sub(begin) as u8;
            let to = (submission.to - begin).min(PAGE_BLOCKS) as u8;
            if self.cache.stripe(number).overlaps(column as u8, (from, to), want) {
                self.cache.release(number);
                self.flush_plug();
                return false;
            }
            submission.left[(index / 64) as usize] &= !(1 << (index % 64));
            wishes.push(Wish { slot: submission.slot, unit: column as u8, from, to, what: want });
        }
        self.pages_left(submission.slot, as_number(wishes.len()));
        let stripe = self.cache.stripe(number);
        stripe.wishes.extend(wishes);
        stripe.to_handle = true;
        stripe.delayed = false;
        let was_preread = stripe.preread;
        stripe.preread |= submission.awaited;
        // Reads go without a plug: what the thread has hold of goes on from there when it lets go.
        let reads_held = stripe.held && !submission.is_write;
        let plugs = !reads_held && !std::mem::replace(&mut stripe.plugged, true);
        self.reads_held |= reads_held;
        if submission.awaited && !was_preread {
            self.cache.preread_active += 1;
        }
        if plugs {
            self.plug.push(number);
        }
        true
    }

    /// What was submitted is looked at from now on.
    pub(super) fn flush_plug(&mut self) {
        let mut plug = std::mem::take(&mut self.plug);
        for number in plug.drain(..) {
            self.cache.stripe(number).plugged = false;
            self.cache.release(number);
        }
        self.plug = plug;
    }
}
