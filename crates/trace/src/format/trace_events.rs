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

use super::block_layer::{BlockEvent, Operation, Pairing, RecordKind, RequestStage, parse_device};
use super::commands::Commands;
use super::{Facts, Fit, Format, Parser, PositionKind, ReadCounts, Sample};
use crate::error::{Fault, Problem, printable};
use crate::field::{Columns, SECONDS, picoseconds, whole, whole32};
use crate::input::Input;
use crate::record::RawRecord;

pub(crate) const FACTS: Facts = Facts {
    reorder_window: 1_024,
    places: PositionKind::Lines,
    fit,
    parser: Parser::Block(|sample| {
        let stage = |line: &[u8]| Head::of(line).and_then(|head| head.stage());
        Box::new(TraceEvents { pairing: Pairing::new(sample, stage), commands: Commands::default() })
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
    /// The command's name.
    command: &'a [u8],
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
        let (command, process) = before.split_at(before.len() - digits);
        // `comm 10700/10701` has the process before its thread.
        let command = match command.strip_suffix(b"/") {
            Some(rest) => {
                &rest[..rest.len() - rest.iter().rev().take_while(|byte| byte.is_ascii_digit()).count()]
            }
            None => command,
        };
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
            command: command.strip_suffix(b"-").unwrap_or(command).trim_ascii(),
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
    commands: Commands,
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

/// What a line is, and the command of the process that was at work.
fn parse(line: &[u8]) -> Result<(RecordKind, &[u8]), Problem> {
    let Some(head) = Head::of(line) else {
        return Err(Problem::NotALine {
            found: printable(line),
            expected: "a trace event (command, process, [processor], time:, event:, …)",
        });
    };
    let Some(stage) = head.stage() else {
        // Tracepoints of include/trace/events/block.h.
        let step = if head.event.starts_with(b"block_") { RecordKind::Other } else { RecordKind::Foreign };
        return Ok((step, head.command));
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
    let event = BlockEvent { stage, clock, at: 0, device, operation, address, blocks, process };
    Ok((RecordKind::Event(event), head.command))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use crate::{TraceOptions, TraceReader};

    #[test]
    fn processes_are_known_by_their_commands_whatever_these_are_called() {
        let text = "\
  dd 10700 [001]  1.000001:   block:block_bio_queue: 8,0 R 2048 + 8 [dd]
  dd 10700 [001]  1.000002:   block:block_rq_issue: 8,0 R 4096 () 2048 + 8 [dd]
Web Content 7/9 [000]  1.000003:   block:block_bio_queue: 8,0 R 4096 + 8 [Web Content]
Web Content 7/9 [000]  1.000004:   block:block_rq_issue: 8,0 R 4096 () 4096 + 8 [Web Content]
  kworker/u8:1-21 [001] d..2.  1.000005: block_bio_queue: 8,0 W 8192 + 8 [kworker/u8:1]
  kworker/u8:1-21 [001] d..2.  1.000006: block_rq_issue: 8,0 W 4096 () 8192 + 8 [kworker/u8:1]
";
        let mut reader =
            TraceReader::from_reader("memory", text.as_bytes(), &TraceOptions::default()).unwrap();
        let processes: Vec<u32> = reader.by_ref().map(|record| record.unwrap().process).collect();
        let names: Vec<Option<String>> =
            processes.iter().map(|&process| reader.process_name(process)).collect();
        let names: Vec<&str> = names.iter().flatten().map(String::as_str).collect();
        assert_eq!(names, ["dd", "Web Content", "kworker/u8:1"], "{processes:?}");
    }
}
