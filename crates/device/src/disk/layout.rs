//! Where each block lies: from logical block number to cylinder, surface, sector and angle, and back.
//!
//! The numbering of a zone is kept as an arithmetic rule with the list of its slips and remaps, not as a table: a drive
//! of a hundred million blocks takes a few kilobytes, and a lookup is a search among the zones and one among the slips.
//! A recent zone is tried first, since blocks of one request lie together.

mod build;
mod slots;

pub use build::LayoutError;

use self::slots::Slots;
use super::parameters::TrackOrder;
use petrio_kernel::Time;
use petrio_persist::Persist;
use petrio_stage::divisor::Divisor;
use petrio_units::numbers::as_number;
use std::sync::Arc;

/// One track: a surface of a cylinder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, Persist)]
pub struct Track {
    /// Cylinder, 0 the outermost.
    pub cylinder: u32,
    /// Surface, that is head.
    pub surface: u32,
}

/// Where a block lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Persist)]
pub struct PhysicalSector {
    /// Its track.
    pub track: Track,
    /// Its sector on the track.
    pub sector: u32,
    /// Its zone.
    pub zone: u32,
    /// Whether it is a replacement for a bad sector, away from its neighbours.
    pub remapped: bool,
}

/// Blocks that follow each other on one track.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub struct Run {
    /// Where the first block lies.
    pub place: PhysicalSector,
    /// How many blocks follow each other on this track (the first included).
    pub blocks: u64,
    /// Sectors that pass under the head from the start of the first block to the end of the last: more than `blocks`
    /// where slipped sectors lie between.
    pub sectors: u32,
}

/// The compiled layout of a drive. Copies share the zones.
#[derive(Clone, Debug)]
pub struct Layout {
    surfaces: u32,
    by_surfaces: Divisor,
    cylinders: u32,
    blocks: u64,
    revolution: Time,
    order: TrackOrder,
    zones: Arc<[Zone]>,
    /// The zones' first blocks: every lookup looks at them, and they lie together.
    first_blocks: Arc<[u64]>,
}

/// Parts of a sector in which skews are kept, so that skews of a fraction of a sector stay exact.
const SECTOR_PARTS: u64 = 1 << 12;

#[derive(Clone, Debug)]
struct Zone {
    first_block: u64,
    blocks: u64,
    first_cylinder: u32,
    last_cylinder: u32,
    sectors_per_track: u32,
    by_track: Divisor,
    /// By a track's sectors in parts of a sector.
    by_track_parts: Divisor,
    /// Skews and first angle in parts of a sector.
    track_skew: u64,
    cylinder_skew: u64,
    first_angle: u64,
    reserved: u64,
    slots: Slots,
    /// Sectors in a location of the numbering: 1, or a track's where whole tracks are spared.
    location_sectors: u64,
    by_location: Divisor,
    /// Slips before a cylinder or a track turn what follows by one sector each.
    slip_skew: SlipSkew,
    /// Bad location to replacement, ascending.
    remaps: Vec<(u64, u64)>,
    /// The other way round.
    replacements: Vec<(u64, u64)>,
}

/// Whether slips push the skew forward. With spares on every track or cylinder the format keeps the sectors of
/// neighbouring tracks in step, and each slip moves all that follow by a sector (DiskSim manual, "slips").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SlipSkew {
    None,
    ByTrack,
    ByCylinder,
}

impl Layout {
    /// The same places on platters that turn once in `revolution`.
    pub(super) fn turning_in(&self, revolution: Time) -> Self {
        Self { revolution, ..self.clone() }
    }

    /// Blocks that the drive offers.
    pub fn blocks(&self) -> u64 {
        self.blocks
    }

    /// Cylinders of the drive.
    pub fn cylinders(&self) -> u32 {
        self.cylinders
    }

    /// Surfaces of the drive.
    pub fn surfaces(&self) -> u32 {
        self.surfaces
    }

    fn zone_of(&self, block: u64) -> (u32, &Zone) {
        // Drives have ten or twenty: counting them takes no branch.
        let begun = self.first_blocks.iter().filter(|&&first| first <= block).count();
        let index = begun.saturating_sub(1);
        (as_number(index), &self.zones[index])
    }

