//! Where a process's accesses lie, such that Darshan would count as many in sequence as it did.
//!
//! Darshan remembers for each process the last byte that it read, and the last one that it wrote (zero before the first). What begins
//! behind it is *sequential*, and *consecutive* where it begins right behind (`darshan-posix.c`, POSIX_RECORD_READ). So an access goes
//! on, leaves a gap, or goes back. These alternate evenly; gaps are as long as the strides that came often, and what isn't known is
//! spread over the file up to the last byte that was touched.

use super::sizes::Sized;
use petrio_persist::Persist;
use petrio_units::numbers::in_proportion;
use std::sync::Arc;

/// How many accesses go on, leave a gap or go back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Persist)]
pub(super) struct Moves {
    pub(super) on: u64,
    pub(super) gaps: u64,
    pub(super) back: u64,
}

/// What the next one does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub(super) enum Move {
    On,
    Gap,
    Back,
}

impl Moves {
    pub(super) const fn all(self) -> u64 {
        self.on + self.gaps + self.back
    }

    /// One less of what is left: as wanted, or as there is.
    fn take(&mut self, wanted: [Move; 3]) -> Move {
        for one in wanted {
            let left = match one {
                Move::On => &mut self.on,
                Move::Gap => &mut self.gaps,
                Move::Back => &mut self.back,
            };
            if *left > 0 {
                *left -= 1;
                return one;
            }
        }
        Move::On
    }

    /// The moves of each of so many processes with so many accesses each, and what the first of each is: it begins at the file's
    /// beginning, which is no step forwards, or behind it, which leaves a gap.
    pub(super) fn divided(mut self, accesses: &[u64]) -> Vec<(Move, Self)> {
        let mut firsts = Vec::with_capacity(accesses.len());
        for (number, _) in (0..).zip(accesses) {
            let order = if number == 0 {
                [Move::Back, Move::Gap, Move::On]
            } else {
                [Move::Gap, Move::Back, Move::On]
            };
            firsts.push(self.take(order));
        }
        let (all, apart) = (u128::from(self.all()), u128::from(self.gaps + self.back));
        let part = |amount: u128, of: u128, whole: u128| (amount * of).checked_div(whole).unwrap_or_default();
        let mut before = [0_u128; 3];
        let each = accesses.iter().zip(firsts).map(|(accesses, first)| {
            let until = before[0] + u128::from(accesses.saturating_sub(1));
            let until_apart = part(apart, until, all);
            let until_back = part(self.back.into(), until_apart, apart);
            let [from, from_apart, from_back] = before;
            before = [until, until_apart, until_back];
            let (more, more_apart, more_back) =
                (until - from, until_apart - from_apart, until_back - from_back);
            // Each is a part of what had 64 bits.
            let narrow = |part: u128| u64::try_from(part).unwrap_or(u64::MAX);
            let moves = Self {
                on: narrow(more - more_apart),
                gaps: narrow(more_apart - more_back),
                back: narrow(more_back),
            };
            (first, moves)
        });
        each.collect()
    }

    /// What the access after so many others (the first not counted) does: all three alternate evenly.
    fn at(self, number: u64) -> Move {
        let step = |number: u64, part: u64, whole: u64| {
            let until = |number: u64| in_proportion(number, part, whole.max(1));
            (until(number + 1) > until(number)).then(|| until(number))
        };
        let apart = self.gaps + self.back;
        match step(number, apart, self.all()) {
            None => Move::On,
            Some(number) if step(number, self.back, apart).is_some() => Move::Back,
            Some(_) => Move::Gap,
        }
    }
}

/// What is the same for all processes that access a file in one direction.
#[derive(Debug, Default, Persist)]
pub(super) struct Extent {
    /// Behind the last byte that was touched.
    pub(super) end: u64,
    /// Gaps that came often, each with the part of all gaps (of a million) up to which it is.
    pub(super) strides: Vec<(u64, u64)>,
}

pub(super) const MILLION: u64 = 1_000_000;

/// No file is longer.
pub(super) const FILE_BYTES_MAX: u64 = i64::MAX as u64;

/// A process's accesses in one direction, one after the other.
#[derive(Clone, Debug, Persist)]
pub(super) struct Accesses {
    extent: Arc<Extent>,
    /// Sizes with how many are left, and how many there were.
    sizes: Vec<(Sized, u64)>,
    moves: Moves,
    first: Move,
    base: u64,
    all: u64,
    done: u64,
    bytes_left: u64,
    gaps_done: u64,
    backs_done: u64,
    /// Behind the last byte; one before the first access, as Darshan's last byte is zero then.
    next: u64,
}

