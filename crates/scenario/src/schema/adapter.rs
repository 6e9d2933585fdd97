//! `[hba.NAME]`: a host bus adapter, and the channels on which its disks hang.

use petrio_models::cost::Cost;
use petrio_models::device::{Channel, InstanceLimits};
use petrio_models::{Lever, doubled};
use petrio_units::Rate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::num::NonZeroU32;

/// A host bus adapter (an IDE controller, a SCSI or Fibre Channel adapter). Disks that name it as their `bus` are dealt out to its channels in turn;
/// those on one channel share it: one at a time gets a command, gives data or reports.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Adapter {
    /// What it is called.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Where its figures come from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// What one costs, and what it draws; of an instance of a cloud its rent, which pays for its machine, too.
    #[serde(default, skip_serializing_if = "Cost::is_empty")]
    pub cost: Cost,
    /// Channels.
    #[serde(default = "one")]
    pub channels: NonZeroU32,
    /// Disks on a channel at most; left out, any number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disks: Option<NonZeroU32>,
    /// Bytes that pass a channel in a second at most; left out, as many as a disk can give or take.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<Rate>,
    /// Commands that a disk gets at a time at most; left out, as many as it takes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue_depth: Option<NonZeroU32>,
    /// Whether a disk has its channel from the beginning of a command until that is complete (ATA); if not, it lets go of it while its
    /// arm moves and its platters turn, unless it never does.
    #[serde(default)]
    pub keeps_channel: bool,
    /// What an instance of a cloud may ask of all volumes that hang on it, where it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limits: Option<InstanceLimits>,
}

fn one() -> NonZeroU32 {
    NonZeroU32::MIN
}

impl Adapter {
    /// What a disk on one of its channels finds.
    pub(crate) fn channel(&self) -> Channel {
        Channel { rate: self.rate, kept: self.keeps_channel }
    }

    /// Disks at most; `None`: any number.
    pub(crate) fn most_disks(&self) -> Option<u64> {
        self.disks.map(|disks| u64::from(disks.get()) * u64::from(self.channels.get()))
    }

    /// What could be better about it; its parameters stand at `path`.
    pub(crate) fn levers(&self, path: &str) -> Vec<Lever> {
        let rate = self.rate.and_then(doubled);
        let faster = Lever::twice("channel", "rate", "channels twice as fast").set_some(path, "rate", rate);
        let more = Lever::twice("channel", "channels", "twice as many channels");
        let more = more.set(path, "channels", self.channels.get().saturating_mul(2));
        let commands =
            Lever::twice("channel", "queue_depth", "twice as many commands at a time for each disk");
        let depth = self.queue_depth.map(|depth| depth.get().saturating_mul(2));
        let commands = commands.set_some(path, "queue_depth", depth);
        let larger = Lever::twice("channel", "limits", "an instance that may ask twice as much");
        let larger = match self.limits.map(|limits| limits.doubled()) {
            Some(limits) => larger
                .set_some(path, "limits.iops", limits.iops)
                .set_some(path, "limits.burst_iops", limits.burst_iops)
                .set_some(path, "limits.throughput", limits.throughput)
                .set_some(path, "limits.burst_throughput", limits.burst_throughput),
            None => larger,
        };
        let more = if self.limits.is_some() { None } else { Some(more) };
        [Some(faster), more, Some(commands), Some(larger)]
            .into_iter()
            .flatten()
            .filter_map(Lever::if_any)
            .collect()
    }
}
