//! What was found beside what is so, where that is known: of a simulated drive.

use super::parameters::Made;
use super::{FoundDisk, FoundReporting, FoundWrites, FoundZone, SeekPoint};
use petrio_models::device::disk::parameters::{
    DiskParameters, GeometryParameters, ImmediateReporting, MechanicsParameters, ReadAhead, ZoneParameters,
};
use petrio_models::device::disk::{Drive, Layout, SeekCurve};
use petrio_time::Time;
use petrio_units::numbers::{as_number, nearest_whole};
use serde::Serialize;

/// A figure found, and what it is.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Compared {
    /// Which.
    pub what: String,
    /// As found.
    pub found: f64,
    /// As it is.
    pub truth: f64,
    /// How far apart, in the figure's unit: of zones and seeks, the worst.
    pub off: f64,
}

/// What was found of a simulated drive beside its parameters. Of zones and seeks, the worst stands there.
pub fn compare(found: &FoundDisk, truth: &DiskParameters) -> Vec<Compared> {
    let made = Made::of(found, "", "").drive;
    let mut rows = Vec::new();
    let mut row = |what: &str, found: f64, truth: f64| {
        rows.push(Compared { what: what.to_owned(), found, truth, off: found - truth });
    };
    let (mine, theirs) = (&made.geometry, &truth.geometry);
    row(
        "rotation, rpm",
        made.mechanics.rotation.revolutions_per_minute(),
        truth.mechanics.rotation.revolutions_per_minute(),
    );
    row("surfaces", f64::from(mine.surfaces), f64::from(theirs.surfaces));
    let drive = Drive::new(truth).ok();
    let layout = drive.as_ref().map(|drive| drive.mechanics().layout());
    // Cylinders behind the last block can't be seen.
    let last = layout.map_or(theirs.cylinders, |layout| layout.place(layout.blocks() - 1).track.cylinder + 1);
    row("cylinders", f64::from(mine.cylinders), f64::from(last));
    row("zones", mine.zones.len() as f64, theirs.zones.len() as f64);
    zones(found, (mine, theirs), layout, &mut rows);
    let mut row = |what: &str, found: f64, truth: f64| {
        rows.push(Compared { what: what.to_owned(), found, truth, off: found - truth });
    };
    row(
        "head switch, us",
        made.mechanics.head_switch.as_seconds() * 1e6,
        truth.mechanics.head_switch.as_seconds() * 1e6,
    );
    seeks(found, truth, &mut row);
    if let Some(writes) = &found.writes {
        writes_rows(found, writes, truth, &mut row);
    }
    row("segments of the cache", f64::from(made.cache.segments), f64::from(truth.cache.segments));
    row("blocks of a segment", made.cache.segment_size.get() as f64, truth.cache.segment_size.get() as f64);
    let ahead = |drive: &DiskParameters| match drive.cache.read_ahead {
        ReadAhead::Segment if drive.cache.read_ahead_limit.get() > 0 => {
            drive.cache.read_ahead_limit.get() as f64
        }
        ReadAhead::Segment => drive.cache.segment_size.get() as f64,
        _ => 0.0,
    };
    row("blocks read ahead", ahead(&made), ahead(truth));
    row("bus, us a block", made.bus.read_block.as_seconds() * 1e6, truth.bus.read_block.as_seconds() * 1e6);
    rows
}

/// The zones of a drive that was found beside its own.
fn zones(
    found: &FoundDisk,
    (mine, theirs): (&GeometryParameters, &GeometryParameters),
    layout: Option<&Layout>,
    rows: &mut Vec<Compared>,
) {
    // A zone found stands beside the one in which its middle block lies: there may be more or fewer.
    let grain = found.sector_bytes / 512;
    let beside = |zone: &FoundZone| {
        let middle = (zone.first_sector + zone.sectors / 2) * grain;
        layout.map_or(0, |layout| layout.place(middle.min(layout.blocks() - 1)).zone)
    };
    let pairs: Vec<(usize, usize)> = (0..found.zones.len())
        .map(|number| (number, beside(&found.zones[number]) as usize))
        .filter(|(_, other)| *other < theirs.zones.len())
        .collect();
    let mut worst = |what: &str, figures: &dyn Fn(usize, usize) -> (f64, f64)| {
        let pairs = pairs.iter().map(|(one, other)| figures(*one, *other));
        let off = |pair: &(f64, f64)| (pair.0 - pair.1).abs();
        if let Some((one, other)) = pairs.max_by(|one, other| off(one).total_cmp(&off(other))) {
            rows.push(Compared { what: what.to_owned(), found: one, truth: other, off: one - other });
        }
    };
    if let Some(layout) = layout {
        worst("zones' ends, blocks", &|one, other| {
            let own = found.zones.get(one + 1).map_or(found.sectors, |after| after.first_sector);
            ((own * grain) as f64, zone_end(layout, as_number(other)) as f64)
        });
    }
    let mut figure = |what: &str, figure: &dyn Fn(&ZoneParameters) -> f64| {
        worst(what, &|one, other| (figure(&mine.zones[one]), figure(&theirs.zones[other])));
    };
    figure("sectors per track", &|zone| f64::from(zone.sectors_per_track));
    // With one surface there is no other track on a cylinder.
    let several = f64::from(u8::from(theirs.surfaces > 1));
    figure("track skew, sectors", &|zone| zone.track_skew_sectors * several);
    figure("cylinder skew, sectors", &|zone| zone.cylinder_skew_sectors);
}

