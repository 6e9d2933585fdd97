//! Writes, where they are allowed: how many are reported before they are on the medium, and what those that are not need
//! beside reads. What is written is what was there.
//!
//! A write that must be on the medium before it is reported completes at its sector's angle, later or sooner than a read
//! by what the controller does after either; once that is known, its movements are found as those of reads are. Of a drive
//! that reports writes at once, a burst tells how many it holds: as many as come back before one waits, less those that
//! reach the medium meanwhile, at the pace at which later ones find room. If so many fewer large ones find room, it is
//! bytes that are limited, too.
//!
//! Left out: in which order held writes go to the medium.

use super::error::DriveCalibrationError;
use super::probe::{Probe, difference};
use super::reach::Pair;
use super::seek::{Cylinders, SeekPoint, at_distance, curve, more_after_write, movement, still};
use petrio_units::numbers::{as_index, whole_part};
use serde::Serialize;

type Result<T> = std::result::Result<T, DriveCalibrationError>;

/// Bytes of a large write of a burst: few enough that most caches hold some hundreds.
const LARGE: u64 = 256 << 10;
/// Most large writes of a burst: what is to be written is remembered meanwhile, a quarter of a gigabyte at the most.
const MOST_LARGE: u64 = 1024;
/// Bursts end when so many of the last ones had to wait.
const WAITED: (usize, usize) = (3, 6);
/// Writes that are timed when nothing more fits.
const BEHIND: u64 = 48;

/// Which writes were seen to be reported before they are on the medium.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum FoundReporting {
    /// None.
    Never,
    /// One that finds nothing on its way to the medium; the next one is on it before it is reported.
    Single,
    /// One at a time: the next waits for the arm, and is then reported.
    Always,
    /// Many: they are held.
    Held,
}

/// Writes as they were found.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FoundWrites {
    /// Which are reported before they are on the medium.
    pub reporting: FoundReporting,
    /// How many single physical sectors all over the device are held at most; zero where it isn't many.
    pub held: u64,
    /// Whether it may be more: no burst was long enough for one to wait.
    pub at_least: bool,
    /// Most sectors that are held; none where the count ends it first.
    pub held_sectors: Option<u64>,
    /// What a reported write takes in all, in seconds; zero where none is.
    pub reported_span: f64,
    /// What a write that must be on the medium takes without movement and wait, in seconds, less a sector, up to when a
    /// read of that sector would complete.
    pub still: f64,
    /// What such a write takes more behind another than behind a read, in seconds.
    pub more_after_write: f64,
    /// What a read takes more behind a write than behind a read, in seconds.
    pub read_more_after_write: f64,
    /// By how much later, in seconds, a write completes than a read whose sector passes the head at the same time.
    pub lag: f64,
    /// What changing to another head takes more for a write than for a read, in seconds; a movement, where there is one.
    pub settle: f64,
    /// What a write takes at the least between its order and its access to the medium, in seconds, however near that is;
    /// zero where nothing shows of it.
    pub least: f64,
    /// What movements take for writes.
    pub seeks: Vec<SeekPoint>,
}

/// Times writes.
pub(super) fn writes(
    probe: &mut Probe<'_>,
    cylinders: Cylinders<'_>,
    read_still: f64,
    (head_switch, read_seeks): (f64, &[SeekPoint]),
    bus: f64,
    note: &mut dyn FnMut(f64),
) -> Result<FoundWrites> {
    probe.write_lag = lag(probe, cylinders)?;
    let write_still = still(probe, cylinders.zones, Pair { write: true, after_write: false })?;
    // While the arm moves, what is written comes over the bus; where it doesn't, it is waited for.
    let before_arm = (write_still - bus * probe.written_together() as f64).max(0.0);
    // Between two points of the coarser curve lies no more than between those of a quick one.
    let spacing = probe.effort.spacing.powi(2).min(2.0);
    let write_more = more_after_write(probe, cylinders, before_arm, true)?;
    let read_more = more_after_write(probe, cylinders, read_still, false)?;
    let mut seeks = curve(probe, cylinders, before_arm, Some(spacing), note)?;
    let least =
        least(read_seeks, &mut seeks, probe.period / f64::from(1u32 << probe.effort.halvings.min(20)));
    let mut settle = 0.0;
    if least > 0.0 {
        // It hides how long a head needs to settle.
    } else if let Some((one, other)) = cylinders.neighbours() {
        settle = movement(probe, one, other, before_arm, true)? - head_switch;
    } else if let Some(point) = seeks.first() {
        let (one, other) = (cylinders.track(0), cylinders.track(point.cylinders));
        settle = point.seconds - movement(probe, one, other, read_still, false)?;
    }
    let mut found = FoundWrites {
        reporting: FoundReporting::Never,
        held: 0,
        at_least: false,
        held_sectors: None,
        reported_span: 0.0,
        still: write_still,
        more_after_write: write_more,
        read_more_after_write: read_more,
        lag: probe.write_lag * probe.period,
        settle,
        least,
        seeks,
    };
    reporting(probe, read_still, &mut found)?;
    Ok(found)
}

