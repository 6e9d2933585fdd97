//! What differs between the block layers of kernels: part of a kernel's profile.

use petrio_persist::Persist;
use petrio_units::Bytes;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What the block layer does.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BlockLayerParameters {
    /// One queue with an elevator, or blk-mq.
    pub multi_queue: bool,
    /// Requests in the scheduler before writers and readers wait (`nr_requests`); under blk-mq no more than twice what the device takes,
    /// or its host adapter, which takes 32 at least.
    pub requests: u32,
    /// The largest request (`max_sectors_kb`).
    pub largest_request: Bytes,
    /// The scheduler where the scenario names none: `cfq`, `mq-deadline`, `none`.
    pub scheduler: String,
    /// The schedulers that the kernel has. Left out: it isn't known, and none is told to be another kernel's.
    #[serde(default)]
    pub schedulers: Vec<String>,
    /// Whether cfq has service trees by kind of work (from 2.6.33 on).
    #[serde(default = "yes")]
    pub service_trees: bool,
    /// Whether write-back is held so that reads keep their latency (blk-wbt, from 4.10 on, where `multi_queue`).
    #[serde(default = "yes")]
    pub write_back_throttling: bool,
    /// What the scheduler is told of writes that fsync, O_SYNC or a commit waits for.
    #[serde(default)]
    pub awaited_writes: AwaitedWrites,
}

const fn yes() -> bool {
    true
}

/// What a scheduler is told of writes from the page cache and of a journal that somebody waits for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Persist)]
#[serde(rename_all = "kebab-case")]
pub enum AwaitedWrites {
    /// Nothing: they are plain writes, which cfq and anticipatory take for those that nobody waits for (before 2.6.26).
    Plain,
    /// Nothing but that somebody waits for what is written by sync_dirty_buffer, a commit's record and the superblock
    /// of the journal (before 2.6.30).
    PlainButRecord,
    /// That somebody waits, and that no more of his is to be expected soon (WRITE_SYNC with REQ_NOIDLE, from 2.6.30 on).
    #[default]
    Synchronous,
}
