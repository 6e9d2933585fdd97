//! What a screen can't show is left out: digits beyond those that can be seen, and points that lie within others. What is extreme stays.

use serde::{Serialize, Serializer};

/// Points of a line that are kept: more than a figure has pixels to tell apart.
const POINTS_MAX: usize = 480;
/// Parts of a figure's length that can be told apart, with some room to look closer.
const RESOLUTION: f64 = 2e4;

/// A number in the digits that can be seen.
pub(crate) struct Readable(f64);

impl Serialize for Readable {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // Whole numbers without a point; what isn't a number as `null`.
        if self.0.fract() == 0.0 && self.0.abs() < 9e15 {
            serializer.serialize_i64(self.0 as i64)
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
    let digits = (libm::ceil(libm::log10(size / error)) as usize).clamp(1, 17);
    Readable(format!("{value:.*e}", digits - 1).parse().unwrap_or(value))
}

/// All values, each so exact as [`rounded`] within their span.
pub(crate) fn readable(values: &[f64]) -> impl Iterator<Item = Readable> + '_ {
    let finite = || values.iter().copied().filter(|value| value.is_finite());
    let span = finite().fold(f64::NEG_INFINITY, f64::max) - finite().fold(f64::INFINITY, f64::min);
    values.iter().map(move |value| rounded(*value, span))
}

/// The numbers of those that are kept of a line's points: of each stretch the least and the greatest, and both ends.
fn kept(y: &[f64]) -> Vec<usize> {
    let stretch = y.len().div_ceil(POINTS_MAX / 2).max(1);
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
    if y.len() <= POINTS_MAX || x.len() != y.len() {
        return (x, y);
    }
    kept(&y).into_iter().map(|index| (x[index], y[index])).unzip()
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
    use super::*;

    #[test]
    fn a_thinned_line_keeps_its_peaks_and_its_ends() {
        let count = 100_000;
        let x: Vec<f64> = (0..count).map(f64::from).collect();
        let y: Vec<f64> = (0..count).map(|n| if n == 77_777 { 9.0 } else { f64::from(n % 7) / 7.0 }).collect();
        let (kept_x, kept_y) = line(x, y);
        assert!(kept_x.len() <= POINTS_MAX + 2, "{}", kept_x.len());
        assert_eq!((kept_x[0], kept_x.last().copied()), (0.0, Some(f64::from(count - 1))));
        let peak = kept_y.iter().position(|y| *y == 9.0);
        assert_eq!(peak.map(|index| kept_x[index]), Some(77_777.0));
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
        let text = |values: &[f64]| serde_json::to_string(&readable(values).collect::<Vec<_>>()).unwrap_or_default();
        assert_eq!(text(&[1e12 + 1.0, 1e12 + 3.0]), "[1000000000001,1000000000003]");
        assert_eq!(text(&[0.0, 1.0 / 3.0, 123_456.789]), "[0,0.33333,123457]");
        assert_eq!(text(&[f64::NAN, f64::INFINITY]), "[null,null]");
    }
}
