//! Captured requests to files: offset, length, what was done, to which file, by whom, after how long a time, and how
//! long it took.
//!
//! [`crate::requests`] plays them back closed. Files and processes are numbered in order of appearance; a comment has
//! each file's path. A time to think is what lies between the end of a process's request and the beginning of its next.
//! Left out: calls that failed, that moved nothing, or whose place in the file isn't known, and all but reads, writes
//! and fsyncs.

use super::encoder::Encoder;
use crate::event::{Event, EventKind, FileKey};
use crate::format::petrio::{write_microseconds, write_remark};
use petrio_time::Time;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::Arc;

#[derive(Default)]
pub(super) struct Requests {
    begun: bool,
    /// By key, or by path where the trace knows files by that alone.
    files: BTreeMap<(FileKey, Option<Arc<str>>), usize>,
    /// The number of each process, and when its last request ended.
    processes: BTreeMap<u32, (usize, Time)>,
}

impl Requests {
    fn begin(&mut self, to: &mut dyn Write) -> io::Result<()> {
        if !std::mem::replace(&mut self.begun, true) {
            writeln!(to, "offset_bytes,length_bytes,operation,file,process,think_us,response_us")?;
        }
        Ok(())
    }

    fn file(&mut self, event: &Event, to: &mut dyn Write) -> io::Result<usize> {
        let key = (event.file, event.path.clone().filter(|_| !event.file.is_known()));
        if let Some(&number) = self.files.get(&key) {
            return Ok(number);
        }
        let number = self.files.len();
        self.files.insert(key, number);
        if let Some(path) = &event.path {
            write_remark(&format!("file {number}: {path}"), to)?;
        }
        Ok(number)
    }
}

impl Encoder for Requests {
    fn event(&mut self, event: &Event, to: &mut dyn Write) -> io::Result<bool> {
        let (letter, offset, length) = match (event.kind, event.offset) {
            (EventKind::Read, Some(offset)) if event.length > 0 => ('R', offset, event.length),
            (EventKind::Write, Some(offset)) if event.length > 0 => ('W', offset, event.length),
            (EventKind::Fsync | EventKind::Fdatasync, _) => ('F', 0, 0),
            _ => return Ok(false),
        };
        if event.error != 0 {
            return Ok(false);
        }
        self.begin(to)?;
        let file = self.file(event, to)?;
        let next = self.processes.len();
        let (process, ended) = self.processes.entry(event.process).or_insert((next, event.time));
        let think = event.time.saturating_sub(*ended);
        *ended = event.end();
        write!(to, "{offset},{length},{letter},{file},{process},")?;
        write_microseconds(to, think)?;
        to.write_all(b",")?;
        if let Some(service) = event.service {
            write_microseconds(to, service)?;
        }
        writeln!(to)?;
        Ok(true)
    }

    fn note(&mut self, note: &str, to: &mut dyn Write) -> io::Result<()> {
        write_remark(note, to)
    }

    fn finish(&mut self, to: &mut dyn Write) -> io::Result<()> {
        self.begin(to)
    }
}
