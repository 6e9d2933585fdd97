//! The entries of a directory, by the block that holds them.
//!
//! After fs/ext4/namei.c: a directory begins as one block, filled in order. With `dir_index` the second block makes it
//! a hashed tree: block 0 becomes the root of the index, the entries go into leaves by the hash of their name, and a
//! full leaf is split in the middle of its hashes. Without, the first block with room takes an entry, and a look-up
//! reads block after block. Names are stood for by a hash of the file's number; all have the same length. A directory
//! never shrinks. Leaves out a third level of the index (beyond 259,588 leaves) and gaps between names of different
//! lengths.

use petrio_colours::FileId;
use petrio_persist::Persist;

/// Leaves that the root of an index points to: (4096 − 32) / 8, where 32 bytes are for `.`, `..` and the root's own
/// data.
const ROOT_ENTRIES: usize = 508;
/// Leaves that another index block points to: (4096 − 8) / 8.
const NODE_ENTRIES: usize = 511;

#[derive(Clone, Debug, Persist)]
struct Leaf {
    /// The smallest hash that belongs here.
    from: u32,
    /// Which block of the directory.
    block: u32,
    entries: Vec<(u32, FileId)>,
}

/// How many entries fit into a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Room {
    /// Bytes of an entry.
    pub(super) entry: u32,
    /// Bytes at a block's end that a checksum takes.
    pub(super) tail: u32,
    pub(super) hashed: bool,
}

impl Room {
    fn leaf(self) -> usize {
        ((4096 - self.tail) / self.entry) as usize
    }

    /// In the first block there are also `.` and `..`, 12 bytes each.
    fn first(self) -> usize {
        ((4096 - self.tail - 24) / self.entry) as usize
    }
}

/// A directory.
#[derive(Clone, Debug, Persist)]
pub(super) struct Directory {
    leaves: Vec<Leaf>,
    /// Whether block 0 is the root of an index.
    indexed: bool,
    /// Second-level index blocks.
    nodes: Vec<u32>,
    blocks: u32,
    entries: u64,
    /// Entries of the file system's own: lost+found.
    own: usize,
}

/// What an entry's coming or going changes: blocks of the directory.
#[derive(Clone, Debug, Default, PartialEq, Eq, Persist)]
pub(super) struct Change {
    pub(super) read: Vec<u32>,
    pub(super) changed: Vec<u32>,
}

impl Directory {
    pub(super) fn new(own: usize) -> Self {
        let first = Leaf { from: 0, block: 0, entries: Vec::new() };
        Self { leaves: vec![first], indexed: false, nodes: Vec::new(), blocks: 1, entries: 0, own }
    }

    pub(super) fn entries(&self) -> u64 {
        self.entries
    }

    pub(super) fn blocks(&self) -> u32 {
        self.blocks
    }

    /// The leaf for a hash.
    fn leaf(&self, hash: u32) -> usize {
        self.leaves.partition_point(|leaf| leaf.from <= hash).saturating_sub(1)
    }

    /// Calls `each` with the blocks that are read to find a leaf, from the index's root to the leaf itself.
    fn path(&self, leaf: usize, mut each: impl FnMut(u32)) {
        if self.indexed {
            each(0);
            if let Some(&node) = self.nodes.get(leaf / NODE_ENTRIES) {
                each(node);
            }
            each(self.leaves[leaf].block);
        } else {
            self.leaves[..=leaf].iter().for_each(|leaf| each(leaf.block));
        }
    }

    /// Where an entry is.
    fn find(&self, hash: u32, file: FileId) -> Option<(usize, usize)> {
        let among = if self.indexed {
            let leaf = self.leaf(hash);
            leaf..leaf + 1
        } else {
            0..self.leaves.len()
        };
        among.into_iter().find_map(|leaf| {
            let entries = &self.leaves[leaf].entries;
            entries.iter().rposition(|&other| other == (hash, file)).map(|at| (leaf, at))
        })
    }

    /// Calls `each` with the blocks that a look-up reads; of a name that isn't there, those that show it.
    pub(super) fn look_up(&self, hash: u32, file: FileId, each: impl FnMut(u32)) {
        let last = self.leaves.len() - 1;
        let missing = if self.indexed { self.leaf(hash) } else { last };
        let leaf = self.find(hash, file).map_or(missing, |(leaf, _)| leaf);
        self.path(leaf, each);
    }

    /// Calls `each` with its blocks in the order in which listing it reads them.
    pub(super) fn listed(&self, mut each: impl FnMut(u32)) {
        if self.indexed {
            each(0);
        }
        let leaves = self.leaves.iter().enumerate();
        leaves.for_each(|(at, leaf)| {
            if at.is_multiple_of(NODE_ENTRIES) {
                self.nodes.get(at / NODE_ENTRIES).into_iter().for_each(|&node| each(node));
            }
            each(leaf.block);
        });
    }

