//! What the calls of a client came to, by procedure.

use petrio_kernel::Time;
use petrio_persist::Persist;

/// What the calls of a procedure came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Persist)]
pub struct ProcedureTally {
    /// Calls that were answered.
    pub calls: u64,
    /// Bytes of them, with record marks.
    pub sent: u64,
    /// Bytes of their replies, with record marks.
    pub received: u64,
    /// From when the mount wanted them until they had a slot, of all together.
    pub queued: Time,
    /// From then until they were answered.
    pub answered: Time,
    /// How often one was sent again.
    pub repeated: u64,
    /// Those that were given up: a soft mount's.
    pub given_up: u64,
}