    /// Where a block lies. Blocks beyond the last are treated as the last: the border of the device refuses them.
    pub fn place(&self, block: u64) -> PhysicalSector {
        let block = block.min(self.blocks.saturating_sub(1));
        let (index, zone) = self.zone_of(block);
        let sector = zone.sector_of(block - zone.first_block);
        let (sector, remapped) = match zone.replacement_of(sector) {
            Some(replacement) => (replacement, true),
            None => (sector, false),
        };
        self.unfold(index, zone, sector, remapped)
    }

    /// Turns a sector number of a zone, in numbering order, into a track and a sector of it.
    fn unfold(&self, index: u32, zone: &Zone, sector: u64, remapped: bool) -> PhysicalSector {
        let (row, sector) = zone.by_track.divide(sector);
        let track = match self.order {
            TrackOrder::Bands(height) => self.track_in_bands(zone, row, height),
            _ => {
                let (cylinder, in_order) = self.by_surfaces.divide(row);
                let cylinder = zone.first_cylinder + as_number(cylinder);
                Track { cylinder, surface: self.surface_in_order(zone, cylinder, as_number(in_order)) }
            }
        };
        PhysicalSector { track, sector: as_number(sector), zone: index, remapped }
    }

    /// How many tracks of a zone come before one in the numbering.
    fn row_of(&self, zone: &Zone, track: Track) -> u64 {
        let cylinder = track.cylinder - zone.first_cylinder;
        let surfaces = u64::from(self.surfaces);
        let TrackOrder::Bands(height) = self.order else {
            let in_order = self.surface_in_order(zone, track.cylinder, track.surface);
            return u64::from(cylinder) * surfaces + u64::from(in_order);
        };
        let (band, within) = (cylinder / height, cylinder % height);
        let here = zone.band(band, height);
        let pass = if band.is_multiple_of(2) { track.surface } else { self.surfaces - 1 - track.surface };
        let along = if pass.is_multiple_of(2) { within } else { here - 1 - within };
        u64::from(band) * u64::from(height) * surfaces + u64::from(pass) * u64::from(here) + u64::from(along)
    }

    /// The track before which so many others of its zone come in bands of so many cylinders.
    fn track_in_bands(&self, zone: &Zone, row: u64, height: u32) -> Track {
        let of_band = u64::from(height) * u64::from(self.surfaces);
        let (band, within) = (as_number(row / of_band), row % of_band);
        let here = zone.band(band, height);
        let (pass, along) = (as_number(within / u64::from(here)), as_number(within % u64::from(here)));
        let surface = if band.is_multiple_of(2) { pass } else { self.surfaces - 1 - pass };
        let along = if pass.is_multiple_of(2) { along } else { here - 1 - along };
        Track { cylinder: zone.first_cylinder + band * height + along, surface }
    }

    /// The surface that comes `nth` in the numbering of a cylinder; its own inverse.
    fn surface_in_order(&self, zone: &Zone, cylinder: u32, nth: u32) -> u32 {
        let downwards = match self.order {
            TrackOrder::Cylinder | TrackOrder::Bands(_) => false,
            TrackOrder::Serpentine => !(cylinder - zone.first_cylinder).is_multiple_of(2),
            TrackOrder::SerpentineAcrossZones => !cylinder.is_multiple_of(2),
        };
        if downwards { self.surfaces - 1 - nth } else { nth }
    }

