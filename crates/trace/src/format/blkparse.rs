//! The text that `blkparse` prints, in its default format.
//!
//! ```text
//!   8,0    3       11     0.009507758   697  D   W 223490 + 56 [kjournald]
//!   8,0    1       12     0.018081811     0  C   W 223490 + 56 [0]
//! ```
//!
//! Device, processor, sequence number, seconds, process, action, RWBS letters, first block + blocks. Source:
//! blkparse(1), "OUTPUT DESCRIPTION AND FORMATTING". The summary at the end is left out and counted; so are plugs, merges,
//! splits, remaps and messages, apart from it: every trace has them, and requests are whole without. How events make requests: [`super::block_layer`].

use super::block_layer::{BlockEvent, Operation, Pairing, RecordKind, RequestStage, parse_device};
use super::commands::Commands;
use super::{Facts, Fit, Format, Parser, PositionKind, ReadCounts, Sample};
use crate::error::{Fault, Problem, printable};
use crate::field::{Columns, SECONDS, looks_numeric, looks_whole, picoseconds, whole, whole32};
use crate::input::Input;
use crate::record::RawRecord;

pub(crate) const FACTS: Facts = Facts {
    reorder_window: 1_024,
    places: PositionKind::Lines,
    fit,
    parser: Parser::Block(|sample| {
        Box::new(Blkparse {
            commands: Commands::default(),
            pairing: Pairing::new(sample, |line| RequestStage::of_action(Head::of(line)?.action)),
        })
    }),
};

const COLUMNS: &str = "device, processor, sequence, time in s, process, action, RWBS, block + blocks";

impl RequestStage {
    fn of_action(action: &[u8]) -> Option<Self> {
        match action {
            b"Q" => Some(Self::Queued),
            b"D" => Some(Self::Issued),
            b"C" => Some(Self::Completed),
            _ => None,
        }
    }
}

/// The parts of a line that every event has.
struct Head<'a> {
    device: &'a [u8],
    time: &'a [u8],
    process: &'a [u8],
    action: &'a [u8],
    /// What follows the action.
    rest: Columns<'a>,
}

impl<'a> Head<'a> {
    /// `None` for a line that doesn't have the form of an event.
    fn of(line: &'a [u8]) -> Option<Self> {
        let mut rest = Columns::blank_separated(line, COLUMNS);
        let device = rest.next().filter(|device| device[0].is_ascii_digit() && device.contains(&b','))?;
        let (processor, sequence) = (rest.next()?, rest.next()?);
        let (time, process, action) = (rest.next()?, rest.next()?, rest.next()?);
        let numbers = [processor, sequence, process].into_iter().all(looks_whole) && looks_numeric(time);
        let letters = action.len() <= 2 && action.iter().all(u8::is_ascii_alphabetic);
        (numbers && letters).then_some(Self { device, time, process, action, rest })
    }
}

fn fit(sample: &Sample<'_>) -> Fit {
    Fit::certain_if(sample.mostly(|line| Head::of(line).is_some()))
}

struct Blkparse {
    pairing: Pairing,
    commands: Commands,
}

