//! Figures 17, 18 and 55 to 70 of the dissertation as curves and heat maps.

use super::experiments::{BLOCKS_KIB, Experiment, FILES_KIB, MOST_CLIENTS, Outcome};
use super::measured::Moves;
use crate::verdict::Judged;
use petrio_page::figure::{Axis, Figure, Marks, Quantity, Series, Shade};
use petrio_page::page::{Page, Table};
use petrio_scenario::report::{ReportError, write_text};
use std::path::Path;

/// Numbers of clients that have a curve: more nobody tells apart.
const CURVES: [u32; 6] = [1, 2, 3, 4, 6, 8];

/// Writes the figures, and the verdicts, as a page of its own.
///
/// # Errors
/// When the file can't be written.
pub fn chapter_page(outcomes: &[Outcome], judged: &[Judged], path: &Path) -> Result<(), ReportError> {
    write_text(path, &page(outcomes, judged).html())
}

/// The experiments of figures 55 to 70 for so many clients.
fn grid(outcomes: &[Outcome], moves: Moves, clients: u32) -> Vec<&Outcome> {
    let of = |one: &Experiment| {
        (one.moves, one.clients, one.servers, one.linear) == (moves, clients, 4, true)
            && one.file_kib == 32 << 10
    };
    let mut found: Vec<&Outcome> = outcomes.iter().filter(|outcome| of(&outcome.experiment)).collect();
    found.sort_by_key(|outcome| outcome.experiment.block_kib);
    found.dedup_by_key(|outcome| outcome.experiment.block_kib);
    found
}

pub(super) fn page(outcomes: &[Outcome], judged: &[Judged]) -> Page {
    let mut page = Page::new("PVFS: the experiments of chapter 7");
    page.paragraph(
        "The dissertation's cluster of up to eight clients and four servers on Gigabit Ethernet, simulated; its measurements are curves \
         without numbers. Rates are of a client.",
    );
    page.table(
        Table::new(["what it found", "verdict"])
            .with(judged.iter().map(|one| vec![one.line(), one.verdict.words().to_owned()])),
    );
    let both = [(Moves::Read, "reads", 17), (Moves::Write, "writes", 18)];
    page.figures(both.map(|(moves, words, _)| curves(outcomes, moves, words)));
    page.figures(both.map(|(moves, words, _)| clients(outcomes, moves, words)));
    page.figures(both.map(|(moves, words, number)| files(outcomes, moves, words, number)));
    page.foot = "model time, not measured".to_owned();
    page
}

/// A client's rate by block, for several numbers of clients.
fn curves(outcomes: &[Outcome], moves: Moves, words: &str) -> Figure {
    let mut figure = Figure::new(
        format!("Figures 55 to 70: {words}"),
        format!("a client's rate of {words} by the size of blocks, for one to eight clients"),
        Axis::new("block", Quantity::Bytes).logarithmic(),
        Axis::new("rate of a client", Quantity::Rate).from(0.0),
    );
    for clients in CURVES {
        let points = grid(outcomes, moves, clients)
            .into_iter()
            .map(|outcome| ((outcome.experiment.block_kib << 10) as f64, outcome.mean() * 1024.0));
        let name = if clients == 1 { "one client".to_owned() } else { format!("{clients} clients") };
        figure.push(Series::dots(name, points));
    }
    figure
}

/// Each client's rate, of eight.
fn clients(outcomes: &[Outcome], moves: Moves, words: &str) -> Figure {
    let blocks = BLOCKS_KIB.map(|kib| format!("{kib} KiB")).to_vec();
    let names = (1..=MOST_CLIENTS).map(|client| format!("client {client}")).collect();
    let mut figure = Figure::new(
        format!("Eight clients: {words}, MB/s"),
        format!("the rate of each of eight clients in MB/s, {words}, by the size of blocks"),
        Axis::names("block", blocks),
        Axis::names("client", names),
    );
    let (mut columns, mut rows, mut values) = (Vec::new(), Vec::new(), Vec::new());
    for (column, outcome) in grid(outcomes, moves, MOST_CLIENTS).into_iter().enumerate() {
        for (row, rate) in outcome.kb_per_s.iter().enumerate() {
            columns.push(column);
            rows.push(row);
            values.push((rate * 1024.0 / 1e4).round() / 1e2);
        }
    }
    figure.push(Series::new(
        "rate",
        Marks::Cells { columns, rows, values, quantity: Quantity::Number, shade: Shade::Ratios },
    ));
    figure
}

/// One client's rate by the size of its file.
fn files(outcomes: &[Outcome], moves: Moves, words: &str, number: u32) -> Figure {
    let mut figure = Figure::new(
        format!("Figure {number}: files of any size, {words}"),
        format!("one client's rate of {words} by the size of its file"),
        Axis::new("file", Quantity::Bytes).logarithmic(),
        Axis::new("rate", Quantity::Rate).from(0.0),
    );
    let of = |kib: &u64| {
        let found = outcomes.iter().find(|outcome| {
            let one = &outcome.experiment;
            (one.clients, one.moves, one.file_kib) == (1, moves, *kib)
        })?;
        Some(((kib << 10) as f64, found.mean() * 1024.0))
    };
    figure.push(Series::dots("one client", FILES_KIB.iter().filter_map(of)));
    figure
}
