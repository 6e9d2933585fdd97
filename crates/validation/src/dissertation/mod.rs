//! The dissertation's own machine: every table and figure of its chapters 3.2 and 5, a row each.
//!
//! | file | what of it |
//! | --- | --- |
//! | `machine` | the machine as a scenario, what the text leaves open of it, what is run on it |
//! | `costs` | what calls and pages cost, fitted to tables 5 and 6, or split with the first captured trace |
//! | `curves` | throughput over records: figures 5 to 8, 11, 12, 31, 32, 39 and 40, table 2 |
//! | `memory` | figures 9, 10, 13, 30 and 38: memory's end, the dirty limit, copies |
//! | `random` | tables 5, 6 and 11 |
//! | `journal` | table 9, over what is open of it |
//! | `captured`, `requests` | tables 7, 8, 10 and 12, by traces with the properties that figures 34 to 37 show |
//!
//! Where the dissertation has numbers, a row's bound is its own model's error; where it has curves, their shape is compared.
//! Each row says what of it was fitted, and to what. Left out: figures 14 (misses of the second-level cache) and 33 to 37
//! (pictures of workloads, which are made after them), and figures 11 and 12 on a disk array of which nothing is published.

mod captured;
mod costs;
mod curves;
mod journal;
mod machine;
mod memory;
mod profile;
mod random;
mod requests;
mod row;

use petrio_scenario::Problems;
use petrio_scenario::run::RunFailure;
use serde::Serialize;
use thiserror::Error;

pub use captured::{AMOUNTS, CapturedRow, MEANS_KIB};
pub use costs::Fitted;
pub use curves::{KNEE_PERCENT, RECORDS_KIB};
pub use journal::{JOURNALS_MIB, JournalCurve, REQUESTS};
pub use machine::{Assumptions, Costs, DEFAULT, Held};
pub use random::HeldRow;
pub use requests::Trace;
pub use row::{Curve, Row};

/// Why there is no answer: all bugs, as the scenarios are built in.
#[derive(Debug, Error)]
pub enum DissertationError {
    /// A built-in scenario is wrong.
    #[error("the validation's scenario is wrong: {0}")]
    Scenario(Box<Problems>),
    /// A run failed.
    #[error(transparent)]
    Run(Box<RunFailure>),
}

/// Chapters 3.2 and 5 beside petrio.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Chapter {
    /// What was assumed where nothing else is said.
    pub assumed: Assumptions,
    /// The costs that give tables 5 and 6.
    pub fitted: Fitted,
    /// All rows, in the dissertation's order of sections.
    pub rows: Vec<Row>,
    /// The curves behind them.
    pub curves: Vec<Curve>,
    /// O_SYNC writes with other drives.
    pub held: Vec<HeldRow>,
    /// Table 9 over what is open.
    pub journal: Vec<JournalCurve>,
    /// Tables 7, 8, 10 and 12 by mean request.
    pub captured: Vec<CapturedRow>,
}

/// A part of the chapters that can be run alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Part {
    /// Figures 5 to 8.
    Files,
    /// Figures 9, 10 and 38.
    Memory,
    /// Figures 11 and 12.
    Drives,
    /// Figures 13, 14 and 30.
    Copies,
    /// Table 2.
    Caches,
    /// Figures 31, 32, 39 and 40.
    Records,
    /// Tables 5, 6 and 11.
    Random,
    /// Table 9.
    Journal,
    /// Tables 7, 8, 10 and 12.
    Captured,
}

impl Part {
    /// All of them, in the order in which they are run.
    pub const ALL: [Self; 9] = [
        Self::Files,
        Self::Memory,
        Self::Drives,
        Self::Copies,
        Self::Caches,
        Self::Records,
        Self::Random,
        Self::Journal,
        Self::Captured,
    ];

