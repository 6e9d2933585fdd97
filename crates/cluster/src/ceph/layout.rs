//! Where an image's objects lie before anything happens: which placement group each is in, on which OSDs that lies, and where on
//! their devices. Pure.
//!
//! Source: Ceph 16.2 src/osd/osd_types.cc (`ceph_stable_mod`, `raw_pg_to_pps` with hashpspool) and src/osd/OSDMap.cc; the names are
//! librbd's (src/librbd/ImageCtx.cc). An OSD's own allocator isn't modelled: objects lie one after the other behind what BlueStore
//! keeps for itself, in the order of their numbers, as they come to lie when an image is written once from front to back.

use super::crush::{IN, Map};
use super::parameters::CephParameters;
use super::rjenkins;
use petrio_colours::SECTOR_BYTES;
use petrio_units::numbers::{as_index, as_number, whole_part};

/// What BlueStore keeps of a device for RocksDB (bluefs), as a part of it, before the objects: 4 %, what Ceph's hardware guide says of
/// block.db.
const KEPT: u64 = 25;
/// Bytes of a TiB, by which CRUSH weighs.
const TIB: f64 = 1_099_511_627_776.0;

/// A device below an OSD.
#[derive(Clone, Copy, Debug)]
pub struct Device {
    /// Its size in sectors.
    pub sectors: u64,
    /// Whether it turns.
    pub turns: bool,
}

/// Where all lies at first.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    pub map: Map,
    /// By placement group: what CRUSH is given for it.
    pub numbers: Vec<u32>,
    /// By object: its placement group.
    pub group_of: Vec<u32>,
    /// By placement group: its objects.
    pub objects: Vec<Vec<u32>>,
    pub width: usize,
    pub erasure: bool,
    /// By placement group: OSDs by shard.
    pub home: Vec<Vec<Option<u32>>>,
    /// By object and shard: its place on that OSD.
    pub places: Vec<u32>,
    /// By OSD: how many places are taken.
    pub taken: Vec<u32>,
    /// Sectors of an object in a shard.
    pub sectors: u64,
    /// By OSD: its first sector behind what BlueStore keeps, and how many objects fit.
    pub first: Vec<u64>,
    pub room: Vec<u64>,
}

/// A hash brought to so many groups, so that most stay where they are when there are more.
const fn stable_mod(hash: u32, groups: u32) -> u32 {
    let mask = groups.next_power_of_two() - 1;
    if (hash & mask) < groups { hash & mask } else { hash & (mask >> 1) }
}

/// What an OSD weighs of such a device, in 65536ths of a TiB: said with four digits (ceph-osd's `crush create-or-move`), and not
/// nothing.
fn weight(device: &Device) -> u32 {
    let tib = (device.sectors * SECTOR_BYTES) as f64 / TIB;
    let said = libm::round(tib * 1e4) / 1e4;
    as_number(whole_part(said * 65_536.0)).max(1)
}

/// The placement group of an object, by its name.
pub(super) fn group_of_name(name: &str, groups: u32) -> u32 {
    stable_mod(rjenkins::of_name(name), groups)
}

/// What CRUSH is given for a placement group.
pub(super) fn number_of(group: u32, groups: u32, pool: u32) -> u32 {
    rjenkins::of_two(stable_mod(group, groups), pool)
}

impl Layout {
    pub(super) fn new(parameters: &CephParameters, devices: &[Device]) -> Self {
        let weights: Vec<u32> = devices.iter().map(weight).collect();
        let hosts: Vec<Vec<u32>> =
            weights.chunks(parameters.osds_per_host.max(1) as usize).map(<[u32]>::to_vec).collect();
        let map = Map::new(&hosts);
        let CephParameters { pg_num, pool, id, .. } = parameters;
        let width = parameters.width() as usize;
        let numbers: Vec<u32> = (0..*pg_num).map(|group| number_of(group, *pg_num, *pool)).collect();
        let objects = as_number(parameters.objects());
        let group_of: Vec<u32> = (0..objects)
            .map(|object| group_of_name(&format!("rbd_data.{id}.{object:016x}"), *pg_num))
            .collect();
        let mut within = vec![Vec::new(); numbers.len()];
        for (object, group) in (0u32..).zip(&group_of) {
            within[*group as usize].push(object);
        }
        let sectors = parameters.shard_bytes() / SECTOR_BYTES;
        // Whole units of 4 KiB.
        let first: Vec<u64> =
            devices.iter().map(|device| (device.sectors / KEPT).next_multiple_of(8)).collect();
        let room = devices.iter().zip(&first);
        let mut layout = Self {
            map,
            numbers,
            objects: within,
            width,
            erasure: parameters.erasure.is_some(),
            home: Vec::new(),
            places: vec![0; group_of.len() * width],
            group_of,
            taken: vec![0; devices.len()],
            sectors,
            room: room
                .map(|(device, first)| device.sectors.saturating_sub(*first) / sectors.max(1))
                .collect(),
            first,
        };
        let all = vec![IN; devices.len()];
        layout.home = (0..layout.numbers.len()).map(|group| layout.wanted(group, &all)).collect();
        layout.place();
        layout
    }

    fn place(&mut self) {
        for (object, group) in self.group_of.iter().enumerate() {
            for (shard, osd) in self.home[*group as usize].iter().enumerate() {
                let Some(osd) = osd else { continue };
                let taken = &mut self.taken[*osd as usize];
                self.places[object * self.width + shard] = *taken;
                *taken += 1;
            }
        }
    }

    /// The OSDs on which CRUSH wants a placement group, by shard, where each OSD takes part so far.
    pub(super) fn wanted(&self, group: usize, weights: &[u32]) -> Vec<Option<u32>> {
        let number = self.numbers[group];
        if self.erasure {
            return self.map.indep(number, self.width, weights);
        }
        let mut found: Vec<Option<u32>> =
            self.map.firstn(number, self.width, weights).into_iter().map(Some).collect();
        found.resize(self.width, None);
        found
    }

    /// The first OSD whose device has no room for what lies on it: which, how many objects it gets and how many fit.
    pub(super) fn overflow(&self) -> Option<(usize, u32, u64)> {
        let each = self.taken.iter().zip(&self.room).enumerate();
        each.map(|(osd, (taken, room))| (osd, *taken, *room))
            .find(|(_, taken, room)| u64::from(*taken) > *room)
    }

    /// The first sector of the place of this number on an OSD's device.
    pub(super) fn sector(&self, osd: u32, place: u32) -> u64 {
        let room = self.room[osd as usize].max(1);
        // What is brought there later may be more than fits; it lies where the first one does.
        self.first[osd as usize] + (u64::from(place) % room) * self.sectors
    }

    /// Sectors that BlueStore keeps of an OSD's device.
    pub(super) fn kept(&self, osd: u32) -> u64 {
        self.first[osd as usize]
    }

    /// The shard of a group that lies on an OSD at first.
    pub(super) fn shard_at_home(&self, group: u32, osd: u32) -> Option<usize> {
        self.home[group as usize].iter().position(|&there| there == Some(osd))
    }
}

/// Whether the first OSD has no room: what a person is told.
pub fn check_room(parameters: &CephParameters, devices: &[Device]) -> Option<(usize, u64, u64)> {
    let layout = Layout::new(parameters, devices);
    let bytes = |objects: u64| objects.saturating_mul(layout.sectors).saturating_mul(SECTOR_BYTES);
    layout.overflow().map(|(osd, taken, room)| (as_index(osd as u64), bytes(taken.into()), bytes(room)))
}
