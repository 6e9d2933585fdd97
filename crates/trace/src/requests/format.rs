//! The formats of captured requests: how each is recognised, and what a line of it says.

use super::record::RequestRecord;
use crate::Problem;
use crate::error::printable;
use crate::field::{
    Columns, MICROSECONDS, MILLISECONDS, NANOSECONDS, SECONDS, looks_numeric, picoseconds, whole, whole32,
};
use petrio_colours::{Operation, SECTOR_BYTES};
use petrio_time::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The formats of captured file requests that petrio reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RequestFormat {
    /// Columns that the first line names.
    Columns,
    /// Offset in bytes, length in bytes, `R` or `W`.
    Plain,
    /// Offset in bytes, length in bytes, and (or not) milliseconds to wait before (iozone -Y).
    Telemetry,
    /// Offset in kB, latency in µs, length in bytes, under iozone's heading (iozone -Q).
    LatencyLog,
}

/// What all requests of a file are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RequestOperation {
    /// Reads.
    Read,
    /// Writes.
    Write,
}

/// How iozone's heading begins (iozone.c, 3.430); older versions write "Kbytes".
const LATENCY_HEADING: &[u8] = b"offset in kbytes";

/// The line that iozone writes after its columns.
const LATENCY_TOTAL: &[u8] = b"system time";

fn begins(line: &[u8], with: &[u8]) -> bool {
    line.get(..with.len()).is_some_and(|start| start.eq_ignore_ascii_case(with))
}

impl RequestFormat {
    /// The format whose first line this may be.
    pub(crate) fn of_first_line(line: &[u8]) -> Self {
        let line = line.trim_ascii();
        if begins(line, LATENCY_HEADING) {
            return Self::LatencyLog;
        }
        let mut columns = split(line, "");
        match (columns.next(), columns.nth(1)) {
            (Some(offset), third) if looks_numeric(offset) => match third {
                Some(operation) if !looks_numeric(operation) => Self::Plain,
                _ => Self::Telemetry,
            },
            _ => Self::Columns,
        }
    }
}

/// Columns with commas or blanks between them, whichever there are.
fn split<'a>(line: &'a [u8], names: &'static str) -> Columns<'a> {
    if line.contains(&b',') {
        Columns::comma_separated(line, names)
    } else {
        Columns::blank_separated(line, names)
    }
}

/// What a column holds; sizes in bytes a unit, times as powers of ten of a picosecond.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Column {
    Offset(u64),
    Length(u64),
    Operation,
    File,
    Process,
    Think(u32),
    Response(u32),
}

/// Every column that a heading can name.
const COLUMNS: [(&str, Column); 17] = [
    ("offset_bytes", Column::Offset(1)),
    ("offset_kib", Column::Offset(1 << 10)),
    ("offset_blocks", Column::Offset(SECTOR_BYTES)),
    ("length_bytes", Column::Length(1)),
    ("length_kib", Column::Length(1 << 10)),
    ("length_blocks", Column::Length(SECTOR_BYTES)),
    ("operation", Column::Operation),
    ("file", Column::File),
    ("process", Column::Process),
    ("think_s", Column::Think(SECONDS)),
    ("think_ms", Column::Think(MILLISECONDS)),
    ("think_us", Column::Think(MICROSECONDS)),
    ("think_ns", Column::Think(NANOSECONDS)),
    ("response_s", Column::Response(SECONDS)),
    ("response_ms", Column::Response(MILLISECONDS)),
    ("response_us", Column::Response(MICROSECONDS)),
    ("response_ns", Column::Response(NANOSECONDS)),
];

/// What the lines of a file say.
#[derive(Clone, Debug)]
pub(crate) enum Layout {
    Heading(Vec<NamedColumn>),
    Plain,
    Telemetry,
    LatencyLog,
}

