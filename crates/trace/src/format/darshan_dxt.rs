//! Darshan's extended traces, as `darshan-dxt-parser` prints them, or in the binary log itself
//! ([`super::darshan_log`]).
//!
//! ```text
//! # DXT, file_id: 16457598720760448348, file_name: /tmp/test/testFile
//! # DXT, rank: 0, hostname: shane-thinkpad
//! # Module    Rank  Wt/Rd  Segment          Offset       Length    Start(s)      End(s)
//!  X_POSIX       0  write        0               0       262144      0.0029      0.0032
//! ```
//!
//! Seconds count from the job's start, which `# start_time:` gives since 1970. The process is the rank plus one,
//! because zero is nobody; a file's number is Darshan's own. Source: darshan-util's documentation, "Guide to
//! darshan-dxt-parser output".
//!
//! The text goes file by file and rank by rank, so all of it is read before the first event comes. What MPI-IO does to
//! a file it does by POSIX calls: `X_MPIIO` lines are left out and counted where there are `X_POSIX` lines. Opening,
//! closing and everything else that moves no bytes isn't in such a trace.

use super::darshan_log::{Segment, service};
use super::{Facts, Fit, Format, Parser, PositionKind, RawEvent, ReadCounts, darshan_log};
use crate::error::{Fault, Problem, printable};
use crate::event::{Event, EventKind, FileKey};
use crate::field::{Columns, SECONDS, looks_whole, picoseconds, whole};
use crate::input::{Input, is_data};
use crate::native::About;
use petrio_time::Time;
use std::sync::Arc;

pub(crate) const FACTS: Facts = Facts {
    reorder_window: 0,
    places: PositionKind::Lines,
    fit: |sample| Fit::certain_if(darshan_log::begins(sample.bytes) || sample.mostly(is_segment)),
    parser: Parser::File(|sample| {
        Box::new(DarshanDxt { is_log: darshan_log::begins(sample.bytes), ..DarshanDxt::default() })
    }),
};

const COLUMNS: &str = "module, rank, write or read, segment, offset, length, start in s, end in s";
const POSIX: &[u8] = b"X_POSIX";

fn is_segment(line: &[u8]) -> bool {
    let mut columns = Columns::blank_separated(line, COLUMNS);
    let module = columns.next().is_some_and(|module| module.starts_with(b"X_"));
    let rank = columns.next().is_some_and(looks_whole);
    module && rank && matches!(columns.next(), Some(b"read" | b"write"))
}

#[derive(Default)]
struct DarshanDxt {
    /// Whether it is a binary log.
    is_log: bool,
    /// All events, the earliest last; `None` until they are read.
    events: Option<Vec<RawEvent>>,
    about: About,
    file: FileKey,
    path: Option<Arc<str>>,
    /// When the job began, in picoseconds since 1970.
    start: Option<u128>,
    tally: ReadCounts,
}

impl DarshanDxt {
    fn read(&mut self, input: &mut Input) -> Result<Vec<RawEvent>, Fault> {
        if self.is_log {
            let log = darshan_log::read(input.kept_aside()?)?;
            (self.start, self.about) = (Some(log.start), log.about);
            return Ok(self.in_order(log.segments));
        }
        let mut segments = Vec::new();
        loop {
            let at = input.lines() + 1;
            let Some(line) = input.line()? else { break };
            let line = line.trim_ascii();
            if let Some(comment) = line.strip_prefix(b"#") {
                self.comment(&String::from_utf8_lossy(comment))?;
            } else if is_data(line) {
                segments.push(self.segment(line, at)?);
            }
        }
        Ok(self.in_order(segments))
    }

    /// What is wanted of all segments, the earliest last.
    fn in_order(&mut self, segments: Vec<Segment>) -> Vec<RawEvent> {
        let posix = segments.iter().any(|segment| segment.posix);
        let wanted = |segment: &Segment| segment.posix || !posix;
        self.tally.other_events += segments.iter().filter(|segment| !wanted(segment)).count() as u64;
        let mut events: Vec<RawEvent> =
            segments.into_iter().filter(wanted).map(|segment| segment.raw).collect();
        let start = self.start.unwrap_or_default();
        for raw in &mut events {
            raw.clock = raw.clock.saturating_add(start);
        }
        events.sort_by_key(|raw| std::cmp::Reverse(raw.clock));
        // Equal times come in the file's order, and the vector is taken from its end.
        events.chunk_by_mut(|one, other| one.clock == other.clock).for_each(<[RawEvent]>::reverse);
        events
    }

