//! Ranges of a file's blocks, and what a node holds of them: in the manager's table and in the node's own.

use petrio_persist::Persist;
use std::collections::BTreeMap;

/// How a range is held. Data are held to read or alone; an inode also in the two modes between that let many write one file
/// (Schmuck and Haskin, FAST 2002, section 3.3: the shared write lock).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Persist)]
pub(super) enum Mode {
    /// It is there and stays; how long the file is may change.
    Present,
    /// Others may read it, too, and nobody changes it.
    Shared,
    /// Others may make the file longer, too, and nobody knows exactly how long it is.
    Growing,
    /// Nobody else has it.
    Exclusive,
}

impl Mode {
    /// Whether two nodes can't hold the same in these modes.
    pub(super) fn conflicts(self, other: Self) -> bool {
        use Mode::{Exclusive, Growing, Shared};
        matches!((self, other), (Exclusive, _) | (_, Exclusive) | (Shared, Growing) | (Growing, Shared))
    }

    /// Whether who holds it so may do whatever the other mode allows.
    pub(super) fn covers(self, other: Self) -> bool {
        self.with(other) == self
    }

    /// What allows both.
    pub(super) fn with(self, other: Self) -> Self {
        match (self, other) {
            (one, another) if one == another => one,
            (Self::Present, stronger) | (stronger, Self::Present) => stronger,
            _ => Self::Exclusive,
        }
    }

    /// What is left to who holds it so beside another who wants it in a mode; nothing, if that one wants it alone.
    pub(super) fn beside(self, wanted: Self) -> Option<Self> {
        match (self, wanted) {
            (_, Self::Exclusive) => None,
            (own, wanted) if !own.conflicts(wanted) => Some(own),
            // Who had it alone has changed it, and will.
            (Self::Exclusive, Self::Present) => Some(Self::Growing),
            (Self::Exclusive, wanted) => Some(wanted),
            _ => Some(Self::Present),
        }
    }
}

/// Blocks from one on and up to another, which isn't among them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Persist)]
pub(super) struct Range {
    pub(super) from: u64,
    pub(super) to: u64,
}

impl Range {
    /// All of a file.
    pub(super) const WHOLE: Self = Self { from: 0, to: u64::MAX };

    pub(super) fn overlaps(&self, other: &Self) -> bool {
        self.from < other.to && other.from < self.to
    }
}

/// A piece that is held: up to where, how, and the number of the message that granted it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
struct Piece {
    to: u64,
    mode: Mode,
    number: u64,
}

/// What one node holds of an object, by where each piece begins. Pieces don't overlap.
#[derive(Clone, Debug, Default, Persist)]
pub(super) struct Holdings {
    pieces: BTreeMap<u64, Piece>,
}

