//! What clients and servers of a parallel file system send each other.

use super::metadata::Kind;
use super::parameters::ServiceLevels;
use crate::client::Outcome;
use petrio_colours::{AccessFlags, FileId, IoClass, Operation};
use petrio_persist::Persist;
use smallvec::SmallVec;

/// A part of a call, which one server does. It is known by its client's host, and there by the call and the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Persist)]
pub(super) struct Ticket {
    /// The client, as a number of the network's hosts.
    pub(super) client: u32,
    /// The call, as the client numbers its own.
    pub(super) call: u32,
    /// The server, as the file system numbers them.
    pub(super) server: u32,
    /// Which attempt at it this is, as the client numbers them (`PINT_util_get_next_tag`); 0 where none is made twice.
    pub(super) attempt: u32,
}

impl Ticket {
    /// The number of its request among those of its client.
    pub(super) fn key(self) -> u64 {
        u64::from(self.call) << 32 | u64::from(self.server)
    }
}

/// What a message says.
#[derive(Clone, Debug, Persist)]
pub(super) enum Payload {
    /// To a server: do this.
    Request(Request),
    /// To a server: do this to names or attributes.
    Ask(AskOfNames),
    /// To a server, of another: the same.
    Relay(AskOfNames),
    /// To a server, of another: it is done.
    Relayed(Ticket),
    /// To a server: data of a write that it knows of.
    Data {
        ticket: Ticket,
        /// First byte in the server's own file.
        offset: u64,
        length: u64,
        /// The service that sends them.
        reply_to: u32,
    },
    /// To a client: the data of a write may come.
    MayWrite(Ticket),
    /// To a client: data of a read follow.
    ReadFollows(Ticket),
    /// To a client: so many bytes of a read.
    ReadData {
        ticket: Ticket,
        bytes: u64,
        /// What ends with them.
        reply: Option<Reply>,
    },
    /// To a client: it is done.
    Done(Reply),
    /// To whoever sent a request, or data of it: the server's host knows nothing of such a connection (TCP's RST).
    Reset(Ticket),
}

impl Payload {
    /// The service level of a message that says it.
    pub(super) fn level(&self, levels: ServiceLevels) -> u8 {
        match self {
            Self::Data { .. } | Self::ReadData { .. } => levels.transfers,
            Self::Request(_)
            | Self::Ask(_)
            | Self::Relay(_)
            | Self::Relayed(_)
            | Self::MayWrite(_)
            | Self::ReadFollows(_)
            | Self::Done(_)
            | Self::Reset(_) => levels.requests,
        }
    }

    /// Whether it ends a request.
    pub(super) const fn ends(&self) -> bool {
        matches!(self, Self::Done(_) | Self::ReadData { reply: Some(_), .. })
    }

    /// Whether it is a request or what ends one.
    pub(super) const fn is_of_request(&self) -> bool {
        matches!(self, Self::Request(_) | Self::Ask(_)) || self.ends()
    }

    /// What a client is told about: none of its requests, where only servers are told that.
    pub(super) const fn told(&self) -> Option<Ticket> {
        match self {
            Self::MayWrite(ticket) | Self::ReadFollows(ticket) | Self::Reset(ticket) => Some(*ticket),
            Self::ReadData { ticket, .. } => Some(*ticket),
            Self::Done(reply) => Some(reply.ticket),
            Self::Request(_) | Self::Ask(_) | Self::Relay(_) | Self::Relayed(_) | Self::Data { .. } => None,
        }
    }

    /// A request as it is sent: which attempt it is, and to which instance of its server.
    pub(super) fn sent(mut self, attempt: u32, to: u32) -> Self {
        if let Self::Request(Request { ticket, instance, .. })
        | Self::Ask(AskOfNames { ticket, instance, .. })
        | Self::Relay(AskOfNames { ticket, instance, .. }) = &mut self
        {
            (ticket.attempt, *instance) = (attempt, to);
        }
        self
    }

    /// Whether it is a request of one server to another, or what ends one.
    pub(super) fn is_relay(&self) -> bool {
        matches!(self, Self::Relay(_) | Self::Relayed(_))
    }

    /// Bytes of a file that go to a server.
    pub(super) const fn data_out(&self) -> u64 {
        match self {
            Self::Request(Request { with_data: true, length, .. }) | Self::Data { length, .. } => *length,
            _ => 0,
        }
    }

    /// Bytes of a file that come to a client.
    pub(super) const fn data_in(&self) -> u64 {
        if let Self::ReadData { bytes, .. } = self { *bytes } else { 0 }
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
    /// Data that are read come with its answer.
    pub(super) is_small: bool,
    /// Bytes of the answer.
    pub(super) answer: u64,
    /// The service that hears the reply.
    pub(super) reply_to: u32,
    /// The server's instance with which its client has a connection.
    pub(super) instance: u32,
}

/// Names or attributes, as a server is asked about them.
#[derive(Clone, Debug, Persist)]
pub(super) struct AskOfNames {
    pub(super) ticket: Ticket,
    pub(super) kind: Kind,
    pub(super) object: FileId,
    /// How many names or objects it is about.
    pub(super) count: u64,
    /// A file's new length on the server.
    pub(super) length: u64,
    /// Servers that it concerns beside this one.
    pub(super) others: SmallVec<[u32; 8]>,
    /// Bytes of the answer.
    pub(super) answer: u64,
    /// The service that hears the reply.
    pub(super) reply_to: u32,
    /// The server's instance with which its client has a connection.
    pub(super) instance: u32,
}

/// How a part of a call ended.
#[derive(Clone, Debug, Persist)]
pub(super) struct Reply {
    pub(super) ticket: Ticket,
    pub(super) outcome: Outcome,
}
