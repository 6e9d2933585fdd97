//! Operations that were carried out, on a real file system or a simulated one, as the events of a trace.
//!
//! The trace is a full one: every call, with its service time. A directory's path ends in a slash, and listing it is a
//! read.

use super::table::FileTable;
use petrio_colours::{FileId, Operation};
use petrio_time::Time;
use petrio_trace::event::{Event, EventKind, FileKey};
use std::collections::BTreeMap;
use std::sync::Arc;

/// An operation that was carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CarriedOut {
    /// Whose.
    pub process: u32,
    /// What was done.
    pub operation: Operation,
    /// To which file.
    pub file: FileId,
    /// First byte.
    pub offset: u64,
    /// Bytes asked for; of a truncation, the new length.
    pub length: u64,
    /// When it began, from the beginning of the run.
    pub start: Time,
    /// How long it took.
    pub took: Time,
}

/// A file as the operations so far have left it.
#[derive(Clone, Debug, Default)]
struct State {
    path: Option<Arc<str>>,
    is_directory: bool,
    generation: u32,
    size: u64,
}

/// Makes events of operations.
#[derive(Clone, Debug)]
pub struct OperationEvents {
    files: BTreeMap<FileId, State>,
    device: u32,
}

impl OperationEvents {
    /// For operations on these files, which are known by a device's number: any that tells file systems apart, and
    /// isn't zero.
    pub fn of(table: &FileTable, device: u32) -> Self {
        let files = table.entries().iter().map(|entry| {
            let slash = if entry.is_directory { "/" } else { "" };
            let path = table.path(entry.file).map(|path| format!("{path}{slash}").into());
            (entry.file, State { path, is_directory: entry.is_directory, generation: 0, size: entry.size })
        });
        Self { files: files.collect(), device }
    }

    /// The event of an operation; operations on a file are told in the order in which they were done. `None` for what a
    /// trace has no word for: attributes, further names, blocks given and taken, making all durable, computing, and messages.
    pub fn event(&mut self, done: &CarriedOut) -> Option<Event> {
        let kind = match done.operation {
            Operation::Read | Operation::Readdir => EventKind::Read,
            Operation::Write => EventKind::Write,
            Operation::Fsync | Operation::Fdatasync => EventKind::Fsync,
            Operation::Open => EventKind::Open,
            Operation::Create => EventKind::Create,
            Operation::Close => EventKind::Close,
            Operation::Truncate => EventKind::Truncate,
            Operation::Unlink | Operation::Rmdir => EventKind::Unlink,
            Operation::Mkdir => EventKind::Mkdir,
            Operation::Rename => EventKind::Rename,
            Operation::Stat => EventKind::Stat,
            Operation::Symlink | Operation::Tmpfile => EventKind::Create,
            Operation::SetAttributes
            | Operation::SetXattr
            | Operation::Link
            | Operation::Allocate
            | Operation::SyncRange
            | Operation::Sync
            | Operation::Compute
            | Operation::Exchange
            | Operation::Touch => return None,
        };
        let state = self.files.entry(done.file).or_default();
        match done.operation {
            Operation::Create | Operation::Symlink | Operation::Tmpfile => {
                (state.generation, state.size) = (state.generation + 1, 0);
            }
            Operation::Write => state.size = state.size.max(done.offset + done.length),
            Operation::Truncate => state.size = done.length,
            _ => {}
        }
        let mut event = Event::new(done.start, kind);
        // Zero would be a thread that nobody knows.
        event.process = done.process + 1;
        event.file =
            FileKey { device: self.device, inode: u64::from(done.file.0) + 1, generation: state.generation };
        event.path = state.path.clone();
        event.service = Some(done.took);
        match kind {
            EventKind::Read | EventKind::Write => {
                event.offset = Some(done.offset);
                let there = state.size.saturating_sub(done.offset);
                event.length = if kind == EventKind::Read && !state.is_directory {
                    done.length.min(there)
                } else {
                    done.length
                };
            }
            EventKind::Open | EventKind::Create | EventKind::Truncate | EventKind::Unlink => {
                event.size = Some(state.size);
            }
            _ => {}
        }
        Some(event)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::program::FileEntry;

    #[test]
    fn operations_become_events_with_paths_sizes_and_generations() {
        let mut table = FileTable::new();
        let entry =
            |number: u32, name: &str, parent: u32, is_directory: bool, present: bool, size: u64| FileEntry {
                file: FileId(number),
                name: name.to_owned(),
                parent: FileId(parent),
                is_directory,
                present,
                size,
                cached: false,
            };
        table.add(entry(1, "d", 0, true, true, 0)).unwrap();
        table.add(entry(2, "a", 1, false, true, 100)).unwrap();
        table.add(entry(3, "new", 1, false, false, 0)).unwrap();
        let mut events = OperationEvents::of(&table, 1);
        let mut event = |operation, file, offset, length| {
            let (start, took) = (Time::from_millis(1), Time::from_micros(5));
            let done = CarriedOut { process: 0, operation, file: FileId(file), offset, length, start, took };
            events.event(&done)
        };
        let read = event(Operation::Read, 2, 60, 100).unwrap();
        assert_eq!((read.path.as_deref(), read.length, read.process), (Some("d/a"), 40, 1));
        let listed = event(Operation::Readdir, 1, 0, 500).unwrap();
        assert_eq!((listed.kind, listed.path.as_deref(), listed.length), (EventKind::Read, Some("d/"), 500));
        let made = event(Operation::Create, 3, 0, 0).unwrap();
        event(Operation::Write, 3, 0, 70).unwrap();
        assert_eq!(event(Operation::Unlink, 3, 0, 0).unwrap().size, Some(70));
        let again = event(Operation::Create, 3, 0, 0).unwrap();
        assert_eq!((made.file.generation, again.file.generation, again.size), (1, 2, Some(0)));
        assert_eq!(event(Operation::Sync, 0, 0, 0), None);
    }
}
