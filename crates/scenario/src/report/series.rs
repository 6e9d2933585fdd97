//! What happened when: throughput and queue over model time, in at most 600 intervals.
//!
//! When the run outgrows the intervals, pairs of them are joined and the interval doubles, so memory never grows with
//! the run. Each request costs a constant number of additions however long it stayed: an interval keeps how many
//! requests began and ended in it and how much of it lay after those moments, from which the mean number outstanding
//! follows exactly when the series is read.
//!
//! What a request moves is moved between its issue and its completion, evenly for all that is known here: counted at its
//! completion, a checkpoint of which all parts are over at once would pass links that never carried it.

use petrio_kernel::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Figures of one interval of model time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Interval {
    /// Requests that completed in it.
    pub completed: u64,
    /// Bytes moved in it, those of each request evenly from its issue to its completion; of requests that completed
    /// before the run ended.
    pub bytes: u64,
    /// Mean number of requests outstanding, of those that completed before the run ended.
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
    pub(crate) fn end_s(&self) -> f64 {
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
    /// What was moved, in parts of a byte.
    moved: u128,
    /// What those move in each interval whole that began to do so with this one, and those that no longer do from it on.
    begins_to_move: u128,
    ends_to_move: u128,
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
/// Parts of a byte that are told apart, as a power of two: sums of them are exact, in whichever order they come.
const PARTS: u32 = 16;

impl SeriesCollector {
    /// Begins at a point in model time, the end of the warm-up.
    pub fn new(begin: Time) -> Self {
        Self { begin, end: begin, width: FIRST_WIDTH, cells: Vec::new() }
    }

    /// Adds a request. Of one issued before the beginning, the part since then counts.
    pub fn record(&mut self, issued: Time, completed: Time, bytes: u64) {
        let begin = self.begin.as_picos();
        let from = issued.as_picos().saturating_sub(begin);
        let to = completed.as_picos().saturating_sub(begin).max(from);
        // A completion on the border of two intervals belongs to the one that it ends.
        self.reach(to.saturating_sub(1));
        self.end = self.end.max(completed);
        let width = self.width;
        let after = |index: u64, position: u64| u128::from((index + 1) * width - position);
        let (first, last) = (from / width, to.saturating_sub(1) / width);
        if from < to {
            let cell = &mut self.cells[first as usize];
            cell.began += 1;
            cell.after_begin += after(first, from);
            let cell = &mut self.cells[last as usize];
            cell.ended += 1;
            cell.after_end += after(last, to);
        }
        self.moves((from, to), (first.min(last), last), bytes);
        let last = &mut self.cells[last as usize];
        last.completed += 1;
        last.latency += u128::from((completed - issued).as_picos());
    }

    /// Spreads what a request moves over its span, which lies in these intervals.
    fn moves(&mut self, (from, to): (u64, u64), (first, last): (u64, u64), bytes: u64) {
        let (all, width) = (u128::from(bytes) << PARTS, self.width);
        if first == last {
            self.cells[last as usize].moved += all;
            return;
        }
        let length = u128::from(to - from);
        let part = |span: u64| match all.checked_mul(u128::from(span)) {
            Some(product) => product / length,
            None => all / length * u128::from(span),
        };
        let (begin, whole) = (part((first + 1) * width - from), part(width));
        self.cells[first as usize].moved += begin;
        self.cells[first as usize + 1].begins_to_move += whole;
        self.cells[last as usize].ends_to_move += whole;
        self.cells[last as usize].moved += all - begin - whole * u128::from(last - first - 1);
    }

    /// What is moved in each interval, as one sum.
    fn settle(&mut self) {
        let mut going_on = 0;
        for cell in &mut self.cells {
            going_on = going_on + cell.begins_to_move - cell.ends_to_move;
            cell.moved += going_on;
            (cell.begins_to_move, cell.ends_to_move) = (0, 0);
        }
    }

    /// Makes room for a position, doubling the interval as often as needed.
    fn reach(&mut self, position: u64) {
        while position / self.width >= INTERVALS_MAX as u64 {
            self.settle();
            let width = u128::from(self.width);
            self.cells = self
                .cells
                .chunks(2)
                .map(|pair| {
                    let (a, b) = (pair[0], pair.get(1).copied().unwrap_or_default());
                    Cell {
                        completed: a.completed + b.completed,
                        latency: a.latency + b.latency,
                        moved: a.moved + b.moved,
                        begins_to_move: 0,
                        ends_to_move: 0,
                        began: a.began + b.began,
                        ended: a.ended + b.ended,
                        after_begin: a.after_begin + u128::from(a.began) * width + b.after_begin,
                        after_end: a.after_end + u128::from(a.ended) * width + b.after_end,
                    }
                })
                .collect();
            self.width *= 2;
        }
        let needed = (position / self.width) as usize + 1;
        if self.cells.len() < needed {
            self.cells.resize(needed, Cell::default());
        }
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
        self.settle();
        let (mut moved, mut told) = (0u128, 0u64);
        let mut outstanding = 0u128;
        let mut intervals = Vec::with_capacity(self.cells.len());
        for (index, cell) in self.cells.iter().enumerate() {
            // What a request would still hold of this interval after its end is taken off again, so the part of the
            // last interval beyond the end of the run cancels out.
            let held = outstanding * width + cell.after_begin - cell.after_end;
            outstanding = outstanding + u128::from(cell.began) - u128::from(cell.ended);
            let span = covered(index).max(1);
            // Rounded so that all of them together are what was moved.
            moved += cell.moved;
            let until = u64::try_from((moved + (1 << (PARTS - 1))) >> PARTS).unwrap_or(u64::MAX);
            let bytes = until - std::mem::replace(&mut told, until);
            intervals.push(Interval {
                completed: cell.completed,
                bytes,
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
        #[test]
        fn what_is_moved_is_moved_between_issue_and_completion(
            requests in prop::collection::vec((0u64..40_000_000_000, 1u64..30_000_000_000, 0u64..1 << 30), 1..80)
        ) {
            let mut collector = SeriesCollector::new(Time::ZERO);
            for &(at, length, bytes) in &requests {
                collector.record(Time::from_picos(at), Time::from_picos(at + length), bytes);
            }
            let series = collector.finish(Time::ZERO);
            let all: u64 = requests.iter().map(|&(.., bytes)| bytes).sum();
            prop_assert_eq!(series.intervals.iter().map(|interval| interval.bytes).sum::<u64>(), all);
            let width = series.interval_s * 1e12;
            for (number, interval) in series.intervals.iter().enumerate() {
                let (low, high) = (number as f64 * width, (number + 1) as f64 * width);
                let overlap = |&(at, length, bytes): &(u64, u64, u64)| {
                    let (from, to) = (at as f64, (at + length) as f64);
                    bytes as f64 * (to.min(high) - from.max(low)).max(0.0) / length as f64
                };
                let expected: f64 = requests.iter().map(overlap).sum();
                prop_assert!((interval.bytes as f64 - expected).abs() < 2.0 + 1e-9 * expected, "{number}: {interval:?} {expected}");
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
