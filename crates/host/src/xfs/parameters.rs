//! What a scenario says of an XFS file system: how it was made and how it is mounted.
//!
//! Defaults are those of mkfs.xfs 6.1 and of the mount options of Linux 6.18. Left out: other block, inode and sector sizes, stripes,
//! realtime devices, quotas and reflinks.

use super::geometry::Geometry;
use super::log::LogParameters;
use crate::file_system::{AccessTimes, BLOCK_SIZE, FormatError};
use petrio_units::{Bytes, Fraction};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The type of an XFS file system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum XfsType {
    /// XFS.
    #[default]
    Xfs,
}

/// An XFS file system.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct XfsParameters {
    /// Which file system: `xfs`.
    #[serde(rename = "type")]
    pub family: XfsType,
    /// Allocation groups (`mkfs.xfs -d agcount=`); left out, four up to 4 TiB, beyond as large ones as may be.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agcount: Option<u32>,
    /// Size of the log (`mkfs.xfs -l size=`); left out, 64 MiB, or a 2,048th of the file system where that is more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log_size: Option<Bytes>,
    /// The disk, array or other part that is the log (`mkfs.xfs -l logdev=`); left out, it lies in the middle group.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log: Option<String>,
    /// Size of each log buffer (mount option `logbsize`).
    pub logbsize: Bytes,
    /// Log buffers (mount option `logbufs`).
    pub logbufs: u32,
    /// What is allocated ahead of a file that grows (mount option `allocsize`); left out, as much as the file has already.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allocsize: Option<Bytes>,
    /// Whether the device is told of blocks that files gave back, once the checkpoint is in the log that says so (mount option
    /// `discard`). It does nothing where something on the way to the devices takes no discards.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub discard: bool,
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
            family: XfsType::Xfs,
            agcount: None,
            log_size: None,
            log: None,
            logbsize: Bytes::from_kib(32),
            logbufs: 8,
            allocsize: None,
            discard: false,
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
        let buffer = self.logbsize.get();
        if !(16 << 10..=256 << 10).contains(&buffer) || !buffer.is_power_of_two() {
            return parameter("logbsize", buffer, "it is a power of two from 16 KiB to 256 KiB");
        }
        if !(2..=8).contains(&self.logbufs) {
            return parameter("logbufs", self.logbufs.into(), "there are 2 to 8");
        }
        if let Some(size) = self.allocsize.map(Bytes::get)
            && (!(BLOCK_SIZE..=1 << 30).contains(&size) || !size.is_power_of_two())
        {
            return parameter("allocsize", size, "it is a power of two from 4 KiB to 1 GiB");
        }
        let log = self.log_size.map(|size| size.get() / BLOCK_SIZE);
        Geometry::new(blocks, self.agcount, log, self.log.is_some())
    }

    /// The log in the blocks from `first` on.
    #[must_use]
    pub fn log_in(&self, first: u64, blocks: u64) -> LogParameters {
        LogParameters {
            first_block: first,
            blocks,
            buffer_bytes: self.logbsize.get(),
            buffers: self.logbufs,
            round_bytes: 512,
        }
    }
}
