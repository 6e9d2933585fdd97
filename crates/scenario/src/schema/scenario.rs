//! The whole file.

use crate::schema::disk::Disk;
use crate::schema::file_system::FileSystem;
use crate::schema::host::Host;
use crate::schema::measure::Measure;
use crate::schema::nesting::with_nesting;
use crate::schema::replication::{Replication, UnixHost};
use crate::schema::storage::{Fabric, Raid, Throttle};
use crate::schema::workload::Workload;
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A scenario: a system, what it is asked to do, what to measure and when to stop.
///
/// Parts are named (`[disk.d0]`, `[workload.readers]`) and referred to by name or pattern. They may own others
/// (`[host.server.disk.d]`), repeat with them (`count = 4`) and be described in files of their own (`use = "server.toml"`); a part's name
/// is then its path (`server2/d3`), and references are looked for from where they stand outward to the root.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
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
    /// Several disks as one, by name.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub raid: IndexMap<String, Raid>,
    /// Networks between hosts and their storage, by name.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub fabric: IndexMap<String, Fabric>,
    /// Limits on what is asked of a device, by name.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub throttle: IndexMap<String, Throttle>,
    /// Several copies of files on several disks, by name.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub replication: IndexMap<String, Replication>,
    /// The hosts, by name.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub host: IndexMap<String, Host>,
    /// Unix hosts of 1990, each with its file system, by name.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub unix: IndexMap<String, UnixHost>,
    /// The file systems, by name.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub fs: IndexMap<String, FileSystem>,
    /// The workloads, by name. They run side by side.
    #[serde(default)]
    pub workload: IndexMap<String, Workload>,
    /// What to measure, and when to stop.
    #[serde(default)]
    pub measure: Measure,
}

fn first_seed() -> u64 {
    1
}

/// The JSON schema of a user specification.
pub fn users_schema() -> schemars::Schema {
    let mut schema = schemars::schema_for!(petrio_workload::users::UserSpecification);
    schema.insert("title".to_owned(), "petrio user specification".into());
    schema
}

/// The JSON schema of the scenario file, for editors.
pub fn json_schema() -> schemars::Schema {
    let mut schema = schemars::schema_for!(Scenario);
    schema.insert("title".to_owned(), "petrio scenario".into());
    with_nesting(&mut schema);
    schema
}
