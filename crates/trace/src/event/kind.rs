//! The kinds of trace events, and what each is called in files.

use petrio_persist::Persist;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What happened.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema, Persist,
)]
#[serde(rename_all = "kebab-case")]
pub enum EventKind {
    /// A program was started.
    Exec,
    /// A file was made, and opened.
    Create,
    /// A file that was there was opened.
    Open,
    /// Bytes were read.
    Read,
    /// Bytes were written.
    Write,
    /// An opened file was closed.
    Close,
    /// A name was taken away; advisory, as the file lives on while it is open or has other names.
    Unlink,
    /// A file was made durable (fsync, fdatasync).
    Fsync,
    /// A file got another length.
    Truncate,
    /// A file got another name.
    Rename,
    /// A directory was made.
    Mkdir,
    /// A file's attributes were asked for.
    Stat,
    /// A request came to a device's queue. A block trace that gives one record a request gives these, with the response
    /// time as `service`.
    Queue,
    /// A request went to its device.
    Issue,
    /// A request came back from its device.
    Complete,
}

impl EventKind {
    /// Every kind, in the order of their codes.
    pub const ALL: [Self; 15] = [
        Self::Exec,
        Self::Create,
        Self::Open,
        Self::Read,
        Self::Write,
        Self::Close,
        Self::Unlink,
        Self::Fsync,
        Self::Truncate,
        Self::Rename,
        Self::Mkdir,
        Self::Stat,
        Self::Queue,
        Self::Issue,
        Self::Complete,
    ];

    /// The word used in files and reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Exec => "exec",
            Self::Create => "create",
            Self::Open => "open",
            Self::Read => "read",
            Self::Write => "write",
            Self::Close => "close",
            Self::Unlink => "unlink",
            Self::Fsync => "fsync",
            Self::Truncate => "truncate",
            Self::Rename => "rename",
            Self::Mkdir => "mkdir",
            Self::Stat => "stat",
            Self::Queue => "queue",
            Self::Issue => "issue",
            Self::Complete => "complete",
        }
    }

    /// The kind of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Whether it is something that a device was asked for, rather than a file system.
    pub const fn is_of_device(self) -> bool {
        matches!(self, Self::Queue | Self::Issue | Self::Complete)
    }
}
