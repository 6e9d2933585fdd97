//! Parts of a scenario as block devices, for whoever drives them instead of the workloads.

use crate::build::System;
use crate::failure::RunFailure;
use crate::holder::Holder;
use crate::loaded::Loaded;
use crate::placed::disks_below;
use petrio_emulate::{DeviceSpec, Durability};
use petrio_engine::Engine;
use petrio_engine::System as Driven;
use petrio_units::numbers::as_number;
use std::sync::Arc;

/// A System whose parts take block requests past all hosts, and what each promises.
pub struct EmulatedParts {
    /// The System.
    pub driven: Arc<Driven>,
    /// Its parts.
    pub devices: Vec<DeviceSpec>,
    /// What should be known of how they keep what was written.
    pub cautions: Vec<String>,
}

/// The name that stands for each disk.
const EACH_DISK: &str = "all";

impl Loaded {
    /// The parts of these names; `all` is each disk, and without a name it is what lies on top, where that is one part.
    ///
    /// # Errors
    /// In words: a name that is none, parts of which one is in another.
    pub fn parts_named(&self, names: &[String]) -> Result<Vec<usize>, String> {
        let all =
            || self.storage.iter().map(|part| format!("\"{}\"", part.name)).collect::<Vec<_>>().join(", ");
        let mut parts: Vec<usize> = Vec::new();
        if names.is_empty() {
            let is_used = |number: usize| self.storage.iter().any(|part| part.over.contains(&number));
            parts.extend((0..self.storage.len()).filter(|number| !is_used(*number)));
            if parts.len() != 1 {
                return Err(format!("which of its parts? There are {}", all()));
            }
        }
        for name in names {
            match self.storage.iter().position(|part| part.name == *name) {
                Some(part) => parts.push(part),
                None if name == EACH_DISK => parts.extend(0..self.disks.len()),
                None => {
                    return Err(format!(
                        "there is no \"{name}\"; there are {}, and {EACH_DISK} for each disk",
                        all()
                    ));
                }
            }
        }
        for (position, &part) in parts.iter().enumerate() {
            let name = &self.storage[part].name;
            if parts[..position].contains(&part) {
                return Err(format!("\"{name}\" is named twice"));
            }
            let below = disks_below(&self.storage, part);
            for &other in parts.iter().filter(|other| **other != part) {
                if disks_below(&self.storage, other).iter().any(|disk| below.contains(disk)) {
                    return Err(format!(
                        "\"{name}\" and \"{}\" lie on the same disk",
                        self.storage[other].name
                    ));
                }
            }
        }
        Ok(parts)
    }

    /// Parts as block devices.
    ///
    /// # Errors
    /// A System that can't be built.
    pub fn emulated(&self, parts: &[usize]) -> Result<EmulatedParts, RunFailure> {
        let system = System::of_parts(self, parts)?;
        // What a cache has room for, a run tells.
        let run = Engine::new(&system.driven, self.scenario.seed, 0);
        let room = |disk: usize| {
            let cache = system.held.iter().find(|(number, _)| *number == disk)?;
            Some(cache.1.bytes(run.simulation()).1)
        };
        let mut cautions = Vec::new();
        let devices = parts.iter().map(|&number| {
            let disks = disks_below(&self.storage, number);
            let volatile = self.that_hear_flushes(number);
            let volatile: Vec<usize> = (volatile.into_iter())
                .filter(|&disk| self.disks[disk].compiled.features().write_cache)
                .collect();
            let kept = disks.iter().filter(|disk| !volatile.contains(disk));
            if kept.clone().any(|&disk| self.disks[disk].compiled.features().write_cache) {
                cautions.push(format!(
                    "\"{}\" keeps what it has reported behind a battery; what it has given on to its drives' write caches is taken as \
                     kept, too, which a real one keeps only if these are off",
                    self.storage[number].name
                ));
            }
            let features = |disk: &usize| self.disks[*disk].compiled.features();
            let passes = |number: usize| self.holder(number).is_none_or(Holder::passes_discards);
            let durability = Durability {
                volatile: !volatile.is_empty(),
                room: volatile.iter().map(|&disk| room(disk)).sum(),
                force_unit_access: disks.len() == 1 && disks.iter().all(|disk| features(disk).force_unit_access),
                discards: passes(number) && disks.iter().all(|disk| features(disk).discards.is_some()),
                rotational: disks.iter().any(|&disk| self.disks[disk].compiled.is_rotational()),
            };
            DeviceSpec {
                name: self.storage[number].name.clone(),
                target: as_number(number),
                blocks: self.storage[number].blocks,
                durability,
                pages: disks.iter().map(|&disk| self.disks[disk].name.clone()).collect(),
            }
        });
        let devices = devices.collect();
        Ok(EmulatedParts { driven: system.driven, devices, cautions })
    }

    /// The disks below a part that hear of its flushes: not those behind a memory that keeps what it has reported.
    pub(crate) fn that_hear_flushes(&self, number: usize) -> Vec<usize> {
        if self.holder(number).is_some_and(Holder::keeps_writes) {
            return Vec::new();
        }
        match self.storage.get(number).map(|part| part.over.as_slice()) {
            None => Vec::new(),
            Some([]) => vec![number],
            Some(over) => over.iter().flat_map(|&below| self.that_hear_flushes(below)).collect(),
        }
    }
}
