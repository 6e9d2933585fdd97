//! VMware SCSI trace (`.vscsi`), binary, little-endian; the format of the `CloudPhysics` traces.
//!
//! ```text
//! version 1, 32 bytes                     version 2, 40 bytes
//!  0  u32  serial number                   0  u16  SCSI opcode
//!  4  u32  length in bytes                 2  u16  version (0x02..)
//!  8  u32  scatter-gather entries          4  u32  serial number
//! 12  u16  SCSI opcode                     8  u32  length in bytes
//! 14  u16  version (0x01..)               12  u32  scatter-gather entries
//! 16  u64  first block                    16  u64  first block
//! 24  u64  time in µs                     24  u64  time in µs
//!                                         32  u64  rt
//! ```
//!
//! Source: the reader of libCacheSim (`traceReader/vscsi`). It doesn't say what `rt` counts, so petrio makes no
//! response time of it.

use super::cloudphysics_csv::record;
use super::{Facts, Fit, Format, Parser, PositionKind, ReadCounts, Sample};
use crate::error::{Fault, Problem};
use crate::input::Input;
use crate::record::RawRecord;

pub(crate) const FACTS: Facts = Facts {
    reorder_window: 0,
    places: PositionKind::Bytes,
    fit,
    parser: Parser::Block(|sample| {
        // A file forced to be read as vscsi, and fitting neither version, is read as version 1 and refused there.
        let version = version_of(sample.bytes).unwrap_or(Version::One);
        Box::new(Vscsi { version, tally: ReadCounts::default() })
    }),
};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Version {
    One,
    Two,
}

impl Version {
    const fn bytes(self) -> usize {
        match self {
            Self::One => 32,
            Self::Two => 40,
        }
    }

    const fn of(self, record: &[u8]) -> Option<u16> {
        match (self, record) {
            (Self::One, [_, _, _, _, _, _, _, _, _, _, _, _, _, _, low, high, ..])
            | (Self::Two, [_, _, low, high, ..]) => Some(u16::from_le_bytes([*low, *high])),
            _ => None,
        }
    }

    const fn accepts(self, version: u16) -> bool {
        match self {
            Self::One => version >> 8 == 1,
            Self::Two => version >> 8 == 2,
        }
    }
}

/// The version that the first records all have.
fn version_of(bytes: &[u8]) -> Option<Version> {
    const RECORDS: usize = 8;
    [Version::Two, Version::One].into_iter().find(|version| {
        let mut records = bytes.chunks_exact(version.bytes()).take(RECORDS).peekable();
        records.peek().is_some()
            && records.all(|record| version.of(record).is_some_and(|found| version.accepts(found)))
    })
}

fn fit(sample: &Sample<'_>) -> Fit {
    // Text never fits by chance: it has no zero bytes, and an opcode is followed by one.
    match version_of(sample.bytes).filter(|_| sample.bytes.contains(&0)) {
        Some(version) if sample.may_hold_records_of(version.bytes()) => Fit::Certain,
        Some(_) => Fit::Possible,
        None => Fit::No,
    }
}

struct Vscsi {
    version: Version,
    tally: ReadCounts,
}

impl Format for Vscsi {
    fn stands_alone(&self) -> bool {
        true
    }

    fn next(&mut self, input: &mut Input) -> Result<Option<RawRecord>, Fault> {
        loop {
            let at = input.bytes();
            let Some(bytes) = input.chunk(self.version.bytes())? else { return Ok(None) };
            let found = self.version.of(bytes).unwrap_or_default();
            if !self.version.accepts(found) {
                let expected = match self.version {
                    Version::One => "0x01.. (version 1)",
                    Version::Two => "0x02.. (version 2)",
                };
                return Err(Problem::Version { found, expected }.into());
            }
            let (opcode, length) = match self.version {
                Version::One => (short(bytes, 12), word(bytes, 4)),
                Version::Two => (short(bytes, 0), word(bytes, 8)),
            };
            let (block, time) = (long(bytes, 16), long(bytes, 24));
            match record(opcode, u64::from(length), block, &mut self.tally)? {
                Some(record) => {
                    return Ok(Some(RawRecord { clock: u128::from(time) * 1_000_000, at, record }));
                }
                None => self.tally.other_events += 1,
            }
        }
    }

    fn tally(&self) -> ReadCounts {
        self.tally
    }
}

/// Little-endian numbers at an offset within a record whose size has been checked; beyond it, zero.
fn number<const N: usize>(bytes: &[u8], offset: usize) -> [u8; N] {
    bytes.get(offset..offset + N).and_then(|field| field.try_into().ok()).unwrap_or([0; N])
}

fn short(bytes: &[u8], offset: usize) -> u32 {
    u32::from(u16::from_le_bytes(number(bytes, offset)))
}

fn word(bytes: &[u8], offset: usize) -> u32 {
    u32::from_le_bytes(number(bytes, offset))
}

fn long(bytes: &[u8], offset: usize) -> u64 {
    u64::from_le_bytes(number(bytes, offset))
}
