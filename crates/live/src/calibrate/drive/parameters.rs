//! What was found, as a drive of the catalogue, and what of that is assumed.
//!
//! Timing shows sums: what comes before the arm moves and what comes after the medium stand together in the overhead of a
//! read that misses, all of a hit's in that of a hit. Where tracks are left over at a zone's end, or sectors, the zone has
//! so many spare ones.

use super::cache::FoundReadAhead;
use super::geometry::geometry;
use super::seek::at_distance;
use super::{FoundConstant, FoundDisk, FoundReporting, FoundWrites, SeekPoint};
use petrio_models::device::disk::DiskParameters;
use petrio_models::device::disk::parameters::{
    AfterReadOrWrite, BusParameters, CacheParameters, ImmediateReporting, MechanicsParameters,
    OverheadParameters, QueueParameters, ReadAhead, SeekParameters,
};
use petrio_time::Time;
use petrio_units::numbers::as_number;
use petrio_units::{Blocks, Duration, Fraction, RotationSpeed, SignedDuration};

/// Bytes of a block, which drives of the catalogue count.
const BLOCK: u64 = 512;

/// A drive that was made of what was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Made {
    /// The drive.
    pub drive: DiskParameters,
}

fn duration(seconds: f64) -> Duration {
    // To a tenth of a microsecond: nobody times better.
    Duration::new(Time::from_seconds((seconds.max(0.0) * 1e7).round() / 1e7))
}

impl Made {
    /// Of what was found of a device of this name; `source` says how.
    #[expect(clippy::too_many_lines, reason = "a drive's parameters, one after the other")]
    pub fn of(found: &FoundDisk, name: &str, source: &str) -> Self {
        let mut assumed = Vec::new();
        let grain = found.sector_bytes / BLOCK;
        let each = found.cache.map_or(0.0, |cache| cache.hit_sector) / grain as f64;
        let speed = RotationSpeed::new((60.0 / found.period * 1e4).round() / 1e4);
        let points =
            found.seeks.iter().map(|point| (as_number(point.cylinders), duration(point.seconds))).collect();
        let seek = if found.seeks.is_empty() {
            SeekParameters::Constant { time: Duration::ZERO }
        } else {
            SeekParameters::Measured { points }
        };
        let bus = each * grain as f64;
        // A long transfer has thousands of blocks: to a nanosecond.
        let block = Duration::new(Time::from_seconds((each * 1e9).round() / 1e9));
        // A read's last sector passes the bus when it has passed the head. What a write completes later than that, or a
        // read later than a write, comes behind the medium.
        let behind = found.writes.as_ref().map_or(0.0, |writes| writes.lag + bus);
        let (read_behind, write_behind) = ((-behind).max(0.0), behind.max(0.0));
        let before = |span: f64| AfterReadOrWrite::always(duration(span - bus - read_behind));
        let hit = found.cache.map_or(0.0, |cache| cache.hit) - read_behind;
        let mut overheads = OverheadParameters {
            read_hit: AfterReadOrWrite::always(duration(hit)),
            read_miss: before(found.overhead),
            write_through: before(found.overhead),
            read_completion: duration(read_behind),
            write_completion: duration(write_behind),
            ..OverheadParameters::default()
        };
        let (mut write_settle, mut write_seek) = (SignedDuration::default(), None);
        let mut cache = cache(found, grain);
        if let Some(writes) = &found.writes {
            // What is written comes over the bus before: that was waited for.
            let written = bus * found.physical_sectors as f64;
            let (write, more) = (writes.still - written - writes.least, writes.more_after_write);
            overheads.minimum_write_positioning = duration(writes.least);
            overheads.write_through = before(write);
            overheads.write_through.after_write = before(write + more).after_write;
            let behind = found.overhead + writes.read_more_after_write;
            overheads.read_miss.after_write = before(behind).after_write;
            overheads.write_reported =
                AfterReadOrWrite::always(duration(writes.reported_span - written - write_behind));
            write_settle = format!("{:.1} us", writes.settle * 1e6).parse().unwrap_or_default();
            write_seek = own_curve(found, writes);
            hold(&mut cache, writes, grain, &mut assumed);
        } else {
            assumed.extend([
                "cache.immediate_reporting",
                "overheads.write_through",
                "mechanics.write_settle",
            ]);
        }
        assumed.push("bus.write_block");
        assumed.push("queue");
        if found.cache.is_some_and(|cache| cache.at_least) {
            assumed.push("cache.segments");
        }
        if !found.surfaces_seen {
            assumed.push("geometry.surfaces");
        }
        let drive = DiskParameters {
            name: name.to_owned(),
            source: source.to_owned(),
            cost: Default::default(),
            reliability: Default::default(),
            assumed: assumed.into_iter().map(str::to_owned).collect(),
            data_sheet: None,
            geometry: geometry(found, grain),
            mechanics: MechanicsParameters {
                rotation: speed.unwrap_or_else(usual),
                head_switch: duration(found.head_switch),
                write_settle,
                seek,
                write_seek,
                rotation_tolerance: MechanicsParameters::USUAL_TOLERANCE,
                minimum_seek: Duration::ZERO,
                seek_scale: Fraction::ONE,
            },
            bus: BusParameters { read_block: block, write_block: block },
            overheads,
            cache,
            queue: QueueParameters::default(),
        };
        Self { drive }
    }
}

