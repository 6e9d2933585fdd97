//! A fit as a page: histogram and CDF of the values with the best families' curves, the table of families, the parameters with their
//! intervals, the text to paste.

use super::{FittedData, Unit};
use petrio_distribution::Distribution;
use petrio_files::inputs::Inputs;
use petrio_page::figure::{Axis, Figure, Quantity, Series};
use petrio_page::numbers::{grouped, per_cent, significant};
use petrio_page::page::{Block, Page, Table, Text};
use petrio_scenario::report::{ReportError, write_text};
use petrio_units::numbers::{as_index, whole_part};
use std::path::Path;

/// Families whose curves are drawn.
const CURVES: usize = 3;
/// Columns of the histogram.
const COLUMNS: usize = 60;
/// Points of a curve.
const POINTS: usize = 180;
/// Values that range over more than this ratio lie on a logarithmic axis.
const RATIO: f64 = 50.0;

/// Writes the page. The file is complete or absent; the same data and options give the same bytes.
///
/// # Errors
/// When it can't be written.
pub fn write_html(data: &FittedData, path: &Path, inputs: &Inputs) -> Result<(), ReportError> {
    write_text(path, inputs, &page(data).html())
}

fn page(data: &FittedData) -> Page {
    let (report, chosen) = (&data.report, data.report.chosen());
    let sorted = report.sample.sorted();
    let name = Path::new(&data.name)
        .file_name()
        .map_or_else(|| data.name.clone(), |name| name.to_string_lossy().into());
    let mut page = Page::new(format!("{} of {name}, fitted", data.what));
    page.heading = name;
    page.below =
        vec![format!("{} {}, fitted: {}", grouped(sorted.len() as u64), data.what, chosen.label).into()];
    page.below.extend(report.notes().into_iter().map(|remark| Text::default().quiet(remark)));
    let mut tiles = vec![
        ("Mean of the values".to_owned(), data.figure(report.sample.mean())),
        ("Mean of the distribution".to_owned(), data.figure(chosen.distribution.mean())),
    ];
    if chosen.continuous.is_some() {
        let distance = per_cent(chosen.goodness.kolmogorov_smirnov);
        tiles.push(("Greatest distance of the CDFs".to_owned(), distance));
        tiles.push(("Area difference".to_owned(), significant(chosen.goodness.area)));
    }
    page.tiles(tiles);
    let best = data.best(CURVES);
    let range = ShownRange::of(data);
    page.figures([histogram(data, &range, &best), functions(data, &range, &best)]);
    page.heading("Paste this");
    page.blocks.push(Block::Text(data.toml(chosen)));
    parameters(&mut page, data);
    families(&mut page, data);
    page.foot = "the same data and options give the same page".to_owned();
    page
}

/// Which values are shown, and how they lie across a figure.
struct ShownRange {
    unit: Unit,
    low: f64,
    high: f64,
    logarithmic: bool,
}

impl ShownRange {
    /// Nearly all values: a single one far out would leave the rest in a corner.
    fn of(data: &FittedData) -> Self {
        let sorted = data.report.sample.sorted();
        let at = |p: f64| sorted[as_index(whole_part(p * sorted.len() as f64)).min(sorted.len() - 1)];
        let (low, high) = (sorted[0], at(0.999));
        let high = if high > low { high } else { low + low.abs().max(1.0) };
        // Zeros have no place on a logarithmic axis, but stand at its left edge.
        let positive = at(0.001).max(sorted.iter().copied().find(|&x| x > 0.0).unwrap_or(0.0));
        if low >= 0.0 && positive > 0.0 && high / positive > RATIO {
            return Self { unit: data.unit, low: positive, high, logarithmic: true };
        }
        Self { unit: data.unit, low, high, logarithmic: false }
    }

    fn axis(&self) -> Axis {
        let (name, quantity) = match self.unit {
            Unit::None => ("value", Quantity::Number),
            Unit::Bytes => ("size", Quantity::Bytes),
            Unit::Time => ("time", Quantity::Duration),
        };
        let axis = Axis::new(name, quantity).between(self.low, self.high);
        if self.logarithmic { axis.logarithmic() } else { axis }
    }

    /// The value at a part of the way from left to right.
    fn value(&self, part: f64) -> f64 {
        if self.logarithmic {
            self.low * libm::pow(self.high / self.low, part)
        } else {
            self.low + part * (self.high - self.low)
        }
    }
}

fn up_to(sorted: &[f64], x: f64) -> f64 {
    sorted.partition_point(|&value| value <= x) as f64 / sorted.len() as f64
}

/// Columns of equal width across the figure; the curves say how much a column there would hold.
fn histogram(data: &FittedData, range: &ShownRange, best: &[(&str, &Distribution)]) -> Figure {
    let sorted = data.report.sample.sorted();
    let edges: Vec<f64> = (0..=COLUMNS).map(|column| range.value(column as f64 / COLUMNS as f64)).collect();
    let shares: Vec<f64> = (0..COLUMNS)
        .map(|column| {
            let below = if column == 0 { 0.0 } else { up_to(sorted, edges[column]) };
            up_to(sorted, edges[column + 1]) - below
        })
        .collect();
    let highest = shares.iter().copied().fold(0.0, f64::max);
    let counts = shares.iter().map(|share| (share * sorted.len() as f64).round()).collect();
    // A density that is infinite at an edge must not press the columns flat.
    let up = Axis::new("of values", Quantity::Share).between(0.0, highest * 1.15);
    let alternative = format!("Histogram of {} and of the fitted distributions", data.what);
    let mut figure = Figure::new("How the values lie", alternative, range.axis(), up);
    let bars = Series::bars("values", edges, shares);
    figure.push(bars.also("values", Quantity::Number, counts));
    let width = 1.0 / COLUMNS as f64;
    for (number, (name, distribution)) in best.iter().enumerate() {
        let (x, y) = (0..=POINTS)
            .map(|point| {
                let middle = point as f64 / POINTS as f64;
                let (from, to) = (range.value(middle - width / 2.0), range.value(middle + width / 2.0));
                (range.value(middle), distribution.cdf(to) - distribution.cdf(from))
            })
            .unzip();
        figure.push(Series::line(*name, x, y).colour(number + 1));
    }
    figure
}

