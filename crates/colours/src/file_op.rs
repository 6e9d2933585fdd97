//! What a process asks of a file system.

use crate::cause::FileCause;
use crate::exchange::Exchange;
use crate::file_id::FileId;
use crate::ledger::Ledger;
use crate::request::{IoClass, Movement, Request, RequestId, Status};
use petrio_persist::Persist;
use petrio_time::Time;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// What is to be done.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize, Persist,
)]
#[serde(rename_all = "kebab-case")]
pub enum Operation {
    /// Reads `length` bytes at `offset`.
    #[default]
    Read,
    /// Writes `length` bytes at `offset`, growing the file where it ends before.
    Write,
    /// Makes data and metadata of the file (or the entries of a directory) durable.
    Fsync,
    /// Makes the data durable, and what is needed to find them.
    Fdatasync,
    /// Opens a file that is there.
    Open,
    /// Makes an empty file in the directory `parent`, and opens it.
    Create,
    /// Closes a file.
    Close,
    /// Sets the file's length to `length`.
    Truncate,
    /// Takes the file's name out of the directory `parent`; with the last name (and the last opener) goes the file.
    Unlink,
    /// Makes the directory `file` in the directory `parent`.
    Mkdir,
    /// Removes the empty directory `file` from the directory `parent`.
    Rmdir,
    /// Moves `file` into the directory `parent` under a new name, in place of the file `replaced` where there is one.
    Rename,
    /// Reads the entries of the directory `file`.
    Readdir,
    /// Asks for a file's attributes.
    Stat,
    /// Changes a file's attributes: owner, permissions, times (chmod, chown, utimes).
    SetAttributes,
    /// Gives a file an extended attribute of `length` bytes in place of the one that it had; none takes that away.
    SetXattr,
    /// Gives the file one more name, in the directory `parent`; its first, where it has none.
    Link,
    /// Makes a symbolic link in the directory `parent`; what it points to has `length` bytes.
    Symlink,
    /// Makes an empty file without a name in the group of the directory `parent`, and opens it (O_TMPFILE). It goes with its close
    /// unless it was given a name.
    Tmpfile,
    /// Gives `length` bytes at `offset` blocks, or takes some away, as [`FileOp::fallocate`] says (fallocate).
    Allocate,
    /// Writes what is dirty of `length` bytes at `offset` back, and waits: nothing else is made durable (sync_file_range).
    SyncRange,
    /// Writes back everything that is dirty in the file system, and waits.
    Sync,
    /// Keeps a processor of the file system's host busy for `length` picoseconds. Of no file; programs compute, and
    /// nobody measures how long that takes.
    Compute,
    /// Sends to other processes and receives from them, as [`FileOp::exchange`] says, and waits until that is done. Of no
    /// file.
    Exchange,
    /// Uses `length` bytes at `offset` of memory that a process has, or shares: the segment whose number stands in `file`. Of no
    /// file; what has gone to swap space has to come back first. None of it gives the segment back.
    Touch,
}

/// The operations that only file systems of a host's own carry out here, as a pattern: matches that have to name every operation name
/// these by it, so that they are listed once ([`Operation::is_local`]).
///
/// ```
/// use petrio_colours::{Operation, local_operations};
/// let is_refused = |operation| matches!(operation, local_operations!());
/// assert!(is_refused(Operation::Link) && !is_refused(Operation::Rename));
/// ```
#[macro_export]
macro_rules! local_operations {
    () => {
        $crate::Operation::SetXattr
            | $crate::Operation::Link
            | $crate::Operation::Symlink
            | $crate::Operation::Tmpfile
            | $crate::Operation::Allocate
            | $crate::Operation::SyncRange
    };
}

impl Operation {
    /// Every one, in this order.
    pub const ALL: [Self; 25] = [
        Self::Read,
        Self::Write,
        Self::Fsync,
        Self::Fdatasync,
        Self::Open,
        Self::Create,
        Self::Close,
        Self::Truncate,
        Self::Unlink,
        Self::Mkdir,
        Self::Rmdir,
        Self::Rename,
        Self::Readdir,
        Self::Stat,
        Self::SetAttributes,
        Self::SetXattr,
        Self::Link,
        Self::Symlink,
        Self::Tmpfile,
        Self::Allocate,
        Self::SyncRange,
        Self::Sync,
        Self::Compute,
        Self::Exchange,
        Self::Touch,
    ];