/// A column of a heading, with its name.
pub(crate) type NamedColumn = (&'static str, Column);

impl Layout {
    /// The layout of a format; `heading` is the first line.
    pub(crate) fn new(format: RequestFormat, heading: &[u8]) -> Result<Self, Problem> {
        Ok(match format {
            RequestFormat::Plain => Self::Plain,
            RequestFormat::Telemetry => Self::Telemetry,
            RequestFormat::LatencyLog => Self::LatencyLog,
            RequestFormat::Columns => Self::Heading(heading_columns(heading)?),
        })
    }

    /// Whether its lines say what is read and what is written.
    pub(crate) fn says_operation(&self) -> bool {
        match self {
            Self::Heading(columns) => columns.iter().any(|(_, column)| *column == Column::Operation),
            Self::Plain => true,
            Self::Telemetry | Self::LatencyLog => false,
        }
    }

    /// The request of a line; `None` for one that holds none. What the layout doesn't say is a `default` operation.
    pub(crate) fn request(
        &self,
        line: &[u8],
        default: Option<RequestOperation>,
    ) -> Result<Option<RequestRecord>, Problem> {
        let mut record = RequestRecord {
            operation: match default {
                Some(RequestOperation::Write) => Operation::Write,
                _ => Operation::Read,
            },
            ..RequestRecord::default()
        };
        match self {
            Self::Heading(columns) => {
                let mut values = Columns::comma_separated(line, "what the heading names");
                for (name, column) in columns {
                    record.set(name, *column, values.column(name)?)?;
                }
                values.finish()?;
            }
            Self::Plain => {
                let mut values = split(line, "offset, length, operation");
                record.set("offset", Column::Offset(1), values.column("offset")?)?;
                record.set("length", Column::Length(1), values.column("length")?)?;
                record.set("operation", Column::Operation, values.column("operation")?)?;
                values.finish()?;
            }
            Self::Telemetry => {
                let mut values = split(line, "offset, length, and perhaps a delay in ms");
                record.set("offset", Column::Offset(1), values.column("offset")?)?;
                record.set("length", Column::Length(1), values.column("length")?)?;
                if let Some(delay) = values.next() {
                    record.set("delay", Column::Think(MILLISECONDS), delay)?;
                }
                values.finish()?;
            }
            Self::LatencyLog => {
                let line = line.trim_ascii();
                if begins(line, LATENCY_HEADING) || begins(line, LATENCY_TOTAL) {
                    return Ok(None);
                }
                let mut values = split(line, "offset, latency, length");
                record.set("offset", Column::Offset(1 << 10), values.column("offset")?)?;
                record.set("latency", Column::Response(MICROSECONDS), values.column("latency")?)?;
                record.set("length", Column::Length(1), values.column("length")?)?;
                values.finish()?;
            }
        }
        match record.offset.checked_add(record.length) {
            // Offsets are signed 64-bit numbers in every system call.
            Some(end) if end <= i64::MAX as u64 => Ok(Some(record)),
            _ => Err(Problem::TooLarge {
                column: "end of the request",
                found: format!("{} + {}", record.offset, record.length),
                limit: "8 EiB",
            }),
        }
    }
}

fn heading_columns(heading: &[u8]) -> Result<Vec<NamedColumn>, Problem> {
    let mut columns: Vec<NamedColumn> = Vec::new();
    for name in Columns::comma_separated(heading.trim_ascii(), "") {
        let text = String::from_utf8_lossy(name);
        let Some(&found) = COLUMNS.iter().find(|(known, _)| known.as_bytes() == name) else {
            let near = petrio_units::nearest(&text, COLUMNS.iter().map(|(name, _)| *name));
            let suggestion = match near {
                Some(near) => format!("; did you mean \"{near}\"?"),
                None => format!("; the columns are {}", COLUMNS.map(|(name, _)| name).join(", ")),
            };
            return Err(Problem::UnknownColumn { found: printable(name), suggestion });
        };
        let same =
            |(_, column): &NamedColumn| std::mem::discriminant(column) == std::mem::discriminant(&found.1);
        if columns.iter().any(same) {
            return Err(Problem::Header(format!("names {} twice", found.0)));
        }
        columns.push(found);
    }
    let has = |wanted: fn(&Column) -> bool| columns.iter().any(|(_, column)| wanted(column));
    if !has(|column| matches!(column, Column::Offset(_))) {
        return Err(Problem::Header("names no offset (offset_bytes, offset_kib, offset_blocks)".to_owned()));
    }
    if !has(|column| matches!(column, Column::Length(_))) {
        return Err(Problem::Header("names no length (length_bytes, length_kib, length_blocks)".to_owned()));
    }
    Ok(columns)
}

impl RequestRecord {
    fn set(&mut self, name: &'static str, column: Column, text: &[u8]) -> Result<(), Problem> {
        let size = |unit: u64| {
            whole(text, name)?.checked_mul(unit).ok_or_else(|| Problem::TooLarge {
                column: name,
                found: printable(text),
                limit: "8 EiB",
            })
        };
        let time = |unit: u32| match u64::try_from(picoseconds(text, unit, name)?) {
            Ok(u64::MAX) | Err(_) => {
                Err(Problem::TooLarge { column: name, found: printable(text), limit: "213 days" })
            }
            Ok(picos) => Ok(Time::from_picos(picos)),
        };
        match column {
            Column::Offset(unit) => self.offset = size(unit)?,
            Column::Length(unit) => self.length = size(unit)?,
            Column::File => self.file = whole32(text, name)?,
            Column::Process => self.process = whole32(text, name)?,
            // An empty column: not known.
            Column::Think(_) | Column::Response(_) if text.is_empty() => {}
            Column::Think(unit) => self.think = Some(time(unit)?),
            Column::Response(unit) => self.measured = Some(time(unit)?),
            Column::Operation => {
                const WORDS: [(&[u8], &[u8], Operation); 4] = [
                    (b"R", b"read", Operation::Read),
                    (b"W", b"write", Operation::Write),
                    (b"F", b"fsync", Operation::Fsync),
                    (b"D", b"fdatasync", Operation::Fdatasync),
                ];
                let known = WORDS.iter().find(|(letter, word, _)| {
                    text.eq_ignore_ascii_case(letter) || text.eq_ignore_ascii_case(word)
                });
                let &(_, _, operation) = known.ok_or_else(|| Problem::UnknownOperation {
                    column: name,
                    found: printable(text),
                    expected: "R, W, F (fsync) or D (fdatasync)",
                })?;
                self.operation = operation;
            }
        }
        Ok(())
    }
}
