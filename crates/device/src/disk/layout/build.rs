//! From geometry parameters to a compiled layout, with every check that a lookup relies on.

use super::slots::{Rule, Slots};
use super::{Layout, SECTOR_PARTS, SlipSkew, Zone};
use crate::disk::parameters::{GeometryParameters, Sparing, TrackOrder, ZoneParameters};
use petrio_kernel::Time;
use petrio_stage::divisor::Divisor;
use petrio_units::numbers::whole_part;

/// Why a geometry makes no drive.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum LayoutError {
    /// A count that must be more than zero.
    #[error("the drive has no {0}; give their number")]
    None(&'static str),
    /// A number that is out of all proportion.
    #[error("{what} is {value}, more than {limit}; check the figure")]
    TooLarge {
        /// The quantity.
        what: &'static str,
        /// Its value.
        value: u64,
        /// The largest accepted.
        limit: u64,
    },
    /// A zone that ends before it starts, overlaps the one before, or lies beyond the last cylinder.
    #[error("zone {zone} runs from cylinder {first} to {last}, but {reason}")]
    Cylinders {
        /// The zone's number, from 0.
        zone: usize,
        /// Its first cylinder.
        first: u32,
        /// Its last cylinder.
        last: u32,
        /// What is wrong with it.
        reason: String,
    },
    /// A zone without a sector on its tracks, or with too many.
    #[error("zone {zone} has {sectors} sectors on a track; it needs at least 1 and at most {}", MOST_SECTORS)]
    Sectors {
        /// The zone's number, from 0.
        zone: usize,
        /// Its sectors on a track.
        sectors: u32,
    },
    /// Spares or reserved sectors that leave no room for blocks.
    #[error(
        "zone {zone} has no room for blocks: {spares} spares in units of {region}, {reserved} sectors reserved"
    )]
    NoRoom {
        /// The zone's number, from 0.
        zone: usize,
        /// Spares in a unit of sparing.
        spares: u64,
        /// Size of such a unit.
        region: u64,
        /// Sectors reserved at the front.
        reserved: u64,
    },
    /// A slip or remap outside its zone.
    #[error("zone {zone} lists location {location}, but its locations end at {end}")]
    OutsideZone {
        /// The zone's number, from 0.
        zone: usize,
        /// The location.
        location: u64,
        /// One past the zone's last location.
        end: u64,
    },
    /// More slips than the spares that must swallow them.
    #[error(
        "zone {zone} slips {slips} locations in its sparing unit {region}, which has only {spares} spares"
    )]
    TooManySlips {
        /// The zone's number, from 0.
        zone: usize,
        /// The unit of sparing.
        region: u64,
        /// Slips in it.
        slips: u64,
        /// Its spares.
        spares: u64,
    },
    /// A location remapped twice, or two locations remapped to one.
    #[error("zone {zone} remaps location {location} more than once")]
    RemappedTwice {
        /// The zone's number, from 0.
        zone: usize,
        /// The location.
        location: u64,
    },
    /// A skew or angle that is not a number of sectors.
    #[error("zone {zone} has a {what} of {value} sectors; it must be from 0 to {}", MOST_SECTORS)]
    Skew {
        /// The zone's number, from 0.
        zone: usize,
        /// Which.
        what: &'static str,
        /// Its value.
        value: f64,
    },
    /// More blocks promised than the zones hold.
    #[error("the drive offers {blocks} blocks, but its zones hold only {held}")]
    TooFewBlocks {
        /// Promised.
        blocks: u64,
        /// Held.
        held: u64,
    },
}

/// Most sectors on a track: far above any drive, and small enough for exact angles.
const MOST_SECTORS: u32 = 1 << 16;
/// Most cylinders and surfaces.
const MOST_CYLINDERS: u32 = 1 << 24;
const MOST_SURFACES: u32 = 1 << 8;

