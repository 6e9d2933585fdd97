//! What Ceph's work costs processors, and how long its messages are beside data.
//!
//! Calibrated on Ceph 16.2.15 whose OSDs wrote to memory and whose links had no limit, one request of librbd at a time: 733 us
//! for a write of 4 KiB of one copy and 670 us of its OSD's processors, 971 us with three copies and 1390 us of all OSDs', 436 us
//! for a read and 320 us; BlueStore's own counters told 145 us for a batch of RocksDB. Lengths are the messengers' counters,
//! with the acknowledgement that msgr2 sends of each message (`docs/ceph.md` says how).

use petrio_kernel::Time;
use petrio_units::Duration;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Processor time of Ceph's parts, each request; what messages cost beside is the network's `costs`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Costs {
    /// At the client, of each request to an OSD.
    pub client: Duration,
    /// At the primary, of a read, in an operation's thread.
    pub read: Duration,
    /// At the primary, of a write before it is sent on, in an operation's thread.
    pub write: Duration,
    /// At another OSD, of what the primary asks of it, in an operation's thread.
    pub replica: Duration,
    /// Of a batch of transactions in RocksDB.
    pub commit: Duration,
    /// At the primary, of the answer once all have committed.
    pub answer: Duration,
    /// Of each KiB that is coded or made again from others (jerasure: about 1 GB/s of a core; assumed).
    pub code_kib: Duration,
}

const fn micros(micros: u64) -> Duration {
    Duration::new(Time::from_micros(micros))
}

impl Default for Costs {
    fn default() -> Self {
        Self {
            client: micros(60),
            read: micros(310),
            write: micros(290),
            replica: micros(200),
            commit: micros(145),
            answer: micros(150),
            code_kib: micros(1),
        }
    }
}

/// Bytes of messages beside data.
pub(super) mod lengths {
    /// A write to the primary: frame, header, where, and two operations (set-alloc-hint and write).
    pub(in crate::ceph) const WRITE: u64 = 379;
    /// A read.
    pub(in crate::ceph) const READ: u64 = 339;
    /// The answer of either.
    pub(in crate::ceph) const ANSWER: u64 = 319;
    /// What the primary asks of another OSD: the transaction, the log's entry, statistics.
    pub(in crate::ceph) const REPLICA: u64 = 1930;
    /// What that answers.
    pub(in crate::ceph) const DONE: u64 = 250;
}
