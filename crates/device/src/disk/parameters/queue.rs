//! Commands waiting inside a drive.

use petrio_units::Duration;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Commands waiting inside the drive.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct QueueParameters {
    /// Commands that the drive accepts at a time, waiting and in service.
    pub depth: u32,
    /// Which waiting command is served next.
    pub discipline: QueueDiscipline,
}

impl Default for QueueParameters {
    fn default() -> Self {
        Self { depth: 1, discipline: QueueDiscipline::FirstCome }
    }
}

/// Which waiting command is served next.
#[derive(Clone, Copy, Debug, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum QueueDiscipline {
    /// First come, first served.
    #[default]
    #[serde(rename = "fcfs")]
    FirstCome,
    /// Shortest seek time first.
    #[serde(rename = "sstf")]
    ShortestSeek,
    /// The arm sweeps to and fro and turns where no command lies ahead.
    #[serde(rename = "look")]
    Look,
    /// The arm sweeps towards higher cylinders only, and returns to the lowest command.
    #[serde(rename = "c-look")]
    CircularLook,
    /// As C-LOOK, but the arm returns to cylinder 0 first, and counts the way there.
    #[serde(rename = "cscan")]
    CircularScan,
    /// Shortest positioning time (seek, settling and rotation) first.
    #[serde(rename = "sptf")]
    ShortestPositioning,
    /// As SPTF, with the positioning time made smaller the longer a command has waited, so that none starves
    /// (M. Seltzer, P. Chen & J. Ousterhout, "Disk scheduling revisited", USENIX 1990).
    #[serde(rename = "aged-sptf")]
    AgedShortestPositioning {
        /// Waiting time in the drive after which a command comes before any other; where all that waits would take longer than that in the
        /// worst order, so long.
        longest_wait: Duration,
    },
}
