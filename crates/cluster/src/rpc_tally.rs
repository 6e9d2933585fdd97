//! What the requests of a client of a file service came to.

use petrio_kernel::Time;
use petrio_persist::Persist;

/// What those of a procedure came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Persist)]
pub struct RpcTally {
    /// RPCs that were answered.
    pub calls: u64,
    /// Bytes of them, with data.
    pub sent: u64,
    /// Bytes of what came back, with data.
    pub received: u64,
    /// From when they were wanted until they were sent: those in flight before them hold them back.
    pub queued: Time,
    /// From then until they were answered.
    pub answered: Time,
}

impl RpcTally {
    /// Adds what others came to.
    pub fn add(&mut self, other: &Self) {
        self.calls += other.calls;
        self.sent += other.sent;
        self.received += other.received;
        self.queued += other.queued;
        self.answered += other.answered;
    }
}
