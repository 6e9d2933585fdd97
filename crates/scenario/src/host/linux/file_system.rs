//! `[fs.NAME]`: a file system of a host, on a disk, an array or another part that holds blocks.

use crate::schema::read_apart;
use crate::text::tree::{Table, entry};
use crate::text::{Problem, Sources};
use petrio_models::block::scheduler::SchedulerParameters;
use petrio_models::host::Format;
use petrio_models::host::file_system::FileSystemParameters;
use petrio_models::host::xfs::XfsParameters;
use petrio_units::{Bytes, Duration, Rate};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A file system.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct FileSystem {
    /// Where it lies, what mounts it, and the queue before it.
    #[serde(flatten)]
    pub place: FileSystemPlace,
    /// Which it is, how it was made and is mounted.
    #[serde(flatten)]
    pub kind: FileSystemKind,
}

/// Which file system, how it was made and is mounted.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum FileSystemKind {
    /// ext3 or ext4.
    Ext(FileSystemParameters),
    /// XFS.
    Xfs(XfsParameters),
}

impl FileSystemKind {
    /// Its parameters, where it is ext3 or ext4.
    pub fn ext(&self) -> Option<&FileSystemParameters> {
        match self {
            Self::Ext(parameters) => Some(parameters),
            Self::Xfs(_) => None,
        }
    }

    /// Whether what is made durable leaves the device's write cache: always under XFS.
    pub(crate) fn has_barriers(&self) -> bool {
        self.ext().is_none_or(|parameters| parameters.barriers)
    }

    /// As it is formatted.
    pub(super) fn format(&self) -> Format {
        match self {
            Self::Ext(parameters) => Format::Ext(parameters.clone()),
            Self::Xfs(parameters) => Format::Xfs(parameters.clone()),
        }
    }

    /// The device that is its journal, where it has one of its own, and how much of that it uses.
    pub(super) fn log(&self) -> Option<(&str, Option<Bytes>)> {
        match self {
            Self::Ext(parameters) => Some((parameters.journal.on.as_deref()?, parameters.journal_size)),
            Self::Xfs(parameters) => Some((parameters.log.as_deref()?, parameters.log_size)),
        }
    }
}

/// Where a file system lies, what mounts it, and the queue before it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FileSystemPlace {
    /// The host that mounts it; may be left out where there is only one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// The disk, array, fabric or throttle that it lies on.
    pub on: String,
    /// How much of that it uses; left out, all of it.
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

const PLACE_KEYS: [&str; 9] = [
    "host",
    "on",
    "size",
    "scheduler",
    "queue_requests",
    "queue_depth",
    "write_back_latency",
    "dirty_limit",
    "believed_rate",
];

/// Reads a file system.
pub(super) fn read_file_system(table: &Table<'_>, sources: &Sources) -> Result<FileSystem, Vec<Problem>> {
    let written = entry(table.get_ref(), "type");
    if written.as_ref().is_some_and(|(_, value)| value.get_ref().as_str() == Some("xfs")) {
        let read = read_apart::<FileSystemPlace, XfsParameters>(table, &PLACE_KEYS, sources);
        return read.map(|(place, parameters)| FileSystem { place, kind: FileSystemKind::Xfs(parameters) });
    }
    let typed = written.is_some();
    let read = read_apart::<FileSystemPlace, FileSystemParameters>(table, &PLACE_KEYS, sources);
    if typed {
        return read.map(|(place, parameters)| FileSystem { place, kind: FileSystemKind::Ext(parameters) });
    }
    let missing = sources.error(table.span(), "\"type\" is missing").label("in this part");
    let missing =
        missing.help("say which file system it is: type = \"ext3\", type = \"ext4\" or type = \"xfs\"");
    Err(std::iter::once(missing).chain(read.err().into_iter().flatten()).collect())
}
