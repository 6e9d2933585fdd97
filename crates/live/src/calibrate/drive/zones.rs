//! Tracks, zones and skews, from the angles at which sectors lie.
//!
//! Along a track the angle grows by an even step from sector to sector; where it jumps, a track ends, and the jump is the
//! skew. Sectors between two jumps are a track's. A zone is as many tracks as go on in the same steps: whether one far
//! away does is seen by the angle between two of its sectors, so that a zone's end is found by halving. A track that doesn't
//! go on is walked along (`tracks`): if it lacks sectors, or is shorter than those on both sides, these are skipped, and the
//! zone goes on behind it. What jumps differ from the others, at every so manieth track, is a cylinder's end (Talagala,
//! Arpaci-Dusseau & Patterson, "Microbenchmark-based extraction of local and global disk characteristics",
//! UCB/CSD-99-1063, 2000, sees the same in strides of writes; Schindler & Ganger, CMU-CS-99-176, ask the drive for what is
//! found here).
//!
//! Left out: sectors that are remapped elsewhere; whole tracks that are skipped, which nothing tells.

use super::error::DriveCalibrationError;
use super::probe::{Probe, difference};
use super::seek::Cylinders;
use super::stairs::Stairs;
use super::tracks::{self, Sectors, Walked};
use serde::Serialize;

type Result<T> = std::result::Result<T, DriveCalibrationError>;

/// More zones are none.
const MOST_ZONES: usize = 512;

/// Sectors that hold no block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Skipped {
    /// The first of them, counted from where the zone begins.
    pub location: u64,
    /// How many.
    pub sectors: u64,
}

/// A zone as it was found.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FoundZone {
    /// Its first sector.
    pub first_sector: u64,
    /// Sectors that it offers.
    pub sectors: u64,
    /// Tracks in it.
    pub tracks: u64,
    /// Sectors that pass on a track in a turn.
    pub sectors_per_track: u64,
    /// Those of them at each track's end that hold no block.
    pub spare_per_track: u64,
    /// Others that hold none, in ascending order.
    pub skipped: Vec<Skipped>,
    /// From a track's last sector to the first of the next one, in sectors.
    pub track_skew: f64,
    /// The same where the cylinder ends.
    pub cylinder_skew: f64,
    /// The angle of its first sector, in turns from that of the drive's first.
    pub first_angle: f64,
}

impl FoundZone {
    /// One past its last sector.
    pub fn end(&self) -> u64 {
        self.first_sector + self.sectors
    }

    /// The first sector of its `number`th track.
    pub(super) fn track(&self, number: u64) -> u64 {
        let location = number * self.sectors_per_track;
        let before = self.skipped.iter().take_while(|skipped| skipped.location < location);
        let skipped: u64 = before.map(|skipped| skipped.sectors.min(location - skipped.location)).sum();
        self.first_sector + location - number * self.spare_per_track - skipped
    }

    /// Sectors at the end of its `number`th track that hold no block.
    fn empty_end(&self, number: u64) -> u64 {
        let end = (number + 1) * self.sectors_per_track;
        let at_end = self.skipped.iter().find(|skipped| skipped.location + skipped.sectors == end);
        at_end.map_or(0, |skipped| skipped.sectors) + self.spare_per_track
    }

    fn sectors_of_a_track(&self) -> Sectors {
        Sectors { turn: self.sectors_per_track, spare: self.spare_per_track }
    }
}

/// The skew between a zone's track of this number and the next, in sectors.
fn skew(probe: &mut Probe<'_>, zone: &FoundZone, number: u64) -> Result<f64> {
    let (next, length) = (zone.track(number + 1), zone.sectors_per_track as f64);
    let last = probe.angle(next - 1)?;
    let next = probe.angle(next)?;
    let skew = (difference(next, last) - 1.0 / length) * length - zone.empty_end(number) as f64;
    // A skew goes forwards; what strays below none is none.
    let doubt = 0.5 + 8.0 * probe.stray * length;
    let skew = if skew < -doubt { skew.rem_euclid(length) } else { skew.max(0.0) };
    Ok(skew)
}

