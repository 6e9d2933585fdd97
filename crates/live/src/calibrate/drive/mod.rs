//! A disk's parameters, from nothing but the times of its requests: what turns, zones, skews, seeks, its cache.
//!
//! ```text
//!  TimedDrive ◀─ Probe ─ rotation ─▶ zones ─▶ cache ─▶ reach ─▶ seek ─▶ writes
//!  (simulated, paced,   (angles, what                                     │
//!   a real device)       comes from the cache)            FoundDrive ◀────┘
//!                                                             └─ parameters ─▶ a catalogue file, held against the times
//! ```
//!
//! Sources: Worthington, Ganger, Patt & Wilkes, "On-line extraction of SCSI disk drive parameters", SIGMETRICS 1995;
//! Talagala, Arpaci-Dusseau & Patterson, "Microbenchmark-based extraction of local and global disk characteristics",
//! UCB/CSD-99-1063, 2000; Schindler & Ganger, "Automated disk drive characterization", CMU-CS-99-176, 1999; Gim & Won,
//! "Extract and infer quickly", ACM TOS 6(2), 2010. Unlike the first and the third, it asks the drive for nothing but
//! reads (and, where allowed, writes of what is there), one at a time.
//!
//! Left out: remapped sectors and spare tracks, tagged queues, and what the parameters of the cache besides those found are.

mod cache;
mod effort;
mod error;
mod geometry;
mod parameters;
mod probe;
mod reach;
mod real;
mod rotation;
mod seek;
mod show;
mod stairs;
mod tracks;
mod truth;
mod verify;
mod writes;
mod zones;

#[cfg(test)]
mod tests;

pub use crate::timed::{Paced, Simulated, TimedDrive, Timing};
pub use cache::{FoundCache, FoundReadAhead};
pub use effort::Effort;
pub use error::DriveCalibrationError;
pub use parameters::{Made, constant_toml};
pub use real::RealDrive;
pub use seek::SeekPoint;
pub use show::{compared_table, verified_table};
pub use truth::{Compared, compare};
pub use verify::{Check, FITS, Measured, Verified, measure, verify};
pub use writes::{FoundReporting, FoundWrites};
pub use zones::{FoundZone, Skipped};

use super::step::CalibrationProgress;
use petrio_units::numbers::whole_part;
use probe::Probe;
use reach::Pair;
use seek::Cylinders;
use serde::Serialize;
use stairs::Stairs;

/// A device as it was found.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum Found {
    /// A disk.
    Disk(Box<FoundDisk>),
    /// A device of which nothing turns.
    Constant(FoundConstant),
}

/// A device without rotation: a line through the times of reads by size.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct FoundConstant {
    /// Bytes.
    pub bytes: u64,
    /// A read without its data, in seconds.
    pub latency: f64,
    /// Bytes a second.
    pub rate: f64,
    /// Requests that it took.
    pub requests: u64,
}

/// A disk as it was found.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FoundDisk {
    /// Sectors.
    pub sectors: u64,
    /// Bytes of a sector.
    pub sector_bytes: u64,
    /// Sectors of those on the medium.
    pub physical_sectors: u64,
    /// Seconds of a turn.
    pub period: f64,
    /// By how much the time of a completion strays, in seconds.
    pub stray: f64,
    /// The zones.
    pub zones: Vec<FoundZone>,
    /// Tracks of a cylinder.
    pub surfaces: u64,
    /// Whether that was seen; if not, tracks are taken for cylinders, which makes no difference to their times.
    pub surfaces_seen: bool,
    /// Tracks of the first cylinder that lie before the first sector: the drive's own.
    pub lead_tracks: u64,
    /// What a read from the medium takes without movement, wait and its sector, in seconds.
    pub overhead: f64,
    /// What changing to another head of the cylinder takes, in seconds.
    pub head_switch: f64,
    /// What movements take.
    pub seeks: Vec<SeekPoint>,
    /// The cache, if there is one.
    pub cache: Option<FoundCache>,
    /// Writes, where they were allowed.
    pub writes: Option<FoundWrites>,
    /// Requests that it took.
    pub requests: u64,
    /// How fine shortest times were searched for, in seconds.
    pub resolution: f64,
}

