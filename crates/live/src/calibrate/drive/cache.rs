//! The cache, by which reads come back at once: how long they take by size, how many segments, how long a segment, how
//! far is read ahead.
//!
//! Source: Worthington et al., SIGMETRICS 1995, section 6. A segment is counted by reading at so many places that the
//! first is forgotten; how far is read ahead, by pausing after a read and looking how far behind it reads come at once; the
//! size of a segment, by how much may be read behind a sector until that is forgotten.
//!
//! Left out: whether sectors are kept that pass before the wanted ones, whether reads take data out, and what writes leave
//! in the cache.

use super::error::DriveCalibrationError;
use super::probe::Probe;
use super::zones::FoundZone;
use petrio_units::numbers::whole_part;
use serde::Serialize;

type Result<T> = std::result::Result<T, DriveCalibrationError>;

/// Most sectors that a segment is taken to have.
const LONGEST: u64 = 1 << 17;
/// Sectors of a small device, of which its cache holds some hundredths.
const SMALL: u64 = 1 << 21;
/// Sectors of reads from the cache: the more, the finer their time is known, but small segments hold no more than a few.
const SIZES: [u64; 3] = [1, 16, 64];

/// A cache as it was found.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct FoundCache {
    /// What a read from it takes before its data, and for each sector, in seconds.
    pub hit: f64,
    /// For each sector, in seconds.
    pub hit_sector: f64,
    /// Segments that reads use.
    pub segments: u64,
    /// Whether there may be more segments than were looked for.
    pub at_least: bool,
    /// Sectors of a segment.
    pub segment_sectors: u64,
    /// How far is read ahead.
    pub read_ahead: FoundReadAhead,
    /// Most sectors that are read ahead of a read, where that is less than a segment.
    pub read_ahead_sectors: u64,
    /// Whether a read from the cache lets the reading ahead begin anew.
    pub read_ahead_after_hit: bool,
}

/// How far a drive was seen to read ahead.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum FoundReadAhead {
    /// Not at all.
    None,
    /// To the end of the track.
    Track,
    /// To the end of the cylinder.
    Cylinder,
    /// So many sectors, wherever they lie.
    Segment,
}

/// The cache; none if reads don't come back any faster.
pub(super) fn cache(probe: &mut Probe<'_>, zones: &[FoundZone], surfaces: u64) -> Result<Option<FoundCache>> {
    if probe.hit_below <= 0.0 {
        return Ok(None);
    }
    let (hit, hit_sector) = hits(probe)?;
    probe.hit = hit + hit_sector;
    let (segments, at_least) = segments(probe)?;
    (probe.lone, probe.segments) = (segments == 1, segments);
    let (read_ahead, kept) = read_ahead(probe, zones, surfaces)?;
    let ahead = match read_ahead {
        FoundReadAhead::Segment => extent(probe, zones, 0.25)?,
        _ => 0,
    };
    let segment_sectors = match kept {
        Some(kept) => kept,
        None => segment_size(probe, zones, read_ahead, ahead)?,
    };
    let read_ahead_after_hit = read_ahead != FoundReadAhead::None && again(probe, zones)?;
    Ok(Some(FoundCache {
        hit,
        hit_sector,
        segments,
        at_least,
        segment_sectors,
        read_ahead,
        read_ahead_sectors: ahead,
        read_ahead_after_hit,
    }))
}

/// Whether a sector is in the cache. The question may put it there.
fn is_held(probe: &mut Probe<'_>, sector: u64) -> Result<bool> {
    let span = probe.read(sector, 1)?.span();
    // A read from the medium may be quick by chance, above all with one segment, where the arm hasn't been elsewhere.
    let longer = if probe.lone { 1.1 } else { 1.5 };
    Ok(span <= probe.hit_below.min(longer * probe.hit + 5.0 * probe.stray * probe.period))
}

/// A line through the times of reads that come back.
fn hits(probe: &mut Probe<'_>) -> Result<(f64, f64)> {
    let mut quick = Vec::new();
    for sectors in SIZES {
        let mut times = Vec::new();
        for _ in 0..9 {
            let place = probe.below(probe.sectors() - SIZES[2]);
            probe.read(place, sectors)?;
            times.push(probe.read(place, sectors)?.span());
        }
        times.sort_by(f64::total_cmp);
        quick.push(times[times.len() / 4]);
    }
    let line = |large: usize| {
        let each = ((quick[large] - quick[0]) / (SIZES[large] - SIZES[0]) as f64).max(0.0);
        ((quick[0] - each).max(0.0), each)
    };
    // What a segment doesn't hold is read again: those sectors take longer than fewer do.
    let (few, many) = (line(1), line(2));
    let strays = 4.0 * probe.stray * probe.period / SIZES[1] as f64;
    Ok(if many.1 > 1.05 * few.1 + strays { few } else { many })
}

