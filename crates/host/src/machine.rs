//! What a machine's processor and memory cost a storage path: calls, page-cache work, copies.
//!
//! A machine profile is measured (`petrio calibrate`) or put together from data sheets and papers; every figure of one
//! in `catalogue/machines/` says which. The structures here are its TOML, its JSON schema and its documentation at
//! once.

use petrio_kernel::Time;
use petrio_stage::cost::Cost;
use petrio_units::{Bytes, Duration};
use schemars::JsonSchema;
use serde::de::{Deserializer, Error as _};
use serde::{Deserialize, Serialize};

/// A machine: processors, memory, and what the storage path costs on them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MachineParameters {
    /// What the machine is called.
    pub name: String,
    /// Where the figures come from.
    #[serde(default)]
    pub source: String,
    /// What one costs, and what it draws.
    #[serde(default, skip_serializing_if = "Cost::is_empty")]
    pub cost: Cost,
    /// Processors that run at the same time.
    pub processors: u32,
    /// Main memory.
    pub memory: Bytes,
    /// Second-level cache of a processor, from which a copy curve of the kind `threshold` follows that gives none of its
    /// own. Where copies were measured it would change nothing, and is refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub l2: Option<Bytes>,
    /// How many times as fast as the figures here say its processors do all that they do: calls, copies, protocols, parity, and what
    /// programs compute. From a millionth to a million.
    #[serde(default = "as_told", skip_serializing_if = "is_as_told", deserialize_with = "speed")]
    #[schemars(range(min = 1e-6, max = 1e6))]
    pub speed: f64,
    /// How fast programs compute on it, beside the machine of the computing times that a workload tells: 2 is twice as fast.
    /// From a millionth to a million.
    #[serde(default = "as_told", skip_serializing_if = "is_as_told", deserialize_with = "speed")]
    #[schemars(range(min = 1e-6, max = 1e6))]
    pub computing_speed: f64,
    /// The way into the kernel and back.
    pub calls: CallCosts,
    /// Work in the page cache and the file system.
    pub cache: CacheCosts,
    /// Copies between a process and the page cache.
    pub copy: CopyCosts,
    /// Work in the block layer and the device's driver.
    pub block: BlockCosts,
}

fn speed<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    let speed = f64::deserialize(deserializer)?;
    match (1e-6..=1e6).contains(&speed) {
        true => Ok(speed),
        false => Err(D::Error::custom("a speed is a number from 1e-6 to 1e6: 1 is as fast as is said")),
    }
}

const fn as_told() -> f64 {
    1.0
}

#[allow(clippy::trivially_copy_pass_by_ref)] // As serde asks for it.
fn is_as_told(speed: &f64) -> bool {
    (*speed - as_told()).abs() < f64::EPSILON
}

/// What calls cost that find everything in memory, without what [`CacheCosts`] and [`CopyCosts`] add.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CallCosts {
    /// read(2) or pread(2), from the call to the first look into the page cache, and back.
    pub read: Duration,
    /// write(2) or pwrite(2), likewise.
    pub write: Duration,
    /// fsync(2) or fdatasync(2) on a file without anything to write.
    pub fsync: Duration,
    /// open(2) and close(2) of a file that is known, together.
    pub open: Duration,
    /// A call that changes a directory: create, unlink, mkdir, rename; stat and readdir a half of it.
    pub namespace: Duration,
    /// A fault of a load from a mapped file whose page is in memory: it and those of its neighbours that are there are
    /// mapped. Left out, 0.9 µs, as measured on an AMD EPYC under Linux 6.18.
    #[serde(default = "fault")]
    pub fault: Duration,
    /// A fault of a store into a page of a mapped file that has not been written to since it was last clean, without
    /// what [`CacheCosts`] add for its buffers. Left out, 2.6 µs, as measured there.
    #[serde(default = "store_fault")]
    pub store_fault: Duration,
    /// A call of fread or fwrite in the C library, without the system calls that it makes.
    pub stdio: Duration,
}

