//! Ranges of a file's pages: a set that grows and shrinks by ranges.

use petrio_persist::Persist;
use std::collections::BTreeMap;

/// Pages, as ranges that don't touch each other: first page, and the one behind the last.
#[derive(Clone, Debug, Default, Persist)]
pub(crate) struct Ranges(BTreeMap<u64, u64>);

impl Ranges {
    /// Adds `first .. end`.
    pub(crate) fn insert(&mut self, mut first: u64, mut end: u64) {
        while let Some((&other, &other_end)) = self.0.range(..=end).next_back()
            && other_end >= first
        {
            self.0.remove(&other);
            (first, end) = (first.min(other), end.max(other_end));
        }
        self.0.insert(first, end);
    }

    /// Takes `first .. end` out; whether any of it was there.
    pub(crate) fn remove(&mut self, first: u64, end: u64) -> bool {
        let mut any = false;
        while let Some((&other, &other_end)) = self.0.range(..end).next_back()
            && other_end > first
        {
            any = true;
            self.0.remove(&other);
            if other_end > end {
                self.0.insert(end, other_end);
            }
            if other < first {
                self.0.insert(other, first);
            }
        }
        any
    }

    /// Whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_that_touch_are_one_and_what_is_taken_out_leaves_the_rest() {
        let mut ranges = Ranges::default();
        ranges.insert(0, 4);
        ranges.insert(8, 12);
        ranges.insert(4, 8);
        assert_eq!(ranges.0, BTreeMap::from([(0, 12)]));
        assert!(ranges.remove(3, 5) && !ranges.remove(3, 5) && !ranges.remove(12, 20));
        assert_eq!(ranges.0, BTreeMap::from([(0, 3), (5, 12)]));
        ranges.insert(2, 6);
        assert_eq!(ranges.0, BTreeMap::from([(0, 12)]));
        assert!(ranges.remove(0, 12) && ranges.is_empty());
    }
}
