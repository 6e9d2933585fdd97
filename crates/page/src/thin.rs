//! What a screen can't show is left out: digits beyond those that can be seen, and points that lie within others. What is extreme stays.

use petrio_time::numbers::{as_index, signed_whole_part, whole_part};
use serde::{Serialize, Serializer};

/// Points of a line that are kept: more than a figure has pixels to tell apart.
const POINTS_MAX: usize = 480;
/// Parts of a figure's length, and of a value, that can be told apart: the digits that are told beside the pointer.
const RESOLUTION: f64 = 5e3;
/// Lines on which many numbers lie: several for each that a screen has there, so that one may look closer.
const LINES: f64 = 4_000.0;

/// A number in the digits that can be seen.
pub(crate) struct Readable(f64);

impl Serialize for Readable {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // Whole numbers without a point; what isn't a number as `null`.
        if self.0.fract() == 0.0 && self.0.abs() < 9e15 {
            serializer.serialize_i64(signed_whole_part(self.0))
        } else {
            serializer.serialize_f64(self.0)
        }
    }
}

/// A value so exact that neither it nor its place within `span` is seen to differ.
pub(crate) fn rounded(value: f64, span: f64) -> Readable {
    let size = value.abs();
    if !value.is_finite() || size == 0.0 {
        return Readable(value);
    }
    let error = size.min(if span > 0.0 { span } else { size }) / RESOLUTION;
    let digits = as_index(whole_part(libm::ceil(libm::log10(size / error)))).clamp(1, 17);
    Readable(format!("{value:.*e}", digits - 1).parse().unwrap_or(value))
}

/// Numbers as they go into a page: each in the digits that can be seen, or, of many, by the lines of a fine grid.
pub(crate) struct Numbers<'v>(pub(crate) &'v [f64]);

impl Serialize for Numbers<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if let Some(grid) = OnGrid::of(self.0) {
            return grid.serialize(serializer);
        }
        let finite = || self.0.iter().copied().filter(|value| value.is_finite());
        let span = finite().fold(f64::NEG_INFINITY, f64::max) - finite().fold(f64::INFINITY, f64::min);
        serializer.collect_seq(self.0.iter().map(|value| rounded(*value, span)))
    }
}

/// So few numbers take no room.
const FEW: usize = 16;
/// Whole numbers below are counts, which are told in full, and short.
const COUNTS: f64 = 1e6;
/// Numbers of which the greatest is so many times the least lie on a grid of equal ratios.
const RATIO: f64 = 50.0;

/// Many numbers by the lines of a fine grid on which they lie, each as its distance from the one before: few digits for each. The grid's
/// lines are equally far from each other, or in equal ratios.
#[derive(Serialize)]
struct OnGrid {
    from: f64,
    step: f64,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    ratios: bool,
    by: Vec<i64>,
}

impl OnGrid {
    fn of(values: &[f64]) -> Option<Self> {
        let from = values.iter().copied().fold(f64::INFINITY, f64::min);
        let to = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let is_counted = to < COUNTS && values.iter().all(|value| value.fract() == 0.0);
        if values.len() < FEW || values.iter().any(|value| !value.is_finite()) {
            return None;
        }
        if from >= to {
            return Some(Self { from, step: 1.0, ratios: false, by: vec![0; values.len()] });
        }
        let even = even_step(values);
        if is_counted && even.is_none() {
            return None;
        }
        let ratios = even.is_none() && from > 0.0 && to / from > RATIO;
        let least = values.iter().copied().filter(|value| *value > 0.0).fold(to, f64::min);
        if even.is_none() && !ratios && to / least > RATIO && from <= 0.0 && !is_rising_to_one(values) {
            // What is little beside the greatest may still be seen, on a logarithmic axis.
            return None;
        }
        let place = |value: f64| if ratios { libm::log(value / from) } else { value - from };
        let step = even.unwrap_or(place(to) / LINES);
        let mut before = 0;
        let distance = |value: &f64| {
            let line = signed_whole_part((place(*value) / step).round());
            let by = line - before;
            before = line;
            by
        };
        Some(Self { from, step, ratios, by: values.iter().map(distance).collect() })
    }
}

/// Parts of all, as a distribution function has them, which are looked at by themselves.
fn is_rising_to_one(values: &[f64]) -> bool {
    values.is_sorted() && values.last().is_some_and(|last| *last <= 1.0)
}

/// The distance of values that are all equally far from each other.
fn even_step(values: &[f64]) -> Option<f64> {
    let step = (values.last()? - values.first()?) / (values.len() - 1) as f64;
    let is_even = values.windows(2).all(|pair| (pair[1] - pair[0] - step).abs() < 1e-6 * step);
    (step > 0.0 && is_even).then_some(step)
}

/// The numbers of those that are kept of a line's points: of each stretch the least and the greatest, and both ends.
fn kept(y: &[f64], most: usize) -> Vec<usize> {
    let stretch = y.len().div_ceil((most / 2).max(1)).max(1);
    let mut kept = vec![0];
    for begin in (0..y.len()).step_by(stretch) {
        let all = begin..(begin + stretch).min(y.len());
        let least = all.clone().min_by(|a, b| y[*a].total_cmp(&y[*b]));
        let greatest = all.max_by(|a, b| y[*a].total_cmp(&y[*b]));
        kept.extend([least, greatest].into_iter().flatten());
    }
    kept.push(y.len() - 1);
    kept.sort_unstable();
    kept.dedup();
    kept
}

