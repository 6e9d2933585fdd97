//! File-level trace events: what programs asked a file system for, and what reached its devices.
//!
//! These are the records of Ivy (§3.3: exec, create/open, read, write, close with its totals, unlink), with what a
//! trace of today also knows: who asked, fsync, truncate, rename, mkdir, stat, and the requests of the device as they
//! are queued, issued and completed. Every trace format becomes a stream of these; petrio's own file of them is
//! Parquet.
//!
//! A *full* trace has every call. A *compact* one has what Ivy kept: a read is there only if it missed the cache, and
//! what the others moved stands in the totals of the close.
//!
//! Source: S.-L. Lo, *Ivy: a study on replicating data for performance improvement*, HPL-CSP-90-48, 1990, §3.2 and
//! §3.3.

mod kind;
mod recorded;

pub use kind::EventKind;
pub use recorded::{CollectiveKind, Recorded, members_in_words, members_of_words};

use petrio_colours::Direction;
use petrio_persist::Persist;
use petrio_time::Time;
use smallvec::SmallVec;
use std::sync::Arc;

/// Which file, for as long as it lives: a generation number tells a file from an earlier one with the same inode.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Persist)]
pub struct FileKey {
    /// The device of its file system, as `major << 20 | minor`, or any number that tells file systems apart.
    pub device: u32,
    /// Its inode, or any number that tells the files of a file system apart. Zero where the trace doesn't know the
    /// file.
    pub inode: u64,
    /// Its generation, where inodes are used again; from 0.
    pub generation: u32,
}

impl FileKey {
    /// No file, or one that the trace doesn't know.
    pub const UNKNOWN: Self = Self { device: 0, inode: 0, generation: 0 };

    /// Whether the trace knows it.
    pub const fn is_known(self) -> bool {
        self.inode != 0
    }
}

/// For what a file is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Persist)]
pub enum Access {
    /// O_RDONLY.
    Read,
    /// O_WRONLY.
    Write,
    /// O_RDWR.
    ReadWrite,
}

impl Access {
    /// Whether the file may be written.
    pub const fn is_writable(self) -> bool {
        !matches!(self, Self::Read)
    }
}

/// A piece of a device: where (part of) a file's range lies, or what a request covers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Persist)]
pub struct Extent {
    /// The device, numbered as in [`FileKey::device`].
    pub device: u32,
    /// First device block (512 bytes).
    pub address: u64,
    /// Length in device blocks.
    pub blocks: u32,
    /// Whether it was in the cache.
    pub hit: bool,
}

/// What was moved through an opened file, from its open to its close.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Persist)]
pub struct Totals {
    /// Bytes read.
    pub bytes_read: u64,
    /// Bytes written.
    pub bytes_written: u64,
    /// Read calls.
    pub reads: u64,
    /// Write calls.
    pub writes: u64,
}

/// How long a file had been left alone when it was unlinked, in microseconds before the unlink (Ivy's tr_unlink, §3.3.6, has the three
/// times themselves).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Persist)]
pub struct Ages {
    /// Since its data were last changed (mtime).
    pub modified: Option<u64>,
    /// Since it was last read (atime).
    pub accessed: Option<u64>,
    /// Since it, its name or what is kept about it was last changed (ctime).
    pub changed: Option<u64>,
}

/// One record of a file-level trace.
///
/// What a kind doesn't have is left at its default: `None`, zero or empty.
#[derive(Clone, Debug, PartialEq, Eq, Persist)]
pub struct Event {
    /// When it began, from the trace's origin.
    pub time: Time,
    /// What happened.
    pub kind: EventKind,
    /// The thread that asked: its calls don't overlap. Zero where the trace doesn't know.
    pub process: u32,
    /// The file concerned.
    pub file: FileKey,
    /// Its path, where the trace knows: of an exec the program, of a rename the old name.
    pub path: Option<Arc<str>>,
    /// The new name of a rename.
    pub new_path: Option<Arc<str>>,
    /// First byte of a read or a write; `None` where the trace doesn't know.
    pub offset: Option<u64>,
    /// Bytes moved (or, of a call that failed, asked for); of a request to a device, its bytes.
    pub length: u64,
    /// From its beginning to its end. Of a completion on a device, from its issue; where the issue isn't known, from
    /// queueing.
    pub service: Option<Time>,
    /// The error number of a call that failed; zero where it succeeded.
    pub error: u16,
    /// The file's length in bytes: at an open, zero at a create, the new one of a truncation, the last one of an
    /// unlink.
    pub size: Option<u64>,
    /// How long it had been left alone, of an unlink; few traces tell.
    pub ages: Option<Box<Ages>>,
    /// For what a file was opened.
    pub access: Option<Access>,
    /// Whether a read was answered from the cache; of a close, whether all reads since the open were.
    pub hit: Option<bool>,
    /// What was moved since the open, of a close.
    pub totals: Option<Totals>,
    /// Where the range lies on the device, and which parts were in the cache; of a device request, what it covers.
    pub extents: SmallVec<[Extent; 1]>,
    /// Which way a device request moves data.
    pub direction: Option<Direction>,
    /// A device request's number, the same when it is queued, issued and completed.
    pub request: Option<u64>,
    /// Whether somebody waits: O_SYNC of a write, REQ_SYNC of a device request.
    pub synchronous: bool,
    /// Of a device request: it must be on the medium before it completes.
    pub force_unit_access: bool,
    /// Of a device request: it is what a file system keeps about files, or logs (REQ_META).
    pub metadata: bool,
    /// What a recording of a program knows besides.
    pub recorded: Option<Box<Recorded>>,
}

impl Event {
    /// An event of which nothing else is known.
    pub fn new(time: Time, kind: EventKind) -> Self {
        Self {
            time,
            kind,
            process: 0,
            file: FileKey::UNKNOWN,
            path: None,
            new_path: None,
            offset: None,
            length: 0,
            service: None,
            error: 0,
            size: None,
            ages: None,
            access: None,
            hit: None,
            totals: None,
            extents: SmallVec::new(),
            direction: None,
            request: None,
            synchronous: false,
            force_unit_access: false,
            metadata: false,
            recorded: None,
        }
    }

    /// When it was over; its beginning where the trace doesn't know.
    pub fn end(&self) -> Time {
        self.service.map_or(self.time, |service| self.time.saturating_add(service))
    }
}
