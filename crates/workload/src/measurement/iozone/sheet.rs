//! The tables that iozone -R prints for a spreadsheet, as it prints them or as a spreadsheet saves them (commas or tabs).
//!
//! ```text
//! "Writer report"                                  one test: columns are records, rows are files, both in kB
//!         "4"  "8"  "16"
//! "64"   1101022  1638743  2203800
//!
//! "Throughput report Y-axis is type of test X-axis is number of processes"
//! "Record size = 16 kBytes "
//! "  Initial write " 2289665.50  3922330.12        columns are numbers of processes, which the command line knows
//! ```
//!
//! A figure of zero is a record that automatic mode left out. Sheets of processor utilisation (`-+u`) are passed over.

use super::{TESTS, Unit, figure_of, kilobytes, row};
use crate::iozone::CommandFacts;
use crate::measurement::{MeasurementError, Row};

/// What the sheets are called, each with the test's name; those of vectors (`-i 11`, `-i 12`) have no workload here.
const SHEETS: [(&str, &str); 21] = [
    ("writer report", "write"),
    ("re-writer report", "rewrite"),
    ("reader report", "read"),
    ("re-reader report", "reread"),
    ("random read report", "random-read"),
    ("random write report", "random-write"),
    ("backward read report", "backward-read"),
    ("record rewrite report", "record-rewrite"),
    ("stride read report", "stride-read"),
    ("fwrite report", "fwrite"),
    ("re-fwrite report", "frewrite"),
    ("fread report", "fread"),
    ("re-fread report", "freread"),
    ("pwrite report", "pwrite"),
    ("re-pwrite report", "repwrite"),
    ("pread report", "pread"),
    ("re-pread report", "repread"),
    ("pwritev report", "pwritev"),
    ("re-pwritev report", "repwritev"),
    ("preadv report", "preadv"),
    ("re-preadv report", "repreadv"),
];

/// How the sheet of throughput mode begins.
const THROUGHPUT: &str = "throughput report y-axis is type of test";

/// Which sheet's lines come.
#[derive(Clone, Debug, Default, PartialEq)]
enum Sheet {
    /// None: what comes is of no interest.
    #[default]
    Outside,
    /// A test's, whose columns are these records, once they are known.
    Test(&'static str, Option<Vec<u64>>),
    /// That of throughput mode, with its record, once it is known.
    Throughput(Option<u64>),
}

/// The sheets of an output.
#[derive(Clone, Debug, Default)]
pub(super) struct Sheets {
    sheet: Sheet,
    rows: Vec<Row>,
}

/// A line's cells without quotes; those of a spreadsheet may be empty.
fn cells(line: &str) -> Vec<&str> {
    fn bare(cell: &str) -> &str {
        cell.trim().trim_matches('"').trim()
    }
    if line.contains(',') {
        return line.split(',').map(bare).collect();
    }
    if line.trim_start().contains('\t') {
        return line.trim_end().split('\t').map(bare).collect();
    }
    line.split_whitespace().map(bare).filter(|cell| !cell.is_empty()).collect()
}

/// A line as the name of a sheet may stand in it.
fn title(line: &str) -> String {
    line.trim().trim_end_matches([',', '\t']).trim().trim_matches('"').trim().to_ascii_lowercase()
}

fn named(title: &str) -> Option<&'static str> {
    SHEETS.iter().find(|(sheet, _)| *sheet == title).map(|(_, test)| *test)
}

/// Whether a line is the name of a sheet.
pub(super) fn is_head(line: &str) -> bool {
    // Cheap where there is no such word.
    if !line.contains("report") {
        return false;
    }
    let title = title(line);
    named(&title).is_some() || title.starts_with(THROUGHPUT)
}

impl Sheets {
    /// With what was read, before another run.
    pub(super) fn ended(self) -> Self {
        Self { sheet: Sheet::Outside, ..self }
    }

    pub(super) fn into_rows(self) -> Vec<Row> {
        self.rows
    }

