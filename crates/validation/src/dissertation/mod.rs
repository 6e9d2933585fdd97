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
mod site;

use crate::asked::{Asked, Place, Written};
use petrio_scenario::Problems;
use petrio_scenario::run::RunFailure;
use serde::Serialize;
use site::Site;
use thiserror::Error;

pub use captured::{AMOUNTS, CapturedRow, MEANS_KIB};
pub use costs::Fitted;
pub use curves::{KNEE_PERCENT, RECORDS_KIB};
pub use journal::{JOURNALS_MIB, JournalCurve, REQUESTS};
pub use machine::{Assumptions, Costs, DEFAULT, Held};
pub use random::HeldRow;
pub use requests::Trace;
pub use row::{Curve, Row};

/// Why there is no answer: a bug, as the scenarios are built in, or something set that makes no sense in them.
#[derive(Debug, Error)]
pub enum DissertationError {
    /// A built-in scenario is wrong.
    #[error("the validation's scenario is wrong: {0}")]
    Scenario(Box<Problems>),
    /// A run failed.
    #[error(transparent)]
    Run(Box<RunFailure>),
    /// It was broken off.
    #[error("broken off")]
    BrokenOff,
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

/// Runs and judges these parts, of which those are told that are done before it is broken off. Of figures and tables that are asked for
/// alone, the others' rows and curves are left out. `progress` is told what is simulated.
///
/// # Errors
/// As of [`DissertationError`].
pub fn validate_dissertation(
    parts: &[Part],
    asked: &Asked,
    progress: &mut dyn FnMut(&str),
) -> Result<Chapter, DissertationError> {
    let site = Site::of(asked);
    let mut chapter = Chapter::of(costs::fit(&site)?);
    for part in Part::ALL.into_iter().filter(|part| parts.contains(part)) {
        progress(part.words()[1]);
        match chapter.run(part, &site) {
            Err(_) if asked.watch.is_stopped() => break,
            ran => ran?,
        }
    }
    let wanted = |place: &str| asked.wants(&places_of(place));
    chapter.rows.retain(|row| wanted(row.place));
    chapter.curves.retain(|curve| wanted(curve.place));
    Ok(chapter)
}

/// All scenarios that these parts run, but for what costs are fitted by. They are run: what some are is told by others.
///
/// # Errors
/// As of [`DissertationError`].
pub fn scenarios(
    parts: &[Part],
    asked: &Asked,
    progress: &mut dyn FnMut(&str),
) -> Result<Vec<Written>, DissertationError> {
    let site = Site::keeping(asked);
    let mut chapter = Chapter::of(costs::fit(&site)?);
    site.take();
    let mut all = Vec::new();
    for part in Part::ALL.into_iter().filter(|part| parts.contains(part)) {
        let [name, words] = part.words();
        progress(words);
        match chapter.run(part, &site) {
            Err(_) if asked.watch.is_stopped() => break,
            ran => ran?,
        }
        all.extend(site.take().into_iter().zip(1..).map(|((text, requests), number)| {
            let name = format!("{name}-{number:03}");
            let file = format!("{name}.csv");
            let text = text.replace(
                &crate::side_by_side::quoted(machine::REQUESTS),
                &crate::side_by_side::quoted(&file),
            );
            let beside = requests.map(|requests| (file, requests)).into_iter().collect();
            let about = format!("Chapters 3.2 and 5 of the dissertation: {words}.");
            Written { name, about, text, set: asked.set.clone(), beside }
        }));
    }
    Ok(all)
}

/// The figures or tables that a row's place names: "figures 10 and 38".
fn places_of(place: &str) -> Vec<Place> {
    let numbers = place.split(|letter: char| !letter.is_ascii_digit()).filter_map(|word| word.parse().ok());
    let is_table = place.starts_with("table");
    numbers.map(|number| if is_table { Place::Table(number) } else { Place::Figure(number) }).collect()
}

impl Part {
    /// The figures and tables that it has.
    pub fn places(self) -> Vec<Place> {
        let (figures, tables): (&[u32], &[u32]) = match self {
            Self::Files => (&[5, 6, 7, 8], &[]),
            Self::Memory => (&[9, 10, 38], &[]),
            Self::Drives => (&[11, 12], &[]),
            Self::Copies => (&[13, 14, 30], &[]),
            Self::Caches => (&[], &[2]),
            Self::Records => (&[31, 32, 39, 40], &[]),
            Self::Random => (&[], &[5, 6, 11]),
            Self::Journal => (&[], &[9]),
            Self::Captured => (&[], &[7, 8, 10, 12]),
        };
        let figures = figures.iter().map(|&number| Place::Figure(number));
        figures.chain(tables.iter().map(|&number| Place::Table(number))).collect()
    }
}

impl Chapter {
    /// One of which nothing is run yet.
    fn of(fitted: Fitted) -> Self {
        Self {
            assumed: DEFAULT,
            fitted,
            rows: Vec::new(),
            curves: Vec::new(),
            held: Vec::new(),
            journal: Vec::new(),
            captured: Vec::new(),
        }
    }

    /// What the dissertation measured, KB/s: cached reads (table 5), asynchronous writes (table 6) and O_SYNC writes (table 11).
    pub const MEASURED_KB_PER_S: [f64; 3] = [random::READ, random::ORDERED, random::SYNCHRONOUS];
    /// The same of the second captured trace: reads (table 7) and asynchronous writes (table 8).
    pub const SECOND_TRACE_KB_PER_S: [f64; 2] = [captured::READ[1], captured::WRITTEN[1]];

    fn run(&mut self, part: Part, site: &Site<'_>) -> Result<(), DissertationError> {
        let (rows, curves) = match part {
            Part::Files => curves::files(site)?,
            Part::Memory => memory::limits(site)?,
            Part::Drives => curves::drives(site)?,
            Part::Copies => {
                let (mut rows, curves) = memory::copies(site)?;
                rows.extend(profile::misses(site)?);
                (rows, curves)
            }
            Part::Caches => curves::caches(site)?,
            Part::Records => curves::knees(site)?,
            Part::Random => {
                self.held = random::held(&self.fitted, site)?;
                (random::rows(&self.fitted, &self.held), Vec::new())
            }
            Part::Journal => {
                self.journal = journal::curves(&self.fitted, site)?;
                (journal::rows(&self.journal, self.fitted.ordered), Vec::new())
            }
            Part::Captured => (self.captured_rows(site)?, Vec::new()),
        };
        self.rows.extend(rows);
        self.curves.extend(curves);
        Ok(())
    }

    /// Tables 7, 8, 10 and 12, which are told by the rates of tables 9 and 11.
    fn captured_rows(&mut self, site: &Site<'_>) -> Result<Vec<Row>, DissertationError> {
        let synchronous = match self.held.iter().find(|row| row.judged) {
            Some(row) => row.kb_per_s,
            None => random::synchronous(&self.fitted, site)?,
        };
        let logged = match self.journal.is_empty() {
            false => journal::logged(&self.journal),
            true => journal::logged(&journal::curves(&self.fitted, site)?),
        };
        self.captured = captured::captured(&self.fitted, logged, site)?;
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
        for row in validate_dissertation(&SOON, &Asked::default(), &mut |_| {}).unwrap().rows {
            let line = format!("{}: {}", row.judged.verdict.words(), row.judged.line());
            assert!(README.contains(&line), "{line}");
        }
    }
}
