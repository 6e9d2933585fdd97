//! What bcc's `biosnoop` prints: when a request ended, who asked, disk, operation, sector, bytes, and how long it took.
//!
//! ```text
//! TIME(s)     COMM           PID    DISK      T SECTOR     BYTES  LAT(ms)
//! 0.000004    supervise      1950   xvda1     W 13092560   4096      0.74
//! ```
//!
//! With `-Q` the time that it waited in the system's queue stands before the last column, and is a part of what it took. Source:
//! biosnoop(8) and its examples, github.com/iovisor/bcc. Lines come as requests end; the request began earlier by its latency.

use super::numbered::Numbered;
use super::{Facts, Fit, Format, Parser, PositionKind, ReadCounts, Sample, blocks_of};
use crate::error::{Fault, Problem, printable};
use crate::field::{MILLISECONDS, SECONDS, looks_numeric, looks_whole, picoseconds, whole, whole32};
use crate::input::Input;
use crate::record::{BlockRecord, RawRecord};
use petrio_colours::Direction;
use petrio_time::Time;
use std::collections::BTreeMap;

pub(crate) const FACTS: Facts = Facts {
    // A slow request ends behind quick ones that began later.
    reorder_window: 1_024,
    places: PositionKind::Lines,
    fit,
    parser: Parser::Block(|_| Box::new(Biosnoop::default())),
};

const COLUMNS: &str = "time in s, command, process, disk, operation, sector, bytes, latency in ms";

fn fit(sample: &Sample<'_>) -> Fit {
    let first = sample.lines.first().copied().unwrap_or_default();
    Fit::certain_if(is_header(first) || sample.mostly(|line| Line::of(line, false).is_some()))
}

fn is_header(line: &[u8]) -> bool {
    let mut words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    words.next() == Some(b"TIME(s)") && words.any(|word| word == b"LAT(ms)")
}

/// A line taken apart; a command may have blanks in its name.
struct Line<'a> {
    time: &'a [u8],
    command: Vec<u8>,
    process: &'a [u8],
    disk: &'a [u8],
    operation: &'a [u8],
    sector: &'a [u8],
    bytes: &'a [u8],
    queue: Option<&'a [u8]>,
    latency: &'a [u8],
}

impl<'a> Line<'a> {
    fn of(line: &'a [u8], queues: bool) -> Option<Self> {
        let words: Vec<&[u8]> = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).collect();
        let (latency, rest) = words.split_last()?;
        let (queue, rest) =
            if queues { rest.split_last().map(|(queue, rest)| (Some(*queue), rest))? } else { (None, rest) };
        let [time, command @ .., process, disk, operation, sector, bytes] = rest else { return None };
        let is_one = looks_numeric(time)
            && [process, sector, bytes].into_iter().all(|word| looks_whole(word))
            && operation.first().is_some_and(u8::is_ascii_uppercase)
            && looks_numeric(latency);
        let command = command.join(&b' ');
        is_one.then_some(Self { time, command, process, disk, operation, sector, bytes, queue, latency })
    }
}

#[derive(Default)]
struct Biosnoop {
    queues: bool,
    disks: Numbered<Vec<u8>>,
    commands: BTreeMap<u32, String>,
    tally: ReadCounts,
}

