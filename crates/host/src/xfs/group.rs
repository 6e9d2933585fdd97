//! An allocation group: its free space, its inodes, and what changes of both log in its headers and trees.

use super::geometry::{CHUNK_BLOCKS, CHUNK_INODES, Geometry, INODES_PER_BLOCK, Root};
use super::inodes::{InodeChange, Inodes};
use super::items::{Buffer, Changes};
use super::space::{RecordChange, Space, SpaceChange};
use super::tree::Tree;
use petrio_persist::Persist;

/// Fields of the AGF that change with free space (`agf_freeblks`, `agf_longest`, `agf_flfirst` and the like), all in its first 128 bytes.
const AGF_FIELDS: (u64, u64) = (40, 64);
/// `agi_freecount`, and `agi_count` with `agi_newino`.
const AGI_FREE: (u64, u64) = (28, 32);
const AGI_CHUNK: (u64, u64) = (16, 36);
/// `agi_unlinked`: 64 heads of lists.
const AGI_UNLINKED: u64 = 40;
const UNLINKED_LISTS: u64 = 64;

/// An allocation group; blocks and inodes count from its beginning.
#[derive(Clone, Debug, Persist)]
pub(super) struct Group {
    number: u32,
    start: u64,
    pub(super) space: Space,
    pub(super) inodes: Inodes,
    reserved: u64,
    free_by_block: Tree,
    free_by_size: Tree,
    inode_tree: Tree,
    free_inode_tree: Tree,
    scratch: SpaceChange,
}

impl Group {
    pub(super) fn new(geometry: &Geometry, number: u32) -> Self {
        let first = geometry.first_free(number);
        Self {
            number,
            start: geometry.group_start(number),
            space: Space::new(first, geometry.blocks_of(number).saturating_sub(first)),
            inodes: Inodes::default(),
            reserved: geometry.reserved(number),
            free_by_block: Tree::new(8),
            free_by_size: Tree::new(8),
            inode_tree: Tree::new(16),
            free_inode_tree: Tree::new(16),
            scratch: SpaceChange::default(),
        }
    }

    /// The sectors of superblock copy, AGF, AGI and free list.
    const fn header(&self, sector: u64) -> Buffer {
        Buffer::sector(self.start, sector)
    }

    const fn root(&self, root: Root) -> u64 {
        self.start + root as u64
    }

    /// The longest extent that data may get (`xfs_alloc_longest_free_extent`).
    pub(super) fn longest(&self) -> u64 {
        self.space.longest().min(self.space.free().saturating_sub(self.reserved))
    }

    /// Blocks that data may get.
    pub(super) fn available(&self) -> u64 {
        self.space.free().saturating_sub(self.reserved)
    }

    /// What must be in memory before blocks are taken or given back: the free list, and both trees.
    pub(super) fn needs_space(&self, mut needs: impl FnMut(Buffer)) {
        needs(self.header(3));
        for root in [Root::FreeBySize, Root::FreeByBlock] {
            needs(Buffer::blocks(self.root(root), 1));
        }
    }

    /// What must be in memory before an inode is taken.
    pub(super) fn needs_inodes(&self, mut needs: impl FnMut(Buffer)) {
        needs(Buffer::blocks(self.root(Root::FreeInodes), 1));
        needs(Buffer::blocks(self.root(Root::Inodes), 1));
    }

    /// Takes blocks, which are free.
    pub(super) fn take(&mut self, block: u64, count: u64, changes: &mut Changes) -> bool {
        self.change(changes, |space, change| space.take(block, count, change))
    }

    /// Gives blocks back.
    pub(super) fn give(&mut self, block: u64, count: u64, changes: &mut Changes) {
        self.change(changes, |space, change| {
            space.give(block, count, change);
            true
        });
    }

    fn change(
        &mut self,
        changes: &mut Changes,
        act: impl FnOnce(&mut Space, &mut SpaceChange) -> bool,
    ) -> bool {
        let mut change = std::mem::take(&mut self.scratch);
        change.by_block.clear();
        change.by_size.clear();
        let done = act(&mut self.space, &mut change);
        if done {
            self.grow_trees(changes);
            let records = self.space.extents();
            let (by_block, by_size) = (self.root(Root::FreeByBlock), self.root(Root::FreeBySize));
            for &record in &change.by_block {
                self.free_by_block.log_record(by_block, record, records, changes);
            }
            for &record in &change.by_size {
                self.free_by_size.log_record(by_size, record, records, changes);
            }
            changes.change(self.header(1), AGF_FIELDS.0, AGF_FIELDS.1);
        }
        self.scratch = change;
        done
    }

    /// Trees of more records than a block holds get leaves, from the group's free space.
    fn grow_trees(&mut self, changes: &mut Changes) {
        let records = self.space.extents();
        let wanted = self.free_by_block.wanted(records) + self.free_by_size.wanted(records);
        for _ in 0..wanted {
            let Some(block) = self.take_for_tree(changes) else { return };
            let both = [&mut self.free_by_block, &mut self.free_by_size];
            if let Some(tree) = both.into_iter().find(|tree| tree.wanted(records) > 0) {
                tree.grow(block);
            }
        }
    }

