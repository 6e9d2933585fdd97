//! A group's drives and arrays as a store that may lose data.

use super::{Group, Survey, data_members, layout as layout_of, raid, reliability};
use crate::loaded::Loaded;
use petrio_colours::SECTOR_BYTES;
use petrio_loss::{Array, Fill, Hurt, Life, Redundancy, Sectors, Store, StoreError};
use petrio_models::block::raid::{Damage, Layout};
use petrio_models::reliability::Reliability;
use petrio_units::Lifetime;
use std::collections::BTreeMap;
use std::sync::Arc;

/// For each array, by its number in [`Survey::arrays`], how long its places are filled, seconds: with one member missing, with two, and so on.
pub type Fills = BTreeMap<usize, Vec<Vec<f64>>>;

/// What is asked of a store otherwise than its scenario has it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    /// How old the drives are, seconds.
    pub age: f64,
    /// How many times as often drives fail.
    pub fail: f64,
    /// How many times as long it takes to fill a place.
    pub fill: f64,
    /// How many times as much a drive holds. How long it is filled isn't changed by this.
    pub hold: f64,
    /// After how many seconds somebody replaces what failed, instead of what the scenario has.
    pub replaced_after: Option<f64>,
    /// All sectors are read and repaired every so many seconds.
    pub scrubbed_every: Option<f64>,
}

impl Default for Scale {
    fn default() -> Self {
        Self { age: 0.0, fail: 1.0, fill: 1.0, hold: 1.0, replaced_after: None, scrubbed_every: None }
    }
}

/// An array's layout.
#[derive(Debug)]
struct Laid {
    layout: Layout,
    blocks: u64,
}

impl Redundancy for Laid {
    fn hurt(&self, missing: &[bool]) -> Hurt {
        let Damage { loses, unprotected } = Damage::of(&self.layout, missing, self.blocks);
        Hurt { loses, unprotected }
    }
}

/// What has no redundancy.
#[derive(Debug)]
struct All;

impl Redundancy for All {
    fn hurt(&self, missing: &[bool]) -> Hurt {
        Hurt { loses: missing.contains(&true), unprotected: 0.0 }
    }
}

impl Survey {
    /// A group as a store.
    ///
    /// # Errors
    /// None of a scenario that was surveyed: times that are none.
    pub fn store(
        &self,
        loaded: &Loaded,
        group: &Group,
        fills: &Fills,
        scale: &Scale,
    ) -> Result<Store, StoreError> {
        let mut store = Store::new(scale.scrubbed_every);
        let mut numbers: BTreeMap<usize, usize> = BTreeMap::new();
        for &part in &group.parts {
            let number = if part < loaded.disks.len() {
                store.drive(life(&reliability(loaded, part), scale), scale.age)?
            } else {
                let over: Vec<usize> = data_members(loaded, part)
                    .iter()
                    .filter_map(|below| numbers.get(below).copied())
                    .collect();
                store.array(self.array((loaded, group), part, over, fills, scale))?
            };
            numbers.insert(part, number);
        }
        Ok(store)
    }

    fn array(
        &self,
        (loaded, group): (&Loaded, &Group),
        part: usize,
        over: Vec<usize>,
        fills: &Fills,
        scale: &Scale,
    ) -> Array {
        let (Some(raid), Some((layout, blocks))) = (raid(loaded, part), layout_of(loaded, part)) else {
            return Array {
                over,
                spares: 0,
                redundancy: Arc::new(All),
                fill: Vec::new(),
                replaced_after: None,
                sectors: Sectors::default(),
            };
        };
        // Of equal arrays the first one was surveyed.
        let known = group.arrays.iter().find(|&&array| self.arrays[array].number == part).or_else(|| {
            let class =
                |number: usize| crate::classes::Classes::of(loaded).name(&loaded.storage[number].name);
            group.arrays.iter().find(|&&array| self.arrays[array].class == class(part))
        });
        let times = known.and_then(|array| fills.get(array)).cloned().unwrap_or_default();
        let scaled =
            |times: Vec<f64>| Fill::Measured(times.into_iter().map(|time| time * scale.fill).collect());
        let own = raid.parameters.replaced_after.map(|after| after.time().as_seconds());
        Array {
            over,
            spares: raid.parameters.spares as usize,
            sectors: sectors(loaded, group, part, &layout, blocks, scale),
            redundancy: Arc::new(Laid { layout, blocks }),
            fill: times.into_iter().filter(|times| !times.is_empty()).map(scaled).collect(),
            replaced_after: own.map(|own| scale.replaced_after.unwrap_or(own)),
        }
    }
}

fn life(reliability: &Reliability, scale: &Scale) -> Life {
    let mean = reliability.mean_time_to_failure.map_or(f64::MAX, Lifetime::as_seconds);
    Life::new(mean / scale.fail, reliability.shape.unwrap_or(1.0))
}

/// What can't be read of an array's members; nothing of one that others outlive, above it or below.
fn sectors(
    loaded: &Loaded,
    group: &Group,
    part: usize,
    layout: &Layout,
    blocks: u64,
    scale: &Scale,
) -> Sectors {
    let outlived_above = group.parts.iter().any(|&above| {
        above != part
            && lies_on(loaded, above, part)
            && layout_of(loaded, above).is_some_and(|(layout, _)| layout.has_redundancy())
    });
    let below = disks_alone(loaded, part);
    let bits = layout.used(blocks).saturating_mul(SECTOR_BYTES) as f64 * 8.0 * scale.hold;
    let Some(below) = below.filter(|_| !outlived_above) else { return Sectors::default() };
    let all: Vec<Reliability> = below.iter().map(|&disk| reliability(loaded, disk)).collect();
    let each =
        all.iter().filter_map(|one| one.bits_per_read_error).map(|each| bits / each).fold(0.0, f64::max);
    let latent =
        all.iter().filter_map(|one| one.mean_time_to_latent_error).map(|mean| 1.0 / mean.as_seconds());
    Sectors { each_reading: each, latent_a_second: latent.fold(0.0, f64::max) }
}

/// Whether a part lies on another, over however many between.
fn lies_on(loaded: &Loaded, above: usize, below: usize) -> bool {
    loaded.storage[above].over.iter().any(|&part| part == below || lies_on(loaded, part, below))
}

/// The disks that a part's members are, where no redundancy is between; nothing where there is some.
fn disks_alone(loaded: &Loaded, part: usize) -> Option<Vec<usize>> {
    let mut all = Vec::new();
    for &below in data_members(loaded, part) {
        if below < loaded.disks.len() {
            all.push(below);
        } else if layout_of(loaded, below).is_some_and(|(layout, _)| layout.has_redundancy()) {
            return None;
        } else {
            all.extend(disks_alone(loaded, below)?);
        }
    }
    Some(all)
}
