//! Files are looked up on a file system that has just been mounted: directories and inodes are read on the way, and of the inode
//! tables what lies around.
//!
//! After `link_path_walk` (fs/namei.c), `ext4_lookup`, `__ext4_get_inode_loc` (fs/ext4/inode.c), `ext4_dx_readdir` (fs/ext4/dir.c) and
//! `ext4_sample_last_mounted` (fs/ext4/file.c) of Linux 6.18: each block is waited for before the next is known. Leaves out that names
//! and inodes are given up where memory is short. Files of ext3 that are there before a run are known from its beginning, as on a
//! file system that others use already, unless it says that it was just mounted.

use super::Ext;
use crate::below::{Kernel, Stop};
use crate::file_system::Volume;
use crate::journal::BlockKey;
use crate::laid_out::LaidOut;
use crate::state::{Event, Moves, Touch};
use petrio_colours::{Direction, FileCause, FileId, FileOp, Hint, Operation, RequestId};
use petrio_persist::Persist;
use petrio_units::numbers::as_index;
use std::collections::BTreeMap;

/// Blocks of an inode table that are read around one (EXT4_DEF_INODE_READAHEAD_BLKS, from 2.6.28).
const INODES_AHEAD: u64 = 32;

/// What the kernel has found on a file system since it was mounted.
#[derive(Clone, Debug, Default, Persist)]
pub(super) struct Found {
    /// Files of which name and inode are in memory, a bit each.
    files: Vec<u64>,
    /// Whether a file has been opened, at the first of which the place of the mount is written down (EXT4_MF_MNTDIR_SAMPLED).
    opened: bool,
    /// How many of a directory's blocks each reader has come by that waits for the next.
    listing: BTreeMap<RequestId, u64>,
}

impl Found {
    /// The files that a run begins with in memory, and the directories that lead to them.
    pub(super) fn warm(volume: &Volume, laid_out: &LaidOut) -> Self {
        let mut found = Self::default();
        found.insert(FileId::ROOT);
        for &(file, _) in laid_out.files.iter().filter(|(_, cached)| *cached) {
            let mut at = file;
            while !found.has(at) {
                found.insert(at);
                at = volume.parent(at).unwrap_or(FileId::ROOT);
            }
        }
        found
    }

    fn has(&self, file: FileId) -> bool {
        self.files.get(file.0 as usize / 64).is_some_and(|bits| bits >> (file.0 % 64) & 1 == 1)
    }

    fn insert(&mut self, file: FileId) {
        let word = file.0 as usize / 64;
        if self.files.len() <= word {
            self.files.resize(word + 1, 0);
        }
        self.files[word] |= 1 << (file.0 % 64);
    }
}

/// The blocks of an inode table that mounting reads with the root's.
pub(super) fn read_with_root(volume: &Volume) -> impl Iterator<Item = u64> {
    volume.inode_ahead(FileId::ROOT, INODES_AHEAD)
}

impl Ext {
    /// Brings what an operation on names finds on its way into memory.
    ///
    /// # Errors
    /// A block that has to be read first.
    pub(super) fn walk(&mut self, kernel: &mut Kernel<'_>, op: &FileOp) -> Result<(), Stop> {
        if self.found.is_none() || op.operation == Operation::Close {
            return Ok(());
        }
        let touch = Touch::of(op, Direction::Read, true);
        let makes = op.operation.makes();
        let parent = makes || matches!(op.operation, Operation::Rename | Operation::Link);
        let parent = parent.then_some(op.parent);
        for file in [parent, (!makes).then_some(op.file), op.replaced].into_iter().flatten() {
            self.find_name(kernel, file, touch)?;
        }
        if op.operation == Operation::Readdir {
            let mut blocks = Vec::new();
            self.volume.listed_blocks(op.file, |block| blocks.push(block));
            self.list(kernel, op.id, &blocks, touch)?;
        }
        Ok(())
    }

