//! What clients and servers of a parallel file system tell each other.

use super::parameters::ServiceLevels;
use petrio_colours::{AccessFlags, FileCause, FileId, IoClass, Ledger, Operation, Status};
use petrio_kernel::Time;
use petrio_persist::Persist;

/// A part of a call, which one server does. It is known by its client's host, and there by the call and the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Persist)]
pub(super) struct Ticket {
    /// The client, as a number of the network's hosts.
    pub(super) client: u32,
    /// The call, as the client numbers its own.
    pub(super) call: u32,
    /// The server, as the file system numbers them.
    pub(super) server: u32,
}

/// What a message says.
#[derive(Clone, Debug, Persist)]
pub(super) enum Said {
    /// To a server: do this.
    Request(Request),
    /// To a server: the data of a write that it knows of.
    Written {
        ticket: Ticket,
        /// First byte in the server's own file.
        offset: u64,
        length: u64,
    },
    /// To a client: the data of a write may come.
    MayWrite(Ticket),
    /// To a client: data of a read follow.
    Reads,
    /// To a client: some of the data of a read.
    Read {
        /// What ends with them.
        answer: Option<Answer>,
    },
    /// To a client: it is done.
    Done(Answer),
}

impl Said {
    /// The service level of a message that says it.
    pub(super) fn level(&self, levels: ServiceLevels) -> u8 {
        match self {
            Self::Written { .. } | Self::Read { .. } => levels.transfers,
            Self::Request(_) | Self::MayWrite(_) | Self::Reads | Self::Done(_) => levels.requests,
        }
    }
}

/// A part of a call, as its server is asked to do it.
#[derive(Clone, Debug, Persist)]
pub(super) struct Request {
    pub(super) ticket: Ticket,
    pub(super) operation: Operation,
    /// The file on the server.
    pub(super) file: FileId,
    pub(super) parent: FileId,
    pub(super) replaced: Option<FileId>,
    /// First byte in the server's own file.
    pub(super) offset: u64,
    pub(super) length: u64,
    pub(super) flags: AccessFlags,
    pub(super) class: IoClass,
    pub(super) priority: u8,
    /// The data come with it.
    pub(super) with_data: bool,
    /// The service that hears the answer.
    pub(super) reply_to: u32,
}

/// How a part of a call ended.
#[derive(Clone, Debug, Persist)]
pub(super) struct Answer {
    pub(super) ticket: Ticket,
    pub(super) status: Status,
    /// Bytes that were read or written.
    pub(super) length: u64,
    /// Where the server's time went since it had all that it needed.
    pub(super) ledger: Ledger<FileCause>,
    /// That time in all.
    pub(super) span: Time,
}
