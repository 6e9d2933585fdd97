//! Inodes of an allocation group: chunks of 64, made where they are wanted.
//!
//! After fs/xfs/libxfs/xfs_ialloc.c of Linux 6.18 with the B+tree of free inodes: a new inode is the first free one of the chunk nearest to
//! its directory (`xfs_dialloc_ag_finobt_near`), in the group of that, or in the chunk made last (`xfs_dialloc_ag_finobt_newino`). Left
//! out: chunks of which only a part has room (sparse), and inodes' chunks given back.

use super::geometry::{CHUNK_INODES, INODES_PER_BLOCK};
use petrio_persist::Persist;
use std::collections::BTreeMap;

/// What taking or giving back an inode changes in the two trees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct InodeChange {
    /// The inode, from the group's first.
    pub number: u64,
    /// Its chunk's place among all, and among those with free ones.
    pub index: u64,
    /// The same in the tree of free inodes.
    pub free_index: u64,
    /// Whether the chunk left that tree, or came into it.
    pub moved: bool,
}

/// Inodes of a group.
#[derive(Clone, Debug, Default, Persist)]
pub(super) struct Inodes {
    /// Chunks by their first inode: a bit for each that is free.
    chunks: BTreeMap<u64, u64>,
    /// Chunks with free ones.
    free: BTreeMap<u64, ()>,
    /// The chunk made last.
    newest: Option<u64>,
    left: u64,
}

impl Inodes {
    /// Inodes that are free.
    #[must_use]
    pub(super) const fn free(&self) -> u64 {
        self.left
    }

    /// Chunks.
    #[must_use]
    pub(super) fn chunks(&self) -> u64 {
        self.chunks.len() as u64
    }

    /// Chunks with free ones.
    #[must_use]
    pub(super) fn free_chunks(&self) -> u64 {
        self.free.len() as u64
    }

    /// The block behind the chunk made last, where the next is to be.
    #[must_use]
    pub(super) fn next_block(&self) -> Option<u64> {
        self.newest.map(|first| (first + CHUNK_INODES) / INODES_PER_BLOCK)
    }

    /// Makes a chunk in the blocks from this one on.
    pub(super) fn add_chunk(&mut self, block: u64) -> u64 {
        let first = block * INODES_PER_BLOCK;
        self.chunks.insert(first, u64::MAX);
        self.free.insert(first, ());
        self.newest = Some(first);
        self.left += CHUNK_INODES;
        self.chunks.range(..first).count() as u64
    }

    /// Takes an inode, near another of this group where one is named.
    pub(super) fn take(&mut self, near: Option<u64>) -> Option<InodeChange> {
        let chunk = match near {
            Some(near) => self.nearest(near),
            None => self
                .newest
                .filter(|chunk| self.free.contains_key(chunk))
                .or_else(|| self.free.first_key_value().map(|(&chunk, ())| chunk)),
        }?;
        let free_index = self.free.range(..chunk).count() as u64;
        let mask = self.chunks.get_mut(&chunk)?;
        let bit = u64::from(mask.trailing_zeros());
        *mask &= *mask - 1;
        let empty = *mask == 0;
        if empty {
            self.free.remove(&chunk);
        }
        self.left -= 1;
        let index = self.chunks.range(..chunk).count() as u64;
        Some(InodeChange { number: chunk + bit, index, free_index, moved: empty })
    }

    /// Gives an inode back.
    pub(super) fn give(&mut self, number: u64) -> Option<InodeChange> {
        let chunk = number / CHUNK_INODES * CHUNK_INODES;
        let mask = self.chunks.get_mut(&chunk)?;
        let moved = *mask == 0;
        *mask |= 1 << (number - chunk);
        self.free.insert(chunk, ());
        self.left += 1;
        let index = self.chunks.range(..chunk).count() as u64;
        let free_index = self.free.range(..chunk).count() as u64;
        Some(InodeChange { number, index, free_index, moved })
    }

    fn nearest(&self, near: u64) -> Option<u64> {
        let left = self.free.range(..=near).next_back().map(|(&chunk, ())| chunk);
        let right = self.free.range(near + 1..).next().map(|(&chunk, ())| chunk);
        match (left, right) {
            (Some(left), Some(right)) if near - left >= CHUNK_INODES => {
                Some(if near - left + CHUNK_INODES - 1 > right - near { right } else { left })
            }
            (Some(left), _) => Some(left),
            (None, right) => right,
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn inodes_are_taken_in_order_beside_their_directory() {
        let mut inodes = Inodes::default();
        inodes.add_chunk(16);
        let numbers: Vec<u64> = (0..64).map(|_| inodes.take(Some(128)).unwrap().number).collect();
        assert_eq!((numbers[0], numbers[63]), (128, 191));
        assert_eq!((inodes.take(Some(128)), inodes.free_chunks()), (None, 0));
        inodes.add_chunk(24);
        assert_eq!(inodes.take(Some(128)).unwrap().number, 192);
        let back = inodes.give(130).unwrap();
        assert!(back.moved && back.free_index == 0);
        assert_eq!(inodes.take(Some(131)).unwrap().number, 130, "what was given back");
    }
}
