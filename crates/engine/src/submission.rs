//! What is handed to an engine and what comes back.

use petrio_colours::{BlockRequest, FileOp, Request, RequestId, Status};
use petrio_kernel::Time;

/// The numbers of what is submitted by hand lie beyond those of any load, which count from 0.
const FIRST: u64 = 1 << 62;

/// Stands for what was submitted, until it is complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Ticket(u64);

impl Ticket {
    /// The first of an engine, or the one after.
    pub(crate) const fn number(submitted: u64) -> Self {
        Self(submitted)
    }

    /// How many were submitted before it.
    pub const fn position(self) -> u64 {
        self.0
    }

    /// The request's own number.
    pub(crate) const fn id(self) -> RequestId {
        RequestId(FIRST + self.0)
    }

    /// Of a request, if it has one.
    pub(crate) fn of(id: RequestId) -> Option<Self> {
        id.0.checked_sub(FIRST).map(Self)
    }
}

/// What came back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completion {
    /// What was submitted.
    pub ticket: Ticket,
    /// When it came back.
    pub at: Time,
    /// With what.
    pub answer: Answer,
}

/// How it came back.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(clippy::large_enum_variant)] // They are handed over one at a time, and most are operations.
pub enum Answer {
    /// It is on its way, and its program may go on; the completion follows. Only of what is submitted asynchronously
    /// ([`Submission`](petrio_colours::Submission)).
    Submitted,
    /// A file operation is over: how it ended, how many bytes it moved, where its time went.
    Operation(FileOp),
    /// A block request is over.
    Request(BlockRequest),
}

impl Completion {
    /// How it ended; `None` where it is only on its way.
    pub fn status(&self) -> Option<Status> {
        match &self.answer {
            Answer::Submitted => None,
            Answer::Operation(operation) => Some(operation.status()),
            Answer::Request(request) => Some(request.status()),
        }
    }

    /// Since when it was asked for; `None` where it is only on its way.
    pub fn issued(&self) -> Option<Time> {
        match &self.answer {
            Answer::Submitted => None,
            Answer::Operation(operation) => Some(operation.issued),
            Answer::Request(request) => Some(request.issued),
        }
    }

    /// How long it took from the time it was submitted for; `None` where it is only on its way.
    pub fn took(&self) -> Option<Time> {
        self.issued().map(|issued| self.at - issued)
    }
}
