//! What `blktrace` records, binary, in the byte order of the machine that was traced.
//!
//! ```text
//!  0  u32  0x65617400 | version 7        24  u32  bytes
//!  4  u32  sequence number               28  u32  action: stage, and what kind of request from bit 16 on
//!  8  u64  time in ns                    32  u32  process
//! 16  u64  first block                   36  u32  device: major << 20 | minor
//!                                        40  u32  processor
//!                                        44  u16  error, u16 length of what follows the record
//! ```
//!
//! Source: Linux 6.x `include/uapi/linux/blktrace_api.h`, and `fill_rwbs` of blktrace's `blkparse_fmt.c` for which bits
//! make which letters. How events make requests: [`super::block_layer`].
//!
//! blktrace writes a file a processor; `blkparse -i NAME -d FILE` puts them into one in order of time. A single
//! processor's file is read too, without what the others saw. Leaves out and counts events of other stages, packet
//! commands and messages. Version 8 (64-bit actions) is refused.

use super::block_layer::{BlockEvent, Operation, Pairing, RecordKind, RequestStage};
use super::{Facts, Fit, Format, Parser, PositionKind, ReadCounts};
use crate::error::{Fault, Problem};
use crate::input::Input;
use crate::record::RawRecord;
use petrio_colours::SECTOR_BYTES;
use petrio_units::numbers::as_number;

pub(crate) const FACTS: Facts = Facts {
    reorder_window: 1_024,
    places: PositionKind::Bytes,
    fit: |sample| Fit::certain_if(Order::of(sample.bytes).is_some()),
    parser: Parser::Block(|sample| {
        let order = Order::of(sample.bytes).unwrap_or(Order::Little);
        let stages: Vec<RequestStage> = stages(order, sample.bytes).collect();
        Box::new(Blktrace { order, pairing: Pairing::with_stages(|wanted| stages.contains(&wanted)) })
    }),
};

const RECORD_BYTES: usize = 48;
const MAGIC: u32 = 0x6561_7400;
const VERSION: u32 = 7;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    Little,
    Big,
}

impl Order {
    /// The order in which the first number is the format's mark.
    fn of(bytes: &[u8]) -> Option<Self> {
        [Self::Little, Self::Big]
            .into_iter()
            .find(|order| bytes.len() >= 4 && order.word(bytes, 0) & 0xffff_ff00 == MAGIC)
    }

    fn number<const N: usize>(bytes: &[u8], offset: usize) -> [u8; N] {
        bytes.get(offset..offset + N).and_then(|field| field.try_into().ok()).unwrap_or([0; N])
    }

    fn word(self, bytes: &[u8], offset: usize) -> u32 {
        match self {
            Self::Little => u32::from_le_bytes(Self::number(bytes, offset)),
            Self::Big => u32::from_be_bytes(Self::number(bytes, offset)),
        }
    }

    fn long(self, bytes: &[u8], offset: usize) -> u64 {
        match self {
            Self::Little => u64::from_le_bytes(Self::number(bytes, offset)),
            Self::Big => u64::from_be_bytes(Self::number(bytes, offset)),
        }
    }

    fn short(self, bytes: &[u8], offset: usize) -> u16 {
        match self {
            Self::Little => u16::from_le_bytes(Self::number(bytes, offset)),
            Self::Big => u16::from_be_bytes(Self::number(bytes, offset)),
        }
    }
}

/// The stages of the records at the file's beginning.
fn stages(order: Order, bytes: &[u8]) -> impl Iterator<Item = RequestStage> {
    let mut rest = bytes;
    std::iter::from_fn(move || {
        let record = rest.get(..RECORD_BYTES)?;
        rest = rest.get(RECORD_BYTES + usize::from(order.short(record, 46))..).unwrap_or_default();
        Some(stage(order.word(record, 28)))
    })
    .flatten()
}

/// Bits of an action, from bit 16 on (`enum blktrace_cat`).
mod category {
    pub(super) const WRITE: u32 = 1 << 17;
    pub(super) const FLUSH: u32 = 1 << 18;
    pub(super) const SYNC: u32 = 1 << 19;
    pub(super) const PACKET_COMMAND: u32 = 1 << 25;
    pub(super) const NOTIFY: u32 = 1 << 26;
    pub(super) const AHEAD: u32 = 1 << 27;
    pub(super) const META: u32 = 1 << 28;
    pub(super) const DISCARD: u32 = 1 << 29;
    pub(super) const FUA: u32 = 1 << 31;
}

fn stage(action: u32) -> Option<RequestStage> {
    if action & (category::NOTIFY | category::PACKET_COMMAND) != 0 {
        return None;
    }
    // `enum blktrace_act`; bit 8 only says that a control group's number follows.
    match action & 0xff {
        1 => Some(RequestStage::Queued),
        7 => Some(RequestStage::Issued),
        8 => Some(RequestStage::Completed),
        _ => None,
    }
}

/// Whether it is another step of a request, or a message (`enum blktrace_act`: 2 to 6 and 9 to 16; `enum blktrace_notify`).
fn is_other_step(action: u32) -> bool {
    let is_step = matches!(action & 0xff, 2..=6 | 9..=16);
    action & category::NOTIFY != 0 || is_step && action & category::PACKET_COMMAND == 0
}

/// The letters that blkparse prints for an action.
fn operation(action: u32, bytes: u32) -> Option<Operation> {
    let has = |bit: u32| action & bit != 0;
    let mut letters = Vec::with_capacity(6);
    if has(category::FLUSH) {
        letters.push(b'F');
    }
    letters.push(match () {
        () if has(category::DISCARD) => b'D',
        () if has(category::WRITE) => b'W',
        () if bytes > 0 => b'R',
        () => b'N',
    });
    let attributes =
        [(category::FUA, b'F'), (category::AHEAD, b'A'), (category::SYNC, b'S'), (category::META, b'M')];
    letters.extend(attributes.into_iter().filter(|&(bit, _)| has(bit)).map(|(_, letter)| letter));
    Operation::from_rwbs(&letters)
}

