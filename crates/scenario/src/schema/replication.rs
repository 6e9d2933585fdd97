//! `[replication.NAME]`: several copies of files on several disks; and `[unix.NAME]`: a Unix host of 1990 with its file system.

use crate::schema::apart::read_apart;
use crate::schema::names::Names;
use crate::text::tree::Table;
use crate::text::{Problem, Sources};
use petrio_models::cluster::replication::ReplicationParameters;
use petrio_models::host::unix_1990::UnixParameters;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Several copies of files on several disks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Replication {
    /// The disks (or arrays) on which copies lie. Analytic disks (`petrio catalogue list`) tell exactly what a request would meet;
    /// of others, what is on its way to them is counted.
    pub on: Names,
    /// How many copies, when, and where.
    #[serde(flatten)]
    pub parameters: ReplicationParameters,
}

/// A Unix host of 1990 with its file system, which workloads name as they name one of `[fs.NAME]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct UnixHost {
    /// The disk, array or replication that its file system lies on.
    pub on: String,
    /// What it is made of.
    #[serde(flatten)]
    pub parameters: UnixParameters,
}

/// Reads a replication.
pub(crate) fn read_replication(table: &Table<'_>, sources: &Sources) -> Result<Replication, Vec<Problem>> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct On {
        on: Names,
    }
    let (On { on }, parameters) = read_apart(table, &["on"], sources)?;
    Ok(Replication { on, parameters })
}

/// Reads a Unix host.
pub(crate) fn read_unix(table: &Table<'_>, sources: &Sources) -> Result<UnixHost, Vec<Problem>> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct On {
        on: String,
    }
    let (On { on }, parameters) = read_apart(table, &["on"], sources)?;
    Ok(UnixHost { on, parameters })
}