    /// A block of the free list, which is filled up again (`xfs_alloc_fix_freelist`): the list's sector is logged.
    fn take_for_tree(&mut self, changes: &mut Changes) -> Option<u64> {
        let block = self.space.near(0, 1)?;
        self.space.take(block, 1, &mut SpaceChange::default());
        changes.change(self.header(3), 36, 44);
        changes.change(Buffer::blocks(self.start + block, 1), 0, 4096);
        Some(self.start + block)
    }

    /// Takes an inode, near another of this group where one is named; makes a chunk where none is free.
    pub(super) fn take_inode(&mut self, near: Option<u64>, changes: &mut Changes) -> Option<u64> {
        if self.inodes.free() == 0 {
            self.make_chunk(changes)?;
        }
        let change = self.inodes.take(near).or_else(|| self.inodes.take(None))?;
        self.log_inode(change, changes);
        Some(change.number)
    }

    /// Gives an inode back.
    pub(super) fn give_inode(&mut self, number: u64, changes: &mut Changes) {
        if let Some(change) = self.inodes.give(number) {
            self.log_inode(change, changes);
        }
    }

    /// An inode without a name comes onto its list or goes from it.
    pub(super) fn log_unlinked(&self, number: u64, changes: &mut Changes) {
        let at = AGI_UNLINKED + number % UNLINKED_LISTS * 4;
        changes.change(self.header(2), at, at + 4);
    }

    fn log_inode(&mut self, change: InodeChange, changes: &mut Changes) {
        self.grow_inode_trees(changes);
        let record = RecordChange { index: change.index, moved: false };
        self.inode_tree.log_record(self.root(Root::Inodes), record, self.inodes.chunks(), changes);
        let record = RecordChange { index: change.free_index, moved: change.moved };
        let free = self.inodes.free_chunks().max(1);
        self.free_inode_tree.log_record(self.root(Root::FreeInodes), record, free, changes);
        changes.change(self.header(2), AGI_FREE.0, AGI_FREE.1);
    }

    fn grow_inode_trees(&mut self, changes: &mut Changes) {
        while self.inode_tree.wanted(self.inodes.chunks()) > 0
            && let Some(block) = self.take_for_tree(changes)
        {
            self.inode_tree.grow(block);
        }
        while self.free_inode_tree.wanted(self.inodes.free_chunks()) > 0
            && let Some(block) = self.take_for_tree(changes)
        {
            self.free_inode_tree.grow(block);
        }
    }

    /// Makes 64 inodes behind those made last, or near the tree's root (`xfs_ialloc_ag_alloc`).
    fn make_chunk(&mut self, changes: &mut Changes) -> Option<()> {
        let behind = self.inodes.next_block().filter(|&block| self.space.free_at(block) >= CHUNK_BLOCKS);
        let block = behind
            .or_else(|| self.space.near_aligned(Root::Inodes as u64, CHUNK_BLOCKS, CHUNK_BLOCKS))
            .filter(|_| self.available() >= CHUNK_BLOCKS)?;
        self.take(block, CHUNK_BLOCKS, changes);
        let index = self.inodes.add_chunk(block);
        let chunks = self.inodes.chunks();
        self.inode_tree.log_record(
            self.root(Root::Inodes),
            RecordChange { index, moved: true },
            chunks,
            changes,
        );
        self.free_inode_tree.log_record(
            self.root(Root::FreeInodes),
            RecordChange { index: 0, moved: true },
            self.inodes.free_chunks(),
            changes,
        );
        changes.change(self.header(2), AGI_CHUNK.0, AGI_CHUNK.1);
        changes.created.push(self.start + block);
        Some(())
    }

    /// Takes the root directory's chunk, as mkfs.xfs has it: its inode, and two of realtime devices.
    pub(super) fn make_root(&mut self) -> Option<u64> {
        let mut changes = Changes::default();
        self.make_chunk(&mut changes)?;
        let root = self.inodes.take(None)?.number;
        self.inodes.take(None);
        self.inodes.take(None);
        Some(root)
    }

    /// The first block of the volume of a run of this group.
    pub(super) const fn absolute(&self, block: u64) -> u64 {
        self.start + block
    }

    /// Its number.
    pub(super) const fn number(&self) -> u32 {
        self.number
    }
}

/// The block of the first group's tree of inodes.
pub(super) const fn inode_tree_root() -> u64 {
    Root::Inodes as u64
}

/// The cluster of inodes that an inode of a group lies in.
pub(super) fn cluster(geometry: &Geometry, group: u32, number: u64) -> Buffer {
    let block = number / INODES_PER_BLOCK;
    let first = block / super::geometry::CLUSTER_BLOCKS * super::geometry::CLUSTER_BLOCKS;
    debug_assert!(CHUNK_INODES.is_multiple_of(INODES_PER_BLOCK));
    Buffer::blocks(geometry.group_start(group) + first, 4)
}
