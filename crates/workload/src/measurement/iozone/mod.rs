//! iozone's output: what its screen says of a run, line by line.
//!
//! Source: iozone.c 3.489 (`begin`, `throughput_test`, `dump_excel`, `dump_throughput`), and outputs of 3.242 to 3.507. A run prints a
//! table with a row for each file size and record, or in throughput mode a paragraph for each test; with `-R` the same figures follow as tables
//! for a spreadsheet. Lines that are none of these are of no interest, so that remarks, prompts and names of hosts may stand around them.
//!
//! A figure of zero is a test that wasn't run (`-+n`) or a record that automatic mode skips. In throughput mode it is what all processes
//! got together ("Children see"), each over its own time; the rest of the paragraph follows from it or is of the parent.

mod sheet;
mod table;

use super::{Figure, Format, Kind, Measurement, MeasurementError, Row};
use crate::iozone::{CommandFacts, command_facts, test_named};
use crate::program::pattern::Pattern;
use sheet::Sheets;
use table::Header;

/// iozone's kilobyte: KILOBYTE of iozone.c.
const KILOBYTE: u64 = 1024;
/// What stands before the total of a test in throughput mode.
const TOTAL: &str = "Children see throughput for";
/// Beginnings of the lines that name the unit.
const UNIT: &str = "Output is in";
/// What a run prints first.
const BEGIN: &str = "Performance Test of File I/O";
/// What stands before the command line.
const COMMAND: &str = "Command line used:";
/// The last line of a run that came to its end.
const END: &str = "iozone test complete";

/// In what the figures are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Unit {
    #[default]
    Kilobytes,
    Operations,
    Microseconds,
}

impl Unit {
    fn of(words: &str) -> Option<Self> {
        let words = words.to_ascii_lowercase();
        let begins = |with: &[&str]| with.iter().any(|with| words.starts_with(with));
        match () {
            () if begins(&["kb"]) => Some(Self::Kilobytes),
            () if begins(&["ops", "operations"]) => Some(Self::Operations),
            () if begins(&["microseconds"]) => Some(Self::Microseconds),
            () => None,
        }
    }

    /// What a figure in this unit says. A time for each operation is a rate: it holds all of a test's time, its fsync too.
    fn figure(self, value: f64) -> (Figure, f64) {
        match self {
            Self::Kilobytes => (Figure::Throughput, value * KILOBYTE as f64),
            Self::Operations => (Figure::Rate, value),
            Self::Microseconds => (Figure::Rate, 1e6 / value),
        }
    }
}

/// Names of the tests in throughput mode, on the screen and in its sheet, each with the test's own.
const TESTS: [(&str, &str, &str); 13] = [
    ("initial writers", "initial write", "write"),
    ("rewriters", "rewrite", "rewrite"),
    ("readers", "read", "read"),
    ("re-readers", "re-read", "reread"),
    ("reverse readers", "reverse read", "backward-read"),
    ("stride readers", "stride read", "stride-read"),
    ("random readers", "random read", "random-read"),
    ("mixed workload", "mixed workload", "mixed"),
    ("random writers", "random write", "random-write"),
    ("pwrite writers", "pwrite", "pwrite"),
    ("pread readers", "pread", "pread"),
    ("fwriters", "fwrite", "fwrite"),
    ("freaders", "fread", "fread"),
];

/// Whether a text is iozone's: it has one of its tables, or a total.
pub(super) fn is_it(text: &str) -> bool {
    text.lines().any(|line| line.contains(TOTAL) || Header::of(line).is_some() || sheet::is_head(line))
}

/// What has been read so far.
#[derive(Default)]
struct Reading {
    unit: Unit,
    /// What the last command line says.
    command: CommandFacts,
    header: Option<Header>,
    /// Bytes of a file and of a record in throughput mode.
    shape: Option<(u64, u64)>,
    rows: Vec<Row>,
    sheets: Sheets,
    ended: bool,
    /// Figures that are less than a microsecond, which -N can't tell.
    too_quick: usize,
    remarks: Vec<String>,
}

/// Reads the output of one run, or of several one after the other.
pub(super) fn read(text: &str) -> Result<Measurement, MeasurementError> {
    let mut reading = Reading::default();
    let complete = text.ends_with('\n');
    let last = text.lines().count();
    for (number, line) in text.lines().enumerate().map(|(index, line)| (index + 1, line)) {
        // A number at which a file was cut off may have lost digits.
        reading.line(number, line, number == last && !complete)?;
    }
    let Reading { mut rows, sheets, ended, too_quick, mut remarks, .. } = reading;
    if too_quick > 0 {
        remarks.push(format!(
            "{too_quick} figures are zero: less than a microsecond an operation, which -N can't tell, or not run; they are left out"
        ));
    }
    if !ended {
        remarks.push(format!(
            "\"{END}\" is missing at its end: the run was cut off, or is told of in part; what is there is taken"
        ));
    }
    if rows.is_empty() {
        rows = sheets.into_rows();
    }
    if rows.is_empty() {
        return Err(MeasurementError::of(
            "no test has a figure in it: iozone was ended before its first one",
        )
        .with_help("run it to its end, with -i 0 -i 1 alone where it takes too long"));
    }
    Ok(Measurement { format: Format::Iozone, rows, remarks })
}

