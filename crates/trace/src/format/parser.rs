//! What a format is to the reader: how well a beginning fits it, and a parser for what begins so.

use crate::error::{Fault, Position, Problem, TraceError};
use crate::event::Event;
use crate::input::{Input, is_data};
use crate::native::About;
use crate::record::{BlockRecord, Raw, Record};
use petrio_colours::SECTOR_BYTES;
use petrio_persist::{Damage, Reader, Writer};
use std::sync::Arc;

/// What the reader knows of a format before it reads.
pub(crate) struct Facts {
    /// Records that may be out of place by default: events collected per processor are not in strict order.
    pub(crate) reorder_window: usize,
    /// What its places are.
    pub(crate) places: PositionKind,
    /// How well a beginning fits.
    pub(crate) fit: fn(&Sample<'_>) -> Fit,
    /// A parser for a file that begins like this.
    pub(crate) parser: Parser,
}

/// What a place in a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PositionKind {
    Lines,
    Bytes,
    Rows,
}

impl PositionKind {
    pub(crate) const fn at(self, number: u64) -> Position {
        match self {
            Self::Lines => Position::Line(number),
            Self::Bytes => Position::Byte(number),
            Self::Rows => Position::Row(number),
        }
    }

    /// How far an input was read.
    pub(crate) fn here(self, input: &Input) -> Position {
        match self {
            Self::Lines => Position::Line(input.lines()),
            Self::Bytes | Self::Rows => Position::Byte(input.bytes()),
        }
    }
}

