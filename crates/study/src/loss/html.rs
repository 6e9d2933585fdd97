//! How likely a loss is, as a page: the chance, what would change it, and what it rests on.

use super::LossFindings;
use super::text::{HEADS, chance, command, row, sentences};
use petrio_files::inputs::Inputs;
use petrio_page::figure::{Axis, Figure, Marks, Quantity, Series, Tone};
use petrio_page::page::{Page, Span, Table, Text};
use petrio_scenario::report::{ReportError, write_text};
use std::path::Path;

/// Writes the page. The file is complete or absent; the same findings give the same bytes.
///
/// # Errors
/// The file can't be written.
pub fn write_html(found: &LossFindings, path: &Path, inputs: &Inputs) -> Result<(), ReportError> {
    write_text(path, inputs, &page(found).html())
}

/// The page.
pub fn page(found: &LossFindings) -> Page {
    let mut page = Page::new(format!("{}: how likely a loss is", found.title));
    let said = sentences(found);
    for (label, words) in said.iter().filter(|(label, _)| *label != "loss") {
        if *label == "chance" {
            page.lead(Text::default().strong(words.as_str()));
        } else {
            page.paragraph(Text::default().strong(format!("{label}: ")).plain(words.as_str()));
        }
    }
    page.wide_figures(changes(found));
    if !found.changes.is_empty() {
        page.heading("What would change it");
        let rows = found.changes.iter().map(|changed| {
            let mut cells: Vec<Text> = row(found, changed).into_iter().map(Text::from).collect();
            let tried = !changed.settings.is_empty();
            cells.push(if tried {
                Text::default().and(Span::Code(command(found, changed)))
            } else {
                Text::default()
            });
            cells
        });
        page.table(Table::new(HEADS.into_iter().chain(["asked by"])).with(rows));
    }
    page.foot = "drawn from lives and rebuilds as the scenario has them, not observed · the same scenario and seed give the same page".to_owned();
    page
}

/// The chance as it is and with each change, with its interval.
fn changes(found: &LossFindings) -> Option<Figure> {
    let mut all = vec![("as it is", found.loss)];
    all.extend(found.changes.iter().map(|changed| (changed.words.as_str(), changed.loss)));
    all.retain(|(_, loss)| loss.chance > 0.0);
    if all.len() < 2 {
        return None;
    }
    all.sort_by(|one, other| one.1.chance.total_cmp(&other.1.chance));
    let names = all.iter().map(|(words, _)| (*words).to_owned()).collect();
    let ends = all.iter().map(|(_, loss)| chance(*loss)).collect();
    let across = Axis::new("chance of a loss", Quantity::Number).logarithmic();
    let up = Axis::names("", names).with_ends(ends);
    let mut figure =
        Figure::new("What each change does", "each change and the chance of a loss with it", across, up);
    let of = |value: &dyn Fn(f64, f64) -> f64| {
        all.iter().map(|(_, loss)| value(loss.chance, loss.half_width)).collect::<Vec<f64>>()
    };
    // What lies within both intervals isn't known to be either.
    let tone = |(_, loss): &(&str, super::Chance)| match loss.chance - found.loss.chance {
        off if off.abs() <= loss.half_width + found.loss.half_width => Tone::Same,
        off if off < 0.0 => Tone::Better,
        _ => Tone::Worse,
    };
    figure.push(Series::new(
        "chance of a loss",
        Marks::Rows {
            low: of(&|chance, half| (chance - half).max(chance / 100.0)),
            values: of(&|chance, _| chance),
            high: of(&|chance, half| chance + half),
            tones: all.iter().map(tone).collect(),
        },
    ));
    Some(figure)
}
