//! Curves: distribution functions, and figures over another.

use super::parts::{CLASSES, key_of_lines};
use petrio_scenario::report::html::{Axis, Frame, path};
use petrio_trace::characterise::Distribution;
use std::fmt::Write;

/// More series nobody tells apart.
pub(crate) const SERIES_MAX: usize = CLASSES.len();
/// Decades of time that a plot shows; what is shorter stands at its left edge.
const SECONDS_RANGE_MAX: f64 = 1e9;

/// A plot, and its key.
pub(crate) type Plot = (String, String);

/// How values lie on the horizontal axis.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Across {
    Bytes,
    Seconds,
    Logarithmic,
    Linear,
}

/// A curve by its points.
pub(crate) struct Curve<'a> {
    pub(crate) name: &'a str,
    pub(crate) points: Vec<(f64, f64)>,
}

/// Distribution functions of sizes in bytes.
pub(crate) fn sizes(series: &[(String, &Distribution)], across: &str, up: &str) -> Option<Plot> {
    functions(series, Across::Bytes, 1.0, across, up)
}

/// Distribution functions of times in microseconds.
pub(crate) fn durations(series: &[(String, &Distribution)], across: &str, up: &str) -> Option<Plot> {
    functions(series, Across::Seconds, 1e-6, across, up)
}

/// Distribution functions of times in seconds.
pub(crate) fn seconds(series: &[(String, &Distribution)], across: &str, up: &str) -> Option<Plot> {
    functions(series, Across::Seconds, 1.0, across, up)
}

fn functions(
    series: &[(String, &Distribution)],
    kind: Across,
    unit: f64,
    across: &str,
    up: &str,
) -> Option<Plot> {
    let curves: Vec<Curve> = series
        .iter()
        .map(|(name, distribution)| {
            let mut below = 0.0;
            let mut points = vec![(distribution.least * unit, 0.0)];
            for point in &distribution.points {
                points.push((point.at_most * unit, below));
                points.push((point.at_most * unit, point.fraction * 100.0));
                below = point.fraction * 100.0;
            }
            Curve { name, points }
        })
        .collect();
    let label = series
        .iter()
        .map(|(name, distribution)| format!("{name}: median {:.4}", distribution.p50 * unit))
        .collect::<Vec<_>>();
    plot(&curves, kind, across, (up, 100.0), &format!("Distribution of {across}; {}", label.join(", ")), None)
}

/// Curves over one horizontal axis; `up` is the name of the vertical one and its highest value. A `floor` is a thin line with
/// words on it.
pub(crate) fn plot(
    curves: &[Curve],
    kind: Across,
    across: &str,
    up: (&str, f64),
    label: &str,
    floor: Option<(f64, &str)>,
) -> Option<Plot> {
    let values = || curves.iter().flat_map(|curve| curve.points.iter().map(|point| point.0));
    let greatest = values().fold(f64::NEG_INFINITY, f64::max);
    if !greatest.is_finite() {
        return None;
    }
    let positive = values().filter(|value| *value > 0.0).fold(f64::INFINITY, f64::min);
    let least = if positive.is_finite() { positive } else { 1e-6 };
    let mut frame = Frame::new(label);
    let (left, right) = (frame.left, frame.right);
    let x = match kind {
        Across::Bytes => {
            let (least, greatest) = rounded(least.max(1.0), greatest.max(2.0), 2.0);
            Axis::bytes(least, greatest, left, right)
        }
        Across::Seconds => {
            let (least, greatest) =
                rounded(least.max(greatest / SECONDS_RANGE_MAX).max(1e-9), greatest.max(1e-8), 10.0);
            Axis::seconds(least, greatest, left, right)
        }
        Across::Logarithmic => Axis::logarithmic(least, greatest, left, right),
        Across::Linear => Axis::linear(0.0, greatest, left, right),
    };
    let y = Axis::linear(0.0, up.1, frame.bottom, frame.top);
    frame.across(&x, across);
    frame.up(&y, up.0);
    if let Some((height, words)) = floor {
        let y = y.at(height);
        let mut line = String::new();
        let _ = write!(
            line,
            r#"<path class="floor" d="M{left} {y:.1}L{right} {y:.1}"/><text x="{:.1}" y="{:.1}">{words}</text>"#,
            left + 6.0,
            if y > frame.top + 30.0 { y - 5.0 } else { y + 14.0 },
        );
        frame.add(&line);
    }
    for (curve, class) in curves.iter().zip(CLASSES) {
        let points: Vec<(f64, f64)> =
            curve.points.iter().map(|(across, up)| (x.at(*across), y.at(*up))).collect();
        frame.add(&format!(r#"<path class="series {class}" d="{}"/>"#, path(&points)));
    }
    let key =
        if curves.len() > 1 { key_of_lines(curves.iter().map(|curve| curve.name)) } else { String::new() };
    Some((frame.finish(), key))
}

/// The powers of `base` around a range.
fn rounded(least: f64, greatest: f64, base: f64) -> (f64, f64) {
    let power = |value: f64, round: fn(f64) -> f64| {
        let exponent = round(libm::log(value) / libm::log(base));
        // Powers below one by division, so that they are the numbers that they print as.
        if exponent < 0.0 { 1.0 / libm::pow(base, -exponent) } else { libm::pow(base, exponent) }
    };
    let (low, high) = (power(least * (1.0 + 1e-9), libm::floor), power(greatest * (1.0 - 1e-9), libm::ceil));
    (low, if high > low { high } else { low * base })
}
