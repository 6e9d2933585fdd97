//! petrio's own block trace: comma-separated columns named, with units, by a header line.
//!
//! ```text
//! # petrio block trace, version 1
//! time_us,response_us,process,device,operation,address_blocks,length_blocks
//! 0,135.25,1042,0,RS,54280192,8
//! 210.5,,1042,0,WU,332922936,16
//! ```
//!
//! | column | meaning |
//! | --- | --- |
//! | `time_s`, `time_ms`, `time_us`, `time_ns` or `time_ps` | arrival, a decimal number; required |
//! | `response_s` … `response_ps` | measured response time; may be left out, and empty in a line |
//! | `process` | number of the process that asked; may be left out (0) |
//! | `device` | number of the device; may be left out (0) |
//! | `operation` | `R` read, `W` write or `F` flush, then `S` if somebody waits for it, `U` for force unit access; required |
//! | `address_blocks` or `address_bytes` | first block (512 bytes); required |
//! | `length_blocks` or `length_bytes` | length; required |
//!
//! Columns stand in any order. A column without a unit, or one that petrio doesn't know, is refused. Lines that begin
//! with `#` are comments; one that names another version is refused.

use super::measured::span;
use super::{Facts, Fit, Format, Parser, Places, ReadCounts, Sample, blocks_of};
use crate::error::{Fault, Problem, printable};
use crate::field::{
    Columns, MICROSECONDS, MILLISECONDS, NANOSECONDS, PICOSECONDS, SECONDS, picoseconds, whole, whole32,
};
use crate::input::Input;
use crate::named::IGNORED;
use crate::record::{BlockRecord, RawRecord};
use petrio_colours::{Direction, SECTOR_BYTES};
use petrio_time::Time;
use std::io::{self, Write};

pub(crate) const FACTS: Facts = Facts {
    reorder_window: 0,
    places: Places::Lines,
    fit,
    parser: Parser::Block(|_| Box::new(Petrio { layout: None, tally: ReadCounts::default() })),
};

/// The comment that the writer puts first.
const VERSION_LINE: &str = "# petrio block trace, version 1";
const VERSION_START: &[u8] = b"# petrio block trace, version ";

fn fit(sample: &Sample<'_>) -> Fit {
    let header = sample.lines.first().copied().unwrap_or_default();
    let names = Columns::comma_separated(header, "");
    let named = names.filter(|name| name.eq_ignore_ascii_case(b"operation") || name.starts_with(b"time"));
    Fit::certain_if(sample.bytes.starts_with(VERSION_START) || named.count() >= 2)
}

/// What one column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Column {
    Time(u32),
    Response(u32),
    Process,
    Device,
    Operation,
    Address {
        bytes: bool,
    },
    Length {
        bytes: bool,
    },
    /// Of a table of somebody's own: read over.
    Ignored,
}

