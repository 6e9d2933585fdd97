//! Tables of requests, a line each: what their columns hold, and how a line is read, whoever's columns they are.

use super::measured::span;
use super::numbered::Numbered;
use super::{Fit, Format, ReadCounts, Sample, blocks_of};
use crate::error::{Fault, Problem, printable};
use crate::field::{
    Columns, MICROSECONDS, MILLISECONDS, NANOSECONDS, PICOSECONDS, SECONDS, looks_numeric, picoseconds,
    whole, whole32,
};
use crate::input::Input;
use crate::named::{IGNORED, OPERATION_WORDS};
use crate::record::{BlockRecord, RawRecord};
use petrio_colours::{Direction, SECTOR_BYTES};
use petrio_persist::{Damage, Persist, Reader, Writer};
use std::borrow::Cow;

/// What one column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Column {
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
    /// Linux's major number of the device.
    Major,
    /// Its minor number, behind the major one.
    Minor,
    /// Read over.
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

    /// What a header's word says; an operation may have words of its own behind colons, as [`OwnTable`](crate::OwnTable) writes them.
    pub(super) fn of(name: &[u8]) -> Result<Self, Problem> {
        if name == IGNORED.as_bytes() {
            return Ok(Self::Ignored);
        }
        if name.starts_with(OPERATION_WORDS.as_bytes()) {
            return Ok(Self::Operation);
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
    pub(super) const fn role(self) -> usize {
        match self {
            Self::Time(_) => 0,
            Self::Response(_) => 1,
            Self::Process => 2,
            Self::Device | Self::Major | Self::Minor => 3,
            Self::Operation => 4,
            Self::Address { .. } => 5,
            Self::Length { .. } => 6,
            Self::Ignored => 7,
        }
    }

    pub(super) const ROLES: [&'static str; 8] = [
        "time",
        "response",
        "process",
        "device",
        "operation",
        "address",
        "length",
        "column that is left out",
    ];
    pub(super) const REQUIRED: [usize; 4] = [0, 4, 5, 6];
}

/// How reads and writes are told apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Operations {
    /// petrio's own letters and the whole words.
    Letters,
    /// Somebody's own words: a read's, and a write's.
    Words(Vec<u8>, Vec<u8>),
}

/// What stands between columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Between {
    /// Blanks and tabs.
    Blanks,
    /// This byte, with blanks around it or not.
    Byte(u8),
}

/// Which columns a table has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Layout {
    pub(super) columns: Cow<'static, [Column]>,
    pub(super) between: Between,
    pub(super) operations: Operations,
    /// In words, for messages.
    pub(super) names: &'static str,
    /// Whether a line may have more columns than these.
    pub(super) goes_on: bool,
}

impl Layout {
    /// The columns of a line.
    pub(super) fn of<'a>(&self, line: &'a [u8]) -> Columns<'a> {
        match self.between {
            Between::Blanks => Columns::blank_separated(line, self.names),
            Between::Byte(byte) => Columns::separated_by(byte, line, self.names),
        }
    }
}

/// A line's request with its time; `None` for a line that says no operation, which is counted.
pub(super) fn parse(
    line: &[u8],
    layout: &Layout,
    tally: &mut ReadCounts,
) -> Result<Option<(u128, BlockRecord)>, Problem> {
    let mut columns = layout.of(line);
    let mut is_known = true;
    let mut clock = 0;
    let mut record = BlockRecord::new(Direction::Read, 0, 0);
    let (mut address, mut address_in_bytes, mut length, mut length_in_bytes) = (0, false, 0, false);
    for &column in layout.columns.iter() {
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
            Column::Major => record.device = major(text)?,
            Column::Minor => record.device |= whole32(text, "minor number")?,
            Column::Operation if text.is_empty() => is_known = false,
            Column::Operation => match &layout.operations {
                Operations::Letters => operation(text, &mut record)?,
                Operations::Words(read, write) => record.direction = by_words(text, read, write)?,
            },
            Column::Address { bytes } => (address, address_in_bytes) = (whole(text, "address")?, bytes),
            Column::Length { bytes } => (length, length_in_bytes) = (whole(text, "length")?, bytes),
        }
    }
    if !layout.goes_on {
        columns.finish()?;
    }
    if !is_known {
        tally.other_events += 1;
        return Ok(None);
    }
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
    Ok(Some((clock, record)))
}

/// Linux keeps 20 bits for a minor number.
fn major(text: &[u8]) -> Result<u32, Problem> {
    const MAJOR_MAX: u32 = 1 << 12;
    let major = whole32(text, "major number")?;
    match major.checked_mul(1 << 20).filter(|_| major < MAJOR_MAX) {
        Some(device) => Ok(device),
        None => Err(Problem::TooLarge { column: "major number", found: printable(text), limit: "4095" }),
    }
}

