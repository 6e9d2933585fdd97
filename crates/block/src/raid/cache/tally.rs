//! What a controller's cache was asked, and what it spared its members.

use crate::raid::tally::Moved;
use petrio_persist::Persist;

/// What a cache was asked, and what it made of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Persist)]
pub struct CacheTally {
    /// Reads that came.
    pub reads: Moved,
    /// Writes that came.
    pub writes: Moved,
    /// Reads of which all was there.
    pub hits: Moved,
    /// Reads of the members before anybody asked.
    pub read_ahead: Moved,
    /// Reads that waited for what was read ahead.
    pub awaited: Moved,
    /// Writes that were reported once they were in memory.
    pub reported: Moved,
    /// Writes of what was in memory to the members.
    pub destaged: Moved,
    /// Whole stripes among these, which need nothing read for their parity.
    pub whole_stripes: u64,
    /// Bytes that were written over before the members got them: they are written once less.
    pub overwritten_bytes: u64,
    /// Writes that waited for room.
    pub waited: u64,
    /// Flushes that had nothing to wait for.
    pub flushes: u64,
    /// Bytes that were reported and could not be written: too few members were left.
    pub lost_bytes: u64,
}
