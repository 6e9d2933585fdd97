//! Tracks, zones and skews, from the angles at which sectors lie.
//!
//! Along a track the angle grows by an even step from sector to sector; where it jumps, a track ends, and the jump is the
//! skew. Sectors between two jumps are a track's. A zone is as many tracks as go on in the same steps: whether one far
//! away does is seen by the angle between two of its sectors, so that a zone's end is found by halving. What jumps differ
//! from the others, at every so manieth track, is a cylinder's end (Talagala, Arpaci-Dusseau & Patterson,
//! "Microbenchmark-based extraction of local and global disk characteristics", UCB/CSD-99-1063, 2000, sees the same in
//! strides of writes; Schindler & Ganger, CMU-CS-99-176, ask the drive for what is found here).
//!
//! Left out: spare space and slipped sectors. Where they lie between tracks, the zone is taken to end.

use super::error::DriveCalibrationError;
use super::probe::{Probe, difference};
use serde::Serialize;

type Result<T> = std::result::Result<T, DriveCalibrationError>;

/// A zone as it was found.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct FoundZone {
    /// Its first sector.
    pub first_sector: u64,
    /// Tracks in it.
    pub tracks: u64,
    /// Sectors of a track.
    pub sectors_per_track: u64,
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
        self.first_sector + self.tracks * self.sectors_per_track
    }

    /// The first sector of its `number`th track.
    pub(super) fn track(&self, number: u64) -> u64 {
        self.first_sector + number * self.sectors_per_track
    }
}

/// How far an angle may lie from where it is expected, in turns, if a sector is so long.
fn tolerance(probe: &Probe<'_>, sector: f64) -> f64 {
    0.35 * sector + 4.0 * probe.stray
}

/// Sectors of the track that begins at `start`.
///
/// The step between sectors is found by going twice as far each time, as long as the angle is where it is expected; then
/// the end by halving.
pub(super) fn track_length(probe: &mut Probe<'_>, start: u64) -> Result<u64> {
    let all = probe.sectors();
    let begin = probe.angle(start)?;
    // A track is taken to have 16 sectors at least: the first few steps are less than half a turn.
    let mut on = 4;
    let mut step = difference(probe.angle(start + on)?, begin) / on as f64;
    if step <= 0.0 {
        return Err(DriveCalibrationError::NoDisk {
            why: format!("the angle doesn't grow from sector {start} on"),
        });
    }
    let mut off = loop {
        let next = on * 2;
        if start + next >= all || next as f64 * step > 1.5 {
            break next;
        }
        let expected = begin + next as f64 * step;
        let stray = difference(probe.angle(start + next)?, expected);
        if stray.abs() > tolerance(probe, step).max(8.0 * probe.stray) {
            break next;
        }
        step += stray / next as f64;
        on = next;
    };
    off = off.min(all - start);
    // No skew at all hides where the track ends: it is as long as a turn.
    if on as f64 * step >= 1.0 {
        return Ok((1.0 / step).round() as u64);
    }
    while off - on > 1 {
        let middle = u64::midpoint(on, off);
        let stray = difference(probe.angle(start + middle)?, begin + middle as f64 * step);
        if stray.abs() > tolerance(probe, step) {
            off = middle;
        } else {
            step += stray / middle as f64;
            on = middle;
        }
    }
    let by_angle = 1.0 / step;
    // A track without a skew that shows is as long as a turn.
    let doubt = 0.6 + by_angle * (8.0 * probe.stray);
    if (by_angle - off as f64).abs() > doubt && off as f64 > by_angle {
        return Ok(by_angle.round() as u64);
    }
    Ok(off)
}

/// Whether the track that would begin at `start`, were the zone to go on, does.
fn goes_on(probe: &mut Probe<'_>, start: u64, length: u64) -> Result<bool> {
    if start + length > probe.sectors() {
        return Ok(false);
    }
    let sector = 1.0 / length as f64;
    let (one, other) = (1.min(length - 1), length.saturating_sub(1));
    let between = difference(probe.angle(start + other)?, probe.angle(start + one)?);
    let expected = (other - one) as f64 * sector;
    Ok(difference(between, expected).abs() <= tolerance(probe, sector))
}

