//! The shortest time from the end of one read to the end of the next, as near as a track can be reached: its "minimum
//! time between request completions" (Worthington et al., SIGMETRICS 1995, section 4).
//!
//! Of two tracks, a sector of the first is read, and after a pause one of the second. That comes within the turn if the
//! head is there in time, and a turn later if not. Where sector and pause are chosen so that it would come after a given
//! time, halving finds the time which is just enough: it holds what the drive does before and after the arm moves, the
//! movement, and a sector. A completion that comes late, by less than half a turn, changes nothing.

use super::error::DriveCalibrationError;
use super::probe::Probe;
use super::zones::FoundZone;
use petrio_units::numbers::whole_part;

/// Searches for one time, at most: each ends with another look at what was not enough.
const LOOKS: u32 = 3;

type Result<T> = std::result::Result<T, DriveCalibrationError>;

/// A track: its first sector, sectors on it, and the angle of its first sector's end.
#[derive(Clone, Copy, Debug)]
pub(super) struct Along {
    pub(super) start: u64,
    pub(super) length: u64,
    angle: f64,
}

impl Along {
    pub(super) fn look(probe: &mut Probe<'_>, start: u64, length: u64) -> Result<Self> {
        Ok(Self { start, length, angle: probe.angle(start)? })
    }
}

/// What two requests are, one behind the other.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Pair {
    /// The second writes.
    pub(super) write: bool,
    /// The first writes.
    pub(super) after_write: bool,
}

/// The shortest time between completions, in seconds, from the medium's first track to its second.
pub(super) fn shortest(
    probe: &mut Probe<'_>,
    from: u64,
    from_length: u64,
    to: Along,
    kind: Pair,
) -> Result<f64> {
    if kind.write || kind.after_write {
        // Physical sectors begin before a track does, and end behind it.
        let together = probe.written_together();
        let around = |start: u64, length: u64| (start.saturating_sub(together), length + 2 * together);
        probe.keep(&[around(to.start, to.length), around(from, from_length)])?;
    }
    halve(probe, &mut |probe, time| passed(probe, from, from_length, to, kind, time))
}

/// The shortest time, in seconds, from the order to read a sector of the track over which the arm rests to its end: where a
/// drive reads `ahead` sectors of a read and stops. An order for a sector that it is about to read ahead would only let it
/// go on.
pub(super) fn shortest_at_rest(probe: &mut Probe<'_>, zone: &FoundZone, ahead: u64) -> Result<f64> {
    halve(probe, &mut |probe, time| passed_at_rest(probe, zone, ahead, time))
}

/// The time that is just enough, where `at` tells how many turns more than a time pass.
fn halve(
    probe: &mut Probe<'_>,
    at: &mut dyn FnMut(&mut Probe<'_>, f64) -> Result<Option<f64>>,
) -> Result<f64> {
    let period = probe.period;
    let most = 0.999;
    // How many turns that are is of account for all that follows: the fewer of two looks, as one may come late by something
    // else, and it is asked again where it can't be told.
    let (mut turns, mut looks) = (None::<f64>, 0);
    for _ in 0..4 {
        if let Some(found) = at(probe, most * period)? {
            turns = Some(turns.map_or(found, |least| least.min(found)));
            looks += 1;
        }
        if looks == 2 {
            break;
        }
    }
    let turns = turns.unwrap_or(0.0);
    let mut late = |probe: &mut Probe<'_>, part: f64| -> Result<bool> {
        Ok(!at(probe, part * period)?.is_some_and(|found| found <= turns))
    };
    let (mut less, mut enough) = (0.0, most);
    for look in 1..=LOOKS {
        for _ in 0..probe.effort.halvings {
            let middle = f64::midpoint(less, enough);
            if late(probe, middle)? { less = middle } else { enough = middle }
        }
        if look == LOOKS || less == 0.0 || late(probe, less)? {
            break;
        }
        // It was another thing that came late, as a drive that still read on for what it took for a stream.
        (less, enough) = (0.0, less);
    }
    Ok((turns + f64::midpoint(less, enough)) * period)
}

