//! Blocks for data: promised when a page is written, found when it is written back, and what both log.
//!
//! After fs/xfs/xfs_iomap.c (`xfs_buffered_write_iomap_begin`, `xfs_iomap_write_direct`, `xfs_iomap_write_unwritten`) and
//! fs/xfs/libxfs/xfs_bmap.c (`xfs_bmapi_convert_delalloc`, `xfs_bmap_btalloc`, `xfs_bmap_adjacent`) of Linux 6.18. What is promised in one
//! piece is found in one piece, whatever of it is written back; it holds no data until a transaction says so when they are there.

use super::fork::{EXTENT_MOST, INLINE_EXTENTS, Kind, LEAF_EXTENTS, LEAF_HEADER};
use super::geometry::INODES_PER_BLOCK;
use super::group::Group;
use super::items::{Buffer, Changes};
use super::volume::{Inode, XfsVolume};
use crate::file_system::{BLOCK_SIZE, FileError};
use petrio_colours::{Fallocate, FileId, FileOp};
use std::sync::Arc;

/// How far a file's neighbouring extent may be for the new one to keep its distance (XFS_ALLOC_GAP_UNITS).
const GAP: u64 = 4;

/// What one step of a buffered write covers at most (`xfs_buffered_write_iomap_begin`: 1,024 pages).
pub const STEP_BLOCKS: u64 = 1024;

impl XfsVolume {
    /// Promises blocks to the pages of a write that have none: of `count` bytes at `offset`, the rest of a call. Whether there was room.
    ///
    /// # Errors
    /// Where the volume is full.
    pub fn promise(&mut self, file: FileId, (offset, count): (u64, u64)) -> Result<(), FileError> {
        let free = self.free_blocks();
        let all = self.geometry.blocks;
        let least = self.parameters.allocsize.map(|size| size.get() / BLOCK_SIZE);
        let inode = self.find(file)?;
        let (size, end) = (inode.size, (offset + count).div_ceil(BLOCK_SIZE));
        let mut at = offset / BLOCK_SIZE;
        let mut promised = Vec::new();
        let mut wanted = 0;
        while at < end {
            let index = inode.fork.index(at);
            let next = inode.fork.extents().get(index);
            if let Some(extent) = next
                && extent.first <= at
            {
                at = extent.end();
                continue;
            }
            let step = (end - at).min(STEP_BLOCKS);
            let stop = next.map_or(u64::MAX, |extent| extent.first);
            let mut blocks = step.min(stop - at);
            let from = (at * BLOCK_SIZE).max(offset);
            let to = ((at + step) * BLOCK_SIZE).min(offset + count);
            if next.is_none() && to > size {
                let bytes = (from, to - from);
                blocks += inode.fork.preallocated(bytes, size, (free - wanted.min(free), all), least);
            }
            blocks = blocks.min(EXTENT_MOST);
            if wanted + blocks > free {
                blocks = step.min(stop - at);
            }
            if wanted + blocks > free {
                return Err(FileError::NoSpace { file, wanted: blocks, free: free - wanted });
            }
            promised.push((at, blocks));
            wanted += blocks;
            at += blocks;
        }
        if let Some(inode) = self.get_mut(file) {
            for (first, blocks) in promised {
                inode.fork.set(first, blocks, Kind::Delayed);
            }
        }
        self.delayed += wanted;
        Ok(())
    }

    /// Finds blocks for what was promised to a range of a file; whether anything was.
    ///
    /// # Errors
    /// Where the volume is full.
    pub fn find_promised(
        &mut self,
        file: FileId,
        (first, count): (u64, u64),
        changes: &mut Changes,
    ) -> Result<bool, FileError> {
        let (mut at, end) = (first, first.saturating_add(count));
        let mut found = false;
        while let Some(inode) = self.get(file)
            && let Some(&extent) = inode.fork.extents().get(inode.fork.index(at))
            && extent.first < end
        {
            at = extent.end();
            if extent.kind == Kind::Delayed {
                found = true;
                self.fill(file, (extent.first, extent.count), Kind::Unwritten, changes)?;
            }
        }
        if found {
            self.log_fork(file, first, changes);
        }
        Ok(found)
    }

    /// Finds blocks for the holes of a range that is written past the cache; how many.
    ///
    /// # Errors
    /// Where the volume is full.
    pub fn allocate(
        &mut self,
        file: FileId,
        (first, count): (u64, u64),
        changes: &mut Changes,
    ) -> Result<u64, FileError> {
        let end = first + count;
        let (mut at, mut found) = (first, 0);
        while at < end {
            let inode = self.find(file)?;
            let next = inode.fork.extents().get(inode.fork.index(at)).copied();
            match next.filter(|extent| extent.first <= at) {
                Some(extent) if extent.kind == Kind::Delayed => {
                    self.fill(file, (extent.first, extent.count), Kind::Unwritten, changes)?;
                }
                Some(extent) => at = extent.end(),
                None => {
                    let blocks = next.map_or(end, |extent| extent.first.min(end)) - at;
                    if blocks > self.free_blocks() {
                        return Err(FileError::NoSpace { file, wanted: blocks, free: self.free_blocks() });
                    }
                    self.fill(file, (at, blocks), Kind::Unwritten, changes)?;
                    found += blocks;
                }
            }
        }
        if found > 0 {
            self.log_fork(file, first, changes);
        }
        Ok(found)
    }

