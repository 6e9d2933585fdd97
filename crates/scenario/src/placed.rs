//! Disks and what is made of them, with everything that they need found: drives, sizes.

use crate::catalogue::Device;
use crate::checker::PlannedHolder;
use crate::holder::{Holder, Stands};
use crate::host::Beneath;
use crate::scenario::Scenario;
use crate::schema::Spindle;
use crate::text::tree::KeySpans;
use crate::text::{Problem, Sources};
use crate::wires::Wire;
use petrio_colours::SECTOR_BYTES;
use petrio_models::device::{BlockDevice, Queueing};
use petrio_units::Bytes;
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

/// What everything that holds blocks has to say about how it is read ahead, in the order in which it is numbered.
pub(crate) fn beneath(scenario: &Scenario, disks: &[PlacedDisk], storage: &[Storage]) -> Vec<Beneath> {
    let mut all: Vec<Beneath> = Vec::new();
    for (number, part) in storage.iter().enumerate() {
        let below = || part.over.iter().filter_map(|&below| all.get(below));
        let own = disks.get(number).is_some_and(|disk| disk.compiled.is_rotational());
        let turns = own || below().any(|below| below.turns);
        let has_many_queues = match disks.get(number) {
            Some(disk) => disk.compiled.has_many_queues(),
            None => below().all(|below| below.has_many_queues),
        };
        let holder = scenario.holders.get(part.key, &part.name);
        let takes_discards = match disks.get(number) {
            Some(disk) => disk.compiled.features().discards.is_some(),
            None => holder.is_some_and(Holder::passes_discards) && below().all(|below| below.takes_discards),
        };
        let stacked = || below().filter_map(|below| below.optimal_request).max();
        let optimal_request = holder.and_then(|holder| match holder.stands() {
            Stands::Below => None,
            Stands::OfHost | Stands::AsBelow | Stands::BeforeQueue => {
                holder.optimal_request(part.over.len()).or_else(stacked)
            }
        });
        let own = disks.get(number).map_or(1, |disk| disk.compiled.physical_sector());
        let physical_sector = below().map(|below| below.physical_sector).fold(own, u64::max);
        let first = holder
            .map_or(0, |holder| part.over.first().map_or(0, |&below| holder.takes(storage[below].blocks).0));
        let is_unaligned = !first.is_multiple_of(physical_sector);
        all.push(Beneath {
            turns,
            has_many_queues,
            takes_discards,
            optimal_request,
            physical_sector,
            is_unaligned,
        });
    }
    all
}

/// Parts that begin within a sector as it lies on the platters: each write of a file system's block then costs a turn.
pub(crate) fn unaligned(
    storage: &[Storage],
    beneath: &[Beneath],
    places: &KeySpans,
    sources: &Sources,
) -> Vec<Problem> {
    let begins_within = storage.iter().zip(beneath).filter(|(_, beneath)| beneath.is_unaligned);
    begins_within
        .map(|(part, beneath)| {
            let sector = Bytes(beneath.physical_sector.saturating_mul(SECTOR_BYTES));
            let (lie, price) = if beneath.turns {
                ("lie on the platters in", "the drive first reads the sectors at its ends, for a turn")
            } else {
                ("are kept in pages of", "the drive first reads the pages at its ends, and writes both")
            };
            let message = format!(
                "\"{}\" begins within a sector of its disk, which {lie} {sector}: to write a block of 4 KiB {price}",
                part.name
            );
            let span = places.key(&format!("{}.{}", part.key, part.name));
            sources.error(span, message).help("let it begin at a multiple of 1 MiB, as partitions do today").only_warns()
        })
        .collect()
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