impl Biosnoop {
    fn record(&mut self, line: &Line<'_>) -> Result<Option<(u128, BlockRecord)>, Problem> {
        let direction = match line.operation.first() {
            Some(b'R') => Direction::Read,
            Some(b'W') => Direction::Write,
            Some(b'F') => Direction::Flush,
            Some(b'D') => Direction::Discard,
            _ => return Ok(None),
        };
        let latency = |text: &[u8]| picoseconds(text, MILLISECONDS, "latency in ms");
        let took = latency(line.latency)? + line.queue.map_or(Ok(0), latency)?;
        let measured = u64::try_from(took).ok().filter(|took| *took < u64::MAX).map(Time::from_picos);
        let ended = picoseconds(line.time, SECONDS, "time in s")?;
        let bytes = whole(line.bytes, "bytes")?;
        let (_, blocks) = blocks_of(0, bytes, &mut self.tally)?;
        if blocks == 0 && direction != Direction::Flush {
            return Ok(None);
        }
        let process = whole32(line.process, "process")?;
        if !line.command.is_empty() {
            self.commands.insert(process, String::from_utf8_lossy(&line.command).into_owned());
        }
        let address = whole(line.sector, "sector")?;
        let device = self.disk(line.disk)?;
        let said = |letter| line.operation[1..].contains(&letter);
        let record = BlockRecord {
            process,
            device,
            measured,
            synchronous: direction == Direction::Read || said(b'S'),
            metadata: said(b'M'),
            ..BlockRecord::new(direction, if blocks == 0 { 0 } else { address }, blocks)
        };
        Ok(Some((ended.saturating_sub(took), record)))
    }

    fn disk(&mut self, name: &[u8]) -> Result<u32, Problem> {
        self.disks.number(name, || Problem::TooLarge {
            column: "disk",
            found: printable(name),
            limit: "4096 different disks",
        })
    }
}

impl Format for Biosnoop {
    fn next(&mut self, input: &mut Input) -> Result<Option<RawRecord>, Fault> {
        loop {
            let Some(text) = input.data_line()? else { return Ok(None) };
            if is_header(text) {
                self.queues = text.windows(b"QUE(ms)".len()).any(|window| window == b"QUE(ms)");
                continue;
            }
            let Some(line) = Line::of(text, self.queues) else {
                return Err(Problem::NotALine { found: printable(text), expected: COLUMNS }.into());
            };
            match self.record(&line)? {
                Some((clock, record)) => return Ok(Some(RawRecord { clock, at: input.lines(), record })),
                None => self.tally.other_events += 1,
            }
        }
    }

    fn tally(&self) -> ReadCounts {
        self.tally
    }

    fn device_name(&self, device: u32) -> Option<String> {
        Some(String::from_utf8_lossy(self.disks.name(device)?).into_owned())
    }

    fn device_number(&self, name: &str) -> Option<u32> {
        self.disks.known(name.as_bytes()).or_else(|| name.parse().ok())
    }

    fn process_name(&self, process: u32) -> Option<String> {
        self.commands.get(&process).cloned()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use crate::{TraceOptions, TraceReader};
    use petrio_colours::{Direction, SECTOR_BYTES};
    use petrio_time::Time;

    #[test]
    fn requests_begin_before_they_end_and_commands_have_blanks() {
        let text = "TIME(s)     COMM           PID    DISK      T SECTOR     BYTES  QUE(ms) LAT(ms)\n\
                    1.000000    Web Content    1950   sda       WS 13092560  4096     0.25    0.75\n\
                    1.000100    jbd2/sda1-8    200    sdb       R 100        8192     0.00    0.05\n\
                    1.000200    ?              0      sda       FF 0         0        0.00    5.00\n\
                    1.000300    x              7      sda       D 8          4096     0.00    5.00\n";
        let mut reader =
            TraceReader::from_reader("memory", text.as_bytes(), &TraceOptions::default()).unwrap();
        let records: Vec<_> = reader.by_ref().map(Result::unwrap).collect();
        let figures: Vec<_> = records
            .iter()
            .map(|one| (one.time.as_micros(), one.direction, one.device, one.address))
            .collect();
        let expected = [
            (0.0, Direction::Flush, 0, 0),
            (100.0, Direction::Discard, 0, 8),
            (3_800.0, Direction::Write, 0, 13_092_560),
            (4_850.0, Direction::Read, 1, 100),
        ];
        assert_eq!(figures, expected);
        assert_eq!(records[2].measured, Some(Time::from_micros(1_000)));
        assert_eq!(u64::from(records[3].blocks) * SECTOR_BYTES, 8_192);
        assert_eq!(
            (reader.device_name(1), reader.process_name(1_950)),
            (Some("sdb".into()), Some("Web Content".into()))
        );
        assert_eq!(reader.summary().left_out.other_events, 0);
    }
}
