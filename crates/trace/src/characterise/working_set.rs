//! The working set over time: different pages used in each window, and all different pages up to its end.
//!
//! A trace's length isn't known before its end, and different pages of two windows can't be added. So windows of
//! several lengths are kept at once, each until it has more than 500; the shortest that lasts is given. A page counts
//! for a window if its last use was before the window began, which its slot on the line of last uses says.

use super::recency::Slot;
use petrio_time::Time;
use serde::Serialize;

/// Lengths of windows in milliseconds, each a multiple of the one before.
const LENGTHS_MS: [u64; 10] = [1, 10, 100, 1_000, 10_000, 60_000, 600_000, 3_600_000, 21_600_000, 86_400_000];
/// A trace of 213 days, the longest that petrio's time holds, has fewer days.
const WINDOWS_MAX: usize = 500;

/// Windows of one length.
#[derive(Debug)]
struct Windows {
    length_ps: u64,
    /// The slot before which nothing was used in the current window.
    begin: Slot,
    /// When the current window ends; picoseconds.
    end_ps: u64,
    pages: u64,
    done: Vec<WorkingSetWindow>,
}

/// Windows of all lengths that are short enough, the shortest first.
#[derive(Debug)]
pub(super) struct WorkingSets {
    lengths: Vec<Windows>,
    /// The next end of any window; picoseconds.
    next_end_ps: u64,
}

/// Different pages over time.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WorkingSet {
    /// Length of a window, seconds.
    pub window_s: f64,
    /// One after the other from the trace's origin; the last may be cut off by its end.
    pub windows: Vec<WorkingSetWindow>,
}

/// One window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct WorkingSetWindow {
    /// Different pages used in it.
    pub pages: u64,
    /// Different pages used from the beginning of the trace to the window's end.
    pub pages_so_far: u64,
}

impl WorkingSets {
    pub(super) fn new() -> Self {
        let lengths = LENGTHS_MS.map(|ms| {
            let length_ps = Time::from_millis(ms).as_picos();
            Windows { length_ps, begin: 1, end_ps: length_ps, pages: 0, done: Vec::new() }
        });
        Self { next_end_ps: lengths[0].end_ps, lengths: lengths.into() }
    }

    /// Closes windows that ended before `time`; what comes next takes the slot `next`.
    #[inline]
    pub(super) fn advance(&mut self, time: Time, next: Slot, so_far: u64) {
        if time.as_picos() >= self.next_end_ps {
            self.close(time.as_picos(), next, so_far);
        }
    }

    fn close(&mut self, now_ps: u64, next: Slot, so_far: u64) {
        for windows in &mut self.lengths {
            while windows.end_ps <= now_ps && windows.done.len() <= WINDOWS_MAX {
                windows.done.push(WorkingSetWindow { pages: windows.pages, pages_so_far: so_far });
                windows.pages = 0;
                windows.begin = next;
                windows.end_ps = windows.end_ps.saturating_add(windows.length_ps);
            }
        }
        let last = self.lengths.len() - 1;
        let too_many =
            self.lengths[..last].iter().take_while(|windows| windows.done.len() > WINDOWS_MAX).count();
        self.lengths.drain(..too_many);
        self.next_end_ps = self.lengths.iter().map(|windows| windows.end_ps).min().unwrap_or(u64::MAX);
    }

    /// A use of a page whose use before took `slot`, or 0.
    #[inline]
    pub(super) fn used(&mut self, slot: Slot) {
        for windows in &mut self.lengths {
            // Longer windows began no later: a use before that lies in this one lies in those.
            if slot >= windows.begin {
                break;
            }
            windows.pages += 1;
        }
    }

    /// Slots have been renumbered.
    pub(super) fn move_beginnings(&mut self, new: impl Fn(Slot) -> Slot) {
        for windows in &mut self.lengths {
            windows.begin = new(windows.begin);
        }
    }

    pub(super) fn finish(mut self, so_far: u64) -> WorkingSet {
        // The shortest was never too many, or it would be gone; the window that the end cuts off counts.
        let shortest = &mut self.lengths[0];
        shortest.done.push(WorkingSetWindow { pages: shortest.pages, pages_so_far: so_far });
        WorkingSet {
            window_s: Time::from_picos(shortest.length_ps).as_seconds(),
            windows: std::mem::take(&mut shortest.done),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use crate::characterise::miss_ratio::PAGE_BYTES;
    use crate::characterise::pages::Pages;
    use petrio_time::Time;
    use proptest::prelude::*;
    use std::collections::{BTreeMap, HashSet};

    #[test]
    fn windows_counted_by_hand() {
        let mut pages = Pages::new();
        // Milliseconds and pages: window 0 has two pages, window 1 one old and one new, window 2 none, window 3 one
        // old.
        for (ms, page) in [(0, 5), (0, 6), (0, 5), (1, 5), (1, 9), (1, 9), (3, 6)] {
            pages.request(Time::from_millis(ms), 0, page * PAGE_BYTES, PAGE_BYTES);
        }
        let found = pages.finish().unwrap().working_set;
        assert_eq!(found.window_s, 0.001);
        let windows: Vec<(u64, u64)> =
            found.windows.iter().map(|window| (window.pages, window.pages_so_far)).collect();
        assert_eq!(windows, [(2, 2), (2, 3), (0, 3), (1, 3)]);
    }

    #[test]
    fn a_long_pause_makes_windows_longer_and_few() {
        let mut pages = Pages::new();
        pages.request(Time::ZERO, 0, 0, 1);
        pages.request(Time::from_whole_seconds(150 * 86_400), 0, 0, 1);
        let found = pages.finish().unwrap().working_set;
        assert_eq!((found.window_s, found.windows.len()), (86_400.0, 151));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn windows_are_those_of_sets(
            uses in prop::collection::vec((0_u64..40_000_000, 0_u64..6_000), 1..300),
            repeated in 1_usize..300,
        ) {
            let mut pages = Pages::new();
            let mut all: Vec<(u64, u64)> = Vec::new();
            let mut time = 0;
            // Many turns, so that the line of last uses is drawn together now and then.
            for turn in 0..repeated {
                for (gap_ns, page) in &uses {
                    time += gap_ns;
                    all.push((time, (page + turn as u64) % 6_000));
                }
            }
            for &(ns, page) in &all {
                pages.request(Time::from_nanos(ns), 0, page * PAGE_BYTES, 1);
            }
            let found = pages.finish().unwrap().working_set;
            prop_assert!(found.windows.len() <= 501);
            let length = (found.window_s * 1e9).round() as u64;
            let mut different: BTreeMap<u64, HashSet<u64>> = BTreeMap::new();
            for (ns, page) in &all {
                different.entry(ns / length).or_default().insert(*page);
            }
            let mut so_far: HashSet<u64> = HashSet::new();
            for (number, window) in found.windows.iter().enumerate() {
                let within = different.remove(&(number as u64)).unwrap_or_default();
                so_far.extend(&within);
                prop_assert_eq!(window.pages, within.len() as u64);
                prop_assert_eq!(window.pages_so_far, so_far.len() as u64);
            }
            prop_assert!(different.is_empty());
        }
    }
}