/// Seeks that were timed beside the drive's own curve.
fn seeks(found: &FoundDisk, truth: &DiskParameters, row: &mut dyn FnMut(&str, f64, f64)) {
    if let Ok(curve) = SeekCurve::new(&truth.mechanics.seek, truth.geometry.cylinders) {
        let seeks: Vec<(f64, f64, f64)> = (found.seeks.iter())
            .filter_map(|point| {
                let truth = seek(&curve, &truth.mechanics, cylinders(found, truth, point)?).as_seconds();
                Some((point.seconds * 1e3, truth * 1e3, (point.seconds / truth - 1.0).abs()))
            })
            .collect();
        if let Some((one, other, _)) = seeks.iter().copied().max_by(|one, other| one.2.total_cmp(&other.2)) {
            row("worst seek, ms", one, other);
        }
        if !seeks.is_empty() {
            let mean = |figure: &dyn Fn(&(f64, f64, f64)) -> f64| {
                seeks.iter().map(figure).sum::<f64>() / seeks.len() as f64
            };
            row("mean of seeks, ms", mean(&|seek| seek.0), mean(&|seek| seek.1));
        }
    }
}

/// One past the last block of a zone.
fn zone_end(layout: &Layout, zone: u32) -> u64 {
    let (mut inside, mut outside) = (0, layout.blocks());
    while inside < outside {
        let middle = u64::midpoint(inside, outside);
        if layout.place(middle).zone <= zone { inside = middle + 1 } else { outside = middle }
    }
    inside
}

/// What a seek takes that isn't to the next cylinder, or is.
fn seek(curve: &SeekCurve, mechanics: &MechanicsParameters, distance: u32) -> Time {
    let least = if distance > 1 { mechanics.minimum_seek.time() } else { Time::ZERO };
    curve.time(distance).max(least)
}

/// How far a movement found goes in cylinders of the drive itself, if cylinders of other height were found; none if not as
/// far as one.
fn cylinders(found: &FoundDisk, truth: &DiskParameters, point: &SeekPoint) -> Option<u32> {
    let tracks = point.cylinders * found.surfaces;
    let cylinders = tracks as f64 / f64::from(truth.geometry.surfaces);
    let most = truth.geometry.cylinders.saturating_sub(1);
    Some(as_number(nearest_whole(cylinders).min(u64::from(most)))).filter(|cylinders| *cylinders > 0)
}

/// The rows of writes. A head switch tells the settling of one.
fn writes_rows(
    found: &FoundDisk,
    writes: &FoundWrites,
    truth: &DiskParameters,
    row: &mut impl FnMut(&str, f64, f64),
) {
    let mechanics = &truth.mechanics;
    let Ok(curve) =
        SeekCurve::new(mechanics.write_seek.as_ref().unwrap_or(&mechanics.seek), truth.geometry.cylinders)
    else {
        return;
    };
    let settled = |span: Time| mechanics.write_settle.added_to(span).as_seconds();
    if found.surfaces > 1 {
        let switch = mechanics.head_switch.time();
        row("settling of writes, us", writes.settle * 1e6, (settled(switch) - switch.as_seconds()) * 1e6);
    }
    let seeks = (writes.seeks.iter()).filter_map(|point| {
        let cylinders = cylinders(found, truth, point)?;
        let least = truth.overheads.minimum_write_positioning.time().as_seconds();
        let so = settled(seek(&curve, mechanics, cylinders));
        Some((point.seconds.max(writes.least) * 1e3, so.max(least) * 1e3))
    });
    let off = |pair: &(f64, f64)| (pair.0 / pair.1 - 1.0).abs();
    if let Some((one, other)) = seeks.max_by(|one, other| off(one).total_cmp(&off(other))) {
        row("worst seek to write, ms", one, other);
    }
    let held = |cached: bool, figure: u64| if cached { figure as f64 } else { 0.0 };
    let cached = truth.cache.immediate_reporting == ImmediateReporting::Cached;
    let size = truth.cache.write_back.size.get();
    let size = if size == 0 { truth.cache.buffer() } else { size };
    // Without a limit, as many single blocks as there is room for.
    let runs = if truth.cache.write_back.runs == 0 { size } else { u64::from(truth.cache.write_back.runs) };
    row("writes held", held(writes.reporting == FoundReporting::Held, writes.held), held(cached, runs));
    if let Some(sectors) = writes.held_sectors {
        row("blocks of writes held", (sectors * found.sector_bytes / 512) as f64, held(cached, size));
    }
}