impl Layout {
    /// Compiles a geometry for platters that turn once in `revolution`.
    ///
    /// # Errors
    /// A [`LayoutError`] that names the zone and the figure.
    pub fn new(geometry: &GeometryParameters, revolution: Time) -> Result<Self, LayoutError> {
        at_least_one("surfaces", geometry.surfaces, MOST_SURFACES)?;
        at_least_one("cylinders", geometry.cylinders, MOST_CYLINDERS)?;
        if let TrackOrder::Bands(cylinders) = geometry.order {
            at_least_one("order.bands", cylinders, MOST_CYLINDERS)?;
        }
        if geometry.zones.is_empty() {
            return Err(LayoutError::None("zones"));
        }
        let mut zones: Vec<Zone> = Vec::with_capacity(geometry.zones.len());
        let mut first_block = 0;
        for (index, zone) in geometry.zones.iter().enumerate() {
            check_cylinders(index, zone, geometry, zones.last())?;
            let compiled = compile(index, zone, geometry, first_block)?;
            first_block += compiled.blocks;
            zones.push(compiled);
        }
        let held = first_block;
        let blocks = geometry.blocks.unwrap_or(held);
        if blocks == 0 {
            return Err(LayoutError::None("blocks"));
        }
        if blocks > held {
            return Err(LayoutError::TooFewBlocks { blocks, held });
        }
        let &GeometryParameters { surfaces, cylinders, order, .. } = geometry;
        let by_surfaces = Divisor::new(surfaces.into());
        let first_blocks = zones.iter().map(|zone| zone.first_block).collect();
        let zones = zones.into();
        Ok(Self { surfaces, by_surfaces, cylinders, blocks, revolution, order, zones, first_blocks })
    }
}

fn at_least_one(what: &'static str, value: u32, limit: u32) -> Result<(), LayoutError> {
    match value {
        0 => Err(LayoutError::None(what)),
        value if value > limit => {
            Err(LayoutError::TooLarge { what, value: value.into(), limit: limit.into() })
        }
        _ => Ok(()),
    }
}

fn check_cylinders(
    index: usize,
    zone: &ZoneParameters,
    geometry: &GeometryParameters,
    before: Option<&Zone>,
) -> Result<(), LayoutError> {
    let reason = if zone.last_cylinder < zone.first_cylinder {
        "it ends before it starts".to_owned()
    } else if zone.last_cylinder >= geometry.cylinders {
        format!("the drive's last cylinder is {}", geometry.cylinders - 1)
    } else if let Some(before) = before.filter(|before| before.last_cylinder >= zone.first_cylinder) {
        format!("the zone before it runs to cylinder {}", before.last_cylinder)
    } else {
        return Ok(());
    };
    Err(LayoutError::Cylinders { zone: index, first: zone.first_cylinder, last: zone.last_cylinder, reason })
}

fn compile(
    index: usize,
    zone: &ZoneParameters,
    geometry: &GeometryParameters,
    first_block: u64,
) -> Result<Zone, LayoutError> {
    if zone.sectors_per_track == 0 || zone.sectors_per_track > MOST_SECTORS {
        return Err(LayoutError::Sectors { zone: index, sectors: zone.sectors_per_track });
    }
    let per_track = u64::from(zone.sectors_per_track);
    let cylinders = u64::from(zone.last_cylinder - zone.first_cylinder) + 1;
    let per_cylinder = per_track * u64::from(geometry.surfaces);
    let sectors = per_cylinder * cylinders;
    let location_sectors = if geometry.sparing == Sparing::TracksPerZone { per_track } else { 1 };
    let locations = sectors / location_sectors;
    let (region, spares, rule) = sparing(geometry.sparing, zone.spares, locations, per_track, per_cylinder);
    let slips = ascending(index, &zone.slips, locations)?;
    if region == 0 || spares >= region {
        return Err(LayoutError::NoRoom { zone: index, spares, region, reserved: zone.reserved_sectors });
    }
    let slots = Slots::new(locations, region, spares, rule, slips);
    if let Some((region, slips)) = slots.overflowing_region() {
        return Err(LayoutError::TooManySlips { zone: index, region, slips, spares });
    }
    let blocks = (slots.count() * location_sectors).checked_sub(zone.reserved_sectors);
    let blocks = blocks.filter(|&blocks| blocks > 0).ok_or(LayoutError::NoRoom {
        zone: index,
        spares,
        region,
        reserved: zone.reserved_sectors,
    })?;
    let remaps = remaps(index, &zone.remaps, locations)?;
    let mut replacements: Vec<(u64, u64)> =
        remaps.iter().map(|&(bad, replacement)| (replacement, bad)).collect();
    once_each(index, &mut replacements)?;
    Ok(Zone {
        first_block,
        blocks,
        first_cylinder: zone.first_cylinder,
        last_cylinder: zone.last_cylinder,
        sectors_per_track: zone.sectors_per_track,
        by_track: Divisor::new(per_track),
        by_track_parts: Divisor::new(per_track * SECTOR_PARTS),
        track_skew: parts(index, "track skew", zone.track_skew_sectors * geometry.skew_scale)?,
        cylinder_skew: parts(index, "cylinder skew", zone.cylinder_skew_sectors * geometry.skew_scale)?,
        first_angle: parts(index, "first sector angle", zone.first_sector_angle_sectors)?,
        reserved: zone.reserved_sectors,
        slots,
        location_sectors,
        by_location: Divisor::new(location_sectors),
        slip_skew: match geometry.sparing {
            Sparing::SectorsPerTrack => SlipSkew::ByTrack,
            Sparing::SectorsPerCylinder { .. } => SlipSkew::ByCylinder,
            _ => SlipSkew::None,
        },
        remaps,
        replacements,
    })
}

