//! What was found, as a page: the best change, the path with the time on it, every change with its interval.

use super::life::Part;
use super::text::{command, cost, gains, ratio, sentences, settings};
use super::{Explanation, Tried};
use petrio_files::inputs::Inputs;
use petrio_page::figure::{Axis, Figure, Marks, Quantity, Series, Tone};
use petrio_page::numbers::{per_cent, time};
use petrio_page::page::{Page, Span, Table, Text};
use petrio_scenario::report::{ReportError, write_text};
use std::path::Path;

/// Writes the page. The file is complete or absent; the same findings give the same bytes.
///
/// # Errors
/// The file can't be written.
pub fn write_html(found: &Explanation, path: &Path, inputs: &Inputs) -> Result<(), ReportError> {
    write_text(path, inputs, &page(found).html())
}

/// The page.
pub fn page(found: &Explanation) -> Page {
    let mut page = Page::new(format!("{}: what would change it", found.title));
    page.warnings(found.overload.iter().cloned());
    if let Some(best) = found.better.first() {
        let words = Text::default().strong(format!("{}: {}", best.change.words, gains(best)));
        page.lead(words.and(Span::Break).and(Span::Code(command(found, &best.change))));
    }
    for (label, words) in
        sentences(found).into_iter().filter(|(label, _)| !["best", "overload"].contains(label))
    {
        page.paragraph(Text::default().strong(format!("{label}: ")).plain(words));
    }
    page.wide_figures(changes(found));
    page.heading("Where the time goes");
    page.wide_figures([path(found)]);
    table_of_stages(&mut page, found);
    table_of_changes(&mut page, found);
    page.foot = "model time, not measured · the same scenario and seed give the same page".to_owned();
    page
}

/// What each change does, where any does something, and the path with the time on it.
pub fn figures(found: &Explanation) -> Vec<Figure> {
    changes(found).into_iter().chain([path(found)]).collect()
}

/// Every change with its interval: a forest plot.
fn changes(found: &Explanation) -> Option<Figure> {
    let all: Vec<&Tried> = found.pairs.iter().chain(&found.better).chain(&found.worse).collect();
    if all.is_empty() {
        return None;
    }
    let gain = |tried: &Tried| if found.by_rate { tried.rate } else { tried.p99 };
    let what = if found.by_rate { "how much is done" } else { "how long the slowest in a hundred take" };
    let names = all.iter().map(|tried| format!("{} ({})", tried.change.words, tried.change.part)).collect();
    let ends = all.iter().map(|tried| ratio(&gain(tried))).collect();
    let across = Axis::new(what, Quantity::Change).logarithmic();
    let up = Axis::names("", names).with_ends(ends);
    let mut figure =
        Figure::new("What each change does", format!("each change and {what} with it"), across, up);
    let of = |part: &dyn Fn(&Tried) -> f64| all.iter().map(|tried| part(tried)).collect::<Vec<f64>>();
    let tones =
        all.iter().map(|tried| if tried.helps(found.by_rate) { Tone::Better } else { Tone::Worse }).collect();
    figure.push(Series::new(
        what,
        Marks::Rows {
            low: of(&|tried| gain(tried).interval.0),
            values: of(&|tried| gain(tried).times),
            high: of(&|tried| gain(tried).interval.1),
            tones,
        },
    ));
    Some(figure)
}

/// The time of the average, of the slowest, and of one of each, by cause: the path with time on it.
fn path(found: &Explanation) -> Figure {
    let life = &found.life;
    let rows: [(&str, &[Part]); 4] = [
        ("the average", &life.average),
        ("the slowest in a hundred", &life.slowest),
        ("a usual one", &life.usual.parts),
        ("a slow one", &life.slow.parts),
    ];
    let mut causes: Vec<&str> = Vec::new();
    for part in rows.iter().flat_map(|(_, parts)| parts.iter()) {
        if !causes.contains(&part.cause.as_str()) {
            causes.push(&part.cause);
        }
    }
    let ends = rows.iter().map(|(_, parts)| time(parts.iter().map(|part| part.ms).sum())).collect();
    let names = rows.iter().map(|(name, _)| (*name).to_owned()).collect();
    let across = Axis::new("time", Quantity::Duration);
    let up = Axis::names("", names).with_ends(ends);
    let title = format!("From call to return: on what {} spend their time", found.subject.many());
    let mut figure = Figure::new(title.clone(), title, across, up);
    for cause in causes {
        let of =
            |parts: &[Part]| parts.iter().find(|part| part.cause == cause).map_or(0.0, |part| part.ms / 1e3);
        figure.push(Series::stack(cause, rows.iter().map(|(_, parts)| of(parts)).collect()));
    }
    figure
}

fn table_of_stages(page: &mut Page, found: &Explanation) {
    page.heading("The stages of its way");
    let stages =
        found.stages.iter().filter(|stage| stage.utilisation.is_some() || stage.mean_wait_ms.is_some());
    let text = |value: Option<f64>, words: fn(f64) -> String| value.map(words).unwrap_or_default();
    let rows = stages.map(|stage| {
        vec![
            stage.name.clone(),
            stage.arrivals.to_string(),
            text(stage.utilisation, per_cent),
            text(stage.mean_service_ms, time),
            text(stage.mean_wait_ms, time),
        ]
    });
    page.table(Table::new(["stage", "visits", "busy", "service", "wait"]).with(rows));
}

fn table_of_changes(page: &mut Page, found: &Explanation) {
    page.heading("Every change, and what makes it");
    let all = found.better.iter().chain(&found.pairs).chain(&found.worse);
    let rows = all.map(|tried| {
        vec![
            Text::from(tried.change.words.as_str()),
            Text::from(ratio(&tried.rate)),
            Text::from(ratio(&tried.mean)),
            Text::from(ratio(&tried.p99)),
            Text::from(cost(found, tried)),
            Text::default().and(Span::Code(settings(&tried.change))),
        ]
    });
    page.table(Table::new(["change", "done", "mean", "p99", "costs", "settings"]).with(rows));
}
