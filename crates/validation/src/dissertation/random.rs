//! Tables 5, 6 and 11: random accesses of 8 KiB. The first two are what costs are fitted to, the third is predicted.

use super::DissertationError;
use super::costs::Fitted;
use super::curves::rates;
use super::machine::{Assumptions, DEFAULT, Held, Journal, Machine, Work, WriteEnd};
use super::row::Row;
use super::site::Site;
use serde::Serialize;

/// Measured, KB/s (tables 5, 6 and 11).
pub(super) const READ: f64 = 631_162.80;
pub(super) const ORDERED: f64 = 147_995.60;
pub(super) const SYNCHRONOUS: f64 = 5_388.8;
/// The dissertation's own errors there, per cent.
const THEIR_READ: f64 = 20.0;
const THEIR_ORDERED: f64 = 34.0;
pub(super) const THEIR_SYNCHRONOUS: f64 = 24.0;

/// O_SYNC writes of 8 KiB under other assumptions about the drive.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HeldRow {
    /// Whether this is what is judged.
    pub judged: bool,
    /// The writes that the drive holds.
    pub held: Held,
    /// Whether commits are barriers.
    pub barriers: bool,
    /// KB (1,024 bytes) a second.
    pub kb_per_s: f64,
    /// Error against 5,388.8 KB/s, per cent.
    pub error_percent: f64,
}

/// O_SYNC writes with each drive.
pub(super) fn held(fitted: &Fitted, site: &Site<'_>) -> Result<Vec<HeldRow>, DissertationError> {
    let kinds: Vec<(bool, Held)> =
        [false, true].iter().flat_map(|&barriers| Held::ALL.map(|held| (barriers, held))).collect();
    let run = |&(barriers, held): &(bool, Held)| {
        let open = Assumptions { barriers, held, ..DEFAULT };
        let work = Work::random_writes(Journal::Ordered, open.requests, WriteEnd::Synchronous);
        (Machine::of(open, fitted.costs), work)
    };
    let all = rates(&kinds.iter().map(run).collect::<Vec<_>>(), site)?;
    let row = |(&(barriers, held), kb_per_s): (&(bool, Held), f64)| HeldRow {
        judged: (barriers, held) == (DEFAULT.barriers, DEFAULT.held),
        held,
        barriers,
        kb_per_s,
        error_percent: (kb_per_s / SYNCHRONOUS - 1.0) * 100.0,
    };
    Ok(kinds.iter().zip(all).map(row).collect())
}

/// What is judged of these alone.
pub(super) fn synchronous(fitted: &Fitted, site: &Site<'_>) -> Result<f64, DissertationError> {
    let work = Work::random_writes(Journal::Ordered, DEFAULT.requests, WriteEnd::Synchronous);
    site.kb_per_s(&Machine::of(DEFAULT, fitted.costs), &work)
}

/// Tables 5, 6 and 11.
pub(super) fn rows(fitted: &Fitted, held: &[HeldRow]) -> Vec<Row> {
    let judged = held.iter().find(|row| row.judged).map_or(f64::NAN, |row| row.kb_per_s);
    vec![
        Row::number("table 5", "cached reads of 8 KiB", [READ, fitted.read], THEIR_READ)
            .fitted("what a read costs is fitted to it"),
        Row::number("table 6", "asynchronous writes of 8 KiB", [ORDERED, fitted.ordered], THEIR_ORDERED)
            .fitted("what a write costs is fitted to it"),
        Row::number("table 11", "O_SYNC writes of 8 KiB", [SYNCHRONOUS, judged], THEIR_SYNCHRONOUS)
            .fitted("costs by tables 5 and 6; that the drive holds a write in each of 16 segments was chosen with the figure in sight"),
    ]
}