/// What page-cache and file-system work costs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CacheCosts {
    /// Finding a page (of a cache of large folios: a folio) and marking it accessed.
    pub hit: Duration,
    /// Each further 4 KiB page of a large folio, where there are any.
    pub folio_page: Duration,
    /// Getting a page of memory and inserting it into the cache, on a read that misses.
    pub insert: Duration,
    /// Preparing and finishing the write of a page (of a cache of large folios: a folio) that is in the cache and has
    /// its block (write_begin, commit_write).
    pub write_page: Duration,
    /// The same for each further 4 KiB page of a large folio that is written to: the file system walks the buffers of
    /// them all, however little is written.
    #[serde(default = "nothing", skip_serializing_if = "is_nothing")]
    pub buffer: Duration,
    /// Getting and inserting a page for a write that extends a file or fills a hole; reserved or allocated blocks
    /// apart.
    pub new_page: Duration,
    /// Finding and accounting for a new block, with its journal credits, for each page that gets one.
    pub allocate: Duration,
    /// The search for blocks itself, for each piece of a write (of up to 128 KiB) that gets some.
    #[serde(default = "nothing", skip_serializing_if = "is_nothing")]
    pub allocate_call: Duration,
    /// The same for the first blocks of a file, which has no place yet.
    #[serde(default = "nothing", skip_serializing_if = "is_nothing")]
    pub allocate_file: Duration,
    /// Giving back a page of memory, in reclaim or truncation.
    pub reclaim: Duration,
    /// Starting and ending a journal handle, for each call or page that needs one.
    pub journal_handle: Duration,
    /// Making the buffers of a large folio that was read in, when it is first written to: each of its pages.
    #[serde(default = "nothing", skip_serializing_if = "is_nothing")]
    pub new_buffer: Duration,
    /// What a call costs more that doesn't go on where the last one on its file ended, by the size of the file; left
    /// out, nothing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub jumps: Vec<JumpCost>,
}

/// What a jump within a file in memory costs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct JumpCost {
    /// Bytes over which calls jump: the size of the file.
    pub footprint: Bytes,
    /// A read.
    pub read: Duration,
    /// A write.
    pub write: Duration,
    /// A write, for each further page of the large folio that it begins in.
    pub buffer: Duration,
}

impl CallCosts {
    /// What a fault is taken to cost where nobody has measured it.
    pub const FAULT: Duration = Duration::new(Time::from_nanos(900));
    /// The same of a store's.
    pub const STORE_FAULT: Duration = Duration::new(Time::from_nanos(2_600));
}

fn fault() -> Duration {
    CallCosts::FAULT
}

fn store_fault() -> Duration {
    CallCosts::STORE_FAULT
}

fn nothing() -> Duration {
    Duration::ZERO
}

fn is_nothing(duration: &Duration) -> bool {
    *duration == Duration::ZERO
}

/// What copies cost.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CopyCosts {
    /// From the page cache to the process (reads).
    pub to_user: CopyCurve,
    /// From the process to the page cache (writes).
    pub from_user: CopyCurve,
}

/// The time to copy one page of 4096 bytes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum CopyCurve {
    /// The dissertation's rule (§4.5): calls of up to `threshold` bytes copy within the second-level cache; of a longer
    /// one, the pages beyond the threshold come from memory.
    Threshold {
        /// S_threshold: the largest call that stays within the second-level cache; left out, an eighth of `l2` (its
        /// table 2).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        threshold: Option<Bytes>,
        /// T_L2: a page within the cache.
        page_in_l2: Duration,
        /// T_memory: a page from memory.
        page_from_memory: Duration,
    },
    /// Measured points; between them the time is interpolated in the logarithm of both sizes, beyond them it is that of
    /// the nearest.
    Measured {
        /// The points: a full grid of `block` and `footprint`.
        points: Vec<CopyPoint>,
    },
}

/// A measured point of a copy curve.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CopyPoint {
    /// Bytes that a call copies: the size of the process' buffer.
    pub block: Bytes,
    /// Bytes that calls walk through before they come back to the same page: the size of the file.
    pub footprint: Bytes,
    /// Time for each page of 4096 bytes.
    pub page: Duration,
}

/// What the block layer costs a processor.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BlockCosts {
    /// Making a request and giving it to the driver.
    pub submit: Duration,
    /// Handling a request's completion.
    pub complete: Duration,
    /// Waking the process that waits for it, until it runs.
    pub wake_up: Duration,
}