/// All zones, without their skews.
pub(super) fn zones(probe: &mut Probe<'_>, note: &mut dyn FnMut(f64)) -> Result<Vec<FoundZone>> {
    let all = probe.sectors();
    let origin = probe.angle(0)?;
    let mut zones: Vec<FoundZone> = Vec::new();
    let mut start = 0;
    while start < all {
        note(start as f64 / all as f64);
        let left = all - start;
        let sectors = match zones.last() {
            // Less than a track is left, that isn't one.
            Some(last) if left <= last.sectors_per_track => break,
            _ => tracks::sectors(probe, start)?,
        };
        let first_angle = difference(probe.angle(start)?, origin - 1.0 / sectors.turn as f64);
        let mut zone = FoundZone {
            first_sector: start,
            sectors: 0,
            tracks: 0,
            sectors_per_track: sectors.turn,
            spare_per_track: sectors.spare,
            skipped: Vec::new(),
            track_skew: 0.0,
            cylinder_skew: 0.0,
            first_angle: first_angle.rem_euclid(1.0),
        };
        grow(probe, &mut zone, &mut |at| note(at as f64 / all as f64))?;
        start = zone.end();
        zones.push(zone);
        if zones.len() > MOST_ZONES {
            return Err(DriveCalibrationError::ManyZones { zones: MOST_ZONES, sectors: start });
        }
    }
    // Angles are those of sectors' ends; from the first zone's first sector's beginning on.
    if let Some(first) = zones.first().map(|zone| 1.0 / zone.sectors_per_track as f64) {
        for zone in &mut zones {
            let own = 1.0 / zone.sectors_per_track as f64;
            zone.first_angle = (zone.first_angle - 2.0 * own + first).rem_euclid(1.0);
            if 1.0 - zone.first_angle < 1e-9 {
                zone.first_angle = 0.0;
            }
        }
    }
    Ok(zones)
}

/// Whether a track of the same sectors begins at `start`, some of which may be skipped.
fn follows(probe: &mut Probe<'_>, start: u64, sectors: Sectors) -> Result<bool> {
    let goes_on = tracks::goes_on(probe, start, sectors)?;
    Ok(goes_on || matches!(tracks::walk(probe, start, sectors)?, Walked::Skips(_)))
}

/// Finds how far a zone goes: as long as tracks of the same sectors follow, or such in which some are skipped.
fn grow(probe: &mut Probe<'_>, zone: &mut FoundZone, note: &mut dyn FnMut(u64)) -> Result<()> {
    let all = probe.sectors();
    let sectors = zone.sectors_of_a_track();
    // The first track isn't known to go on: it may have skipped sectors.
    let mut next = 0;
    loop {
        let step_on = |probe: &mut Probe<'_>, zone: &FoundZone, track: u64| {
            tracks::goes_on(probe, zone.track(track), sectors)
        };
        // Twice as far each time; then halving.
        let (mut reach, mut step) = (next, 1);
        while zone.track(reach) < all && step_on(probe, zone, reach)? {
            (next, step) = (reach + 1, step * 2);
            reach = next + step - 1;
        }
        let mut outside = reach;
        while next < outside {
            let middle = u64::midpoint(next, outside);
            if zone.track(middle) < all && step_on(probe, zone, middle)? {
                next = middle + 1;
            } else {
                outside = middle;
            }
        }
        let start = zone.track(next);
        note(start.min(all));
        let ends = |zone: &mut FoundZone, tracks: u64, end: u64| {
            (zone.tracks, zone.sectors) = (tracks, end - zone.first_sector);
        };
        if start >= all {
            ends(zone, next, all);
            return Ok(());
        }
        let location = next * zone.sectors_per_track;
        match tracks::walk(probe, start, sectors)? {
            Walked::Skips(skips) if !skips.is_empty() => {
                let skipped = |(sector, sectors): &(u64, u64)| Skipped {
                    location: location + sector,
                    sectors: *sectors,
                };
                zone.skipped.extend(skips.iter().map(skipped));
            }
            Walked::Ends(blocks)
                if start + blocks + sectors.turn < all && follows(probe, start + blocks, sectors)? =>
            {
                // Shorter than its neighbours on both sides: what is missing is skipped.
                let missing = sectors.turn - sectors.spare - blocks;
                zone.skipped.push(Skipped { location: location + blocks, sectors: missing });
            }
            Walked::Ends(blocks) => {
                ends(zone, next + 1, start + blocks);
                return Ok(());
            }
            // It was there in the end: something disturbed the look at it.
            Walked::Skips(_) => {}
            Walked::Other if next > 0 => {
                ends(zone, next, start);
                return Ok(());
            }
            Walked::Other => {
                // Not even the first one: what there is is taken for one track.
                ends(zone, 1, (start + sectors.turn).min(all));
                return Ok(());
            }
        }
        next += 1;
    }
}

/// The skews of all zones, if cylinders are so.
pub(super) fn fill_skews(probe: &mut Probe<'_>, zones: &mut [FoundZone], stairs: Stairs) -> Result<()> {
    let before = zones.to_vec();
    let cylinders = Cylinders { zones: &before, stairs };
    for (number, zone) in zones.iter_mut().enumerate() {
        if let Some(track) = cylinders.track_before(number, false) {
            zone.track_skew = skew(probe, zone, track)?;
        }
        if let Some(track) = cylinders.track_before(number, true) {
            zone.cylinder_skew = skew(probe, zone, track)?;
        }
        if stairs.surfaces == 1 {
            zone.track_skew = zone.cylinder_skew;
        }
    }
    Ok(())
}

/// Skews between the first tracks of a zone, one by one.
pub(super) fn skews(probe: &mut Probe<'_>, zone: &FoundZone) -> Result<Vec<f64>> {
    let count = probe.effort.tracks.min(zone.tracks.saturating_sub(1));
    (0..count).map(|number| skew(probe, zone, number)).collect()
}
