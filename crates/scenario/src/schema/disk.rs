//! `[disk.NAME]`: one or several disks of a model, and the queue before each.

use crate::schema::partial::nothing_required;
use crate::schema::scheduler::DiskScheduler;
use petrio_models::device::{Device, Queueing};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// One or several disks of a kind.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Disk {
    /// A drive of the catalogue, by name: "seagate-cheetah-9lp". `petrio catalogue list` names them all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// A drive in a file of your own, in the form of the catalogue; relative to the scenario's folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<PathBuf>,
    /// How many. With more than one, NAME stands for all of them, and they are called NAME0, NAME1 and so on.
    #[serde(default = "one")]
    pub count: u32,
    /// The order in which requests that wait before the disk are sent to it.
    #[serde(default)]
    pub scheduler: DiskScheduler,
    /// Commands that the disk accepts at a time, waiting in it and in service; left out, as the drive's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue_depth: Option<u32>,
    /// Whether the disk reports writes before they are on its platters; left out, as its maker ships it. Hosts flush it where it
    /// does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub write_cache: Option<WriteCache>,
    /// The host bus adapter on which it hangs (`[hba.NAME]`), or just the name of a bus that it shares with the other disks of the part
    /// around it that name it, such as "scsi0": one disk at a time gets a command, gives data or reports. Mechanical disks only. Left out:
    /// it has a bus of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bus: Option<String>,
    /// Whether it turns for itself, as disks do, or in step with the others that are locked.
    #[serde(default)]
    pub spindle: Spindle,
    /// Parameters of the drive that differ from the catalogue's: drive.mechanics.rotation = "15000 rpm". Without model
    /// and file, the whole drive.
    #[serde(default, skip_serializing_if = "toml::Table::is_empty")]
    #[schemars(schema_with = "partial_drive")]
    pub drive: toml::Table,
}

/// A disk's write cache, as SCSI's WCE bit and `hdparm -W` set it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum WriteCache {
    /// Writes are complete when their data are in the disk's buffer, as long as there is room.
    On,
    /// Writes are complete when they are on the platters.
    Off,
}

/// How a mechanical disk turns beside others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Spindle {
    /// At an angle and a speed of its own, drawn by the scenario's seed and the disk's name: within `drive.mechanics.rotation_tolerance`.
    #[default]
    Free,
    /// At the model's speed and at the angle of all that are locked: spindles that a signal synchronises (SCSI's rotational
    /// position locking), and what simulators assume that know one clock, such as DiskSim.
    Locked,
}

impl Disk {
    /// How requests wait for each of them.
    pub(crate) fn queueing(&self) -> Queueing {
        Queueing { scheduler: self.scheduler.0, depth: self.queue_depth }
    }
}

fn one() -> u32 {
    1
}

fn partial_drive(generator: &mut SchemaGenerator) -> Schema {
    nothing_required::<Device>(generator)
}