struct Blktrace {
    order: Order,
    pairing: Pairing,
}

impl Format for Blktrace {
    fn next(&mut self, input: &mut Input) -> Result<Option<RawRecord>, Fault> {
        loop {
            if let Some(raw) = self.pairing.ready() {
                return Ok(Some(raw));
            }
            let at = input.bytes();
            let Some(record) = input.chunk(RECORD_BYTES)? else {
                self.pairing.end();
                return Ok(self.pairing.ready());
            };
            let order = self.order;
            let magic = order.word(record, 0);
            if magic & 0xffff_ff00 != MAGIC || magic & 0xff != VERSION {
                let found = (magic & 0xffff) as u16;
                return Err(Problem::Version { found, expected: "0x0007 after the mark 0x6561" }.into());
            }
            let (time, address) = (order.long(record, 8), order.long(record, 16));
            let (bytes, action) = (order.word(record, 24), order.word(record, 28));
            let (process, device) = (order.word(record, 32), order.word(record, 36));
            let follows = usize::from(order.short(record, 46));
            if follows > 0 && input.chunk(follows)?.is_none() {
                return Err(Problem::CutOff { found: 0, needed: follows }.into());
            }
            let step = match (stage(action), operation(action, bytes)) {
                (Some(stage), Some(operation)) => RecordKind::Event(BlockEvent {
                    stage,
                    clock: u128::from(time) * 1_000,
                    at,
                    device: (device >> 20, device & 0xf_ffff),
                    operation,
                    address,
                    blocks: as_number(u64::from(bytes).div_ceil(SECTOR_BYTES)),
                    process,
                }),
                (None, _) if is_other_step(action) => RecordKind::Other,
                _ => RecordKind::Foreign,
            };
            self.pairing.step(&step, at)?;
        }
    }

    fn tally(&self) -> ReadCounts {
        self.pairing.tally
    }

    fn device_number(&self, name: &str) -> Option<u32> {
        self.pairing.device_number(name)
    }

    fn device_name(&self, device: u32) -> Option<String> {
        self.pairing.device_name(device)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::{BlockRecord, FormatName, TraceOptions, TraceReader};
    use petrio_colours::Direction;
    use petrio_time::Time;
    use std::io::Cursor;

    fn record(time: u64, block: u64, bytes: u32, action: u32, follows: &[u8], big: bool) -> Vec<u8> {
        let words = |word: u32| if big { word.to_be_bytes() } else { word.to_le_bytes() };
        let longs = |long: u64| if big { long.to_be_bytes() } else { long.to_le_bytes() };
        let mut made = Vec::new();
        made.extend(words(MAGIC | VERSION));
        made.extend(words(1));
        made.extend(longs(time));
        made.extend(longs(block));
        for word in [bytes, action, 697, 8 << 20 | 16, 3] {
            made.extend(words(word));
        }
        let length = u32::try_from(follows.len()).unwrap();
        made.extend(if big { words(length) } else { words(length << 16) });
        made.extend(follows);
        made
    }

    fn read(bytes: Vec<u8>) -> (Vec<BlockRecord>, TraceReader) {
        let mut reader =
            TraceReader::from_reader("memory", Cursor::new(bytes), &TraceOptions::default()).unwrap();
        assert_eq!(reader.format(), FormatName::Blktrace);
        (reader.by_ref().map(Result::unwrap).collect(), reader)
    }

    #[test]
    fn requests_are_paired_in_both_byte_orders() {
        for big in [false, true] {
            let write = category::WRITE | category::SYNC | category::META;
            let bytes = [
                record(0, 0, 0, category::NOTIFY, b"kjournald\0\0\0", big),
                record(1_000, 64, 4_096, write | 1, b"", big),
                record(2_000, 64, 4_096, write | 7, b"", big),
                record(3_000, 64, 4_096, write | 12, b"", big),
                record(51_000, 64, 4_096, write | 8, b"", big),
                record(60_000, 128, 512, 1 << 16 | 1 | 1 << 8, &[0; 8], big),
                record(70_000, 0, 0, category::FLUSH | category::WRITE | 1, b"", big),
            ];
            let (records, reader) = read(bytes.concat());
            assert_eq!(
                records.iter().map(|record| record.direction).collect::<Vec<_>>(),
                [Direction::Write, Direction::Read, Direction::Flush]
            );
            assert_eq!((records[0].address, records[0].blocks, records[0].process), (64, 8, 697));
            assert_eq!(records[0].measured, Some(Time::from_micros(50)));
            assert!(records[0].synchronous && records[0].metadata && !records[1].metadata);
            assert_eq!(reader.device_name(0).as_deref(), Some("8,16"));
            let left_out = reader.summary().left_out;
            assert_eq!((left_out.other_events, left_out.other_steps), (0, 2));
        }
    }

    #[test]
    fn another_version_and_a_cut_are_refused_with_the_byte() {
        let error = |bytes: Vec<u8>| {
            TraceReader::from_reader("memory", Cursor::new(bytes), &TraceOptions::default())
                .unwrap()
                .find_map(Result::err)
                .unwrap()
                .to_string()
        };
        let mut other = record(0, 0, 512, 1, b"", false);
        other[0] = 8;
        assert!(error(other).contains("record version 0x7408"));
        let mut cut = record(0, 0, 512, 1, b"", false);
        cut.truncate(40);
        assert!(error(cut).contains("ends after 40 of the 48 bytes"));
    }
}
