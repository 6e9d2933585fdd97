//! The experiments of the dissertation's chapters 3.3 and 7 as a page.

use super::experiments::MOST_CLIENTS;
use super::figures::{clusters, curves, deviations, each_client, files, queue, stress, surface};
use super::measured::Moves;
use super::outcome::Outcome;
use crate::verdict::Judged;
use petrio_files::inputs::Inputs;
use petrio_page::page::{Block, Page, Text};
use petrio_scenario::report::{ReportError, write_text};
use std::path::Path;

const BOTH: [Moves; 2] = [Moves::Read, Moves::Write];

/// Writes the figures, and the verdicts, as a page of its own.
///
/// # Errors
/// When the file can't be written.
pub fn chapter_page(
    outcomes: &[Outcome],
    judged: &[Judged],
    path: &Path,
    inputs: &Inputs,
) -> Result<(), ReportError> {
    write_text(path, inputs, &page(outcomes, judged).html())
}

pub(super) fn page(outcomes: &[Outcome], judged: &[Judged]) -> Page {
    let mut page = Page::new("PVFS: the experiments of chapter 7");
    page.paragraph(
        "The dissertation's cluster of up to eight clients and four servers on Gigabit Ethernet, simulated; its \
         measurements are curves without numbers, so what is judged is what it says of them. Each point is the mean of \
         several runs, whose processes wake up at other times; intervals are of 95 %. MB are of 10⁶ bytes, MiB of 2²⁰.",
    );
    let line = |one: &Judged| Text::default().strong(one.verdict.words()).plain(format!(": {}", one.line()));
    page.blocks.push(Block::List(judged.iter().map(line).collect()));
    page.heading("One to eight clients");
    page.paragraph("A client's rate on average, and how it goes down where clients are more than the servers' links carry.");
    page.figures(BOTH.map(|moves| curves(outcomes, moves)));
    page.figures(stress(outcomes));
    page.heading("Figures 55 to 70: each client");
    page.paragraph(
        "Points of a block are drawn side by side, so that clients that lie together can be told apart.",
    );
    let each = |clients| BOTH.map(|moves| each_client(outcomes, moves, clients));
    page.figures((1..=MOST_CLIENTS).flat_map(each));
    page.figures(BOTH.map(|moves| deviations(outcomes, moves)));
    page.heading("Clusters of all sizes");
    page.figures(BOTH.map(|moves| clusters(outcomes, moves)));
    page.heading("Figures 17 and 18: files of any size");
    page.paragraph("One client, four servers.");
    page.figures(BOTH.map(|moves| surface(outcomes, moves)));
    page.figures(BOTH.map(|moves| files(outcomes, moves)));
    page.heading("The receive queue");
    page.paragraph(
        "A server's receive buffers are lists, in which each piece that waits costs another 2 µs here; the dissertation's \
         own model took the same time however many waited, which it holds to be why small writes came out too fast and \
         large ones too slow (7.3.1). 2 µs make no difference that can be told from chance, and 60 µs hardly any: servers \
         take pieces faster than their links bring them.",
    );
    page.figures([queue(outcomes)]);
    page.foot = "model time, not measured".to_owned();
    page
}
