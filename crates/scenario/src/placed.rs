//! Disks and what is made of them, with everything that they need found: drives, sizes.

use crate::catalogue::Device;
use crate::check::PlannedHolder;
use crate::schema::{Scenario, Spindle};
use crate::wires::Wire;
use petrio_models::device::{BlockDevice, Queueing};
use std::sync::Arc;

/// One disk of the system.
#[derive(Clone, Debug)]
pub struct PlacedDisk {
    /// Its name: the part's, with a number where there are several.
    pub name: String,
    /// The part that it is of: `d` for `[disk.d]`.
    pub part: String,
    /// The drive, with the scenario's changes.
    pub device: Arc<Device>,
    /// The drive, ready to be built; one for all disks of the part.
    pub compiled: Arc<dyn BlockDevice>,
    /// How requests wait for it.
    pub queueing: Queueing,
    /// The bus that it shares with others.
    pub bus: Option<Wire>,
    /// Whether it turns in step with others.
    pub spindle: Spindle,
}

/// A part that holds blocks: a disk, or what is made of others.
#[derive(Clone, Debug)]
pub struct Storage {
    /// Its name.
    pub name: String,
    /// The key under which the scenario describes it.
    pub key: &'static str,
    /// Its size in blocks of 512 bytes.
    pub blocks: u64,
    /// What it is made of, as indices of [`Loaded::storage`](crate::Loaded::storage); all come before it.
    pub over: Vec<usize>,
}

/// The disks that a part is made of in the end, each as often as it is met on the way: of all parts, those that lie on none.
pub(crate) fn disks_below(storage: &[Storage], number: usize) -> Vec<usize> {
    match storage.get(number).map(|part| part.over.as_slice()) {
        None => Vec::new(),
        Some([]) => vec![number],
        Some(over) => over.iter().flat_map(|&below| disks_below(storage, below)).collect(),
    }
}

/// What disks and what is made of them hold, in the order in which they are numbered.
pub(crate) fn storage(scenario: &Scenario, disks: &[PlacedDisk], holders: &[PlannedHolder]) -> Vec<Storage> {
    let sizes = sizes(scenario, disks, holders);
    (holders.iter().zip(sizes))
        .map(|(holder, blocks)| Storage {
            name: holder.name.clone(),
            key: holder.key,
            blocks,
            over: holder.over.iter().map(|&number| number as usize).collect(),
        })
        .collect()
}

/// Blocks of everything that holds blocks. What something lies on comes before it.
fn sizes(scenario: &Scenario, disks: &[PlacedDisk], holders: &[PlannedHolder]) -> Vec<u64> {
    let mut sizes: Vec<u64> = disks.iter().map(|disk| disk.compiled.blocks()).collect();
    for holder in holders.iter().skip(disks.len()) {
        let members: Vec<u64> =
            holder.over.iter().filter_map(|&below| sizes.get(below as usize).copied()).collect();
        let part = scenario.holders.get(holder.key, &holder.name);
        sizes.push(part.map_or(0, |part| part.blocks(&members)));
    }
    sizes
}
