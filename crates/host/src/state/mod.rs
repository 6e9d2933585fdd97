//! What changes while a host runs, as tokens of state places: its memory, and for each file system its files, its
//! requests on the way and its journal.

mod inodes;
mod locks;
mod memory;
mod mounted;
mod nature;
mod opened;
mod promises;
mod room;
mod transfers;

pub(super) use inodes::{Inode, Inodes};
pub(crate) use memory::{Memory, Swaps, times};
pub(super) use mounted::{Mounted, Signals, Touch};
pub(crate) use nature::{Nature, Posts};
pub(super) use transfers::{Ended, Moves};

use super::page_cache::FileKey;
use petrio_colours::FileId;
use petrio_kernel::Key;
use petrio_persist::Persist;
use petrio_units::numbers::low_half;

/// The file of a mount whose pages are the blocks of its device: metadata.
const DEVICE_FILE: u32 = u32::MAX;

/// A file's key in the page cache.
pub(super) fn file_key(mount: u32, file: FileId) -> FileKey {
    FileKey(u64::from(mount) << 32 | u64::from(file.0))
}

/// The key of a mount's device.
pub(super) fn device_key(mount: u32) -> FileKey {
    FileKey(u64::from(mount) << 32 | u64::from(DEVICE_FILE))
}

/// The file of a key; none for the device's.
pub(super) fn file_of(key: FileKey) -> Option<FileId> {
    let file = low_half(key.0);
    (file != DEVICE_FILE).then_some(FileId(file))
}

/// What somebody can wait for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub(super) enum Event {
    /// All requests of a group have completed.
    Group(u64),
    /// A write of cached pages has completed, by its place in the order in which these were sent.
    Written(u64),
    /// Any write of cached pages has completed, and the queue isn't congested.
    Uncongested,
    /// A transaction has been committed.
    Committed(u64),
    /// A handle may be tried again: no transaction is locked, or log space became free.
    Handle,
    /// Fewer writes are on their way, and it is the turn of him who waits under this number.
    Room(u64),
    /// Memory became reclaimable.
    Memory,
    /// A file's lock was handed on, by the number under which it is waited for.
    Lock(u64),
}

impl Event {
    /// The key under which those who wait for it lie.
    pub(super) fn key(self) -> Key {
        let (kind, value): (u64, u64) = match self {
            Self::Group(group) => (0, group),
            Self::Written(write) => (1, write),
            Self::Uncongested => (2, 0),
            Self::Committed(transaction) => (3, transaction),
            Self::Handle => (4, 0),
            Self::Room(turn) => (5, turn),
            Self::Memory => (6, 0),
            Self::Lock(turn) => (7, turn),
        };
        Key::from(kind) << 64 | Key::from(value)
    }

    /// The group whose requests are waited for under a key.
    pub(super) fn group_of(key: Key) -> Option<u64> {
        u64::try_from(key).ok()
    }
}