impl Column {
    const NAMES: [(&'static str, Self); 17] = [
        ("time_us", Self::Time(MICROSECONDS)),
        ("time_s", Self::Time(SECONDS)),
        ("time_ms", Self::Time(MILLISECONDS)),
        ("time_ns", Self::Time(NANOSECONDS)),
        ("time_ps", Self::Time(PICOSECONDS)),
        ("response_us", Self::Response(MICROSECONDS)),
        ("response_s", Self::Response(SECONDS)),
        ("response_ms", Self::Response(MILLISECONDS)),
        ("response_ns", Self::Response(NANOSECONDS)),
        ("response_ps", Self::Response(PICOSECONDS)),
        ("process", Self::Process),
        ("device", Self::Device),
        ("operation", Self::Operation),
        ("address_blocks", Self::Address { bytes: false }),
        ("address_bytes", Self::Address { bytes: true }),
        ("length_blocks", Self::Length { bytes: false }),
        ("length_bytes", Self::Length { bytes: true }),
    ];

    fn of(name: &[u8]) -> Result<Self, Problem> {
        if name == IGNORED.as_bytes() {
            return Ok(Self::Ignored);
        }
        let found = Self::NAMES.iter().find(|(known, _)| known.as_bytes() == name);
        if let Some(&(_, column)) = found {
            return Ok(column);
        }
        let without_unit = [
            ("time", "time_s, time_ms, time_us, time_ns or time_ps"),
            ("response", "response_s, response_ms, response_us, response_ns or response_ps"),
            ("address", "address_blocks or address_bytes"),
            ("length", "length_blocks or length_bytes"),
        ];
        if let Some(&(_, expected)) = without_unit.iter().find(|(base, _)| base.as_bytes() == name) {
            return Err(Problem::NoUnit { found: printable(name), expected });
        }
        let word = printable(name);
        let suggestion = match petrio_units::nearest(&word, Self::NAMES.map(|(known, _)| known)) {
            Some(near) => format!("; did you mean \"{near}\"?"),
            None => format!("; it can name {}", Self::NAMES.map(|(known, _)| known).join(", ")),
        };
        Err(Problem::UnknownColumn { found: word, suggestion })
    }

    /// Columns of the same role can't stand side by side.
    const fn role(self) -> usize {
        match self {
            Self::Time(_) => 0,
            Self::Response(_) => 1,
            Self::Process => 2,
            Self::Device => 3,
            Self::Operation => 4,
            Self::Address { .. } => 5,
            Self::Length { .. } => 6,
            Self::Ignored => 7,
        }
    }

    const ROLES: [&'static str; 8] = [
        "time",
        "response",
        "process",
        "device",
        "operation",
        "address",
        "length",
        "column that is left out",
    ];
    const REQUIRED: [usize; 4] = [0, 4, 5, 6];
}

/// What the header says.
struct Layout {
    columns: Vec<Column>,
    /// Between columns: a comma, or what a table of somebody's own has.
    separator: u8,
}

/// Reads the header line.
fn layout(line: &[u8]) -> Result<Layout, Problem> {
    let separator =
        [b',', b';', b'\t'].into_iter().find(|separator| line.contains(separator)).unwrap_or(b',');
    let mut columns = Vec::new();
    let mut seen = [false; Column::ROLES.len()];
    for name in Columns::separated_by(separator, line, "") {
        let column = Column::of(name)?;
        let role = column.role();
        if std::mem::replace(&mut seen[role], true) && column != Column::Ignored {
            return Err(Problem::Header(format!("names the {} twice", Column::ROLES[role])));
        }
        columns.push(column);
    }
    match Column::REQUIRED.into_iter().find(|&role| !seen[role]) {
        None => Ok(Layout { columns, separator }),
        Some(missing) => Err(Problem::Header(format!("names no column for the {}", Column::ROLES[missing]))),
    }
}

struct Petrio {
    /// What the header names; `None` before it has been read.
    layout: Option<Layout>,
    tally: ReadCounts,
}

impl Format for Petrio {
    fn next(&mut self, input: &mut Input) -> Result<Option<RawRecord>, Fault> {
        let layout = match &self.layout {
            Some(layout) => layout,
            None => match header(input)? {
                Some(layout) => self.layout.insert(layout),
                None => return Ok(None),
            },
        };
        let Some(line) = input.data_line()? else { return Ok(None) };
        let (clock, record) = parse(line, layout, &mut self.tally)?;
        Ok(Some(RawRecord { clock, at: input.lines(), record }))
    }

