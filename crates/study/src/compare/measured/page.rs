//! A measurement beside predictions as a page: how well each figure is predicted, every prediction over what was measured, and the table.

use super::text::{details, figures, how, verdict};
use super::{Beside, BesideRow, row_in_words};
use petrio_files::inputs::Inputs;
use petrio_page::figure::{Axis, Figure as Plot, Quantity, SERIES_MAX, Series};
use petrio_page::page::{Block, Page, Span, Table, Text};
use petrio_scenario::report::{ReportError, write_text};
use petrio_workload::measurement::Figure;
use std::path::Path;

/// Writes the page. The file is complete or absent; the same comparison gives the same bytes.
///
/// # Errors
/// The file can't be written.
pub fn write_measured_html(beside: &Beside, path: &Path, inputs: &Inputs) -> Result<(), ReportError> {
    write_text(path, inputs, &measured_page(beside).html())
}

/// The page.
pub fn measured_page(beside: &Beside) -> Page {
    let names: Vec<&str> = beside.contenders.iter().map(|contender| contender.name.as_str()).collect();
    let mut page = Page::new(format!("{} beside what was measured", names.join(" · ")));
    page.below = vec![Text::default().quiet(how(beside))];
    let who = beside.contenders.iter().map(|contender| {
        let name = Text::default().strong(contender.name.as_str());
        (contender.letter.clone(), name.and(Span::Break).quiet(details(contender)))
    });
    page.blocks.push(Block::Definitions(who.collect()));
    let warnings = beside.contenders.iter().flat_map(|contender| {
        contender.warnings.iter().map(move |warning| format!("{}: {warning}", contender.letter))
    });
    page.warnings(beside.notes.iter().map(ToString::to_string).chain(warnings));
    page.heading("How well it is predicted");
    for summary in &beside.summaries {
        page.paragraph(verdict(beside, summary));
    }
    page.figures(plots(beside));
    page.heading("All figures");
    let (heads, rows) = figures(beside);
    let words = heads.iter().position(|head| head == "measured").unwrap_or(1);
    page.table(Table::new(heads).with_words(words).with(rows));
    page.foot = match beside.is_simulated() {
        true => "predictions are model time · the same scenarios, seed and measurement give the same page"
            .to_owned(),
        false => "predictions are model time".to_owned(),
    };
    page
}

/// What a figure's values count.
fn quantity(figure: Figure) -> Quantity {
    match figure {
        Figure::Throughput => Quantity::Rate,
        Figure::Rate => Quantity::Number,
        Figure::MeanLatency | Figure::Latency(_) => Quantity::Duration,
    }
}

/// For each figure predicted over measured, a dot each row, with the line on which both are the same.
fn plots(beside: &Beside) -> Vec<Plot> {
    let mut figures: Vec<Figure> = Vec::new();
    for row in &beside.rows {
        if !figures.contains(&row.what()) {
            figures.push(row.what());
        }
    }
    figures.into_iter().filter_map(|figure| plot(beside, figure)).collect()
}

fn plot(beside: &Beside, figure: Figure) -> Option<Plot> {
    let rows: Vec<&BesideRow> = beside.rows.iter().filter(|row| row.what() == figure).collect();
    let dots = |number: usize| {
        rows.iter().filter_map(move |row| {
            let predicted = row.predicted.get(number)?.as_ref()?.value.value;
            Some((row.measured.value, predicted))
        })
    };
    let shown = beside.contenders.len().min(SERIES_MAX - 1);
    let all = || (0..shown).flat_map(dots).flat_map(|(measured, predicted)| [measured, predicted]);
    let (least, most) = (all().fold(f64::INFINITY, f64::min), all().fold(0.0, f64::max));
    if !least.is_finite() || least <= 0.0 {
        return None;
    }
    let (least, most) = (least * 0.8, most * 1.25);
    let axis = |name: &str| Axis::new(name, quantity(figure)).logarithmic().between(least, most);
    let said = rows.iter().take(20).map(|row| {
        let measured = quantity(figure).words(row.measured.value);
        let predicted =
            row.predicted.iter().flatten().map(|prediction| quantity(figure).words(prediction.value.value));
        let predicted: Vec<String> = predicted.collect();
        format!("{}: measured {measured}, predicted {}", row_in_words(row), predicted.join(", "))
    });
    let words = format!("{figure}, predicted over measured; {}", said.collect::<Vec<_>>().join("; "));
    let mut plot = Plot::new(capital(&figure.to_string()), words, axis("measured"), axis("predicted"));
    for (number, contender) in beside.contenders.iter().enumerate().take(shown) {
        plot.push(Series::dots(contender.name.as_str(), dots(number)));
    }
    plot.push(Series::line("the same", vec![least, most], vec![least, most]).dashed(true));
    Some(plot)
}

fn capital(words: &str) -> String {
    let mut letters = words.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