/// What a format is a trace of.
pub(crate) enum Parser {
    /// Requests to devices.
    Block(fn(&Sample<'_>) -> Box<dyn Format>),
    /// Calls on files.
    File(fn(&Sample<'_>) -> Box<dyn Format<Event>>),
    /// Either or both; the file's name goes along, for the format's own messages.
    Either {
        block: fn(&Sample<'_>, &Arc<str>) -> Box<dyn Format>,
        file: fn(&Sample<'_>, &Arc<str>) -> Box<dyn Format<Event>>,
    },
}

/// An event before its time is brought to the trace's origin.
pub(crate) type RawEvent = Raw<Event>;

/// A parser of one format, for requests to devices or for events.
pub(crate) trait Format<R: Record = BlockRecord>: Send {
    /// The next record, in the file's order; `None` at the end.
    fn next(&mut self, input: &mut Input) -> Result<Option<Raw<R>>, Fault>;

    /// Whether what follows can be read without the records before, but for what [`save`](Self::save) writes.
    fn stands_alone(&self) -> bool {
        false
    }

    /// Writes what it knows of the records before.
    fn save(&self, _to: &mut Writer<'_>) {}

    /// Knows what was written.
    fn restore(&mut self, _from: &mut Reader<'_>) -> Result<(), Damage> {
        Ok(())
    }

    /// How many rows were read, of a format of rows.
    fn rows(&self) -> u64 {
        0
    }

    /// Leaves out the rows before a place further on.
    fn go_to_row(&mut self, _row: u64) -> Result<(), TraceError> {
        Ok(())
    }

    /// What was left out or brought into form so far.
    fn tally(&self) -> ReadCounts {
        ReadCounts::default()
    }

    /// What no device can do.
    fn check(&self, record: &R) -> Result<(), Problem> {
        record.check()
    }

    /// The number that its records give to a device of this name.
    fn device_number(&self, name: &str) -> Option<u32> {
        R::device_named(name)
    }

    /// The name of a device, where the format's devices have names.
    fn device_name(&self, _device: u32) -> Option<String> {
        None
    }

    /// The name of the command that a process runs, as far as it has been read, where the format has names.
    fn process_name(&self, _process: u32) -> Option<String> {
        None
    }

    /// Whether its clock counts from 1970.
    fn is_since_1970(&self) -> bool {
        false
    }

    /// What the file says of the trace as a whole.
    fn about(&self) -> Option<&About> {
        None
    }
}

/// What a parser left out or brought into form; nothing is dropped without being counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ReadCounts {
    /// Lines or records that hold no read, write or flush (other events, discards, inquiries).
    pub(crate) other_events: u64,
    /// Steps of requests that tell nothing more: what is neither their arrival nor their issue nor their end.
    pub(crate) other_steps: u64,
    /// Requests widened to whole 512-byte blocks.
    pub(crate) widened: u64,
    /// Completions whose request isn't in the trace.
    pub(crate) unmatched_completions: u64,
    /// Requests whose completion isn't in the trace.
    pub(crate) unanswered: u64,
    /// Lines without a time, of which only the order is known.
    pub(crate) untimed: u64,
    /// Calls whose files or bytes the trace doesn't show.
    pub(crate) unseen: u64,
}

/// How well content fits a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Fit {
    /// It can't be this format.
    No,
    /// It could be, but so could something else of the same shape.
    Possible,
    /// It has what only this format has.
    Certain,
}

impl Fit {
    pub(crate) const fn certain_if(condition: bool) -> Self {
        if condition { Self::Certain } else { Self::No }
    }
}

/// The beginning of a file.
pub(crate) struct Sample<'a> {
    /// Its bytes.
    pub(crate) bytes: &'a [u8],
    /// Its lines that hold something; empty for binary content.
    pub(crate) lines: Vec<&'a [u8]>,
    /// Whether it is all of the file.
    pub(crate) whole_file: bool,
}

impl<'a> Sample<'a> {
    /// More lines would not tell more, and fitting takes time.
    const LINES_MAX: usize = 256;

    pub(crate) fn new(bytes: &'a [u8], whole_file: bool) -> Self {
        // A zero byte, or many other control characters, is in no text format.
        let is_text = !bytes.contains(&0);
        let end = match bytes.iter().rposition(|&byte| byte == b'\n') {
            _ if whole_file => bytes.len(),
            // The last line may be cut off.
            Some(last) => last,
            None => bytes.len(),
        };
        let lines = match is_text {
            false => Vec::new(),
            true => bytes[..end]
                .split(|&byte| byte == b'\n')
                .map(<[u8]>::trim_ascii)
                .filter(|line| is_data(line))
                .take(Self::LINES_MAX)
                .collect(),
        };
        Self { bytes, lines, whole_file }
    }

    /// Whether records of so many bytes could fill the file: one that nothing marks as being of their format, and that
    /// ends within a record, is more likely of another.
    pub(crate) const fn may_hold_records_of(&self, bytes: usize) -> bool {
        !self.whole_file || self.bytes.len().is_multiple_of(bytes)
    }

    /// Whether at least half of the lines are of a form: a single bad line must not hide which format it is.
    pub(crate) fn mostly(&self, form: impl Fn(&[u8]) -> bool) -> bool {
        let fitting = self.lines.iter().filter(|line| form(line)).count();
        fitting > 0 && fitting * 2 >= self.lines.len()
    }
}

/// The columns of a line when there are exactly `N`.
pub(crate) fn exactly<'a, const N: usize>(columns: impl Iterator<Item = &'a [u8]>) -> Option<[&'a [u8]; N]> {
    let mut found = [&b""[..]; N];
    let mut count = 0;
    for column in columns {
        *found.get_mut(count)? = column;
        count += 1;
    }
    (count == N).then_some(found)
}

/// The device blocks that a range of bytes touches; counts a range that had to be widened.
pub(crate) fn blocks_of(offset: u64, bytes: u64, tally: &mut ReadCounts) -> Result<(u64, u32), Problem> {
    let first = offset / SECTOR_BYTES;
    if bytes == 0 {
        return Ok((first, 0));
    }
    let too_large = || Problem::TooLarge {
        column: "length in bytes",
        found: bytes.to_string(),
        limit: "2199023255040 (4294967295 blocks)",
    };
    let last = offset.checked_add(bytes - 1).ok_or_else(too_large)? / SECTOR_BYTES;
    let blocks = u32::try_from(last - first + 1).map_err(|_| too_large())?;
    if !offset.is_multiple_of(SECTOR_BYTES) || !bytes.is_multiple_of(SECTOR_BYTES) {
        tally.widened += 1;
    }
    Ok((first, blocks))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn byte_ranges_cover_whole_blocks_and_widening_is_counted() {
        let mut tally = ReadCounts::default();
        assert_eq!(blocks_of(4096, 8192, &mut tally).unwrap(), (8, 16));
        assert_eq!(tally.widened, 0);
        assert_eq!(blocks_of(511, 2, &mut tally).unwrap(), (0, 2));
        assert_eq!(blocks_of(512, 1, &mut tally).unwrap(), (1, 1));
        assert_eq!(tally.widened, 2);
        assert!(blocks_of(u64::MAX, 2, &mut tally).is_err());
        assert!(blocks_of(0, u64::MAX, &mut tally).is_err());
    }
}