    /// Takes a line of a run whose figures are in this unit.
    pub(super) fn line(
        &mut self,
        number: usize,
        line: &str,
        (unit, command): (Unit, &CommandFacts),
        is_cut: bool,
    ) -> Result<(), MeasurementError> {
        let title = title(line);
        if let Some(test) = named(&title) {
            self.sheet = Sheet::Test(test, None);
            return Ok(());
        }
        if title.starts_with(THROUGHPUT) {
            self.sheet = Sheet::Throughput(None);
            return Ok(());
        }
        if title.contains(" report") {
            // Of processor time, and what isn't known.
            self.sheet = Sheet::Outside;
            return Ok(());
        }
        match &mut self.sheet {
            Sheet::Outside => Ok(()),
            _ if title.is_empty() => Ok(()),
            Sheet::Test(_, records @ None) => {
                let cells = cells(line);
                let names = cells.iter().skip_while(|cell| cell.is_empty()).filter(|cell| !cell.is_empty());
                let read: Option<Vec<u64>> = names.map(|cell| kilobytes(cell)).collect();
                let read = read.ok_or_else(|| {
                    MeasurementError::at(number, "the records of this sheet, in kB, are needed here")
                        .with_help("give the tables as iozone -R prints them")
                })?;
                *records = Some(read);
                Ok(())
            }
            Sheet::Test(test, Some(records)) => {
                let read = row_of_test(number, line, test, records, is_cut)?;
                let rows = read.into_iter().map(|(size, record, value)| {
                    row(test, unit.figure(value), (Some(size), Some(record)), command)
                });
                self.rows.extend(rows);
                Ok(())
            }
            Sheet::Throughput(record) => {
                if let Some(words) = title.strip_prefix("record size =") {
                    *record = words.split_whitespace().next().and_then(kilobytes);
                    return Ok(());
                }
                let record = *record;
                self.rows.extend(throughput(line, record, (unit, command), is_cut));
                Ok(())
            }
        }
    }
}

/// The figures of a test's file size: size, record, and value, where it was run.
fn row_of_test(
    number: usize,
    line: &str,
    test: &str,
    records: &[u64],
    is_cut: bool,
) -> Result<Vec<(u64, u64, f64)>, MeasurementError> {
    let wrong = |what: String| {
        MeasurementError::at(number, what).with_help("give the tables as iozone -R prints them")
    };
    let cells = cells(line);
    let Some((size, mut figures)) = cells.split_first() else { return Ok(Vec::new()) };
    let size =
        kilobytes(size).ok_or_else(|| wrong(format!("\"{size}\" is no file size in kB of a {test}")))?;
    if is_cut {
        figures = &figures[..figures.len().saturating_sub(1)];
    }
    while let [rest @ .., last] = figures
        && last.is_empty()
    {
        figures = rest;
    }
    if figures.len() > records.len() {
        return Err(wrong(format!("there are {} figures for {} records", figures.len(), records.len())));
    }
    let mut read = Vec::with_capacity(figures.len());
    for (cell, &record) in figures.iter().zip(records) {
        if cell.is_empty() {
            continue;
        }
        let value = figure_of(cell).ok_or_else(|| wrong(format!("\"{cell}\" is no figure")))?;
        if value > 0.0 {
            read.push((size, record, value));
        }
    }
    Ok(read)
}

/// The figures of a test in throughput mode, one for each number of processes.
fn throughput(
    line: &str,
    record: Option<u64>,
    (unit, command): (Unit, &CommandFacts),
    is_cut: bool,
) -> Vec<Row> {
    let end =
        line.rfind('"').or_else(|| line.find(|letter: char| letter.is_ascii_digit())).unwrap_or(line.len());
    let (name, figures) = line.split_at(end);
    let name = title(name);
    let Some((_, _, test)) = TESTS.iter().find(|(_, sheet, _)| *sheet == name) else { return Vec::new() };
    let figures = figures.trim_matches(['"', ' ', '\t']);
    let mut values: Vec<f64> =
        figures.split([' ', '\t', ',']).filter(|word| !word.is_empty()).map_while(figure_of).collect();
    if is_cut {
        values.pop();
    }
    let counts = command.process_counts();
    let size = command.only_shape().map(|shape| shape.0);
    let of = |(index, value): (usize, f64)| Row {
        processes: counts.get(index).copied(),
        ..row(test, unit.figure(value), (size, record), command)
    };
    values.into_iter().enumerate().filter(|(_, value)| *value > 0.0).map(of).collect()
}
