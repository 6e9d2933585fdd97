//! How BlueStore writes, as it is written.
//!
//! Source: Ceph 16.2 src/os/bluestore/BlueStore.cc (`_do_alloc_write`, `_kv_sync_thread`, `_deferred_queue`) and
//! src/common/options.cc: bluestore_min_alloc_size 4 KiB, bluestore_prefer_deferred_size 64 KiB on what turns and 0 else,
//! bluestore_deferred_batch_ops 64 and 16, bluestore_max_defer_interval 3 s, osd_op_num_shards 5 and 8, osd_op_num_threads_per_shard
//! 1 and 2.

use super::parameters::CephError;
use petrio_units::{Bytes, Duration};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How an OSD works and writes; what is left out is what 16.2 has for what turns, or for what doesn't.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Store {
    /// Queues of operations; those of a placement group are in one (5 and 8).
    pub shards: Option<u32>,
    /// Threads of each of them (1 and 2).
    pub threads_per_shard: Option<u32>,
    /// What is allocated at least (4 KiB). A write of less goes by way of the log.
    pub min_alloc_size: Option<Bytes>,
    /// Writes of so many bytes or less go into the log with their transaction and to their place later (64 KiB and 0).
    pub prefer_deferred_size: Option<Bytes>,
    /// So many of them are brought to their places together (64 and 16).
    pub deferred_batch: Option<u32>,
    /// And after so long in any case (3 s).
    pub max_defer_interval: Option<Duration>,
    /// Bytes of a transaction in RocksDB's log, data left out (5900 B, counted by BlueFS for overwrites of 4 KiB).
    pub transaction: Option<Bytes>,
    /// Memory that keeps what was read (of `osd_memory_target`, what its metadata leave). Left out, none.
    pub cache: Option<Bytes>,
}

/// What an OSD has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct StoreRules {
    pub shards: u32,
    pub threads: u32,
    pub min_alloc: u64,
    pub deferred: u64,
    pub batch: usize,
    pub interval: Duration,
    pub transaction: u64,
    pub cache: Bytes,
}

impl Store {
    /// What it is over a device.
    pub(super) fn rules(&self, turns: bool) -> StoreRules {
        let pick = |turning: u32, still: u32| if turns { turning } else { still };
        let batch = self.deferred_batch.unwrap_or_else(|| pick(64, 16));
        StoreRules {
            shards: self.shards.unwrap_or_else(|| pick(5, 8)),
            threads: self.threads_per_shard.unwrap_or_else(|| pick(1, 2)),
            min_alloc: self.min_alloc_size.map_or(4096, Bytes::get),
            deferred: self.prefer_deferred_size.map_or_else(|| pick(64 << 10, 0).into(), Bytes::get),
            batch: batch as usize,
            interval: self.max_defer_interval.unwrap_or(INTERVAL),
            transaction: self.transaction.map_or(TRANSACTION, Bytes::get),
            cache: self.cache.unwrap_or(Bytes(0)),
        }
    }

    pub(super) fn check(&self) -> Result<(), CephError> {
        let number = |key, value: String, expected| Err(CephError::Number { key, value, expected });
        for (key, value) in [
            ("store.shards", self.shards),
            ("store.threads_per_shard", self.threads_per_shard),
            ("store.deferred_batch", self.deferred_batch),
        ] {
            if value.is_some_and(|value| value == 0 || value > MOST) {
                return number(key, value.unwrap_or(0).to_string(), "1 to 4096");
            }
        }
        if let Some(unit) = self.min_alloc_size
            && (!unit.get().is_power_of_two() || unit.get() < 4096)
        {
            return number("store.min_alloc_size", unit.to_string(), "a power of two from 4 KiB");
        }
        Ok(())
    }

    /// Bytes that the memories of so many OSDs take here.
    pub(super) fn bytes_of(&self, osds: usize) -> u64 {
        let blocks = self.cache.map_or(0, Bytes::get) / CACHE_BLOCK;
        blocks.saturating_mul(BYTES_A_BLOCK).saturating_mul(osds as u64)
    }
}

const INTERVAL: Duration = Duration::new(petrio_kernel::Time::from_millis(3000));
const TRANSACTION: u64 = 5900;
const MOST: u32 = 4096;
/// What is kept in memory together.
pub(super) const CACHE_BLOCK: u64 = 4096;
const BYTES_A_BLOCK: u64 = 72;