/// As many points of a line as can be told apart, with the extremes.
pub(crate) fn line(x: Vec<f64>, y: Vec<f64>) -> (Vec<f64>, Vec<f64>) {
    points(x, y, POINTS_MAX)
}

/// At most about so many points of a line, with the extremes.
pub fn points(x: Vec<f64>, y: Vec<f64>, most: usize) -> (Vec<f64>, Vec<f64>) {
    if y.len() <= most || x.len() != y.len() {
        return (x, y);
    }
    kept(&y, most).into_iter().map(|index| (x[index], y[index])).unzip()
}

/// The numbers of at most about so many of all strokes (place, low end, high end), evenly, with those at the edges of the picture.
pub fn strokes(all: &[(f64, f64, f64)], most: usize) -> Vec<usize> {
    let every = all.len().div_ceil(most.max(1)).max(1);
    let mut kept: Vec<usize> = (0..all.len()).step_by(every).collect();
    let of = |value: fn(&(f64, f64, f64)) -> f64| {
        let by = move |a: &usize, b: &usize| value(&all[*a]).total_cmp(&value(&all[*b]));
        [(0..all.len()).min_by(by), (0..all.len()).max_by(by)]
    };
    let edges = [of(|stroke| stroke.0), of(|stroke| stroke.1), of(|stroke| stroke.2)];
    kept.extend(edges.into_iter().flatten().flatten());
    kept.sort_unstable();
    kept.dedup();
    kept
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_thinned_line_keeps_its_peaks_and_its_ends() {
        let count = 100_000;
        let x: Vec<f64> = (0..count).map(f64::from).collect();
        let y: Vec<f64> =
            (0..count).map(|n| if n == 77_777 { 9.0 } else { f64::from(n % 7) / 7.0 }).collect();
        let (kept_x, kept_y) = line(x, y);
        assert!(kept_x.len() <= POINTS_MAX + 2, "{}", kept_x.len());
        assert_eq!((kept_x[0], kept_x.last().copied()), (0.0, Some(f64::from(count - 1))));
        let peak = kept_y.iter().position(|y| *y == 9.0);
        assert_eq!(peak.map(|index| kept_x[index]), Some(77_777.0));
    }

    /// The numbers as the component reads them.
    fn read(grid: &OnGrid) -> Vec<f64> {
        let mut line = 0;
        let value = |by: &i64| {
            line += by;
            let far = line as f64 * grid.step;
            if grid.ratios { grid.from * libm::exp(far) } else { grid.from + far }
        };
        grid.by.iter().map(value).collect()
    }

    #[test]
    fn many_numbers_on_a_grid_are_near_to_what_they_were() {
        let scattered: Vec<f64> = (0..500).map(|n| 1e12 + 0.5 + f64::from((n * 7_919) % 1_000_003)).collect();
        let ratios: Vec<f64> = (0..500).map(|n| 1e-6 * libm::exp(f64::from(n * 7 % 500) / 40.0)).collect();
        for (values, span) in [(scattered, Some(1e6)), (ratios, None)] {
            let read = read(&OnGrid::of(&values).unwrap());
            for (value, read) in values.iter().zip(read) {
                assert!(
                    (value - read).abs() <= span.unwrap_or(10.0 * value) / LINES,
                    "{value} became {read}"
                );
            }
        }
    }

    #[test]
    fn equal_steps_are_told_exactly_and_counts_and_what_is_little_are_left_alone() {
        let edges: Vec<f64> = (0..200).map(|n| 3.0 + 0.125 * f64::from(n)).collect();
        let grid = OnGrid::of(&edges).unwrap();
        assert!(grid.by[1..].iter().all(|by| *by == 1));
        assert_eq!(read(&grid), edges);
        let counts: Vec<f64> = (0..200).map(|n| f64::from(n * n)).collect();
        assert!(OnGrid::of(&counts).is_none());
        let little: Vec<f64> = (0..200).map(|n| f64::from(n * n) * 1e-7).collect();
        assert!(OnGrid::of(&little).is_none() || is_rising_to_one(&little));
    }

    #[test]
    fn strokes_are_thinned_evenly_and_those_at_the_edges_stay() {
        let mut all: Vec<(f64, f64, f64)> =
            (0..10_000).map(|n| (f64::from(n), f64::from(n % 100), f64::from(n % 100) + 1.0)).collect();
        all[4_321].2 = 500.0;
        let kept = strokes(&all, 400);
        assert!(kept.len() <= 406 && kept.contains(&4_321) && kept.contains(&0) && kept.contains(&9_999));
    }

    #[test]
    fn digits_tell_small_differences_of_great_numbers_and_no_more() {
        let text = |values: &[f64]| serde_json::to_string(&Numbers(values)).unwrap_or_default();
        assert_eq!(text(&[1e12 + 1.0, 1e12 + 3.0]), "[1000000000001,1000000000003]");
        assert_eq!(text(&[0.0, 1.0 / 3.0, 123_456.789]), "[0,0.3333,123500]");
        assert_eq!(text(&[f64::NAN, f64::INFINITY]), "[null,null]");
    }
}
