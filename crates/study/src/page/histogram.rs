//! Histograms: columns of equal width, as they are counted and smoothed.

use super::curves::Plot;
use super::parts::key_of_lines;
use petrio_scenario::report::html::{Axis, Frame, path};
use std::fmt::Write;

/// Columns of a histogram.
const COLUMNS: usize = 40;
/// Points of the smoothed curve.
const POINTS: usize = 200;

/// A histogram of values, with the smoothed density over it; `None` of fewer than two different ones.
///
/// The smoothed curve is a kernel estimate with Epanechnikov's kernel; its bandwidth is Silverman's (B. W. Silverman, *Density Estimation
/// for Statistics and Data Analysis*, 1986, eq. 3.31). It is folded back at zero, where the values can't go on.
pub(crate) fn histogram(values: &[f64], across: &str, kind: fn(f64, f64, f64, f64) -> Axis) -> Option<Plot> {
    let mut sorted: Vec<f64> = values.iter().copied().filter(|value| value.is_finite()).collect();
    sorted.sort_by(f64::total_cmp);
    let (least, greatest) = (*sorted.first()?, *sorted.last()?);
    if sorted.len() < 2 || greatest <= least {
        return None;
    }
    // Few whole numbers have columns of their own, around each.
    let is_counted = greatest < COLUMNS as f64 && sorted.iter().all(|value| value.fract() == 0.0);
    let (width, begin) = if is_counted { (1.0, -0.5) } else { (greatest / COLUMNS as f64, 0.0) };
    let columns_needed = if is_counted { greatest as usize + 1 } else { COLUMNS };
    let mut counts = vec![0_u64; columns_needed];
    for value in &sorted {
        counts[(((value - begin) / width) as usize).min(columns_needed - 1)] += 1;
    }
    let all = sorted.len() as f64;
    let share = |count: u64| count as f64 / all * 100.0;
    // Values that are nearly all the same have a bandwidth of nearly nothing, and a curve without height is no picture.
    let bandwidth = bandwidth(&sorted).max(2.0 * width);
    let end = begin + width * columns_needed as f64;
    let smoothed: Vec<(f64, f64)> = (0..=POINTS)
        .map(|point| end * point as f64 / POINTS as f64)
        .map(|x| (x, density(&sorted, bandwidth, x) * width * 100.0))
        .collect();
    let highest = counts.iter().map(|count| share(*count)).chain(smoothed.iter().map(|point| point.1));
    let highest = highest.fold(0.0, f64::max);
    let mut frame = Frame::new(&format!(
        "Histogram of {across}, {} values from {least:.4} to {greatest:.4}",
        sorted.len()
    ));
    let x = kind(begin, end, frame.left, frame.right);
    let y = Axis::linear(0.0, highest * 1.05, frame.bottom, frame.top);
    frame.across(&x, across);
    frame.up(&y, "% of sessions");
    let mut columns = String::new();
    for (number, count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
        let (from, to) = (begin + number as f64 * width, begin + (number + 1) as f64 * width);
        let (left, right, top) = (x.at(from), x.at(to), y.at(share(*count)));
        let _ = write!(
            columns,
            r#"<rect class="column one" x="{left:.1}" y="{top:.1}" width="{:.1}" height="{:.1}" opacity="0.45"/>"#,
            (right - left - 1.0).max(0.4),
            frame.bottom - top
        );
    }
    frame.add(&columns);
    let points: Vec<(f64, f64)> = smoothed.iter().map(|point| (x.at(point.0), y.at(point.1))).collect();
    frame.add(&format!(r#"<path class="series two" d="{}"/>"#, path(&points)));
    for (number, count) in counts.iter().enumerate() {
        let (from, to) = (begin + number as f64 * width, begin + (number + 1) as f64 * width);
        let words = match is_counted {
            true => format!("{number}: {count} sessions"),
            false => format!("{} to {}: {count} sessions", x.label(from), x.label(to)),
        };
        frame.strip(x.at(from), x.at(to), &words);
    }
    Some((frame.finish(), key_of_lines(["counted (columns)", "smoothed"])))
}

fn bandwidth(sorted: &[f64]) -> f64 {
    let count = sorted.len() as f64;
    let mean = sorted.iter().sum::<f64>() / count;
    let deviation = (sorted.iter().map(|value| square(value - mean)).sum::<f64>() / (count - 1.0)).sqrt();
    let quartile = |part: f64| sorted[((count - 1.0) * part) as usize];
    let spread = (quartile(0.75) - quartile(0.25)) / 1.34;
    let spread = if spread > 0.0 { spread.min(deviation) } else { deviation };
    // Epanechnikov's kernel is 2.34 / 1.06 times as wide as a normal one of the same effect.
    2.34 / 1.06 * 0.9 * spread * libm::pow(count, -0.2)
}

fn square(value: f64) -> f64 {
    value * value
}

fn density(sorted: &[f64], bandwidth: f64, x: f64) -> f64 {
    let at = |x: f64| {
        let from = sorted.partition_point(|value| *value < x - bandwidth);
        let near = sorted[from..].iter().take_while(|value| **value <= x + bandwidth);
        near.map(|value| 0.75 * (1.0 - square((value - x) / bandwidth))).sum::<f64>()
    };
    (at(x) + at(-x)) / (bandwidth * sorted.len() as f64)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn the_smoothed_curve_is_a_density_and_columns_are_counted() {
        let values: Vec<f64> =
            (0..500).map(|number| -3.0 * (1.0 - (f64::from(number) + 0.5) / 500.0).ln()).collect();
        let bandwidth = bandwidth(&values);
        let step = 0.01;
        let whole: f64 =
            (0..4_000).map(|at| density(&values, bandwidth, (f64::from(at) + 0.5) * step) * step).sum();
        assert!((whole - 1.0).abs() < 1e-3, "{whole}");
        let (plot, key) = histogram(&values, "files", Axis::linear).unwrap();
        assert!(plot.contains("500 values") && key.contains("smoothed"));
        assert_eq!(plot.matches("data-says").count(), 40);
        assert!(histogram(&[2.0, 2.0], "files", Axis::linear).is_none());
    }
}