/// The seek curve of writes without their settling, where the settling doesn't make all the difference to reads.
fn own_curve(found: &FoundDisk, writes: &FoundWrites) -> Option<SeekParameters> {
    let same = |point: &SeekPoint| {
        let seconds = at_distance(&found.seeks, point.cylinders).unwrap_or(0.0) + writes.settle;
        // Both were searched for, and a line between two points isn't a curve.
        (point.seconds - seconds).abs() <= 4.0 * found.resolution + point.spread + 0.02 * seconds
    };
    if writes.seeks.iter().all(same) {
        return None;
    }
    let seconds = |point: &SeekPoint| duration(point.seconds - writes.settle);
    let points = writes.seeks.iter().map(|point| (as_number(point.cylinders), seconds(point))).collect();
    Some(SeekParameters::Measured { points })
}

/// Which writes are reported before they are on the medium, and how many of them are held.
fn hold(cache: &mut CacheParameters, writes: &FoundWrites, grain: u64, assumed: &mut Vec<&'static str>) {
    cache.immediate_reporting = match writes.reporting {
        FoundReporting::Never => ImmediateReporting::Never,
        FoundReporting::Single => ImmediateReporting::Sequential,
        FoundReporting::Always => ImmediateReporting::Always,
        FoundReporting::Held => ImmediateReporting::Cached,
    };
    if writes.reporting != FoundReporting::Held {
        return;
    }
    // As many runs as were held, whatever they come to, unless no burst was long enough.
    cache.write_back.runs = if writes.at_least { 0 } else { as_number(writes.held) };
    match writes.held_sectors {
        Some(sectors) => cache.write_back.size = Blocks((sectors * grain).min(cache.buffer())),
        None => assumed.push("cache.write_back.size"),
    }
    if writes.at_least {
        assumed.push("cache.write_back.runs");
    }
    assumed.push("cache.write_back.order");
    // Near ones are rarely written by the same host in such a way that it shows.
    assumed.push("cache.writes_clear_near");
}

/// A period that was found is above zero, so that this is never asked for.
fn usual() -> RotationSpeed {
    RotationSpeed::new(7200.0).unwrap_or_else(usual)
}

fn cache(found: &FoundDisk, grain: u64) -> CacheParameters {
    let Some(cache) = found.cache else {
        return CacheParameters { segments: 0, keep: false, ..CacheParameters::default() };
    };
    let limit = if cache.read_ahead_sectors < cache.segment_sectors { cache.read_ahead_sectors } else { 0 };
    CacheParameters {
        segments: as_number(cache.segments),
        segment_size: Blocks(cache.segment_sectors * grain),
        read_ahead: match cache.read_ahead {
            FoundReadAhead::None => ReadAhead::None,
            FoundReadAhead::Track => ReadAhead::Track,
            FoundReadAhead::Cylinder => ReadAhead::Cylinder,
            FoundReadAhead::Segment => ReadAhead::Segment,
        },
        read_ahead_limit: Blocks(limit * grain),
        read_ahead_after_hit: cache.read_ahead_after_hit,
        ..CacheParameters::default()
    }
}

/// A device of which nothing turns, as TOML.
pub fn constant_toml(found: &FoundConstant, name: &str) -> String {
    let mut text =
        String::from("# Nothing turns in it: its times were the same wherever and whenever it was read.\n\n");
    text.push_str("kind = \"constant-rate\"\n");
    text.push_str(&format!("name = {name:?}\n"));
    text.push_str("source = \"Medians of reads of two sizes, measured by petrio calibrate --device; writes assumed alike\"\n");
    text.push_str(&format!("blocks = \"{} blocks\"\n", found.bytes / BLOCK));
    text.push_str(&format!("latency = \"{:.1} us\"\n", found.latency * 1e6));
    if found.rate.is_finite() {
        text.push_str(&format!("rate = \"{:.0} B/s\"\n", found.rate));
    }
    text
}
