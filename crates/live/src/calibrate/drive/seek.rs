//! The seek curve, head switches, and where a cylinder ends if skews don't tell.
//!
//! What a movement takes is the shortest time between completions on two tracks, less that on one and the same: see
//! `reach`. A cylinder's tracks are all as far away; so how far tracks lie, counted from one, is a staircase (`stairs`).

use super::error::DriveCalibrationError;
use super::probe::Probe;
use super::reach::{Along, Pair, shortest, shortest_at_rest};
use super::stairs::Stairs;
use super::zones::FoundZone;
use petrio_units::numbers::{as_index, whole_part};
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

/// What moving so far takes, in seconds: on a line between the points next to it; none beyond them.
pub(super) fn at_distance(points: &[SeekPoint], cylinders: u64) -> Option<f64> {
    let behind = points.partition_point(|point| point.cylinders < cylinders);
    let other = points.get(behind)?;
    let Some(one) = behind.checked_sub(1).map(|before| points[before]) else {
        return Some(other.seconds);
    };
    let part = (cylinders - one.cylinders) as f64 / (other.cylinders - one.cylinders) as f64;
    Some(one.seconds + part * (other.seconds - one.seconds))
}

/// Zones with cylinders.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cylinders<'a> {
    pub(super) zones: &'a [FoundZone],
    pub(super) stairs: Stairs,
}

impl Cylinders<'_> {
    /// Tracks before a zone's first block on its first cylinder: only the drive's first zone has some.
    fn lead(&self, number: usize) -> u64 {
        if number == 0 { self.stairs.lead } else { 0 }
    }

    /// Cylinders of the zone of this number, the last one not always whole.
    fn of(&self, number: usize) -> u64 {
        (self.zones[number].tracks + self.lead(number)).div_ceil(self.stairs.surfaces)
    }

    pub(super) fn count(&self) -> u64 {
        (0..self.zones.len()).map(|number| self.of(number)).sum()
    }

    /// The last cylinder whose first track lies on a device of so many sectors as a whole.
    fn last_whole(&self, sectors: u64) -> u64 {
        let last = self.count().saturating_sub(1);
        let (start, length) = self.track(last);
        if start + length > sectors { last.saturating_sub(1) } else { last }
    }

    /// A track of a zone behind which another of the same cylinder comes, or the next one's first: the track's number.
    pub(super) fn track_before(&self, number: usize, cylinder_end: bool) -> Option<u64> {
        let surfaces = self.stairs.surfaces;
        let lead = self.lead(number);
        let ends = |track: &u64| ((track + lead) % surfaces == surfaces - 1) == cylinder_end;
        (0..=surfaces).find(ends).filter(|track| track + 1 < self.zones[number].tracks)
    }

    /// First sector and length of two tracks that follow each other on a cylinder, where there are such.
    pub(super) fn neighbours(&self) -> Option<((u64, u64), (u64, u64))> {
        let both = |number: usize| {
            let (zone, track) = (&self.zones[number], self.track_before(number, false)?);
            let length = zone.sectors_per_track;
            Some(((zone.track(track), length), (zone.track(track + 1), length)))
        };
        (0..self.zones.len()).find_map(both)
    }

    /// First sector and length of the first track of a cylinder, or of its first one that holds blocks.
    pub(super) fn track(&self, cylinder: u64) -> (u64, u64) {
        let mut before = 0;
        for (number, zone) in self.zones.iter().enumerate() {
            let own = self.of(number);
            if cylinder < before + own {
                let track = ((cylinder - before) * self.stairs.surfaces).saturating_sub(self.lead(number));
                return (zone.track(track), zone.sectors_per_track);
            }
            before += own;
        }
        (0, self.zones.first().map_or(1, |zone| zone.sectors_per_track))
    }
}

/// What passes of the medium in a request, in seconds, if a track has so many sectors.
fn passes(probe: &Probe<'_>, length: u64, kind: Pair) -> f64 {
    let sectors = if kind.write { probe.written_together() } else { 1 };
    probe.period * sectors as f64 / length as f64
}

