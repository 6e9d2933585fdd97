//! What a host is made of, beside the file systems that it mounts: a machine, a kernel, memory.

use super::copy_cost::CopyCurveError;
use super::file_system::{FileError, FormatError};
use super::kernel_profile::KernelParameters;
use super::machine::MachineParameters;
use petrio_stage::{Lever, TWICE};
use petrio_units::Bytes;
use thiserror::Error;

/// A host.
#[derive(Clone, Debug, PartialEq)]
pub struct HostParameters {
    /// Its machine.
    pub machine: MachineParameters,
    /// Its kernel.
    pub kernel: KernelParameters,
    /// Memory for the page cache and processes' own pages; `None` for all that the machine has. Less stands
    /// for a memory limit, like that of a cgroup, more for modules that were added.
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

/// By how much a window of read-ahead is made larger to see whether that helps: from the usual 128 KiB to the 1 MiB to which
/// administrators of file servers set it. Twice the window of a kernel that reads larger requests as a whole changes nothing.
const WIDER_READ_AHEAD: u64 = 8;

impl HostParameters {
    /// Memory that the page cache and processes' own pages share.
    pub fn usable_memory(&self) -> Bytes {
        self.memory.unwrap_or(self.machine.memory)
    }

    /// What could be changed about it; its parameters stand at `path`, where those of machine and kernel have been
    /// changed as `change.machine` and `change.kernel`. `read_ahead` is the largest window of its devices.
    pub fn levers(&self, path: &str, read_ahead: Bytes) -> Vec<Lever> {
        let twice = |size: Bytes| Bytes(size.get().saturating_mul(2));
        let mut memory = Lever::twice("memory", "size", "twice the memory");
        memory = match self.memory.map(twice) {
            Some(wanted) => memory.set(path, "memory", wanted),
            None => memory.set(path, "change.machine.memory", twice(self.machine.memory)),
        };
        let levers = [
            memory,
            Lever::twice("processor", "number of processors", "twice as many processors").set(
                path,
                "change.machine.processors",
                self.machine.processors.saturating_mul(2),
            ),
            Lever::twice("processor", "computing speed", "programs computing twice as fast").set(
                path,
                "change.machine.computing_speed",
                self.machine.computing_speed * TWICE,
            ),
            Lever::twice("processor", "the processors", "the processors twice as fast")
                .set(path, "change.machine.speed", self.machine.speed * TWICE)
                .covering(&["the processors"]),
            Lever::twice("throttled", "dirty limit", "a dirty limit twice as high")
                .set_some(path, "dirty_background", self.dirty_background.map(twice))
                .set_some(path, "dirty_limit", self.dirty_limit.map(twice)),
            Lever::times(
                WIDER_READ_AHEAD as f64,
                ("for-page", "read-ahead"),
                "a read-ahead window eight times as large",
            )
            .set(path, "read_ahead", Bytes(read_ahead.get().saturating_mul(WIDER_READ_AHEAD))),
        ];
        levers.into_iter().filter_map(Lever::if_any).collect()
    }
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
