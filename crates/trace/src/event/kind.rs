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
    /// A directory's entries were read.
    List,
    /// A file was given room, or some was taken away (fallocate).
    Allocate,
    /// A directory was removed.
    Rmdir,
    /// A file's data were made durable, and what is needed to find them (fdatasync).
    Fdatasync,
    /// What was dirty of a range was written back (sync_file_range).
    SyncRange,
    /// All of a file system, or of all, was made durable (sync, syncfs).
    Sync,
    /// A file was mapped into memory: accesses through the mapping are in no trace.
    Map,
    /// A thread or a process was made.
    Fork,
    /// It was waited for the end of one.
    Join,
    /// A thread ended.
    Exit,
    /// It slept of its own will.
    Sleep,
    /// A message was sent; whoever did goes on when it may write over it (MPI_Send).
    Send,
    /// A message was received (MPI_Recv).
    Receive,
    /// A message was begun to be sent (MPI_Isend).
    PostSend,
    /// It was said where a message is to go to (MPI_Irecv).
    PostReceive,
    /// It was waited for the end of one of these (MPI_Wait, a successful MPI_Test).
    Wait,
    /// Several ranks did something together (MPI_Bcast).
    Collective,
}

impl EventKind {
    /// Every kind, in the order of their codes.
    pub const ALL: [Self; 32] = [
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
        Self::List,
        Self::Allocate,
        Self::Rmdir,
        Self::Fdatasync,
        Self::SyncRange,
        Self::Sync,
        Self::Map,
        Self::Fork,
        Self::Join,
        Self::Exit,
        Self::Sleep,
        Self::Send,
        Self::Receive,
        Self::PostSend,
        Self::PostReceive,
        Self::Wait,
        Self::Collective,
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
            Self::List => "list",
            Self::Allocate => "allocate",
            Self::Rmdir => "rmdir",
            Self::Fdatasync => "fdatasync",
            Self::SyncRange => "sync-range",
            Self::Sync => "sync",
            Self::Map => "map",
            Self::Fork => "fork",
            Self::Join => "join",
            Self::Exit => "exit",
            Self::Sleep => "sleep",
            Self::Send => "send",
            Self::Receive => "receive",
            Self::PostSend => "post-send",
            Self::PostReceive => "post-receive",
            Self::Wait => "wait",
            Self::Collective => "collective",
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

    /// Whether it is a call on one file, as users of files make them: not about a directory's entries, mappings, threads or messages.
    pub const fn is_on_file(self) -> bool {
        !matches!(
            self,
            Self::List
                | Self::Rmdir
                | Self::Sync
                | Self::Map
                | Self::Fork
                | Self::Join
                | Self::Exit
                | Self::Sleep
        ) && !self.is_of_messages()
            && !self.is_of_device()
    }

    /// Whether it is about ranks and their messages.
    pub const fn is_of_messages(self) -> bool {
        matches!(
            self,
            Self::Send | Self::Receive | Self::PostSend | Self::PostReceive | Self::Wait | Self::Collective
        )
    }
}