/// At how many places may be read, with the first one still being there: the most, and whether it may be more.
fn segments(probe: &mut Probe<'_>) -> Result<(u64, bool)> {
    let most = probe.effort.segments;
    let still_there = |probe: &mut Probe<'_>, places: u64| -> Result<bool> {
        let mut held = 0;
        for _ in 0..3 {
            let room = probe.sectors() / (places + 2);
            let offset = probe.below(room / 2 + 1);
            for place in 0..places {
                probe.read(place * room + offset, 1)?;
            }
            held += u32::from(is_held(probe, offset)?);
        }
        Ok(held >= 2)
    };
    let (mut there, mut gone) = (1, 2);
    while gone <= most && still_there(probe, gone)? {
        (there, gone) = (gone, gone * 2);
    }
    if gone > most {
        return Ok((there, true));
    }
    while gone - there > 1 {
        let middle = u64::midpoint(there, gone);
        if still_there(probe, middle)? { there = middle } else { gone = middle }
    }
    Ok((there, false))
}

/// Reads a sector in a zone at a part of a track, pauses until everything that is read ahead is there, and goes elsewhere.
fn settle(probe: &mut Probe<'_>, sector: u64, sectors: u64) -> Result<()> {
    // What was read ahead for an earlier look may lie here.
    let segments = probe.segments;
    probe.displace(segments + 4)?;
    let mut left = sectors;
    while left > 0 {
        let next = left.min(256);
        probe.read(sector + sectors - left, next)?;
        left -= next;
    }
    // As long as the longest segment takes at most, if it has been seen that something is read ahead.
    let pause = (40.0 + probe.part()) * probe.period;
    probe.wait(pause);
    // Of a cache with one segment, a read elsewhere would take all.
    if !probe.lone {
        probe.elsewhere(sector)?;
    }
    Ok(())
}

/// A sector at a part of a track that wasn't read before, far from a zone's end.
fn place(probe: &mut Probe<'_>, zones: &[FoundZone], part: f64) -> u64 {
    let widest = zones.iter().max_by_key(|zone| zone.tracks * zone.sectors_per_track);
    let Some(zone) = widest else { return 0 };
    let track = probe.below((zone.tracks * 3 / 4).max(1));
    zone.track(track) + whole_part(part * zone.sectors_per_track as f64)
}

/// What is so mostly: a completion may come late, and a place have been in the cache before, which on a small device the
/// many reads elsewhere often bring about.
fn mostly(probe: &mut Probe<'_>, look: &mut dyn FnMut(&mut Probe<'_>) -> Result<bool>) -> Result<bool> {
    let lead = if probe.sectors() < SMALL { 4 } else { 2 };
    let mut ahead = 0i32;
    while ahead.abs() < lead {
        ahead += if look(probe)? { 1 } else { -1 };
    }
    Ok(ahead > 0)
}

/// How many sectors behind a read sector are there after a pause. Halving needs a new place each time, as each look may
/// fetch what it looks for.
fn extent(probe: &mut Probe<'_>, zones: &[FoundZone], part: f64) -> Result<u64> {
    let holds = |probe: &mut Probe<'_>, ahead: u64| {
        mostly(probe, &mut |probe| {
            let sector = place(probe, zones, part);
            settle(probe, sector, 1)?;
            is_held(probe, sector + ahead)
        })
    };
    let (mut inside, mut outside) = (0, 1);
    while outside < LONGEST && holds(probe, outside)? {
        (inside, outside) = (outside, outside * 2);
    }
    while outside - inside > 1 {
        let middle = u64::midpoint(inside, outside);
        if holds(probe, middle)? { inside = middle } else { outside = middle }
    }
    Ok(inside)
}

/// Sectors of the widest zone's tracks.
fn widest_track(zones: &[FoundZone]) -> u64 {
    let widest = zones.iter().max_by_key(|zone| zone.tracks * zone.sectors_per_track);
    widest.map_or(1, |zone| zone.sectors_per_track)
}

