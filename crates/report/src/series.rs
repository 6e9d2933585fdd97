//! What happened when: throughput and queue over model time, in at most 600 intervals.
//!
//! When the run outgrows the intervals, pairs of them are joined and the interval doubles, so memory never grows with
//! the run. Each request costs a constant number of additions however long it stayed: an interval keeps how many
//! requests began and ended in it and how much of it lay after those moments, from which the mean number outstanding
//! follows exactly when the series is read.
//!
//! What a request moves is moved between its issue and its completion, as evenly as that allows for all of them together ([`evenly`]):
//! counted at its completion, a checkpoint of which all parts are over at once would pass links that never carried it.

use super::evenly::evenly;
use petrio_kernel::Time;
use petrio_units::numbers::{as_index, nearest_whole};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Figures of one interval of model time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Interval {
    /// Requests that completed in it.
    pub completed: u64,
    /// Bytes moved in it, of requests that completed before the run ended: as evenly as issues and completions allow, so that no
    /// interval has more than what carries them can have moved.
    pub bytes: u64,
    /// Mean number of requests outstanding, those that were still under way when the run ended among them.
    pub mean_outstanding: f64,
    /// Mean latency of the requests that completed in it, milliseconds; zero where none did.
    pub mean_latency_ms: f64,
}

/// Figures over model time, in intervals of equal length.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Series {
    /// When the first interval begins, seconds of model time.
    pub begin_s: f64,
    /// The length of an interval, seconds.
    pub interval_s: f64,
    /// How much of the last interval the run covered, seconds.
    pub last_interval_s: f64,
    /// The intervals.
    pub intervals: Vec<Interval>,
}

impl Series {
    /// When the last interval ends, seconds of model time.
    pub fn end_s(&self) -> f64 {
        match self.intervals.len() {
            0 => self.begin_s,
            count => self.begin_s + (count - 1) as f64 * self.interval_s + self.last_interval_s,
        }
    }
}

/// Collects a [`Series`] from completed requests in any order.
#[derive(Clone, Debug)]
pub struct SeriesCollector {
    begin: Time,
    end: Time,
    width: u64,
    cells: Vec<Cell>,
}

/// Sums over one interval; spans in picoseconds.
#[derive(Clone, Copy, Debug, Default)]
struct Cell {
    completed: u64,
    latency: u128,
    /// Bytes of the requests that began here, and of those that were over.
    asked: u64,
    moved: u64,
    began: u64,
    ended: u64,
    /// Over the requests that began here, the part of the interval after they began.
    after_begin: u128,
    /// Over the requests that ended here, the part of the interval after they ended.
    after_end: u128,
}

/// Memory is bounded by this, and a plot of a run has at least half as many points.
const INTERVALS_MAX: usize = 600;
/// One microsecond: a run too short for many of these has little to show over time.
const FIRST_WIDTH: u64 = 1_000_000;

impl SeriesCollector {
    /// Begins at a point in model time, the end of the warm-up.
    pub fn new(begin: Time) -> Self {
        Self { begin, end: begin, width: FIRST_WIDTH, cells: Vec::new() }
    }

    /// Adds a request. Of one issued before the beginning, the part since then counts.
    pub fn record(&mut self, issued: Time, completed: Time, bytes: u64) {
        let (first, last) = self.hold(issued, completed);
        self.end = self.end.max(completed);
        let cell = &mut self.cells[as_index(first.min(last))];
        cell.asked = cell.asked.saturating_add(bytes);
        let last = &mut self.cells[as_index(last)];
        last.moved = last.moved.saturating_add(bytes);
        last.completed += 1;
        last.latency += u128::from((completed - issued).as_picos());
    }

    /// Adds a request that is still under way at `end`, the end of what is measured.
    pub(crate) fn wait(&mut self, issued: Time, end: Time) {
        if issued < end {
            self.hold(issued, end);
            self.end = self.end.max(end);
        }
    }

    /// Notes that a request is outstanding between two times; the intervals in which it begins and ends.
    #[inline]
    fn hold(&mut self, issued: Time, until: Time) -> (u64, u64) {
        let begin = self.begin.as_picos();
        let from = issued.as_picos().saturating_sub(begin);
        let to = until.as_picos().saturating_sub(begin).max(from);
        // An end on the border of two intervals belongs to the one that it ends.
        self.reach(to.saturating_sub(1));
        let width = self.width;
        let after = |index: u64, position: u64| u128::from((index + 1) * width - position);
        let (first, last) = (from / width, to.saturating_sub(1) / width);
        if from < to {
            let cell = &mut self.cells[as_index(first)];
            cell.began += 1;
            cell.after_begin += after(first, from);
            let cell = &mut self.cells[as_index(last)];
            cell.ended += 1;
            cell.after_end += after(last, to);
        }
        (first, last)
    }