impl Format for Blkparse {
    fn next(&mut self, input: &mut Input) -> Result<Option<RawRecord>, Fault> {
        loop {
            if let Some(raw) = self.pairing.ready() {
                return Ok(Some(raw));
            }
            let Some(line) = input.data_line()? else {
                self.pairing.end();
                return Ok(self.pairing.ready());
            };
            let (step, command) = parse(line)?;
            if let RecordKind::Event(BlockEvent { process, .. }) = &step {
                self.commands.note(*process, command);
            }
            self.pairing.step(&step, input.lines())?;
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

    fn process_name(&self, process: u32) -> Option<String> {
        self.commands.of(process)
    }
}

/// The actions of blkparse(1) that are other steps of requests, or messages: "TRACE ACTIONS", and `fmt_act` of blkparse_fmt.c.
const OTHER_STEPS: [&[u8]; 13] =
    [b"G", b"I", b"R", b"B", b"M", b"F", b"P", b"U", b"UT", b"T", b"X", b"A", b"S"];
/// A message, which a process or a scheduler has put into the trace.
const MESSAGE: &[u8] = b"m";

/// Whether a line may be one of those around the events: what blkparse adds up at the end (`CPU0 (8,0):`, ` Reads Queued: …`), the files
/// that it opens (`Input file … added`), and what blktrace tells beside it (`=== sda ===`).
fn is_summary(line: &[u8]) -> bool {
    line.contains(&b':') || line.starts_with(b"Input file ") || line.windows(3).any(|three| three == b"===")
}

/// What a line is: an event that matters, another step, or no event, as those of the summary; and the command of the process that was
/// at work, where it stands there: completions end with an error's number.
fn parse(line: &[u8]) -> Result<(RecordKind, &[u8]), Problem> {
    let nobody: &[u8] = b"";
    let Some(head) = Head::of(line) else {
        return match is_summary(line) {
            true => Ok((RecordKind::Foreign, nobody)),
            false => Err(Problem::NotALine {
                found: printable(line),
                expected: "an event or a summary of blkparse's",
            }),
        };
    };
    let Some(stage) = RequestStage::of_action(head.action) else {
        let is_known = OTHER_STEPS.contains(&head.action) || head.action == MESSAGE;
        return Ok((if is_known { RecordKind::Other } else { RecordKind::Foreign }, nobody));
    };
    let device = parse_device(head.device)?;
    let clock = picoseconds(head.time, SECONDS, "time in s")?;
    let process = whole32(head.process, "process")?;
    let mut columns = head.rest;
    let letters = columns.column("RWBS")?;
    let Some(operation) = Operation::from_rwbs(letters) else {
        return Err(Problem::UnknownOperation {
            column: "RWBS column",
            found: printable(letters),
            expected: "letters such as RS or WFS",
        });
    };
    let address = columns.column("block")?;
    // A packet command has its bytes in parentheses instead of blocks; a flush without data has no place at all.
    let (address, blocks) = if looks_whole(address) {
        let blocks = match columns.next() {
            Some(b"+") => whole32(columns.column("length")?, "length in blocks")?,
            _ => 0,
        };
        (whole(address, "block")?, blocks)
    } else if operation.flushes() {
        (0, 0)
    } else {
        return Ok((RecordKind::Foreign, nobody));
    };
    let command = match (stage, memchr::memchr(b'[', line)) {
        (RequestStage::Queued | RequestStage::Issued, Some(open)) => {
            let rest = line[open + 1..].trim_ascii_end();
            rest.strip_suffix(b"]").unwrap_or(nobody)
        }
        _ => nobody,
    };
    let event = BlockEvent { stage, clock, at: 0, device, operation, address, blocks, process };
    Ok((RecordKind::Event(event), command))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use crate::{FormatName, TraceOptions, TraceReader};
    use petrio_colours::Direction;

    #[test]
    fn steps_that_every_trace_has_are_no_lines_without_an_event_and_flushes_need_no_place() {
        let text = "\
8,0 1 1 0.000000000 1001 Q R 2048 + 8 [dd]
8,0 1 2 0.000002000 1001 G R 2048 + 8 [dd]
8,0 1 3 0.000003000 1001 P N [dd]
8,0 1 0 0.000003500 1001 m N cfq1001 insert_request
8,0 1 4 0.000004000 1001 I R 2048 + 8 [dd]
8,0 1 5 0.000005000 1001 UT N [dd] 1
8,0 1 6 0.000006000 1001 D R 2048 + 8 [dd]
8,0 1 7 0.000600000 0 C R 2048 + 8 [0]
8,0 1 8 0.000700000 1002 Q FWS [fsync]
8,0 1 9 0.000800000 1001 Q R 4096 + 8 [dd]
8,0 1 10 0.000801000 1001 M R 4096 + 8 [dd]
8,0 1 11 0.000900000 1001 Q DS 8192 + 8 [fstrim]
CPU1 (8,0):
";
        let mut reader =
            TraceReader::from_reader("memory", text.as_bytes(), &TraceOptions::default()).unwrap();
        assert_eq!(reader.format(), FormatName::Blkparse);
        let directions: Vec<_> = reader.by_ref().map(|record| record.unwrap().direction).collect();
        let [read, flush, discard] = [Direction::Read, Direction::Flush, Direction::Discard];
        assert_eq!(directions, [read, flush, read, discard]);
        let names = [1_001, 1_002, 7].map(|process| reader.process_name(process));
        assert_eq!(names, [Some("dd".to_owned()), Some("fsync".to_owned()), None]);
        let left_out = reader.summary().left_out;
        // The summary's line.
        assert_eq!((left_out.other_steps, left_out.other_events), (6, 1));
    }
}