/// Finds a device's parameters by timing it.
///
/// # Errors
/// Requests that fail, times that fit no disk.
pub fn extract(
    drive: &mut dyn TimedDrive,
    effort: &Effort,
    progress: &mut dyn FnMut(CalibrationProgress),
) -> Result<Found, DriveCalibrationError> {
    let mut probe = Probe::new(drive, effort);
    let probe = &mut probe;
    let mut tell = |what, part: f64| {
        progress(CalibrationProgress { what, done: whole_part(part.clamp(0.0, 1.0) * 1000.0), total: 1000 });
    };
    tell("does anything turn?", 0.0);
    let pace = rotation::pace(probe)?;
    let Some(period) = rotation::rotation(probe, pace)? else { return Ok(Found::Constant(constant(probe)?)) };
    let mut zones = zones::zones(probe, &mut |part| tell("tracks and zones", part))?;
    let first = zones[0].clone();
    tell("surfaces", 0.0);
    let mut overhead = seek::still(probe, &zones, Pair::default())?;
    let skews = zones::skews(probe, &first)?;
    let same = 0.5 + 6.0 * probe.stray * first.sectors_per_track as f64;
    let seen = match Stairs::of_skews(&skews, same) {
        Some(stairs) => Some(stairs),
        None => seek::stairs(probe, &first, overhead)?,
    };
    let stairs = seen.unwrap_or(Stairs { surfaces: 1, lead: 0 });
    let surfaces = stairs.surfaces;
    zones::fill_skews(probe, &mut zones, stairs)?;
    tell("the cache", 0.0);
    let cache = cache::cache(probe, &zones, surfaces)?;
    probe.reads_ahead = cache.is_some_and(|cache| cache.read_ahead != FoundReadAhead::None);
    if let Some(ahead) = cache.filter(|cache| cache.read_ahead == FoundReadAhead::Segment) {
        // An order for what comes next was no order to go there.
        overhead = seek::at_rest(probe, &zones, ahead.read_ahead_sectors)?.unwrap_or(overhead);
    }
    let cylinders = Cylinders { zones: &zones, stairs };
    let mut head_switch = 0.0;
    if let Some((one, other)) = cylinders.neighbours() {
        head_switch = seek::movement(probe, one, other, overhead, false)?;
    }
    let seeks = seek::curve(probe, cylinders, overhead, None, &mut |part| tell("seeks", part))?;
    let writes = match effort.write {
        true => {
            let bus = cache.map_or(0.0, |cache| cache.hit_sector);
            let note = &mut |part: f64| tell("writes", part);
            Some(writes::writes(probe, cylinders, overhead, (head_switch, &seeks), bus, note)?)
        }
        false => None,
    };
    Ok(Found::Disk(Box::new(FoundDisk {
        sectors: probe.sectors(),
        sector_bytes: probe.sector_bytes(),
        physical_sectors: probe.written_together(),
        period,
        stray: probe.stray * period,
        surfaces,
        lead_tracks: stairs.lead,
        surfaces_seen: seen.is_some(),
        overhead,
        head_switch,
        seeks,
        cache,
        writes,
        requests: probe.requests(),
        resolution: period / f64::from(1u32 << effort.halvings.min(20)),
        zones,
    })))
}

/// A line through the lower quartiles of reads of two sizes, anywhere.
fn constant(probe: &mut Probe<'_>) -> Result<FoundConstant, DriveCalibrationError> {
    let sizes = [1, (256 << 10) / probe.sector_bytes()];
    let mut low = Vec::new();
    for sectors in sizes {
        let mut times = Vec::new();
        for _ in 0..64 {
            let place = probe.below(probe.sectors() - sectors);
            times.push(probe.read(place, sectors)?.span());
        }
        times.sort_by(f64::total_cmp);
        low.push(times[times.len() / 2]);
    }
    let each = (low[1] - low[0]).max(0.0) / (sizes[1] - sizes[0]) as f64;
    let sector_bytes = probe.sector_bytes();
    Ok(FoundConstant {
        bytes: probe.sectors() * sector_bytes,
        latency: (low[0] - each).max(0.0),
        rate: if each > 0.0 { sector_bytes as f64 / each } else { f64::INFINITY },
        requests: probe.requests(),
    })
}
