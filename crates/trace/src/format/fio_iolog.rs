//! fio's I/O logs, as `write_iolog` writes them and `read_iolog` replays them.
//!
//! ```text
//! fio version 2 iolog                     fio version 3 iolog
//! /data/file add                          16 /data/file add
//! /data/file open                         140 /data/file open
//! /data/file read 252928 2560             147 /data/file read 252928 2560
//! /data/file wait 500 0                   364 /data/file sync 0 0
//! ```
//!
//! Version 3 puts microseconds since the log's beginning first; version 2 has no clock but its `wait` lines, in
//! microseconds since the wait before, so that requests between two waits are at one time. Actions are `add`, `open`
//! and `close` of a file, `read`, `write`, `trim`, `sync`, `datasync`, `sync_file_range`, `syncfs` and `wait`. Source:
//! fio's HOWTO, "Trace file format"; `log_io_u` and `log_file` of its `iolog.c` (3.3x).
//!
//! Leaves out and counts `add`, `trim`, `sync_file_range` and `syncfs`. Service times aren't in such a log.

use super::{Facts, Fit, Format, Parser, PositionKind, RawEvent, ReadCounts};
use crate::error::{Fault, Problem, printable};
use crate::event::{Event, EventKind, FileKey, Totals};
use crate::field::{Columns, MICROSECONDS, picoseconds, whole};
use crate::input::Input;
use petrio_time::Time;
use std::collections::BTreeMap;
use std::sync::Arc;

const VERSION_2: &[u8] = b"fio version 2 iolog";
const VERSION_3: &[u8] = b"fio version 3 iolog";

pub(crate) const FACTS: Facts = Facts {
    // Several threads write one log, each line after its own clock was read.
    reorder_window: 1_024,
    places: PositionKind::Lines,
    fit: |sample| {
        let first = sample.lines.first().copied().unwrap_or_default();
        Fit::certain_if(first.starts_with(VERSION_2) || first.starts_with(VERSION_3))
    },
    parser: Parser::File(|sample| {
        let first = sample.lines.first().copied().unwrap_or_default();
        Box::new(FioIolog { timed: !first.starts_with(VERSION_2), ..FioIolog::default() })
    }),
};

const COLUMNS: &str = "[microseconds,] file, action, and for requests offset and length in bytes";
const ACTIONS: &str = "add, open, close, read, write, trim, sync, datasync, sync_file_range, syncfs or wait";

#[derive(Default)]
struct FioIolog {
    /// Whether lines begin with a time.
    timed: bool,
    waited: u128,
    files: BTreeMap<Arc<str>, (FileKey, Totals)>,
    tally: ReadCounts,
}

impl FioIolog {
    fn parse(&mut self, line: &[u8], at: u64) -> Result<Option<RawEvent>, Problem> {
        let mut columns = Columns::blank_separated(line, COLUMNS);
        let clock = match self.timed {
            true => picoseconds(columns.column("time")?, MICROSECONDS, "time in us")?,
            false => self.waited,
        };
        let name = columns.column("file")?;
        let action = columns.column("action")?;
        let mut range = || -> Result<(u64, u64), Problem> {
            let offset = whole(columns.column("offset")?, "offset")?;
            Ok((offset, whole(columns.column("length")?, "length")?))
        };
        let (kind, (offset, length)) = match action {
            b"open" => (EventKind::Open, (0, 0)),
            b"close" => (EventKind::Close, (0, 0)),
            b"read" => (EventKind::Read, range()?),
            b"write" => (EventKind::Write, range()?),
            b"sync" | b"datasync" => {
                // Older versions leave the numbers out.
                let _ = range();
                (EventKind::Fsync, (0, 0))
            }
            b"wait" => {
                let microseconds = u128::from(whole(columns.column("offset")?, "microseconds")?);
                self.waited = self.waited.saturating_add(microseconds * 1_000_000);
                return Ok(None);
            }
            b"add" | b"trim" | b"sync_file_range" | b"syncfs" => {
                self.tally.other_events += 1;
                return Ok(None);
            }
            other => {
                return Err(Problem::UnknownOperation {
                    column: "action",
                    found: printable(other),
                    expected: ACTIONS,
                });
            }
        };
        let mut event = Event { length, ..Event::new(Time::ZERO, kind) };
        self.of_file(&mut event, &String::from_utf8_lossy(name), offset);
        Ok(Some(RawEvent { clock, at, record: event }))
    }

    /// Says which file it is, and counts what is moved.
    fn of_file(&mut self, event: &mut Event, name: &str, offset: u64) {
        if !self.files.contains_key(name) {
            let inode = self.files.len() as u64 + 1;
            self.files.insert(name.into(), (FileKey { inode, ..FileKey::UNKNOWN }, Totals::default()));
        }
        let Some((path, _)) = self.files.get_key_value(name) else { return };
        event.path = Some(path.clone());
        let Some((file, totals)) = self.files.get_mut(name) else { return };
        event.file = *file;
        match event.kind {
            EventKind::Read => {
                event.offset = Some(offset);
                totals.bytes_read = totals.bytes_read.saturating_add(event.length);
                totals.reads += 1;
            }
            EventKind::Write => {
                event.offset = Some(offset);
                totals.bytes_written = totals.bytes_written.saturating_add(event.length);
                totals.writes += 1;
            }
            EventKind::Close => event.totals = Some(std::mem::take(totals)),
            _ => {}
        }
    }
}

impl Format<Event> for FioIolog {
    fn next(&mut self, input: &mut Input) -> Result<Option<RawEvent>, Fault> {
        loop {
            let at = input.lines() + 1;
            let Some(line) = input.data_line()? else { return Ok(None) };
            if line.starts_with(VERSION_2) || line.starts_with(VERSION_3) {
                continue;
            }
            if let Some(event) = self.parse(line, at)? {
                return Ok(Some(event));
            }
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
    use crate::{EventReader, TraceOptions};

    fn read(text: &'static str) -> Result<Vec<Event>, crate::TraceError> {
        EventReader::from_reader("memory", text.as_bytes(), &TraceOptions::default())?.collect()
    }

    #[test]
    fn version_3_has_its_times_and_a_close_its_totals() {
        let events = read(
            "fio version 3 iolog\n16 /a add\n140 /a open\n147 /a read 4096 512\n200 /a write 0 1024\n\
             210 /a sync 0 0\n220 /a close\n",
        )
        .unwrap();
        use EventKind::{Close, Fsync, Open, Read, Write};
        assert_eq!(
            events.iter().map(|event| event.kind).collect::<Vec<_>>(),
            [Open, Read, Write, Fsync, Close]
        );
        assert_eq!((events[1].time, events[1].offset), (Time::from_micros(7), Some(4_096)));
        let totals = Totals { bytes_read: 512, bytes_written: 1_024, reads: 1, writes: 1 };
        assert_eq!(events[4].totals, Some(totals));
    }

    #[test]
    fn version_2_has_its_times_from_its_waits() {
        let events =
            read("fio version 2 iolog\n/a add\n/a open\n/a read 0 512\n/a wait 250 0\n/b write 0 512\n")
                .unwrap();
        assert_eq!(events[2].time, Time::from_micros(250));
        assert_ne!(events[2].file, events[1].file);
    }

    #[test]
    fn an_unknown_action_is_refused_with_its_line() {
        let error = read("fio version 3 iolog\n16 /a open\n17 /a raed 0 512\n").unwrap_err();
        assert!(error.to_string().starts_with("memory, line 3: the action is \"raed\""), "{error}");
    }
}
