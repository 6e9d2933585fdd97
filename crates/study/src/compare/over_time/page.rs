//! A measurement over time beside predictions as a page: times of requests over load, and over time.

use super::bins::sorts;
use super::text::{calibration_words, figures, how, who};
use super::{BesideOverTime, DeviceBeside, Moment, Point};
use petrio_files::inputs::Inputs;
use petrio_page::figure::{Axis, Figure, Quantity, Series};
use petrio_page::page::{Block, Page, Table, Text};
use petrio_scenario::report::{ReportError, write_text};
use std::path::Path;

/// More points over time are put together.
const MOMENTS_MAX: usize = 2_000;

/// Writes the page. The file is complete or absent; the same comparison gives the same bytes.
///
/// # Errors
/// The file can't be written.
pub fn write_over_time_html(found: &BesideOverTime, path: &Path, inputs: &Inputs) -> Result<(), ReportError> {
    write_text(path, inputs, &over_time_page(found).html())
}

/// The page.
pub fn over_time_page(found: &BesideOverTime) -> Page {
    let names: Vec<&str> = found.contenders.iter().map(|contender| contender.name.as_str()).collect();
    let mut page = Page::new(format!("{} beside a live system", names.join(" · ")));
    page.below = vec![Text::default().quiet(how(found))];
    let who_all = found.contenders.iter().map(|contender| {
        (
            contender.letter.clone(),
            Text::default().strong(contender.name.as_str()).quiet(format!(" {}", contender.title)),
        )
    });
    page.blocks.push(Block::Definitions(who_all.collect()));
    page.warnings(found.notes.iter().map(ToString::to_string));
    for device in &found.devices {
        page.heading(who(found, device));
        for parting in &device.parting {
            page.paragraph(parting.text.clone());
        }
        page.figures([by_load(device)].into_iter().chain(by_time(device)));
        let (heads, rows) = figures(device);
        let heads: Vec<String> = heads.into_iter().map(str::to_owned).collect();
        page.table(Table::new(heads).with_words(0).with(rows));
        if let Some(calibration) = &device.calibration {
            page.heading(format!("The parameters of {} by {}", device.disk, device.device));
            for (label, words) in calibration_words(calibration) {
                let label = if label.is_empty() { String::new() } else { format!("{label}: ") };
                page.paragraph(format!("{label}{words}"));
            }
        }
    }
    page.foot =
        "predictions are model time · the same scenario, seed and measurement give the same page".to_owned();
    page
}

/// Mean times over load: what was measured as dots, what is predicted as lines.
fn by_load(device: &DeviceBeside) -> Figure {
    let sorts = sorts(&device.points);
    let mut points: Vec<&Point> = device.points.iter().collect();
    points.sort_by(|one, other| one.both.per_s.total_cmp(&other.both.per_s));
    let said: Vec<String> = points
        .iter()
        .filter_map(|point| {
            let (measured, predicted) = (point.both.measured?.value, point.both.predicted?.value);
            let words = |value| Quantity::Duration.words(value);
            Some(format!(
                "at {} requests/s measured {}, predicted {}",
                Quantity::Number.words(point.both.per_s.round()),
                words(measured),
                words(predicted)
            ))
        })
        .collect();
    let mut figure = Figure::new(
        format!("How long a request takes by load, {}", device.device),
        format!("mean times of requests over their rate; {}", said.join("; ")),
        Axis::new("requests a second", Quantity::Number).logarithmic(),
        Axis::new("mean time", Quantity::Duration).logarithmic(),
    );
    for (number, (name, of)) in sorts.iter().enumerate() {
        let dots = points.iter().filter_map(|point| Some((point.both.per_s, of(point).measured?.value)));
        figure.push(Series::dots(format!("{name}, measured"), dots).colour(number));
        let known = points.iter().filter(|point| !point.overloaded);
        let (x, y): (Vec<f64>, Vec<f64>) =
            known.filter_map(|point| Some((point.both.per_s, of(point).predicted?.value))).unzip();
        if !x.is_empty() {
            figure.push(Series::line(format!("{name}, predicted"), x, y).colour(number));
        }
    }
    if points.iter().any(|point| point.overloaded) {
        figure.note("where the line ends, more comes than the scenario's disk serves");
    }
    figure
}

/// Mean times by time, of intervals put together where there are very many; nothing where there is but one.
fn by_time(device: &DeviceBeside) -> Option<Figure> {
    let moments = &device.over_time;
    let end = moments.last().map(|moment| moment.begin_s + moment.length_s)?;
    if moments.len() < 2 {
        return None;
    }
    let together = moments.len().div_ceil(MOMENTS_MAX);
    let groups: Vec<&[Moment]> = moments.chunks(together).collect();
    let mean = |of: fn(&Moment) -> Option<f64>| -> Vec<f64> {
        let of_group = |group: &&[Moment]| {
            let known = group.iter().filter_map(|moment| Some((moment.per_s * moment.length_s, of(moment)?)));
            let (weight, sum) =
                known.fold((0.0, 0.0), |(all, sum), (weight, value)| (all + weight, sum + weight * value));
            if weight > 0.0 { sum / weight } else { f64::NAN }
        };
        groups.iter().map(of_group).collect()
    };
    let mut x: Vec<f64> = groups.iter().filter_map(|group| Some(group.first()?.begin_s)).collect();
    x.push(end);
    let mut figure = Figure::new(
        format!("How long a request takes over time, {}", device.device),
        "mean times of requests by interval: measured, and predicted for the load of each interval's bin",
        Axis::new("time", Quantity::Duration),
        Axis::new("mean time", Quantity::Duration).logarithmic(),
    );
    figure.push(Series::stairs("measured", x.clone(), mean(|moment| moment.measured_s)));
    figure.push(Series::stairs("predicted for that load", x, mean(|moment| moment.predicted_s)));
    Some(figure)
}
