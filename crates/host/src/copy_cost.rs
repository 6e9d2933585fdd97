//! What a copy between a process and the page cache takes.
//!
//! The rule of the dissertation (§4.5): of a call that copies more than the second-level cache has room for, the pages
//! beyond S_threshold come from memory, and the average page takes t = (S_threshold/S_page · T_L2 + x · T_memory) /
//! (S_threshold/S_page + x). A measured curve is interpolated bilinearly in the logarithms of both sizes. Leaves out
//! what other processes do to the caches at the same time.

use super::machine::{CopyCosts, CopyCurve, CopyPoint, MachineParameters};
use petrio_kernel::Time;
use petrio_persist::Persist;
use petrio_units::Bytes;
use petrio_units::numbers::whole_part;

/// Bytes of a page of memory.
pub const PAGE_BYTES: u64 = 4096;

/// A call may copy one of so many parts of the second-level cache before the rest comes from memory: table 2 of the
/// dissertation, of caches of 512 KiB to 4 MiB.
const CACHE_PARTS: u64 = 8;

/// A copy curve that is ready to be asked.
#[derive(Clone, Debug, Persist)]
pub struct CopyCost {
    shape: Shape,
    /// The last answer: calls of a stream all ask the same.
    last: (u64, u64, f64),
    counts: CopyCounts,
}

/// Bytes that were copied.
#[derive(Clone, Copy, Debug, Default, PartialEq, Persist)]
pub struct CopyCounts {
    /// All.
    pub bytes: u64,
    /// Those that the second-level cache hadn't, by the rule of §4.5.
    pub from_memory: f64,
}

#[derive(Clone, Debug, Persist)]
enum Shape {
    Threshold { threshold_pages: f64, in_l2: f64, from_memory: f64 },
    Grid { blocks: Vec<f64>, footprints: Vec<f64>, pages: Vec<f64> },
}

/// Why a copy curve can't be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CopyCurveError {
    /// No points.
    #[error("the copy curve has no points")]
    Empty,
    /// Not every block size was measured with every footprint.
    #[error(
        "the copy curve has {points} points for {blocks} block sizes and {footprints} footprints; it must have one for each pair"
    )]
    NotAGrid {
        /// Points given.
        points: usize,
        /// Different block sizes.
        blocks: usize,
        /// Different footprints.
        footprints: usize,
    },
    /// Nobody says what the second-level cache holds.
    #[error(
        "its copies have a threshold, and neither that nor l2 says where; give it l2, the second-level cache"
    )]
    NoThreshold,
    /// A second-level cache from which nothing follows.
    #[error("l2 changes nothing: its copies were measured, or their thresholds are given; leave it out")]
    UnusedCache,
    /// A size of nothing.
    #[error("the copy curve has a point of size 0; sizes begin at 1 B")]
    Zero,
}

impl CopyCost {
    /// The curves of a machine: to processes, and from them.
    ///
    /// # Errors
    /// As of [`new`](Self::new), and a second-level cache from which neither follows.
    pub fn of(machine: &MachineParameters) -> Result<(Self, Self), CopyCurveError> {
        let CopyCosts { to_user, from_user } = &machine.copy;
        let follows = |curve: &CopyCurve| matches!(curve, CopyCurve::Threshold { threshold: None, .. });
        if machine.l2.is_some() && !follows(to_user) && !follows(from_user) {
            return Err(CopyCurveError::UnusedCache);
        }
        Ok((Self::new(to_user, machine.l2)?, Self::new(from_user, machine.l2)?))
    }

    /// The largest call for which a machine's copies to processes stay within its second-level cache, where they follow
    /// the rule.
    pub fn knee_of(machine: &MachineParameters) -> Option<Bytes> {
        match (&machine.copy.to_user, machine.l2) {
            (CopyCurve::Threshold { threshold: Some(threshold), .. }, _) => Some(*threshold),
            (CopyCurve::Threshold { threshold: None, .. }, Some(l2)) => Some(Bytes(l2.get() / CACHE_PARTS)),
            _ => None,
        }
    }

