//! The miss ratio of an LRU cache over its size, exact at every size, from one pass.
//!
//! A use hits in every cache of at least as many pages as its stack distance. Uses of pages that were never used before
//! are cold misses, which no size avoids; they stand apart.
//!
//! Source: R. L. Mattson, J. Gecsei, D. R. Slutz, I. L. Traiger, *Evaluation techniques for storage hierarchies*, IBM
//! Systems Journal 9 (2), 1970.

use petrio_units::numbers::whole_part;
use serde::Serialize;
use std::collections::BTreeMap;
use std::ops::Range;

/// Bytes of a page: that of the kernels and caches of today.
pub const PAGE_BYTES: u64 = 4096;

/// Sizes of the curve for each doubling.
const SIZES_A_DOUBLING: i32 = 4;

/// How many uses were at each stack distance.
#[derive(Debug, Default)]
pub(super) struct StackDistances {
    /// At index d − 1 the uses at distance d, modulo 2³²: small counts keep more of them in the processor's caches.
    uses: Vec<u32>,
    /// How often a count began anew, by its index.
    wrapped: BTreeMap<usize, u64>,
    cold: u64,
    warm: u64,
}

impl StackDistances {
    #[inline]
    pub(super) fn cold(&mut self) {
        self.cold += 1;
    }

    #[inline]
    pub(super) fn at(&mut self, distance: u32) {
        let index = distance as usize - 1;
        if index >= self.uses.len() {
            self.uses.resize((index + 1).next_power_of_two(), 0);
        }
        let count = &mut self.uses[index];
        *count = count.wrapping_add(1);
        if *count == 0 {
            *self.wrapped.entry(index).or_default() += 1;
        }
        self.warm += 1;
    }

    pub(super) const fn uses(&self) -> u64 {
        self.cold + self.warm
    }

    /// Misses of a cache of so many pages.
    #[cfg(test)]
    pub(super) fn misses(&self, pages: u64) -> u64 {
        let beyond = usize::try_from(pages).unwrap_or(usize::MAX).min(self.uses.len());
        self.cold + self.sum(beyond..self.uses.len())
    }

    /// Uses at distances with these indices.
    fn sum(&self, indices: Range<usize>) -> u64 {
        let wrapped: u64 = self.wrapped.range(indices.clone()).map(|(_, times)| times << 32).sum();
        wrapped + self.uses[indices].iter().map(|uses| u64::from(*uses)).sum::<u64>()
    }

    pub(super) fn finish(&self) -> MissRatio {
        let last = self.uses.iter().rposition(|uses| *uses > 0).map_or(0, |index| index as u64 + 1);
        let last = last.max(self.wrapped.last_key_value().map_or(0, |(index, _)| *index as u64 + 1));
        let mut points = Vec::new();
        let mut hits = 0;
        let mut next = 0_usize;
        for pages in sizes(last) {
            let until = usize::try_from(pages).unwrap_or(usize::MAX).min(self.uses.len());
            hits += self.sum(next..until);
            next = until;
            let misses = self.uses() - hits;
            points.push(MissRatioPoint {
                pages,
                bytes: pages * PAGE_BYTES,
                misses,
                miss_ratio: misses as f64 / self.uses().max(1) as f64,
            });
        }
        MissRatio { cold_misses: self.cold, points }
    }
}

/// 1, 2, … with at most four sizes a doubling, and the smallest that avoids all but the cold misses.
fn sizes(last: u64) -> Vec<u64> {
    let step =
        |number: i32| whole_part(libm::round(libm::exp2(f64::from(number) / f64::from(SIZES_A_DOUBLING))));
    let mut sizes: Vec<u64> = (0..i32::MAX).map(step).take_while(|size| *size < last).collect();
    sizes.push(last.max(1));
    sizes.dedup();
    sizes
}

/// Misses of an LRU cache over its size.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MissRatio {
    /// First uses of pages, which miss in a cache of any size.
    pub cold_misses: u64,
    /// Rising sizes, from one page to the smallest cache in which only cold misses remain.
    pub points: Vec<MissRatioPoint>,
}

/// An LRU cache of one size.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct MissRatioPoint {
    /// Its size in pages.
    pub pages: u64,
    /// Its size in bytes.
    pub bytes: u64,
    /// Uses of pages that miss, cold ones included. Exact.
    pub misses: u64,
    /// Misses over uses.
    pub miss_ratio: f64,
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn the_curve_ends_where_only_cold_misses_remain() {
        // a b a b c c: cold a, b, c; a and b at distance 2, c at 1.
        let mut distances = StackDistances::default();
        (0..3).for_each(|_| distances.cold());
        [2, 2, 1].into_iter().for_each(|distance| distances.at(distance));
        let found = distances.finish();
        assert_eq!(found.cold_misses, 3);
        let points: Vec<(u64, u64)> = found.points.iter().map(|point| (point.pages, point.misses)).collect();
        assert_eq!(points, [(1, 5), (2, 3)]);
        assert_eq!(found.points[1].miss_ratio, 0.5);
        assert_eq!(found.points[1].bytes, 8192);
    }

    #[test]
    fn a_count_beyond_32_bits_is_exact() {
        let mut distances = StackDistances::default();
        distances.cold();
        (0..3).for_each(|_| distances.at(2));
        distances.uses[1] = u32::MAX;
        distances.at(2);
        distances.warm = 1 << 32;
        assert_eq!((distances.misses(1), distances.misses(2)), ((1 << 32) + 1, 1));
        assert_eq!(distances.finish().points.last().map(|point| (point.pages, point.misses)), Some((2, 1)));
    }

    #[test]
    fn a_trace_without_reuse_has_cold_misses_only() {
        let mut distances = StackDistances::default();
        distances.cold();
        assert_eq!(distances.finish().points.first().map(|point| point.miss_ratio), Some(1.0));
    }

    #[test]
    fn sizes_rise_and_end_at_the_last() {
        let sizes = sizes(1_000_000);
        assert!(sizes.windows(2).all(|pair| pair[0] < pair[1]));
        assert_eq!((sizes[0], *sizes.last().unwrap()), (1, 1_000_000));
        assert!(sizes.len() < 100);
    }
}
