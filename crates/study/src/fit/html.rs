//! A fit as a self-contained page: histogram and CDF of the values with the best families' curves, the table of families, the
//! parameters with their intervals, the text to paste.

use super::{FittedData, Unit};
use crate::page::STYLE;
use crate::page::parts::{CLASSES, figure, key_of_lines, note, table, tile};
use petrio_distribution::Distribution;
use petrio_scenario::report::figures::{grouped, per_cent, significant};
use petrio_scenario::report::html::{Axis, Frame, document, escaped, path};
use petrio_scenario::report::{ReportError, WholeFile};
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;

/// Families whose curves are drawn.
const CURVES: usize = 3;
/// Columns of the histogram.
const COLUMNS: usize = 60;
/// Points of a curve.
const POINTS: usize = 400;
/// Values that range over more than this ratio lie on a logarithmic axis.
const RATIO: f64 = 50.0;

/// Writes the page. The file is complete or absent; the same data and options give the same bytes.
///
/// # Errors
/// When it can't be written.
pub fn write_html(data: &FittedData, path: &Path) -> Result<(), ReportError> {
    let mut file = WholeFile::create(path)?;
    file.write_all(page(data).as_bytes())
        .map_err(|cause| ReportError::Write { path: path.to_owned(), cause })?;
    file.finish()
}

// Writing to a string can't fail, so the results of `write!` are dropped throughout.

fn page(data: &FittedData) -> String {
    let (report, chosen) = (&data.report, data.report.chosen());
    let sorted = report.sample.sorted();
    let name = Path::new(&data.name)
        .file_name()
        .map_or_else(|| data.name.clone(), |name| name.to_string_lossy().into());
    let mut out = String::new();
    let _ = write!(
        out,
        "<header>\n<h1>{}</h1>\n<p>{} {}, fitted: {}</p>\n</header>\n",
        escaped(&name),
        grouped(sorted.len() as u64),
        data.what,
        escaped(&chosen.label)
    );
    for remark in report.notes() {
        let _ = writeln!(out, "<p class=\"quiet\">{}</p>", escaped(&remark));
    }
    out.push_str("<section class=\"tiles\" aria-label=\"Summary\">\n");
    tile(&mut out, "Mean of the values", &data.figure(report.sample.mean()));
    tile(&mut out, "Mean of the distribution", &data.figure(chosen.distribution.mean()));
    if chosen.continuous.is_some() {
        tile(&mut out, "Greatest distance of the CDFs", &per_cent(chosen.goodness.kolmogorov_smirnov));
        tile(&mut out, "Area difference", &significant(chosen.goodness.area));
    }
    out.push_str("</section>\n<div class=\"plots\">\n");
    let best = data.best(CURVES);
    let scale = Scale::of(data);
    let key = key_of_lines(["values"].into_iter().chain(best.iter().map(|(name, _)| *name)));
    figure(&mut out, "How the values lie", &histogram(data, &scale, &best), &key);
    figure(&mut out, "Distribution functions", &functions(data, &scale, &best), &key);
    out.push_str("</div>\n<section>\n<h2>Paste this</h2>\n");
    let _ = writeln!(out, "<pre style=\"white-space:pre-wrap\">{}</pre>", escaped(&data.toml(chosen)));
    out.push_str("</section>\n");
    parameters(&mut out, data);
    families(&mut out, data);
    document(
        &format!("{} of {name}, fitted", data.what),
        STYLE,
        &out,
        "the same data and options give the same page",
    )
}

/// How values lie across a plot.
struct Scale {
    unit: Unit,
    low: f64,
    high: f64,
    logarithmic: bool,
}

