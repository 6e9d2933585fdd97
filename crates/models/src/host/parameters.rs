//! What a host is made of: a machine, a kernel, and file systems on block devices.

use super::copy_cost::CopyCurveError;
use super::file_system::{FileError, FileSystemParameters, FormatError, Volume};
use super::kernel_profile::KernelParameters;
use super::laid_out::LaidOut;
use super::machine::MachineParameters;
use crate::Lever;
use petrio_colours::{BlockRequest, FileId};
use petrio_kernel::{Place, Watch};
use petrio_units::Bytes;
use std::sync::Arc;
use thiserror::Error;

/// A host.
#[derive(Clone, Debug, PartialEq)]
pub struct HostParameters {
    /// Its machine.
    pub machine: MachineParameters,
    /// Its kernel.
    pub kernel: KernelParameters,
    /// Memory for the page cache and processes' own pages; `None` for all that the machine has. A smaller one stands
    /// for a memory limit, like that of a cgroup.
    pub memory: Option<Bytes>,
    /// Dirty data at which the flusher begins, in place of the kernel's share.
    pub dirty_background: Option<Bytes>,
    /// Dirty data that nobody may exceed, in place of the kernel's share.
    pub dirty_limit: Option<Bytes>,
    /// Processes' own pages (anonymous and shared memory) that compete with the page cache.
    pub anonymous: Option<Bytes>,
    /// Swap space for these pages, at the end of the first file system's device; without any they stay in memory.
    pub swap: Option<Bytes>,
    /// How readily processes' pages are swapped out rather than files' dropped, 0 to 200 (`vm.swappiness`; 60 unless
    /// set).
    pub swappiness: u32,
}

impl HostParameters {
    /// Memory that the page cache and processes' own pages share.
    pub fn usable_memory(&self) -> Bytes {
        self.memory.unwrap_or(self.machine.memory)
    }

    /// What could be changed about it; its parameters stand at `path`, where those of machine and kernel have been
    /// changed as `change.machine` and `change.kernel`.
    pub fn levers(&self, path: &str) -> Vec<Lever> {
        let twice = |size: Bytes| Bytes(size.get().saturating_mul(2));
        let most = self.machine.memory;
        let mut memory = Lever::twice("memory", "size", "twice the memory");
        memory = match self.memory.map(twice) {
            Some(wanted) if wanted <= most => memory.set(path, "memory", wanted),
            Some(wanted) => memory.set(path, "memory", wanted).set(path, "change.machine.memory", wanted),
            None => memory.set(path, "change.machine.memory", twice(most)),
        };
        let levers = [
            memory,
            Lever::twice("processor", "number of processors", "twice as many processors").set(
                path,
                "change.machine.processors",
                self.machine.processors.saturating_mul(2),
            ),
            Lever::twice("throttled", "dirty limit", "a dirty limit twice as high")
                .set_some(path, "dirty_background", self.dirty_background.map(twice))
                .set_some(path, "dirty_limit", self.dirty_limit.map(twice)),
            Lever::twice("for-page", "read-ahead", "a read-ahead window twice as large").set(
                path,
                "read_ahead",
                twice(self.kernel.read_ahead.max),
            ),
        ];
        levers.into_iter().filter_map(Lever::if_any).collect()
    }
}

/// The memory that each file of a host that is simulated takes, in bytes: in the order of its mount's files (a list
/// that grows by doubling), in its volume, and in what the kernel remembers of it.
pub const BYTES_OF_A_FILE: usize =
    3 * size_of::<(FileId, bool)>() + Volume::BYTES_OF_A_FILE + size_of::<super::state::Inode>();

/// A file system of a host, and the device under it.
#[derive(Clone, Debug)]
pub struct Mount {
    /// The name of its page.
    pub name: String,
    /// Its position among the mounts of all hosts.
    pub position: u32,
    /// How it was made and is mounted.
    pub parameters: FileSystemParameters,
    /// The device's largest request in bytes.
    pub largest_request: u64,
    /// Dirty data of this file system that nobody may exceed, however much the host may have (`max_bytes` of its device
    /// with `strict_limit`; kernels since 3.2).
    pub dirty_limit: Option<Bytes>,
    /// What is on it.
    pub laid_out: Arc<LaidOut>,
    /// Whether it is still wanted while memory is being filled.
    pub watch: Watch,
    /// Where its requests go.
    pub requests: Place<BlockRequest>,
    /// Where they come back.
    pub completions: Place<BlockRequest>,
    /// The device that is the journal, where that isn't a part of the file system.
    pub log: Option<LogDevice>,
}

/// A device that is the journal of a file system on another.
#[derive(Clone, Copy, Debug)]
pub struct LogDevice {
    /// Its size in blocks of 4 KiB: as much of it as is to be used.
    pub blocks: u64,
    /// Where requests to it go.
    pub requests: Place<BlockRequest>,
    /// Where they come back.
    pub completions: Place<BlockRequest>,
}

/// Why a host can't be built.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum HostError {
    /// A file system that doesn't fit its device.
    #[error("file system \"{mount}\": {source}")]
    Format {
        /// The file system.
        mount: String,
        /// Why.
        source: FormatError,
    },
    /// A file that can't be prepared.
    #[error("file system \"{mount}\": {source}")]
    File {
        /// The file system.
        mount: String,
        /// Why.
        source: FileError,
    },
    /// A copy curve that can't be used.
    #[error("machine \"{machine}\": {source}")]
    Copy {
        /// The machine.
        machine: String,
        /// Why.
        source: CopyCurveError,
    },
    /// Memory that holds nothing.
    #[error("the host has {pages} pages of memory; a page cache needs at least 256 (1 MiB)")]
    Memory {
        /// Pages of 4096 bytes.
        pages: u64,
    },
    /// Somebody stopped it while it was being filled.
    #[error("file system \"{mount}\": it was stopped")]
    Stopped {
        /// The file system.
        mount: String,
    },
    /// No processor.
    #[error("machine \"{machine}\" has no processors; give it one")]
    Processors {
        /// The machine.
        machine: String,
    },
}
