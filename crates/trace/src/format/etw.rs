//! Windows' own tracing (ETW) as xperf prints it: Microsoft's production servers (SNIA), and whatever `xperf -i FILE.etl` makes.
//!
//! ```text
//! BeginHeader
//!   DiskRead,  TimeStamp, Process Name ( PID), ThreadID,             IrpPtr,   ByteOffset,     IOSize, ElapsedTime, DiskNum, …
//! EndHeader
//!   DiskRead,       8612,    xperf.exe (3984),    11844, 0xffffe288b23f1b20, 0x018f0b8000, 0x00001000,         283,       0, …
//! ```
//!
//! Times are in µs since the trace began; a line stands at its request's end, `ElapsedTime` before which it was asked for. Newer
//! xperf has a
//! column `CPU` behind the thread, so that columns are counted from the request's address, the first number with `0x`. Other events
//! (DiskReadInit, DiskFlush, FileIo…, Stack) are left out and counted.
//!
//! Source: the head of the traces "Microsoft Production Server" (SNIA IOTTA, set 158; Kavalanekar et al., IISWC 2008), which names
//! the columns.

use super::{Facts, Fit, Format, Parser, PositionKind, ReadCounts, Sample, blocks_of};
use crate::error::{Fault, Problem, printable};
use crate::field::{Columns, MICROSECONDS, looks_whole, picoseconds, whole32};
use crate::input::Input;
use crate::record::{BlockRecord, RawRecord};
use petrio_colours::Direction;
use petrio_time::Time;
use std::collections::BTreeMap;

pub(crate) const FACTS: Facts = Facts {
    // Lines stand at the ends of requests.
    reorder_window: 4_096,
    places: PositionKind::Lines,
    fit,
    parser: Parser::Block(|_| Box::new(Etw::default())),
};

const COLUMNS: &str = "DiskRead or DiskWrite, time in us, process (number), thread, IrpPtr, offset, size, elapsed time in us, disk";
const HEAD: &[u8] = b"BeginHeader";
const HEAD_END: &[u8] = b"EndHeader";

fn fit(sample: &Sample<'_>) -> Fit {
    let is_head = sample.lines.first().is_some_and(|line| line.trim_ascii() == HEAD);
    let is_access = |line: &[u8]| direction(line).is_some() && line.windows(2).any(|two| two == b"0x");
    Fit::certain_if(is_head || sample.lines.iter().any(|line| is_access(line)) && sample.mostly(is_event))
}

/// Whether a line begins with an event's name and a time.
fn is_event(line: &[u8]) -> bool {
    let mut columns = line.split(|byte| *byte == b',').map(<[u8]>::trim_ascii);
    let name = columns.next().is_some_and(|name| name.first().is_some_and(u8::is_ascii_uppercase));
    name && columns.next().is_some_and(looks_whole)
}

fn direction(line: &[u8]) -> Option<Direction> {
    match line.split(|byte| *byte == b',').next()?.trim_ascii() {
        b"DiskRead" => Some(Direction::Read),
        b"DiskWrite" => Some(Direction::Write),
        _ => None,
    }
}

/// A number after `0x`.
fn hexadecimal(text: &[u8], column: &'static str) -> Result<u64, Problem> {
    let digits = text.strip_prefix(b"0x").and_then(|digits| std::str::from_utf8(digits).ok());
    digits.and_then(|digits| u64::from_str_radix(digits, 16).ok()).ok_or_else(|| Problem::NotANumber {
        column,
        found: printable(text),
        expected: "0x and hexadecimal digits",
    })
}

#[derive(Default)]
struct Etw {
    within_head: bool,
    commands: BTreeMap<u32, String>,
    tally: ReadCounts,
}

impl Etw {
    fn record(&mut self, direction: Direction, line: &[u8]) -> Result<(u128, BlockRecord), Problem> {
        let mut columns = Columns::comma_separated(line, COLUMNS);
        columns.column("event")?;
        let ended = picoseconds(columns.column("time")?, MICROSECONDS, "time in us")?;
        let process = self.process(columns.column("process")?)?;
        // The thread, perhaps a processor, and the request's address.
        while !columns.column("IrpPtr")?.starts_with(b"0x") {}
        let offset = hexadecimal(columns.column("offset")?, "offset")?;
        let bytes = hexadecimal(columns.column("size")?, "size")?;
        let took = picoseconds(columns.column("elapsed time")?, MICROSECONDS, "elapsed time in us")?;
        let device = whole32(columns.column("disk")?, "disk")?;
        let measured = u64::try_from(took).ok().filter(|took| *took < u64::MAX).map(Time::from_picos);
        let (address, blocks) = blocks_of(offset, bytes, &mut self.tally)?;
        let record =
            BlockRecord { process, device, measured, ..BlockRecord::new(direction, address, blocks) };
        Ok((ended.saturating_sub(took), record))
    }

