//! What lies in a controller's cache, line by line: what of it is there, what isn't written yet, what was used last.
//!
//! A sector that is on its way to the members isn't sent a second time before it is there, whatever is written over it
//! meanwhile: else the older data could be written last.

use petrio_colours::Purposes;
use petrio_persist::Persist;
use petrio_stage::fast_map::FastMap;
use smallvec::SmallVec;
use std::collections::{BTreeMap, BTreeSet};

/// From a first sector to before another.
pub(super) type Range = (u64, u64);

/// Ranges in order, and apart.
pub(super) type Runs = SmallVec<[Range; 2]>;

/// A line: its sectors as bits, the first the lowest.
#[derive(Clone, Copy, Debug, Persist)]
struct Line {
    /// Sectors that are there.
    valid: u64,
    /// Sectors that the members don't have yet.
    dirty: u64,
    /// Sectors that are being written to the members, as they were when that began.
    leaving: u64,
    /// When it was used last.
    used: u64,
    /// What the sectors are for that the members don't have yet.
    purposes: Purposes,
}

/// Nothing is there yet.
impl Default for Line {
    fn default() -> Self {
        Self { valid: 0, dirty: 0, leaving: 0, used: 0, purposes: Purposes::NONE }
    }
}

impl Line {
    /// Sectors that can be sent.
    fn to_send(self) -> u64 {
        self.dirty & !self.leaving
    }

    fn is_unwritten(self) -> bool {
        self.dirty | self.leaving != 0
    }
}

/// All lines.
#[derive(Clone, Debug, Persist)]
pub(super) struct Lines {
    /// Sectors of a line, and lines that there is room for.
    sectors: u64,
    room: usize,
    lines: FastMap<u64, Line>,
    /// Lines that can go, by when they were used.
    clean: BTreeMap<u64, u64>,
    /// Lines with something that can be sent.
    to_send: BTreeSet<u64>,
    /// Lines that can't go before something is written.
    unwritten: usize,
    uses: u64,
}

impl Lines {
    pub(super) fn new(sectors: u64, room: usize) -> Self {
        Self {
            sectors,
            room,
            lines: FastMap::default(),
            clean: BTreeMap::new(),
            to_send: BTreeSet::new(),
            unwritten: 0,
            uses: 0,
        }
    }

    /// The lines of a range, each with the range's sectors in it as bits.
    fn pieces(&self, (first, end): Range) -> impl Iterator<Item = (u64, u64)> + use<> {
        let sectors = self.sectors;
        (first / sectors..end.div_ceil(sectors)).map(move |line| {
            let begin = line * sectors;
            (line, bits(first.max(begin) - begin, end.min(begin + sectors) - begin))
        })
    }

    /// Changes a line that is there, and keeps the books of all lines right; forgets it when nothing is left of it.
    fn change(&mut self, number: u64, change: impl FnOnce(&mut Line)) {
        let Some(line) = self.lines.get_mut(&number) else { return };
        let before = *line;
        change(line);
        let after = *line;
        if before.is_unwritten() != after.is_unwritten() {
            if after.is_unwritten() { self.unwritten += 1 } else { self.unwritten -= 1 }
        }
        if (before.to_send() == 0) != (after.to_send() == 0) {
            if after.to_send() == 0 {
                self.to_send.remove(&number);
            } else {
                self.to_send.insert(number);
            }
        }
        self.clean.remove(&before.used);
        if !after.is_unwritten() {
            if after.valid == 0 {
                self.lines.remove(&number);
            } else {
                self.clean.insert(after.used, number);
            }
        }
    }

    /// A number for the latest use.
    fn now(&mut self) -> u64 {
        self.uses += 1;
        self.uses
    }

    /// Lines that a range touches.
    pub(super) fn of(&self, range: Range) -> usize {
        self.pieces(range).count()
    }

    /// Whether all of a range is there.
    pub(super) fn holds(&self, range: Range) -> bool {
        self.pieces(range)
            .all(|(line, bits)| self.lines.get(&line).is_some_and(|line| line.valid & bits == bits))
    }

    /// Whether the members lack some of a range.
    pub(super) fn is_unwritten(&self, range: Range) -> bool {
        self.pieces(range).any(|(line, bits)| {
            self.lines.get(&line).is_some_and(|line| (line.dirty | line.leaving) & bits != 0)
        })
    }

    /// Whether there is room for a range: clean lines go for those of it that aren't there.
    pub(super) fn has_room(&self, range: Range) -> bool {
        let (mut new, mut kept) = (0, 0);
        for (line, _) in self.pieces(range) {
            match self.lines.get(&line) {
                None => new += 1,
                Some(line) if !line.is_unwritten() => kept += 1,
                Some(_) => {}
            }
        }
        self.lines.len() + new <= self.room + (self.clean.len() - kept)
    }

    /// Whether a range could ever have room.
    pub(super) fn could_hold(&self, range: Range) -> bool {
        self.pieces(range).count() <= self.room
    }

