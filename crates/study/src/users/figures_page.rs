//! The thesis' figures 5.6 to 5.12 as a page.

use super::figures::{FiguresOrigin, Point, UsersFigures};
use crate::page::STYLE;
use crate::page::curves::{Across, Curve, plot};
use crate::page::parts::{figure, note, table};
use petrio_scenario::report::html::{document, escaped};
use petrio_scenario::report::{ReportError, write_text};
use std::fmt::Write as _;
use std::path::Path;

/// Writes the page. The file is complete or absent.
///
/// # Errors
/// When it can't be written.
pub fn write_figures_html(figures: &UsersFigures, path: &Path) -> Result<(), ReportError> {
    write_text(path, &page(figures))
}

fn page(figures: &UsersFigures) -> String {
    let mut out = String::new();
    let _ = write!(
        out,
        "<header>\n<h1>Response time a byte</h1>\n<p>{}</p>\n</header>\n",
        escaped(&figures.title)
    );
    if !figures.populations.is_empty() {
        by_users(&mut out, figures);
    }
    if !figures.access_sizes.is_empty() {
        by_access_size(&mut out, figures);
    }
    out.push_str("<section>\n<h2>All measurements</h2>\n");
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
    table(&mut out, &heads, rows);
    out.push_str("</section>\n");
    let foot = match figures.origin {
        FiguresOrigin::Real => "measured by the wall clock",
        FiguresOrigin::Simulated => "model time, not measured",
        FiguresOrigin::Traces => "from traces, of real or simulated runs",
    };
    document(&figures.title, STYLE, &out, foot)
}

fn by_users(out: &mut String, figures: &UsersFigures) {
    out.push_str("<section>\n<h2>By number of users</h2>\n<div class=\"plots\">\n");
    let highest = figures
        .populations
        .iter()
        .flat_map(|population| &population.points)
        .map(|point| point.response_us_per_byte)
        .fold(0.0, f64::max);
    for population in &figures.populations {
        let points =
            population.points.iter().map(|point| (f64::from(point.users), point.response_us_per_byte));
        let curve = Curve { name: &population.population, points: points.collect() };
        let label = format!("Response time a byte by number of users, {}", population.population);
        let drawn = plot(&[curve], Across::Linear, "users", ("µs a byte", highest * 1.05), &label, None);
        if let Some((svg, _)) = drawn {
            let below = note(&format!(
                "{:+.4} µs a byte with each user; a straight line explains {:.0} %",
                population.slope,
                population.r_squared * 100.0
            ));
            figure(out, &population.population, &svg, &below);
        }
    }
    out.push_str("</div>\n</section>\n");
}

fn by_access_size(out: &mut String, figures: &UsersFigures) {
    out.push_str("<section>\n<h2>By access size</h2>\n<div class=\"plots\">\n");
    let sizes = figures
        .access_sizes
        .iter()
        .filter_map(|point| Some((point.access_bytes? as f64, point.response_us_per_byte)));
    let (name, below) = match figures.origin {
        FiguresOrigin::Traces => ("all runs", "All runs"),
        FiguresOrigin::Simulated | FiguresOrigin::Real => ("one user", "One user of the first population"),
    };
    let curve = Curve { name, points: sizes.collect() };
    let highest = curve.points.iter().map(|point| point.1).fold(0.0, f64::max);
    if let Some((svg, _)) = plot(
        &[curve],
        Across::Bytes,
        "mean access size",
        ("µs a byte", highest * 1.05),
        "Response time a byte by access size",
        None,
    ) {
        figure(out, below, &svg, "");
    }
    out.push_str("</div>\n</section>\n");
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
