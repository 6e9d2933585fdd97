//! Figures that several studies have: distribution functions, and rows of parts.

use petrio_page::figure::{Axis, Figure, Quantity, SERIES_MAX, Series};
use petrio_page::numbers::per_cent;
use petrio_page::thin::points;
use petrio_trace::characterise::Distribution;

/// Powers of ten of values that a figure shows; what is less stands at its left edge.
const RANGE_MAX: f64 = 1e9;

/// Points of all distribution functions of a figure.
const POINTS_MAX: usize = 360;

/// Distribution functions of sizes in bytes, or of times in seconds: as many as can be told apart. `unit` is one of the distributions' values
/// in these.
pub(crate) fn distributions(
    title: &str,
    series: &[(String, &Distribution)],
    (across, quantity, unit): (&str, Quantity, f64),
    up: &str,
) -> Option<Figure> {
    let shown = &series[..series.len().min(SERIES_MAX)];
    let values = || shown.iter().flat_map(|(_, found)| [found.least * unit, found.greatest * unit]);
    let greatest = values().fold(f64::NEG_INFINITY, f64::max);
    if !greatest.is_finite() {
        return None;
    }
    let places = shown.iter().flat_map(|(_, found)| found.points.iter().map(|point| point.at_most * unit));
    let positive = values().chain(places).filter(|value| *value > 0.0).fold(f64::INFINITY, f64::min);
    let smallest = if quantity == Quantity::Bytes { 1.0 } else { 1e-9 };
    let least = if positive.is_finite() { positive } else { smallest };
    let least = least.max(greatest / RANGE_MAX).max(smallest);
    let medians: Vec<String> = shown
        .iter()
        .map(|(name, found)| format!("{name}: median {}", quantity.words(found.p50 * unit)))
        .collect();
    let x = Axis::new(across, quantity).logarithmic().between(least, greatest.max(least * 2.0));
    let y = Axis::new(up, Quantity::Share).between(0.0, 1.0);
    let mut figure = Figure::new(title, format!("Distribution of {across}; {}", medians.join(", ")), x, y);
    for (name, found) in shown {
        let corners = found.points.iter().map(|point| (point.at_most * unit, point.fraction));
        let (x, y) = std::iter::once((found.least * unit, 0.0)).chain(corners).unzip();
        let (x, y) = points(x, y, POINTS_MAX / shown.len());
        figure.push(Series::corners(name.as_str(), x, y));
    }
    Some(figure)
}

/// A row of parts side by side.
pub(crate) struct PartsRow<'a> {
    /// What it is.
    pub(crate) label: String,
    /// Names and values of the parts, in the same order in each row.
    pub(crate) parts: Vec<(&'a str, u64)>,
    /// What the whole width stands for.
    pub(crate) full: u64,
    /// What stands at the end.
    pub(crate) count: String,
}

/// Rows under the headings of groups.
pub(crate) fn parts(title: &str, groups: &[(String, Vec<PartsRow<'_>>)]) -> Figure {
    let (mut names, mut ends, mut headings) = (Vec::new(), Vec::new(), Vec::new());
    let mut rows: Vec<Option<&PartsRow<'_>>> = Vec::new();
    for (group, of_it) in groups {
        if !group.is_empty() {
            headings.push(names.len());
            names.push(group.clone());
            ends.push(String::new());
            rows.push(None);
        }
        for row in of_it {
            names.push(row.label.clone());
            ends.push(row.count.clone());
            rows.push(Some(row));
        }
    }
    let described: Vec<String> = rows
        .iter()
        .flatten()
        .map(|row| {
            let all: u64 = row.parts.iter().map(|part| part.1).sum();
            let words = row.parts.iter().filter(|(_, value)| *value > 0);
            let words =
                words.map(|(name, value)| format!("{name} {}", per_cent(*value as f64 / all.max(1) as f64)));
            format!("{}: {}", row.label, words.collect::<Vec<_>>().join(", "))
        })
        .collect();
    let up = Axis { headings, ..Axis::names("", names).with_ends(ends) };
    let across = Axis::new("", Quantity::Share).between(0.0, 1.0);
    let mut figure = Figure::new(title, format!("{title}: {}", described.join("; ")), across, up);
    let series = groups.iter().flat_map(|(_, rows)| rows).next().map_or(0, |row| row.parts.len());
    for number in 0..series {
        let value = |row: &Option<&PartsRow<'_>>| row.map_or(0, |row| row.parts[number].1);
        let of = |row: &Option<&PartsRow<'_>>, full: fn(&PartsRow<'_>) -> u64| {
            row.map_or(0.0, |found| value(row) as f64 / full(found).max(1) as f64)
        };
        let whole = |row: &PartsRow<'_>| row.parts.iter().map(|part| part.1).sum();
        let name = groups.iter().flat_map(|(_, rows)| rows).next().map_or("", |row| row.parts[number].0);
        let reach = rows.iter().map(|row| of(row, |row| row.full)).collect();
        let shares = rows.iter().map(|row| of(row, whole)).collect();
        let counts = rows.iter().map(|row| value(row) as f64).collect();
        let series = Series::stack(name, reach).also("count", Quantity::Number, counts);
        figure.push(series.also("of the row", Quantity::Share, shares));
    }
    figure
}