/// How many sectors of a track's end are there after one at its beginning was read: those that a segment holds of what was
/// read ahead, if what comes last drives out what came first. None if the first is still there.
fn kept_of_track(probe: &mut Probe<'_>, zones: &[FoundZone]) -> Result<Option<u64>> {
    let length = widest_track(zones);
    let holds = |probe: &mut Probe<'_>, from_end: u64| {
        mostly(probe, &mut |probe| {
            let sector = place(probe, zones, 0.0);
            settle(probe, sector, 1)?;
            is_held(probe, sector + length - from_end)
        })
    };
    if !holds(probe, 1)? || holds(probe, length - 1)? {
        return Ok(None);
    }
    let (mut inside, mut outside) = (1, length - 1);
    while outside - inside > 1 {
        let middle = u64::midpoint(inside, outside);
        if holds(probe, middle)? { inside = middle } else { outside = middle }
    }
    Ok(Some(inside))
}

/// Where the reading ahead ends: at the same distance from two parts of a track, or at its end, or the cylinder's. And what a
/// segment holds of it, in sectors, where what comes last drives out what came first.
fn read_ahead(
    probe: &mut Probe<'_>,
    zones: &[FoundZone],
    surfaces: u64,
) -> Result<(FoundReadAhead, Option<u64>)> {
    let (early, late) = (extent(probe, zones, 0.25)?, extent(probe, zones, 0.75)?);
    // Sectors that pass until the next read stops the drive are no reading ahead of its own.
    let length = widest_track(zones);
    if early == 0 {
        let kept = kept_of_track(probe, zones)?;
        return Ok((if kept.is_some() { FoundReadAhead::Track } else { FoundReadAhead::None }, kept));
    }
    if early == late {
        return Ok((FoundReadAhead::Segment, None));
    }
    let to_end = |part: f64| length - whole_part(part * length as f64) - 1;
    if early == to_end(0.25) && late == to_end(0.75) {
        return Ok((FoundReadAhead::Track, None));
    }
    // From tracks of any surface the ends lie at different distances, all of them no further than a cylinder.
    let within = early.max(late) <= length * surfaces;
    Ok((if within { FoundReadAhead::Cylinder } else { FoundReadAhead::Segment }, None))
}

/// Sectors of a segment: the most that are held from a sector on, what is read ahead included.
fn segment_size(probe: &mut Probe<'_>, zones: &[FoundZone], kind: FoundReadAhead, ahead: u64) -> Result<u64> {
    // Whether the first of so many sectors is still there, once all is read that will be.
    let holds_first = |probe: &mut Probe<'_>, sectors: u64| {
        mostly(probe, &mut |probe| {
            let sector = match kind {
                FoundReadAhead::Segment | FoundReadAhead::None => place(probe, zones, 0.25),
                // Reading up to the end of a track, so that nothing is read ahead beyond it.
                _ => place(probe, zones, 0.99).saturating_sub(sectors),
            };
            settle(probe, sector, sectors)?;
            is_held(probe, sector)
        })
    };
    if !holds_first(probe, 1)? {
        // What is read ahead drives out what was read: it fills the segment.
        return Ok(ahead.max(1));
    }
    let (mut inside, mut outside) = (1, 2);
    while outside < LONGEST && holds_first(probe, outside)? {
        (inside, outside) = (outside, outside * 2);
    }
    while outside - inside > 1 {
        let middle = u64::midpoint(inside, outside);
        if holds_first(probe, middle)? { inside = middle } else { outside = middle }
    }
    Ok(inside + ahead)
}

/// Whether reading ahead goes on after a read of what was read ahead.
fn again(probe: &mut Probe<'_>, zones: &[FoundZone]) -> Result<bool> {
    let mut further = 0;
    for _ in 0..3 {
        let reach = extent(probe, zones, 0.0)?.min(LONGEST / 2);
        let sector = place(probe, zones, 0.0);
        settle(probe, sector, 1)?;
        // Half of what is there is read once more; then all of as much again should be there.
        let from = sector + reach / 2;
        if !is_held(probe, from)? {
            continue;
        }
        let pause = (40.0 + probe.part()) * probe.period;
        probe.wait(pause);
        if !probe.lone {
            probe.elsewhere(sector)?;
        }
        further += u32::from(is_held(probe, sector + reach + reach / 4 + 1)?);
    }
    Ok(further >= 2)
}
