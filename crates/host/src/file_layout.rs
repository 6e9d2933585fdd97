//! Where files lie on a device: what a host tells whoever below it holds copies of its files.

use petrio_colours::FileId;
use petrio_persist::Persist;
use petrio_stage::fast_map::FastMap;

/// A copy moves so many device blocks at a time (64 KiB).
const PIECE: u64 = 128;

/// Ranges of device blocks, apart and in order.
#[derive(Clone, Debug, Default, Persist)]
pub struct Ranges(Vec<(u64, u64)>);

impl Ranges {
    /// Adds a range from `first` to `end`.
    pub fn add(&mut self, first: u64, end: u64) {
        let at = self.0.partition_point(|&(_, other_end)| other_end < first);
        let mut merged = (first, end);
        let mut last = at;
        while let Some(&(other, other_end)) = self.0.get(last).filter(|(other, _)| *other <= merged.1) {
            merged = (merged.0.min(other), merged.1.max(other_end));
            last += 1;
        }
        self.0.splice(at..last, [merged]);
    }

    /// Takes a range out.
    pub fn cut(&mut self, first: u64, end: u64) {
        let all = std::mem::take(&mut self.0);
        for (from, to) in all {
            let parts = [(from, to.min(first)), (from.max(end), to)];
            self.0.extend(parts.into_iter().filter(|(from, to)| from < to));
        }
    }

    /// How many blocks.
    pub fn blocks(&self) -> u64 {
        self.0.iter().map(|(first, end)| end - first).sum()
    }

    /// Each with its first block and the one behind its last.
    pub fn iter(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.0.iter().copied()
    }

    /// Keeps so many blocks at most. Which ones were cut off isn't known here, only how many: the last are taken.
    pub fn keep(&mut self, blocks: u64) {
        let mut left = blocks;
        self.0.retain_mut(|(first, end)| {
            *end = (*end).min(*first + left);
            left -= *end - *first;
            end > first
        });
    }

    /// The piece that begins at `from` or after it: first block and length.
    pub fn piece(&self, from: u64) -> Option<(u64, u32)> {
        let at = self.0.partition_point(|&(_, end)| end <= from);
        let &(first, end) = self.0.get(at)?;
        let first = first.max(from);
        Some((first, (end - first).min(PIECE) as u32))
    }
}

/// Where files lie when the run begins, in device blocks of 512 bytes of what replication offers.
#[derive(Clone, Debug, Default, Persist)]
pub struct FileLayout(FastMap<FileId, Ranges>);

impl FileLayout {
    /// So many blocks of a file lie from `first` on.
    pub fn add(&mut self, file: FileId, first: u64, blocks: u64) {
        if blocks > 0 {
            self.0.entry(file).or_default().add(first, first + blocks);
        }
    }

    /// The same files where their blocks lie elsewhere: `part` gives the pieces of a range (first block and how many)
    /// that are kept.
    #[must_use]
    pub fn moved(&self, part: impl Fn(u64, u64) -> Option<(u64, u64)>) -> Self {
        let mut moved = Self::default();
        for (&file, ranges) in &self.0 {
            for &(first, end) in &ranges.0 {
                if let Some((first, blocks)) = part(first, end) {
                    moved.add(file, first, blocks);
                }
            }
        }
        moved
    }

    /// Where a file lies; nowhere, of one that it doesn't know.
    pub fn of(&self, file: FileId) -> Ranges {
        self.0.get(&file).cloned().unwrap_or_default()
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
            let all = naive.iter().filter(|block| **block).count() as u64;
            prop_assert_eq!(kept.blocks(), all);
            let mut less = kept.clone();
            less.cut(100, 300);
            let outside = naive.iter().enumerate().filter(|(at, there)| **there && !(100..300).contains(at)).count();
            prop_assert_eq!(less.blocks(), outside as u64);
            for blocks in [0, all / 2, all, all + 1] {
                let mut cut = kept.clone();
                cut.keep(blocks);
                prop_assert_eq!(cut.blocks(), blocks.min(all));
            }
        }
    }
}
