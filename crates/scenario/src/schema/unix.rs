//! `[unix.NAME]`: a Unix host of 1990 with its file system.

use crate::schema::apart::read_apart;
use crate::text::tree::Table;
use crate::text::{Problem, Sources};
use petrio_models::host::unix_1990::UnixParameters;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A Unix host of 1990 with its file system, which workloads name as they name one of `[fs.NAME]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct UnixHost {
    /// The disk, array or replication that its file system lies on.
    pub on: String,
    /// What it is made of.
    #[serde(flatten)]
    pub parameters: UnixParameters,
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
