//! A set of numbers that grows and shrinks by ranges: pages of a file, blocks of a device.

use petrio_persist::Persist;
use std::collections::BTreeMap;

/// Numbers, as ranges that don't touch each other: the first, and the one behind the last.
///
/// ```
/// use petrio_stage::ranges::Ranges;
///
/// let mut ranges = Ranges::default();
/// assert_eq!((ranges.insert(0, 4), ranges.insert(2, 12)), (4, 8));
/// assert_eq!((ranges.remove(3, 5), ranges.count()), (2, 10));
/// assert_eq!(ranges.iter().collect::<Vec<_>>(), [(0, 3), (5, 12)]);
/// ```
#[derive(Clone, Debug, Default, Persist)]
pub struct Ranges {
    all: BTreeMap<u64, u64>,
    count: u64,
}

impl Ranges {
    /// Adds `first .. end`; how many of them weren't there.
    pub fn insert(&mut self, mut first: u64, mut end: u64) -> u64 {
        if first >= end {
            return 0;
        }
        let mut added = end - first;
        while let Some((&other, &other_end)) = self.all.range(..=end).next_back()
            && other_end >= first
        {
            self.all.remove(&other);
            added -= other_end.min(end).saturating_sub(other.max(first));
            (first, end) = (first.min(other), end.max(other_end));
        }
        self.all.insert(first, end);
        self.count += added;
        added
    }

    /// Takes `first .. end` out; how many of them were there.
    pub fn remove(&mut self, first: u64, end: u64) -> u64 {
        let mut taken = 0;
        while let Some((&other, &other_end)) = self.all.range(..end).next_back()
            && other_end > first
        {
            taken += other_end.min(end) - other.max(first);
            self.all.remove(&other);
            if other_end > end {
                self.all.insert(end, other_end);
            }
            if other < first {
                self.all.insert(other, first);
            }
        }
        self.count -= taken;
        taken
    }

    /// How many numbers there are.
    #[must_use]
    pub const fn count(&self) -> u64 {
        self.count
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// The ranges in order.
    pub fn iter(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.all.iter().map(|(&first, &end)| (first, end))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::cast_possible_truncation, reason = "the numbers of a test are small")]
    use super::*;

    #[test]
    fn ranges_that_touch_are_one_and_what_is_taken_out_leaves_the_rest() {
        let mut ranges = Ranges::default();
        ranges.insert(0, 4);
        ranges.insert(8, 12);
        ranges.insert(4, 8);
        assert_eq!(ranges.iter().collect::<Vec<_>>(), [(0, 12)]);
        assert_eq!((ranges.remove(3, 5), ranges.remove(3, 5), ranges.remove(12, 20)), (2, 0, 0));
        assert_eq!(ranges.iter().collect::<Vec<_>>(), [(0, 3), (5, 12)]);
        assert_eq!(ranges.insert(2, 6), 2);
        assert_eq!(ranges.iter().collect::<Vec<_>>(), [(0, 12)]);
        assert!(ranges.remove(0, 12) == 12 && ranges.is_empty());
    }

    proptest::proptest! {
        #[test]
        fn what_is_told_and_counted_is_so_of_numbers_one_by_one(
            steps in proptest::collection::vec((0_u64..64, 0_u64..16, proptest::bool::ANY), 0..80),
        ) {
            let (mut ranges, mut naive) = (Ranges::default(), [false; 80]);
            for (first, count, adds) in steps {
                let part = &mut naive[first as usize..(first + count) as usize];
                let changed = part.iter().filter(|there| **there != adds).count() as u64;
                part.fill(adds);
                let told = if adds { ranges.insert(first, first + count) } else { ranges.remove(first, first + count) };
                assert_eq!(told, changed);
                assert_eq!(ranges.count(), naive.iter().filter(|there| **there).count() as u64);
            }
        }
    }
}
