//! What it takes to make a copy: which parts of a file there are, and how far a copy has come.
//!
//! Replication knows of a file's layout what it has seen of it: the ranges that were asked for. Of a file that was
//! there before the run, blocks that nobody has asked for aren't copied, so its traffic is a lower bound.

use super::slots::Slots;
use petrio_colours::FileId;

/// A copy moves so many device blocks at a time (64 KiB).
const PIECE: u64 = 128;

/// Ranges of device blocks, apart and in order.
#[derive(Clone, Debug, Default)]
pub(super) struct Ranges(Vec<(u64, u64)>);

impl Ranges {
    /// Adds a range from `first` to `end`.
    pub(super) fn add(&mut self, first: u64, end: u64) {
        let at = self.0.partition_point(|&(_, other_end)| other_end < first);
        let mut merged = (first, end);
        let mut last = at;
        while let Some(&(other, other_end)) = self.0.get(last).filter(|(other, _)| *other <= merged.1) {
            merged = (merged.0.min(other), merged.1.max(other_end));
            last += 1;
        }
        self.0.splice(at..last, [merged]);
    }

    /// The piece that begins at `from` or after it: first block and length.
    pub(super) fn piece(&self, from: u64) -> Option<(u64, u32)> {
        let at = self.0.partition_point(|&(_, end)| end <= from);
        let &(first, end) = self.0.get(at)?;
        let first = first.max(from);
        Some((first, (end - first).min(PIECE) as u32))
    }
}

/// A copy being made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Copying {
    pub(super) file: FileId,
    /// The file's version that is being copied; with an update the copy is given up.
    pub(super) version: u64,
    /// The slot that it is read from.
    pub(super) source: u32,
    /// The slots that it goes to.
    pub(super) targets: Slots,
    /// The piece under way.
    pub(super) piece: (u64, u32),
    /// Writes of the piece that are left; while it is read, zero.
    pub(super) writes_left: u32,
}

impl Copying {
    /// It comes to nothing, as if the file had been written meanwhile.
    pub(super) fn give_up(&mut self) {
        self.version = u64::MAX;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn pieces_cover_what_was_added_once(ranges in proptest::collection::vec((0u64..500, 1u64..300), 0..20)) {
            let (mut kept, mut naive) = (Ranges::default(), [false; 800]);
            for (first, length) in ranges {
                kept.add(first, first + length);
                naive[first as usize..(first + length) as usize].fill(true);
            }
            let mut covered = [false; 800];
            let mut from = 0;
            while let Some((first, blocks)) = kept.piece(from) {
                prop_assert!(blocks > 0 && first >= from && u64::from(blocks) <= PIECE);
                from = first + u64::from(blocks);
                for block in first..from {
                    prop_assert!(!std::mem::replace(&mut covered[block as usize], true));
                }
            }
            prop_assert_eq!(&covered[..], &naive[..]);
        }
    }
}