    /// `xperf.exe (3984)`: by its number, and called by its name.
    fn process(&mut self, text: &[u8]) -> Result<u32, Problem> {
        let split = text.iter().rposition(|byte| *byte == b'(');
        let (name, number) = text.split_at(split.unwrap_or(text.len()));
        let number = number.strip_prefix(b"(").and_then(|number| number.strip_suffix(b")"));
        let number = number.map(<[u8]>::trim_ascii).filter(|number| looks_whole(number));
        let Some(number) = number else {
            return Err(Problem::NotANumber {
                column: "process",
                found: printable(text),
                expected: "a name and a number in brackets",
            });
        };
        // -1 stands for what no process asked for; it is printed without its sign.
        let number = whole32(number, "process").unwrap_or(0);
        let name = name.trim_ascii();
        if !name.is_empty() && !self.commands.contains_key(&number) {
            self.commands.insert(number, String::from_utf8_lossy(name).into_owned());
        }
        Ok(number)
    }
}

impl Format for Etw {
    fn next(&mut self, input: &mut Input) -> Result<Option<RawRecord>, Fault> {
        loop {
            let Some(line) = input.data_line()? else { return Ok(None) };
            let line = line.trim_ascii();
            if line == HEAD || line == HEAD_END {
                self.within_head = line == HEAD;
                continue;
            }
            if self.within_head {
                continue;
            }
            let Some(direction) = direction(line) else {
                if is_event(line) || line.starts_with(b"OS Version") {
                    self.tally.other_events += 1;
                    continue;
                }
                return Err(
                    Problem::NotALine { found: printable(line), expected: "an event of xperf's" }.into()
                );
            };
            let (clock, record) = self.record(direction, line)?;
            return Ok(Some(RawRecord { clock, at: input.lines(), record }));
        }
    }

    fn tally(&self) -> ReadCounts {
        self.tally
    }

    fn process_name(&self, process: u32) -> Option<String> {
        self.commands.get(&process).cloned()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::{FormatName, TraceOptions, TraceReader};

    const TEXT: &str = "BeginHeader\n\
        \x20             DiskRead,  TimeStamp,     Process Name ( PID),   ThreadID,             IrpPtr,   ByteOffset,     IOSize, ElapsedTime,  DiskNum, IrpFlags\n\
        EndHeader\nOS Version: 5.2.3790, Trace Size: 1024KB\n\
        \x20         DiskReadInit,        900,           sqlservr.exe (1844),       2012, 0xfffffadfcd7a8010\n\
        \x20             DiskRead,       1000,           sqlservr.exe (1844),       2012, 0xfffffadfcd7a8010, 0x0000100000, 0x00002000,         100,        2, 0x060900\n\
        \x20            DiskWrite,       1250,                 System (   4),         96,   1, 0xfffffadfcd7a8011, 0x018f0b8000, 0x00001000,         300,        0, 0x060043,         283, 3, Original, 0xffffe288272d0d20, \"C:\\$Mft, a\"\n";

    #[test]
    fn requests_come_when_they_were_asked_for_whether_or_not_processors_are_named() {
        let mut reader =
            TraceReader::from_reader("memory", TEXT.as_bytes(), &TraceOptions::default()).unwrap();
        assert_eq!(reader.format(), FormatName::Etw);
        let records: Vec<_> = reader.by_ref().map(Result::unwrap).collect();
        let [read, write] = &records[..] else { panic!("{records:?}") };
        assert_eq!((read.time, read.direction, read.device), (Time::ZERO, Direction::Read, 2));
        assert_eq!((read.address, read.blocks, read.process), (0x10_0000 / 512, 16, 1844));
        assert_eq!((write.time, write.measured), (Time::from_micros(50), Some(Time::from_micros(300))));
        assert_eq!((write.address, write.blocks, write.process), (0x0001_8f0b_8000 / 512, 8, 4));
        assert_eq!(reader.process_name(1844).as_deref(), Some("sqlservr.exe"));
        assert_eq!(reader.summary().left_out.other_events, 2);
    }

    #[test]
    fn a_broken_line_is_refused_where_it_stands() {
        for (from, to, words) in [
            ("0x00002000", "0x00zz", "line 6: the size"),
            (
                "sqlservr.exe (1844),       2012, 0xfffffadfcd7a8010, 0x",
                "sqlservr.exe,       2012, 0xfff, 0x",
                "line 6: the process",
            ),
            ("DiskReadInit,        900", "dear reader", "line 5"),
        ] {
            let text = TEXT.replacen(from, to, 1);
            let refused =
                TraceReader::from_reader("memory", text.leak().as_bytes(), &TraceOptions::default())
                    .map(|mut reader| reader.find_map(Result::err).unwrap().to_string())
                    .unwrap_or_else(|error| error.to_string());
            assert!(refused.contains(words), "{refused}");
        }
    }
}
