//! Why a trace can't be read, in words for the person who has it.

use super::format::FormatName;
use miette::Diagnostic;
use petrio_bounds::TooMuch;
use petrio_time::Time;
use std::fmt;
use std::io;
use std::sync::Arc;
use thiserror::Error;

/// Where in a trace, after decompression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Position {
    /// A line of text, counted from 1; zero is what stands before all lines, such as the header of a binary log.
    Line(u64),
    /// The offset of a binary record, in bytes from 0.
    Byte(u64),
    /// A row of a table, counted from 1.
    Row(u64),
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line(0) => f.write_str("its head"),
            Self::Line(number) => write!(f, "line {number}"),
            Self::Byte(offset) => write!(f, "byte {offset}"),
            Self::Row(number) => write!(f, "row {number}"),
        }
    }
}

/// A trace that can't be read. The message names the file, the place, the value and what was expected;
/// its advice as a [`Diagnostic`] says what to do.
#[derive(Debug, Diagnostic, Error)]
#[non_exhaustive]
pub enum TraceError {
    /// The file can't be opened.
    #[error("{name}: can't be opened: {source}")]
    Open {
        /// The file.
        name: Arc<str>,
        /// What the operating system said.
        source: io::Error,
        /// What to do about it, where there is something to do.
        #[help]
        advice: Option<&'static str>,
    },
    /// The file can't be read on, or its compressed form is damaged.
    #[error("{name}, after {place}: can't be read on: {source}")]
    #[diagnostic(help("the file is damaged or can't be reached; copy it again"))]
    Read {
        /// The file.
        name: Arc<str>,
        /// The last place that was read.
        place: Position,
        /// What the operating system or the decompressor said.
        source: io::Error,
    },
    /// The compressed file ends before its end mark.
    #[error("{name}, after {place}: the {compression} data ends too early")]
    #[diagnostic(help("copy the file again; it was cut off"))]
    Truncated {
        /// The file.
        name: Arc<str>,
        /// The last place that was read.
        place: Position,
        /// How it is compressed.
        compression: &'static str,
    },
    /// Nothing in it.
    #[error("{name}: the file is empty")]
    Empty {
        /// The file.
        name: Arc<str>,
    },
    /// Readable, but without a single request.
    #[error("{name}: no request in {lines} (read as {format})")]
    #[diagnostic(help(
        "if it is another format, name it with `--format \"…\"` (in a scenario, `format = \"…\"`)"
    ))]
    NoRecords {
        /// The file.
        name: Arc<str>,
        /// As which format it was read.
        format: FormatName,
        /// How much was read, in words.
        lines: String,
    },
    /// No format fits.
    #[error("{name}: not a trace in any format that petrio reads; it begins with {start}")]
    #[diagnostic(help("{}", .hint.map_or_else(every_format, str::to_owned)))]
    Unrecognised {
        /// The file.
        name: Arc<str>,
        /// How it begins, made printable.
        start: String,
        /// What it is instead, where that can be told.
        hint: Option<&'static str>,
    },
    /// Several formats fit, and they would give different requests.
    #[error("{name}: its content could be {}", either(.formats))]
    #[diagnostic(help(
        "say which: `--format \"{0}\"` (in a scenario, `format = \"{0}\"`) or another of those named",
        first(.formats)
    ))]
    Ambiguous {
        /// The file.
        name: Arc<str>,
        /// The formats that fit.
        formats: Vec<FormatName>,
    },
    /// One record is wrong.
    #[error("{name}, {place}: {problem}")]
    #[diagnostic(forward(problem))]
    Record {
        /// The file.
        name: Arc<str>,
        /// The place.
        place: Position,
        /// The format it is read as.
        format: FormatName,
        /// What is wrong.
        problem: Problem,
    },
    /// A merged trace names a device that its mapping doesn't.
    #[error("{name}: asks for device {device}, which its device mapping doesn't name (it names {known})")]
    #[diagnostic(help("map every device of the trace, or send all of them to one device"))]
    UnmappedDevice {
        /// The file.
        name: Arc<str>,
        /// The device's number in the trace.
        device: u32,
        /// The devices that are mapped, in words.
        known: String,
    },
    /// A trace of calls on files where one of requests to devices is needed.
    #[error("{name}: a trace of calls on files ({format}); requests to a device are needed here")]
    #[diagnostic(help("name a block trace; `petrio trace info` says what is in a trace of either kind"))]
    CallsOnFiles {
        /// The file.
        name: Arc<str>,
        /// Its format.
        format: FormatName,
    },
    /// A trace file of petrio's own that can't be decoded.
    #[error("{name}, after {place}: can't be decoded: {cause}")]
    #[diagnostic(help("copy the file again, or write it again"))]
    Damaged {
        /// The file.
        name: Arc<str>,
        /// The last place that was read.
        place: Position,
        /// What the decoder said.
        cause: String,
    },
    /// A Parquet file without the columns of a trace.
    #[error("{name}: a Parquet file, but not a trace: {cause}")]
    #[diagnostic(help(
        "docs/trace-format.md lists the columns; `time_ps` and `kind` must be there, with those types"
    ))]
    Columns {
        /// The file.
        name: Arc<str>,
        /// Which column is missing, or of another type.
        cause: String,
    },
    /// A trace file of petrio's own, of another version.
    #[error("{name}: version {found} of petrio's trace file; this petrio reads version 1")]
    #[diagnostic(help("read it with the petrio that wrote it"))]
    OtherVersion {
        /// The file.
        name: Arc<str>,
        /// The version that it says.
        found: String,
    },
    /// What is kept of the events is more than there is memory for.
    #[error("what its first {events} events speak of is more than can be held: {cause}")]
    #[diagnostic(help(
        "take a part of it (`petrio trace filter`, `petrio trace sample`), or a larger machine"
    ))]
    TooMuch {
        /// Events until then.
        events: u64,
        /// Why.
        cause: TooMuch,
    },
    /// A trace that can't be written.
    #[error("{name}: can't be written: {source}")]
    #[diagnostic(help("name a file in a folder that exists and may be written to"))]
    Write {
        /// The file.
        name: Arc<str>,
        /// What the operating system or the encoder said.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}

/// What to do about a trace in no format that is known.
fn every_format() -> String {
    "`petrio trace formats` lists the formats, each with a line of it: `--format NAME` (in a scenario, `format = \"NAME\"`) reads it as \
     one. A table of another form is read with `--columns` and `--units` (in a scenario, `columns` and `units`), which say which column \
     means what, by name or number"
        .to_owned()
}

fn first(formats: &[FormatName]) -> String {
    formats.first().map(ToString::to_string).unwrap_or_default()
}

fn either(formats: &[FormatName]) -> String {
    formats.iter().map(ToString::to_string).collect::<Vec<_>>().join(" or ")
}

impl TraceError {
    /// A file that can't be opened.
    pub fn open(name: Arc<str>, source: io::Error) -> Self {
        let advice = (source.kind() == io::ErrorKind::NotFound)
            .then_some("check the path; in a scenario, it is relative to the folder of the scenario");
        Self::Open { name, source, advice }
    }
}

/// What is wrong with one record, without saying where.
#[derive(Clone, Debug, PartialEq, Eq, Diagnostic, Error)]
#[non_exhaustive]
pub enum Problem {
    /// The line ends before a column.
    #[error("the line ends before the {column} (expected: {columns})")]
    MissingColumn {
        /// The column that is missing.
        column: &'static str,
        /// All columns.
        columns: &'static str,
    },
    /// The line goes on after the last column.
    #[error("\"{found}\" stands after the last column (expected: {columns})")]
    ExtraColumn {
        /// What stands there.
        found: String,
        /// All columns.
        columns: &'static str,
    },
    /// Not a number of the kind that is needed.
    #[error("the {column} is \"{found}\"; {expected} was expected")]
    NotANumber {
        /// The column.
        column: &'static str,
        /// What stands there.
        found: String,
        /// What was expected.
        expected: &'static str,
    },
    /// A negative number.
    #[error("the {column} is {found}; it can't be negative")]
    Negative {
        /// The column.
        column: &'static str,
        /// What stands there.
        found: String,
    },
    /// More than fits.
    #[error("the {column} is {found}; at most {limit} is possible")]
    TooLarge {
        /// The column.
        column: &'static str,
        /// What stands there.
        found: String,
        /// The limit, in words.
        limit: &'static str,
    },
    /// A call that is over before it begins.
    #[error("it ends {by} before it begins")]
    #[diagnostic(help("a call's end comes after its start; remove the line, or record again"))]
    EndsEarly {
        /// By how much.
        by: Time,
    },
    /// A read or write of nothing.
    #[error("a {0} of length zero")]
    #[diagnostic(help("remove the record; a device moves at least one block"))]
    ZeroLength(&'static str),
    /// The request reaches beyond the largest address.
    #[error("the request of {blocks} blocks at block {address} reaches beyond the largest address")]
    AddressOverflow {
        /// First block.
        address: u64,
        /// Length.
        blocks: u32,
    },
    /// Neither a read nor a write.
    #[error("the {column} is \"{found}\"; {expected} was expected")]
    UnknownOperation {
        /// The column.
        column: &'static str,
        /// What stands there.
        found: String,
        /// What was expected.
        expected: &'static str,
    },
    /// Time goes back.
    #[error("time goes back by {by}")]
    #[diagnostic(help("{}", wider(*window)))]
    OutOfOrder {
        /// By how much.
        by: Time,
        /// The reorder window in force, in records.
        window: usize,
    },
    /// The time is beyond the range of model time.
    #[error("its time is more than 213 days after {origin}")]
    BeyondHorizon {
        /// After what: the first record, or zero.
        origin: &'static str,
        /// What to do about it, where there is something to do.
        #[help]
        advice: Option<&'static str>,
    },
    /// A line longer than any text format has.
    #[error("a line of more than {limit} bytes; this isn't text")]
    #[diagnostic(help("check that the file is what it should be; a binary trace is named by its format"))]
    LineTooLong {
        /// The limit.
        limit: usize,
    },
    /// Much text, and nothing in it.
    #[error("{bytes} bytes of empty lines and comments; this isn't a trace")]
    #[diagnostic(help("check that the file is what it should be"))]
    NothingSaid {
        /// How many.
        bytes: u64,
    },
    /// What has to be kept aside to be read is larger than the room for it.
    #[error(
        "a Parquet file that comes through a pipe or compressed has to be kept aside to be read from its end; after {bytes} bytes it is \
         more than half of what is free in {folder}, which is {room} bytes"
    )]
    #[diagnostic(help("unpack it into a file and name that, or set TMPDIR to a folder with more room"))]
    NoRoomAside {
        /// Bytes so far.
        bytes: u64,
        /// Half of what is free.
        room: u64,
        /// Where.
        folder: String,
    },
    /// What unpacks to far more than a Parquet file does.
    #[error(
        "{packed} bytes unpacked to {bytes} and more, which no Parquet file does: its content is compressed already"
    )]
    #[diagnostic(help("check that the file is what it should be"))]
    Inflated {
        /// Bytes so far.
        bytes: u64,
        /// What they were made of.
        packed: u64,
    },
    /// A binary record is cut off.
    #[error("the file ends after {found} of the {needed} bytes of a record")]
    #[diagnostic(help("copy the file again; it was cut off"))]
    CutOff {
        /// Bytes there.
        found: usize,
        /// Bytes of a record.
        needed: usize,
    },
    /// A binary record has another version than the file.
    #[error("record version {found:#06x}; {expected} was expected")]
    Version {
        /// What stands there.
        found: u16,
        /// What was expected.
        expected: &'static str,
    },
    /// A header line that names something unknown.
    #[error("the header names a column \"{found}\"{suggestion}")]
    UnknownColumn {
        /// The name.
        found: String,
        /// `; did you mean …?`, or empty.
        suggestion: String,
    },
    /// A header column without a unit.
    #[error("the header's column \"{found}\" has no unit")]
    #[diagnostic(help("write {expected}"))]
    NoUnit {
        /// The name.
        found: String,
        /// The names with units.
        expected: &'static str,
    },
    /// A header that names a column twice, or lacks one.
    #[error("the header {0}")]
    Header(String),
    /// A binary log that can't be read.
    #[error("the log {0}")]
    Log(String),
    /// A line that is none of the format's.
    #[error("\"{found}\" is not {expected}")]
    NotALine {
        /// How the line begins.
        found: String,
        /// What was expected.
        expected: &'static str,
    },
}