/// What a write takes at the least before its access, in seconds, where no movement shows for the nearest tracks as others
/// do for reads: as much as the movement that is the first to show. The movements are told with it from then on.
fn least(reads: &[SeekPoint], writes: &mut [SeekPoint], resolution: f64) -> f64 {
    let shows = |point: &SeekPoint| point.seconds > 4.0 * resolution + point.spread;
    let near = writes.partition_point(|point| !shows(point));
    let read = |point: &SeekPoint| at_distance(reads, point.cylinders).unwrap_or(0.0);
    let Some(last) = near.checked_sub(1).map(|last| read(&writes[last])) else { return 0.0 };
    if last <= 4.0 * resolution {
        return 0.0;
    }
    let least = writes.get(near).map_or(last, |first| last.max(read(first) - first.seconds));
    let (hidden, shown) = writes.split_at_mut(near);
    for point in hidden {
        point.seconds = at_distance(reads, point.cylinders).unwrap_or(0.0);
    }
    for point in shown {
        point.seconds += least;
    }
    least
}

/// By which part of a turn a write completes later than a read of the same sector would have.
fn lag(probe: &mut Probe<'_>, cylinders: Cylinders<'_>) -> Result<f64> {
    let mut lags: Vec<f64> = Vec::new();
    for _ in 0..9 {
        let zone = &cylinders.zones[as_index(probe.below(cylinders.zones.len() as u64))];
        let middle = zone.track(probe.below(zone.tracks)) + zone.sectors_per_track / 2;
        let sector = probe.physical_end(middle);
        let read = probe.angle(sector)?;
        let together = probe.written_together();
        probe.keep(&[((sector + 1).saturating_sub(together), together)])?;
        probe.elsewhere(sector)?;
        let end = probe.rewrite_to(sector)?.end;
        let later = difference(probe.phase(end), read);
        // Around the first one, so that the middle of them means something.
        let first = lags.first().copied().unwrap_or(later);
        lags.push(first + difference(later, first));
    }
    lags.sort_by(f64::total_cmp);
    Ok(lags[lags.len() / 2])
}

/// Finds how many writes are reported before they are on the medium.
fn reporting(probe: &mut Probe<'_>, read_still: f64, found: &mut FoundWrites) -> Result<()> {
    let together = probe.written_together();
    let single = alone(probe, together)?;
    let span = single[single.len() / 2];
    // What passes the medium waits for its sector: a write that is reported does not.
    if span > probe.hit_below.max(0.2 * probe.period + read_still) {
        return Ok(());
    }
    found.reported_span = single[single.len() / 4];
    let first = burst(probe, together, probe.effort.burst, waits_from(probe, &single))?;
    if first.quick <= WAITED.1 as u64 {
        found.reporting =
            if first.quick_behind > BEHIND / 4 { FoundReporting::Single } else { FoundReporting::Always };
        rest(probe, 64);
        return Ok(());
    }
    found.reporting = FoundReporting::Held;
    (found.held, found.at_least) = (first.held, !first.waited);
    rest(probe, 2 * first.quick);
    let large = (LARGE / probe.sector_bytes()).max(1);
    let most = (first.quick + if first.waited { 16 } else { 0 }).min(MOST_LARGE);
    let one = alone(probe, large)?;
    let second = burst(probe, large, most, waits_from(probe, &one))?;
    if second.waited && second.held * 10 < first.held * 9 {
        found.held_sectors = Some(second.held * large);
    }
    rest(probe, 2 * second.quick);
    Ok(())
}

