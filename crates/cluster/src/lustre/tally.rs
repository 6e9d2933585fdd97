//! What the requests of a client came to.

use crate::rpc_tally::RpcTally;
use petrio_host::lustre::Procedure;
use petrio_kernel::Time;
use petrio_persist::Persist;
use std::collections::BTreeMap;

/// What a client came to.
#[derive(Clone, Debug, Default, Persist)]
pub struct LustreTally {
    /// By procedure.
    pub of: BTreeMap<Procedure, RpcTally>,
    /// Locks on extents that it was granted, at once or later.
    pub granted: u64,
    /// Locks on extents that were called back.
    pub called_back: u64,
    /// Locks on names, attributes and layouts that were called back.
    pub inodes_called_back: u64,
    /// How often it was asked for the size of what it writes.
    pub glimpsed: u64,
    /// Writers that waited for room under `max_dirty_mb` or for grant, and how long.
    pub held_back: u64,
    /// Likewise.
    pub held_back_for: Time,
}
