//! Which 4 KiB pages are used, in one table: how often, when last, and how many others were used in between.
//!
//! One look-up serves three statistics: the exact LRU miss-ratio curve ([`super::miss_ratio`]), the working set over time
//! ([`super::working_set`]) and the popularity of pages ([`super::popularity`]). Eight neighbouring pages share an entry of the
//! table, one cache line, so that sequential streams are cheap.
//!
//! What costs time is waiting for memory: the table and the counts of distances are larger than the processor's caches. So uses
//! are collected and looked up many at a time, in loops whose steps don't depend on each other: the processor then waits for
//! many at once.
//!
//! Memory grows with the different pages: 8 to 64 bytes each, by how many of their neighbours are used, and 4 bytes for the exact
//! curve. It doesn't grow with the number of uses. A deleted file's pages stay in the stack until others push them down, as
//! in a cache that isn't told.

use super::miss_ratio::{MissRatio, PAGE_BYTES, StackDistances};
use super::popularity::{Popularity, popularity};
use super::recency::{Recency, Slot};
use super::working_set::{WorkingSet, WorkingSets};
use petrio_time::Time;
use petrio_units::numbers::as_number;
use rustc_hash::FxHashMap;
use serde::Serialize;

/// Pages of an entry.
const GROUP: u64 = GROUP_LENGTH as u64;
const GROUP_LENGTH: usize = 8;
/// Pages of one request that are followed: 4 GiB. A damaged length must not take hours.
const PAGES_A_REQUEST_MAX: u64 = 1 << 20;
/// Different pages that are followed: 1 TiB.
const PAGES_MAX: u32 = 1 << 28;

#[derive(Clone, Copy, Debug, Default)]
struct Page {
    /// Where on the line of last uses; 0 before the first.
    slot: Slot,
    uses: u32,
}

/// A use of up to eight neighbouring pages, to be looked up with others.
#[derive(Clone, Copy, Debug)]
struct Use {
    time: Time,
    key: (u32, u64),
    from: u8,
    to: u8,
}

/// Uses looked up at a time: their lines stay in the first-level cache.
const USES_AT_A_TIME: usize = 128;

/// All pages of a level.
#[derive(Debug)]
pub(super) struct Pages {
    waiting: Vec<Use>,
    /// Entries of those waiting, and distances found; kept only for their memory.
    places: Vec<u32>,
    found: Vec<u32>,
    /// From a subject and the number of eight pages to their entry.
    index: FxHashMap<(u32, u64), u32>,
    entries: Vec<[Page; GROUP_LENGTH]>,
    recency: Recency,
    distances: StackDistances,
    windows: WorkingSets,
    not_followed: u64,
}

/// What is known of the pages of a level.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PageUse {
    /// Bytes of a page.
    pub page_bytes: u64,
    /// Uses of pages: a request uses every page that it touches.
    pub uses: u64,
    /// Different pages.
    pub pages: u64,
    /// Uses left out: parts of requests beyond 4 GiB, and pages beyond 1 TiB of different ones.
    pub not_followed: u64,
    /// Misses of an LRU cache over its size.
    pub miss_ratio: MissRatio,
    /// Different pages over time.
    pub working_set: WorkingSet,
    /// How unevenly the pages are used.
    pub popularity: Popularity,
}

impl Pages {
    pub(super) fn new() -> Self {
        Self {
            waiting: Vec::with_capacity(USES_AT_A_TIME),
            places: Vec::with_capacity(USES_AT_A_TIME),
            found: Vec::with_capacity(USES_AT_A_TIME * GROUP_LENGTH),
            index: FxHashMap::default(),
            entries: Vec::new(),
            recency: Recency::new(),
            distances: StackDistances::default(),
            windows: WorkingSets::new(),
            not_followed: 0,
        }
    }

