//! A system call on its way: where it stands, what it waits for, what comes next of it.

use super::buffer_cache::{BlockKey, VolumeFile};
use petrio_colours::{BlockRequest, Failure, FileOp, RequestId};
use petrio_kernel::{Key, Time};
use petrio_persist::Persist;
use std::collections::VecDeque;

/// Whose call it is: calls of programs and of a server are numbered each by themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Persist)]
pub(super) struct Caller {
    process: u32,
    id: RequestId,
}

/// What a call can wait for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub(super) enum Event {
    /// A block's transfer is over.
    Block(BlockKey),
    /// Nothing of a file is being written any more.
    Written(VolumeFile),
    /// Nothing at all is being written any more, on whichever file system.
    AllWritten,
    /// The call's own metadata have been written.
    Metadata(Caller),
    /// Nobody writes through to the disk what is of a file any more.
    Unlocked(VolumeFile),
    /// A buffer may have become free.
    Room,
}

/// What calls wait for, each in a place of its own: a block, data or metadata on their way to the disk, a free buffer.
pub(super) const WAITS: [&str; 3] = ["for-block", "for-write", "for-buffer"];

impl Event {
    /// The place of those who wait for it, by its position in [`WAITS`].
    pub(super) fn wait(self) -> usize {
        match self {
            Self::Block(_) => 0,
            Self::Written(_) | Self::AllWritten | Self::Metadata(_) | Self::Unlocked(_) => 1,
            Self::Room => 2,
        }
    }

    /// The key under which those who wait for it lie.
    pub(super) fn key(self) -> Key {
        let (kind, of, block) = match self {
            Self::Block(key) => (0u32, key.file.number(), key.block),
            Self::Written(file) => (1, file.number(), 0),
            Self::AllWritten => (2, 0, 0),
            Self::Metadata(caller) => (3, caller.id.0, caller.process.into()),
            Self::Room => (4, 0, 0),
            Self::Unlocked(file) => (5, file.number(), 0),
        };
        // A block has 512 bytes at least, so that its number takes no more than 55 bits.
        Key::from(kind) << 120 | Key::from(of) << 56 | Key::from(block)
    }
}

/// A call on its way.
#[derive(Clone, Debug, Persist)]
pub(super) struct Job {
    pub(super) op: FileOp,
    /// The next byte.
    pub(super) position: u64,
    /// The block for which the read-ahead has been looked at.
    pub(super) looked: Option<u64>,
    /// Whether it has gone to its file's end (O_APPEND).
    pub(super) at_end: bool,
    /// A block that it writes once what points to it is on the disk.
    pub(super) then: Option<BlockKey>,
    /// Whether its file's inode says something else than on the disk: it has grown.
    pub(super) grown: bool,
    /// Whether it alone writes through to the disk what is of its file.
    pub(super) holds: bool,
    /// What it had to send has been sent: it waits for that only.
    pub(super) sent: bool,
    /// Whether it had to wait for the disk.
    pub(super) waited: bool,
    /// Up to when its time has been charged.
    pub(super) charged: Time,
    /// Why it can't be done.
    pub(super) failure: Option<Failure>,
    /// What its caller calls the file system.
    pub(super) called: u32,
    /// The calls to a server that it still has to make, once it is known which.
    pub(super) asks: Option<VecDeque<BlockRequest>>,
}

impl Job {
    pub(super) fn new(op: FileOp, now: Time) -> Self {
        Self {
            position: op.offset,
            called: op.file_system,
            asks: None,
            op,
            looked: None,
            at_end: false,
            then: None,
            grown: false,
            holds: false,
            sent: false,
            waited: false,
            charged: now,
            failure: None,
        }
    }

    /// Whose it is.
    pub(super) const fn caller(&self) -> Caller {
        Caller { process: self.op.process, id: self.op.id }
    }

    /// It can't be done.
    pub(super) fn fail(&mut self, failure: Failure) -> Next {
        self.failure = Some(failure);
        Next::Return
    }
}

/// What comes next of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// It waits.
    Wait(Event),
    /// It is done, or can't be.
    Return,
}
