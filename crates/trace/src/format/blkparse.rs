//! The text that `blkparse` prints, in its default format.
//!
//! ```text
//!   8,0    3       11     0.009507758   697  D   W 223490 + 56 [kjournald]
//!   8,0    1       12     0.018081811     0  C   W 223490 + 56 [0]
//! ```
//!
//! Device, processor, sequence number, seconds, process, action, RWBS letters, first block + blocks. Source:
//! blkparse(1), "OUTPUT DESCRIPTION AND FORMATTING". The summary at the end, plugs, merges, splits, remaps and messages
//! are left out and counted. How events make requests: [`super::block_layer`].

use super::block_layer::{BlockEvent, Operation, Pairing, RequestStage, parse_device};
use super::{Facts, Fit, Format, Parser, Places, ReadCounts, Sample};
use crate::error::{Fault, Problem};
use crate::field::{Columns, SECONDS, looks_numeric, looks_whole, picoseconds, whole, whole32};
use crate::input::Input;
use crate::record::RawRecord;

pub(crate) const FACTS: Facts = Facts {
    reorder_window: 1_024,
    places: Places::Lines,
    fit,
    parser: Parser::Block(|sample| {
        Box::new(Blkparse {
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
            match parse(line)? {
                Some(event) => self.pairing.event(BlockEvent { at: input.lines(), ..event })?,
                None => self.pairing.tally.other_events += 1,
            }
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

/// An event that matters; `None` for any other line (events of other stages, the summary).
fn parse(line: &[u8]) -> Result<Option<BlockEvent>, Problem> {
    let Some(head) = Head::of(line) else { return Ok(None) };
    let Some(stage) = RequestStage::of_action(head.action) else { return Ok(None) };
    let device = parse_device(head.device)?;
    let clock = picoseconds(head.time, SECONDS, "time in s")?;
    let process = whole32(head.process, "process")?;
    let mut columns = head.rest;
    let letters = columns.column("RWBS")?;
    let Some(operation) = Operation::from_rwbs(letters) else {
        return Err(Problem::UnknownOperation {
            column: "RWBS column",
            found: crate::error::printable(letters),
            expected: "letters such as RS or WFS",
        });
    };
    let address = columns.column("block")?;
    // A packet command has its bytes in parentheses instead of blocks; a flush may have no place at all.
    if !looks_whole(address) {
        return Ok(None);
    }
    let address = whole(address, "block")?;
    let blocks = match columns.next() {
        Some(b"+") => whole32(columns.column("length")?, "length in blocks")?,
        _ => 0,
    };
    Ok(Some(BlockEvent { stage, clock, at: 0, device, operation, address, blocks, process }))
}
