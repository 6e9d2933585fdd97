//! What copying of blocks costs.

use petrio_persist::Persist;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How copies come to be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Persist)]
#[serde(rename_all = "kebab-case")]
pub enum CopyTraffic {
    /// The file is read from one copy and written to the others, when the disks have nothing else to do.
    #[default]
    Simulated,
    /// The same in line with all other requests: copies are there sooner, and others wait for them.
    AtOnce,
    /// They appear, as in Ivy (§4.1).
    Magic,
}