impl Scale {
    /// Nearly all values: a single one far out would leave the rest in a corner.
    fn of(data: &FittedData) -> Self {
        let sorted = data.report.sample.sorted();
        let at = |p: f64| sorted[((p * sorted.len() as f64) as usize).min(sorted.len() - 1)];
        let (low, high) = (sorted[0], at(0.999));
        let high = if high > low { high } else { low + low.abs().max(1.0) };
        // Zeros have no place on a logarithmic axis, but stand at its left edge.
        let positive = at(0.001).max(sorted.iter().copied().find(|&x| x > 0.0).unwrap_or(0.0));
        if low >= 0.0 && positive > 0.0 && high / positive > RATIO {
            return Self { unit: data.unit, low: positive, high, logarithmic: true };
        }
        Self { unit: data.unit, low, high, logarithmic: false }
    }

    fn axis(&self, frame: &Frame) -> Axis {
        let (from, to) = (frame.left, frame.right);
        match (self.logarithmic, self.unit) {
            (false, _) => Axis::linear(self.low, self.high, from, to),
            (true, Unit::Bytes) => Axis::bytes(self.low, self.high, from, to),
            (true, Unit::Time) => Axis::seconds(self.low, self.high, from, to),
            (true, Unit::None) => Axis::logarithmic(self.low, self.high, from, to),
        }
    }

    /// The value at a part of the way from left to right.
    fn value(&self, part: f64) -> f64 {
        if self.logarithmic {
            self.low * libm::pow(self.high / self.low, part)
        } else {
            self.low + part * (self.high - self.low)
        }
    }

    fn name(&self) -> &'static str {
        match (self.logarithmic, self.unit) {
            (_, Unit::None) => "value",
            (false, Unit::Bytes) => "bytes",
            (false, Unit::Time) => "seconds",
            (true, Unit::Bytes) => "size",
            (true, Unit::Time) => "time",
        }
    }
}

fn up_to(sorted: &[f64], x: f64) -> f64 {
    sorted.partition_point(|&value| value <= x) as f64 / sorted.len() as f64
}

/// Columns of equal width across the page; the curves say how much a column there would hold.
fn histogram(data: &FittedData, scale: &Scale, best: &[(&str, &Distribution)]) -> String {
    let sorted = data.report.sample.sorted();
    let mut frame = Frame::new(&format!("Histogram of {} and of the fitted distributions", data.what));
    let x = scale.axis(&frame);
    let part = |column: usize| column as f64 / COLUMNS as f64;
    let shares: Vec<f64> = (0..COLUMNS)
        .map(|column| {
            let below = if column == 0 { 0.0 } else { up_to(sorted, scale.value(part(column))) };
            100.0 * (up_to(sorted, scale.value(part(column + 1))) - below)
        })
        .collect();
    let width = 1.0 / COLUMNS as f64;
    let curves: Vec<Vec<(f64, f64)>> = best
        .iter()
        .map(|(_, distribution)| {
            (0..=POINTS)
                .map(|point| {
                    let middle = point as f64 / POINTS as f64;
                    let (from, to) = (scale.value(middle - width / 2.0), scale.value(middle + width / 2.0));
                    (scale.value(middle), 100.0 * (distribution.cdf(to) - distribution.cdf(from)))
                })
                .collect()
        })
        .collect();
    let highest = shares.iter().copied().fold(0.0, f64::max);
    let y = Axis::linear(0.0, highest * 1.15, frame.bottom, frame.top);
    frame.across(&x, scale.name());
    frame.up(&y, "% of values");
    for (column, share) in shares.iter().enumerate().filter(|(_, share)| **share > 0.0) {
        let (left, right) = (x.at(scale.value(part(column))), x.at(scale.value(part(column + 1))));
        let top = y.at(*share);
        frame.add(&format!(
            r#"<rect class="column {}" x="{left:.1}" y="{top:.1}" width="{:.1}" height="{:.1}"/>"#,
            CLASSES[0],
            (right - left - 0.8).max(0.4),
            (frame.bottom - top).max(0.6)
        ));
    }
    draw(&mut frame, &x, &y, &curves);
    frame.finish()
}

