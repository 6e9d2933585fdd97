//! The table of iozone's screen: a row for each file size and record, a column for each test.
//!
//! A test that isn't run has blanks in its column, so that a figure is known by where it ends: iozone.c prints each in a width of its own
//! (`%8lld`, `%9lld`), the names of the columns above it. Where the blanks were lost on the way, the command line says which tests
//! there are.

use super::{figure_of, kilobytes};
use crate::iozone::{COLUMN_NAMES, CommandFacts};
use crate::measurement::MeasurementError;

/// A figure ends so many characters at most from where its column's name ends: versions differ by two, and long figures push others.
const OFF_MAX: usize = 4;

/// The head of the table: how far behind "reclen" each column's name ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Header {
    ends: Vec<usize>,
    /// Whether blanks stand as they were printed.
    has_blanks: bool,
}

/// A row that was read.
#[derive(Debug, PartialEq)]
pub(super) struct Cells {
    pub(super) file_size: u64,
    pub(super) record: u64,
    /// Figures in the run's unit, by the test's name.
    pub(super) figures: Vec<(&'static str, f64)>,
}

/// The words of a line, each with where it ends.
fn words(line: &str) -> impl Iterator<Item = (usize, &str)> {
    let base = line.as_ptr() as usize;
    line.split_whitespace().map(move |word| (word.as_ptr() as usize - base + word.len(), word))
}

impl Header {
    /// The head that a line is; `None` of any other.
    pub(super) fn of(line: &str) -> Option<Self> {
        if !line.is_ascii() || !line.contains("reclen") {
            return None;
        }
        let all: Vec<(usize, &str)> = words(line).collect();
        let at = all.iter().position(|(_, word)| *word == "reclen")?;
        let names = &all[at + 1..];
        let unit = at.checked_sub(1).map(|before| all[before].1)?;
        // The second line of the head has one word a column; "random read" and others have their first in the line above.
        let is_head = unit.eq_ignore_ascii_case("kb")
            && names.iter().map(|(_, name)| *name).zip(HEADS).all(|(name, head)| name == head);
        if !is_head || names.is_empty() || names.len() > HEADS.len() {
            return None;
        }
        let from = all[at].0;
        Some(Self {
            ends: names.iter().map(|(end, _)| end - from).collect(),
            has_blanks: line[from..].contains("  "),
        })
    }

    /// What a line says as a row of the table: nothing where it is none. Of a line at which the file was cut off, the last
    /// figure may have lost digits, and isn't taken.
    pub(super) fn row(
        &self,
        number: usize,
        line: &str,
        command: &CommandFacts,
        is_cut: bool,
    ) -> Result<Option<Cells>, MeasurementError> {
        let all: Vec<(usize, &str)> = words(line).collect();
        let is_row = line.is_ascii()
            && all.len() >= 2
            && all.iter().all(|(_, word)| word.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.'));
        if !is_row {
            return Ok(None);
        }
        let (from, record) = all[1];
        let (Some(file_size), Some(record)) = (kilobytes(all[0].1), kilobytes(record)) else {
            return Err(MeasurementError::at(number, "its file size or record is no number of kilobytes"));
        };
        let mut figures = &all[2..];
        let columns = self.columns(number, figures, from, command)?;
        if is_cut {
            figures = &figures[..figures.len().saturating_sub(1)];
        }
        let mut read = Vec::with_capacity(figures.len());
        for ((_, word), column) in figures.iter().zip(columns) {
            let figure = figure_of(word)
                .ok_or_else(|| MeasurementError::at(number, format!("\"{word}\" is no figure")))?;
            read.push((COLUMN_NAMES[column], figure));
        }
        Ok(Some(Cells { file_size, record, figures: read }))
    }

    /// The column of each figure.
    fn columns(
        &self,
        number: usize,
        figures: &[(usize, &str)],
        from: usize,
        command: &CommandFacts,
    ) -> Result<Vec<usize>, MeasurementError> {
        if figures.len() == self.ends.len() {
            return Ok((0..figures.len()).collect());
        }
        let nearest = |end: usize| {
            let off = |&(_, &there): &(usize, &usize)| there.abs_diff(end.saturating_sub(from));
            self.ends.iter().enumerate().min_by_key(off).filter(|column| off(column) <= OFF_MAX)
        };
        let by_place: Option<Vec<usize>> =
            figures.iter().map(|(end, _)| nearest(*end).map(|(column, _)| column)).collect();
        if let Some(columns) = by_place.filter(|_| self.has_blanks)
            && columns.windows(2).all(|pair| pair[0] < pair[1])
        {
            return Ok(columns);
        }
        let asked = command.columns();
        // A row that is cut off has the first of them.
        if command.known && figures.len() <= asked.len() {
            return Ok(asked[..figures.len()].to_vec());
        }
        Err(MeasurementError::at(
            number,
            "which figure is of which column can't be told: its blanks are lost",
        )
        .with_help(
            "give the output with the blanks that iozone printed, and with the line \"Command line used:\"",
        ))
    }
}

/// The words of the head's second line, behind "reclen".
const HEADS: [&str; 13] = [
    "write", "rewrite", "read", "reread", "read", "write", "read", "rewrite", "read", "fwrite", "frewrite",
    "fread", "freread",
];

// Each has a name.
const _: () = assert!(HEADS.len() == COLUMN_NAMES.len());
