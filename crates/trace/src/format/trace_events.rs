//! Block events of the kernel's tracing as text: what `perf script`, `trace-cmd report` and tracefs's `trace` print.
//!
//! ```text
//!   dd 10700 [001]  2123.073911:  block:block_bio_queue: 254,0 WS 54280192 + 4096 [dd]
//!   dd 10700 [001]  2123.073927:   block:block_rq_issue: 254,0 WS 2097152 () 54280192 + 4096 0x2,0,4 [dd]
//!   dd-10700 [001] d..2.  2123.074918: block_rq_complete: 254,0 WS () 54280192 + 4096 [0]
//! ```
//!
//! Command, process, processor, flags (not in perf's), seconds, event, then the event's own text: device, RWBS letters,
//! bytes and command in parentheses (requests only), first block + blocks. Source: Linux 6.x
//! `include/trace/events/block.h`. Other events are left out and counted. How events make requests:
//! [`super::block_layer`].

use super::block_layer::{BlockEvent, Operation, Pairing, RequestStage, Step, parse_device};
use super::{Facts, Fit, Format, Parser, Places, ReadCounts, Sample};
use crate::error::{Fault, Problem, printable};
use crate::field::{Columns, SECONDS, picoseconds, whole, whole32};
use crate::input::Input;
use crate::record::RawRecord;

pub(crate) const FACTS: Facts = Facts {
    reorder_window: 1_024,
    places: Places::Lines,
    fit,
    parser: Parser::Block(|sample| {
        let stage = |line: &[u8]| Head::of(line).and_then(|head| head.stage());
        Box::new(TraceEvents { pairing: Pairing::new(sample, stage) })
    }),
};

const COLUMNS: &str = "device, RWBS, (command), block + blocks";

fn fit(sample: &Sample<'_>) -> Fit {
    let is_block_event = |line: &[u8]| Head::of(line).is_some_and(|head| head.event.starts_with(b"block_"));
    let events = sample.mostly(|line| Head::of(line).is_some());
    Fit::certain_if(events && sample.lines.iter().any(|line| is_block_event(line)))
}

/// The parts of a line that every event has.
struct Head<'a> {
    process: &'a [u8],
    time: &'a [u8],
    /// Without its subsystem.
    event: &'a [u8],
    text: &'a [u8],
}

impl<'a> Head<'a> {
    fn of(line: &'a [u8]) -> Option<Self> {
        // The command may hold anything, so the line is taken from the processor in brackets on.
        let (before, after) = memchr::memchr_iter(b'[', line).find_map(|open| {
            let close = open + 1 + line[open + 1..].iter().position(|byte| !byte.is_ascii_digit())?;
            let bracketed = line.get(close) == Some(&b']') && close > open + 1;
            let apart = open > 0 && line[open - 1].is_ascii_whitespace();
            (bracketed && apart).then(|| (line[..open].trim_ascii_end(), &line[close + 1..]))
        })?;
        // `comm 10700`, `comm 10700/10701` or `comm-10700`.
        let digits = before.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
        let process = &before[before.len() - digits..];
        let mut columns = Columns::blank_separated(after, COLUMNS);
        let mut time = columns.next()?;
        if !is_time(time) {
            // The flags of tracefs: irqs-off, need-resched, …
            time = columns.next()?;
        }
        if !is_time(time) {
            return None;
        }
        let event = columns.next()?.strip_suffix(b":")?;
        let name = memchr::memrchr(b':', event).map_or(event, |colon| &event[colon + 1..]);
        (digits > 0).then(|| Self {
            process,
            time: &time[..time.len() - 1],
            event: name,
            text: columns.rest(),
        })
    }

    fn stage(&self) -> Option<RequestStage> {
        match self.event {
            b"block_bio_queue" => Some(RequestStage::Queued),
            b"block_rq_issue" => Some(RequestStage::Issued),
            // Devices without a request queue (device mapper) complete only bios.
            b"block_rq_complete" | b"block_bio_complete" => Some(RequestStage::Completed),
            _ => None,
        }
    }
}

fn is_time(column: &[u8]) -> bool {
    matches!(column, [digits @ .., b':'] if !digits.is_empty()
        && digits.iter().all(|byte| byte.is_ascii_digit() || *byte == b'.'))
}

struct TraceEvents {
    pairing: Pairing,
}

impl Format for TraceEvents {
    fn next(&mut self, input: &mut Input) -> Result<Option<RawRecord>, Fault> {
        loop {
            if let Some(raw) = self.pairing.ready() {
                return Ok(Some(raw));
            }
            let Some(line) = input.data_line()? else {
                self.pairing.end();
                return Ok(self.pairing.ready());
            };
            let step = parse(line)?;
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
}

fn parse(line: &[u8]) -> Result<Step, Problem> {
    let Some(head) = Head::of(line) else {
        return Err(Problem::NotALine {
            found: printable(line),
            expected: "a trace event (command, process, [processor], time:, event:, …)",
        });
    };
    let Some(stage) = head.stage() else {
        // Tracepoints of include/trace/events/block.h.
        return Ok(if head.event.starts_with(b"block_") { Step::Other } else { Step::Foreign });
    };
    let clock = picoseconds(head.time, SECONDS, "time in s")?;
    let process = whole32(head.process, "process")?;
    let mut columns = Columns::blank_separated(head.text, COLUMNS);
    let device = parse_device(columns.column("device")?)?;
    let letters = columns.column("RWBS")?;
    let Some(operation) = Operation::from_rwbs(letters) else {
        return Err(Problem::UnknownOperation {
            column: "RWBS column",
            found: printable(letters),
            expected: "letters such as RS or WFS",
        });
    };
    // Between stand the bytes and the command in parentheses, or nothing: the place is around the plus sign.
    let mut place = columns.next();
    let mut next = columns.next();
    while next.is_some_and(|word| word != b"+") {
        place = next;
        next = columns.next();
    }
    let missing = |column| Problem::MissingColumn { column, columns: COLUMNS };
    next.ok_or_else(|| missing("+"))?;
    let address = whole(place.ok_or_else(|| missing("block"))?, "block")?;
    let blocks = whole32(columns.column("length")?, "length in blocks")?;
    Ok(Step::Event(BlockEvent { stage, clock, at: 0, device, operation, address, blocks, process }))
}
