//! The whole scenario file: one struct tree of what its parts are.

use crate::holder::Holders;
use crate::host::Hosts;
use crate::schema::{Adapter, Disk, Measure, fits};
use crate::workload::Workload;
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A scenario: a system, what it is asked to do, what to measure and when to stop.
///
/// Parts are named (`[disk.d0]`, `[workload.readers]`) and referred to by name or pattern. They may own others
/// (`[host.server.disk.d]`), repeat with them (`count = 4`) and be described in files of their own
/// (`use = "server.toml"`); a part's name is then its path (`server2/d3`), and references are looked for from where
/// they stand outward to the root.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Scenario {
    /// What the scenario is about, in a line; the report's headline. Left out, it is the file's name.
    #[serde(default)]
    pub title: String,
    /// Where random numbers begin. The same scenario and seed give the same report, byte for byte.
    #[serde(default = "first_seed")]
    pub seed: u64,
    /// The disks, by name.
    #[serde(default)]
    pub disk: IndexMap<String, Disk>,
    /// Host bus adapters on whose channels disks hang, by name.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub hba: IndexMap<String, Adapter>,
    /// What holds blocks and lies on disks.
    #[serde(flatten)]
    pub holders: Holders,
    /// What takes operations on files.
    #[serde(flatten)]
    pub hosts: Hosts,
    /// The workloads, by name. They run side by side.
    #[serde(default)]
    pub workload: IndexMap<String, Workload>,
    /// What to measure, and when to stop.
    #[serde(default)]
    pub measure: Measure,
}

impl Scenario {
    /// The workloads for which one waits by its `after`, in the order in which they stand.
    pub(crate) fn before(&self, name: &str) -> Vec<&str> {
        let after = self.workload.get(name).and_then(Workload::after);
        let named = |other: &&String| after.is_some_and(|names| names.iter().any(|name| fits(name, other)));
        self.workload.keys().filter(|&other| other != name).filter(named).map(String::as_str).collect()
    }
}

fn first_seed() -> u64 {
    1
}

/// What is left of a scenario when those parts are taken out that are read alone.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Head {
    #[serde(default)]
    pub(crate) title: String,
    #[serde(default = "first_seed")]
    pub(crate) seed: u64,
    #[serde(default)]
    pub(crate) disk: IndexMap<String, Disk>,
    #[serde(default)]
    pub(crate) hba: IndexMap<String, Adapter>,
    #[serde(default)]
    pub(crate) measure: Measure,
}