impl Reading {
    fn line(&mut self, number: usize, line: &str, is_cut: bool) -> Result<(), MeasurementError> {
        if line.contains(BEGIN) {
            // Another run: what the one before said is over.
            *self = Self {
                rows: std::mem::take(&mut self.rows),
                sheets: std::mem::take(&mut self.sheets).ended(),
                remarks: std::mem::take(&mut self.remarks),
                too_quick: self.too_quick,
                ..Self::default()
            };
            return Ok(());
        }
        if let Some((_, words)) = line.split_once(COMMAND) {
            self.command = command_facts(words);
            self.unit = match self.command.unit() {
                Some('O') => Unit::Operations,
                Some(_) => Unit::Microseconds,
                None => Unit::Kilobytes,
            };
            return Ok(());
        }
        if let Some((_, words)) = line.split_once(UNIT) {
            let words = words.trim().trim_end_matches('"');
            if words.starts_with("CPU") {
                return Ok(());
            }
            self.unit = Unit::of(words).ok_or_else(|| {
                MeasurementError::at(number, format!("\"{words}\" is no unit of iozone's that is known here"))
                    .with_help("its units are kBytes/sec, ops/sec (-O) and microseconds/op (-N)")
            })?;
            return Ok(());
        }
        if line.contains(END) {
            self.ended = true;
            self.header = None;
            return Ok(());
        }
        if line.contains(TOTAL) {
            return self.total(number, line, is_cut);
        }
        if let Some(shape) = shape(line) {
            self.shape = Some(shape);
            return Ok(());
        }
        if let Some(header) = Header::of(line) {
            self.header = Some(header);
            return Ok(());
        }
        if let Some(header) = &self.header {
            let Some(cells) = header.row(number, line, &self.command, is_cut)? else { return Ok(()) };
            let (file_size, record) = (cells.file_size, cells.record);
            if cells.figures.is_empty() {
                self.remarks.push(format!("line {number}: the row has no figure yet, and is left out"));
            }
            for (name, value) in cells.figures {
                self.take(name, value, (Some(file_size), Some(record)));
            }
            return Ok(());
        }
        self.sheets.line(number, line, (self.unit, &self.command), is_cut)
    }

    /// The total of a test in throughput mode: "Children see throughput for  2 readers = 10149639.00 kB/sec".
    fn total(&mut self, number: usize, line: &str, is_cut: bool) -> Result<(), MeasurementError> {
        let wrong = |what: &str| {
            MeasurementError::at(number, format!("{what} in \"{}\"", line.trim()))
                .with_help("the line of a test is \"Children see throughput for 2 readers = 1234.56 kB/sec\"")
        };
        let (_, rest) = line.split_once(TOTAL).unwrap_or(("", ""));
        let cut = |what: &str| if is_cut { Ok(()) } else { Err(wrong(what)) };
        let Some((who, figure)) = rest.split_once('=') else { return cut("there is no figure") };
        let who = who.trim();
        let (processes, test) =
            who.split_once(' ').ok_or_else(|| wrong("there is no number of processes"))?;
        let processes: u32 = processes.parse().map_err(|_| wrong("there is no number of processes"))?;
        let mut words = figure.split_whitespace();
        let Some(value) = words.next().and_then(figure_of) else { return cut("there is no figure") };
        // Of "1234.5" at the end of a file nobody knows whether it is whole.
        let Some(unit) = words.next().and_then(Unit::of) else { return cut("there is no unit") };
        let test = test.trim();
        let Some(&(_, _, name)) = TESTS.iter().find(|(screen, ..)| *screen == test) else {
            self.remarks
                .push(format!("line {number}: \"{test}\" is no test that is known here, and is left out"));
            return Ok(());
        };
        self.unit = unit;
        let shape = self.shape.or(self.command.only_shape());
        let sizes = (shape.map(|shape| shape.0), shape.map(|shape| shape.1));
        self.take(name, value, sizes);
        if let Some(row) = self.rows.last_mut() {
            row.processes = Some(processes);
        }
        Ok(())
    }

    /// Takes a figure, where the test was run.
    fn take(&mut self, name: &str, value: f64, (file_size, record): (Option<u64>, Option<u64>)) {
        if value == 0.0 {
            self.too_quick += usize::from(self.unit == Unit::Microseconds);
            return;
        }
        self.rows.push(row(name, self.unit.figure(value), (file_size, record), &self.command));
    }
}

/// A row of a test.
fn row(
    name: &str,
    figure: (Figure, f64),
    (file_size, record): (Option<u64>, Option<u64>),
    command: &CommandFacts,
) -> Row {
    Row {
        name: name.to_owned(),
        kind: Kind::Accesses,
        file_size,
        record,
        processes: Some(1),
        depth: Some(1),
        direct: command.direct(),
        random: match test_named(name) {
            Some((_, Pattern::Random, _)) => Some(true),
            Some((_, Pattern::Sequential, _)) => Some(false),
            // Strides and such are neither.
            _ => None,
        },
        figures: vec![figure],
    }
}

/// A figure: a number that isn't negative.
fn figure_of(word: &str) -> Option<f64> {
    let figure: f64 = word.parse().ok()?;
    (figure.is_finite() && figure >= 0.0 && word.starts_with(|first: char| first.is_ascii_digit()))
        .then_some(figure)
}

/// Bytes of so many kilobytes.
fn kilobytes(word: &str) -> Option<u64> {
    word.parse::<u64>().ok().filter(|&count| count > 0).and_then(|count| count.checked_mul(KILOBYTE))
}

/// What each process does in throughput mode: "Each process writes a 1024 kByte file in 16 kByte records".
fn shape(line: &str) -> Option<(u64, u64)> {
    let (_, rest) = line.split_once("Each ")?;
    let (_, rest) = rest.split_once(" writes a ")?;
    let mut words = rest.split_whitespace();
    let size = kilobytes(words.next()?)?;
    let record = kilobytes(words.skip_while(|word| *word != "in").nth(1)?)?;
    Some((size, record))
}