fn functions(data: &FittedData, range: &ShownRange, best: &[(&str, &Distribution)]) -> Figure {
    let sorted = data.report.sample.sorted();
    let up = Axis::new("of values within", Quantity::Share).between(0.0, 1.0);
    let alternative = format!("Distribution functions of {} and of what was fitted", data.what);
    let mut figure = Figure::new("Distribution functions", alternative, range.axis(), up);
    let places: Vec<f64> = (0..=POINTS).map(|point| range.value(point as f64 / POINTS as f64)).collect();
    let curve = |name: &str, cdf: &dyn Fn(f64) -> f64| {
        Series::line(name, places.clone(), places.iter().map(|x| cdf(*x)).collect())
    };
    figure.push(curve("values", &|x| up_to(sorted, x)));
    for (name, distribution) in best {
        figure.push(curve(name, &|x| distribution.cdf(x)));
    }
    figure
}

fn parameters(page: &mut Page, data: &FittedData) {
    let (report, chosen) = (&data.report, data.report.chosen());
    if chosen.parameters.is_empty() {
        return;
    }
    page.heading("Parameters");
    let number = |value: f64, has_unit: bool| if has_unit { data.figure(value) } else { significant(value) };
    let rows = chosen.parameters.iter().enumerate().map(|(index, parameter)| {
        let interval = report.intervals.as_ref().map_or_else(
            || "–".to_owned(),
            |all| {
                let found = all.parameters[index];
                let ends = [found.low, found.high].map(|end| number(end, parameter.has_unit));
                ends.join(" … ")
            },
        );
        vec![parameter.name.clone(), number(parameter.value, parameter.has_unit), interval]
    });
    page.table(Table::new(["parameter", "value", "95 % interval"]).with(rows));
    if let Some(all) = &report.intervals {
        page.note(format!("Intervals hold 95 % of {} fits to resampled values.", all.resamples));
    }
}

fn families(page: &mut Page, data: &FittedData) {
    if data.report.attempts.is_empty() {
        return;
    }
    page.heading("Families tried");
    let rows = data.report.attempts.iter().map(|attempt| match &attempt.outcome {
        Ok(fitted) => {
            let found = &fitted.goodness;
            vec![
                attempt.label.clone(),
                fitted.freedom().to_string(),
                format!("{:.1}", found.log_likelihood),
                format!("{:.1}", found.bic),
                significant(found.kolmogorov_smirnov),
                format!("{:.3}", found.kolmogorov_smirnov_p),
                significant(found.anderson_darling),
                format!("{:.3}", found.anderson_darling_p),
                significant(found.area),
                String::new(),
            ]
        }
        Err(reason) => {
            let mut row = vec![attempt.label.clone()];
            row.extend(std::iter::repeat_n("–".to_owned(), 8));
            row.push(reason.clone());
            row
        }
    });
    let heads = [
        "family",
        "parameters",
        "log-likelihood",
        "BIC",
        "KS",
        "p",
        "A²",
        "p",
        "area difference",
        "not fitted because",
    ];
    page.table(Table::new(heads).with(rows));
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::fit::{Data, fit_data};
    use petrio_distribution::fit::FitOptions;

    fn example(text: &str, unit: Unit) -> FittedData {
        let source = Box::new(text.as_bytes());
        let data = Data::Text { name: "a <b> & c.txt".to_owned(), source, column: None, unit };
        fit_data(data, &FitOptions { bootstrap: 4, ..FitOptions::default() }, &|_| {}).unwrap()
    }

    #[test]
    fn pages_escape_names_and_hold_numbers_only_in_little_room() {
        let long: String = (1..300).map(|i| format!("{}\n", 7 * i * i)).collect();
        let negative: String = (-40..60).map(|i| format!("{i}.5\n")).collect();
        for (text, unit) in [
            ("3\n", Unit::None),
            ("0\n0\n0\n", Unit::Time),
            (long.as_str(), Unit::Bytes),
            (&negative, Unit::None),
        ] {
            let html = page(&example(text, unit)).html();
            assert!(html.contains("a &lt;b&gt; &amp; c.txt"));
            assert!(!html.contains(">NaN"), "a value is not a number");
            assert!(html.len() < 150_000, "{} bytes", html.len());
        }
    }

    #[test]
    fn a_fit_s_text_reads_back_as_its_distribution() {
        use petrio_distribution::Draw;
        let text: String = (1..400).map(|i| format!("{}\n", 100 + i * i % 7_919)).collect();
        let data = example(&text, Unit::Bytes);
        let toml = data.toml(data.report.chosen());
        let mut read: std::collections::BTreeMap<String, Draw<petrio_units::Bytes>> =
            toml::from_str(&toml).unwrap();
        let draw = read.remove("distribution").unwrap();
        assert_eq!(draw.distribution().unwrap(), data.report.chosen().distribution, "{toml}");
    }
}
