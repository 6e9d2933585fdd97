//! HP Labs' SRT traces (cello, snake, hplajw), binary: the short records of versions 1 to 4.
//!
//! ```text
//!  0  u32  length of the record          28  u32  first block (512 bytes)
//!  4  u32  version << 16 | type          32  u32  device; the disk in bits 8 to 15
//!  8  u32  time in s                     36  u32  driver
//! 12  u32  … and µs                      40  u32  cylinder
//! 16  u32  start of the I/O, µs later    44  u32  flags: 1 = read, 0x100 = nobody waits
//! 20  u32  end of the I/O, µs later      48  u32  where it came from
//! 24  u32  bytes                         52  u32  queue length (version 4 only)
//! ```
//!
//! Type 1 is a request; type 4 is one that the tracing spoiled, with a further number at its end: left out, and
//! counted. A header of text, with a line `tracedate`, may stand before the records; it ends with a form feed. HP-UX
//! machines are big-endian, and a copy may have been turned around: the first record tells. Source: DiskSim 4.0,
//! `hptrace.h` and `iotrace_hpl_get_ioreq_event` in `disksim_iotrace.c`.
//!
//! Leaves out versions 5 to 7, whose layout isn't published with a trace or a program that is; DataSeries' `srt2ds`
//! reads them. The text that HP's own `srttool` prints isn't read, for want of a description.

use super::{Facts, Fit, Format, Parser, PositionKind, ReadCounts, Sample, blocks_of};
use crate::error::{Fault, Problem};
use crate::input::Input;
use crate::record::{BlockRecord, RawRecord};
use petrio_colours::Direction;
use petrio_time::Time;

pub(crate) const FACTS: Facts = Facts {
    // A record is written when its I/O is over, and filed under when it was queued.
    reorder_window: 1_024,
    places: PositionKind::Bytes,
    fit: |sample| Fit::certain_if(Start::of(sample).is_some()),
    parser: Parser::Block(|sample| {
        let start = Start::of(sample).unwrap_or(Start { header: 0, big: true });
        Box::new(HpSrt { header: start.header, big: start.big, tally: ReadCounts::default() })
    }),
};

const FORM_FEED: u8 = 0x0c;
/// Length and type of a record.
const HEAD_BYTES: usize = 8;
/// What every record has.
const SHORT_BYTES: u32 = 52;
const SHORT: u32 = 1;
const SUSPECT: u32 = 4;
const READ: u32 = 1;
const ASYNCHRONOUS: u32 = 0x100;

fn word(bytes: &[u8], offset: usize, big: bool) -> u32 {
    let field = bytes.get(offset..offset + 4).and_then(|field| field.try_into().ok()).unwrap_or([0; 4]);
    if big { u32::from_be_bytes(field) } else { u32::from_le_bytes(field) }
}

/// How long a record of this version and type is; `None` for one that doesn't exist.
fn length(id: u32) -> Option<u32> {
    let (version, kind) = (id >> 16, id & 0xffff);
    let queue_length = match version {
        1..=3 => 0,
        4 => 4,
        _ => return None,
    };
    match kind {
        SHORT => Some(SHORT_BYTES + queue_length),
        SUSPECT => Some(SHORT_BYTES + queue_length + 4),
        _ => None,
    }
}

/// Where the records begin, and in which byte order they are.
#[derive(Clone, Copy)]
struct Start {
    header: usize,
    big: bool,
}

impl Start {
    fn of(sample: &Sample<'_>) -> Option<Self> {
        let after_text = || {
            let end = sample.bytes.iter().position(|&byte| byte == FORM_FEED)?;
            let header = &sample.bytes[..end];
            header.windows(9).any(|window| window == b"tracedate").then_some(end + 1)
        };
        let candidates = [after_text(), Some(0)].into_iter().flatten();
        candidates
            .flat_map(|header| [true, false].map(|big| Self { header, big }))
            .find(|start| start.holds(sample.bytes))
    }

    /// Whether the first records are records.
    fn holds(self, bytes: &[u8]) -> bool {
        const RECORDS: usize = 8;
        let mut at = self.header;
        for seen in 0..RECORDS {
            if at + HEAD_BYTES > bytes.len() {
                return seen > 0;
            }
            let found = word(bytes, at, self.big);
            if length(word(bytes, at + 4, self.big)) != Some(found) {
                return false;
            }
            at += found as usize;
        }
        true
    }
}

