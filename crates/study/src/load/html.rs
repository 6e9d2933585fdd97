//! How much load a System bears, as a page: one figure that says it, one for what is behind it.

use super::text::sentences;
use super::{LoadFindings, Point};
use petrio_files::inputs::Inputs;
use petrio_page::figure::{Annotation, Axis, Figure, Marks, Quantity, Series};
use petrio_page::page::{Page, Text};
use petrio_scenario::report::{ReportError, write_text};
use std::path::Path;

/// Writes the page. The file is complete or absent; the same findings give the same bytes.
///
/// # Errors
/// The file can't be written.
pub fn write_html(found: &LoadFindings, path: &Path, inputs: &Inputs) -> Result<(), ReportError> {
    write_text(path, inputs, &page(found).html())
}

/// The page.
pub fn page(found: &LoadFindings) -> Page {
    let mut page = Page::new(format!("{}: how much load it bears", found.title));
    let said = sentences(found);
    if let Some((_, words)) = said.iter().find(|(label, _)| *label == "limit") {
        page.lead(Text::default().strong(words.as_str()));
    }
    for (label, words) in said.iter().filter(|(label, _)| *label != "limit") {
        page.paragraph(Text::default().strong(format!("{label}: ")).plain(words.as_str()));
    }
    let [response, behind @ ..] = figures(found);
    page.wide_figures([response]);
    page.figures(behind);
    page.foot = "model time, not measured · the same scenario and seed give the same page".to_owned();
    page
}

/// The metric over the load, and what is behind it.
pub fn figures(found: &LoadFindings) -> [Figure; 3] {
    [response(found), served(found), busy(found)]
}

fn across(found: &LoadFindings) -> Axis {
    let name = match &found.dial.keys[..] {
        [key] if key.counts.is_some() => key.path.clone(),
        _ => "load, as a factor on today's".to_owned(),
    };
    Axis::new(name, Quantity::Number)
}

/// Where a load lies across: users are counted, other loads are factors.
fn place(found: &LoadFindings, factor: f64) -> f64 {
    match &found.dial.keys[..] {
        [key] if key.counts.is_some() => factor * key.now.parse::<f64>().unwrap_or(1.0),
        _ => factor,
    }
}

/// The metric over the load, with the limit, today, the highest load and the knee.
fn response(found: &LoadFindings) -> Figure {
    let (what, size) = found.metric.quantity();
    let alternative = format!("{} over the load", found.metric);
    let mut up = Axis::new(found.metric.to_string(), what);
    up.from = Some(0.0);
    // What waits without end would leave nothing to see of the rest.
    let served = || found.points.iter().filter(|point| !point.overloaded);
    let most = served().map(|point| point.metric).fold(found.limit.unwrap_or(0.0), f64::max);
    up.to = Some(most.min(found.limit.map_or(f64::INFINITY, |limit| limit * 2.5)) * 1.05 / size);
    let mut figure = Figure::new("Response over load", alternative, across(found), up);
    let points: Vec<&Point> = served().collect();
    let of =
        |part: &dyn Fn(&Point) -> f64| points.iter().map(|point| part(point) / size).collect::<Vec<f64>>();
    figure.push(Series::new(
        found.metric.to_string(),
        Marks::Intervals {
            x: points.iter().map(|point| place(found, point.factor)).collect(),
            low: of(&|point| point.metric - point.half_width.unwrap_or(0.0)),
            y: of(&|point| point.metric),
            high: of(&|point| point.metric + point.half_width.unwrap_or(0.0)),
            joined: true,
        },
    ));
    if let Some(limit) = found.limit {
        figure.annotations.push(Annotation::Height { value: limit / size, words: "limit".to_owned() });
    }
    let mut mark = |factor: f64, y: f64, words: &str| {
        let x = place(found, factor);
        figure.annotations.push(Annotation::Point { x, y: y / size, words: words.to_owned() });
    };
    if !found.today.overloaded {
        mark(1.0, found.today.metric, "today");
    }
    if let (Some(highest), Some(limit)) = (&found.highest, found.limit) {
        mark(highest.factor, limit, "highest load");
    }
    if let Some(knee) = found.knee.as_ref().filter(|knee| !knee.at_end) {
        let near = points.iter().min_by(|one, other| {
            (one.factor - knee.factor).abs().total_cmp(&(other.factor - knee.factor).abs())
        });
        if let Some(near) = near {
            mark(knee.factor, near.metric, "knee");
        }
    }
    figure
}

fn over_load(found: &LoadFindings, name: &str, up: Axis, of: impl Fn(&Point) -> f64) -> Figure {
    let mut figure = Figure::new(name, format!("{name} over the load"), across(found), up);
    figure.push(Series::dots(name, found.points.iter().map(|point| (place(found, point.factor), of(point)))));
    figure
}

fn served(found: &LoadFindings) -> Figure {
    let mut up = Axis::new("served a second", Quantity::Number);
    up.from = Some(0.0);
    over_load(found, "Served a second", up, |point| point.rate)
}

fn busy(found: &LoadFindings) -> Figure {
    let mut up = Axis::new("busiest stage", Quantity::Share);
    (up.from, up.to) = (Some(0.0), Some(1.0));
    over_load(found, "Busy", up, |point| point.busiest.as_ref().map_or(0.0, |(_, busy)| *busy))
}
