//! The study as a page.

use super::das::DasCell;
use super::experiments::{Architecture, Drives, Program};
use super::figures::{channel_gains, das, speed_up, split, throughput, times};
use super::findings::assumptions::Assumption;
use super::findings::{Found, Moves};
use super::outcome::Outcome;
use super::what_if::WhatIf;
use crate::verdict::Judged;
use petrio_files::inputs::Inputs;
use petrio_page::page::{Block, Page, Text};
use petrio_scenario::report::{ReportError, write_text};
use std::path::Path;

const TWO: [Architecture; 2] = [Architecture::Nas, Architecture::SanDirect];
const ALL: [Architecture; 3] = [Architecture::Nas, Architecture::SanDirect, Architecture::SanAllToAll];

const fn as_it_is(architecture: Architecture) -> (&'static str, Architecture, WhatIf) {
    (architecture.words(), architecture, WhatIf::Nothing)
}

/// Writes the figures, and the verdicts, as a page of its own.
///
/// # Errors
/// When the file can't be written.
pub fn study_page(
    (outcomes, cells): (&[Outcome], &[DasCell]),
    found: &Found,
    path: &Path,
    inputs: &Inputs,
) -> Result<(), ReportError> {
    write_text(path, inputs, &page(outcomes, cells, found).html())
}

pub(super) fn page(outcomes: &[Outcome], cells: &[DasCell], found: &Found) -> Page {
    let mut page = Page::new("ParIOSim: NAS, SAN-direct and SAN-all-to-all");
    page.paragraph(
        "Parallel programs on the study's cluster of Pentium II nodes on Fast Ethernet, simulated; its figures are pictures without \
         numbers, so what is judged is what it says of them. Verdicts count in MB of 10⁶ bytes, axes in MiB of 2²⁰: 100 MB/s are 95.4 MiB/s.",
    );
    let line = |one: &Judged| Text::default().strong(one.verdict.words()).plain(format!(": {}", one.line()));
    page.blocks.push(Block::List(found.study.iter().map(line).collect()));
    page.heading("Which assumption decides what misses");
    let change = |one: &Assumption| {
        let then = if one.holds { "it holds" } else { "it doesn't hold" };
        let Assumption { claim, change, figures, text, .. } = one;
        Text::default().strong(claim).plain(format!(": if {change}, {then}: {figures}. The text: {text}"))
    };
    page.blocks.push(Block::List(found.assumptions.iter().map(change).collect()));
    page.heading("What if");
    page.blocks.push(Block::List(found.what_ifs.iter().map(line).collect()));
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
        speed_up(outcomes, "Figure 11 as speed-up", Program::Bt, &TWO.map(as_it_is)),
        speed_up(
            outcomes,
            "Figure 11 as speed-up, what if nodes computed ten times as fast",
            Program::Bt,
            &TWO.map(|architecture| (architecture.words(), architecture, WhatIf::FasterNodes)),
        ),
    ]);
    page.figures(
        [(Moves::Read, 11.54), (Moves::Write, 17.78)]
            .map(|(moves, told)| channel_gains(outcomes, moves, told)),
    );
    page.figures(TWO.map(|architecture| split(outcomes, Program::Bt, architecture)));
    page.heading("seis");
    page.figures(throughput(outcomes, "Figure 8, Fibre Channel's drives", (Program::Seis, &TWO, channel)));
    page.figures(throughput(
        outcomes,
        "Figure 10, with SAN-direct of figure 8, Fibre Channel's drives",
        (Program::Seis, &ALL, channel),
    ));
    page.figures([
        times(outcomes, "Figure 12: execution time, Fibre Channel's drives", (Program::Seis, &ALL, channel)),
        speed_up(outcomes, "Figure 12 as speed-up", Program::Seis, &ALL.map(as_it_is)),
    ]);
    page.figures(ALL.map(|architecture| split(outcomes, Program::Seis, architecture)));
    page.foot = "model time, not measured".to_owned();
    page
}