struct HpSrt {
    /// Bytes of text before the records.
    header: usize,
    big: bool,
    tally: ReadCounts,
}

impl Format for HpSrt {
    fn next(&mut self, input: &mut Input) -> Result<Option<RawRecord>, Fault> {
        let header = std::mem::take(&mut self.header);
        if header > 0 {
            input.chunk(header)?;
        }
        loop {
            let at = input.bytes();
            let Some(head) = input.chunk(HEAD_BYTES)? else { return Ok(None) };
            let (found, id) = (word(head, 0, self.big), word(head, 4, self.big));
            let Some(length) = length(id).filter(|&length| length == found) else {
                return Err(Problem::Version {
                    found: (id >> 16) as u16,
                    expected: "a short record of version 1 to 4 with its length",
                }
                .into());
            };
            let rest = length as usize - HEAD_BYTES;
            let Some(bytes) = input.chunk(rest)? else {
                return Err(Problem::CutOff { found: HEAD_BYTES, needed: length as usize }.into());
            };
            if id & 0xffff == SUSPECT {
                self.tally.other_events += 1;
                continue;
            }
            // Offsets of the picture above, less the head.
            let field = |offset: usize| word(bytes, offset - HEAD_BYTES, self.big);
            let micros = u128::from(field(8)) * 1_000_000 + u128::from(field(12));
            let (block, length) = (u64::from(field(28)), u64::from(field(24)));
            let (address, blocks) = blocks_of(block * petrio_colours::SECTOR_BYTES, length, &mut self.tally)?;
            let flags = field(44);
            let direction = if flags & READ != 0 { Direction::Read } else { Direction::Write };
            let record = BlockRecord {
                measured: Some(Time::from_micros(u64::from(field(20)))),
                device: field(32) >> 8 & 0xff,
                synchronous: flags & ASYNCHRONOUS == 0,
                ..BlockRecord::new(direction, address, blocks)
            };
            return Ok(Some(RawRecord { clock: micros * 1_000_000, at, record }));
        }
    }

    fn tally(&self) -> ReadCounts {
        self.tally
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::{FormatName, TraceOptions, TraceReader};
    use std::io::Cursor;

    fn record(words: &[u32], big: bool) -> Vec<u8> {
        words.iter().flat_map(|word| if big { word.to_be_bytes() } else { word.to_le_bytes() }).collect()
    }

    #[test]
    fn both_byte_orders_and_a_header_are_read_and_spoiled_records_counted() {
        for big in [true, false] {
            let first = [52, 1 << 16 | 1, 3, 500, 10, 8_010, 4_096, 1_000, 0x0700, 0, 12, 1, 0];
            let spoiled = [60, 4 << 16 | 4, 3, 500, 10, 20, 4_096, 1_000, 0x0700, 0, 12, 1, 0, 2, 9];
            let second = [56, 4 << 16 | 1, 4, 0, 10, 900, 1_024, 8, 0x0800, 0, 12, 0x100, 0, 2];
            let mut bytes = b"tracedate\t= \"Sat Apr 18 00:00:03 1992\";\nmore\n\x0c".to_vec();
            for words in [&first[..], &spoiled, &second] {
                bytes.extend(record(words, big));
            }
            let mut reader =
                TraceReader::from_reader("memory", Cursor::new(bytes), &TraceOptions::default()).unwrap();
            assert_eq!(reader.format(), FormatName::HpSrt);
            let records: Vec<BlockRecord> = reader.by_ref().map(Result::unwrap).collect();
            assert_eq!(records.len(), 2);
            assert_eq!((records[0].address, records[0].blocks, records[0].device), (1_000, 8, 7));
            assert_eq!(records[0].measured, Some(Time::from_micros(8_010)));
            assert!(records[0].synchronous && !records[1].synchronous);
            assert_eq!(
                (records[1].time, records[1].direction),
                (Time::from_micros(999_500), Direction::Write)
            );
            assert_eq!(reader.summary().left_out.other_events, 1);
        }
    }
}
