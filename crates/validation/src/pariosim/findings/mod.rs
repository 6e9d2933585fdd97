//! What the study found, judged: each of its claims beside our figure.
//!
//! Ratios that the text gives are held to within a factor of 1.5, and a gain has to be one; orderings and trends have to hold. Where
//! they don't, our figures are pinned (`claim.rs`). What can't be judged, since the study prints no numbers for it, is told in
//! `validation/pariosim/README.md`.

pub(super) mod assumptions;
mod bt;
mod claim;
mod disk;
mod seis;
#[cfg(test)]
mod tests;
mod throughput;

use super::das::DasCell;
use super::experiments::{Architecture, Drives, Experiment, Program};
use super::outcome::{Outcome, find};
use super::what_if::WhatIf;
use crate::verdict::Judged;
use assumptions::Assumption;
use claim::Claim;
use serde::Serialize;

use Drives::FibreChannel;

/// What was found.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Found {
    /// The study's own claims.
    pub study: Vec<Judged>,
    /// Sentences of petrio's own about other hardware and other programs, to see from what a published number would follow.
    pub what_ifs: Vec<Judged>,
    /// Of the study's claims that miss: which assumption decides.
    pub assumptions: Vec<Assumption>,
}

impl Found {
    /// Without the rows of what wasn't run: their figures are no numbers.
    #[must_use]
    pub fn of_what_was_run(mut self) -> Self {
        let was_run = |row: &Judged| !row.error.is_nan();
        self.assumptions.retain(|one| self.study.iter().any(|row| row.what == one.claim && was_run(row)));
        self.study.retain(was_run);
        self.what_ifs.retain(was_run);
        self
    }

    /// All rows, the study's first.
    pub fn judged(&self) -> Vec<Judged> {
        self.study.iter().chain(&self.what_ifs).cloned().collect()
    }
}

/// Everything that the study claims, with figure 4 where it was run.
pub fn findings(outcomes: &[Outcome], das: &[DasCell]) -> Found {
    let of = Findings { outcomes };
    let claims = of.throughput().into_iter().chain(of.bt()).chain(of.seis()).chain(disk::claims(das));
    // What petrio says of its own accord begins so.
    let (what_ifs, study): (Vec<Judged>, Vec<Judged>) =
        claims.map(Claim::judged).partition(|one| one.what.starts_with("what if"));
    let assumptions = of.assumptions(&study);
    Found { study, what_ifs, assumptions }
}

/// Which way data move.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Moves {
    Read,
    Write,
}

impl Moves {
    pub(super) const fn words(self) -> &'static str {
        match self {
            Self::Read => "reads",
            Self::Write => "writes",
        }
    }

    pub(super) fn of(self, outcome: &Outcome) -> f64 {
        match self {
            Self::Read => outcome.read_per_s,
            Self::Write => outcome.written_per_s,
        }
    }
}

struct Findings<'o> {
    outcomes: &'o [Outcome],
}

fn mb(bytes_per_s: f64) -> String {
    format!("{:.1} MB/s", bytes_per_s / 1e6)
}

/// Parts of one, in per cent.
fn percents(parts: &[f64]) -> String {
    parts.iter().map(|part| format!("{:.0} %", part * 100.0)).collect::<Vec<_>>().join(", ")
}

/// Ratios, one after the other.
fn times(ratios: &[f64]) -> String {
    ratios.iter().map(|ratio| format!("{ratio:.2}")).collect::<Vec<_>>().join(", ")
}

fn listed(ranks: &[u32]) -> String {
    ranks.iter().map(u32::to_string).collect::<Vec<_>>().join(", ")
}

/// The smallest of several; what is no number stays none.
fn least(values: impl IntoIterator<Item = f64>) -> f64 {
    values.into_iter().fold(f64::INFINITY, |least, value| {
        if value.is_nan() || least.is_nan() { f64::NAN } else { least.min(value) }
    })
}

impl Findings<'_> {
    fn get(&self, experiment: Experiment, of: impl Fn(&Outcome) -> f64) -> f64 {
        find(self.outcomes, &experiment).map_or(f64::NAN, of)
    }

    /// A rate of a program that doesn't compute.
    fn rate(&self, (program, architecture, drives, ranks): Cell, what_if: WhatIf, moves: Moves) -> f64 {
        let one = Experiment::of(program, architecture, drives, ranks).what_if(what_if);
        self.get(one, |outcome| moves.of(outcome))
    }

    /// By how much a rate grows from some ranks to others.
    fn growth(
        &self,
        (program, architecture, drives): (Program, Architecture, Drives),
        [few, many]: [u32; 2],
        what_if: WhatIf,
        moves: Moves,
    ) -> f64 {
        let of = |ranks| self.rate((program, architecture, drives, ranks), what_if, moves);
        of(many) / of(few)
    }

    /// How long a program runs that computes, too, with Fibre Channel's drives.
    fn elapsed(&self, program: Program, architecture: Architecture, ranks: u32, what_if: WhatIf) -> f64 {
        let one = Experiment::of(program, architecture, FibreChannel, ranks).computing().what_if(what_if);
        self.get(one, |outcome| outcome.elapsed_s)
    }

    /// What part of a program's time its I/O takes, the exchange within collective accesses with it: how long it runs with nothing
    /// but its accesses, of how long it runs.
    fn io_share(&self, program: Program, architecture: Architecture, ranks: u32, what_if: WhatIf) -> f64 {
        let alone = Experiment::of(program, architecture, FibreChannel, ranks);
        match program {
            Program::Bt => {
                self.get(alone, |outcome| outcome.elapsed_s)
                    / self.elapsed(program, architecture, ranks, what_if)
            }
            // It accesses nothing together; and where nodes wait for each other's I/O, some of that passes while others compute.
            Program::Seis => self.get(alone.computing().what_if(what_if), |outcome| outcome.io),
        }
    }
}

/// Which throughput: program, architecture, drives, ranks.
type Cell = (Program, Architecture, Drives, u32);
