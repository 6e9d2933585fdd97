//! What a pool of Ceph came to: what its OSDs wrote for what was written, and what became of it when some stopped.

use crate::figure::figures;
use crate::section::Entry;
use crate::served::is_zero;
use petrio_kernel::Time;
use petrio_models::cluster::ceph::Tally;
use petrio_page::numbers::{bytes, counted, grouped, seconds, significant};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A pool of Ceph, or all equal ones together, over the whole run; of several replications the mean.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CephFigures {
    /// Its name; of equal ones that of their class.
    pub name: String,
    /// How many there are.
    pub pools: u64,
    /// Reads of objects that were answered: of a request that goes over several objects, each.
    pub reads: u64,
    /// Their bytes.
    pub read_bytes: u64,
    /// Reads that an OSD had in its memory.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub remembered: u64,
    /// Writes of objects that were answered.
    pub writes: u64,
    /// Their bytes.
    pub written_bytes: u64,
    /// Bytes that OSDs wrote to their places before the transaction was committed.
    pub direct_bytes: u64,
    /// Bytes that they wrote to their places afterwards, by way of the log.
    pub deferred_bytes: u64,
    /// Bytes of RocksDB's logs, data that went by way of these included.
    pub log_bytes: u64,
    /// Bytes that devices wrote for each byte that was written to the image.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub write_amplification: Option<f64>,
    /// Batches of transactions in RocksDB, each of which is one sync of its log.
    pub batches: u64,
    /// Transactions in them.
    pub transactions: u64,
    /// Writes of parts of stripes of erasure-coded objects, which are read before.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub read_modify_writes: u64,
    /// OSDs that stopped.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub stopped: u64,
    /// Stops that were to come after the end of the run, and haven't.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub stops_to_come: u64,
    /// Writes that were answered with fewer copies than there are to be.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub degraded_writes: u64,
    /// Reads and writes that were sent again since an OSD that they waited for was found to be away.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub sent_again: u64,
    /// Reads and writes that waited since fewer than min_size copies were there.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub blocked: u64,
    /// How long some placement group had fewer copies than it is to have, from when that was known, seconds.
    #[serde(default, skip_serializing_if = "is_nothing")]
    pub exposed_s: f64,
    /// How long some placement group wasn't served, seconds.
    #[serde(default, skip_serializing_if = "is_nothing")]
    pub unserved_s: f64,
    /// Placement groups that have fewer copies than they are to have at the end.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub groups_short: u64,
    /// Objects that were brought to OSDs which lacked them.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub objects_filled: u64,
    /// Their bytes.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub filled_bytes: u64,
    /// From the first stop to when the last object was brought, seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub filled_after_s: Option<f64>,
}

fn is_nothing(span: &f64) -> bool {
    *span == 0.0
}

impl CephFigures {
    /// Adds what one has counted until now; `stops` are those that were to come in its run.
    pub fn add(&mut self, tally: &Tally, (now, stops): (Time, u64)) {
        self.pools += 1;
        self.reads += tally.reads;
        self.read_bytes += tally.read_bytes;
        self.remembered += tally.remembered;
        self.writes += tally.writes;
        self.written_bytes += tally.written_bytes;
        self.direct_bytes += tally.direct_bytes;
        self.deferred_bytes += tally.deferred_bytes;
        self.log_bytes += tally.log_bytes;
        self.batches += tally.batches;
        self.transactions += tally.transactions;
        self.read_modify_writes += tally.read_modify_writes;
        self.stopped += tally.stopped;
        self.stops_to_come += stops.saturating_sub(tally.stopped);
        self.degraded_writes += tally.degraded_writes;
        self.sent_again += tally.sent_again;
        self.blocked += tally.blocked;
        let (exposed, unserved) = tally.spans(now);
        self.exposed_s += exposed.as_seconds();
        self.unserved_s += unserved.as_seconds();
        self.groups_short += tally.groups_short;
        self.objects_filled += tally.filled;
        self.filled_bytes += tally.filled_bytes;
        let after = tally.first_stop.zip(tally.last_filled);
        let after = after.map(|(stop, filled)| filled.saturating_sub(stop).as_seconds());
        self.filled_after_s = match (self.filled_after_s, after) {
            (Some(one), Some(other)) => Some(one.max(other)),
            (one, other) => one.or(other),
        };
        let all = self.direct_bytes + self.deferred_bytes + self.log_bytes;
        self.write_amplification = (self.written_bytes > 0).then(|| all as f64 / self.written_bytes as f64);
    }

