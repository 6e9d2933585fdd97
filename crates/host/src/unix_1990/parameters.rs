//! What a Unix host of 1990 is made of.

use petrio_persist::Persist;
use petrio_stage::Lever;
use petrio_stage::lever::doubled;
use petrio_units::numbers::whole_part;
use petrio_units::{Bytes, Duration, Fraction, Rate};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A Unix host of 1990. The defaults are Ivy's (§4.5, §5.1): a tenth of memory for buffers, blocks of 8 KiB, a sync
/// daemon every 30 seconds, and processor time that costs nothing (§4.1).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct UnixParameters {
    /// Main memory.
    pub memory: Bytes,
    /// The share of it that holds file blocks.
    pub buffer_share: Fraction,
    /// A block of the file system, and a buffer.
    pub block: Bytes,
    /// The smallest piece of a block that a file's end takes.
    pub fragment: Bytes,
    /// Size of a cylinder group, in which a directory's files are kept together.
    pub cylinder_group: Bytes,
    /// How often the sync daemon comes.
    pub sync_interval: Duration,
    /// How long a write must have been delayed for the daemon to write it.
    pub delayed: Duration,
    /// Whether the block after one read in sequence is read ahead.
    pub read_ahead: bool,
    /// Whether changes of directories and inodes are written (synchronously). Ivy leaves them out.
    pub metadata: bool,
    /// What a read finds in the buffers.
    pub reads: RecordedReads,
    /// Processors.
    pub processors: u32,
    /// Processor time of a system call.
    pub call: Duration,
    /// Processes that read ahead and write behind over NFS, one block each at a time (biod(8)); without any a process waits for each
    /// block itself.
    pub biods: u32,
    /// How fast data are copied between a process and the buffers; without one, at once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub copy: Option<Rate>,
}

/// What a read finds in the buffers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Persist)]
#[serde(rename_all = "kebab-case")]
pub enum RecordedReads {
    /// What the simulated buffers hold.
    #[default]
    Simulated,
    /// Nothing but what was read ahead: the workload is a trace that has only those reads that missed on the machine
    /// that was traced (Ivy, §3.2), so a block that is read again has been given up in between.
    Missed,
}

impl Default for UnixParameters {
    fn default() -> Self {
        Self {
            memory: Bytes::from_mib(24),
            buffer_share: Fraction::new(0.1).unwrap_or_default(),
            block: Bytes(8 << 10),
            fragment: Bytes(1 << 10),
            cylinder_group: Bytes::from_mib(4),
            sync_interval: Duration::new(petrio_kernel::Time::from_millis(30_000)),
            delayed: Duration::new(petrio_kernel::Time::from_millis(30_000)),
            read_ahead: true,
            metadata: true,
            reads: RecordedReads::Simulated,
            processors: 1,
            call: Duration::ZERO,
            // SunOS 4.1's /etc/rc: "biod 4".
            biods: 4,
            copy: None,
        }
    }
}

/// Why a host can't be built.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnixError {
    /// A size that the layout can't use.
    #[error("{parameter} is {found} bytes; {expected}")]
    Size {
        /// Which.
        parameter: &'static str,
        /// What it is.
        found: u64,
        /// What it should be.
        expected: &'static str,
    },
    /// Fewer buffers than a read and its read-ahead need.
    #[error(
        "{buffers} buffers are too few: give it more memory, or a larger buffer_share (4 buffers at least)"
    )]
    Buffers {
        /// How many.
        buffers: u64,
    },
    /// No processors.
    #[error("a host needs a processor; processors is 0")]
    Processors,
    /// A sync daemon that never rests.
    #[error("sync_interval is {found}; give it {least} or more, such as 30 s")]
    Interval {
        /// What it is.
        found: Duration,
        /// What it must be.
        least: Duration,
    },
    /// A device larger than its addresses reach.
    #[error(
        "a device of {blocks} blocks of 512 bytes is too large for a Unix file system of 1990, whose addresses reach {most} (1 TiB)"
    )]
    TooLarge {
        /// Blocks of the device.
        blocks: u64,
        /// The most that there can be.
        most: u64,
    },
    /// Files that don't fit.
    #[error(
        "the files need more than the {blocks} blocks that the file system has; take a larger disk, or of a trace of device requests less device_room"
    )]
    Full {
        /// Blocks of the file system.
        blocks: u64,
    },
    /// Files on another host's file system that can't be there.
    #[error(
        "the files of \"{name}\" can't all be on it; look for names that there are twice, or files of more than 1 TiB"
    )]
    Mounted {
        /// What is mounted.
        name: String,
    },
    /// One of several file systems can't be made.
    #[error("of its file system \"{name}\": {error}")]
    OneOf {
        /// Which.
        name: String,
        /// What is wrong with it.
        error: Box<UnixError>,
    },
}

/// Blocks of 512 bytes that an address of a block reaches: `daddr_t` has 32 bits and a sign (4.3BSD, sys/types.h).
pub const DEVICE_BLOCKS_MAX: u64 = 1 << 31;

impl UnixParameters {
    /// What could be changed about it; its parameters stand at `path`.
    pub fn levers(&self, path: &str) -> Vec<Lever> {
        let memory = Bytes(self.memory.get().saturating_mul(2));
        let levers = [
            Lever::twice("memory", "size", "twice the memory").set(path, "memory", memory),
            Lever::twice("processor", "the processors", "the processors twice as fast")
                .halved(path, "call", self.call)
                .set_some(path, "copy", self.copy.and_then(doubled))
                .covering(&["the processors"]),
        ];
        levers.into_iter().filter_map(Lever::if_any).collect()
    }

    /// Whether its file system can lie on a device of so many blocks of 512 bytes.
    ///
    /// # Errors
    /// [`UnixError::TooLarge`].
    pub fn check_device(&self, blocks: u64) -> Result<(), UnixError> {
        if blocks > DEVICE_BLOCKS_MAX {
            return Err(UnixError::TooLarge { blocks, most: DEVICE_BLOCKS_MAX });
        }
        Ok(())
    }

    /// Buffers in the cache.
    pub fn buffers(&self) -> u64 {
        whole_part(self.memory.get() as f64 * self.buffer_share.get()) / self.block.get().max(1)
    }

    /// Whether a host can be built of them.
    ///
    /// # Errors
    /// See [`UnixError`].
    pub fn check(&self) -> Result<(), UnixError> {
        let size = |parameter, found, expected| Err(UnixError::Size { parameter, found, expected });
        let (block, fragment) = (self.block.get(), self.fragment.get());
        if !block.is_power_of_two() || !(512..=1 << 16).contains(&block) {
            return size("block", block, "a power of two from 512 B to 64 KiB was expected");
        }
        if !fragment.is_power_of_two() || fragment < 512 || fragment > block {
            return size("fragment", fragment, "a power of two from 512 B to the block's size was expected");
        }
        if self.cylinder_group.get() < 16 * block {
            return size("cylinder_group", self.cylinder_group.get(), "16 blocks at least were expected");
        }
        if self.buffers() < 4 {
            return Err(UnixError::Buffers { buffers: self.buffers() });
        }
        if self.processors == 0 {
            return Err(UnixError::Processors);
        }
        // The daemon sleeps for whole seconds (sleep(3)); the least is what keeps time passing.
        let least = Duration::new(petrio_kernel::Time::from_millis(10));
        if self.sync_interval < least {
            return Err(UnixError::Interval { found: self.sync_interval, least });
        }
        Ok(())
    }
}