    /// Data are there: what held none does now, and the inode learns the file's size. Whether anything changed.
    pub fn written(&mut self, file: FileId, (first, count): (u64, u64), changes: &mut Changes) -> bool {
        let Some(inode) = self.get(file).filter(|inode| !inode.orphan || inode.holders > 0) else {
            return false;
        };
        let end = first.saturating_add(count);
        let size = inode.size.min(end.saturating_mul(BLOCK_SIZE));
        let grows = size > inode.disk_size;
        let mut converted = Vec::new();
        for extent in &inode.fork.extents()[inode.fork.index(first)..] {
            if extent.first >= end {
                break;
            }
            if let Kind::Unwritten(block) = extent.kind {
                let (from, to) = (extent.first.max(first), extent.end().min(end));
                converted.push((from, to - from, block + (from - extent.first)));
            }
        }
        if !grows && converted.is_empty() {
            return false;
        }
        let Some(inode) = self.get_mut(file) else { return false };
        inode.disk_size = inode.disk_size.max(size);
        for &(from, blocks, block) in &converted {
            inode.fork.set(from, blocks, Kind::Written(block));
        }
        if converted.is_empty() {
            changes.core(file);
        } else {
            self.log_fork(file, first, changes);
        }
        true
    }

    /// Carries out a fallocate (`xfs_alloc_file_space`, `xfs_free_file_space` of fs/xfs/xfs_bmap_util.c). Leaves out that dirty pages of a
    /// range that goes are written before, and the zeroing of blocks that go in part.
    pub(super) fn change_range(&mut self, op: &FileOp, changes: &mut Changes) -> Result<(), FileError> {
        let file = op.file;
        if self.find(file)?.directory.is_some() {
            return Err(FileError::IsADirectory { file });
        }
        let blocks = (op.offset / BLOCK_SIZE, op.end().div_ceil(BLOCK_SIZE));
        let whole = (op.offset.div_ceil(BLOCK_SIZE), op.end() / BLOCK_SIZE);
        if matches!(op.fallocate, Fallocate::PunchHole | Fallocate::ZeroRange) && whole.0 < whole.1 {
            self.release_range(file, (whole.0, whole.1 - whole.0), changes);
        }
        changes.core(file);
        if op.fallocate == Fallocate::PunchHole {
            return Ok(());
        }
        self.allocate(file, (blocks.0, blocks.1 - blocks.0), changes)?;
        let Some(inode) = self.get_mut(file) else { return Ok(()) };
        if op.fallocate == Fallocate::KeepSize {
            // What lies behind its end is to stay there (XFS_DIFLAG_PREALLOC).
            inode.trimmed = true;
        } else {
            inode.size = inode.size.max(op.end());
            inode.disk_size = inode.disk_size.max(op.end());
        }
        Ok(())
    }

    /// Gives the file's blocks from one on back to nobody: they are data's no more.
    pub(super) fn release(&mut self, file: FileId, first: u64, changes: &mut Changes) {
        self.release_range(file, (first, u64::MAX - first), changes);
    }

    fn release_range(&mut self, file: FileId, (first, count): (u64, u64), changes: &mut Changes) {
        let mut freed = Vec::new();
        let Some(inode) = self.get_mut(file) else { return };
        let before = inode.fork.delayed();
        let leaves = std::mem::take(&mut inode.fork.leaves);
        inode.fork.remove(first, count, &mut freed);
        inode.fork.leaves = leaves;
        let less = before - inode.fork.delayed();
        self.delayed -= less;
        for &(block, count) in &freed {
            self.give_back(block, count, changes);
        }
        if !freed.is_empty() {
            self.log_fork(file, first, changes);
        }
    }

    pub(super) fn give_back(&mut self, block: u64, count: u64, changes: &mut Changes) {
        let group = self.geometry.group_of(block);
        let start = self.geometry.group_start(group);
        self.group_mut(group).give(block - start, count, changes);
        changes.free(block, count);
    }

    /// Finds blocks for a run of a file.
    fn fill(
        &mut self,
        file: FileId,
        (first, count): (u64, u64),
        kind: fn(u64) -> Kind,
        changes: &mut Changes,
    ) -> Result<(), FileError> {
        let (mut at, end) = (first, first + count);
        while at < end {
            let scattered = self.scatter.take();
            let inode = self.find(file)?;
            let delayed = inode.fork.at(at).is_some_and(|extent| extent.kind == Kind::Delayed);
            let goal = scattered.unwrap_or_else(|| self.goal(inode, at, end - at));
            let Some((block, blocks)) = self.take_blocks(goal, end - at, changes) else {
                return Err(FileError::NoSpace { file, wanted: end - at, free: self.free_blocks() });
            };
            if let Some(inode) = self.get_mut(file) {
                inode.fork.set(at, blocks, kind(block));
            }
            if delayed {
                self.delayed -= blocks;
            }
            at += blocks;
        }
        Ok(())
    }

