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

use super::table::{Between, Column, Layout, Operations, parse};
use super::{Facts, Fit, Format, Parser, PositionKind, ReadCounts, Sample};
use crate::error::{Fault, Problem, printable};
use crate::field::Columns;
use crate::input::Input;
use crate::named::OPERATION_WORDS;
use crate::record::{BlockRecord, RawRecord};
use petrio_colours::Direction;
use petrio_time::Time;
use std::io::{self, Write};

pub(crate) const FACTS: Facts = Facts {
    reorder_window: 0,
    places: PositionKind::Lines,
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

/// Reads the header line.
fn layout(line: &[u8]) -> Result<Layout, Problem> {
    let separator =
        [b',', b';', b'\t'].into_iter().find(|separator| line.contains(separator)).unwrap_or(b',');
    let mut columns = Vec::new();
    let mut operations = Operations::Letters;
    let mut seen = [false; Column::ROLES.len()];
    for name in Columns::separated_by(separator, line, "") {
        let column = Column::of(name)?;
        if let Some(words) = name.strip_prefix(OPERATION_WORDS.as_bytes()) {
            let mut words = words.split(|byte| *byte == b':').map(<[u8]>::to_vec);
            operations =
                Operations::Words(words.next().unwrap_or_default(), words.next().unwrap_or_default());
        }
        let role = column.role();
        if std::mem::replace(&mut seen[role], true) && column != Column::Ignored {
            return Err(Problem::Header(format!("names the {} twice", Column::ROLES[role])));
        }
        columns.push(column);
    }
    match Column::REQUIRED.into_iter().find(|&role| !seen[role]) {
        None => Ok(Layout {
            columns: columns.into(),
            between: Between::Byte(separator),
            operations,
            names: "those that the header names",
            goes_on: false,
        }),
        Some(missing) => Err(Problem::Header(format!("names no column for the {}", Column::ROLES[missing]))),
    }
}

struct Petrio {
    /// What the header names; `None` before it has been read.
    layout: Option<Layout>,
    tally: ReadCounts,
}

impl Format for Petrio {
    fn stands_alone(&self) -> bool {
        true
    }

    fn next(&mut self, input: &mut Input) -> Result<Option<RawRecord>, Fault> {
        let layout = match &self.layout {
            Some(layout) => layout,
            None => match header(input)? {
                Some(layout) => self.layout.insert(layout),
                None => return Ok(None),
            },
        };
        loop {
            let Some(line) = input.data_line()? else { return Ok(None) };
            let Some((clock, record)) = parse(line, layout, &mut self.tally)? else { continue };
            return Ok(Some(RawRecord { clock, at: input.lines(), record }));
        }
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
            Direction::Discard => 'D',
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