    /// Takes in what is written, for which there is room. How many of its sectors were still to be written before.
    pub(super) fn write(&mut self, range: Range, purposes: Purposes) -> u64 {
        let mut again = 0;
        // First those that are there, so that none of them goes to make room.
        for is_new in [false, true] {
            for (number, bits) in self.pieces(range) {
                if is_new {
                    if self.lines.contains_key(&number) {
                        continue;
                    }
                    self.insert(number);
                }
                let used = self.now();
                self.change(number, |line| {
                    again += u64::from((line.dirty & bits).count_ones());
                    let before = if line.to_send() == 0 { Purposes::NONE } else { line.purposes };
                    line.purposes = before.and(purposes);
                    (line.valid, line.dirty, line.used) = (line.valid | bits, line.dirty | bits, used);
                });
            }
        }
        again
    }

    /// Takes in what came from the members, or went to them, as far as there is room.
    pub(super) fn keep(&mut self, range: Range) {
        for (number, bits) in self.pieces(range) {
            if !self.lines.contains_key(&number) && !self.insert(number) {
                continue;
            }
            let used = self.now();
            self.change(number, |line| (line.valid, line.used) = (line.valid | bits, used));
        }
    }

    /// A line of which nothing is there yet; false where no other can go for it.
    fn insert(&mut self, number: u64) -> bool {
        if self.lines.len() >= self.room {
            let Some((_, oldest)) = self.clean.pop_first() else { return false };
            self.lines.remove(&oldest);
        }
        self.lines.insert(number, Line::default());
        true
    }

    /// What is there of a range, all of which the members have, is no longer right.
    pub(super) fn forget(&mut self, range: Range) {
        for (number, bits) in self.pieces(range) {
            self.change(number, |line| line.valid &= !bits);
        }
    }

    /// A range is used.
    pub(super) fn touch(&mut self, range: Range) {
        for (number, _) in self.pieces(range) {
            let used = self.now();
            self.change(number, |line| line.used = used);
        }
    }

    /// Lines that can't go before something is written.
    pub(super) fn unwritten(&self) -> usize {
        self.unwritten
    }

    /// Sectors that aren't with the members.
    pub(super) fn unwritten_sectors(&self) -> u64 {
        let unwritten = |line: &Line| u64::from((line.dirty | line.leaving).count_ones());
        self.lines.values().map(unwritten).sum()
    }

    /// The first line from this sector on with something that can be sent, and the first such sector in it.
    pub(super) fn first_to_send(&self, from: u64) -> Option<u64> {
        let first = from / self.sectors;
        let here = self.to_send_within(first, (from, u64::MAX));
        if here != 0 {
            return Some(first * self.sectors + u64::from(here.trailing_zeros()));
        }
        let number = *self.to_send.range(first + 1..).next()?;
        Some(number * self.sectors + u64::from(self.lines.get(&number)?.to_send().trailing_zeros()))
    }

    /// What of a range can be sent, as runs of sectors, at most so many.
    pub(super) fn to_send(&self, range: Range, most: usize) -> Runs {
        let (mut runs, mut count) = (Runs::new(), 0);
        for &number in self.to_send.range(range.0 / self.sectors..range.1.div_ceil(self.sectors)) {
            let begin = number * self.sectors;
            let mut left = self.to_send_within(number, range);
            while left != 0 {
                let from = u64::from(left.trailing_zeros());
                let to = from + u64::from((left >> from).trailing_ones());
                left &= !bits(from, to);
                let run = (begin + from, begin + to);
                match runs.last_mut() {
                    Some(last) if last.1 == run.0 => last.1 = run.1,
                    Some(_) if count == most => return runs,
                    _ => {
                        count += 1;
                        runs.push(run);
                    }
                }
            }
        }
        runs
    }

    /// Sectors of a line, as bits, that can be sent and lie in a range.
    fn to_send_within(&self, number: u64, (first, end): Range) -> u64 {
        let begin = number * self.sectors;
        let range = bits(first.max(begin) - begin, end.min(begin + self.sectors).saturating_sub(begin));
        self.lines.get(&number).map_or(0, |line| line.to_send() & range)
    }

    /// These sectors are on their way from now on; what for is told: what all is for that waited in their lines.
    pub(super) fn leave(&mut self, range: Range) -> Purposes {
        let mut purposes = Purposes::NONE;
        for (number, bits) in self.pieces(range) {
            if let Some(line) = self.lines.get(&number) {
                purposes = purposes.and(line.purposes);
            }
            self.change(number, |line| {
                (line.dirty, line.leaving) = (line.dirty & !bits, line.leaving | bits);
            });
        }
        purposes
    }

    /// Up to where all is there from a sector on, within a range.
    pub(super) fn holds_up_to(&self, (first, end): Range) -> u64 {
        let mut at = first;
        while at < end {
            let (number, within) = (at / self.sectors, at % self.sectors);
            let valid = self.lines.get(&number).map_or(0, |line| line.valid);
            let run = u64::from((valid >> within).trailing_ones()).min(self.sectors - within);
            at += run;
            if within + run < self.sectors {
                break;
            }
        }
        at.min(end)
    }

    /// What was sent is with the members; or is lost, where they couldn't take it.
    pub(super) fn sent(&mut self, range: Range, is_there: bool) {
        for (number, bits) in self.pieces(range) {
            self.change(number, |line| {
                line.leaving &= !bits;
                if !is_there {
                    line.valid &= !(bits & !line.dirty);
                }
            });
        }
    }
}

/// Bits from one to before another.
fn bits(from: u64, to: u64) -> u64 {
    let below = |bit: u64| if bit >= 64 { u64::MAX } else { (1 << bit) - 1 };
    below(to) & !below(from)
}