/// The skew between the track that begins at `start` and the next, in sectors.
pub(super) fn skew(probe: &mut Probe<'_>, start: u64, length: u64) -> Result<f64> {
    let last = probe.angle(start + length - 1)?;
    let next = probe.angle(start + length)?;
    let skew = (difference(next, last) - 1.0 / length as f64) * length as f64;
    // A skew goes forwards; what strays below none is none.
    let length = length as f64;
    Ok(if skew < -0.5 - 8.0 * probe.stray * length { skew + length } else { skew.max(0.0) })
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
        let length = match zones.last() {
            // Less than a track is left, that isn't one.
            Some(last) if left <= last.sectors_per_track => break,
            _ => track_length(probe, start)?,
        };
        let (mut inside, mut outside) = (0, left / length + 1);
        while outside - inside > 1 {
            let middle = u64::midpoint(inside, outside);
            if goes_on(probe, start + middle * length, length)? { inside = middle } else { outside = middle }
        }
        let first_angle = difference(probe.angle(start)?, origin - 1.0 / length as f64);
        let zone = FoundZone {
            first_sector: start,
            tracks: inside + 1,
            sectors_per_track: length,
            track_skew: 0.0,
            cylinder_skew: 0.0,
            first_angle: first_angle.rem_euclid(1.0),
        };
        start = zone.end();
        zones.push(zone);
        if zones.len() > 512 {
            return Err(DriveCalibrationError::NoDisk { why: "more than 512 zones were found".to_owned() });
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

/// The skews of all zones, if a cylinder has so many tracks.
pub(super) fn fill_skews(probe: &mut Probe<'_>, zones: &mut [FoundZone], surfaces: u64) -> Result<()> {
    for zone in zones {
        let within = |number: u64| number + 1 < zone.tracks;
        if surfaces > 1 && within(0) {
            zone.track_skew = skew(probe, zone.track(0), zone.sectors_per_track)?;
        }
        if within(surfaces - 1) {
            zone.cylinder_skew = skew(probe, zone.track(surfaces - 1), zone.sectors_per_track)?;
        }
        if surfaces == 1 {
            zone.track_skew = zone.cylinder_skew;
        }
    }
    Ok(())
}

/// Skews between the first tracks of a zone, one by one.
pub(super) fn skews(probe: &mut Probe<'_>, zone: &FoundZone) -> Result<Vec<f64>> {
    let count = probe.effort.tracks.min(zone.tracks.saturating_sub(1));
    (0..count).map(|number| skew(probe, zone.track(number), zone.sectors_per_track)).collect()
}

/// At every how manieth place a run of figures has another one than at the others, the first of a period excepted.
pub(super) fn recurring(figures: &[f64], same: f64) -> Option<u64> {
    let first = *figures.first()?;
    let odd: Vec<usize> = (0..figures.len())
        .filter(|place| (figures[*place] - first).abs() > same)
        .map(|place| place + 1)
        .collect();
    // With two surfaces every second one is another; with more, the first odd one tells.
    let period = *odd.first()?;
    let regular = odd.iter().enumerate().all(|(number, place)| *place == (number + 1) * period);
    (regular && odd.len() == figures.len() / period).then_some(period as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cylinders_end_where_the_skew_recurs() {
        let figures: Vec<f64> = (1..40).map(|track| if track % 6 == 0 { 18.0 } else { 8.0 }).collect();
        assert_eq!(recurring(&figures, 0.5), Some(6));
        let two: Vec<f64> = (1..9).map(|track| if track % 2 == 0 { 18.0 } else { 8.0 }).collect();
        assert_eq!(recurring(&two, 0.5), Some(2));
        assert_eq!(recurring(&[8.0; 20], 0.5), None);
        assert_eq!(recurring(&[8.0, 8.0, 18.0, 8.0, 8.0, 18.0, 18.0], 0.5), None);
    }
}