fn between(probe: &mut Probe<'_>, from: (u64, u64), to: (u64, u64), kind: Pair) -> Result<f64> {
    let along = Along::look(probe, to.0, to.1)?;
    shortest(probe, from.0, from.1, along, kind)
}

/// The shortest time between completions on one track, whose length in seconds a sector's is part of, less that sector.
pub(super) fn still(probe: &mut Probe<'_>, zones: &[FoundZone], kind: Pair) -> Result<f64> {
    let mut times = Vec::new();
    let pairs = probe.effort.pairs.max(2);
    for _ in 0..pairs {
        let zone = &zones[as_index(probe.below(zones.len() as u64))];
        let track = zone.track(probe.below(zone.tracks));
        let found = between(probe, (track, zone.sectors_per_track), (track, zone.sectors_per_track), kind)?;
        times.push(found - passes(probe, zone.sectors_per_track, kind));
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
    let kind = Pair { write, ..Pair::default() };
    // A search may end just past a turn where nothing moves.
    Ok(moved(probe, from, to, still, kind)?.max(0.0))
}

/// The same where either may be a write.
fn moved(probe: &mut Probe<'_>, from: (u64, u64), to: (u64, u64), still: f64, kind: Pair) -> Result<f64> {
    let sector = passes(probe, to.1, kind);
    // An arm that reads ahead finishes the sector that is under it before it moves, whatever comes before.
    let ahead = probe.reads_ahead && !kind.after_write;
    let before = if ahead { still.max(probe.period / from.1 as f64) } else { still };
    Ok(between(probe, from, to, kind)? - sector - before)
}

/// What a request takes more behind a write than behind a read, in seconds, if `still` is what it takes there without
/// movement: over some distance, as what comes over the bus meanwhile makes no difference there.
pub(super) fn more_after_write(
    probe: &mut Probe<'_>,
    cylinders: Cylinders<'_>,
    still: f64,
    write: bool,
) -> Result<f64> {
    let last = cylinders.last_whole(probe.sectors());
    let distance = (last / 8).max(1);
    let mut more = Vec::new();
    for _ in 0..3 {
        let from = probe.below(last.saturating_sub(distance).max(1));
        let (one, other) = (cylinders.track(from), cylinders.track(from + distance));
        let behind = moved(probe, one, other, still, Pair { write, after_write: true })?;
        more.push(behind - moved(probe, one, other, still, Pair { write, after_write: false })?);
    }
    more.sort_by(f64::total_cmp);
    Ok(more[1])
}

/// How tracks make cylinders, by the staircase from the first track on; none if it has no steps that tell.
pub(super) fn stairs(probe: &mut Probe<'_>, zone: &FoundZone, still: f64) -> Result<Option<Stairs>> {
    let most = probe.effort.tracks.min(zone.tracks.saturating_sub(1));
    let first = (zone.track(0), zone.sectors_per_track);
    let mut times = Vec::new();
    for number in 1..=most {
        times.push(movement(probe, first, (zone.track(number), zone.sectors_per_track), still, false)?);
    }
    // Two searches for the same time may end a step apart.
    let same = 1.5 * probe.period / f64::from(1u32 << probe.effort.halvings.min(20))
        + 4.0 * probe.stray * probe.period;
    Ok(Stairs::of_times(&times, same))
}

/// The seek curve; that of writes, with so large a factor between two distances, where one is given.
pub(super) fn curve(
    probe: &mut Probe<'_>,
    cylinders: Cylinders<'_>,
    still: f64,
    write_spacing: Option<f64>,
    note: &mut dyn FnMut(f64),
) -> Result<Vec<SeekPoint>> {
    let (write, spacing) = (write_spacing.is_some(), write_spacing.unwrap_or(probe.effort.spacing));
    let most = cylinders.last_whole(probe.sectors());
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
        let next = whole_part(distance as f64 * spacing).max(distance + 1);
        distance = if distance < most { next.min(most) } else { next };
    }
    Ok(points)
}