    /// Prepares a curve of a machine with such a second-level cache.
    ///
    /// # Errors
    /// Measured points that are no full grid of block sizes and footprints; a threshold that nothing tells.
    pub fn new(curve: &CopyCurve, l2: Option<Bytes>) -> Result<Self, CopyCurveError> {
        let shape = match curve {
            CopyCurve::Threshold { threshold, page_in_l2, page_from_memory } => Shape::Threshold {
                threshold_pages: match (threshold, l2) {
                    (Some(threshold), _) => threshold.get() as f64,
                    (None, Some(l2)) => l2.get() as f64 / CACHE_PARTS as f64,
                    (None, None) => return Err(CopyCurveError::NoThreshold),
                } / PAGE_BYTES as f64,
                in_l2: page_in_l2.time().as_picos() as f64,
                from_memory: page_from_memory.time().as_picos() as f64,
            },
            CopyCurve::Measured { points } => grid(points)?,
        };
        Ok(Self { shape, last: (0, 0, 0.0), counts: CopyCounts::default() })
    }

    /// Time to copy `bytes` in a call of `block` bytes that walks through `footprint` bytes.
    pub fn time(&mut self, bytes: u64, block: u64, footprint: u64) -> Time {
        if (self.last.0, self.last.1) != (block, footprint) {
            self.last = (block, footprint, self.page_picos(block, footprint));
        }
        self.counts.bytes += bytes;
        if let Shape::Threshold { threshold_pages, .. } = self.shape {
            let pages = block as f64 / PAGE_BYTES as f64;
            let beyond = (pages - threshold_pages).max(0.0) / pages.max(threshold_pages);
            self.counts.from_memory += bytes as f64 * beyond;
        }
        Time::from_picos(whole_part(self.last.2 * bytes as f64 / PAGE_BYTES as f64))
    }

    /// The same of somebody who doesn't count what was copied.
    pub fn of_call(&self, bytes: u64, block: u64, footprint: u64) -> Time {
        Time::from_picos(whole_part(self.page_picos(block, footprint) * bytes as f64 / PAGE_BYTES as f64))
    }

    /// What it has been asked for so far.
    pub fn counts(&self) -> CopyCounts {
        self.counts
    }

    /// Whether it knows what comes from memory, as a curve with a threshold does; measured ones hold only what it takes.
    pub fn knows_misses(&self) -> bool {
        matches!(self.shape, Shape::Threshold { .. })
    }

    /// Picoseconds for the average page.
    fn page_picos(&self, block: u64, footprint: u64) -> f64 {
        match &self.shape {
            Shape::Threshold { threshold_pages, in_l2, from_memory } => {
                let beyond = block as f64 / PAGE_BYTES as f64 - threshold_pages;
                if beyond <= 0.0 {
                    *in_l2
                } else {
                    (threshold_pages * in_l2 + beyond * from_memory) / (threshold_pages + beyond)
                }
            }
            Shape::Grid { blocks, footprints, pages } => {
                let (row, down) = position(blocks, block);
                let (column, across) = position(footprints, footprint);
                let width = footprints.len();
                let at = |row: usize, column: usize| {
                    pages[row.min(blocks.len() - 1) * width + column.min(width - 1)]
                };
                let upper = at(row, column) * (1.0 - across) + at(row, column + 1) * across;
                let lower = at(row + 1, column) * (1.0 - across) + at(row + 1, column + 1) * across;
                upper * (1.0 - down) + lower * down
            }
        }
    }
}

fn grid(points: &[CopyPoint]) -> Result<Shape, CopyCurveError> {
    if points.is_empty() {
        return Err(CopyCurveError::Empty);
    }
    if points.iter().any(|point| point.block.get() == 0 || point.footprint.get() == 0) {
        return Err(CopyCurveError::Zero);
    }
    let distinct = |of: fn(&CopyPoint) -> u64| {
        let mut sizes: Vec<u64> = points.iter().map(of).collect();
        sizes.sort_unstable();
        sizes.dedup();
        sizes
    };
    let (blocks, footprints) = (distinct(|point| point.block.get()), distinct(|point| point.footprint.get()));
    let mut sorted: Vec<&CopyPoint> = points.iter().collect();
    sorted.sort_by_key(|point| (point.block.get(), point.footprint.get()));
    sorted.dedup_by_key(|point| (point.block.get(), point.footprint.get()));
    if sorted.len() != points.len() || points.len() != blocks.len() * footprints.len() {
        let (points, blocks, footprints) = (points.len(), blocks.len(), footprints.len());
        return Err(CopyCurveError::NotAGrid { points, blocks, footprints });
    }
    let logarithms = |sizes: Vec<u64>| sizes.into_iter().map(|size| libm::log(size as f64)).collect();
    Ok(Shape::Grid {
        blocks: logarithms(blocks),
        footprints: logarithms(footprints),
        pages: sorted.iter().map(|point| point.page.time().as_picos() as f64).collect(),
    })
}

