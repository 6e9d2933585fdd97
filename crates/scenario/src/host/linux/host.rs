//! `[host.NAME]`: a machine under a kernel, on which file systems are mounted.

use crate::schema::nothing_required;
use petrio_models::host::kernel_profile::KernelParameters;
use petrio_models::host::machine::MachineParameters;
use petrio_units::Bytes;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};

/// A machine under a kernel.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Host {
    /// What calls, page-cache work and copies cost: a machine of the catalogue ("poweredge-1850";
    /// `petrio catalogue list machines` names them all), or a file of your own in the same form ("my-machine.toml",
    /// relative to the scenario's folder).
    pub machine: String,
    /// How the kernel behaves: a kernel of the catalogue ("linux-6.18"; `petrio catalogue list kernels` names them
    /// all), or a file of your own in the same form.
    pub kernel: String,
    /// Memory for the page cache and the processes' own pages; left out, all that the machine has. Less
    /// stands for a memory limit, like that of a cgroup; more for modules that were added.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<Bytes>,
    /// Dirty data at which the flusher begins to write (`dirty_background_bytes`); left out, the kernel's share of
    /// memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dirty_background: Option<Bytes>,
    /// Dirty data that nobody may exceed (`dirty_bytes`); left out, the kernel's share of memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dirty_limit: Option<Bytes>,
    /// The largest window of read-ahead (`read_ahead_kb`) of all its devices; left out, the kernel's for each: of linux-6.18
    /// twice the largest request for what turns, and of all kernels two stripes for an array that the host makes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_ahead: Option<Bytes>,
    /// Processes' own pages, which compete with the page cache for memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub anonymous: Option<Bytes>,
    /// Swap space for these pages, at the end of the first file system's device; without any they stay in memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub swap: Option<Bytes>,
    /// How readily processes' pages are swapped out rather than files' dropped, 0 to 200 (`vm.swappiness`).
    #[serde(default = "usual_swappiness")]
    pub swappiness: u32,
    /// Figures of the machine and of the kernel that differ from the catalogue's: change.machine.calls.read = "2 us",
    /// change.kernel.write_back.expire = "5 s".
    #[serde(default, skip_serializing_if = "Change::is_empty")]
    pub change: Change,
}

/// The kernel's `vm.swappiness` (mm/vmscan.c).
const USUAL_SWAPPINESS: u32 = 60;

fn usual_swappiness() -> u32 {
    USUAL_SWAPPINESS
}

/// Figures that differ from those of the catalogue.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Change {
    /// Of the machine.
    #[serde(skip_serializing_if = "toml::Table::is_empty")]
    #[schemars(schema_with = "partial_machine")]
    pub machine: toml::Table,
    /// Of the kernel.
    #[serde(skip_serializing_if = "toml::Table::is_empty")]
    #[schemars(schema_with = "partial_kernel")]
    pub kernel: toml::Table,
}

impl Change {
    fn is_empty(&self) -> bool {
        self.machine.is_empty() && self.kernel.is_empty()
    }
}

fn partial_machine(generator: &mut SchemaGenerator) -> Schema {
    nothing_required::<MachineParameters>(generator)
}

fn partial_kernel(generator: &mut SchemaGenerator) -> Schema {
    nothing_required::<KernelParameters>(generator)
}
