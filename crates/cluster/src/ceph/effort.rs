//! What is under way in a pool, and what its parts tell each other of it.

use super::whereabouts::{Seat, Seats};
use petrio_colours::BlockRequest;
use petrio_kernel::Time;
use petrio_persist::Persist;
use smallvec::SmallVec;

/// An effort, as it was begun: what was begun anew since has another turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub(super) struct Key {
    pub slot: u32,
    pub turn: u64,
}

/// What an effort is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub(super) enum Kind {
    /// A part of a request of the client, by the request's number.
    Read(u32),
    Write(u32),
    /// An object is brought to a seat.
    Fill(Seat),
}

/// How far it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub(super) enum Stage {
    /// On its way to the primary, or in its queue.
    Asked,
    /// The primary gathers what it is made of.
    Gather,
    /// Something is worked out.
    Code,
    /// Others write.
    Spread,
    /// The client is told.
    Answered,
}

/// Work on a part of one object.
#[derive(Clone, Debug, Persist)]
pub(super) struct Effort {
    pub turn: u64,
    pub kind: Kind,
    pub stage: Stage,
    pub object: u32,
    /// Its first byte in the object, and how many.
    pub from: u64,
    pub bytes: u64,
    pub primary: u32,
    /// Who is asked at this stage, and how many of them haven't answered.
    pub seats: Seats,
    pub left: u32,
    /// Whether it counts among the writes of its object.
    pub counted: bool,
    /// Whether fewer than there are to be write it.
    pub degraded: bool,
    /// When its primary heard of it.
    pub heard: Time,
}

/// What a message says.
#[derive(Clone, Debug, Persist)]
pub(super) enum Payload {
    /// The client asks a primary.
    Ask(Key, u32),
    /// A primary asks a seat to read, or to write.
    Part(Key, Seat, bool),
    /// That has done it.
    Done(Key),
    /// The client is told.
    Answer(Key),
}

/// What waits for an operation's thread: an effort that its primary begins, or a part of one at a seat.
#[derive(Clone, Copy, Debug, Persist)]
pub(super) struct Work {
    pub key: Key,
    /// Whether a seat writes or reads; nothing at the primary.
    pub part: Option<(Seat, bool)>,
    /// The placement group, whose work is done one after the other.
    pub group: u32,
}

/// What comes back when a processor has done it.
#[derive(Clone, Copy, Debug, Persist)]
pub(super) enum Errand {
    /// The client sends an effort.
    Send(Key),
    /// An operation's thread has begun with its work: of which OSD in which life, and which queue.
    Begun(u32, u64, u32, Work),
    /// A batch is in RocksDB.
    Batch(u32, u64),
    /// The primary has worked something out.
    Coded(Key, u64),
    /// The primary answers.
    Answer(Key, u64),
}

/// What is to happen later.
#[derive(Clone, Copy, Debug, Persist)]
pub(super) enum Event {
    /// An OSD stops; is found out; is given up; is there again.
    Stop(u32),
    Down(u32, u64),
    Out(u32, u64),
    Return(u32),
    /// What was deferred goes to its places.
    Defer(u32, u64),
    /// The next object of a group is brought.
    Fill(u64),
}

/// A transaction of an OSD.
#[derive(Clone, Debug, Persist)]
pub(super) struct Transaction {
    pub key: Key,
    /// Sectors of 4 KiB that have to be read first, since only a part of each is written.
    pub edges: SmallVec<[u64; 2]>,
    /// Written to its place before: first sector and how many, and what it is for.
    pub direct: Option<(u64, u64)>,
    /// Written there afterwards, by way of the log.
    pub deferred: SmallVec<[(u64, u64); 2]>,
    /// Whether another OSD's work asked for it.
    pub is_fill: bool,
}

/// What a request to a device is for.
#[derive(Clone, Debug, Persist)]
pub(super) enum Io {
    /// A read in an operation's thread: of which queue, and what follows.
    Read(u32, Work, (u64, u64)),
    /// What is under an edge.
    Edge(Box<Transaction>),
    /// Data to their place.
    Direct(Box<Transaction>),
    /// RocksDB's log, and a flush before or after it.
    Log,
    FlushBefore,
    FlushAfter,
    /// Deferred data to their place.
    Deferred,
}

/// A request of the client.
#[derive(Clone, Debug, Persist)]
pub(super) struct Whole {
    pub request: BlockRequest,
    /// Parts that aren't answered.
    pub left: u32,
    /// When the client began with it.
    pub begun: Time,
}
