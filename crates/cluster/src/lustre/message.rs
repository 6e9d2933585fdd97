//! What clients and servers of Lustre send each other.

use crate::client::Outcome;
use petrio_colours::{FileId, IoClass};
use petrio_host::lustre::{Asked, Call, Procedure, Told};
use petrio_persist::Persist;

/// A message of LNet: who sends it, how many of the receiver's credits it brings back, and what it says.
#[derive(Clone, Debug, Persist)]
pub(super) struct Packet {
    /// The service of the sender.
    pub(super) from: u32,
    pub(super) returns: u32,
    pub(super) says: Says,
}

/// What a message says.
#[derive(Clone, Debug, Persist)]
pub(super) enum Says {
    /// To a server: do this.
    Request(Box<Request>),
    /// So it ended.
    Reply(Box<Reply>),
    /// To a client: send the data that you will have written.
    Get { number: u32 },
    /// Those data.
    Data { number: u32, bytes: u64 },
    /// Data that were read.
    Put { number: u32, bytes: u64 },
    /// They have come.
    Ack { number: u32 },
    /// To a client: something about a lock.
    Callback { number: u32, asked: Asked },
    /// To a client: a lock that it waits for is granted.
    Granted { number: u32, told: Told },
    /// A client has heard a callback; of a size, how long its file is.
    Heard { number: Option<u32>, size: u64 },
    /// Nothing but credits.
    Credits,
}

/// What a request is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub(super) enum What {
    /// What its call says.
    Call,
    /// Data are moved.
    Data { writes: bool, is_short: bool },
    /// Of a metadata target to an object storage target: objects of a file go.
    Destroy,
    /// Likewise: so many objects are made ahead.
    Precreate(u32),
}

/// A request.
#[derive(Clone, Debug, Persist)]
pub(super) struct Request {
    /// Its number, as its sender numbers its own (the transaction's, `xid`).
    pub(super) number: u32,
    /// Who sends it: a client, or a server ([`SERVERS`] and its number).
    pub(super) client: u32,
    pub(super) what: What,
    pub(super) call: Call,
    /// Of data: the first byte in the local file, bytes, and the end of them in the whole file.
    pub(super) offset: u64,
    pub(super) bytes: u64,
    pub(super) end: u64,
    pub(super) class: IoClass,
    pub(super) priority: u8,
}

/// Servers that ask others are numbered from here on.
pub(super) const SERVERS: u32 = 1 << 31;

impl Request {
    /// Bytes of a file that it has written.
    pub(super) const fn writes(&self) -> u64 {
        if matches!(self.what, What::Data { writes: true, .. }) { self.bytes } else { 0 }
    }

    /// Bytes that are sent for it once its server asks for them.
    pub(super) const fn bulk(&self) -> u64 {
        if matches!(self.what, What::Data { writes: true, is_short: false }) { self.bytes } else { 0 }
    }

    /// Whether a client sent it.
    pub(super) const fn is_clients(&self) -> bool {
        self.client < SERVERS
    }

    /// Whether a thread does it: locks are told by those that hear messages.
    pub(super) const fn takes_a_thread(&self) -> bool {
        !matches!(
            (self.what, self.call.procedure),
            (
                What::Call,
                Procedure::LockToRead | Procedure::LockToWrite | Procedure::Glimpse | Procedure::Cancel
            )
        )
    }
}

/// How a request ended.
#[derive(Clone, Debug, Persist)]
pub(super) struct Reply {
    /// The request, as its sender numbers it.
    pub(super) number: u32,
    /// Who sent that.
    pub(super) client: u32,
    pub(super) outcome: Outcome,
    pub(super) told: Told,
    /// The lock that it asks for isn't granted yet.
    pub(super) is_blocked: bool,
    /// Pages that its client may write more.
    pub(super) grant: u64,
    /// Bytes of data that were read for it.
    pub(super) read: u64,
    /// Bytes of it.
    pub(super) bytes: u64,
}

/// Somebody who sent something, by a name that stays.
pub(super) type Who = u32;

/// A file and one of its objects.
pub(super) type Object = (FileId, u16);