fn by_words(text: &[u8], read: &[u8], write: &[u8]) -> Result<Direction, Problem> {
    match text {
        word if word.eq_ignore_ascii_case(read) => Ok(Direction::Read),
        word if word.eq_ignore_ascii_case(write) => Ok(Direction::Write),
        other => Err(Problem::UnknownOperation {
            column: "operation",
            found: printable(other),
            expected: "the word for a read or the one for a write",
        }),
    }
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
        expected: "R, W, F or D (discard), then S (synchronous), U (force unit access) and M (metadata) where they apply",
    };
    // Whole words are others' way to write it.
    let words = [
        ("read", b'R'),
        ("write", b'W'),
        ("flush", b'F'),
        ("discard", b'D'),
        ("trim", b'D'),
        ("r", b'R'),
        ("w", b'W'),
        ("f", b'F'),
    ];
    let word = words.iter().find(|(word, _)| text.eq_ignore_ascii_case(word.as_bytes()));
    let whole = word.map(|(_, letter)| [*letter]);
    let text = whole.as_ref().map_or(text, |letter| letter.as_slice());
    let (&letter, attributes) = text.split_first().ok_or_else(unknown)?;
    record.direction = match letter {
        b'R' => Direction::Read,
        b'W' => Direction::Write,
        b'F' => Direction::Flush,
        b'D' => Direction::Discard,
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

/// A published trace: a table whose columns are known, with a header or without.
pub(super) struct Published {
    layout: Layout,
    first: bool,
    /// The devices that have Linux's numbers, in the order in which they show up: they go by their places here.
    devices: Numbered<u32>,
    tally: ReadCounts,
}

impl Published {
    pub(super) fn new(layout: Layout) -> Self {
        Self { layout, first: true, devices: Numbered::default(), tally: ReadCounts::default() }
    }
}

impl Format for Published {
    fn stands_alone(&self) -> bool {
        true
    }

    fn save(&self, to: &mut Writer<'_>) {
        self.devices.save(to);
    }

    fn restore(&mut self, from: &mut Reader<'_>) -> Result<(), Damage> {
        self.devices.restore(from)
    }

    fn next(&mut self, input: &mut Input) -> Result<Option<RawRecord>, Fault> {
        loop {
            let Some(line) = input.data_line()? else { return Ok(None) };
            // A header names its columns, and has no number in any of them.
            if std::mem::take(&mut self.first) && self.layout.of(line).all(|column| !looks_numeric(column)) {
                continue;
            }
            let Some((clock, mut record)) = parse(line, &self.layout, &mut self.tally)? else { continue };
            if self.names_devices() {
                record.device = self.place(record.device)?;
            }
            return Ok(Some(RawRecord { clock, at: input.lines(), record }));
        }
    }

    fn tally(&self) -> ReadCounts {
        self.tally
    }

    fn device_name(&self, device: u32) -> Option<String> {
        self.devices.name(device).map(|number| crate::device_names::device_name(*number))
    }

    fn device_number(&self, name: &str) -> Option<u32> {
        let number = crate::device_names::device_number(name)?;
        if self.names_devices() { self.devices.known(&number) } else { Some(number) }
    }
}

impl Published {
    fn names_devices(&self) -> bool {
        self.layout.columns.contains(&Column::Minor)
    }

    fn place(&mut self, device: u32) -> Result<u32, Problem> {
        self.devices.number(&device, || {
            let found = crate::device_names::device_name(device);
            Problem::TooLarge { column: "device", found, limit: "4096 different devices" }
        })
    }
}

/// Whether most lines have just these columns, each of which looks as it should.
pub(super) fn fits<const N: usize>(
    sample: &Sample<'_>,
    layout: &Layout,
    looks: impl Fn([&[u8]; N]) -> bool,
) -> Fit {
    Fit::certain_if(sample.mostly(|line| {
        let mut columns = layout.of(line);
        let mut found = [&b""[..]; N];
        let all = found.iter_mut().all(|place| columns.next().map(|column| *place = column).is_some());
        all && (layout.goes_on || columns.next().is_none()) && looks(found)
    }))
}

/// Whether a time is in seconds of this century, in some unit of 10^`unit` picoseconds.
pub(super) fn is_of_this_century(text: &[u8], unit: u32) -> bool {
    const SECOND: u128 = 1_000_000_000_000;
    looks_numeric(text)
        && picoseconds(text, unit, "time")
            .is_ok_and(|time| (946_684_800 * SECOND..4_102_444_800 * SECOND).contains(&time))
}
