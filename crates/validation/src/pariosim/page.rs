//! The study as a page.

use super::das::DasCell;
use super::experiments::{Architecture, Drives, Program};
use super::figures::{das, speed_up, split, throughput, times};
use super::outcome::Outcome;
use crate::verdict::Judged;
use petrio_page::page::{Block, Page, Text};
use petrio_scenario::report::{ReportError, write_text};
use std::path::Path;

const TWO: [Architecture; 2] = [Architecture::Nas, Architecture::SanDirect];
const ALL: [Architecture; 3] = [Architecture::Nas, Architecture::SanDirect, Architecture::SanAllToAll];

/// Writes the figures, and the verdicts, as a page of its own.
///
/// # Errors
/// When the file can't be written.
pub fn study_page(
    (outcomes, cells): (&[Outcome], &[DasCell]),
    judged: &[Judged],
    path: &Path,
) -> Result<(), ReportError> {
    write_text(path, &page(outcomes, cells, judged).html())
}

pub(super) fn page(outcomes: &[Outcome], cells: &[DasCell], judged: &[Judged]) -> Page {
    let mut page = Page::new("ParIOSim: NAS, SAN-direct and SAN-all-to-all");
    page.paragraph(
        "Parallel programs on the study's cluster of Pentium II nodes on Fast Ethernet, simulated; its figures are pictures without \
         numbers, so what is judged is what it says of them. MB are of 10⁶ bytes.",
    );
    let line = |one: &Judged| Text::default().strong(one.verdict.words()).plain(format!(": {}", one.line()));
    page.blocks.push(Block::List(judged.iter().map(line).collect()));
    page.heading("Figure 4: one disk");
    page.figures([false, true].map(|writes| das(cells, writes)));
    page.heading("BT-IO");
    let (machine, channel) = (Drives::OfTheMachine, Drives::FibreChannel);
    page.figures([times(
        outcomes,
        "Figures 5 and 6: execution time, the machine's drives",
        (Program::Bt, &TWO, machine),
    )]);
    page.figures(throughput(outcomes, "Figure 7, the machine's drives", (Program::Bt, &TWO, machine)));
    page.figures(throughput(outcomes, "Figure 9, Fibre Channel's drives", (Program::Bt, &TWO, channel)));
    page.figures([
        times(outcomes, "Figure 11: execution time, Fibre Channel's drives", (Program::Bt, &TWO, channel)),
        speed_up(outcomes, "Figure 11 as speed-up", (Program::Bt, &TWO)),
    ]);
    page.figures(TWO.map(|architecture| split(outcomes, Program::Bt, architecture)));
    page.heading("seis");
    let to_all = [Architecture::Nas, Architecture::SanAllToAll];
    page.figures(throughput(outcomes, "Figure 8, Fibre Channel's drives", (Program::Seis, &TWO, channel)));
    page.figures(throughput(
        outcomes,
        "Figure 10, Fibre Channel's drives",
        (Program::Seis, &to_all, channel),
    ));
    page.figures([
        times(outcomes, "Figure 12: execution time, Fibre Channel's drives", (Program::Seis, &ALL, channel)),
        speed_up(outcomes, "Figure 12 as speed-up", (Program::Seis, &ALL)),
    ]);
    page.figures(ALL.map(|architecture| split(outcomes, Program::Seis, architecture)));
    page.foot = "model time, not measured".to_owned();
    page
}
