//! Histograms: values counted in columns of equal width, and smoothed. Every histogram of values, on a page or in the studio, is made here.
//!
//! What is smoothed is a kernel estimate of the density and not a mean over neighbouring columns: that depends on where the columns begin
//! and how wide they are, flattens peaks by as much as a column is wide, and loses its sum at the ends. The estimate depends on the values
//! alone, and its area is one.

use crate::figure::{Axis, Figure, Marks, Quantity, Series};
use crate::numbers::grouped;
use petrio_time::numbers::{as_index, whole_part};

/// Columns of a histogram.
const COLUMNS: usize = 40;
/// Points of the smoothed curve.
const POINTS: usize = 160;

/// A histogram of values that aren't negative, with the smoothed density over it; `None` of fewer than two different ones. `of` says what
/// is counted: `sessions`.
///
/// The kernel is Epanechnikov's, its bandwidth Silverman's (B. W. Silverman, *Density Estimation for Statistics and Data Analysis*, 1986,
/// eq. 3.31). The curve is folded back at zero, where the values can't go on, and scaled as the columns are: to the part of all values that
/// a column there would hold.
pub fn histogram(values: &[f64], title: &str, across: (&str, Quantity), of: &str) -> Option<Figure> {
    let mut sorted: Vec<f64> = values.iter().copied().filter(|value| value.is_finite()).collect();
    sorted.sort_by(f64::total_cmp);
    let (least, greatest) = (*sorted.first()?, *sorted.last()?);
    if sorted.len() < 2 || greatest <= least {
        return None;
    }
    // Few whole numbers have columns of their own, around each.
    let is_counted = greatest < COLUMNS as f64 && sorted.iter().all(|value| value.fract() == 0.0);
    let (width, begin) = if is_counted { (1.0, -0.5) } else { (greatest / COLUMNS as f64, 0.0) };
    let columns = if is_counted { as_index(whole_part(greatest)) + 1 } else { COLUMNS };
    let mut counts = vec![0_u64; columns];
    for value in &sorted {
        counts[as_index(whole_part((value - begin) / width)).min(columns - 1)] += 1;
    }
    // Values that are nearly all the same have a bandwidth of nearly nothing, and a curve without height is no picture.
    let bandwidth = bandwidth(&sorted).max(2.0 * width);
    let end = begin + width * columns as f64;
    let place = |point: usize| end * point as f64 / POINTS as f64;
    let (name, quantity) = across;
    let alternative = format!(
        "Histogram of {name}, {} {of} from {} to {}",
        grouped(sorted.len() as u64),
        quantity.words(least),
        quantity.words(greatest)
    );
    let x = Axis::new(name, quantity).between(begin, end);
    let mut figure =
        Figure::new(title, alternative, x, Axis::new(format!("of {of}"), Quantity::Share).from(0.0));
    let edges = (0..=columns).map(|edge| begin + edge as f64 * width).collect();
    let shares = counts.iter().map(|count| *count as f64 / sorted.len() as f64).collect();
    let counts = counts.iter().map(|count| *count as f64).collect();
    figure.push(Series::bars("counted", edges, shares).also(of, Quantity::Number, counts));
    let smoothed = |point: usize| density(&sorted, bandwidth, place(point)) * width;
    let curve = Marks::Line {
        x: (0..=POINTS).map(place).collect(),
        y: (0..=POINTS).map(smoothed).collect(),
        dots: false,
    };
    figure.push(Series::new("smoothed", curve));
    Some(figure)
}

fn bandwidth(sorted: &[f64]) -> f64 {
    let count = sorted.len() as f64;
    let mean = sorted.iter().sum::<f64>() / count;
    let deviation = (sorted.iter().map(|value| square(value - mean)).sum::<f64>() / (count - 1.0)).sqrt();
    let quartile = |part: f64| sorted[as_index(whole_part((count - 1.0) * part))];
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

    fn exponential() -> Vec<f64> {
        (0..500).map(|number| -3.0 * libm::log(1.0 - (f64::from(number) + 0.5) / 500.0)).collect()
    }

    #[test]
    fn the_smoothed_curve_is_a_density() {
        let values = exponential();
        let (bandwidth, step) = (bandwidth(&values), 0.01);
        let whole: f64 =
            (0..4_000).map(|at| density(&values, bandwidth, (f64::from(at) + 0.5) * step) * step).sum();
        assert!((whole - 1.0).abs() < 1e-3, "{whole}");
    }

    #[test]
    fn columns_are_counted_and_hold_all_values() {
        let figure = histogram(&exponential(), "Files", ("files", Quantity::Number), "sessions").unwrap();
        let Marks::Bars { x, y } = &figure.series[0].marks else { panic!("columns come first") };
        assert_eq!((x.len(), y.len()), (41, 40));
        assert!((y.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        assert_eq!(figure.series[0].also[0].values.iter().sum::<f64>(), 500.0);
        assert!(figure.alternative.contains("500 sessions"));
        assert!(histogram(&[2.0, 2.0], "Files", ("files", Quantity::Number), "sessions").is_none());
    }

    #[test]
    fn few_whole_numbers_have_a_column_each() {
        let figure =
            histogram(&[1.0, 2.0, 2.0, 3.0], "Files", ("files", Quantity::Number), "sessions").unwrap();
        let Marks::Bars { x, y } = &figure.series[0].marks else { panic!("columns come first") };
        assert_eq!(x, &[-0.5, 0.5, 1.5, 2.5, 3.5]);
        assert_eq!(y, &[0.0, 0.25, 0.5, 0.25]);
    }
}