impl Accesses {
    /// `base` is where it begins, if that isn't the file's beginning.
    pub(super) fn new(
        extent: Arc<Extent>,
        sizes: Vec<Sized>,
        (first, moves): (Move, Moves),
        base: u64,
    ) -> Self {
        let all = sizes.iter().map(|sized| sized.count).sum();
        let bytes_left =
            sizes.iter().fold(0, |sum: u64, one| sum.saturating_add(one.bytes.saturating_mul(one.count)));
        let sizes = sizes.into_iter().map(|sized| (sized, sized.count)).collect();
        Self {
            extent,
            sizes,
            moves,
            first,
            base,
            all,
            done: 0,
            bytes_left,
            gaps_done: 0,
            backs_done: 0,
            next: 1,
        }
    }

    pub(super) const fn all(&self) -> u64 {
        self.all
    }

    /// Behind the last byte that any of them touches; of very many, behind what was counted.
    pub(super) fn end(mut self) -> u64 {
        const FOLLOWED_MAX: u64 = 10_000_000;
        if self.all > FOLLOWED_MAX {
            return self.extent.end.max(self.base.saturating_add(self.bytes_left)).min(FILE_BYTES_MAX);
        }
        let mut end = 0;
        while let Some((offset, length)) = self.next() {
            end = end.max(offset.saturating_add(length));
        }
        end
    }

    /// Sizes alternate evenly, too; those of no bytes come last.
    fn size(&mut self) -> u64 {
        let done = u128::from(self.done) + 1;
        let mut best: Option<(usize, u128)> = None;
        let has_others = self.sizes.iter().any(|(sized, _)| sized.bytes > 0 && sized.count > 0);
        for (at, (sized, all)) in self.sizes.iter().enumerate() {
            if sized.count == 0 || has_others && sized.bytes == 0 {
                continue;
            }
            // How far it is behind, in parts of one of all.
            let behind = done * u128::from(*all) + u128::from(self.all)
                - u128::from(all - sized.count) * u128::from(self.all);
            if best.is_none_or(|(_, known)| behind > known) {
                best = Some((at, behind));
            }
        }
        let Some((at, _)) = best else { return 0 };
        self.sizes[at].0.count -= 1;
        self.sizes[at].0.bytes
    }

    /// A place in a range of so many, such that places in turn fill it evenly (Weyl's sequence of the golden ratio).
    fn spread(&self, range: u64) -> u64 {
        const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;
        let part = GOLDEN.wrapping_mul(self.done.wrapping_add(self.base).wrapping_add(1));
        // Below `range`.
        ((u128::from(part) * u128::from(range)) >> 64) as u64
    }

    /// How long the next gap is.
    fn gap(&mut self) -> u64 {
        let (number, all) = (self.gaps_done, self.moves.gaps.max(1));
        self.gaps_done += 1;
        // Less than a million.
        let part = (u128::from(number) * 2 + 1) * u128::from(MILLION) / (u128::from(all) * 2);
        if let Some((stride, _)) = self.extent.strides.iter().find(|(_, until)| part < u128::from(*until)) {
            return *stride;
        }
        let backs = self.moves.back.saturating_sub(self.backs_done).saturating_add(1);
        let gaps = self.moves.gaps.saturating_sub(number) / backs;
        let room = self.extent.end.saturating_sub(self.next).saturating_sub(self.bytes_left / backs);
        self.spread((room / gaps.saturating_add(1)).saturating_mul(2))
            .min(room.saturating_sub(1))
            .saturating_add(1)
    }

    /// Where one begins that goes back.
    fn back(&mut self, length: u64) -> u64 {
        let backs = self.moves.back.saturating_sub(self.backs_done).max(1);
        self.backs_done += 1;
        let needed = (self.bytes_left / backs).max(length);
        let last = self.next.saturating_sub(1).min(self.extent.end.saturating_sub(needed));
        let place = self.spread(last.saturating_add(1));
        // Of no bytes at the file's beginning it would end before that.
        if length == 0 && place == 0 { u64::from(self.next > 1) } else { place }
    }

    /// Offset and length of the next one.
    pub(super) fn next(&mut self) -> Option<(u64, u64)> {
        if self.done == self.all {
            return None;
        }
        let length = self.size();
        let offset = match (self.done, self.first) {
            (0, Move::Back) => 0,
            (0, Move::Gap) => self.base.max(2),
            (0, Move::On) => 1,
            (done, _) => match self.moves.at(done - 1) {
                Move::On => self.next,
                Move::Gap => self.next.saturating_add(self.gap()),
                Move::Back => self.back(length),
            },
        };
        let offset = offset.min(FILE_BYTES_MAX - length);
        self.done += 1;
        self.bytes_left = self.bytes_left.saturating_sub(length);
        self.next = offset.saturating_add(length);
        Some((offset, length))
    }
}