/// Size of a sparing region, its spares, and what slips do.
fn sparing(kind: Sparing, spares: u64, locations: u64, track: u64, cylinder: u64) -> (u64, u64, Rule) {
    const TO_END: Rule = Rule::ToEnd { spares_at_front: false };
    match kind {
        Sparing::None | Sparing::SectorsAtEnd => (locations, 0, TO_END),
        Sparing::TracksPerZone => (locations, spares, Rule::WithinRegion),
        Sparing::SectorsPerTrack => (track, spares, Rule::WithinRegion),
        Sparing::SectorsPerCylinder { at_front, slip_to_end: true } => {
            (cylinder, spares, Rule::ToEnd { spares_at_front: at_front })
        }
        Sparing::SectorsPerCylinder { at_front: true, .. } => (cylinder, spares, Rule::WithinRegionFromEnd),
        Sparing::SectorsPerCylinder { .. } => (cylinder, spares, Rule::WithinRegion),
        Sparing::SectorsPerCylinderRange { cylinders } => {
            (cylinder * u64::from(cylinders), spares, Rule::WithinRegion)
        }
        Sparing::SectorsPerZone { slip_to_end: true } => (locations, spares, TO_END),
        Sparing::SectorsPerZone { .. } => (locations, spares, Rule::WithinRegion),
    }
}

fn ascending(zone: usize, slips: &[u64], end: u64) -> Result<Vec<u64>, LayoutError> {
    let mut slips = slips.to_vec();
    slips.sort_unstable();
    slips.dedup();
    match slips.last() {
        Some(&location) if location >= end => Err(LayoutError::OutsideZone { zone, location, end }),
        _ => Ok(slips),
    }
}

fn remaps(zone: usize, pairs: &[[u64; 2]], end: u64) -> Result<Vec<(u64, u64)>, LayoutError> {
    if let Some(&location) = pairs.iter().flatten().find(|&&location| location >= end) {
        return Err(LayoutError::OutsideZone { zone, location, end });
    }
    // A location remapped to itself is a format's way of saying that nothing is wrong with it.
    let mut pairs: Vec<(u64, u64)> =
        pairs.iter().map(|&[bad, replacement]| (bad, replacement)).filter(|(bad, to)| bad != to).collect();
    once_each(zone, &mut pairs)?;
    Ok(pairs)
}

/// Sorts pairs by their first part, which must not repeat.
fn once_each(zone: usize, pairs: &mut [(u64, u64)]) -> Result<(), LayoutError> {
    pairs.sort_unstable();
    match pairs.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        Some(pair) => Err(LayoutError::RemappedTwice { zone, location: pair[0].0 }),
        None => Ok(()),
    }
}

fn parts(zone: usize, what: &'static str, sectors: f64) -> Result<u64, LayoutError> {
    if !(0.0..=f64::from(MOST_SECTORS)).contains(&sectors) {
        return Err(LayoutError::Skew { zone, what, value: sectors });
    }
    Ok(whole_part(sectors * SECTOR_PARTS as f64 + 0.5))
}