    /// Whether it changes the file system.
    pub const fn changes(self) -> bool {
        matches!(
            self,
            Self::Write
                | Self::Create
                | Self::Truncate
                | Self::Unlink
                | Self::Mkdir
                | Self::Rmdir
                | Self::Rename
                | Self::SetAttributes
                | Self::SetXattr
                | Self::Link
                | Self::Symlink
                | Self::Tmpfile
                | Self::Allocate
        )
    }

    /// Whether it changes which names there are.
    pub const fn changes_names(self) -> bool {
        matches!(
            self,
            Self::Create
                | Self::Unlink
                | Self::Mkdir
                | Self::Rmdir
                | Self::Rename
                | Self::Link
                | Self::Symlink
                | Self::Tmpfile
        )
    }

    /// Whether it makes the file that it is about.
    pub const fn makes(self) -> bool {
        matches!(self, Self::Create | Self::Mkdir | Self::Symlink | Self::Tmpfile)
    }

    /// Whether only file systems of a host's own carry it out here: of those that are shared it is refused.
    pub const fn is_local(self) -> bool {
        matches!(self, local_operations!())
    }

    /// The word used in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Fsync => "fsync",
            Self::Fdatasync => "fdatasync",
            Self::Open => "open",
            Self::Create => "create",
            Self::Close => "close",
            Self::Truncate => "truncate",
            Self::Unlink => "unlink",
            Self::Mkdir => "mkdir",
            Self::Rmdir => "rmdir",
            Self::Rename => "rename",
            Self::Readdir => "readdir",
            Self::Stat => "stat",
            Self::SetAttributes => "setattr",
            Self::SetXattr => "setxattr",
            Self::Link => "link",
            Self::Symlink => "symlink",
            Self::Tmpfile => "tmpfile",
            Self::Allocate => "fallocate",
            Self::SyncRange => "sync_file_range",
            Self::Sync => "sync",
            Self::Compute => "compute",
            Self::Exchange => "exchange",
            Self::Touch => "touch",
        }
    }
}

/// When whoever asks for an operation goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, Serialize, Deserialize, Persist)]
#[serde(rename_all = "kebab-case")]
pub enum Submission {
    /// When it is done.
    #[default]
    Waits,
    /// When it is on its way, or is done: whoever submits it does all that comes before (io_submit(2)).
    Native,
    /// As soon as it would have to wait: threads of the kernel do the rest (io_uring).
    Ring,
    /// At once: threads of the process do it (aio_read(3)).
    Threads,
}

/// What [`Operation::Allocate`] does to its range (the modes of fallocate(2)).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, Serialize, Deserialize, Persist)]
#[serde(rename_all = "kebab-case")]
pub enum Fallocate {
    /// What has no blocks gets some, which hold no data yet; the file reaches to the range's end.
    #[default]
    Extend,
    /// The same, and the file stays as long as it is.
    KeepSize,
    /// Its blocks are given back; the file stays as long as it is.
    PunchHole,
    /// All of it reads as zeros: its blocks hold no data any more, and what has none gets some.
    ZeroRange,
}

/// How a read or a write is made: the flags of open(2), and which interface of the C library.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, Serialize, Deserialize, Persist)]
pub struct AccessFlags {
    /// O_DIRECT: past the page cache.
    pub direct: bool,
    /// O_SYNC: a write returns when its data and metadata are durable.
    pub sync: bool,
    /// O_DSYNC: a write returns when its data are durable, and what is needed to find them.
    pub data_sync: bool,
    /// O_APPEND: a write goes to where its file ends when its turn comes, wherever it says.
    pub append: bool,
    /// Through a mapping of the file (mmap): loads and stores instead of calls.
    pub mapped: bool,
    /// By a thread of a real-time class (SCHED_RR, SCHED_FIFO), which may have more dirty pages than others.
    pub real_time: bool,
    /// Through fread and fwrite, with the C library's buffer, instead of pread and pwrite.
    pub stdio: bool,
    /// When the process goes on.
    #[serde(default)]
    pub submission: Submission,
}

