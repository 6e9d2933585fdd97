//! What a scenario says of an XFS file system: how it was made and how it is mounted.
//!
//! Defaults are those of mkfs.xfs 6.1 and of the mount options of Linux 6.18. Left out: other block, inode and sector sizes, stripes,
//! realtime devices, quotas, reflinks, and `discard`: a device is told of no freed block.

use super::geometry::Geometry;
use super::log::LogParameters;
use crate::host::file_system::{AccessTimes, BLOCK_SIZE, FormatError};
use petrio_units::{Bytes, Fraction};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An XFS file system.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct XfsParameters {
    /// Allocation groups (`mkfs.xfs -d agcount=`); left out, four up to 4 TiB, beyond as large ones as may be.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub groups: Option<u32>,
    /// Size of the log (`mkfs.xfs -l size=`); left out, 64 MiB, or a 2,048th of the file system where that is more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log_size: Option<Bytes>,
    /// Whether the log lies on a device of its own.
    #[serde(skip)]
    pub log_apart: bool,
    /// Size of each log buffer (mount option `logbsize`).
    pub log_buffer: Bytes,
    /// Log buffers (mount option `logbufs`).
    pub log_buffers: u32,
    /// What is allocated ahead of a file that grows (mount option `allocsize`); left out, as much as the file has already.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allocation: Option<Bytes>,
    /// Whether the device's write cache is flushed, and log writes go past it (`barrier`, which can't be switched off since 4.19).
    pub barriers: bool,
    /// When reading a file changes the time of its last access.
    pub access_times: AccessTimes,
    /// Share of the pieces of prepared files that lie somewhere else than behind the piece before.
    pub fragmentation: Fraction,
    /// Size of these pieces.
    pub fragment: Bytes,
}

impl Default for XfsParameters {
    fn default() -> Self {
        Self {
            groups: None,
            log_size: None,
            log_apart: false,
            log_buffer: Bytes::from_kib(32),
            log_buffers: 8,
            allocation: None,
            barriers: true,
            access_times: AccessTimes::Relative,
            fragmentation: Fraction::ZERO,
            fragment: Bytes::from_kib(128),
        }
    }
}

impl XfsParameters {
    /// Where everything lies on a device of so many blocks of 4 KiB.
    ///
    /// # Errors
    /// As of [`Geometry::new`], and where a log buffer isn't a power of two from 16 to 256 KiB, or there aren't 2 to 8 of them.
    pub fn geometry(&self, blocks: u64) -> Result<Geometry, FormatError> {
        let parameter =
            |parameter, value, expected| Err(FormatError::Parameter { parameter, value, expected });
        let buffer = self.log_buffer.get();
        if !(16 << 10..=256 << 10).contains(&buffer) || !buffer.is_power_of_two() {
            return parameter("log_buffer", buffer, "it is a power of two from 16 KiB to 256 KiB");
        }
        if !(2..=8).contains(&self.log_buffers) {
            return parameter("log_buffers", self.log_buffers.into(), "there are 2 to 8");
        }
        if let Some(size) = self.allocation.map(Bytes::get)
            && (!(BLOCK_SIZE..=1 << 30).contains(&size) || !size.is_power_of_two())
        {
            return parameter("allocation", size, "it is a power of two from 4 KiB to 1 GiB");
        }
        let log = self.log_size.map(|size| size.get() / BLOCK_SIZE);
        Geometry::new(blocks, self.groups, log, self.log_apart)
    }

    /// The log in the blocks from `first` on.
    #[must_use]
    pub fn log(&self, first: u64, blocks: u64) -> LogParameters {
        LogParameters {
            first_block: first,
            blocks,
            buffer_bytes: self.log_buffer.get(),
            buffers: self.log_buffers,
            round_bytes: 512,
        }
    }
}