    /// The blocks from `block` on that lie one behind the other on its track, at most `limit` of them.
    pub fn run(&self, block: u64, limit: u64) -> Run {
        let (index, zone) = self.zone_of(block);
        let number = block - zone.first_block;
        let start = zone.sector_of(number);
        if let Some(replacement) = zone.replacement_of(start) {
            let place = self.unfold(index, zone, replacement, true);
            // A replacement sector stands alone, a replacement track is a track like any other.
            let behind = if zone.location_sectors == 1 { 1 } else { zone.sectors_per_track - place.sector };
            let blocks = limit.clamp(1, u64::from(behind)).min(zone.blocks - number);
            return Run { place, blocks, sectors: as_number(blocks) };
        }
        let place = self.unfold(index, zone, start, false);
        let track_end = start + u64::from(zone.sectors_per_track - place.sector);
        // Most requests end on the track and meet no slip: the last block is as many sectors on as it is blocks.
        let wanted = limit.min(zone.blocks - number).max(1);
        let mut blocks = wanted.min(track_end - start);
        let mut last = start + blocks - 1;
        if zone.is_irregular() {
            last = zone.sector_of(number + blocks - 1);
            if blocks < wanted || last >= track_end {
                blocks = blocks.min(zone.number_at_or_after(track_end) - number);
                last = zone.sector_of(number + blocks - 1);
            }
            // A remapped sector ends the run before it: the arm has to leave the track.
            let bad = zone.remaps.partition_point(|&(bad, _)| bad * zone.location_sectors < start);
            if let Some(&(bad, _)) = zone.remaps.get(bad)
                && bad * zone.location_sectors <= last
            {
                blocks = (zone.number_at_or_after(bad * zone.location_sectors) - number).max(1);
                last = zone.sector_of(number + blocks - 1);
            }
        }
        debug_assert_eq!(self.unfold(index, zone, last, false).track, place.track);
        Run { place, blocks, sectors: as_number(last - start + 1) }
    }

    /// First and one past the last block on the track of `block`.
    pub fn track_blocks(&self, block: u64) -> (u64, u64) {
        let (_, zone) = self.zone_of(block);
        let sector = zone.sector_of(block.saturating_sub(zone.first_block).min(zone.blocks - 1));
        let start = sector - sector % u64::from(zone.sectors_per_track);
        let first = zone.number_at_or_after(start);
        let end = zone.number_at_or_after(start + u64::from(zone.sectors_per_track));
        (zone.first_block + first, zone.first_block + end)
    }

    /// The block at a place, if one is numbered there.
    pub fn block_at(&self, track: Track, sector: u32) -> Option<u64> {
        let index =
            self.zones.partition_point(|zone| zone.first_cylinder <= track.cylinder).checked_sub(1)?;
        let zone = &self.zones[index];
        if track.cylinder > zone.last_cylinder
            || track.surface >= self.surfaces
            || sector >= zone.sectors_per_track
        {
            return None;
        }
        let row = self.row_of(zone, track);
        let mut location = row * u64::from(zone.sectors_per_track) + u64::from(sector);
        if let Some(bad) = zone.bad_of(location) {
            location = bad;
        } else if zone.replacement_of(location).is_some() {
            return None;
        }
        let number = zone.number_at_or_after(location);
        (number < zone.blocks && zone.sector_of(number) == location).then(|| zone.first_block + number)
    }

    /// Sectors on each track of a zone.
    pub fn sectors_per_track(&self, zone: u32) -> u32 {
        self.zones[zone as usize].sectors_per_track
    }

    /// Sectors on the shortest tracks.
    pub fn shortest_track(&self) -> u32 {
        self.zones.iter().map(|zone| zone.sectors_per_track).min().unwrap_or(0)
    }

    /// When, after the platter's zero passes the heads, the start of a sector passes them.
    pub fn angle(&self, place: PhysicalSector) -> Time {
        let zone = &self.zones[place.zone as usize];
        let parts = self.track_angle(zone, place.track) + u64::from(place.sector) * SECTOR_PARTS;
        let (_, within) = zone.by_track_parts.divide(parts);
        Time::from_picos(scaled(within, self.revolution.as_picos(), zone.by_track_parts))
    }

