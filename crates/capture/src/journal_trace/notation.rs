//! Device requests in a line: `W4D W16J F W4J F`.
//!
//! R, W or X (discard), the length in KiB, and where: D outside the journal's blocks, J inside; F is a flush. Requests
//! stand in the order in which they went to the device. What a request is *for* (which metadata block) isn't in the
//! notation.

use crate::recorder::block::{Access, BlockAccess};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// The blocks of 512 bytes that belong to a file system's journal, its own indirect blocks included.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JournalArea {
    /// First block and one past the last, ascending, apart.
    ranges: Vec<(u64, u64)>,
}

impl JournalArea {
    /// From ranges of blocks of 512 bytes (first, one past the last), in any order.
    ///
    /// ```
    /// use petrio_capture::journal_trace::JournalArea;
    /// let area = JournalArea::new([(16, 24), (8, 16)]);
    /// assert!(area.holds(8, 16));
    /// assert!(!area.holds(20, 8));
    /// ```
    pub fn new(ranges: impl IntoIterator<Item = (u64, u64)>) -> Self {
        let mut sorted: Vec<_> = ranges.into_iter().filter(|(first, end)| first < end).collect();
        sorted.sort_unstable();
        let mut joined: Vec<(u64, u64)> = Vec::with_capacity(sorted.len());
        for (first, end) in sorted {
            match joined.last_mut() {
                Some((_, last)) if *last >= first => *last = end.max(*last),
                _ => joined.push((first, end)),
            }
        }
        Self { ranges: joined }
    }

    /// Whether all of these blocks lie in the journal.
    pub fn holds(&self, sector: u64, sectors: u64) -> bool {
        let after = self.ranges.partition_point(|(first, _)| *first <= sector);
        let end = sector.saturating_add(sectors);
        after > 0 && end <= self.ranges[after - 1].1
    }
}

/// Requests in petrio's notation, separated by blanks; the empty text for none.
pub fn requests_text<'a>(
    requests: impl IntoIterator<Item = &'a BlockAccess>,
    journal: &JournalArea,
) -> String {
    let mut text = String::new();
    for request in requests {
        if !text.is_empty() {
            text.push(' ');
        }
        let letter = match request.access {
            Access::Flush => {
                text.push('F');
                continue;
            }
            Access::Read => 'R',
            Access::Write => 'W',
            Access::Discard => 'X',
            Access::Other => 'O',
        };
        let place = if journal.holds(request.sector, request.sectors) { 'J' } else { 'D' };
        // Writing to a string can't fail. File systems ask for whole KiB; an odd block of 512 bytes shows as a
        // fraction.
        let _ = match request.sectors % 2 {
            0 => write!(text, "{letter}{}{place}", request.sectors / 2),
            _ => write!(text, "{letter}{}.5{place}", request.sectors / 2),
        };
    }
    text
}

/// The commonest of several values, and how many of them it is; the smallest among equals.
///
/// ```
/// # use petrio_capture::journal_trace::commonest;
/// assert_eq!(commonest(["W4D F", "W4D", "W4D F"]), Some(("W4D F", 2)));
/// assert_eq!(commonest(Vec::<u8>::new()), None);
/// ```
pub fn commonest<T: Ord>(values: impl IntoIterator<Item = T>) -> Option<(T, usize)> {
    let mut counts = BTreeMap::new();
    for value in values {
        *counts.entry(value).or_insert(0) += 1;
    }
    // The last of equals would win, so they are looked at from the greatest down.
    counts.into_iter().rev().max_by_key(|(_, count)| *count)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn access(access: Access, sector: u64, sectors: u64) -> BlockAccess {
        BlockAccess {
            access,
            flush_before: false,
            force_unit_access: false,
            synchronous: true,
            metadata: false,
            read_ahead: false,
            sector,
            sectors,
        }
    }

    #[test]
    fn an_append_made_durable_reads_as_in_the_facts() {
        let journal = JournalArea::new([(1_000, 2_000)]);
        let requests = [
            access(Access::Write, 80, 8),
            access(Access::Write, 1_000, 32),
            access(Access::Flush, 0, 0),
            access(Access::Write, 1_032, 8),
            access(Access::Flush, 0, 0),
        ];
        assert_eq!(requests_text(&requests, &journal), "W4D W16J F W4J F");
    }

    #[test]
    fn a_request_that_leaves_the_journal_is_not_the_journals() {
        let journal = JournalArea::new([(1_000, 2_000)]);
        let requests = [access(Access::Read, 1_996, 8), access(Access::Discard, 1_992, 8)];
        assert_eq!(requests_text(&requests, &journal), "R4D X4J");
        assert_eq!(requests_text(&[access(Access::Write, 3, 1)], &journal), "W0.5D");
    }

    proptest! {
        #[test]
        fn an_area_holds_exactly_the_blocks_of_its_ranges(
            ranges in proptest::collection::vec((0u64..60, 0u64..12), 0..8), sector in 0u64..80, sectors in 1u64..6,
        ) {
            let ranges: Vec<_> = ranges.into_iter().map(|(first, length)| (first, first + length)).collect();
            let inside = |block: u64| ranges.iter().any(|(first, end)| (*first..*end).contains(&block));
            let expected = (sector..sector + sectors).all(inside);
            prop_assert_eq!(JournalArea::new(ranges.clone()).holds(sector, sectors), expected);
        }
    }
}
