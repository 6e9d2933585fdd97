//! What a catalogue file says of a mechanical disk.
//!
//! The structures are the TOML of a drive as it stands in `catalogue/`, its JSON schema and its documentation at once.
//! The vocabulary follows what drives have been measured for: Ruemmler & Wilkes, "An introduction to disk drive
//! modeling" (IEEE Computer 27(3), 1994), Worthington et al., "On-line extraction of SCSI disk drive parameters"
//! (SIGMETRICS 1995), and the DiskSim 4.0 reference manual (Bucy et al., CMU-PDL-08-101, 2008), whose parameter files
//! import into these structures.

mod cache;
mod data_sheet;
mod geometry;
mod mechanics;
mod overheads;
mod queue;

pub use cache::{
    CacheParameters, ImmediateReporting, ReadAhead, WriteBackOrder, WriteBackParameters, WriteSegments,
};
pub use data_sheet::{DataSheet, InternalRate};
pub use geometry::{GeometryParameters, Sparing, TrackOrder, ZoneParameters};
pub use mechanics::{MechanicsParameters, SeekParameters};
pub use overheads::{AfterReadOrWrite, BusParameters, EarlyDisconnect, OverheadParameters};
pub use queue::{QueueDiscipline, QueueParameters};

use petrio_stage::cost::Cost;
use petrio_stage::reliability::Reliability;
use petrio_stage::{Lever, TWICE};
use petrio_units::{Fraction, RotationSpeed};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A mechanical disk drive with zoned geometry, a cache and a command queue.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DiskParameters {
    /// What the drive is called: manufacturer and model.
    pub name: String,
    /// Where the figures come from: a data sheet, a paper, a parameter file.
    #[serde(default)]
    pub source: String,
    /// Keys of this description whose values no source gives, such as `cache.segments`: they are those of a drive of the
    /// family, or usual at its time. They change nothing; reports say so.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub assumed: Vec<String>,
    /// What one costs, and what it draws.
    #[serde(default, skip_serializing_if = "Cost::is_empty")]
    pub cost: Cost,
    /// How long one lives, and how often what it holds can't be read.
    #[serde(default, skip_serializing_if = "Reliability::is_empty")]
    pub reliability: Reliability,
    /// What its maker says of it as a whole, to hold predictions against.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data_sheet: Option<DataSheet>,
    /// Where blocks lie on the platters.
    pub geometry: GeometryParameters,
    /// How the arm moves and the platters turn.
    pub mechanics: MechanicsParameters,
    /// How blocks move between the drive and its host.
    #[serde(default)]
    pub bus: BusParameters,
    /// What the drive's controller spends on each command.
    #[serde(default)]
    pub overheads: OverheadParameters,
    /// The drive's buffer memory.
    #[serde(default)]
    pub cache: CacheParameters,
    /// Commands waiting inside the drive.
    #[serde(default)]
    pub queue: QueueParameters,
}

impl DiskParameters {
    /// What could be changed about it; its parameters stand at `path`.
    pub fn levers(&self, path: &str) -> Vec<Lever> {
        let mechanics = &self.mechanics;
        let twice = RotationSpeed::new(mechanics.rotation.revolutions_per_minute() * TWICE);
        // A head that is as slow as before to change tracks needs a skew of as much time.
        let skews =
            self.geometry.zones.iter().any(|zone| zone.track_skew_sectors + zone.cylinder_skew_sectors > 0.0);
        let skews = skews.then_some(self.geometry.skew_scale * TWICE);
        let levers = [
            Lever::twice("mechanics", "rotation", "rotation twice as fast")
                .set_some(path, "mechanics.rotation", twice)
                .set_some(path, "geometry.skew_scale", skews)
                .covering(&["rotation", "media transfer"]),
            Lever::twice("mechanics", "seeks", "seeks twice as fast")
                .set_some(path, "mechanics.seek_scale", Fraction::new(mechanics.seek_scale.get() / TWICE))
                .covering(&["seeks"]),
            self.overheads.lever(path),
            Lever::twice("bus", "bus", "the bus twice as fast")
                .halved(path, "bus.read_block", self.bus.read_block)
                .halved(path, "bus.write_block", self.bus.write_block)
                .covering(&["bus"]),
        ];
        let cache = Lever::instead("mechanics", "write cache", "a write cache that is on")
            .set(path, "cache.immediate_reporting", "cached")
            .at_a_price("what isn't flushed is lost with the power");
        let off = self.cache.immediate_reporting == ImmediateReporting::Never;
        levers.into_iter().filter_map(Lever::if_any).chain(off.then_some(cache)).collect()
    }
}
