//! What was found, as a drive of the catalogue, and what of that is assumed.
//!
//! Timing shows sums: what comes before the arm moves and what comes after the medium stand together in the overhead of a
//! read that misses, all of a hit's in that of a hit. Where tracks are left over at a zone's end, or sectors, the zone has
//! so many spare ones.

use super::cache::FoundReadAhead;
use super::{FoundConstant, FoundDisk};
use petrio_models::device::disk::DiskParameters;
use petrio_models::device::disk::parameters::{
    AfterReadOrWrite, BusParameters, CacheParameters, GeometryParameters, ImmediateReporting,
    MechanicsParameters, OverheadParameters, QueueParameters, ReadAhead, SeekParameters, Sparing, TrackOrder,
    ZoneParameters,
};
use petrio_time::Time;
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

fn rounded(figure: f64) -> f64 {
    (figure * 100.0).round() / 100.0
}

impl Made {
    /// Of what was found of a device of this name; `source` says how.
    pub fn of(found: &FoundDisk, name: &str, source: &str) -> Self {
        let mut assumed = Vec::new();
        let grain = found.sector_bytes / BLOCK;
        let each = found.cache.map_or(0.0, |cache| cache.hit_sector) / grain as f64;
        let speed = RotationSpeed::new((60.0 / found.period * 1e4).round() / 1e4);
        let points =
            found.seeks.iter().map(|point| (point.cylinders as u32, duration(point.seconds))).collect();
        let seek = if found.seeks.is_empty() {
            SeekParameters::Constant { time: Duration::ZERO }
        } else {
            SeekParameters::Measured { points }
        };
        let miss = AfterReadOrWrite::always(duration(found.overhead - each * grain as f64));
        let hit = AfterReadOrWrite::always(duration(found.cache.map_or(0.0, |cache| cache.hit)));
        let mut overheads = OverheadParameters {
            read_hit: hit,
            read_miss: miss,
            write_through: miss,
            ..OverheadParameters::default()
        };
        let mut write_settle = SignedDuration::default();
        let mut cache = cache(found, grain);
        match found.writes {
            None => assumed.extend([
                "cache.immediate_reporting",
                "overheads.write_through",
                "mechanics.write_settle",
            ]),
            Some(writes) if writes.reported == 0 => {
                overheads.write_through =
                    AfterReadOrWrite::always(duration(writes.still - each * grain as f64));
                let text = format!("{:.1} us", writes.settle * 1e6);
                write_settle = text.parse().unwrap_or_default();
            }
            Some(writes) => {
                let span = AfterReadOrWrite::always(duration(writes.reported_span - each * grain as f64));
                overheads.write_reported = span;
                cache.immediate_reporting = if writes.reported == 1 {
                    ImmediateReporting::Sequential
                } else {
                    ImmediateReporting::Cached
                };
                assumed.push("mechanics.write_settle");
            }
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
            assumed: assumed.into_iter().map(str::to_owned).collect(),
            data_sheet: None,
            geometry: geometry(found, grain),
            mechanics: MechanicsParameters {
                rotation: speed.unwrap_or_else(usual),
                head_switch: duration(found.head_switch),
                write_settle,
                seek,
                write_seek: None,
                seek_scale: Fraction::ONE,
            },
            bus: BusParameters { read_block: duration(each), write_block: duration(each) },
            overheads,
            cache,
            queue: QueueParameters::default(),
        };
        Self { drive }
    }
}

/// A period that was found is above zero, so that this is never asked for.
fn usual() -> RotationSpeed {
    RotationSpeed::new(7200.0).unwrap_or_else(usual)
}

fn geometry(found: &FoundDisk, grain: u64) -> GeometryParameters {
    let mut zones = Vec::new();
    let mut next = 0;
    let mut spare = false;
    for (number, zone) in found.zones.iter().enumerate() {
        let last = number + 1 == found.zones.len();
        let sectors =
            found.zones.get(number + 1).map_or(found.sectors, |after| after.first_sector) - zone.first_sector;
        let tracks = sectors.div_ceil(zone.sectors_per_track);
        let cylinders = tracks.div_ceil(found.surfaces).max(1);
        let spares = if last { 0 } else { cylinders * found.surfaces * zone.sectors_per_track - sectors };
        spare |= spares > 0;
        zones.push(ZoneParameters {
            first_cylinder: next as u32,
            last_cylinder: (next + cylinders - 1) as u32,
            sectors_per_track: (zone.sectors_per_track * grain) as u32,
            track_skew_sectors: rounded(zone.track_skew * grain as f64),
            cylinder_skew_sectors: rounded(zone.cylinder_skew * grain as f64),
            first_sector_angle_sectors: rounded(zone.first_angle * (zone.sectors_per_track * grain) as f64),
            reserved_sectors: 0,
            spares: spares * grain,
            slips: Vec::new(),
            remaps: Vec::new(),
        });
        next += cylinders;
    }
    GeometryParameters {
        surfaces: found.surfaces as u32,
        cylinders: next as u32,
        blocks: Some(found.sectors * grain),
        order: TrackOrder::Cylinder,
        sparing: if spare { Sparing::SectorsPerZone { slip_to_end: false } } else { Sparing::None },
        skew_scale: 1.0,
        zones,
    }
}

fn cache(found: &FoundDisk, grain: u64) -> CacheParameters {
    let Some(cache) = found.cache else {
        return CacheParameters { segments: 0, keep: false, ..CacheParameters::default() };
    };
    let limit = if cache.read_ahead_sectors < cache.segment_sectors { cache.read_ahead_sectors } else { 0 };
    CacheParameters {
        segments: cache.segments as u32,
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
