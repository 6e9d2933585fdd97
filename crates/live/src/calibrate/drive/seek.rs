//! The seek curve, head switches, and where a cylinder ends if skews don't tell.
//!
//! What a movement takes is the shortest time between completions on two tracks, less that on one and the same: see
//! `reach`. A cylinder's tracks are all as far away; so how far tracks lie, counted from one, is a staircase, the width of
//! whose steps is the number of surfaces.

use super::error::DriveCalibrationError;
use super::probe::Probe;
use super::reach::{Along, shortest, shortest_at_rest};
use super::zones::FoundZone;
use serde::Serialize;

type Result<T> = std::result::Result<T, DriveCalibrationError>;

/// A distance in cylinders, what moving so far takes, and how far repetitions lie apart at most, in seconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct SeekPoint {
    /// Cylinders.
    pub cylinders: u64,
    /// Seconds; the middle one of the repetitions.
    pub seconds: f64,
    /// Seconds between the shortest and the longest of them, no less than a search's resolution.
    pub spread: f64,
}

/// Zones with cylinders.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cylinders<'a> {
    pub(super) zones: &'a [FoundZone],
    pub(super) surfaces: u64,
}

impl Cylinders<'_> {
    /// Cylinders of a zone, the last one not always whole.
    pub(super) fn of(&self, zone: &FoundZone) -> u64 {
        zone.tracks.div_ceil(self.surfaces)
    }

    pub(super) fn count(&self) -> u64 {
        self.zones.iter().map(|zone| self.of(zone)).sum()
    }

    /// First sector and length of the first track of a cylinder.
    pub(super) fn track(&self, cylinder: u64) -> (u64, u64) {
        let mut before = 0;
        for zone in self.zones {
            let own = self.of(zone);
            if cylinder < before + own {
                return (zone.track((cylinder - before) * self.surfaces), zone.sectors_per_track);
            }
            before += own;
        }
        (0, self.zones.first().map_or(1, |zone| zone.sectors_per_track))
    }
}

fn between(probe: &mut Probe<'_>, from: (u64, u64), to: (u64, u64), write: bool) -> Result<f64> {
    let along = Along::look(probe, to.0, to.1)?;
    shortest(probe, from.0, from.1, along, write)
}

/// The shortest time between completions on one track, whose length in seconds a sector's is part of, less that sector.
pub(super) fn still(probe: &mut Probe<'_>, zones: &[FoundZone], write: bool) -> Result<f64> {
    let mut times = Vec::new();
    let pairs = probe.effort.pairs.max(2);
    for _ in 0..pairs {
        let zone = zones[probe.below(zones.len() as u64) as usize];
        let track = zone.track(probe.below(zone.tracks));
        let found = between(probe, (track, zone.sectors_per_track), (track, zone.sectors_per_track), write)?;
        times.push(found - probe.period / zone.sectors_per_track as f64);
    }
    times.sort_by(f64::total_cmp);
    // No less than nothing: what is read ahead may be there sooner than a sector passes.
    Ok(times[(times.len() - 1) / 2].max(0.0))
}

/// The same where the drive has read `ahead` sectors ahead and stopped: none where no zone has so many.
pub(super) fn at_rest(probe: &mut Probe<'_>, zones: &[FoundZone], ahead: u64) -> Result<Option<f64>> {
    let widest = zones.iter().max_by_key(|zone| zone.tracks * zone.sectors_per_track);
    let Some(zone) = widest.filter(|zone| (ahead + 1).div_ceil(zone.sectors_per_track) + 2 < zone.tracks)
    else {
        return Ok(None);
    };
    let mut times = Vec::new();
    for _ in 0..probe.effort.pairs.max(2) {
        let found = shortest_at_rest(probe, zone, ahead)?;
        times.push(found - probe.period / zone.sectors_per_track as f64);
    }
    times.sort_by(f64::total_cmp);
    Ok(Some(times[(times.len() - 1) / 2].max(0.0)))
}

/// What moving from one track to another takes, if `still` is what passes without.
pub(super) fn movement(
    probe: &mut Probe<'_>,
    from: (u64, u64),
    to: (u64, u64),
    still: f64,
    write: bool,
) -> Result<f64> {
    let sector = probe.period / to.1 as f64;
    // An arm that reads ahead finishes the sector that is under it before it moves, whatever comes before.
    let before = if probe.reads_ahead { still.max(probe.period / from.1 as f64) } else { still };
    let found = between(probe, from, to, write)? - sector - before;
    // A search may end just past a turn where nothing moves.
    Ok(found.max(0.0))
}