    /// Makes room for a position, doubling the interval as often as needed.
    fn reach(&mut self, position: u64) {
        while position / self.width >= INTERVALS_MAX as u64 {
            let width = u128::from(self.width);
            self.cells = self
                .cells
                .chunks(2)
                .map(|pair| {
                    let (a, b) = (pair[0], pair.get(1).copied().unwrap_or_default());
                    Cell {
                        completed: a.completed + b.completed,
                        latency: a.latency + b.latency,
                        asked: a.asked.saturating_add(b.asked),
                        moved: a.moved.saturating_add(b.moved),
                        began: a.began + b.began,
                        ended: a.ended + b.ended,
                        after_begin: a.after_begin + u128::from(a.began) * width + b.after_begin,
                        after_end: a.after_end + u128::from(a.ended) * width + b.after_end,
                    }
                })
                .collect();
            self.width *= 2;
        }
        let needed = as_index(position / self.width) + 1;
        if self.cells.len() < needed {
            self.cells.resize(needed, Cell::default());
        }
    }

    /// What is moved in each interval, of which so much belongs to the run; all of them together are what was moved.
    fn bytes_moved(&self, covered: impl Fn(usize) -> u128) -> Vec<u64> {
        let (mut position, mut bounds) = (0.0, [0u64; 2]);
        let (mut positions, mut all) = (vec![0.0], vec![[0.0; 2]]);
        for (index, cell) in self.cells.iter().enumerate() {
            // In intervals: what is over when an interval begins has moved before.
            position += covered(index).max(1) as f64 / self.width as f64;
            bounds = [bounds[0].saturating_add(cell.moved), bounds[1].saturating_add(cell.asked)];
            positions.push(position);
            all.push(bounds.map(|bytes| bytes as f64));
        }
        let course: Vec<u64> = evenly(&positions, &all).into_iter().map(nearest_whole).collect();
        course.windows(2).map(|two| two[1].saturating_sub(two[0])).collect()
    }