/// How a trace is read that isn't in order, if `window` records are too few.
fn wider(window: usize) -> String {
    match window {
        0 => "sort the trace by time, or allow records to be out of place with `--reorder-window 1024` (in a scenario, \
              `reorder_window = 1024`)"
            .to_owned(),
        _ => format!(
            "sort the trace by time, or widen `--reorder-window` (in a scenario, `reorder_window`; now {window} records)"
        ),
    }
}

/// What a format's parser reports: the reader adds the file and the place.
#[derive(Debug)]
pub(crate) enum Fault {
    Problem(Problem),
    Io(io::Error),
    /// One that names the file and the place itself.
    Trace(Box<TraceError>),
}

impl From<TraceError> for Fault {
    fn from(error: TraceError) -> Self {
        Self::Trace(Box::new(error))
    }
}

impl From<Problem> for Fault {
    fn from(problem: Problem) -> Self {
        Self::Problem(problem)
    }
}

/// Bytes from a file made fit for a message: printable, and not longer than a person reads.
pub(crate) fn printable(bytes: &[u8]) -> String {
    const LENGTH_MAX: usize = 48;
    let mut text = String::new();
    for character in
        String::from_utf8_lossy(&bytes[..bytes.len().min(4 * LENGTH_MAX)]).chars().take(LENGTH_MAX)
    {
        match character {
            '\u{20}'..='\u{7e}' => text.push(character),
            other => text.extend(other.escape_default()),
        }
    }
    if bytes.len() > LENGTH_MAX {
        text.push('…');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_from_garbage_stay_short_and_printable() {
        let shown = printable(&[0xff; 10_000]);
        assert!(shown.chars().all(|c| c.is_ascii_graphic() || c == '…'), "{shown}");
        assert!(shown.len() < 500);
        assert_eq!(printable(b"12x4"), "12x4");
    }
}
