//! What a shared-disk file system is made of, as it is written.

use super::placement::Placement;
use super::volume::METADATA_BLOCK;
use petrio_block::scsi::{ScsiError, ScsiParameters};
use petrio_colours::SECTOR_BYTES;
use petrio_persist::Persist;
use petrio_stage::Lever;
use petrio_units::{Bytes, Duration};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What tokens are of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Persist)]
#[serde(rename_all = "kebab-case")]
pub enum Granularity {
    /// Ranges of blocks, granted as widely as nobody stands in the way (GPFS).
    #[default]
    Range,
    /// Whole files (GFS).
    File,
}

/// The locks by which nodes keep what they have of files alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LockParameters {
    /// What tokens are of.
    pub granularity: Granularity,
    /// Whether a token stays with its node until another wants it.
    pub keep: bool,
    /// The manager's work on each message, as time of its host's processors.
    pub work: Duration,
}

impl Default for LockParameters {
    fn default() -> Self {
        Self { granularity: Granularity::default(), keep: true, work: Duration::ZERO }
    }
}

/// A file system on disks that all of its nodes reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SanParameters {
    /// How files' partitions lie over the disks.
    pub placement: Placement,
    /// Bytes of a file that lie on a disk in one piece.
    pub partition: Bytes,
    /// Bytes of a block: what is cached, read at least, and locked in ranges. A partition is some of them.
    pub block: Bytes,
    /// Memory of each node for blocks that it has tokens for; it is its own, beside the host's page cache.
    pub cache: Bytes,
    /// The largest request to a disk.
    pub largest_request: Bytes,
    /// What is read ahead of a reader at most who goes on where he left off.
    pub read_ahead: Bytes,
    /// How long what has been written waits for more before it is sent to the disks.
    pub write_back_after: Duration,
    /// How nodes and disks speak SCSI.
    pub scsi: ScsiParameters,
}

impl Default for SanParameters {
    fn default() -> Self {
        Self {
            placement: Placement::default(),
            partition: Bytes(1 << 20),
            block: Bytes(64 << 10),
            cache: Bytes(32 << 20),
            largest_request: Bytes(256 << 10),
            read_ahead: Bytes(1 << 20),
            write_back_after: Duration::new(petrio_kernel::Time::from_seconds(30.0)),
            scsi: ScsiParameters::default(),
        }
    }
}

/// Blocks that a cache has at least, so that calls of two processes have room beside each other.
const LEAST_BLOCKS: u64 = 8;

/// Why a shared-disk file system can't be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SanError {
    /// Blocks that disks don't have.
    #[error("a `block` of {block} isn't a multiple of 4 KiB; give one that is, such as 64 KiB")]
    Block {
        /// The block.
        block: Bytes,
    },
    /// Partitions that aren't made of blocks.
    #[error(
        "a `partition` of {partition} isn't made of blocks of {block}; give a multiple of it, such as 1 MiB"
    )]
    Partition {
        /// The partition.
        partition: Bytes,
        /// The block.
        block: Bytes,
    },
    /// Requests that aren't made of blocks, or are larger than a partition.
    #[error(
        "a `largest_request` of {request} isn't made of blocks of {block} within a partition of {partition}; give a multiple of the one up to the other"
    )]
    Request {
        /// The largest request.
        request: Bytes,
        /// The block.
        block: Bytes,
        /// The partition.
        partition: Bytes,
    },
    /// Requests of more device blocks than can be asked for.
    #[error(
        "a `largest_request` of {request} is more than a disk can be asked for at once; give less than 2 TiB"
    )]
    LongRequest {
        /// The largest request.
        request: Bytes,
    },
    /// A cache in which calls have no room.
    #[error(
        "a `cache` of {cache} holds less than {LEAST_BLOCKS} blocks of {block}; give a larger `cache`, or smaller blocks"
    )]
    Cache {
        /// The cache.
        cache: Bytes,
        /// The block.
        block: Bytes,
    },
    /// Data that would be sent at every instant.
    #[error("data that wait for no time are never together; let `write_back_after` be 1 ms or more")]
    WriteBack,
    /// SCSI's exchanges.
    #[error(transparent)]
    Scsi(#[from] ScsiError),
}

impl SanParameters {
    /// Whether it makes sense.
    ///
    /// # Errors
    /// See [`SanError`].
    pub fn check(&self) -> Result<(), SanError> {
        let &Self { partition, block, cache, largest_request: request, .. } = self;
        if block.get() == 0 || block.get() % METADATA_BLOCK != 0 {
            return Err(SanError::Block { block });
        }
        if partition.get() == 0 || partition.get() % block.get() != 0 {
            return Err(SanError::Partition { partition, block });
        }
        if request.get() == 0 || request.get() % block.get() != 0 || request > partition {
            return Err(SanError::Request { request, block, partition });
        }
        if u32::try_from(request.get() / SECTOR_BYTES).is_err() {
            return Err(SanError::LongRequest { request });
        }
        if cache.get() / block.get() < LEAST_BLOCKS {
            return Err(SanError::Cache { cache, block });
        }
        if self.write_back_after.time() < petrio_kernel::Time::from_millis(1) {
            return Err(SanError::WriteBack);
        }
        Ok(())
    }

    /// Blocks that a node's cache holds.
    pub fn cached_blocks(&self) -> u64 {
        self.cache.get() / self.block.get().max(1)
    }

    /// What could be better about it; its parameters stand at `path`.
    pub fn levers(&self, path: &str) -> Vec<Lever> {
        let twice = |bytes: Bytes| Bytes(bytes.get().saturating_mul(2));
        let mut levers = vec![
            Lever::twice("for room", "the cache", "a cache twice as large").set(
                path,
                "cache",
                twice(self.cache),
            ),
            Lever::twice("for reads", "read-ahead", "twice as much read ahead").set(
                path,
                "read_ahead",
                twice(self.read_ahead),
            ),
        ];
        levers.extend(self.scsi.levers(&format!("{path}.scsi")));
        levers
    }
}

impl LockParameters {
    /// What could be better about them; they stand at `path`.
    pub fn levers(&self, path: &str) -> Vec<Lever> {
        let faster = Lever::twice("for a token", "the lock manager", "a lock manager twice as fast")
            .halved(path, "work", self.work)
            .if_any();
        let finer = (self.granularity == Granularity::File).then(|| {
            Lever::instead("for a token", "locks", "locks of ranges of blocks").set(
                path,
                "granularity",
                "range",
            )
        });
        let kept = (!self.keep).then(|| {
            Lever::instead("for a token", "locks", "locks that stay with their hosts").set(path, "keep", true)
        });
        [faster, finer, kept].into_iter().flatten().collect()
    }
}