/// The interval of a size and how far into it the size lies, from 0 to 1; beyond the ends, the end.
pub(super) fn position(logarithms: &[f64], size: u64) -> (usize, f64) {
    let at = libm::log(size.max(1) as f64);
    let above = logarithms.partition_point(|&known| known <= at);
    if above == 0 {
        return (0, 0.0);
    }
    if above == logarithms.len() {
        return (above - 1, 0.0);
    }
    let (low, high) = (logarithms[above - 1], logarithms[above]);
    (above - 1, (at - low) / (high - low))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn threshold() -> CopyCost {
        CopyCost::new(&rule(Some("64 KiB")), None).unwrap()
    }

    fn rule(threshold: Option<&str>) -> CopyCurve {
        CopyCurve::Threshold {
            threshold: threshold.map(|threshold| threshold.parse().unwrap()),
            page_in_l2: "1 us".parse().unwrap(),
            page_from_memory: "3 us".parse().unwrap(),
        }
    }

    #[test]
    fn copies_slow_down_where_table_2_of_the_dissertation_says() {
        for (cache, knee) in [(512, 64), (1024, 128), (2048, 256), (4096, 512)] {
            let mut cost = CopyCost::new(&rule(None), Some(Bytes::from_kib(cache))).unwrap();
            let mut page = |kib: u64| cost.time(4096, kib << 10, 1 << 30);
            assert_eq!(page(knee), Time::from_micros(1), "{cache} KiB");
            assert!(page(knee + 4) > Time::from_micros(1), "{cache} KiB");
        }
        assert_eq!(CopyCost::new(&rule(None), None).unwrap_err(), CopyCurveError::NoThreshold);
    }

    #[test]
    fn a_cache_from_which_nothing_follows_is_refused() {
        let text = include_str!("../../../catalogue/machines/poweredge-1850.toml");
        let machine: MachineParameters = toml::from_str(text).unwrap();
        assert!(CopyCost::of(&machine).is_ok());
        let given = CopyCosts { to_user: rule(Some("64 KiB")), from_user: rule(Some("64 KiB")) };
        let refused = CopyCost::of(&MachineParameters { copy: given, ..machine }).unwrap_err();
        assert_eq!(refused, CopyCurveError::UnusedCache);
    }

    #[test]
    fn calls_within_the_threshold_copy_at_the_speed_of_the_second_level_cache() {
        assert_eq!(threshold().time(65_536, 65_536, 1 << 30), Time::from_micros(16));
    }

    #[test]
    fn twice_the_threshold_takes_the_mean_of_both_and_very_long_calls_approach_memory() {
        // 16 pages at 1 µs and 16 at 3 µs.
        assert_eq!(threshold().time(131_072, 131_072, 1 << 30), Time::from_micros(64));
        let page = threshold().time(4096, 1 << 30, 1 << 30).as_micros();
        assert!((2.99..3.0).contains(&page), "{page}");
    }

    fn point(block: &str, footprint: &str, page: &str) -> CopyPoint {
        CopyPoint {
            block: block.parse().unwrap(),
            footprint: footprint.parse().unwrap(),
            page: page.parse().unwrap(),
        }
    }

    #[test]
    fn between_measured_points_the_time_is_interpolated_and_beyond_them_it_stays() {
        let points = vec![
            point("4 KiB", "1 MiB", "100 ns"),
            point("64 KiB", "1 MiB", "200 ns"),
            point("4 KiB", "64 MiB", "300 ns"),
            point("64 KiB", "64 MiB", "400 ns"),
        ];
        let mut cost = CopyCost::new(&CopyCurve::Measured { points }, None).unwrap();
        let page = |cost: &mut CopyCost, block, footprint| cost.time(4096, block, footprint).as_picos();
        assert_eq!(page(&mut cost, 4096, 1 << 20), 100_000);
        assert_eq!(page(&mut cost, 16_384, 8 << 20), 250_000);
        assert_eq!(page(&mut cost, 1, 1), 100_000);
        assert_eq!(page(&mut cost, 1 << 40, 1 << 40), 400_000);
    }

    #[test]
    fn a_grid_with_a_hole_is_refused() {
        let points = vec![point("4 KiB", "1 MiB", "1 us"), point("8 KiB", "2 MiB", "1 us")];
        let error = CopyCost::new(&CopyCurve::Measured { points }, None).unwrap_err();
        assert_eq!(error, CopyCurveError::NotAGrid { points: 2, blocks: 2, footprints: 2 });
    }
}