/// A file operation and, coming back, its completion.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default, Serialize, Deserialize, Persist)]
pub struct FileOp {
    /// The operation's number.
    pub id: RequestId,
    /// The operation that caused this one, where there is one.
    pub parent_op: Option<RequestId>,
    /// Which process asked.
    pub process: u32,
    /// Which file system of the System it is meant for, by its number in the scenario.
    pub file_system: u32,
    /// What is to be done.
    pub operation: Operation,
    /// The file, or the directory for [`Operation::Mkdir`], [`Operation::Readdir`] and the like.
    pub file: FileId,
    /// The directory of the name concerned: of create, unlink, mkdir, rmdir, link, symlink and (the new one) rename.
    pub parent: FileId,
    /// The file that a rename replaces.
    pub replaced: Option<FileId>,
    /// First byte.
    pub offset: u64,
    /// Bytes; the new length of a truncation; picoseconds of computing.
    pub length: u64,
    /// What [`Operation::Exchange`] sends and receives; not written with the rest.
    #[serde(skip)]
    pub exchange: Option<Arc<Exchange>>,
    /// What [`Operation::Allocate`] does.
    #[serde(default)]
    pub fallocate: Fallocate,
    /// How the access is made.
    pub flags: AccessFlags,
    /// The scheduling class of the process.
    pub class: IoClass,
    /// I/O priority within the class, 0 the most urgent, 4 the usual.
    pub priority: u8,
    /// When it was issued.
    pub issued: Time,
    /// A read that came to the end of its file before its length; coming back, `length` is what it got, as read(2)
    /// returns it.
    pub cut_short: bool,
    /// How it ended: from the cache where it didn't wait for a device.
    pub status: Status,
    /// Only word of it: it is on its way, and whoever submitted it goes on. The completion comes later.
    #[serde(skip)]
    pub is_word: bool,
    /// Where its time went.
    pub ledger: Ledger<FileCause>,
}

impl FileOp {
    /// One past the last byte.
    pub fn end(&self) -> u64 {
        self.offset + self.length
    }
}

impl Request for FileOp {
    type Cause = FileCause;

    fn id(&self) -> RequestId {
        self.id
    }

    fn set_id(&mut self, id: RequestId) {
        self.id = id;
    }

    fn issued(&self) -> Time {
        self.issued
    }

    fn bytes(&self) -> u64 {
        match self.operation {
            Operation::Read | Operation::Write => self.length,
            _ => 0,
        }
    }

    fn movement(&self) -> Movement {
        match self.operation {
            Operation::Read => Movement::Read,
            Operation::Write => Movement::Write,
            _ => Movement::Neither,
        }
    }

    fn status(&self) -> Status {
        self.status
    }

    fn asked(&self) -> String {
        let name = self.operation.name();
        match self.operation {
            Operation::Read | Operation::Write => {
                format!("a {name} of {} bytes at byte {}", self.length, self.offset)
            }
            Operation::Truncate => format!("a truncation to {} bytes", self.length),
            Operation::Open | Operation::Unlink | Operation::Exchange => format!("an {name}"),
            Operation::Compute => "time on a processor".to_owned(),
            Operation::Touch => "memory of its process".to_owned(),
            _ => format!("a {name}"),
        }
    }

    fn about(&self) -> Option<FileId> {
        (!matches!(
            self.operation,
            Operation::Sync | Operation::Compute | Operation::Exchange | Operation::Touch
        ))
        .then_some(self.file)
    }

    fn is_word(&self) -> bool {
        self.is_word
    }

    fn is_of_storage(&self) -> bool {
        !matches!(self.operation, Operation::Compute | Operation::Exchange | Operation::Touch)
    }

    fn process(&self) -> u32 {
        self.process
    }

    fn ledger(&self) -> &Ledger<FileCause> {
        &self.ledger
    }
}
