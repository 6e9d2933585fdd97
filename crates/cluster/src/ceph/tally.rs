//! What a pool has come to.

use petrio_kernel::Time;
use petrio_persist::Persist;

/// What a pool has counted.
#[derive(Clone, Debug, Default, Persist)]
pub struct Tally {
    /// Requests of the client that came.
    pub came: u64,
    /// Of its parts, one an object: reads and writes that were answered, and their bytes.
    pub reads: u64,
    pub read_bytes: u64,
    pub writes: u64,
    pub written_bytes: u64,
    /// Reads that an OSD had in memory.
    pub remembered: u64,
    /// Bytes to devices: to their places at once, deferred, and of RocksDB's log.
    pub direct_bytes: u64,
    pub deferred_bytes: u64,
    pub log_bytes: u64,
    /// Writes that went by way of the log, and batches of RocksDB.
    pub deferred: u64,
    pub batches: u64,
    pub transactions: u64,
    /// Writes of erasure-coded objects that had to read first.
    pub read_modify_writes: u64,
    /// Writes that were answered with fewer copies than there are to be.
    pub degraded_writes: u64,
    /// Parts that were sent again, or had to wait, since OSDs were away.
    pub sent_again: u64,
    pub blocked: u64,
    /// OSDs that stopped, and when the first did.
    pub stopped: u64,
    pub first_stop: Option<Time>,
    /// How long some group had fewer copies than it is to have, and since when one has; and how long some wasn't served.
    pub short: Time,
    pub short_since: Option<Time>,
    pub unserved: Time,
    pub unserved_since: Option<Time>,
    /// Objects that were brought to OSDs, and their bytes, and when the last one was.
    pub filled: u64,
    pub filled_bytes: u64,
    pub last_filled: Option<Time>,
    /// Groups that are short, and such that aren't served.
    pub groups_short: u64,
    pub groups_unserved: u64,
}

impl Tally {
    /// So many groups are short, and so many aren't served, from now on.
    pub(super) fn note_short(&mut self, now: Time, (short, unserved): (u64, u64)) {
        let note = |sum: &mut Time, since: &mut Option<Time>, is: bool| match (*since, is) {
            (None, true) => *since = Some(now),
            (Some(from), false) => {
                *sum = sum.saturating_add(now.saturating_sub(from));
                *since = None;
            }
            _ => {}
        };
        note(&mut self.short, &mut self.short_since, short > 0);
        note(&mut self.unserved, &mut self.unserved_since, unserved > 0);
        (self.groups_short, self.groups_unserved) = (short, unserved);
    }

    /// How long some group was short, and how long some wasn't served, until now.
    pub fn spans(&self, now: Time) -> (Time, Time) {
        let until = |sum: Time, since: Option<Time>| {
            sum.saturating_add(since.map_or(Time::ZERO, |since| now.saturating_sub(since)))
        };
        (until(self.short, self.short_since), until(self.unserved, self.unserved_since))
    }
}
