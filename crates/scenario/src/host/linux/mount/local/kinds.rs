//! Which file systems there are, where each lies, and the queue before it: as it is written.

use petrio_models::block::scheduler::SchedulerParameters;
use petrio_models::host::Format;
use petrio_models::host::file_system::FileSystemParameters;
use petrio_models::host::xfs::XfsParameters;
use petrio_units::{Bytes, Duration, Rate};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which file system, how it was made and is mounted.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum FileSystemKind {
    /// ext3 or ext4.
    Ext(FileSystemParameters),
    /// XFS.
    Xfs(XfsParameters),
    /// tmpfs.
    Tmpfs(TmpfsParameters),
    /// None: the device itself.
    Raw(RawParameters),
}

/// A file system that lives in memory, and in swap space where memory is short: it lies `on` nothing, `size` is what its files may
/// take together (left out, half of the host's memory), and it has neither a journal nor a queue.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TmpfsParameters {
    /// Which file system: `tmpfs`.
    #[serde(rename = "type")]
    pub family: TmpfsType,
}

/// The type of a file system in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TmpfsType {
    /// In memory alone.
    Tmpfs,
}

/// No file system: programs open the device `on` which it lies themselves, through its pages in the cache or past it (`direct`). Their
/// files are its partitions, one behind the other; they can be read and written over (`operation = "rewrite"`), and no more.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RawParameters {
    /// Which file system: `raw`, none.
    #[serde(rename = "type")]
    pub family: RawType,
}

/// The type of what is no file system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RawType {
    /// The device itself.
    Raw,
}

impl FileSystemKind {
    /// Its parameters, where it is ext3 or ext4.
    pub fn ext(&self) -> Option<&FileSystemParameters> {
        match self {
            Self::Ext(parameters) => Some(parameters),
            Self::Xfs(_) | Self::Tmpfs(_) | Self::Raw(_) => None,
        }
    }

    /// As it is formatted.
    pub(super) fn format(&self) -> Format {
        match self {
            Self::Ext(parameters) => Format::Ext(parameters.clone()),
            Self::Xfs(parameters) => Format::Xfs(parameters.clone()),
            Self::Tmpfs(_) => Format::Tmpfs,
            Self::Raw(_) => Format::Raw,
        }
    }

    /// The device that is its journal, where it has one of its own, and how much of that it uses.
    pub(super) fn log_apart(&self) -> Option<(&str, Option<Bytes>)> {
        match self {
            Self::Ext(parameters) => Some((parameters.journal.on.as_deref()?, parameters.journal_size)),
            Self::Xfs(parameters) => Some((parameters.log.as_deref()?, parameters.log_size)),
            Self::Tmpfs(_) | Self::Raw(_) => None,
        }
    }

    /// Whether the device is told of blocks that files give back (mount option `discard`).
    pub(crate) fn discards(&self) -> bool {
        match self {
            Self::Ext(parameters) => parameters.discard,
            Self::Xfs(parameters) => parameters.discard,
            Self::Tmpfs(_) | Self::Raw(_) => false,
        }
    }

    /// Whether what is made durable leaves the device's write cache, where it has one: always under XFS.
    pub(crate) fn has_barriers(&self) -> bool {
        self.ext().is_none_or(|parameters| parameters.barriers)
    }
}

/// Where a file system lies, what mounts it, and the queue before it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FileSystemPlace {
    /// The host that mounts it; may be left out where there is only one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// The disk, array, fabric or throttle that it lies on; left out for tmpfs, which lies in memory, and for no other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on: Option<String>,
    /// How much of that it uses; left out, all of it, or half of the host's memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<Bytes>,
    /// The I/O scheduler of the queue before the device: a name, or a table with `kind` and parameters; left out, the
    /// kernel's. An array or concatenation that the host makes itself has no queue; each of its members has one like this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scheduler: Option<SchedulerParameters>,
    /// Requests in the queue before others wait (`nr_requests`); left out, the kernel's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue_requests: Option<u32>,
    /// Requests that the device, or each member of an array of the host, is given at a time; left out, as many as it accepts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue_depth: Option<u32>,
    /// The latency that reads are to keep beside write-back, which is held for it (`wbt_lat_usec`; kernels since 4.10); left
    /// out, 75 ms on disks and 2 ms on others, and none under bfq. Zero switches that off.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub write_back_latency: Option<Duration>,
    /// Dirty data of this file system that nobody may exceed, however much the host may have (`max_bytes` of its device
    /// with `strict_limit`; kernels since 3.2); left out, only the host's limits hold.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dirty_limit: Option<Bytes>,
    /// The rate at which the kernel believes its device to write when the run begins, as after long use; left out, 100
    /// MiB/s, as of one that it has just found (kernels since 3.2). Writers are held back by it until it is measured anew.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub believed_rate: Option<Rate>,
}
