//! The validation as a page: curves of measured and predicted figures, heat maps of the errors, and every row as text.

mod figures;

use super::experiment::{EXPERIMENTS, Experiment};
use super::{FsRow, FsValidation};
use petrio_files::inputs::Inputs;
use petrio_page::page::{Block, Page, Table};
use petrio_scenario::report::{ReportError, write_text};
use std::collections::BTreeSet;
use std::path::Path;

/// Writes the page. The file is complete or absent.
///
/// # Errors
/// The file can't be written.
pub fn write_html(found: &FsValidation, path: &Path, inputs: &Inputs) -> Result<(), ReportError> {
    write_text(path, inputs, &page(found).html())
}

/// A table of more rows is folded.
const ROWS_OPEN: usize = 20;

fn page(found: &FsValidation) -> Page {
    let mut page = Page::new("File systems: predicted and measured");
    page.below = vec![
        format!(
            "Simulated: {}. Measured: {}. Points measured: {}.",
            found.machine,
            found.ground,
            found.rows.len()
        )
        .into(),
    ];
    summary(&mut page, found);
    for experiment in EXPERIMENTS {
        let rows: Vec<&FsRow> = found.rows.iter().filter(|row| row.experiment == experiment.name).collect();
        if !rows.is_empty() {
            section(&mut page, experiment, &rows);
        }
    }
    if !found.left_out.is_empty() {
        page.heading("Left out");
        let line = |left_out: &super::LeftOut| {
            format!("{}, points: {}; {}", left_out.experiment, left_out.points, left_out.why).into()
        };
        page.blocks.push(Block::List(found.left_out.iter().map(line).collect()));
    }
    page.foot = "measured by the wall clock; simulated in model time".to_owned();
    page
}

fn summary(page: &mut Page, found: &FsValidation) {
    page.heading("Errors");
    page.note("Only predicted rows count towards the aims.");
    let heads = ["experiment", "worth", "rows", "median error %", "worst error %", "aim %", "within"];
    let rows = found.summaries.iter().map(|line| {
        vec![
            line.experiment.to_owned(),
            line.label.words().to_owned(),
            line.rows.to_string(),
            format!("{:.1}", line.median_error_percent),
            format!("{:.1}", line.worst_error_percent),
            format!("{:.0}", line.aim_percent),
            line.within_aim.to_string(),
        ]
    });
    page.table(Table::new(heads).with_words(2).with(rows));
    for cliff in &found.cliffs {
        page.paragraph(cliff.line());
    }
}

fn section(page: &mut Page, experiment: &Experiment, rows: &[&FsRow]) {
    page.heading(experiment.title);
    let records: BTreeSet<u64> = rows.iter().map(|row| row.record_bytes).collect();
    let sizes: BTreeSet<u64> = rows.iter().map(|row| row.file_size_bytes).collect();
    let journals: BTreeSet<&str> = rows.iter().map(|row| row.journal).collect();
    let unit = experiment.unit;
    let mut all = Vec::new();
    if rows.len() > records.len().max(sizes.len()) * journals.len() {
        all.push(figures::measured(rows, unit));
        all.push(figures::errors(rows));
        // Two curves through the grid: small files, and large ones.
        let sizes: Vec<u64> =
            sizes.into_iter().filter(|size| *size >= *records.iter().max().unwrap_or(&0)).collect();
        for size in [sizes.first(), sizes.last()].into_iter().flatten() {
            let of_it: Vec<&FsRow> =
                rows.iter().copied().filter(|row| row.file_size_bytes == *size).collect();
            let title = format!("Files of {}", petrio_units::Bytes(*size));
            all.push(figures::over(title, &of_it, (|row| row.record_bytes, "record"), unit));
        }
    } else if records.len().max(sizes.len()) > 1 {
        let size: (fn(&FsRow) -> u64, &str) = match records.len() {
            1 => (|row| row.file_size_bytes, "file size"),
            _ => (|row| row.record_bytes, "record"),
        };
        for journal in journals {
            let of_it: Vec<&FsRow> = rows.iter().copied().filter(|row| row.journal == journal).collect();
            all.push(figures::over(format!("Journal: {journal}"), &of_it, size, unit));
        }
    } else {
        all.push(figures::by_journal(rows, unit));
    }
    page.figures(all);
    page.note("Measured figures stand with their range, from the least to the greatest; predicted ones are broken lines.");
    rows_table(page, rows);
}

/// All rows. Of many, what is the same in each is told once.
fn rows_table(page: &mut Page, rows: &[&FsRow]) {
    let cells: Vec<Vec<String>> = rows.iter().map(|row| row.cells().split_off(1)).collect();
    let heads = FsRow::HEADINGS.iter().skip(1).enumerate();
    let is_same =
        |column: usize| rows.len() > ROWS_OPEN && cells.iter().all(|row| row[column] == cells[0][column]);
    let (same, own): (Vec<(usize, &&str)>, Vec<_>) = heads.partition(|(column, _)| is_same(*column));
    let table = Table::new(own.iter().map(|(_, head)| **head));
    let table =
        table.with(cells.iter().map(|row| own.iter().map(|(column, _)| row[*column].clone()).collect()));
    if rows.len() <= ROWS_OPEN {
        page.table(table);
        return;
    }
    let said: Vec<String> =
        same.iter().map(|(column, head)| format!("{head} {}", cells[0][*column])).collect();
    let summary = std::iter::once(format!("{} rows", rows.len())).chain(said).collect::<Vec<_>>().join(", ");
    page.blocks.push(Block::Folded(summary, table));
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::fs::LeftOut;
    use petrio_live::drive::Spread;

    fn found() -> FsValidation {
        let mut rows = Vec::new();
        for experiment in EXPERIMENTS {
            for (number, point) in experiment.points(false).iter().enumerate() {
                let spread = Spread::of([90.0, 100.0, 120.0 + number as f64]).unwrap();
                rows.push(FsRow::new(experiment, point, spread, 100.0 + number as f64));
            }
        }
        let left_out = vec![LeftOut { experiment: "captured", points: 1, why: "<no> \"room\"".to_owned() }];
        let summaries = crate::fs::row::summaries(&rows);
        FsValidation { machine: "m & n".to_owned(), rows, summaries, left_out, ..FsValidation::default() }
    }

    #[test]
    fn the_page_holds_every_experiment_and_escapes_what_it_is_told() {
        let html = page(&found()).html();
        for experiment in EXPERIMENTS {
            assert!(html.contains(experiment.title), "{}", experiment.name);
        }
        assert!(html.contains("&lt;no&gt;") && html.contains("m &amp; n"));
        assert!(!html.contains(">NaN"), "a value is not a number");
    }

    #[test]
    fn all_points_of_all_experiments_make_a_page_of_less_than_150_kb() {
        let bytes = page(&found()).html().len();
        assert!(bytes < 150_000, "{bytes} bytes");
    }

    #[test]
    fn a_single_row_makes_a_page_too() {
        let mut found = found();
        found.rows.truncate(1);
        assert!(page(&found).html().contains("predicted"));
    }
}
