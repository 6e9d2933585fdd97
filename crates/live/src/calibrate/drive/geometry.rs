//! Where blocks lie, as the catalogue has it: zones, sectors that were skipped as slips, and spare space.
//!
//! Sectors that are missing at each track's end, or at the end of as many cylinders again and again, are spares; all others
//! are slips, which move on all that follows in the zone. What a zone lacks to whole cylinders is its spare space.

use super::FoundDisk;
use super::zones::{FoundZone, Skipped};
use petrio_models::device::disk::parameters::{GeometryParameters, Sparing, TrackOrder, ZoneParameters};
use petrio_units::numbers::as_number;

/// Fewer sectors missing in one place are none that are spared.
const FEWEST_SPARES: u64 = 9;

pub(super) fn rounded(figure: f64) -> f64 {
    (figure * 100.0).round() / 100.0
}

/// How spare sectors recur: cylinders between, and how many there are in each zone.
struct Ranges {
    cylinders: u64,
    spares: Vec<u64>,
}

/// How the sectors recur that are missing at tracks' ends; none if they don't in all zones.
fn ranges(found: &FoundDisk) -> Option<Ranges> {
    let gaps = |zone: &FoundZone| -> Vec<Skipped> {
        let track = zone.sectors_per_track;
        let ends = |gap: &&Skipped| (gap.location + gap.sectors).is_multiple_of(track);
        zone.skipped.iter().filter(|gap| gap.sectors >= FEWEST_SPARES).filter(ends).copied().collect()
    };
    let mut ranges: Option<Ranges> = None;
    for (number, zone) in found.zones.iter().enumerate() {
        let gaps = gaps(zone);
        let lead = if number == 0 { found.lead_tracks } else { 0 };
        let (first, second) = (gaps.first()?, gaps.get(1)?);
        let end = |gap: &Skipped| (gap.location + gap.sectors) / zone.sectors_per_track + lead;
        let tracks = end(second) - end(first);
        let regular = (1..).zip(&gaps).all(|(count, gap)| end(gap) == count * tracks);
        let cylinders = tracks / found.surfaces;
        let same = ranges.as_ref().is_none_or(|ranges| ranges.cylinders == cylinders);
        if !regular || !same || !tracks.is_multiple_of(found.surfaces) {
            return None;
        }
        // What slipped within a range took of its spares.
        let slipped = |gap: &Skipped| -> u64 {
            let from = (gap.location + gap.sectors).saturating_sub(tracks * zone.sectors_per_track);
            let within = |skipped: &&Skipped| (from..=gap.location).contains(&skipped.location);
            zone.skipped.iter().filter(within).map(|skipped| skipped.sectors).sum()
        };
        let spares = gaps.iter().map(slipped).max()?;
        ranges.get_or_insert(Ranges { cylinders, spares: Vec::new() }).spares.push(spares);
    }
    ranges
}

/// The geometry of what was found, if its sectors have so many blocks of 512 bytes.
pub(super) fn geometry(found: &FoundDisk, grain: u64) -> GeometryParameters {
    let ranges = ranges(found);
    let by_track = found.zones.iter().any(|zone| zone.spare_per_track > 0);
    let mut zones = Vec::new();
    let (mut next, mut spare) = (0, false);
    for (number, zone) in found.zones.iter().enumerate() {
        let track = zone.sectors_per_track;
        let after = found.zones.get(number + 1);
        let offered = after.map_or(found.sectors, |after| after.first_sector) - zone.first_sector;
        // What the drive keeps to itself before the first block.
        let lead = if number == 0 { found.lead_tracks } else { 0 };
        let first_angle =
            (zone.first_angle * track as f64 - lead as f64 * zone.track_skew).rem_euclid(track as f64);
        let left_over = u64::from(offered > zone.sectors);
        let cylinders = (lead + zone.tracks + left_over).div_ceil(found.surfaces).max(1);
        let is_slip = |skipped: &&Skipped| !by_track && (ranges.is_none() || skipped.sectors < FEWEST_SPARES);
        let slips: Vec<u64> = (zone.skipped.iter().filter(is_slip))
            .flat_map(|skipped| (0..skipped.sectors * grain).map(|more| skipped.location * grain + more))
            .map(|location| location + lead * track * grain)
            .collect();
        let spares = match &ranges {
            _ if by_track => zone.spare_per_track * grain,
            Some(ranges) => ranges.spares[number] * grain,
            None if after.is_none() => 0,
            None => {
                let locations = (cylinders * found.surfaces - lead) * track;
                (locations - offered) * grain - slips.len() as u64
            }
        };
        spare |= spares > 0;
        zones.push(ZoneParameters {
            first_cylinder: as_number(next),
            last_cylinder: as_number(next + cylinders - 1),
            sectors_per_track: as_number(track * grain),
            track_skew_sectors: rounded(zone.track_skew * grain as f64),
            cylinder_skew_sectors: rounded(zone.cylinder_skew * grain as f64),
            first_sector_angle_sectors: rounded(first_angle * grain as f64),
            reserved_sectors: lead * track * grain,
            spares,
            slips,
            remaps: Vec::new(),
        });
        next += cylinders;
    }
    let sparing = match &ranges {
        _ if by_track => Sparing::SectorsPerTrack,
        Some(ranges) => Sparing::SectorsPerCylinderRange { cylinders: as_number(ranges.cylinders) },
        None if spare => Sparing::SectorsPerZone { slip_to_end: true },
        None => Sparing::None,
    };
    GeometryParameters {
        surfaces: as_number(found.surfaces),
        cylinders: as_number(next),
        // With spares in the middle of zones, what they hold at their ends isn't known to the block.
        blocks: (!by_track && ranges.is_none()).then_some(found.sectors * grain),
        order: TrackOrder::Cylinder,
        sparing,
        skew_scale: 1.0,
        physical_sector: petrio_units::Blocks(found.physical_sectors * grain),
        zones,
    }
}
