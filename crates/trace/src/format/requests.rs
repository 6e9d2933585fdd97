//! Requests without arrival times, as events: iozone's offset files and petrio's own columns.
//!
//! The lines are those of [`crate::requests`], which plays them back closed; here each request begins when the one
//! before it of its process ended (where the file says how long it took) and its think time is over. A file that
//! doesn't say what is read and what is written is taken to be all reads, which is noted.

use super::{Facts, Fit, Format, Parser, PositionKind, RawEvent};
use crate::error::Fault;
use crate::event::{Event, EventKind, FileKey};
use crate::field::{Columns, looks_whole};
use crate::input::Input;
use crate::native::About;
use crate::options::REORDER_WINDOW_MAX;
use crate::requests::{Layout, RequestFormat};
use petrio_colours::Operation;
use petrio_time::Time;
use std::collections::BTreeMap;

pub(crate) const FACTS: Facts = Facts {
    // Processes run side by side, each on its own clock.
    reorder_window: REORDER_WINDOW_MAX,
    places: PositionKind::Lines,
    fit: |sample| {
        let first = sample.lines.first().copied().unwrap_or_default();
        match RequestFormat::of_first_line(first) {
            RequestFormat::LatencyLog => Fit::Certain,
            RequestFormat::Columns => Fit::certain_if(Layout::new(RequestFormat::Columns, first).is_ok()),
            RequestFormat::Plain | RequestFormat::Telemetry => Fit::certain_if(sample.mostly(is_request)),
        }
    },
    parser: Parser::File(|sample| {
        let first = sample.lines.first().copied().unwrap_or_default();
        Box::new(Requests::new(first))
    }),
};

/// Two or three columns: offset, length, and a delay or an operation.
fn is_request(line: &[u8]) -> bool {
    let comma = line.contains(&b',');
    let mut columns =
        if comma { Columns::comma_separated(line, "") } else { Columns::blank_separated(line, "") };
    let numbers = [columns.next(), columns.next()].into_iter().all(|column| column.is_some_and(looks_whole));
    let _ = columns.next();
    numbers && columns.next().is_none()
}

struct Requests {
    layout: Option<Layout>,
    heading: bool,
    /// When each process is ready for its next request.
    clocks: BTreeMap<u32, u128>,
    about: About,
    format: RequestFormat,
}

impl Requests {
    fn new(first: &[u8]) -> Self {
        let format = RequestFormat::of_first_line(first);
        Self {
            layout: None,
            heading: format == RequestFormat::Columns,
            clocks: BTreeMap::new(),
            about: About::default(),
            format,
        }
    }
}

impl Format<Event> for Requests {
    fn next(&mut self, input: &mut Input) -> Result<Option<RawEvent>, Fault> {
        loop {
            let Some(line) = input.data_line()? else { return Ok(None) };
            let layout = match &mut self.layout {
                Some(layout) => layout,
                None => {
                    let layout = self.layout.insert(Layout::new(self.format, line)?);
                    if !layout.says_operation() {
                        let note =
                            "the file doesn't say what is read and what is written: all are taken as reads";
                        self.about.notes.push(note.to_owned());
                    }
                    layout
                }
            };
            if std::mem::take(&mut self.heading) {
                continue;
            }
            let Some(record) = layout.request(line, None)? else { continue };
            let kind = match record.operation {
                Operation::Write => EventKind::Write,
                Operation::Fsync | Operation::Fdatasync => EventKind::Fsync,
                _ => EventKind::Read,
            };
            let moves = matches!(kind, EventKind::Read | EventKind::Write);
            let ready = self.clocks.entry(record.process).or_default();
            let clock = ready.saturating_add(u128::from(record.think.unwrap_or_default().as_picos()));
            *ready = clock.saturating_add(u128::from(record.measured.unwrap_or_default().as_picos()));
            let event = Event {
                process: record.process,
                // Files are numbered from 0, and inode 0 is none.
                file: FileKey { inode: u64::from(record.file) + 1, ..FileKey::UNKNOWN },
                offset: moves.then_some(record.offset),
                length: if moves { record.length } else { 0 },
                service: record.measured,
                ..Event::new(Time::ZERO, kind)
            };
            return Ok(Some(RawEvent { clock, at: input.lines(), record: event }));
        }
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

    fn read(text: &'static str) -> (Vec<Event>, About) {
        let mut reader =
            EventReader::from_reader("memory", text.as_bytes(), &TraceOptions::default()).unwrap();
        assert_eq!(reader.format(), FormatName::Requests);
        let about = reader.about().unwrap();
        (reader.map(Result::unwrap).collect(), about)
    }

    #[test]
    fn iozones_latencies_make_a_clock() {
        let (events, about) = read(
            "Offset in Kbytes   Latency in microseconds  Transfer size in bytes\n0 10 4096\n4 25 4096\n",
        );
        assert_eq!((events[1].offset, events[1].time), (Some(4_096), Time::from_micros(10)));
        assert_eq!(events[1].service, Some(Time::from_micros(25)));
        assert_eq!(about.notes.len(), 1);
    }

    #[test]
    fn telemetry_waits_and_columns_name_processes() {
        let (events, _) = read("0 4096 0\n8192 4096 2\n");
        assert_eq!(events[1].time, Time::from_millis(2));
        let (events, about) = read(
            "offset_bytes,length_bytes,operation,process,think_ms\n0,512,R,1,5\n512,512,W,2,1\n0,0,F,2,1\n",
        );
        let seen: Vec<_> = events.iter().map(|event| (event.process, event.kind)).collect();
        assert_eq!(seen, [(2, EventKind::Write), (2, EventKind::Fsync), (1, EventKind::Read)]);
        assert!(about.notes.is_empty());
    }
}
