//! Where files lie on their devices, as far as it was seen: from a file's blocks to the device's, and back.
//!
//! The file systems tell whole extents (`ext4_es_lookup_extent_exit`, `ext4_ext_map_blocks_exit`), so a few entries
//! cover a file. Addresses are those of the whole disk: a partition's first sector is added, so that they compare with
//! its requests.

use crate::recorder::kernel_event::Inode;
use petrio_trace::event::{Extent, FileKey};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::collections::BTreeMap;

/// How a file system's device lies on its disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Geometry {
    /// The disk, `major << 20 | minor`.
    pub(crate) disk: u32,
    /// Its first sector on the disk.
    pub(crate) start_sector: u64,
    /// A block of its file system in bytes.
    pub(crate) block_bytes: u32,
}

impl Geometry {
    /// A disk without partitions and blocks of 4 KiB.
    pub(crate) const fn plain(device: u32) -> Self {
        Self { disk: device, start_sector: 0, block_bytes: 4_096 }
    }
}

/// Extents that are remembered at most; then all are forgotten, and learnt again.
const EXTENTS_MAX: usize = 1 << 20;

const SECTOR_BYTES: u64 = 512;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Piece {
    bytes: u64,
    sector: u64,
}

/// What is known of places.
#[derive(Debug, Default)]
pub(crate) struct ExtentMap {
    /// By file and first byte.
    of_files: FxHashMap<FileKey, (u32, BTreeMap<u64, Piece>)>,
    /// By disk and first sector: sectors, and whose.
    on_disks: BTreeMap<(u32, u64), (u64, FileKey)>,
}

impl ExtentMap {
    /// A part of a file has been seen, in blocks of its file system.
    pub(crate) fn learn(
        &mut self,
        file: FileKey,
        geometry: Geometry,
        block: u64,
        blocks: u32,
        device_block: u64,
    ) {
        if blocks == 0 {
            return;
        }
        let block_bytes = u64::from(geometry.block_bytes);
        let piece = Piece {
            bytes: u64::from(blocks) * block_bytes,
            sector: geometry.start_sector.wrapping_add(device_block.wrapping_mul(block_bytes) / SECTOR_BYTES),
        };
        let first = block.wrapping_mul(block_bytes);
        let (_, pieces) = self.of_files.entry(file).or_insert_with(|| (geometry.disk, BTreeMap::new()));
        if pieces.insert(first, piece) != Some(piece) {
            self.on_disks.insert((geometry.disk, piece.sector), (piece.bytes / SECTOR_BYTES, file));
        }
        if self.on_disks.len() > EXTENTS_MAX {
            *self = Self::default();
        }
    }

    /// The file is no more.
    pub(crate) fn forget(&mut self, file: FileKey) {
        let Some((disk, pieces)) = self.of_files.remove(&file) else { return };
        for piece in pieces.values() {
            let place = (disk, piece.sector);
            if self.on_disks.get(&place).is_some_and(|(_, owner)| *owner == file) {
                self.on_disks.remove(&place);
            }
        }
    }

    /// Whose a sector is.
    pub(crate) fn owner(&self, disk: u32, sector: u64) -> Option<FileKey> {
        let (&(_, first), &(sectors, file)) = self.on_disks.range((disk, 0)..=(disk, sector)).next_back()?;
        (sector < first.saturating_add(sectors)).then_some(file)
    }

    /// Where the bytes of a file lie, as far as known, each part with whether it was in the cache: `missed` are the
    /// ranges of bytes that weren't.
    pub(crate) fn find(
        &self,
        file: FileKey,
        from: u64,
        bytes: u64,
        missed: &[(u64, u64)],
    ) -> SmallVec<[Extent; 1]> {
        let mut found = SmallVec::new();
        let Some((disk, pieces)) = self.of_files.get(&file) else { return found };
        // Whole blocks of the device.
        let end = from.saturating_add(bytes).checked_next_multiple_of(SECTOR_BYTES).unwrap_or(u64::MAX);
        let mut at = from / SECTOR_BYTES * SECTOR_BYTES;
        while at < end {
            let before = pieces.range(..=at).next_back().filter(|(first, piece)| at - **first < piece.bytes);
            let Some((first, piece)) = before else {
                // A hole, or not known: on with the next piece.
                let Some((next, _)) =
                    pieces.range(at.saturating_add(1)..end.max(at.saturating_add(1))).next()
                else {
                    break;
                };
                at = *next;
                continue;
            };
            let until = end.min(first.saturating_add(piece.bytes));
            let hit = !missed.iter().any(|(from, to)| (*from..*to).contains(&at));
            let edges = missed.iter().flat_map(|(from, to)| [*from, *to]).filter(|edge| *edge > at);
            let until = edges.fold(until, u64::min);
            found.push(Extent {
                device: *disk,
                address: piece.sector.wrapping_add((at - first) / SECTOR_BYTES),
                blocks: u32::try_from((until - at).div_ceil(SECTOR_BYTES)).unwrap_or(u32::MAX),
                hit,
            });
            at = until;
        }
        found
    }
}

/// The key of an inode as it was used for the given time.
pub(crate) const fn key(inode: Inode, generation: u32) -> FileKey {
    FileKey { device: inode.device, inode: inode.number, generation }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use proptest::prelude::*;

    const FILE: FileKey = FileKey { device: 3, inode: 12, generation: 0 };

    #[test]
    fn a_range_is_found_piece_by_piece_with_its_misses() {
        let mut places = ExtentMap::default();
        let geometry = Geometry { disk: 1, start_sector: 2_048, block_bytes: 4_096 };
        places.learn(FILE, geometry, 0, 2, 100);
        places.learn(FILE, geometry, 4, 1, 500);
        let extent = |address, blocks, hit| Extent { device: 1, address, blocks, hit };
        let found = places.find(FILE, 4_096, 16_384, &[(4_096, 8_192)]);
        assert_eq!(found.to_vec(), [extent(2_048 + 808, 8, false), extent(2_048 + 4_000, 8, true)]);
        assert_eq!(places.owner(1, 2_048 + 815), Some(FILE));
        assert_eq!(places.owner(1, 2_048 + 816), None);
        places.forget(FILE);
        assert_eq!(places.owner(1, 2_048 + 815), None);
        assert!(places.find(FILE, 0, 4_096, &[]).is_empty());
    }

    proptest! {
        #[test]
        fn what_is_found_never_exceeds_what_was_asked(
            pieces in proptest::collection::vec((0_u64..20, 1_u32..5, 0_u64..1_000), 0..8),
            from in 0_u64..100_000, bytes in 0_u64..50_000,
            missed in proptest::collection::vec((0_u64..30, 0_u64..30), 0..4)
        ) {
            let mut places = ExtentMap::default();
            for (block, blocks, device_block) in pieces {
                places.learn(FILE, Geometry::plain(1), block, blocks, device_block);
            }
            let missed: Vec<_> = missed.into_iter().map(|(from, to)| (from * 4_096, to * 4_096)).collect();
            let found = places.find(FILE, from, bytes, &missed);
            let blocks: u64 = found.iter().map(|extent| u64::from(extent.blocks)).sum();
            prop_assert!(blocks <= (bytes + 1_023) / 512);
        }
    }
}