    /// Removes an entry; the block that it was in.
    pub(super) fn remove(&mut self, hash: u32, file: FileId) -> Option<u32> {
        let (leaf, at) = self.find(hash, file)?;
        self.leaves[leaf].entries.swap_remove(at);
        self.entries -= 1;
        Some(self.leaves[leaf].block)
    }

    /// Lets an entry point to another file (ext4_setent); the block that it is in.
    pub(super) fn replace(&mut self, hash: u32, old: FileId, new: FileId) -> Option<u32> {
        let (leaf, at) = self.find(hash, old)?;
        self.leaves[leaf].entries[at].1 = new;
        Some(self.leaves[leaf].block)
    }

    /// Blocks that an entry would add to the directory, at most.
    pub(super) fn growth(&self, hash: u32, room: Room) -> u32 {
        if self.indexed {
            u32::from(self.leaves[self.leaf(hash)].entries.len() >= room.leaf()) * 3
        } else if self
            .leaves
            .iter()
            .enumerate()
            .any(|(at, leaf)| leaf.entries.len() < self.capacity(at, room))
        {
            0
        } else {
            3
        }
    }

    fn capacity(&self, leaf: usize, room: Room) -> usize {
        if self.indexed || leaf > 0 { room.leaf() } else { room.first().saturating_sub(self.own) }
    }

    /// Adds an entry; `change` tells which blocks were changed, new ones (from the old number of blocks on) among them.
    pub(super) fn insert(&mut self, hash: u32, file: FileId, room: Room, change: &mut Change) {
        change.read.clear();
        change.changed.clear();
        self.entries += 1;
        if !self.indexed {
            let free =
                (0..self.leaves.len()).find(|&at| self.leaves[at].entries.len() < self.capacity(at, room));
            if let Some(leaf) = free {
                self.path(leaf, |block| change.read.push(block));
                change.changed.push(self.leaves[leaf].block);
                self.leaves[leaf].entries.push((hash, file));
                return;
            }
            self.path(self.leaves.len() - 1, |block| change.read.push(block));
            if !room.hashed {
                let block = self.add_block(change);
                self.leaves.push(Leaf { from: 0, block, entries: vec![(hash, file)] });
                return;
            }
            // make_indexed_dir: the entries move to a block of their own, and block 0 becomes the root.
            self.leaves[0].block = self.add_block(change);
            self.indexed = true;
            change.changed.push(0);
        } else {
            self.path(self.leaf(hash), |block| change.read.push(block));
        }
        let mut leaf = self.leaf(hash);
        if self.leaves[leaf].entries.len() >= room.leaf() || change.changed.contains(&0) {
            leaf = self.split(leaf, hash, change);
        }
        let block = self.leaves[leaf].block;
        if !change.changed.contains(&block) {
            change.changed.push(block);
        }
        self.leaves[leaf].entries.push((hash, file));
    }

    fn add_block(&mut self, change: &mut Change) -> u32 {
        let block = self.blocks;
        self.blocks += 1;
        change.changed.push(block);
        block
    }

    /// Splits a leaf in the middle of its hashes (do_split); the half to which `hash` belongs.
    fn split(&mut self, leaf: usize, hash: u32, change: &mut Change) -> usize {
        let block = self.add_block(change);
        let entries = &mut self.leaves[leaf].entries;
        entries.sort_unstable();
        // Equal hashes stay together, or a look-up would miss some of them.
        let middle = entries.get(entries.len() / 2).map_or(0, |&(hash, _)| hash);
        let below = entries.partition_point(|&(hash, _)| hash < middle);
        let at = if below > 0 { below } else { entries.partition_point(|&(hash, _)| hash <= middle) };
        let upper = entries.split_off(at);
        let from = upper.first().map_or(u32::MAX, |&(hash, _)| hash);
        let old = self.leaves[leaf].block;
        self.leaves.insert(leaf + 1, Leaf { from, block, entries: upper });
        let needed =
            if self.leaves.len() <= ROOT_ENTRIES { 0 } else { self.leaves.len().div_ceil(NODE_ENTRIES) };
        while self.nodes.len() < needed {
            let node = self.add_block(change);
            self.nodes.push(node);
        }
        let node = self.nodes.get(leaf / NODE_ENTRIES).copied().unwrap_or(0);
        for touched in [node, old] {
            if !change.changed.contains(&touched) {
                change.changed.push(touched);
            }
        }
        if hash >= from { leaf + 1 } else { leaf }
    }
}
