//! Zones, tracks, skews, spares, slips and remaps of a drive.

use petrio_persist::Persist;
use petrio_units::Blocks;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Where blocks lie on the platters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GeometryParameters {
    /// Recording surfaces, one head each.
    pub surfaces: u32,
    /// Cylinders, spare ones included.
    pub cylinders: u32,
    /// Blocks of 512 bytes that the drive offers. Must not exceed what the zones hold; left out, it is what they hold.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blocks: Option<u64>,
    /// In which order blocks run over the tracks.
    #[serde(default)]
    pub order: TrackOrder,
    /// Where spare space lies, and what slipped sectors do to the blocks behind them.
    #[serde(default)]
    pub sparing: Sparing,
    /// Factor on all skews of tracks and cylinders. They give the head time to change tracks: a drive that turns twice as
    /// fast and is as quick otherwise needs twice as much of a track for that.
    #[serde(default = "unscaled", skip_serializing_if = "is_unscaled")]
    pub skew_scale: f64,
    /// Sectors as they lie on the platters, behind addresses of 512 bytes: "4 KiB" on drives with such an emulation ("512e"). A write that
    /// doesn't fill those at its ends costs a turn, in which they are read.
    #[serde(default = "one_block", skip_serializing_if = "is_one_block")]
    pub physical_sector: Blocks,
    /// The zones, from the outermost (first blocks) inwards.
    pub zones: Vec<ZoneParameters>,
}

const fn one_block() -> Blocks {
    Blocks(1)
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "what serde calls")]
fn is_one_block(blocks: &Blocks) -> bool {
    *blocks == Blocks(1)
}

fn unscaled() -> f64 {
    1.0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "what serde calls")]
fn is_unscaled(scale: &f64) -> bool {
    *scale == 1.0
}

/// In which order consecutive blocks run over the tracks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema, Persist)]
#[serde(rename_all = "kebab-case")]
pub enum TrackOrder {
    /// Along surface 0, 1, … of a cylinder, then surface 0 of the next.
    #[default]
    Cylinder,
    /// As `cylinder`, but every second cylinder of a zone is run from the last surface to the first, so that a change
    /// of cylinder stays on its surface. The first cylinder of each zone runs upwards.
    Serpentine,
    /// As `serpentine`, but the pattern does not start afresh in each zone: cylinders of even number run upwards.
    SerpentineAcrossZones,
    /// In bands of so many cylinders, as drives of many gigabytes have it: along surface 0 through all cylinders of the band, back along
    /// surface 1, and so on; the next band of the zone begins on the surface on which the one before has ended. From one track to
    /// the next the track's skew counts alone.
    Bands(u32),
}

/// Where spare space lies, and what slipped sectors do.
///
/// A *slipped* location is skipped by the numbering; all blocks behind it move up by one, until spare space swallows
/// the shift. The kinds are those of the DiskSim manual.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", tag = "kind", deny_unknown_fields)]
pub enum Sparing {
    /// No spares; slips shift all that follows in the zone.
    #[default]
    None,
    /// Whole spare tracks at the end of each zone. Spares, slips and remaps are counted in tracks.
    TracksPerZone,
    /// Spare sectors at the end of each track.
    SectorsPerTrack,
    /// Spare sectors at the end of each cylinder.
    SectorsPerCylinder {
        /// The spares lie at the front of the cylinder instead.
        #[serde(default)]
        at_front: bool,
        /// Slips do not use these spares but shift everything to the end of the zone.
        #[serde(default)]
        slip_to_end: bool,
    },
    /// Spare sectors at the end of each range of cylinders.
    SectorsPerCylinderRange {
        /// Cylinders in a range.
        cylinders: u32,
    },
    /// Spare sectors at the end of each zone.
    SectorsPerZone {
        /// Slips do not use these spares but come on top of them.
        #[serde(default)]
        slip_to_end: bool,
    },
    /// Spare sectors at the end of the disk only: slips shift everything to the end of the zone.
    SectorsAtEnd,
}

/// A band of cylinders with the same number of sectors on every track.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ZoneParameters {
    /// First cylinder of the zone.
    pub first_cylinder: u32,
    /// Last cylinder of the zone, inclusive.
    pub last_cylinder: u32,
    /// Sectors on each track, spare and bad ones included.
    pub sectors_per_track: u32,
    /// Angle between the last sector of a track and the first of the next on the same cylinder, in sectors.
    #[serde(default)]
    pub track_skew_sectors: f64,
    /// Angle between the last sector of a cylinder and the first of the next, in sectors.
    #[serde(default)]
    pub cylinder_skew_sectors: f64,
    /// Angle of the zone's first sector, in sectors.
    #[serde(default)]
    pub first_sector_angle_sectors: f64,
    /// Sectors at the front of the zone that hold no blocks (the drive's own data).
    #[serde(default)]
    pub reserved_sectors: u64,
    /// Spare sectors (tracks with `tracks-per-zone`) in each unit of sparing.
    #[serde(default)]
    pub spares: u64,
    /// Slipped locations: sectors (tracks with `tracks-per-zone`) counted from the start of the zone in numbering
    /// order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub slips: Vec<u64>,
    /// Remapped locations as pairs `[bad, replacement]`, counted as slips are.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remaps: Vec<[u64; 2]>,
}
