//! Requests to devices in the text that `blkparse` prints: queued (`Q`), issued (`D`), completed (`C`).
//!
//! A request that knows its response has a `Q` and a `C`; lines are in order of time. Times are whole nanoseconds; a
//! flush loses its response time, because the format can't tell its completion from that of the data.

use super::encoder::Encoder;
use crate::event::{Event, EventKind};
use crate::write::block_csv::request_of;
use petrio_colours::Direction;
use petrio_time::Time;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io::{self, Write};

#[derive(Default)]
pub(super) struct Blkparse {
    lines: u64,
    /// Completions that lie ahead, the earliest on top, with how many were found before: equal times keep their order.
    ahead: BinaryHeap<Reverse<(Time, u64, String)>>,
    found: u64,
}

impl Blkparse {
    fn write(
        &mut self,
        time: Time,
        device: u32,
        process: u32,
        rest: &str,
        to: &mut dyn Write,
    ) -> io::Result<()> {
        self.lines += 1;
        let nanos = time.as_picos() / 1_000;
        let (seconds, nanos) = (nanos / 1_000_000_000, nanos % 1_000_000_000);
        let (major, minor) = (device >> 20, device & 0xf_ffff);
        writeln!(
            to,
            "{major:3},{minor:<3} {:2} {:8} {seconds:5}.{nanos:09} {process:5} {rest}",
            0, self.lines
        )
    }

    /// Writes the completions up to a time.
    fn until(&mut self, time: Time, to: &mut dyn Write) -> io::Result<()> {
        while self.ahead.peek().is_some_and(|Reverse((at, _, _))| *at <= time) {
            let Some(Reverse((at, _, line))) = self.ahead.pop() else { break };
            // The device stands before the rest of the line.
            let (device, rest) = line.split_once(' ').unwrap_or_default();
            self.write(at, device.parse().unwrap_or_default(), 0, rest, to)?;
        }
        Ok(())
    }
}

impl Encoder for Blkparse {
    fn event(&mut self, event: &Event, to: &mut dyn Write) -> io::Result<bool> {
        let action = match event.kind {
            EventKind::Queue => 'Q',
            EventKind::Issue => 'D',
            EventKind::Complete => 'C',
            _ => return Ok(false),
        };
        let Some(record) = request_of(event) else { return Ok(false) };
        self.until(event.time, to)?;
        let mut letters = match record.direction {
            Direction::Read => "R".to_owned(),
            Direction::Write => "W".to_owned(),
            Direction::Flush => "FN".to_owned(),
            Direction::Discard => "D".to_owned(),
        };
        if record.force_unit_access && record.direction != Direction::Flush {
            letters.push('F');
        }
        match (record.synchronous, record.direction) {
            (true, Direction::Read | Direction::Write | Direction::Discard) => letters.push('S'),
            // A read that nobody waits for is one ahead.
            (false, Direction::Read) => letters.push('A'),
            _ => {}
        }
        if record.metadata {
            letters.push('M');
        }
        let range = format!("{letters:>3} {} + {}", record.address, record.blocks);
        self.write(event.time, record.device, record.process, &format!("{action:>2} {range} [petrio]"), to)?;
        if let (EventKind::Queue, Some(service), true) =
            (event.kind, event.service, record.direction != Direction::Flush)
        {
            let line = format!("{}  C {range} [0]", record.device);
            self.found += 1;
            self.ahead.push(Reverse((event.time.saturating_add(service), self.found, line)));
        }
        Ok(true)
    }

    fn finish(&mut self, to: &mut dyn Write) -> io::Result<()> {
        self.until(Time::NEVER, to)
    }
}