impl Holdings {
    pub(super) fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// The pieces that a range touches.
    fn touched(&self, range: Range) -> impl Iterator<Item = (u64, Piece)> + '_ {
        let before = self.pieces.range(..range.from).next_back().filter(|(_, piece)| piece.to > range.from);
        let within = self.pieces.range(range.from..range.to.max(range.from));
        before.into_iter().chain(within).map(|(&from, &piece)| (from, piece))
    }

    /// Whether all of a range is held, in this mode or a stronger one.
    pub(super) fn covers(&self, range: Range, mode: Mode) -> bool {
        let mut at = range.from;
        for (from, piece) in self.touched(range) {
            if from > at || !piece.mode.covers(mode) {
                return false;
            }
            at = piece.to;
        }
        at >= range.to
    }

    /// What the mode of a range would be with this one, too, if that is stronger than both.
    pub(super) fn with(&self, range: Range, mode: Mode) -> Mode {
        let both = |(_, piece): (u64, Piece)| piece.mode.with(mode);
        let is_stronger = |&both: &Mode| !mode.covers(both);
        let apart = self.touched(range).filter(|(_, piece)| !piece.mode.covers(mode));
        apart.map(both).find(is_stronger).unwrap_or(mode)
    }

    /// Whether any of it stands in the way of somebody who wants a range in a mode.
    pub(super) fn conflicts(&self, range: Range, mode: Mode) -> bool {
        self.touched(range).any(|(_, piece)| piece.mode.conflicts(mode))
    }

    /// How far a range can be made wider, within `widest`, before any of it stands in the way.
    pub(super) fn free_around(&self, range: Range, mode: Mode, widest: Range) -> Range {
        let stands = |piece: &Piece| piece.mode.conflicts(mode);
        let before = self.pieces.range(..range.from).rev();
        let from = before
            .take_while(|(_, piece)| piece.to > widest.from)
            .find(|(_, piece)| stands(piece))
            .map_or(widest.from, |(_, piece)| piece.to.max(widest.from));
        let after = self.pieces.range(range.to..).take_while(|&(&from, _)| from < widest.to);
        let to = after.into_iter().find(|(_, piece)| stands(piece)).map_or(widest.to, |(&from, _)| from);
        Range { from: from.min(range.from), to: to.max(range.to) }
    }

    /// A range is granted by a message of this number. What was held of it in this mode or a stronger one stays as it was;
    /// whose number it has from then on says `newest`.
    pub(super) fn add(&mut self, range: Range, mode: Mode, number: u64, newest: bool) {
        self.cut_at(range.from);
        self.cut_at(range.to);
        let mut at = range.from;
        let inside: Vec<(u64, Piece)> = self.touched(range).collect();
        for (from, piece) in inside {
            if from > at {
                self.pieces.insert(at, Piece { to: from, mode, number });
            }
            let stays = piece.mode.covers(mode);
            let number = if stays && !newest { piece.number } else { number };
            self.pieces.insert(from, Piece { mode: piece.mode.with(mode), number, ..piece });
            at = piece.to;
        }
        if at < range.to {
            self.pieces.insert(at, Piece { to: range.to, mode, number });
        }
    }

    /// Joins pieces of a range, and those beside it, that are held alike, under the older or the newer of their numbers.
    pub(super) fn join(&mut self, range: Range, newest: bool) {
        let first = self.pieces.range(..range.from).next_back().map_or(range.from, |(&from, _)| from);
        let mut last: Option<(u64, Piece)> = None;
        let near: Vec<(u64, Piece)> =
            self.pieces.range(first..=range.to).map(|(&from, &piece)| (from, piece)).collect();
        for (from, piece) in near {
            last = match last {
                Some((start, before)) if before.to == from && before.mode == piece.mode => {
                    let (older, newer) = (before.number.min(piece.number), before.number.max(piece.number));
                    let number = if newest { newer } else { older };
                    let joined = Piece { number, ..piece };
                    self.pieces.remove(&from);
                    self.pieces.insert(start, joined);
                    Some((start, joined))
                }
                _ => Some((from, piece)),
            };
        }
    }

    /// Gives up a range as far as it was granted before a message of this number, and as far as somebody else wants it.
    pub(super) fn give_up(&mut self, range: Range, before: u64, wanted: Mode) {
        self.cut_at(range.from);
        self.cut_at(range.to);
        let inside: Vec<(u64, Piece)> = self.touched(range).collect();
        for (from, piece) in inside.into_iter().filter(|(_, piece)| piece.number < before) {
            match piece.mode.beside(wanted) {
                Some(mode) => self.pieces.insert(from, Piece { mode, ..piece }),
                None => self.pieces.remove(&from),
            };
        }
    }

    /// Whether of these holdings two have a block in modes that exclude each other.
    #[cfg(test)]
    pub(super) fn contradict(held: &[&Self], block: u64) -> bool {
        let range = Range { from: block, to: block + 1 };
        let modes: Vec<Mode> =
            held.iter().filter_map(|held| held.touched(range).next().map(|(_, piece)| piece.mode)).collect();
        (0..modes.len()).any(|one| modes[..one].iter().any(|other| other.conflicts(modes[one])))
    }

    /// Makes two of a piece that a place lies within.
    fn cut_at(&mut self, place: u64) {
        let before = self.pieces.range_mut(..place).next_back().filter(|(_, piece)| piece.to > place);
        if let Some((_, piece)) = before {
            let rest = *piece;
            piece.to = place;
            self.pieces.insert(place, rest);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const BLOCKS: u64 = 24;

    /// What is held of each block, one by one.
    type Naive = Vec<Option<(Mode, u64)>>;

    const MODES: [Mode; 4] = [Mode::Present, Mode::Shared, Mode::Growing, Mode::Exclusive];

    fn modes() -> impl Strategy<Value = Mode> {
        prop::sample::select(MODES.to_vec())
    }

    #[test]
    fn what_is_left_stands_in_nobodys_way_and_both_modes_allow_what_each_does() {
        for own in MODES {
            for other in MODES {
                assert_eq!(own.conflicts(other), other.conflicts(own));
                assert_eq!(own.with(other), other.with(own));
                assert!(own.with(other).covers(own) && own.with(other).covers(other));
                let left = own.beside(other);
                assert!(
                    left.is_none_or(|left| own.covers(left) && !left.conflicts(other)),
                    "{own:?} {other:?}"
                );
                assert_eq!(left.is_none(), other == Mode::Exclusive);
                // Whoever allows more stands in the way of at least as many.
                let stands = |mode: Mode| MODES.map(|wanted| mode.conflicts(wanted));
                let more =
                    std::iter::zip(stands(own.with(other)), stands(own)).all(|(with, own)| with >= own);
                assert!(more, "{own:?} {other:?}");
            }
        }
    }

    proptest! {
        #[test]
        fn pieces_say_of_each_block_what_a_list_of_blocks_does(
            steps in prop::collection::vec((0u8..4, 0..BLOCKS, 1..BLOCKS, modes(), any::<bool>()), 1..40),
        ) {
            let mut held = Holdings::default();
            let mut naive: Naive = vec![None; BLOCKS as usize];
            for (number, (step, from, length, mode, flag)) in (1u64..).zip(steps) {
                let range = Range { from, to: (from + length).min(BLOCKS) };
                let blocks = range.from as usize..range.to as usize;
                match step {
                    0 | 1 => {
                        held.add(range, mode, number, flag);
                        for block in &mut naive[blocks.clone()] {
                            *block = Some(match *block {
                                Some((was, old)) if was.covers(mode) && !flag => (was, old),
                                Some((was, _)) => (was.with(mode), number),
                                None => (mode, number),
                            });
                        }
                    }
                    2 => {
                        let before = number / 2;
                        held.give_up(range, before, mode);
                        for block in &mut naive[blocks.clone()] {
                            *block = match *block {
                                Some((has, old)) if old < before => has.beside(mode).map(|left| (left, old)),
                                other => other,
                            };
                        }
                    }
                    // Joins number otherwise, and so are looked at alone.
                    _ => {}
                }
                let covered = naive[blocks.clone()].iter().all(|block| block.is_some_and(|(has, _)| has.covers(mode)));
                prop_assert_eq!(held.covers(range, mode), covered);
                let stands = |block: &Option<(Mode, u64)>| block.is_some_and(|(has, _)| has.conflicts(mode));
                let in_the_way = naive[blocks.clone()].iter().any(stands);
                prop_assert_eq!(held.conflicts(range, mode), in_the_way);
                if !in_the_way {
                    let free = held.free_around(range, mode, Range { from: 0, to: BLOCKS });
                    let from = naive[..blocks.start].iter().rposition(stands).map_or(0, |at| at as u64 + 1);
                    let to = naive[blocks.end..].iter().position(stands).map_or(BLOCKS, |at| range.to + at as u64);
                    prop_assert_eq!(free, Range { from, to });
                }
                let mut joined = held.clone();
                joined.join(range, flag);
                for block in 0..BLOCKS {
                    let one = Range { from: block, to: block + 1 };
                    for mode in MODES {
                        prop_assert_eq!(joined.covers(one, mode), held.covers(one, mode));
                    }
                }
                prop_assert!(joined.pieces.len() <= held.pieces.len());
            }
        }
    }
}