    /// What became of it when OSDs stopped.
    fn stops(&self) -> Vec<String> {
        let mut parts = Vec::new();
        if self.stopped > 0 {
            parts.push(counted(self.stopped, "OSD stopped", "OSDs stopped"));
            parts.push(format!(
                "{} answered with fewer copies than there are to be",
                counted(self.degraded_writes, "write was", "writes were")
            ));
            parts.push(format!("{} sent again", counted(self.sent_again, "part was", "parts were")));
            if self.blocked > 0 {
                let waited = counted(self.blocked, "part waited", "parts waited");
                parts.push(format!("{waited} for want of copies, {} in all", seconds(self.unserved_s)));
            }
            let still = match self.groups_short {
                0 => String::new(),
                groups => {
                    let are = counted(groups, "placement group still is", "placement groups still are");
                    format!(", and {are}")
                }
            };
            parts.push(format!("some data had fewer for {}{still}", seconds(self.exposed_s)));
        }
        if self.objects_filled > 0 {
            let objects = counted(self.objects_filled, "object", "objects");
            let after = self
                .filled_after_s
                .map_or(String::new(), |after| format!(", the last {} after the first stop", seconds(after)));
            parts.push(format!(
                "{objects} of {} brought to OSDs that lacked them{after}",
                bytes(self.filled_bytes)
            ));
        }
        if self.stops_to_come > 0 {
            let stops = counted(self.stops_to_come, "stop", "stops");
            parts.push(format!("{stops} would have come after the end of the run"));
        }
        parts
    }
}

figures! { CephFigures:
    reads => "reads" One Neither;
    read_bytes => "read" Bytes Neither;
    remembered => "reads from memory" One Up;
    writes => "writes" One Neither;
    written_bytes => "written" Bytes Neither;
    direct_bytes => "written to their places" Bytes Down;
    deferred_bytes => "deferred" Bytes Down;
    log_bytes => "logs" Bytes Down;
    write_amplification => "write amplification" One Down;
    batches => "batches" One Down;
    transactions => "transactions" One Neither;
    read_modify_writes => "read, modified and written" One Down;
    stopped => "OSDs that stopped" One Down;
    degraded_writes => "writes with fewer copies" One Down;
    sent_again => "sent again" One Down;
    blocked => "waited for copies" One Down;
    exposed_s => "with fewer copies" Seconds Down;
    unserved_s => "not served" Seconds Down;
    objects_filled => "objects brought" One Neither;
    filled_bytes => "brought" Bytes Neither;
    filled_after_s => "brought after" Seconds Down;
}

impl Entry for CephFigures {
    const PART: &'static str = "ceph";

    fn name(&self) -> &str {
        &self.name
    }

    fn sentence(&self) -> String {
        let mut parts = Vec::new();
        if self.reads > 0 {
            let memory = match self.remembered {
                0 => String::new(),
                some => format!(", {} from memory", grouped(some)),
            };
            let reads = counted(self.reads, "read", "reads");
            parts.push(format!("{reads} of {}{memory}", bytes(self.read_bytes)));
        }
        if self.writes > 0 {
            let writes = counted(self.writes, "write", "writes");
            let times = self.write_amplification.map_or(String::new(), |times| {
                format!(", for each byte of which devices wrote {}", significant(times))
            });
            parts.push(format!("{writes} of {}{times}", bytes(self.written_bytes)));
        }
        if self.batches > 0 {
            let batches = counted(self.batches, "batch", "batches");
            let each = self.transactions as f64 / self.batches as f64;
            parts.push(format!("{batches} of {} transactions in RocksDB", significant(each)));
        }
        if self.read_modify_writes > 0 {
            let partial = counted(self.read_modify_writes, "write read", "writes read");
            parts.push(format!("{partial} stripes first"));
        }
        parts.extend(self.stops());
        if parts.is_empty() {
            return "nothing was asked of it".to_owned();
        }
        parts.join("; ")
    }
}