fn functions(data: &FittedData, scale: &Scale, best: &[(&str, &Distribution)]) -> String {
    let sorted = data.report.sample.sorted();
    let mut frame = Frame::new(&format!("Distribution functions of {} and of what was fitted", data.what));
    let (x, y) = (scale.axis(&frame), Axis::linear(0.0, 100.0, frame.bottom, frame.top));
    frame.across(&x, scale.name());
    frame.up(&y, "% of values within");
    let curve = |cdf: &dyn Fn(f64) -> f64| -> Vec<(f64, f64)> {
        let value = |point: usize| scale.value(point as f64 / POINTS as f64);
        (0..=POINTS).map(|point| (value(point), 100.0 * cdf(value(point)))).collect()
    };
    let own = curve(&|x| up_to(sorted, x));
    let points: Vec<(f64, f64)> = own.iter().map(|(across, up)| (x.at(*across), y.at(*up))).collect();
    frame.add(&format!(r#"<path class="series {}" d="{}"/>"#, CLASSES[0], path(&points)));
    let curves: Vec<Vec<(f64, f64)>> =
        best.iter().map(|(_, distribution)| curve(&|x| distribution.cdf(x))).collect();
    draw(&mut frame, &x, &y, &curves);
    frame.finish()
}

/// The families' curves, in the classes after that of the values.
fn draw(frame: &mut Frame, x: &Axis, y: &Axis, curves: &[Vec<(f64, f64)>]) {
    for (curve, class) in curves.iter().zip(&CLASSES[1..]) {
        let points: Vec<(f64, f64)> = curve.iter().map(|(across, up)| (x.at(*across), y.at(*up))).collect();
        frame.add(&format!(r#"<path class="series {class}" d="{}"/>"#, path(&points)));
    }
}

fn parameters(out: &mut String, data: &FittedData) {
    let (report, chosen) = (&data.report, data.report.chosen());
    if chosen.parameters.is_empty() {
        return;
    }
    out.push_str("<section>\n<h2>Parameters</h2>\n");
    let figure = |value: f64, has_unit: bool| if has_unit { data.figure(value) } else { significant(value) };
    let rows = chosen.parameters.iter().enumerate().map(|(index, parameter)| {
        let interval = report.intervals.as_ref().map_or_else(
            || "–".to_owned(),
            |all| {
                let found = all.parameters[index];
                format!(
                    "{} … {}",
                    figure(found.low, parameter.has_unit),
                    figure(found.high, parameter.has_unit)
                )
            },
        );
        vec![parameter.name.clone(), figure(parameter.value, parameter.has_unit), interval]
    });
    table(out, &["parameter", "value", "95 % interval"], rows);
    if let Some(all) = &report.intervals {
        out.push_str(&note(&format!("Intervals hold 95 % of {} fits to resampled values.", all.resamples)));
    }
    out.push_str("</section>\n");
}

fn families(out: &mut String, data: &FittedData) {
    if data.report.attempts.is_empty() {
        return;
    }
    out.push_str("<section>\n<h2>Families tried</h2>\n");
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
    table(out, &heads, rows);
    out.push_str("</section>\n");
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
    fn pages_need_no_network_and_every_coordinate_is_a_number() {
        let long: String = (1..300).map(|i| format!("{}\n", 7 * i * i)).collect();
        let negative: String = (-40..60).map(|i| format!("{i}.5\n")).collect();
        for (text, unit) in [
            ("3\n", Unit::None),
            ("0\n0\n0\n", Unit::Time),
            (long.as_str(), Unit::Bytes),
            (&negative, Unit::None),
        ] {
            let page = page(&example(text, unit));
            for outside in ["http://", "https://", "src=", "@import", "url("] {
                assert!(!page.contains(outside), "{outside}");
            }
            assert!(page.contains("a &lt;b&gt; &amp; c.txt"));
            assert!(!page.contains("NaN") && !page.contains("inf\""), "a coordinate is not a number");
            for tag in ["svg", "g", "text", "table", "tr", "td", "th", "section", "figure", "div", "p", "pre"]
            {
                let opened =
                    page.matches(&format!("<{tag}>")).count() + page.matches(&format!("<{tag} ")).count();
                assert_eq!(opened, page.matches(&format!("</{tag}>")).count(), "{tag}");
            }
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