/// How many turns more than `time` seconds pass from an order to the end of its sector, where the arm rests over its track;
/// none if it comes from the cache.
fn passed_at_rest(probe: &mut Probe<'_>, zone: &FoundZone, ahead: u64, time: f64) -> Result<Option<f64>> {
    let length = zone.sectors_per_track;
    let before = (ahead + 1).div_ceil(length) + 1;
    for _ in 0..4 {
        let start = zone.track(before + probe.below(zone.tracks.saturating_sub(before).max(1)));
        let to = Along::look(probe, start, length)?;
        // What the look has brought is forgotten.
        let segments = probe.segments;
        probe.displace(segments + 4)?;
        probe.keep_phase()?;
        let rests = start + 1 + probe.below(length / 2);
        probe.fresh(rests - ahead - 1)?;
        // Until all has been read ahead.
        let pause = (ahead.div_ceil(length) as f64 * 2.0 + 4.0 + probe.part()) * probe.period;
        probe.wait(pause);
        let now = probe.now();
        let sector = rests - start + 1 + probe.below(length - (rests - start) - 1);
        let angle = to.angle + sector as f64 / length as f64 - probe.phase(now);
        let comes = angle.rem_euclid(1.0) * probe.period;
        let late = if comes < time { comes + probe.period - time } else { comes - time };
        probe.wait(late);
        let timing = probe.read(start + sector, 1)?;
        let turns = (timing.end - now - time - late) / probe.period;
        let whole = turns.round().max(0.0);
        if (turns - whole).abs() <= 0.002 + 6.0 * probe.stray {
            return Ok(Some(whole));
        }
    }
    Ok(None)
}

/// How many turns more than `time` seconds pass from a completion on the first track until a sector of the second that
/// would come after that time; none if it comes from the cache.
fn passed(
    probe: &mut Probe<'_>,
    from: u64,
    from_length: u64,
    to: Along,
    kind: Pair,
    time: f64,
) -> Result<Option<f64>> {
    let sector_time = probe.period / to.length as f64;
    for attempt in 0..4 {
        probe.keep_phase()?;
        // The first half of the track, so that reading ahead stays on it.
        let source = from + probe.below((from_length / 2).max(1));
        let done = if kind.after_write {
            probe.elsewhere(source)?;
            let last = probe.physical_end(source);
            probe.rewrite_to(last)?.end
        } else {
            probe.fresh(source)?.end
        };
        let arrives = probe.phase(done) + time / probe.period;
        let mut sectors = ((arrives - to.angle) * to.length as f64).ceil();
        let mut sector = whole_part(sectors.rem_euclid(to.length as f64));
        if kind.write {
            let ends = |sector: u64| probe.physical_end(to.start + sector) - to.start;
            let whole = ends(sector);
            // Where a track ends within a physical sector, the first that lies on it as a whole.
            let first = ends(probe.written_together() - 1);
            let further = if whole < to.length { whole - sector } else { to.length - sector + first };
            sectors += further as f64;
            sector = (sector + further) % to.length;
        }
        let late = (sectors - (arrives - to.angle) * to.length as f64) * sector_time;
        let expected = time + late;
        let already = probe.now() - done;
        if late > already {
            probe.wait(late - already);
        }
        let target = to.start + sector.min(to.length - 1);
        let timing = if kind.write { probe.rewrite_to(target)? } else { probe.read(target, 1)? };
        let lag = if kind.write { probe.write_lag } else { 0.0 };
        let turns = (timing.end - done - expected) / probe.period - lag;
        let whole = turns.round().max(0.0);
        // From the medium it comes when it passes the head; from the cache, or late by somebody else's doing, it doesn't.
        if (turns - whole).abs() <= 0.002 + 6.0 * probe.stray {
            return Ok(Some(whole));
        }
        // An earlier look may have read ahead over it.
        if attempt > 0 {
            probe.forget(attempt)?;
        }
    }
    Ok(None)
}