/// What writes of so many sectors take, each with nothing else to write, in ascending seconds.
fn alone(probe: &mut Probe<'_>, sectors: u64) -> Result<Vec<f64>> {
    let mut spans = Vec::new();
    for _ in 0..9 {
        let place =
            probe.below(probe.sectors() - sectors) / probe.written_together() * probe.written_together();
        probe.keep(&[(place, sectors)])?;
        rest(probe, 4);
        spans.push(probe.rewrite(place, sectors, false)?.span());
    }
    spans.sort_by(f64::total_cmp);
    Ok(spans)
}

/// What a write takes, in seconds, from which on it has waited for another.
fn waits_from(probe: &Probe<'_>, alone: &[f64]) -> f64 {
    2.0 * alone[alone.len() / 2] + 4.0 * probe.stray * probe.period
}

/// Waits until so many writes, all over the device, are on the medium.
fn rest(probe: &mut Probe<'_>, writes: u64) {
    let pause = 2.0 * (writes + 8) as f64 * probe.period;
    probe.wait(pause);
}

/// What a burst of writes came to.
struct Burst {
    /// How many came back at once before others had to wait.
    quick: u64,
    /// How many of these had not reached the medium by then.
    held: u64,
    /// Whether any waited.
    waited: bool,
    /// How many came back at once of those behind.
    quick_behind: u64,
}

/// Writes of so many sectors each, as fast as the drive takes them; `slow` is what one that waits takes longer than, in
/// seconds.
fn burst(probe: &mut Probe<'_>, sectors: u64, most: u64, slow: f64) -> Result<Burst> {
    let count = most + BEHIND;
    // Each in a part of its own, so that none continues or overlaps another.
    let part = (probe.sectors() / count).max(sectors + 1);
    let together = probe.written_together();
    let mut place = |number: u64| (number * part + probe.below(part - sectors)) / together * together;
    let mut places: Vec<(u64, u64)> = (0..count).map(|number| (place(number), sectors)).collect();
    for at in (1..places.len()).rev() {
        places.swap(at, as_index(probe.below(at as u64 + 1)));
    }
    probe.keep(&places)?;
    rest(probe, 0);
    let begun = probe.now();
    let (mut spans, mut ends) = (Vec::new(), Vec::new());
    let mut waiting = None;
    for (place, sectors) in &places {
        let timing = probe.rewrite(*place, *sectors, false)?;
        spans.push(timing.span() > slow);
        ends.push(timing.end);
        if waiting.is_none() {
            let last = spans.len().saturating_sub(WAITED.1);
            if spans[last..].iter().filter(|slow| **slow).count() >= WAITED.0 {
                waiting = spans[last..].iter().position(|slow| *slow).map(|at| last + at);
            } else if spans.len() as u64 == most {
                return Ok(Burst { quick: most, held: most, waited: false, quick_behind: 0 });
            }
        }
        if waiting.is_some_and(|first| spans.len() >= first + as_index(BEHIND)) {
            break;
        }
    }
    let quick = waiting.unwrap_or(spans.len());
    let behind = &spans[quick.min(spans.len())..];
    // Behind, each finds room when another has reached the medium.
    let full_since = if quick == 0 { begun } else { ends[quick - 1] };
    let pace = (ends[ends.len() - 1] - full_since) / (ends.len() - quick).max(1) as f64;
    let meanwhile = if pace > 0.0 { (full_since - begun) / pace } else { 0.0 };
    Ok(Burst {
        quick: quick as u64,
        held: whole_part((quick as f64 - meanwhile).round().max(1.0)),
        waited: waiting.is_some(),
        quick_behind: behind.iter().filter(|slow| !**slow).count() as u64,
    })
}
