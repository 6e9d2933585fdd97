//! What ends of BeeGFS send each other.

use super::procedure::Procedure;
use crate::address::Address;
use crate::client::Outcome;
use petrio_colours::{AccessFlags, FileId, IoClass};
use petrio_persist::Persist;

/// A message.
#[derive(Clone, Debug, Persist)]
pub(super) enum Packet {
    /// Do this.
    Request(Box<Request>),
    /// Data that follow the request to write them, on its connection.
    Data { from: Address, number: u32, bytes: u64 },
    /// So it ended; of a read, one of its parts.
    Reply(Box<Reply>),
}

impl Packet {
    /// Bytes of a file that it brings to be written.
    pub(super) const fn written(&self) -> u64 {
        if let Self::Data { bytes, .. } = self { *bytes } else { 0 }
    }

    /// Bytes of a file that it brings as they were read.
    pub(super) fn read(&self) -> u64 {
        if let Self::Reply(reply) = self { reply.data } else { 0 }
    }

    /// Requests that it is, and answers that end one.
    pub(super) fn requests(&self) -> u64 {
        match self {
            Self::Request(_) => 1,
            Self::Reply(reply) => u64::from(reply.is_last),
            Self::Data { .. } => 0,
        }
    }
}

/// Who is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Persist)]
pub(super) enum Target {
    /// A metadata server.
    Meta(u16),
    /// A storage target.
    Storage(u16),
}

/// What is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub(super) struct Call {
    pub(super) procedure: Procedure,
    pub(super) target: Target,
    pub(super) file: FileId,
    pub(super) parent: FileId,
    /// The directory that a rename goes to.
    pub(super) into: FileId,
    /// The file that gives way to a rename.
    pub(super) replaced: Option<FileId>,
    /// Whether the file is a directory.
    pub(super) is_directory: bool,
    /// Of data the first byte in the chunks on the target.
    pub(super) offset: u64,
    /// Of data how many; of a cut what is left; of names how many are wanted.
    pub(super) length: u64,
    /// Of a file that is closed: on how many of its targets data were touched.
    pub(super) used: u32,
    /// The member of a mirror group that is second in it does what the first does.
    pub(super) is_secondary: bool,
    /// How the chunk file is written or read: past the server's page cache, durable before the answer.
    pub(super) flags: AccessFlags,
    pub(super) class: IoClass,
    pub(super) priority: u8,
}

impl Call {
    /// About a file with a name in a directory.
    pub(super) fn of(procedure: Procedure, target: Target, (file, parent): (FileId, FileId)) -> Self {
        Self {
            procedure,
            target,
            file,
            parent,
            into: parent,
            replaced: None,
            is_directory: false,
            offset: 0,
            length: 0,
            used: 0,
            is_secondary: false,
            flags: AccessFlags::default(),
            class: IoClass::default(),
            priority: 4,
        }
    }

    /// Bytes of a file that follow it.
    pub(super) const fn data(&self) -> u64 {
        if matches!(self.procedure, Procedure::Write) { self.length } else { 0 }
    }
}

/// A request.
#[derive(Clone, Debug, Persist)]
pub(super) struct Request {
    /// Its number, as who asks numbers his own.
    pub(super) number: u32,
    /// Who hears the answer, and on which connection.
    pub(super) from: Address,
    pub(super) connection: u32,
    pub(super) call: Call,
}

/// How a request ended.
#[derive(Clone, Debug, Persist)]
pub(super) struct Reply {
    /// The request, as who asked numbers it.
    pub(super) number: u32,
    pub(super) outcome: Outcome,
    /// Bytes of data that it brings.
    pub(super) data: u64,
    /// Nothing follows.
    pub(super) is_last: bool,
    /// Bytes of it.
    pub(super) bytes: u64,
}
