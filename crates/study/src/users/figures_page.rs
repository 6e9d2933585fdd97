//! The thesis' figures 5.6 to 5.12 as a page, and as figures for whoever draws them.

use super::figures::{FiguresOrigin, Point, PopulationFigure, UsersFigures};
use petrio_files::inputs::Inputs;
use petrio_page::figure::{Axis, Figure, Quantity, Series};
use petrio_page::page::{Page, Table};
use petrio_scenario::report::{ReportError, write_text};
use std::path::Path;

/// Writes the page. The file is complete or absent.
///
/// # Errors
/// When it can't be written.
pub fn write_figures_html(figures: &UsersFigures, path: &Path, inputs: &Inputs) -> Result<(), ReportError> {
    write_text(path, inputs, &page(figures).html())
}

fn page(figures: &UsersFigures) -> Page {
    let mut page = Page::new(figures.title.as_str());
    page.heading = "Response time a byte".to_owned();
    page.below = vec![figures.title.as_str().into()];
    if !figures.populations.is_empty() {
        page.heading("By number of users");
        page.figures(by_users(figures));
    }
    if !figures.access_sizes.is_empty() {
        page.heading("By access size");
        page.figures([by_access_size(figures)]);
    }
    page.heading("All measurements");
    let rows =
        figures
            .populations
            .iter()
            .flat_map(|population| population.points.iter().map(|point| row(&population.population, point)))
            .chain(figures.access_sizes.iter().map(|point| {
                row(&format!("accesses of {} B", point.access_bytes.unwrap_or_default()), point)
            }));
    let heads = [
        "population",
        "users",
        "of them",
        "accesses",
        "bytes, mean (std)",
        "response in µs, mean (std)",
        "µs a byte",
    ];
    page.table(Table::new(heads).with(rows));
    let foot = match figures.origin {
        FiguresOrigin::Real => "measured by the wall clock",
        FiguresOrigin::Simulated => "model time, not measured",
        FiguresOrigin::Traces => "from traces, of real or simulated runs",
    };
    page.foot = foot.to_owned();
    page
}

fn response() -> Axis {
    Axis::new("µs a byte", Quantity::Number).from(0.0)
}

fn dots<'p>(name: &str, points: impl Iterator<Item = (f64, &'p Point)> + Clone) -> Series {
    let accesses = points.clone().map(|(_, point)| point.accesses.calls as f64).collect();
    let series = Series::dots(name, points.map(|(x, point)| (x, point.response_us_per_byte)));
    series.also("accesses", Quantity::Number, accesses)
}

/// Response time a byte by number of users, a figure for each population.
fn by_users(figures: &UsersFigures) -> Vec<Figure> {
    let highest = figures
        .populations
        .iter()
        .flat_map(|population| &population.points)
        .map(|point| point.response_us_per_byte)
        .fold(0.0, f64::max);
    let figure = |population: &PopulationFigure| {
        let name = population.population.as_str();
        // All have the same axis, so that they can be held against each other.
        let up = Axis { to: Some(highest * 1.05), ..response() };
        let alternative = format!("Response time a byte by number of users, {name}");
        let mut figure = Figure::new(name, alternative, Axis::new("users", Quantity::Number), up);
        figure.push(dots(name, population.points.iter().map(|point| (f64::from(point.users), point))));
        figure.note(format!(
            "{:+.4} µs a byte with each user; a straight line explains {:.0} %",
            population.slope,
            population.r_squared * 100.0
        ));
        figure
    };
    figures.populations.iter().map(figure).collect()
}

/// Response time a byte by access size.
fn by_access_size(figures: &UsersFigures) -> Figure {
    let (name, title) = match figures.origin {
        FiguresOrigin::Traces => ("all runs", "All runs"),
        FiguresOrigin::Simulated | FiguresOrigin::Real => ("one user", "One user of the first population"),
    };
    let across = Axis::new("mean access size", Quantity::Bytes).logarithmic();
    let mut figure = Figure::new(title, "Response time a byte by access size", across, response());
    let sizes = figures.access_sizes.iter();
    figure.push(dots(name, sizes.filter_map(|point| Some((point.access_bytes? as f64, point)))));
    figure
}

/// The figures for whoever draws them elsewhere: all populations over the number of users in one, and the access sizes.
pub fn response_figures(figures: &UsersFigures) -> Vec<Figure> {
    let title = "Response time a byte by number of users";
    let mut together = Figure::new(title, title, Axis::new("users", Quantity::Number), response());
    for population in &figures.populations {
        let points = population.points.iter().map(|point| (f64::from(point.users), point));
        together.push(dots(&population.population, points));
        together.note(format!(
            "{}: {:+.4} µs a byte with each user; a straight line explains {:.0} %",
            population.population,
            population.slope,
            population.r_squared * 100.0
        ));
    }
    let mut by_size = by_access_size(figures);
    by_size.title = "Response time a byte by access size".to_owned();
    if let Some(first) = figures.populations.first() {
        by_size.note(format!("One user of {}.", first.population));
    }
    [together, by_size].into_iter().filter(|figure| !figure.is_empty()).collect()
}

/// A measurement as the thesis' table 5.3 has it.
pub(super) fn row(name: &str, point: &Point) -> Vec<String> {
    let accesses = &point.accesses;
    vec![
        name.to_owned(),
        point.users.to_string(),
        point.who(),
        accesses.calls.to_string(),
        format!("{:.2} ({:.2})", accesses.bytes_mean, accesses.bytes_deviation),
        format!("{:.2} ({:.2})", accesses.response_us_mean, accesses.response_us_deviation),
        format!("{:.4}", point.response_us_per_byte),
    ]
}