/// How many tracks a cylinder has, by the staircase from the first track on; none if it has no steps.
pub(super) fn surfaces(probe: &mut Probe<'_>, zone: &FoundZone, still: f64) -> Result<Option<u64>> {
    let most = probe.effort.tracks.min(zone.tracks.saturating_sub(1));
    let first = (zone.track(0), zone.sectors_per_track);
    let mut stairs = Vec::new();
    for number in 1..=most {
        stairs.push(movement(probe, first, (zone.track(number), zone.sectors_per_track), still, false)?);
    }
    let same = 3.0 * probe.period / f64::from(1u32 << probe.effort.halvings.min(20))
        + 4.0 * probe.stray * probe.period;
    Ok(width(&stairs, same))
}

/// The greatest number of tracks in a cylinder with which all tracks of a cylinder take the same, the first aside, which
/// needs no other head; none if all take the same in any case.
fn width(stairs: &[f64], same: f64) -> Option<u64> {
    let spread = |figures: &mut dyn Iterator<Item = f64>| {
        let (least, most) = figures
            .fold((f64::INFINITY, 0.0_f64), |(least, most), figure| (least.min(figure), most.max(figure)));
        most - least
    };
    if spread(&mut stairs.iter().copied()) <= same {
        return None;
    }
    let head_switch = stairs[0];
    let fits = |width: usize| {
        (0..=stairs.len() / width).all(|cylinder| {
            let tracks = (cylinder * width + 1)..((cylinder + 1) * width).min(stairs.len() + 1);
            // A step is the seek to the same surface, or the head switch if that is longer.
            let seek = if cylinder == 0 { 0.0 } else { stairs[cylinder * width - 1] };
            tracks.into_iter().all(|track| (stairs[track - 1] - seek.max(head_switch)).abs() <= same)
        })
    };
    (2..=stairs.len() / 2).rev().find(|width| fits(*width)).map(|width| width as u64)
}

/// The seek curve.
pub(super) fn curve(
    probe: &mut Probe<'_>,
    cylinders: Cylinders<'_>,
    still: f64,
    write: bool,
    note: &mut dyn FnMut(f64),
) -> Result<Vec<SeekPoint>> {
    let most = cylinders.count().saturating_sub(1);
    let mut points = Vec::new();
    let mut distance = 1;
    while distance <= most {
        note((distance as f64).ln() / (most.max(2) as f64).ln());
        let mut times = Vec::new();
        for _ in 0..probe.effort.pairs {
            let near = probe.below(most - distance + 1);
            let (mut from, mut to) = (near, near + distance);
            if probe.below(2) == 1 {
                (from, to) = (to, from);
            }
            times.push(movement(probe, cylinders.track(from), cylinders.track(to), still, write)?);
        }
        times.sort_by(f64::total_cmp);
        let resolution = probe.period / f64::from(1u32 << probe.effort.halvings.min(20));
        points.push(SeekPoint {
            cylinders: distance,
            seconds: times[(times.len() - 1) / 2],
            spread: (times[times.len() - 1] - times[0]).max(resolution),
        });
        let next = ((distance as f64 * probe.effort.spacing) as u64).max(distance + 1);
        distance = if distance < most { next.min(most) } else { next };
    }
    Ok(points)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_width_of_a_staircase_is_the_number_of_surfaces() {
        // A head switch of 400, seeks of 300 to the next cylinder, of 450 to the one after it.
        let stairs: Vec<f64> = (1..=24)
            .map(|track| {
                let (cylinder, head) = (track / 4, track % 4);
                let seek: f64 = [0.0, 300.0, 450.0, 500.0, 540.0, 570.0, 600.0][cylinder];
                if head == 0 { seek } else { seek.max(400.0) }
            })
            .collect();
        assert_eq!(width(&stairs, 5.0), Some(4));
        assert_eq!(width(&[400.0; 20], 5.0), None);
        // One surface: each track is further away than the one before.
        let tracks: Vec<f64> = (1..=24).map(|track| 300.0 + 20.0 * f64::from(track)).collect();
        assert_eq!(width(&tracks, 5.0), None);
    }
}
