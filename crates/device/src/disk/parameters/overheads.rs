//! Time of the drive's controller and of its bus.

use petrio_stage::Lever;
use petrio_units::Duration;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How blocks move between the drive and its host.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct BusParameters {
    /// Time to move one block of 512 bytes to the host.
    pub read_block: Duration,
    /// Time to move one block of 512 bytes from the host.
    pub write_block: Duration,
}

/// An overhead that depends on what the command before was.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct AfterReadOrWrite {
    /// After a read.
    pub after_read: Duration,
    /// After a write.
    pub after_write: Duration,
}

impl AfterReadOrWrite {
    /// The same after both.
    pub const fn always(span: Duration) -> Self {
        Self { after_read: span, after_write: span }
    }
}

/// What the drive's controller spends on each command.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct OverheadParameters {
    /// Every command, before anything else.
    pub command: Duration,
    /// A read whose first block is in the cache, before its data move.
    pub read_hit: AfterReadOrWrite,
    /// A read that misses, before the arm moves.
    pub read_miss: AfterReadOrWrite,
    /// A write that is reported before it is on the medium, before arm or data move.
    pub write_reported: AfterReadOrWrite,
    /// A write that is reported when it is on the medium, before arm or data move.
    pub write_through: AfterReadOrWrite,
    /// Preparing the data path, each time that data begin to move.
    pub data_preparation: Duration,
    /// Reconnecting to the host when a read that missed has its first data, or a write is on the medium.
    pub reselect: Duration,
    /// Disconnecting from the host when the data of a write have arrived and the medium is still to come.
    pub write_disconnect: Duration,
    /// Completing a read.
    pub read_completion: Duration,
    /// Completing a write.
    pub write_completion: Duration,
    /// Shortest time between a write's overhead and its access to the medium, unless it continues the write before.
    pub minimum_write_positioning: Duration,
    /// Some drives let go of the bus once more, before the data of a write that follows a write elsewhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub early_disconnect: Option<EarlyDisconnect>,
}

impl OverheadParameters {
    /// All of them half as long.
    pub(super) fn lever(&self, path: &str) -> Lever {
        let whole = [
            ("command", self.command),
            ("data_preparation", self.data_preparation),
            ("reselect", self.reselect),
            ("write_disconnect", self.write_disconnect),
            ("read_completion", self.read_completion),
            ("write_completion", self.write_completion),
        ];
        let by_predecessor = [
            ("read_hit", self.read_hit),
            ("read_miss", self.read_miss),
            ("write_reported", self.write_reported),
            ("write_through", self.write_through),
        ];
        let mut lever =
            Lever::twice("controller", "controller overheads", "controller overheads half as long")
                .covering(&["controller overheads"]);
        for (name, span) in whole {
            lever = lever.halved(path, &format!("overheads.{name}"), span);
        }
        for (name, AfterReadOrWrite { after_read, after_write }) in by_predecessor {
            lever = lever.halved(path, &format!("overheads.{name}.after_read"), after_read);
            lever = lever.halved(path, &format!("overheads.{name}.after_write"), after_write);
        }
        lever
    }
}

/// The further disconnection that some SCSI drives insert into a write that follows a write elsewhere (observed on HP
/// C2247A by Worthington et al. 1995).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct EarlyDisconnect {
    /// Command overhead of such a write, in place of `write_through`.
    pub command: Duration,
    /// From the end of the command overhead to the start of the seek.
    pub seek_delay: Duration,
    /// Letting go of the bus, after the command overhead.
    pub disconnect: Duration,
    /// From there to the attempt to reconnect.
    pub pause: Duration,
    /// Letting go of the bus again when the data have arrived, in place of `write_disconnect`.
    pub second_disconnect: Duration,
    /// Reconnecting when the data are on the medium, in place of `reselect`.
    pub second_reselect: Duration,
}