    /// A request for `length` bytes from `offset`.
    #[inline]
    pub(super) fn request(&mut self, time: Time, subject: u32, offset: u64, length: u64) {
        if length == 0 {
            return;
        }
        let first = offset / PAGE_BYTES;
        let mut last = offset.saturating_add(length - 1) / PAGE_BYTES;
        if last - first >= PAGES_A_REQUEST_MAX {
            self.not_followed += last - first + 1 - PAGES_A_REQUEST_MAX;
            last = first + PAGES_A_REQUEST_MAX - 1;
        }
        for group in first / GROUP..=last / GROUP {
            let from = (first.max(group * GROUP) % GROUP) as u8;
            let to = (last.min(group * GROUP + GROUP - 1) % GROUP) as u8;
            self.waiting.push(Use { time, key: (subject, group), from, to });
            if self.waiting.len() == USES_AT_A_TIME {
                self.look_up();
            }
        }
    }

    /// Looks up all that wait: first their places, then their pages, then the order of uses, at last the counts.
    fn look_up(&mut self) {
        let entries = &mut self.entries;
        for waiting in &self.waiting {
            let place = *self.index.entry(waiting.key).or_insert_with(|| {
                entries.push([Page::default(); GROUP_LENGTH]);
                as_number(entries.len() - 1)
            });
            self.places.push(place);
        }
        // Only so that the entries are on their way from memory, all at once.
        let touched = self.places.iter().fold(0, |sum, place| sum ^ self.entries[*place as usize][0].slot);
        std::hint::black_box(touched);
        for number in 0..self.waiting.len() {
            self.take(self.waiting[number], self.places[number] as usize);
        }
        for distance in &self.found {
            self.distances.at(*distance);
        }
        self.waiting.clear();
        self.places.clear();
        self.found.clear();
    }

    #[inline]
    fn take(&mut self, waiting: Use, entry: usize) {
        self.windows.advance(waiting.time, self.recency.next(), u64::from(self.recency.live()));
        for page in waiting.from..=waiting.to {
            if self.recency.is_full() {
                self.draw_together();
            }
            let page = &mut self.entries[entry][page as usize];
            self.windows.used(page.slot);
            if page.slot == 0 {
                if self.recency.live() == PAGES_MAX {
                    self.not_followed += 1;
                    continue;
                }
                page.slot = self.recency.first_use();
                self.distances.cold();
            } else {
                let (slot, distance) = self.recency.use_again(page.slot);
                page.slot = slot;
                self.found.push(distance);
            }
            page.uses = page.uses.saturating_add(1);
        }
    }

    #[cold]
    fn draw_together(&mut self) {
        let pages = self.entries.iter_mut().flatten().filter(|page| page.slot != 0);
        for page in pages {
            page.slot = self.recency.rank(page.slot);
        }
        let recency = &self.recency;
        self.windows.move_beginnings(|slot| recency.rank(slot - 1) + 1);
        self.recency = self.recency.drawn_together();
    }

    /// `None` where no page was used.
    pub(super) fn finish(mut self) -> Option<PageUse> {
        self.look_up();
        let uses = self.distances.uses();
        if uses == 0 {
            return None;
        }
        Some(PageUse {
            page_bytes: PAGE_BYTES,
            uses,
            pages: u64::from(self.recency.live()),
            not_followed: self.not_followed,
            miss_ratio: self.distances.finish(),
            working_set: self.windows.finish(u64::from(self.recency.live())),
            popularity: popularity(
                self.entries.iter().flatten().map(|page| page.uses).filter(|uses| *uses > 0),
            ),
        })
    }