    fn comment(&mut self, comment: &str) -> Result<(), Problem> {
        let (name, value) = comment.trim().split_once(": ").unwrap_or_default();
        match name {
            "start_time" => self.start = Some(picoseconds(value.trim().as_bytes(), SECONDS, "start_time")?),
            "exe" => self.about.command = value.trim().to_owned(),
            "DXT, file_id" => {
                let (number, path) = value.split_once(", file_name: ").unwrap_or((value, ""));
                self.file =
                    FileKey { inode: whole(number.trim().as_bytes(), "file_id")?, ..FileKey::UNKNOWN };
                self.path = (!path.is_empty()).then(|| path.trim().into());
            }
            "DXT, rank" => {
                let (_, host) = value.split_once("hostname: ").unwrap_or_default();
                if self.about.machine.is_empty() {
                    self.about.machine = host.trim().to_owned();
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn segment(&self, line: &[u8], at: u64) -> Result<Segment, Problem> {
        let mut columns = Columns::blank_separated(line, COLUMNS);
        let module = columns.column("module")?;
        let rank = columns.column("rank")?;
        // -1 stands for all ranks together.
        let rank = if rank == b"-1" { None } else { Some(whole(rank, "rank")?) };
        let kind = match columns.column("operation")? {
            b"read" => EventKind::Read,
            b"write" => EventKind::Write,
            other => {
                return Err(Problem::UnknownOperation {
                    column: "operation",
                    found: printable(other),
                    expected: "read or write",
                });
            }
        };
        columns.column("segment")?;
        let offset = match columns.column("offset")? {
            // A collective call has no offset of its own.
            b"N/A" | b"-1" => None,
            text => Some(whole(text, "offset")?),
        };
        let length = whole(columns.column("length")?, "length")?;
        let start = picoseconds(columns.column("start")?, SECONDS, "start in s")?;
        let end = picoseconds(columns.column("end")?, SECONDS, "end in s")?;
        let service = service(start, end)?;
        let process = rank.map_or(0, |rank| rank.saturating_add(1));
        let event = Event {
            process: u32::try_from(process).map_err(|_| Problem::TooLarge {
                column: "rank",
                found: process.to_string(),
                limit: "4294967294",
            })?,
            file: self.file,
            path: self.path.clone(),
            offset,
            length,
            service,
            ..Event::new(Time::ZERO, kind)
        };
        Ok(Segment { posix: module == POSIX, raw: RawEvent { clock: start, at, record: event } })
    }
}

impl Format<Event> for DarshanDxt {
    fn next(&mut self, input: &mut Input) -> Result<Option<RawEvent>, Fault> {
        if self.events.is_none() {
            self.events = Some(self.read(input)?);
        }
        Ok(self.events.as_mut().and_then(Vec::pop))
    }

    fn tally(&self) -> ReadCounts {
        self.tally
    }

    fn is_since_1970(&self) -> bool {
        self.start.is_some()
    }

    fn about(&self) -> Option<&About> {
        Some(&self.about)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::{EventReader, FormatName, TraceOptions};

    const TEXT: &str = "# darshan log version: 3.10\n# exe: ./job -a\n# start_time: 1515172800\n\n\
        # DXT, file_id: 77, file_name: /data/one\n# DXT, rank: 0, hostname: node7\n\
        # Module    Rank  Wt/Rd  Segment          Offset       Length    Start(s)      End(s)\n\
        \x20X_POSIX       0  write        0               0       262144      0.5000      0.5032\n\
        \x20X_POSIX       0   read        0            4096          512      0.9000      0.9001  [3] [4]\n\
        # DXT, file_id: 78, file_name: /data/two words\n# DXT, rank: 1, hostname: node8\n\
        \x20X_POSIX       1  write        0              10           20      0.2500      0.2600\n\
        \x20X_MPIIO       1  write        0             N/A           20      0.2400      0.2700\n";

    #[test]
    fn segments_of_all_files_and_ranks_come_in_order_of_time() {
        let mut reader =
            EventReader::from_reader("memory", TEXT.as_bytes(), &TraceOptions::default()).unwrap();
        assert_eq!(reader.format(), FormatName::DarshanDxt);
        let about = reader.about().unwrap();
        assert_eq!((&about.command[..], &about.machine[..]), ("./job -a", "node7"));
        assert_eq!(about.origin_unix_ns, Some(1_515_172_800_250_000_000));
        let events: Vec<Event> = reader.by_ref().map(Result::unwrap).collect();
        assert_eq!(events.len(), 3);
        assert_eq!((events[0].path.as_deref(), events[0].process), (Some("/data/two words"), 2));
        assert_eq!(
            (events[1].time, events[1].service),
            (Time::from_millis(250), Some(Time::from_micros(3_200)))
        );
        assert_eq!((events[2].offset, events[2].file.inode), (Some(4_096), 77));
        assert_eq!(reader.summary().left_out.other_events, 1);
    }

    #[test]
    fn a_call_that_ends_before_it_begins_is_refused_where_it_stands() {
        let line = TEXT.lines().find(|line| line.contains("X_POSIX") && !line.starts_with('#')).unwrap();
        let mut words: Vec<&str> = line.split_whitespace().collect();
        *words.last_mut().unwrap() = "0.0001";
        let text = TEXT.replace(line, &words.join(" "));
        let refused = EventReader::from_reader("memory", text.leak().as_bytes(), &TraceOptions::default())
            .map(|mut reader| reader.find_map(Result::err).unwrap().to_string())
            .unwrap_or_else(|error| error.to_string());
        assert!(refused.contains("before it begins") && refused.contains("line"), "{refused}");
    }
}
