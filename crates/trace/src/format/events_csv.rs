//! petrio's own columns of events as comma-separated values: the columns of `docs/trace-format.md`, named by a header
//! line.
//!
//! ```text
//! # petrio event trace, version 1
//! time_ps,kind,process,path,offset,length
//! 0,open,7,"/a, b",,
//! 120000000,read,7,"/a, b",4096,512
//! ```
//!
//! Columns stand in any order; `time_ps` and `kind` have to be there. An empty column is what the event doesn't have.
//! Text that holds a comma, a quotation mark or a line end stands in quotation marks, marks within are doubled (RFC
//! 4180), and a line end is `\n`, a carriage return `\r`, a backslash `\\`. `more_extents` is
//! `device:address:blocks:hit` with semicolons between. Flags are 0 or 1.

use super::{Facts, Fit, Format, Parser, PositionKind, RawEvent};
use crate::error::{Fault, Problem, printable};
use crate::event::{Event, EventKind, Extent};
use crate::field::{whole, whole32};
use crate::input::Input;
use crate::native::{access_named, direction_named};
use petrio_time::Time;
use std::borrow::Cow;
use std::sync::Arc;

/// The comment that the writer puts first.
pub(crate) const VERSION_LINE: &str = "# petrio event trace, version 1";

/// The columns, in the order in which they are written.
pub(crate) const COLUMNS: [&str; 32] = [
    "time_ps",
    "kind",
    "process",
    "device",
    "inode",
    "generation",
    "path",
    "new_path",
    "offset",
    "length",
    "service_ps",
    "error",
    "size",
    "since_modified_us",
    "since_accessed_us",
    "since_changed_us",
    "access",
    "hit",
    "bytes_read",
    "bytes_written",
    "reads",
    "writes",
    "extent_device",
    "extent_address",
    "extent_blocks",
    "extent_hit",
    "more_extents",
    "direction",
    "request",
    "synchronous",
    "force_unit_access",
    "metadata",
];

pub(crate) const FACTS: Facts = Facts {
    reorder_window: 0,
    places: PositionKind::Lines,
    fit: |sample| {
        let header = sample.lines.first().copied().unwrap_or_default();
        let named = |name: &[u8]| fields(header).iter().any(|field| &**field == name);
        let marked = sample.bytes.starts_with(VERSION_LINE.as_bytes());
        Fit::certain_if(marked || (named(b"time_ps") && named(b"kind")))
    },
    parser: Parser::File(|_| Box::new(EventsCsv { layout: Vec::new() })),
};

/// A line's fields, unquoted.
fn fields(line: &[u8]) -> Vec<Cow<'_, [u8]>> {
    let mut found = Vec::new();
    let mut rest = line;
    loop {
        if let Some(quoted) = rest.strip_prefix(b"\"") {
            let mut text = Vec::new();
            let mut at = 0;
            while let Some(&byte) = quoted.get(at) {
                match (byte, quoted.get(at + 1)) {
                    (b'"', Some(b'"')) => {
                        text.push(b'"');
                        at += 1;
                    }
                    (b'"', _) => break,
                    (b'\\', Some(&escaped)) => {
                        text.push(match escaped {
                            b'n' => b'\n',
                            b'r' => b'\r',
                            other => other,
                        });
                        at += 1;
                    }
                    (other, _) => text.push(other),
                }
                at += 1;
            }
            found.push(Cow::Owned(text));
            rest = quoted.get(at + 1..).unwrap_or_default();
            match rest.iter().position(|&byte| byte == b',') {
                Some(comma) => rest = &rest[comma + 1..],
                None => return found,
            }
        } else {
            match rest.iter().position(|&byte| byte == b',') {
                Some(comma) => {
                    found.push(Cow::Borrowed(rest[..comma].trim_ascii()));
                    rest = &rest[comma + 1..];
                }
                None => {
                    found.push(Cow::Borrowed(rest.trim_ascii()));
                    return found;
                }
            }
        }
    }
}

struct EventsCsv {
    /// The columns' places in [`COLUMNS`]; empty until the header was read.
    layout: Vec<usize>,
}

fn layout(header: &[u8]) -> Result<Vec<usize>, Problem> {
    let mut layout = Vec::new();
    for name in fields(header) {
        let Some(column) = COLUMNS.iter().position(|known| known.as_bytes() == &*name) else {
            let near = petrio_units::nearest(&String::from_utf8_lossy(&name), COLUMNS.iter().copied());
            let suggestion = near.map(|near| format!("; did you mean \"{near}\"?")).unwrap_or_default();
            return Err(Problem::UnknownColumn { found: printable(&name), suggestion });
        };
        if layout.contains(&column) {
            return Err(Problem::Header(format!("names {} twice", COLUMNS[column])));
        }
        layout.push(column);
    }
    for (index, needed) in [(0, "time_ps"), (1, "kind")] {
        if !layout.contains(&index) {
            return Err(Problem::Header(format!("names no {needed}")));
        }
    }
    Ok(layout)
}

fn flag(text: &[u8], column: &'static str) -> Result<bool, Problem> {
    match text {
        b"1" | b"true" => Ok(true),
        b"0" | b"false" => Ok(false),
        _ => Err(Problem::NotANumber { column, found: printable(text), expected: "0 or 1" }),
    }
}

fn path(text: &[u8]) -> Option<Arc<str>> {
    Some(String::from_utf8_lossy(text).into())
}