    /// Misses of an LRU cache of so many pages.
    #[cfg(test)]
    pub(super) fn misses(&mut self, pages: u64) -> u64 {
        self.look_up();
        self.distances.misses(pages)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::print_stdout)]
    use super::*;
    use proptest::prelude::*;
    use std::collections::{BTreeMap, HashMap};
    use std::io::Read;
    use std::path::PathBuf;

    /// Misses of an LRU cache of `size` pages, by a map from the time of the last use to the page.
    fn least_recently_used<P: Copy + Eq + std::hash::Hash>(uses: &[P], size: u64) -> u64 {
        let (mut by_time, mut last_use) = (BTreeMap::new(), HashMap::new());
        let mut misses = 0;
        for (time, page) in uses.iter().enumerate() {
            match last_use.insert(*page, time) {
                Some(before) => {
                    by_time.remove(&before);
                }
                None => misses += 1,
            }
            by_time.insert(time, *page);
            if by_time.len() as u64 > size {
                let (_, oldest) = by_time.pop_first().unwrap();
                last_use.remove(&oldest);
            }
        }
        misses
    }

    #[test]
    fn the_lru_curve_of_the_sprite_trace_is_that_of_an_independent_cache_at_every_size_tried() {
        let data = std::env::var_os("PETRIO_DATA").map_or_else(
            || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data")),
            PathBuf::from,
        );
        let path = data.join("traces/sprite/sprite.trace.gz");
        if !path.is_file() {
            println!(
                "skipped: the_lru_curve_of_the_sprite_trace_is_that_of_an_independent_cache_at_every_size_tried needs {}",
                path.display()
            );
            return;
        }
        let mut text = String::new();
        flate2::read::GzDecoder::new(std::fs::File::open(path).unwrap()).read_to_string(&mut text).unwrap();
        let blocks: Vec<u64> = text.lines().map(|line| line.trim().parse().unwrap()).collect();
        let mut pages = Pages::new();
        for block in &blocks {
            pages.request(Time::ZERO, 0, block * PAGE_BYTES, PAGE_BYTES);
        }
        for size in [1, 10, 100, 500, 1_000, 2_000, 3_000, 4_000, 5_000, 6_000, 7_000, 7_074, 7_075, 9_000] {
            assert_eq!(pages.misses(size), least_recently_used(&blocks, size), "{size} pages");
        }
        let found = pages.finish().unwrap();
        assert_eq!((found.uses, found.pages, found.miss_ratio.cold_misses), (133_996, 7_075, 7_075));
    }

    proptest! {
        #[test]
        fn the_lru_curve_is_that_of_a_naive_cache(
            requests in prop::collection::vec((0_u32..3, 0_u64..200_000, 0_u64..70_000), 1..400),
            sizes in prop::collection::vec(1_u64..120, 1..6),
        ) {
            let mut pages = Pages::new();
            let mut uses = Vec::new();
            for &(subject, offset, length) in &requests {
                pages.request(Time::ZERO, subject, offset, length);
                if length > 0 {
                    let last = (offset + length - 1) / PAGE_BYTES;
                    uses.extend((offset / PAGE_BYTES..=last).map(|page| (subject, page)));
                }
            }
            for size in sizes {
                prop_assert_eq!(pages.misses(size), least_recently_used(&uses, size));
            }
            let different: std::collections::HashSet<_> = uses.iter().collect();
            let found = pages.finish();
            prop_assert_eq!(found.as_ref().map_or(0, |found| found.pages), different.len() as u64);
            prop_assert_eq!(found.map_or(0, |found| found.uses), uses.len() as u64);
        }
    }

    #[test]
    fn the_curve_stays_exact_when_the_line_is_drawn_together() {
        let mut pages = Pages::new();
        // A generator of Lehmer's gives the pages, so that the line of 65,536 slots fills four times.
        let mut state = 1_u64;
        let uses: Vec<u64> = (0..300_000)
            .map(|_| {
                state = state * 48_271 % 2_147_483_647;
                state % 5_000
            })
            .collect();
        for page in &uses {
            pages.request(Time::ZERO, 1, page * PAGE_BYTES, 1);
        }
        for size in [100, 2_500, 4_999] {
            assert_eq!(pages.misses(size), least_recently_used(&uses, size), "{size} pages");
        }
    }

    #[test]
    fn a_request_beyond_all_bounds_is_counted_and_cut() {
        let mut pages = Pages::new();
        pages.request(Time::ZERO, 0, 0, u64::MAX);
        let found = pages.finish().unwrap();
        assert_eq!(found.uses, PAGES_A_REQUEST_MAX);
        assert_eq!(found.not_followed, u64::MAX / PAGE_BYTES + 1 - PAGES_A_REQUEST_MAX);
    }
}
