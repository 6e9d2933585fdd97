//! What failing servers cost the clients of a file system.

use petrio_kernel::Time;
use petrio_persist::Persist;

/// What the calls of a client came to, as far as servers failed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Persist)]
pub struct PvfsTally {
    /// Operations that were done after a request of theirs had been sent again.
    pub retried: u64,
    /// Operations that failed because a request of theirs was given up.
    pub failed: u64,
    /// How often a request was sent again.
    pub sent_again: u64,
    /// Requests that were given up.
    pub given_up: u64,
    /// Requests that were sent again or given up.
    pub waiting: u64,
    /// For how long these waited for attempts that failed, and rested, all together.
    pub waited: Time,
}