    /// Reads the blocks of a directory one after the other; what is behind the reader it needs no more.
    fn list(
        &mut self,
        kernel: &mut Kernel<'_>,
        reader: RequestId,
        blocks: &[u64],
        touch: Touch,
    ) -> Result<(), Stop> {
        let Some(found) = &mut self.found else { return Ok(()) };
        let from = found.listing.remove(&reader).unwrap_or_default();
        for (at, &block) in (0..).zip(blocks).skip(as_index(from)) {
            if let Some(group) = kernel.bring_block(block, None, touch) {
                found.listing.insert(reader, at);
                return Err(Stop::Wait(Event::Group(group), FileCause::Read));
            }
        }
        Ok(())
    }

    /// A reader whose directory can't be read comes no more.
    pub(super) fn forget_reader(&mut self, reader: RequestId) {
        if let Some(found) = &mut self.found {
            found.listing.remove(&reader);
        }
    }

    /// How many are in the middle of a directory.
    #[cfg(test)]
    pub(crate) fn readers(&self) -> usize {
        self.found.as_ref().map_or(0, |found| found.listing.len())
    }

    /// Finds a file, after the directories that lead to it.
    fn find_name(&mut self, kernel: &mut Kernel<'_>, file: FileId, touch: Touch) -> Result<(), Stop> {
        let Some(found) = &mut self.found else { return Ok(()) };
        while self.volume.exists(file) && !found.has(file) {
            let mut next = file;
            while let Some(parent) = self.volume.parent(next).filter(|&parent| !found.has(parent)) {
                next = parent;
            }
            let mut blocks = Vec::new();
            self.volume.name_blocks(next, |block| blocks.push(block));
            bring_each(kernel, &blocks, touch)?;
            let inode = self.volume.inode_block(next);
            read_around(kernel, inode, self.volume.inode_ahead(next, INODES_AHEAD), touch);
            bring_each(kernel, &[inode], touch)?;
            found.insert(next);
        }
        Ok(())
    }

    /// A file has been made, or opened: at the first the superblock changes.
    ///
    /// # Errors
    /// What has to happen before.
    pub(super) fn note_found(&mut self, kernel: &mut Kernel<'_>, op: &FileOp) -> Result<(), Stop> {
        let Some(found) = &mut self.found else { return Ok(()) };
        if op.operation.makes() {
            found.insert(op.file);
        }
        if !matches!(op.operation, Operation::Create | Operation::Tmpfile | Operation::Open) {
            return Ok(());
        }
        if found.opened || kernel.fs.is_read_only || self.volume.is_directory(op.file) {
            return Ok(());
        }
        let change = self.start(kernel, 1)?;
        let superblock = BlockKey { file: self.rules.device.0, index: self.volume.superblock() };
        self.journal.dirty(change.id, superblock);
        self.stop(kernel, change);
        self.found.iter_mut().for_each(|found| found.opened = true);
        Ok(())
    }
}

/// Brings blocks into memory, one after the other.
fn bring_each(kernel: &mut Kernel<'_>, blocks: &[u64], touch: Touch) -> Result<(), Stop> {
    let waits = blocks.iter().find_map(|&block| kernel.bring_block(block, None, touch));
    waits.map_or(Ok(()), |group| Err(Stop::Wait(Event::Group(group), FileCause::Read)))
}

/// Reads what isn't in memory around an inode's block that isn't either: nobody waits for it.
fn read_around(kernel: &mut Kernel<'_>, inode: u64, around: std::ops::RangeInclusive<u64>, touch: Touch) {
    let device = kernel.fs.device();
    if kernel.memory.cache.look(device, inode).is_some() {
        return;
    }
    let group = kernel.fs.transfers.group();
    for block in around.filter(|&block| block != inode) {
        if kernel.memory.cache.look(device, block).is_none() && kernel.memory.make_room(1).made {
            kernel.memory.cache.insert(device, block, 1, None);
            let moves = |_, pages| Moves::Read { file: device, first: block, pages };
            kernel.fs.send((block, 1), touch, group, kernel.now, moves);
            if let Some(request) = kernel.fs.outbox.last_mut() {
                request.hint = Hint::Ahead;
            }
        }
    }
}
