//! What happens when an OSD stops, as it is written.
//!
//! Source: Ceph 16.2 src/common/options.cc: osd_heartbeat_grace 20 s, mon_osd_down_out_interval 600 s, osd_max_backfills 1,
//! osd_recovery_max_active 3 on what turns and 10 else, osd_recovery_sleep 0.1 s and 0.

use super::parameters::CephError;
use petrio_units::Duration;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An OSD that stops.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OsdStop {
    /// Which, in the order in which they are named, counted from 0.
    pub osd: u32,
    /// When.
    pub at: Duration,
    /// It is there again after so long, with what it had; left out, never.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub returns_after: Option<Duration>,
}

/// What follows when OSDs stop.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Recovery {
    /// It is found out after so long, and what it was asked waits until then (osd_heartbeat_grace, 20 s).
    pub grace: Option<Duration>,
    /// Others take over what lay on it once it has been found away for so long (mon_osd_down_out_interval, 600 s).
    pub down_out_interval: Option<Duration>,
    /// Placement groups that an OSD fills, or is filled for, at once (osd_max_backfills, 1).
    pub max_backfills: Option<u32>,
    /// Objects of them that are under way (osd_recovery_max_active, 3 and 10).
    pub max_active: Option<u32>,
    /// Rest before each object (osd_recovery_sleep, 0.1 s and 0).
    pub sleep: Option<Duration>,
}

/// What is so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RecoveryRules {
    pub grace: Duration,
    pub out: Duration,
    pub backfills: u32,
    pub active: u32,
    pub sleep: Duration,
}

const fn millis(millis: u64) -> Duration {
    Duration::new(petrio_kernel::Time::from_millis(millis))
}

impl Recovery {
    pub(super) fn rules(&self, turns: bool) -> RecoveryRules {
        RecoveryRules {
            grace: self.grace.unwrap_or(millis(20_000)),
            out: self.down_out_interval.unwrap_or(millis(600_000)),
            backfills: self.max_backfills.unwrap_or(1),
            active: self.max_active.unwrap_or(if turns { 3 } else { 10 }),
            sleep: self.sleep.unwrap_or(if turns { millis(100) } else { millis(0) }),
        }
    }

    pub(super) fn check(&self) -> Result<(), CephError> {
        for (key, value) in
            [("recovery.max_backfills", self.max_backfills), ("recovery.max_active", self.max_active)]
        {
            if value == Some(0) {
                let expected = "1 or more";
                return Err(CephError::Number { key, value: "0".to_owned(), expected });
            }
        }
        Ok(())
    }
}