    /// Its name, and what it has.
    pub const fn words(self) -> [&'static str; 2] {
        match self {
            Self::Files => ["files", "files of all sizes (figures 5 to 8)"],
            Self::Memory => ["memory", "files as large as memory, the dirty limit (figures 9, 10 and 38)"],
            Self::Drives => ["drives", "one drive and two (figures 11 and 12)"],
            Self::Copies => ["copies", "copies and second-level misses (figures 13, 14 and 30)"],
            Self::Caches => ["caches", "second-level caches (table 2)"],
            Self::Records => ["records", "records of all sizes (figures 31, 32, 39 and 40)"],
            Self::Random => ["random", "random accesses (tables 5, 6 and 11)"],
            Self::Journal => ["journal", "full journal (table 9)"],
            Self::Captured => ["captured", "captured traces (tables 7, 8, 10 and 12)"],
        }
    }
}

/// Runs and judges these parts. `progress` is told what is simulated.
///
/// # Errors
/// As of [`DissertationError`].
pub fn validate_dissertation(
    parts: &[Part],
    progress: &mut dyn FnMut(&str),
) -> Result<Chapter, DissertationError> {
    let fitted = costs::fit()?;
    let mut chapter = Chapter {
        assumed: DEFAULT,
        fitted,
        rows: Vec::new(),
        curves: Vec::new(),
        held: Vec::new(),
        journal: Vec::new(),
        captured: Vec::new(),
    };
    for part in Part::ALL.into_iter().filter(|part| parts.contains(part)) {
        progress(part.words()[1]);
        chapter.run(part)?;
    }
    Ok(chapter)
}

impl Chapter {
    /// What the dissertation measured, KB/s: cached reads (table 5), asynchronous writes (table 6) and O_SYNC writes (table 11).
    pub const MEASURED_KB_PER_S: [f64; 3] = [random::READ, random::ORDERED, random::SYNCHRONOUS];
    /// The same of the second captured trace: reads (table 7) and asynchronous writes (table 8).
    pub const SECOND_TRACE_KB_PER_S: [f64; 2] = [captured::READ[1], captured::WRITTEN[1]];

    fn run(&mut self, part: Part) -> Result<(), DissertationError> {
        let quiet = &mut |_, _| {};
        let (rows, curves) = match part {
            Part::Files => curves::files(quiet)?,
            Part::Memory => memory::limits(quiet)?,
            Part::Drives => curves::drives(quiet)?,
            Part::Copies => {
                let (mut rows, curves) = memory::copies(quiet)?;
                rows.extend(profile::misses(quiet)?);
                (rows, curves)
            }
            Part::Caches => curves::caches(quiet)?,
            Part::Records => curves::knees(quiet)?,
            Part::Random => {
                self.held = random::held(&self.fitted, quiet)?;
                (random::rows(&self.fitted, &self.held), Vec::new())
            }
            Part::Journal => {
                self.journal = journal::curves(&self.fitted, quiet)?;
                (journal::rows(&self.journal, self.fitted.ordered), Vec::new())
            }
            Part::Captured => (self.captured_rows()?, Vec::new()),
        };
        self.rows.extend(rows);
        self.curves.extend(curves);
        Ok(())
    }

    /// Tables 7, 8, 10 and 12, which are told by the rates of tables 9 and 11.
    fn captured_rows(&mut self) -> Result<Vec<Row>, DissertationError> {
        let quiet = &mut |_, _| {};
        let synchronous = match self.held.iter().find(|row| row.judged) {
            Some(row) => row.kb_per_s,
            None => random::synchronous(&self.fitted)?,
        };
        let logged = match self.journal.is_empty() {
            false => journal::logged(&self.journal),
            true => journal::logged(&journal::curves(&self.fitted, quiet)?),
        };
        self.captured = captured::captured(&self.fitted, logged, quiet)?;
        Ok(captured::rows(&self.captured, synchronous))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const README: &str = include_str!("../../../../validation/dissertation/README.md");

    /// Parts that take little.
    const SOON: [Part; 4] = [Part::Drives, Part::Copies, Part::Caches, Part::Random];

    #[test]
    fn the_readme_says_what_is_printed() {
        for row in validate_dissertation(&SOON, &mut |_| {}).unwrap().rows {
            let line = format!("{}: {}", row.judged.verdict.words(), row.judged.line());
            assert!(README.contains(&line), "{line}");
        }
    }
}