    fn tally(&self) -> ReadCounts {
        self.tally
    }
}

/// Everything up to the header line; `None` where the file ends before it.
fn header(input: &mut Input) -> Result<Option<Layout>, Fault> {
    while let Some(line) = input.line()? {
        if let Some(version) = line.strip_prefix(VERSION_START) {
            if version.trim_ascii() != b"1" {
                let version = printable(version.trim_ascii());
                return Err(
                    Problem::Header(format!("names version {version}; version 1 is read here")).into()
                );
            }
        } else if crate::input::is_data(line) {
            return Ok(Some(layout(line)?));
        }
    }
    Ok(None)
}

fn parse(line: &[u8], layout: &Layout, tally: &mut ReadCounts) -> Result<(u128, BlockRecord), Problem> {
    const COLUMNS: &str = "those that the header names";
    let mut columns = Columns::separated_by(layout.separator, line, COLUMNS);
    let mut clock = 0;
    let mut record = BlockRecord::new(Direction::Read, 0, 0);
    let (mut address, mut address_in_bytes, mut length, mut length_in_bytes) = (0, false, 0, false);
    for &column in &layout.columns {
        let text = columns.column(Column::ROLES[column.role()])?;
        match column {
            Column::Time(unit) => clock = picoseconds(text, unit, "time")?,
            Column::Response(_) if text.is_empty() => {}
            Column::Response(unit) => {
                record.measured = Some(span(picoseconds(text, unit, "response")?, text, "response")?);
            }
            Column::Ignored => {}
            Column::Process => record.process = whole32(text, "process")?,
            Column::Device => record.device = whole32(text, "device")?,
            Column::Operation => operation(text, &mut record)?,
            Column::Address { bytes } => (address, address_in_bytes) = (whole(text, "address")?, bytes),
            Column::Length { bytes } => (length, length_in_bytes) = (whole(text, "length")?, bytes),
        }
    }
    columns.finish()?;
    // The whole range is brought to bytes only where a part of it is in bytes: block numbers may exceed 2^55.
    (record.address, record.blocks) = match (address_in_bytes, length_in_bytes) {
        (false, false) => (address, whole32_of(length)?),
        (false, true) => (address, blocks_of(0, length, tally)?.1),
        (true, true) => blocks_of(address, length, tally)?,
        (true, false) => {
            let bytes = length.checked_mul(SECTOR_BYTES).ok_or_else(|| length_too_large(length))?;
            blocks_of(address, bytes, tally)?
        }
    };
    Ok((clock, record))
}

fn whole32_of(length: u64) -> Result<u32, Problem> {
    u32::try_from(length).map_err(|_| length_too_large(length))
}

fn length_too_large(length: u64) -> Problem {
    Problem::TooLarge { column: "length", found: length.to_string(), limit: "4294967295 blocks" }
}

fn operation(text: &[u8], record: &mut BlockRecord) -> Result<(), Problem> {
    let unknown = || Problem::UnknownOperation {
        column: "operation",
        found: printable(text),
        expected: "R, W or F, then S (synchronous), U (force unit access) and M (metadata) where they apply",
    };
    // Whole words are others' way to write it.
    let words = [("read", b'R'), ("write", b'W'), ("flush", b'F'), ("r", b'R'), ("w", b'W'), ("f", b'F')];
    let word = words.iter().find(|(word, _)| text.eq_ignore_ascii_case(word.as_bytes()));
    let whole = word.map(|(_, letter)| [*letter]);
    let text = whole.as_ref().map_or(text, |letter| letter.as_slice());
    let (&letter, attributes) = text.split_first().ok_or_else(unknown)?;
    record.direction = match letter {
        b'R' => Direction::Read,
        b'W' => Direction::Write,
        b'F' => Direction::Flush,
        _ => return Err(unknown()),
    };
    (record.synchronous, record.force_unit_access, record.metadata) = (false, false, false);
    for attribute in attributes {
        let said = match attribute {
            b'S' => &mut record.synchronous,
            b'U' => &mut record.force_unit_access,
            b'M' => &mut record.metadata,
            _ => return Err(unknown()),
        };
        if std::mem::replace(said, true) {
            return Err(unknown());
        }
    }
    Ok(())
}

/// Writes records in petrio's own format, each column exact: what is written reads back as the same records.
///
/// ```
/// use petrio_trace::{BlockRecord, PetrioWriter};
/// use petrio_colours::Direction;
/// let mut text = Vec::new();
/// let mut writer = PetrioWriter::new(&mut text)?;
/// writer.write(&BlockRecord::new(Direction::Read, 2048, 8))?;
/// assert!(String::from_utf8_lossy(&text).ends_with("\n0,,0,0,RS,2048,8\n"));
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct PetrioWriter<W: Write> {
    to: W,
}

impl<W: Write> PetrioWriter<W> {
    /// Writes the header.
    ///
    /// # Errors
    /// What `to` reports.
    pub fn new(mut to: W) -> io::Result<Self> {
        let columns = "time_us,response_us,process,device,operation,address_blocks,length_blocks";
        writeln!(to, "{VERSION_LINE}\n{columns}")?;
        Ok(Self { to })
    }

    /// Goes on after a header that was written before.
    pub(crate) const fn continued(to: W) -> Self {
        Self { to }
    }

    /// Writes one record. Records are expected in order of time: the reader refuses others.
    ///
    /// # Errors
    /// What the file reports.
    pub fn write(&mut self, record: &BlockRecord) -> io::Result<()> {
        let letter = match record.direction {
            Direction::Read => 'R',
            Direction::Write => 'W',
            Direction::Flush => 'F',
        };
        let synchronous = if record.synchronous { "S" } else { "" };
        let forced = if record.force_unit_access { "U" } else { "" };
        let metadata = if record.metadata { "M" } else { "" };
        write_microseconds(&mut self.to, record.time)?;
        self.to.write_all(b",")?;
        if let Some(measured) = record.measured {
            write_microseconds(&mut self.to, measured)?;
        }
        let BlockRecord { process, device, address, blocks, .. } = record;
        writeln!(self.to, ",{process},{device},{letter}{synchronous}{forced}{metadata},{address},{blocks}")
    }

    /// Writes a comment of one line.
    ///
    /// # Errors
    /// What the file reports.
    pub fn remark(&mut self, text: &str) -> io::Result<()> {
        write_remark(text, &mut self.to)
    }

    /// Hands the file back.
    pub fn into_inner(self) -> W {
        self.to
    }
}

/// A comment of one line, whatever stands in it.
pub(crate) fn write_remark(text: &str, to: &mut dyn Write) -> io::Result<()> {
    let text: String = text.chars().map(|letter| if letter.is_control() { '?' } else { letter }).collect();
    writeln!(to, "# {}", text.trim())
}

/// Microseconds with as many places as it takes, up to the picosecond.
pub(crate) fn write_microseconds(to: &mut dyn Write, time: Time) -> io::Result<()> {
    const PICOSECONDS: u64 = 1_000_000;
    let (whole, part) = (time.as_picos() / PICOSECONDS, time.as_picos() % PICOSECONDS);
    if part == 0 {
        return write!(to, "{whole}");
    }
    let places = format!("{part:06}");
    write!(to, "{whole}.{}", places.trim_end_matches('0'))
}