fn extents(text: &[u8], event: &mut Event) -> Result<(), Problem> {
    const COLUMN: &str = "more_extents";
    for extent in text.split(|&byte| byte == b';') {
        let mut parts = extent.split(|&byte| byte == b':');
        let (Some(device), Some(address), Some(blocks), Some(hit), None) =
            (parts.next(), parts.next(), parts.next(), parts.next(), parts.next())
        else {
            let expected = "device:address:blocks:hit";
            return Err(Problem::NotANumber { column: COLUMN, found: printable(extent), expected });
        };
        event.extents.push(Extent {
            device: whole32(device, COLUMN)?,
            address: whole(address, COLUMN)?,
            blocks: whole32(blocks, COLUMN)?,
            hit: flag(hit, COLUMN)?,
        });
    }
    Ok(())
}

fn span(text: &[u8], column: &'static str) -> Result<Time, Problem> {
    match whole(text, column)? {
        u64::MAX => Err(Problem::TooLarge { column, found: printable(text), limit: "213 days" }),
        picoseconds => Ok(Time::from_picos(picoseconds)),
    }
}

/// Sets what a column says.
fn set(event: &mut Event, first: &mut Option<Extent>, column: usize, text: &[u8]) -> Result<(), Problem> {
    let name = COLUMNS[column];
    let number = || whole(text, name);
    let small = || whole32(text, name);
    let unknown = |expected| Problem::UnknownOperation { column: name, found: printable(text), expected };
    match name {
        "process" => event.process = small()?,
        "device" => event.file.device = small()?,
        "inode" => event.file.inode = number()?,
        "generation" => event.file.generation = small()?,
        "path" => event.path = path(text),
        "new_path" => event.new_path = path(text),
        "offset" => event.offset = Some(number()?),
        "length" => event.length = number()?,
        "service_ps" => event.service = Some(span(text, name)?),
        "error" => {
            event.error = u16::try_from(number()?).map_err(|_| Problem::TooLarge {
                column: name,
                found: printable(text),
                limit: "65535",
            })?;
        }
        "size" => event.size = Some(number()?),
        "since_modified_us" => event.ages.get_or_insert_default().modified = Some(number()?),
        "since_accessed_us" => event.ages.get_or_insert_default().accessed = Some(number()?),
        "since_changed_us" => event.ages.get_or_insert_default().changed = Some(number()?),
        "access" => {
            event.access = Some(access_named(text).ok_or_else(|| unknown("read, write or read-write"))?);
        }
        "hit" => event.hit = Some(flag(text, name)?),
        "bytes_read" => event.totals.get_or_insert_default().bytes_read = number()?,
        "bytes_written" => event.totals.get_or_insert_default().bytes_written = number()?,
        "reads" => event.totals.get_or_insert_default().reads = number()?,
        "writes" => event.totals.get_or_insert_default().writes = number()?,
        "extent_device" => first.get_or_insert_default().device = small()?,
        "extent_address" => first.get_or_insert_default().address = number()?,
        "extent_blocks" => first.get_or_insert_default().blocks = small()?,
        "extent_hit" => first.get_or_insert_default().hit = flag(text, name)?,
        "more_extents" => extents(text, event)?,
        "direction" => {
            event.direction = Some(direction_named(text).ok_or_else(|| unknown("read, write or flush"))?);
        }
        "request" => event.request = Some(number()?),
        "synchronous" => event.synchronous = flag(text, name)?,
        "force_unit_access" => event.force_unit_access = flag(text, name)?,
        "metadata" => event.metadata = flag(text, name)?,
        _ => {}
    }
    Ok(())
}

impl EventsCsv {
    fn parse(&self, line: &[u8], at: u64) -> Result<RawEvent, Problem> {
        let fields = fields(line);
        if fields.len() != self.layout.len() {
            return Err(Problem::Header(format!(
                "names {} columns, and the line has {}",
                self.layout.len(),
                fields.len()
            )));
        }
        let mut event = Event::new(Time::ZERO, EventKind::Read);
        let (mut clock, mut kind, mut first) = (None, None, None);
        for (&column, text) in self.layout.iter().zip(&fields) {
            match (column, &**text) {
                (0, text) => clock = Some(u128::from(whole(text, "time_ps")?)),
                (1, text) => {
                    let named = std::str::from_utf8(text).ok().and_then(EventKind::named);
                    kind = Some(named.ok_or_else(|| Problem::UnknownOperation {
                        column: "kind",
                        found: printable(text),
                        expected: "a kind of event, such as open or read",
                    })?);
                }
                // A path may be empty on purpose: then it stands in quotation marks.
                (_, b"") if !matches!(text, Cow::Owned(_)) => {}
                (column, text) => set(&mut event, &mut first, column, text)?,
            }
        }
        event.extents.insert_many(0, first);
        event.kind = kind.unwrap_or(event.kind);
        Ok(RawEvent { clock: clock.unwrap_or_default(), at, record: event })
    }
}

impl Format<Event> for EventsCsv {
    fn stands_alone(&self) -> bool {
        true
    }

    fn next(&mut self, input: &mut Input) -> Result<Option<RawEvent>, Fault> {
        loop {
            let at = input.lines() + 1;
            let Some(line) = input.data_line()? else { return Ok(None) };
            if self.layout.is_empty() {
                self.layout = layout(line)?;
                continue;
            }
            return Ok(Some(self.parse(line, at)?));
        }
    }
}
