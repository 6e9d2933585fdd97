//! Which disks copies go to.
//!
//! Source: Ivy, §4.4.2, which names the choice and leaves it at chance: a poor one skews the load on a few nodes.

use super::copies::Replicas;
use super::policy::Home;
use super::slots::Slots;
use petrio_persist::Persist;
use petrio_units::numbers::as_index;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

/// Where copies go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Persist)]
#[serde(deny_unknown_fields, default)]
pub struct Placement {
    /// Where a file's first copy goes. Left out, as the policy has it: to the first disk, or, where it scatters, by chance.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first: Option<Choice>,
    /// Where its other copies go; of disks with as many copies of the file already.
    pub others: Choice,
}

/// How a disk is chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Persist)]
#[serde(rename_all = "kebab-case")]
pub enum Choice {
    /// The first that is free, in the order of the disks.
    InOrder,
    /// One by chance.
    #[default]
    Random,
    /// The one that has served the fewest requests so far; by chance among equals.
    ByUse,
    /// The one with the fewest requests on their way; of equals the one that has served the fewest.
    ByLoad,
}

impl Replicas {
    /// The slot of the first copy of a file.
    pub(super) fn first_slot(&self, draw: &mut dyn FnMut(u64) -> u64) -> u32 {
        let by_policy = match self.policy_home() {
            Home::First => Choice::InOrder,
            Home::Random => Choice::Random,
        };
        let disks: SmallVec<[u32; 8]> = (0..self.disks()).collect();
        let choice = self.parameters.placement.first.unwrap_or(by_policy);
        self.choose(choice, &disks, draw).unwrap_or(0)
    }

    /// Slots for `number` copies in all, with those that there are: free disks before further places.
    pub(super) fn spread(&self, mut slots: Slots, number: u32, draw: &mut dyn FnMut(u64) -> u64) -> Slots {
        let mut missing = number.saturating_sub(slots.count());
        let disks = self.disks();
        for place in 0..self.parameters.places {
            if missing == 0 {
                return slots;
            }
            let on_place = place * disks..(place + 1) * disks;
            let mut free: SmallVec<[u32; 8]> = on_place.filter(|&slot| !slots.contains(slot)).collect();
            // A disk without any copy first.
            let has_none = |slot: &u32| {
                (0..self.parameters.places).all(|other| !slots.contains(other * disks + slot % disks))
            };
            let mut bare: SmallVec<[u32; 8]> = free.iter().copied().filter(has_none).collect();
            while missing > 0 && !free.is_empty() {
                let from = if bare.is_empty() { &free } else { &bare };
                let Some(slot) = self.choose(self.parameters.placement.others, from, draw) else {
                    return slots;
                };
                slots.insert(slot);
                missing -= 1;
                for list in [&mut free, &mut bare] {
                    if let Ok(at) = list.binary_search(&slot) {
                        list.remove(at);
                    }
                }
            }
        }
        if missing > 0 {
            // No slot is left; there is nothing to choose from, and the stream of draws goes on as after a choice.
            draw(1);
        }
        slots
    }

    /// One of several slots, which are in order.
    pub(super) fn choose(
        &self,
        choice: Choice,
        from: &[u32],
        draw: &mut dyn FnMut(u64) -> u64,
    ) -> Option<u32> {
        let by_chance = |from: &[u32], draw: &mut dyn FnMut(u64) -> u64| {
            from.get(as_index(draw(from.len() as u64))).copied()
        };
        let of_disk = |slot: u32| {
            let counted = &self.counted[self.disk_of(slot)];
            let queued = if choice == Choice::ByLoad { counted.outstanding() } else { 0 };
            (queued, counted.completed())
        };
        match choice {
            Choice::InOrder => from.first().copied(),
            Choice::Random => by_chance(from, draw),
            Choice::ByUse | Choice::ByLoad => {
                let least = from.iter().map(|&slot| of_disk(slot)).min()?;
                let equal: SmallVec<[u32; 8]> =
                    from.iter().copied().filter(|&slot| of_disk(slot) == least).collect();
                by_chance(&equal, draw)
            }
        }
    }
}
