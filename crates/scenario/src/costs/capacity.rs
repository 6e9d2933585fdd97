//! What the disks hold, and what of it can be used: without redundancy, copies and spares.
//!
//! What nothing lies on is what can be used: an array without its parity and its spares, partitions, a replication with its copies. Parts
//! that lie on the same disks hold together no more than these. Of a BeeGFS's mirrored targets the second of each group has what the first has.
//! Left out: what a file system keeps for itself.

use crate::holder::Holder;
use crate::loaded::Loaded;
use petrio_colours::SECTOR_BYTES;
use std::collections::BTreeMap;

/// Bytes of all disks, and of what can be used.
pub(super) fn capacity(loaded: &Loaded) -> (u64, u64) {
    let storage = &loaded.storage;
    let mut usable: Vec<u64> = Vec::with_capacity(storage.len());
    let mut is_below = vec![false; storage.len()];
    // The first disk of those that lie together below something.
    let mut group: Vec<usize> = (0..storage.len()).collect();
    for (number, part) in storage.iter().enumerate() {
        let members: Vec<u64> = part.over.iter().filter_map(|&below| usable.get(below).copied()).collect();
        usable.push(loaded.holder(number).map_or(part.blocks, |holder| holder.usable_blocks(&members)));
        for &below in &part.over {
            is_below[below] = true;
            let (one, other) = (root(&group, number), root(&group, below));
            group[one.max(other)] = one.min(other);
        }
    }
    // By group: what its disks hold, what lies on top, and of pools the largest, which each have all of it.
    let mut sums: BTreeMap<usize, [u64; 3]> = BTreeMap::new();
    for (number, part) in storage.iter().enumerate() {
        let sum = sums.entry(root(&group, number)).or_default();
        if part.over.is_empty() {
            sum[0] = sum[0].saturating_add(part.blocks);
        }
        let whole = loaded.holder(number).is_some_and(Holder::has_all);
        match (is_below[number], whole) {
            (true, _) => {}
            (false, true) => sum[2] = sum[2].max(usable[number]),
            (false, false) => sum[1] = sum[1].saturating_add(usable[number]),
        }
    }
    let bytes = |blocks: u64| blocks.saturating_mul(SECTOR_BYTES);
    let (raw, all) = sums.values().fold((0, 0), |(raw, all), &[disks, tops, pool]| {
        (raw + bytes(disks), all + bytes(tops.saturating_add(pool).min(disks)))
    });
    (raw, all.saturating_sub(bytes(mirrored_blocks(loaded))))
}

/// Blocks of targets that have what others have.
fn mirrored_blocks(loaded: &Loaded) -> u64 {
    let linux = &loaded.hosts.linux;
    let mirrors = linux.beegfs.iter().flat_map(|beegfs| {
        let second = beegfs.groups.iter().filter_map(|group| group.secondary);
        second.filter_map(|target| linux.file_systems.get(*beegfs.targets.get(usize::from(target))?))
    });
    mirrors.map(|target| target.blocks).sum()
}

fn root(group: &[usize], mut number: usize) -> usize {
    while group[number] != number {
        number = group[number];
    }
    number
}
