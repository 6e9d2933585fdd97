//! What clients and servers of a file service send each other.

use crate::client::Outcome;
use crate::server::is_done_to_nothing;
use petrio_colours::{AccessFlags, FileId, IoClass, Operation};
use petrio_persist::Persist;

/// What a message says.
#[derive(Clone, Debug, Persist)]
pub(super) enum Rpc {
    /// To a server: do this.
    Call(Call),
    /// To a client: so it ended.
    Reply(Reply),
}

/// What a server is asked to do.
#[derive(Clone, Debug, Persist)]
pub(super) struct Call {
    /// The call, as its client numbers its own.
    pub(super) number: u32,
    pub(super) operation: Operation,
    /// The file on the server.
    pub(super) file: FileId,
    pub(super) parent: FileId,
    pub(super) replaced: Option<FileId>,
    /// First byte in the server's own file.
    pub(super) offset: u64,
    pub(super) length: u64,
    /// What makes it wait for the medium.
    pub(super) flags: AccessFlags,
    pub(super) class: IoClass,
    pub(super) priority: u8,
    /// The file's name is on another server: this one has a file of it once something of it is written here.
    pub(super) is_part: bool,
    /// The service that hears the answer.
    pub(super) reply_to: u32,
}

/// How a call ended.
#[derive(Clone, Debug, Persist)]
pub(super) struct Reply {
    /// The call, as its client numbers it.
    pub(super) number: u32,
    pub(super) operation: Operation,
    /// With the time since it came.
    pub(super) outcome: Outcome,
}

impl Reply {
    /// Bytes of a file that it brings.
    pub(super) const fn data(&self) -> u64 {
        if matches!(self.operation, Operation::Read) { self.outcome.length } else { 0 }
    }
}

impl Call {
    /// Bytes of a file that it brings.
    pub(super) const fn data(&self) -> u64 {
        if matches!(self.operation, Operation::Write) { self.length } else { 0 }
    }

    /// Whether its file not being there means that there is nothing of it here.
    pub(super) const fn may_find_nothing(&self) -> bool {
        self.is_part && is_done_to_nothing(self.operation)
    }

    /// Whether its file not being there means that it is made first.
    pub(super) const fn makes(&self) -> bool {
        self.is_part && matches!(self.operation, Operation::Write)
    }
}