    /// Where the blocks of a file would best lie: behind those before, in front of those behind, or at its inode.
    fn goal(&self, inode: &Inode, at: u64, count: u64) -> u64 {
        let own = self.geometry.group_start(inode.number.group) + inode.number.inode / INODES_PER_BLOCK;
        let extents = inode.fork.extents();
        let index = inode.fork.index(at);
        let before = index
            .checked_sub(1)
            .and_then(|index| extents.get(index))
            .and_then(|extent| Some((extent.kind.block()? + extent.count, at - extent.end())));
        let behind = extents[index..].iter().find(|extent| extent.first >= at + count);
        let behind = behind.and_then(|extent| Some((extent.kind.block()?, extent.first - (at + count))));
        let last = extents[index..].iter().all(|extent| extent.first < at + count);
        let keeps = |away: u64| away <= GAP * count;
        match (before, behind) {
            (Some((block, away)), _) if last => block + away,
            (Some((block, away)), Some((next, ahead))) if away > ahead => {
                let _ = block;
                if keeps(ahead) { next.saturating_sub(ahead + count) } else { next.saturating_sub(count) }
            }
            (Some((block, away)), _) => block + if keeps(away) { away } else { 0 },
            (None, Some((next, ahead))) => {
                next.saturating_sub(if keeps(ahead) { ahead + count } else { count })
            }
            (None, None) => own,
        }
    }

    /// Takes blocks near a block: all in one piece, in its group or the next that has such a piece, else the longest piece there is.
    pub(super) fn take_blocks(&mut self, goal: u64, count: u64, changes: &mut Changes) -> Option<(u64, u64)> {
        let goal = goal.min(self.geometry.blocks - 1);
        let home = self.geometry.group_of(goal);
        let groups = self.geometry.groups;
        let order = (0..groups).map(|more| (home + more) % groups);
        let longest = |group: u32| self.groups[group as usize].longest();
        let (group, blocks) = match order.clone().find(|&group| longest(group) >= count) {
            Some(group) => (group, count),
            None => order
                .map(|group| (group, longest(group)))
                .max_by_key(|&(group, most)| (most, std::cmp::Reverse((group + groups - home) % groups)))?,
        };
        if blocks == 0 {
            return None;
        }
        let start = self.geometry.group_start(group);
        let group: &mut Group = Arc::make_mut(&mut self.groups[group as usize]);
        let wanted = if group.number() == home { goal - start } else { 0 };
        let at = group.space.near(wanted, blocks)?;
        group.take(at, blocks, changes).then(|| (group.absolute(at), blocks))
    }

    /// Logs a file's fork, of which the extent of a block has changed: in its inode, or a leaf of its tree, which grows and shrinks.
    pub(super) fn log_fork(&mut self, file: FileId, first: u64, changes: &mut Changes) {
        let Some(inode) = self.get(file) else { return };
        let records = inode.fork.records();
        let (number, has) = (inode.number, inode.fork.leaves.len() as u64);
        let wanted = match records {
            0..=INLINE_EXTENTS => 0,
            _ if has == 0 => 1,
            // Leaves split where they are full, and are three quarters full then.
            _ => records.div_ceil(LEAF_EXTENTS * 3 / 4).max(if records <= LEAF_EXTENTS { 1 } else { 2 }),
        };
        let goal = self.geometry.group_start(number.group) + number.inode / INODES_PER_BLOCK;
        for _ in has..wanted {
            let Some((block, _)) = self.take_blocks(goal, 1, changes) else { break };
            if let Some(inode) = self.get_mut(file) {
                inode.fork.leaves.push(block);
            }
            changes.change(Buffer::blocks(block, 1), 0, LEAF_HEADER);
        }
        let Some(inode) = self.get_mut(file) else { return };
        let keep = usize::try_from(wanted).unwrap_or(usize::MAX).min(inode.fork.leaves.len());
        let dropped = if wanted == 0 { inode.fork.leaves.split_off(keep) } else { Vec::new() };
        let leaves = inode.fork.leaves.clone();
        let index = inode.fork.index(first) as u64;
        for block in dropped {
            changes.forgotten.push(Buffer::blocks(block, 1));
            self.give_back(block, 1, changes);
        }
        if leaves.is_empty() {
            let bytes = self.get(file).map_or(0, Inode::fork_bytes);
            changes.fork(file, bytes);
            return;
        }
        let each = records.div_ceil(leaves.len() as u64).max(1);
        let leaf = (index / each).min(leaves.len() as u64 - 1);
        let at = LEAF_HEADER + (index % each) * 16;
        let buffer = Buffer::blocks(leaves[usize::try_from(leaf).unwrap_or(0)], 1);
        changes.change(buffer, 0, LEAF_HEADER);
        changes.change(buffer, at, (at + 32).min(4096));
        match has == wanted {
            true => changes.core(file),
            false => {
                let bytes = self.get(file).map_or(0, Inode::fork_bytes);
                changes.fork(file, bytes);
            }
        }
    }
}