    /// The series up to `end`, the end of the run (at least the last completion).
    pub fn finish(mut self, end: Time) -> Series {
        let end = end.max(self.end).as_picos().saturating_sub(self.begin.as_picos());
        if end > 0 {
            self.reach(end - 1);
        }
        let width = u128::from(self.width);
        let covered =
            |index: usize| (u128::from(end) - (index as u128 * width).min(u128::from(end))).min(width);
        let bytes = self.bytes_moved(covered);
        let mut outstanding = 0u128;
        let mut intervals = Vec::with_capacity(self.cells.len());
        for (index, cell) in self.cells.iter().enumerate() {
            // What a request would still hold of this interval after its end is taken off again, so the part of the
            // last interval beyond the end of the run cancels out.
            let held = outstanding * width + cell.after_begin - cell.after_end;
            outstanding = outstanding + u128::from(cell.began) - u128::from(cell.ended);
            let span = covered(index).max(1);
            intervals.push(Interval {
                completed: cell.completed,
                bytes: bytes.get(index).copied().unwrap_or_default(),
                mean_outstanding: held as f64 / span as f64,
                mean_latency_ms: match cell.completed {
                    0 => 0.0,
                    completed => cell.latency as f64 / 1e9 / completed as f64,
                },
            });
        }
        let last = intervals.len().checked_sub(1).map_or(0, covered);
        Series {
            begin_s: self.begin.as_seconds(),
            interval_s: self.width as f64 / 1e12,
            last_interval_s: last as f64 / 1e12,
            intervals,
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use proptest::prelude::*;

    /// The same figures by adding up every request's overlap with every interval.
    fn overlaps(requests: &[(u64, u64)], series: &Series) -> Vec<f64> {
        let width = (series.interval_s * 1e12) as u64;
        (0..series.intervals.len() as u64)
            .map(|k| {
                let (low, high) = (k * width, (k + 1) * width);
                let held: u64 = requests.iter().map(|&(a, b)| b.min(high).saturating_sub(a.max(low))).sum();
                let span = if k + 1 == series.intervals.len() as u64 {
                    series.last_interval_s
                } else {
                    series.interval_s
                };
                held as f64 / (span * 1e12)
            })
            .collect()
    }

    proptest! {
        #[test]
        fn outstanding_requests_equal_the_sum_of_overlaps(
            requests in prop::collection::vec((0u64..40_000_000_000, 0u64..3_000_000_000), 1..80)
        ) {
            let spans: Vec<(u64, u64)> = requests.iter().map(|&(at, length)| (at, at + length)).collect();
            let mut collector = SeriesCollector::new(Time::ZERO);
            for &(from, to) in &spans {
                collector.record(Time::from_picos(from), Time::from_picos(to), 512);
            }
            let series = collector.finish(Time::ZERO);
            prop_assert!(series.intervals.len() <= INTERVALS_MAX);
            prop_assert_eq!(series.intervals.iter().map(|i| i.completed).sum::<u64>(), spans.len() as u64);
            for (interval, expected) in series.intervals.iter().zip(overlaps(&spans, &series)) {
                let tolerance = 1e-9 * expected.max(1.0);
                prop_assert!((interval.mean_outstanding - expected).abs() <= tolerance, "{} {expected}", interval.mean_outstanding);
            }
        }
    }

    proptest! {
        /// A link that serves one after the other, whoever asks at once: no interval has more than it passes, and at each border no more
        /// has been moved than had been asked for, and no less than was over.
        #[test]
        fn what_is_moved_is_moved_between_issue_and_completion_and_no_faster_than_a_link_does(
            requests in prop::collection::vec((0u64..2_000_000_000, 0u64..1 << 20), 1..200)
        ) {
            // Picoseconds a byte.
            const SLOW: u64 = 1_000;
            let (mut now, mut free) = (0, 0);
            let mut collector = SeriesCollector::new(Time::ZERO);
            let mut served = Vec::new();
            for &(pause, bytes) in &requests {
                now += pause;
                free = free.max(now) + bytes * SLOW;
                collector.record(Time::from_picos(now), Time::from_picos(free), bytes);
                served.push((now, free, bytes));
            }
            let series = collector.finish(Time::ZERO);
            let all: u64 = requests.iter().map(|&(.., bytes)| bytes).sum();
            prop_assert_eq!(series.intervals.iter().map(|interval| interval.bytes).sum::<u64>(), all);
            let (width, last) = (series.interval_s * 1e12, series.intervals.len() - 1);
            let mut moved = 0;
            for (number, interval) in series.intervals.iter().enumerate() {
                let wide = if number == last { series.last_interval_s * 1e12 } else { width };
                prop_assert!(interval.bytes as f64 <= wide / SLOW as f64 + 2.0, "{number}: {interval:?} {wide}");
                moved += interval.bytes;
                let border = number as f64 * width + wide;
                let sum = |by: &dyn Fn(&(u64, u64, u64)) -> bool| -> u64 {
                    served.iter().filter(|one| by(one)).map(|&(.., bytes)| bytes).sum()
                };
                let (asked, over) = (sum(&|one| (one.0 as f64) < border), sum(&|one| one.1 as f64 <= border));
                prop_assert!(over <= moved + 1 && moved <= asked + 1, "{number}: {over} {moved} {asked}");
            }
        }
    }

    #[test]
    fn many_that_complete_at_once_make_no_peak() {
        let mut collector = SeriesCollector::new(Time::ZERO);
        (0..64).for_each(|_| collector.record(Time::ZERO, Time::from_whole_seconds(10), 100_000_000));
        let series = collector.finish(Time::ZERO);
        let rates =
            series.intervals.iter().take(300).map(|interval| interval.bytes as f64 / series.interval_s);
        rates.for_each(|rate| assert!((rate - 640e6).abs() < 1e3, "{rate}"));
    }

    #[test]
    fn a_year_long_run_has_no_more_intervals_than_a_short_one() {
        let mut collector = SeriesCollector::new(Time::ZERO);
        for second in 0..200_000u64 {
            let at = Time::from_whole_seconds(second * 90);
            collector.record(at, at + Time::from_millis(5), 4_096);
        }
        let series = collector.finish(Time::ZERO);
        assert!((INTERVALS_MAX / 2..=INTERVALS_MAX).contains(&series.intervals.len()));
        assert_eq!(series.intervals.iter().map(|interval| interval.bytes).sum::<u64>(), 200_000 * 4_096);
    }

    #[test]
    fn requests_issued_in_the_warm_up_count_from_its_end() {
        let mut collector = SeriesCollector::new(Time::from_micros(10));
        collector.record(Time::from_micros(4), Time::from_micros(14), 512);
        let series = collector.finish(Time::from_micros(18));
        let held: f64 =
            series.intervals.iter().map(|interval| interval.mean_outstanding * series.interval_s).sum();
        assert!((held - 4e-6).abs() < 1e-15, "{held}");
    }
}
