//! What is remembered of a file: what a policy decides from.
//!
//! Source: Ivy, §4.4.1: size, creation, last read, last write, and how often it was opened for writing, for reading,
//! and for reading with a cache miss. A file counts as opened for reading (writing) with its first read (write) after
//! an open, because an operation doesn't say what it will do.

use petrio_colours::{FileOp, Operation};
use petrio_kernel::Time;
use petrio_persist::Persist;

/// Something that changes a file's state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileEvent {
    /// It was made.
    Create,
    /// It is written for the first time since it was opened.
    OpenForWrite,
    /// It is read for the first time since it was opened.
    OpenForRead,
    /// It got another length.
    Truncate,
    /// It is read.
    Read,
    /// It is written.
    Write,
    /// Some of it is read from a disk.
    DiskRead,
    /// Some of it is written to a disk.
    DiskWrite,
    /// It was deleted.
    Delete,
}

/// A file's past.
#[derive(Clone, Debug, Default, PartialEq, Persist)]
pub struct History {
    /// Bytes.
    pub size: u64,
    /// When it was made; `None` for a file that was there before.
    pub created: Option<Time>,
    /// When it was read last.
    pub last_read: Option<Time>,
    /// When it was written last.
    pub last_write: Option<Time>,
    /// How often it was opened for writing.
    pub opened_for_write: u64,
    /// How often it was opened for reading.
    pub opened_for_read: u64,
    /// How often it was opened for reading and read from a disk.
    pub opened_with_miss: u64,
    /// Reads and writes of late, each counted less the longer ago it was.
    pub reads_of_late: f64,
    /// As `reads_of_late`.
    pub writes_of_late: f64,
    /// Up to when they have been made less.
    aged: Time,
    was_read: bool,
    was_written: bool,
    has_missed: bool,
}

impl History {
    /// Of a file that was there before, so many bytes long.
    pub(super) fn of_size(size: u64) -> Self {
        Self { size, ..Self::default() }
    }

    /// Takes an operation in: what it means for the file, the first of it first.
    pub(super) fn operation(&mut self, op: &FileOp, now: Time, memory: Time) -> [Option<FileEvent>; 2] {
        self.age(now, memory);
        match op.operation {
            Operation::Create => {
                let size = 0;
                *self = Self { created: Some(now), aged: now, size, ..Self::default() };
                [Some(FileEvent::Create), None]
            }
            Operation::Open => {
                (self.was_read, self.was_written, self.has_missed) = (false, false, false);
                [None, None]
            }
            Operation::Read => {
                self.last_read = Some(now);
                self.reads_of_late += 1.0;
                let first = !std::mem::replace(&mut self.was_read, true);
                self.opened_for_read += u64::from(first);
                [first.then_some(FileEvent::OpenForRead), Some(FileEvent::Read)]
            }
            Operation::Write => {
                self.last_write = Some(now);
                self.writes_of_late += 1.0;
                self.size = self.size.max(op.end());
                let first = !std::mem::replace(&mut self.was_written, true);
                self.opened_for_write += u64::from(first);
                [first.then_some(FileEvent::OpenForWrite), Some(FileEvent::Write)]
            }
            Operation::Truncate => {
                self.last_write = Some(now);
                self.size = op.length;
                [Some(FileEvent::Truncate), None]
            }
            Operation::Unlink => [Some(FileEvent::Delete), None],
            _ => [None, None],
        }
    }

    /// Some of it is read from a disk.
    pub(super) fn missed(&mut self) {
        if !std::mem::replace(&mut self.has_missed, true) {
            self.opened_with_miss += 1;
        }
    }

    fn age(&mut self, now: Time, memory: Time) {
        let past = (now - self.aged).as_seconds();
        self.aged = now;
        if past > 0.0 {
            let kept = libm::exp(-past / memory.as_seconds());
            self.reads_of_late *= kept;
            self.writes_of_late *= kept;
        }
    }
}
