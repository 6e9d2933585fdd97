//! Raw records to a trace file: all threads in one order of time, files by their identity, threads by their numbers.

mod event;
mod files;
mod paths;
mod threads;
mod unseen;

use crate::error::RecordError;
use crate::machine;
use crate::raw::{Kind, LOST, RECORDS, Record, Stream, raw_files};
use event::Events;
use petrio_files::inputs::Inputs;
use petrio_trace::native::{About, EventWriter};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::path::{Path, PathBuf};
use threads::Threads;
use unseen::Unseen;

/// The name of a recording's trace in its folder.
pub const FILE: &str = petrio_trace::RECORDING;

/// What was recorded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recorded {
    /// Events in the recording.
    pub events: u64,
    /// Processes and threads that left records.
    pub processes: u64,
    /// See `processes`.
    pub threads: u64,
    /// Ranks of a parallel program.
    pub ranks: u64,
    /// Reads and writes of files.
    pub accesses: u64,
    /// Bytes that they read and wrote.
    pub bytes_read: u64,
    /// See `bytes_read`.
    pub bytes_written: u64,
    /// Messages and collective operations.
    pub messages: u64,
    /// Processor time between all calls, in nanoseconds.
    pub compute_ns: u64,
    /// From the first to the last, in nanoseconds.
    pub span_ns: u64,
    /// What wasn't seen, a line each.
    pub unseen: Vec<String>,
}

/// Makes a trace of all records in a folder; `command` is what was run, `launcher` a process whose first program isn't of interest.
///
/// # Errors
/// Nothing was recorded, records that can't be read, or a trace that can't be written.
pub fn convert(
    raw: &Path,
    out: &Path,
    command: &str,
    launcher: Option<u32>,
    notes: Vec<String>,
) -> Result<Recorded, RecordError> {
    let files = raw_files(raw, RECORDS)?;
    let lost = raw_files(raw, LOST)?.len();
    let mut threads = Threads::of(&files, launcher)?;
    let Some(origin) = threads.origin() else {
        return Err(RecordError::Nothing {
            program: if command.is_empty() { "the command".to_owned() } else { command.to_owned() },
            reason: match lost {
                0 => "none of its processes loaded the recorder",
                _ => "there was no room for its records (is the disk full?)",
            }
            .to_owned(),
        });
    };
    let about = About {
        origin_unix_ns: Some(threads.origin_unix()),
        machine: machine::in_words(),
        command: command.to_owned(),
        ..About::default()
    };
    let mut writer = EventWriter::create(out, &Inputs::none(), &about)?;
    let mut told = Recorded {
        processes: threads.processes(),
        threads: threads.count(),
        ranks: threads.ranks(),
        ..Recorded::default()
    };
    let mut unseen = Unseen::of(&threads);
    let mut merged = Merged::of(&threads.streams)?;
    let mut events = Events::new(origin, &mut threads);
    while let Some((thread, record)) = merged.next()? {
        told.compute_ns = told.compute_ns.saturating_add(record.compute);
        told.span_ns = told.span_ns.max(record.begin.saturating_add(record.took).saturating_sub(origin));
        unseen.look_at(&record);
        if let Some(event) = events.beginning(thread, &record) {
            writer.push(&event)?;
        }
        if let Some(event) = events.event(thread, &record) {
            if event.error == 0 {
                match record.kind {
                    Kind::Read => {
                        told.accesses += 1;
                        told.bytes_read += record.length;
                    }
                    Kind::Write => {
                        told.accesses += 1;
                        told.bytes_written += record.length;
                    }
                    _ => {}
                }
            }
            told.messages += u64::from(event.kind.is_of_messages());
            writer.push(&event)?;
        }
    }
    told.unseen = unseen.lines();
    told.unseen.extend(notes);
    if lost > 0 {
        let of = if lost == 1 { "a thread".to_owned() } else { format!("{lost} threads") };
        told.unseen.push(format!("later calls of {of}: there was no room for records (is the disk full?)"));
    }
    told.unseen.iter().for_each(|line| writer.note(line.clone()));
    told.events = writer.events();
    writer.finish()?;
    Ok(told)
}

/// As many files as are open at a time; what is beyond that is read in parts.
const OPEN_MAX: usize = 400;

/// All records of all threads in order of time.
struct Merged {
    streams: Vec<Source>,
    next: BinaryHeap<Reverse<(u64, usize)>>,
}

/// A thread's records: from its file, or all of them where too many files would be open.
enum Source {
    Open(Box<Stream>, Option<Record>),
    Read(std::collections::VecDeque<Record>),
}

impl Source {
    fn head(&self) -> Option<&Record> {
        match self {
            Self::Open(_, head) => head.as_ref(),
            Self::Read(records) => records.front(),
        }
    }

    fn take(&mut self) -> Result<Option<Record>, RecordError> {
        Ok(match self {
            Self::Open(stream, head) => {
                let next = stream.next()?;
                std::mem::replace(head, next)
            }
            Self::Read(records) => records.pop_front(),
        })
    }
}

impl Merged {
    fn of(files: &[PathBuf]) -> Result<Self, RecordError> {
        // The longest ones stay in their files.
        let size = |path: &PathBuf| std::fs::metadata(path).map_or(0, |about| about.len());
        let mut by_size: Vec<usize> = (0..files.len()).collect();
        by_size.sort_by_key(|&at| Reverse(size(&files[at])));
        let mut stay = vec![false; files.len()];
        by_size.iter().take(OPEN_MAX).for_each(|&at| stay[at] = true);
        let mut streams = Vec::new();
        for (path, stays) in files.iter().zip(stay) {
            streams.push(match Stream::open(path)? {
                None => Source::Read(std::collections::VecDeque::new()),
                Some(mut stream) if stays => {
                    let head = stream.next()?;
                    Source::Open(Box::new(stream), head)
                }
                Some(mut stream) => {
                    let mut records = std::collections::VecDeque::new();
                    while let Some(record) = stream.next()? {
                        records.push_back(record);
                    }
                    Source::Read(records)
                }
            });
        }
        let next = streams.iter().enumerate();
        let next = next.filter_map(|(at, source)| Some(Reverse((source.head()?.begin, at)))).collect();
        Ok(Self { streams, next })
    }

    fn next(&mut self) -> Result<Option<(usize, Record)>, RecordError> {
        let Some(Reverse((time, at))) = self.next.pop() else { return Ok(None) };
        let record = self.streams[at].take()?;
        // What is recorded at the end of a call that holds others is earlier than those: it comes where it stands.
        let head = self.streams[at].head().map(|head| head.begin.max(time));
        self.next.extend(head.map(|head| Reverse((head, at))));
        Ok(record.map(|record| (at, record)))
    }
}
