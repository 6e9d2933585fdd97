//! Why something that was asked could not be done.

use petrio_persist::Persist;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Why a request or an operation could not be done: what comes back to whoever asked, as an error number does from the
/// kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, Persist)]
#[serde(rename_all = "kebab-case")]
pub enum Failure {
    /// It goes beyond the end of its device.
    BeyondEnd,
    /// It has no length, and isn't a flush.
    Empty,
    /// The device could not read, write or flush.
    Device,
    /// There is no such file.
    NotFound,
    /// There is such a file already.
    Exists,
    /// A directory is needed, and this is none.
    NotADirectory,
    /// A plain file is needed, and this is a directory.
    IsADirectory,
    /// The directory still has entries.
    NotEmpty,
    /// A directory can't be moved or removed so.
    Misplaced,
    /// The volume is full.
    NoSpace,
    /// The volume has no inode left.
    NoInode,
    /// The file would grow larger than it can be.
    TooLarge,
    /// A store into a mapping beyond the end of its file.
    BeyondMapping,
    /// The file system lost its journal to an error of its device, and takes no more changes.
    ReadOnly,
    /// Nothing joins the process to those that it sends to or receives from.
    NotConnected,
    /// The kernel has no such call.
    NotImplemented,
    /// The device has no such command.
    NotSupported,
    /// The server of a soft mount hasn't answered.
    NoAnswer,
    /// The same, as mounts say it that tell that apart (`softerr`).
    TimedOut,
    /// A server refuses connections, or has lost one.
    Refused,
}

impl Failure {
    /// The number's name in errno(3).
    pub const fn errno(self) -> &'static str {
        match self {
            Self::BeyondEnd | Self::Device | Self::NoAnswer => "EIO",
            Self::TimedOut => "ETIMEDOUT",
            Self::Refused => "ECONNREFUSED",
            Self::Empty | Self::Misplaced => "EINVAL",
            Self::NotFound => "ENOENT",
            Self::Exists => "EEXIST",
            Self::NotADirectory => "ENOTDIR",
            Self::IsADirectory => "EISDIR",
            Self::NotEmpty => "ENOTEMPTY",
            Self::NoSpace | Self::NoInode => "ENOSPC",
            Self::TooLarge => "EFBIG",
            Self::BeyondMapping => "SIGBUS",
            Self::ReadOnly => "EROFS",
            Self::NotConnected => "ENOTCONN",
            Self::NotImplemented => "ENOSYS",
            Self::NotSupported => "EOPNOTSUPP",
        }
    }

    /// What is wrong, as the end of a sentence.
    pub const fn words(self) -> &'static str {
        match self {
            Self::BeyondEnd => "it goes beyond the end of its device",
            Self::Empty => "it has no length; only a flush may have none",
            Self::Device => "the device reports an error",
            Self::NotFound => "there is no such file",
            Self::Exists => "there is such a file already",
            Self::NotADirectory => "it isn't a directory",
            Self::IsADirectory => "it is a directory",
            Self::NotEmpty => "the directory still has entries",
            Self::Misplaced => "a directory can't be moved or removed so",
            Self::NoSpace => "the volume is full",
            Self::NoInode => "the volume has no inode left",
            Self::TooLarge => "the file would be larger than its file system allows",
            Self::BeyondMapping => "a mapping ends where its file does",
            Self::ReadOnly => "the file system has lost its journal and takes no more changes",
            Self::NotConnected => "nothing carries messages between these processes",
            Self::NotImplemented => "the kernel of this host has no such call (io_uring: from 5.1 on)",
            Self::NotSupported => "the device has no such command",
            Self::NoAnswer | Self::TimedOut => "a server doesn't answer",
            Self::Refused => "a server isn't there that could be connected with",
        }
    }

    /// What to do about it.
    pub const fn advice(self) -> &'static str {
        match self {
            Self::BeyondEnd => "take a larger device, or smaller addresses",
            Self::Empty => "give it a length",
            Self::Device | Self::ReadOnly => {
                "look for what fails below: a device of the scenario does, or an array has lost more members than it can do without"
            }
            Self::NotFound => "prepare the file before the run, or create it first",
            Self::Exists => "unlink it first, or take another file",
            Self::NotADirectory => "name a directory here",
            Self::IsADirectory => "name a plain file here, or use rmdir",
            Self::NotEmpty => "remove the entries first",
            Self::Misplaced => "move it to another place, or another directory",
            Self::NoSpace => "take a larger device, or smaller files",
            Self::NoInode => "make the volume with a smaller `inode_ratio`",
            Self::BeyondMapping => "make the file longer first, or write within it",
            Self::TooLarge => "take ext4, or smaller files",
            Self::NotImplemented => "take a newer kernel, or engine = \"native-aio\"",
            Self::NotSupported => {
                "take a solid-state drive, which can be told of blocks that nobody wants, or leave discards out"
            }
            Self::NotConnected => "join their hosts: [mpi.NAME] with hosts = …",
            Self::NoAnswer | Self::TimedOut => {
                "let clients wait for longer: of NFS by a hard mount, or timeo= and retrans=; of PVFS 2 by retries"
            }
            Self::Refused => "let clients try for longer, by `retries`, or let their server come back sooner",
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} ({})", self.words(), self.errno())
    }
}