    /// The angle of a track's sector 0, in parts of a sector.
    fn track_angle(&self, zone: &Zone, track: Track) -> u64 {
        if let TrackOrder::Bands(_) = self.order {
            let row = self.row_of(zone, track);
            let slipped = match zone.slip_skew {
                SlipSkew::None | SlipSkew::ByCylinder => 0,
                SlipSkew::ByTrack => zone.slots.slips_before(row * u64::from(zone.sectors_per_track)),
            };
            return zone.first_angle + row * zone.track_skew + slipped * SECTOR_PARTS;
        }
        let cylinder = u64::from(track.cylinder - zone.first_cylinder);
        let in_order = u64::from(self.surface_in_order(zone, track.cylinder, track.surface));
        let switches = in_order + u64::from(self.surfaces - 1) * cylinder;
        let slipped = match zone.slip_skew {
            SlipSkew::None => 0,
            SlipSkew::ByTrack => zone.slots.slips_before(
                (cylinder * u64::from(self.surfaces) + in_order) * u64::from(zone.sectors_per_track),
            ),
            SlipSkew::ByCylinder => zone
                .slots
                .slips_before(cylinder * u64::from(self.surfaces) * u64::from(zone.sectors_per_track)),
        };
        zone.first_angle + switches * zone.track_skew + cylinder * zone.cylinder_skew + slipped * SECTOR_PARTS
    }

    /// The time in which `sectors` pass under the head.
    pub fn sector_time(&self, zone: u32, sectors: u32) -> Time {
        let by_track = self.zones[zone as usize].by_track;
        Time::from_picos(scaled(u64::from(sectors), self.revolution.as_picos(), by_track))
    }
}

/// `count · whole / parts`, rounded to nearest, without overflow for revolutions below a minute.
fn scaled(count: u64, whole: u64, parts: Divisor) -> u64 {
    let half = parts.get() / 2;
    match count.checked_mul(whole).and_then(|product| product.checked_add(half)) {
        Some(product) => parts.divide(product).0,
        None => {
            let product = u128::from(count) * u128::from(whole) + u128::from(half);
            u64::try_from(product / u128::from(parts.get())).unwrap_or(u64::MAX)
        }
    }
}

impl Zone {
    /// Cylinders of a band: the last one may be smaller.
    const fn band(&self, band: u32, height: u32) -> u32 {
        let left = self.last_cylinder - self.first_cylinder + 1 - band * height;
        if left < height { left } else { height }
    }

    /// The sector (in numbering order, from the zone's start) of the zone's `number`-th block, remaps aside.
    fn sector_of(&self, number: u64) -> u64 {
        let number = number + self.reserved;
        if self.location_sectors == 1 {
            self.slots.location(number)
        } else {
            let (location, within) = self.by_location.divide(number);
            self.slots.location(location) * self.location_sectors + within
        }
    }

    /// The first block number whose sector is `sector` or behind it.
    fn number_at_or_after(&self, sector: u64) -> u64 {
        let number = if self.location_sectors == 1 {
            self.slots.first_at_or_after(sector)
        } else {
            let (location, offset) = (sector / self.location_sectors, sector % self.location_sectors);
            let found = self.slots.first_at_or_after(location);
            let inside = found < self.slots.count() && self.slots.location(found) == location;
            found * self.location_sectors + if inside { offset } else { 0 }
        };
        number.saturating_sub(self.reserved).min(self.blocks)
    }

    /// Whether sectors and blocks can part within a track.
    fn is_irregular(&self) -> bool {
        self.slots.has_gaps(self.location_sectors) || !self.remaps.is_empty()
    }

    fn replacement_of(&self, sector: u64) -> Option<u64> {
        self.moved(&self.remaps, sector)
    }

    fn bad_of(&self, sector: u64) -> Option<u64> {
        self.moved(&self.replacements, sector)
    }

    /// Where a sector goes with its location.
    fn moved(&self, pairs: &[(u64, u64)], sector: u64) -> Option<u64> {
        if pairs.is_empty() {
            return None;
        }
        let (location, within) = self.by_location.divide(sector);
        lookup(pairs, location).map(|other| other * self.location_sectors + within)
    }
}

fn lookup(pairs: &[(u64, u64)], key: u64) -> Option<u64> {
    pairs.binary_search_by_key(&key, |&(from, _)| from).ok().map(|at| pairs[at].1)
}

#[cfg(test)]
mod tests;
