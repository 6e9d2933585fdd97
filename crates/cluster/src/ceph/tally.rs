//! What a pool has come to.

use petrio_kernel::Time;
use petrio_persist::Persist;

/// What a pool has counted.
#[derive(Clone, Debug, Default, Persist)]
pub struct Tally {
    /// Requests of the client that came.
    pub came: u64,
    /// Of its parts, one an object: reads that were answered.
    pub reads: u64,
    /// Their bytes.
    pub read_bytes: u64,
    /// Writes that were answered.
    pub writes: u64,
    /// Their bytes.
    pub written_bytes: u64,
    /// Reads that an OSD had in memory.
    pub remembered: u64,
    /// Bytes to devices: to their places before the transaction.
    pub direct_bytes: u64,
    /// To their places afterwards.
    pub deferred_bytes: u64,
    /// Of RocksDB's logs.
    pub log_bytes: u64,
    /// Writes that went by way of the log.
    pub deferred: u64,
    /// Batches of RocksDB.
    pub batches: u64,
    /// Transactions in them.
    pub transactions: u64,
    /// Writes of erasure-coded objects that had to read first.
    pub read_modify_writes: u64,
    /// Writes that were answered with fewer copies than there are to be.
    pub degraded_writes: u64,
    /// Parts that were sent again, since an OSD was away.
    pub sent_again: u64,
    /// Parts that had to wait for more copies.
    pub blocked: u64,
    /// OSDs that stopped.
    pub stopped: u64,
    /// When the first did.
    pub first_stop: Option<Time>,
    /// How long some group had fewer copies than it is to have, until `short_since`.
    pub short: Time,
    /// Since when one has.
    pub short_since: Option<Time>,
    /// How long some group wasn't served, until `unserved_since`.
    pub unserved: Time,
    /// Since when one isn't.
    pub unserved_since: Option<Time>,
    /// Objects that were brought to OSDs.
    pub filled: u64,
    /// Their bytes.
    pub filled_bytes: u64,
    /// When the last one was.
    pub last_filled: Option<Time>,
    /// Groups that are short.
    pub groups_short: u64,
    /// Groups that aren't served.
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
