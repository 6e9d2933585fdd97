//! A directory's form: in its inode, in one block, with a leaf, with a tree of leaves; and what a change of an entry changes where.
//!
//! After fs/xfs/libxfs/xfs_dir2*.c and xfs_da_btree.c of Linux 6.18, blocks of 4 KiB with checksums and file types. Names are taken to be
//! of ten bytes. The place of an entry's hash in its leaf is guessed from its value; leaves split in halves. Left out: a tree of more
//! than one level above its leaves in its own blocks, and directories that shrink from a tree to one leaf.

use petrio_persist::Persist;
use std::collections::BTreeSet;

/// Bytes of a name: what the operations of a measured directory fit (18 names in an inode, the nineteenth not).
const NAME_BYTES: u64 = 10;

/// In the inode: a header, and for each entry its name, two lengths, a type and a number of four bytes (`struct xfs_dir2_sf_entry`).
const SHORT_HEADER: u64 = 6;
const SHORT_ENTRY: u64 = NAME_BYTES + 8;
const SHORT_MOST: u64 = 336;

/// In a data block: a header (`struct xfs_dir3_data_hdr`), `.` and `..` in the first, and entries in multiples of eight bytes.
const DATA_HEADER: u64 = 64;
const DOTS: u64 = 32;
const ENTRY: u64 = (NAME_BYTES + 12).next_multiple_of(8);
const FIRST_ENTRIES: u64 = (BLOCK - DATA_HEADER - DOTS) / ENTRY;
const ENTRIES: u64 = (BLOCK - DATA_HEADER) / ENTRY;

/// A hash and where its entry is (`struct xfs_dir2_leaf_entry`); a leaf's header, and what ends a block or a leaf.
const LEAF_ENTRY: u64 = 8;
const LEAF_HEADER: u64 = 64;
const TAIL: u64 = 8;
const LEAF_ENTRIES: u64 = (BLOCK - LEAF_HEADER) / LEAF_ENTRY;

/// Entries that fit into a directory of one block, whose leaf lies at its end.
const BLOCK_ENTRIES: u64 = (BLOCK - DATA_HEADER - DOTS - 2 * LEAF_ENTRY - TAIL) / (ENTRY + LEAF_ENTRY);

/// Entries with one leaf beside the data blocks, whose free room it knows in two bytes each.
const ONE_LEAF_ENTRIES: u64 = LEAF_ENTRIES - 2 - 8;

const BLOCK: u64 = 4096;

/// Where leaves and the index of free room lie in a directory (XFS_DIR2_LEAF_OFFSET, XFS_DIR2_FREE_OFFSET: 32 and 64 GiB).
pub(super) const LEAF_BLOCK: u64 = (32 << 30) / BLOCK;
/// The index of free room.
pub(super) const FREE_BLOCK: u64 = (64 << 30) / BLOCK;

/// How its entries lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub(super) enum Form {
    /// In the inode.
    Short,
    /// In one block.
    Block,
    /// Data blocks and one leaf.
    Leaf,
    /// Data blocks, a node above leaves, an index of free room.
    Node,
}

/// What a change of an entry changes: bytes of blocks of the directory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct DirectoryChange {
    /// Blocks of the directory that are new.
    pub grown: Vec<u64>,
    /// Blocks that it no longer has.
    pub shrunk: Vec<u64>,
    /// A block of the directory and the bytes `from .. to` of it.
    pub bytes: Vec<(u64, u64, u64)>,
}

/// A directory.
#[derive(Clone, Debug, Persist)]
pub(super) struct Directory {
    form: Form,
    entries: u64,
    /// Places of entries that were removed, and the first that was never used.
    free: BTreeSet<u32>,
    next: u32,
    /// Data blocks.
    blocks: u64,
    /// Each leaf's first hash and its entries, in order.
    leaves: Vec<(u32, u64)>,
}

impl Default for Directory {
    fn default() -> Self {
        Self {
            form: Form::Short,
            entries: 0,
            free: BTreeSet::new(),
            next: 0,
            blocks: 0,
            leaves: vec![(0, 0)],
        }
    }
}

impl Directory {
    /// How its entries lie.
    #[cfg(test)]
    pub(super) const fn form(&self) -> Form {
        self.form
    }

    /// Entries without `.` and `..`.
    #[must_use]
    pub(super) const fn entries(&self) -> u64 {
        self.entries
    }

    /// Data blocks.
    #[must_use]
    pub(super) const fn blocks(&self) -> u64 {
        self.blocks
    }

    /// Bytes that it has in its inode, where it lies there.
    #[must_use]
    pub(super) const fn inline_bytes(&self) -> Option<u64> {
        match self.form {
            Form::Short => Some(SHORT_HEADER + self.entries * SHORT_ENTRY),
            _ => None,
        }
    }

    /// Blocks of the directory that must be in memory to find a name of this hash, whose entry is at a place where there is one.
    pub(super) fn look_up(&self, hash: u32, place: Option<u32>, mut needs: impl FnMut(u64)) {
        match self.form {
            Form::Short => {}
            Form::Block => needs(0),
            Form::Leaf => needs(LEAF_BLOCK),
            Form::Node => {
                needs(LEAF_BLOCK);
                needs(LEAF_BLOCK + 1 + self.leaf_of(hash) as u64);
            }
        }
        if let (Form::Leaf | Form::Node, Some(place)) = (self.form, place) {
            needs(Self::data_block(place));
        }
    }

    /// Adds an entry; its place.
    pub(super) fn insert(&mut self, hash: u32, change: &mut DirectoryChange) -> u32 {
        let place = self.free.pop_first().unwrap_or_else(|| {
            self.next += 1;
            self.next - 1
        });
        self.entries += 1;
        let at = self.leaf_of(hash);
        self.leaves[at].1 += 1;
        match self.form {
            Form::Short if SHORT_HEADER + self.entries * SHORT_ENTRY <= SHORT_MOST => return place,
            Form::Short => self.make_block(change),
            Form::Block if self.entries <= BLOCK_ENTRIES && u64::from(self.next) <= FIRST_ENTRIES => {
                self.change_entry(place, change);
                self.change_block_leaf(hash, change);
            }
            Form::Block => {
                self.make_leaf(change);
                self.fill(place, change);
            }
            Form::Leaf if self.entries <= ONE_LEAF_ENTRIES - self.blocks / 4 => {
                self.fill(place, change);
                self.change_leaf(LEAF_BLOCK, hash, change);
            }
            Form::Leaf => {
                self.make_node(change);
                self.fill(place, change);
            }
            Form::Node => {
                self.fill(place, change);
                self.change_node(hash, change);
            }
        }
        place
    }

    /// Takes an entry out.
    pub(super) fn remove(&mut self, hash: u32, place: u32, change: &mut DirectoryChange) {
        self.entries -= 1;
        self.free.insert(place);
        let at = self.leaf_of(hash);
        self.leaves[at].1 = self.leaves[at].1.saturating_sub(1);
        match self.form {
            Form::Short => {}
            Form::Block if SHORT_HEADER + self.entries * SHORT_ENTRY <= SHORT_MOST => {
                (self.form, self.blocks) = (Form::Short, 0);
                change.shrunk.push(0);
            }
            Form::Block => {
                self.change_entry(place, change);
                // The leaf's entry says that there is none, and the tail counts it.
                self.change_block_leaf(hash, change);
            }
            Form::Leaf => {
                self.change_entry(place, change);
                self.mark_stale(LEAF_BLOCK, hash, change);
            }
            Form::Node => {
                self.change_entry(place, change);
                let leaf = LEAF_BLOCK + 1 + self.leaf_of(hash) as u64;
                self.mark_stale(leaf, hash, change);
                self.change_free(Self::data_block(place), change);
            }
        }
    }

    /// An entry points to another inode.
    pub(super) fn replace(&self, place: u32, change: &mut DirectoryChange) {
        if self.form != Form::Short {
            let (block, at) = Self::place(place);
            change.bytes.push((block, at, at + 8));
        }
    }

    fn data_block(place: u32) -> u64 {
        Self::place(place).0
    }

    fn place(place: u32) -> (u64, u64) {
        let place = u64::from(place);
        match place.checked_sub(FIRST_ENTRIES) {
            None => (0, DATA_HEADER + DOTS + place * ENTRY),
            Some(rest) => (1 + rest / ENTRIES, DATA_HEADER + rest % ENTRIES * ENTRY),
        }
    }

    fn leaf_of(&self, hash: u32) -> usize {
        self.leaves.partition_point(|&(first, _)| first <= hash).saturating_sub(1)
    }

    /// Where in its leaf a hash stands, of how many: guessed from its value.
    fn rank(&self, hash: u32) -> (u64, u64) {
        let at = self.leaf_of(hash);
        let (first, entries) = self.leaves[at];
        let end = self.leaves.get(at + 1).map_or(1 << 32, |&(first, _)| u64::from(first));
        let (value, range) = (u64::from(hash - first), (end - u64::from(first)).max(1));
        (value * entries / range, entries)
    }

    /// The entry, the room behind it, and the header, which knows the largest free pieces.
    fn change_entry(&self, place: u32, change: &mut DirectoryChange) {
        let (block, at) = Self::place(place);
        change.bytes.push((block, 0, DATA_HEADER));
        change.bytes.push((block, at, (at + ENTRY + 8).min(BLOCK)));
    }

    /// An entry in a data block that may be new.
    fn fill(&mut self, place: u32, change: &mut DirectoryChange) {
        let block = Self::data_block(place);
        if block >= self.blocks {
            self.blocks = block + 1;
            change.grown.push(block);
            // The first entry and one free piece behind it, up to its tag at the block's end.
            change.bytes.push((block, BLOCK - 8, BLOCK));
        }
        self.change_entry(place, change);
    }

    fn change_block_leaf(&self, hash: u32, change: &mut DirectoryChange) {
        let (rank, entries) = self.rank(hash);
        let first = BLOCK - TAIL - (entries + 2) * LEAF_ENTRY;
        change.bytes.push((0, first, first + (rank + 1) * LEAF_ENTRY));
        change.bytes.push((0, BLOCK - TAIL, BLOCK));
    }

    fn change_leaf(&self, block: u64, hash: u32, change: &mut DirectoryChange) {
        let (rank, entries) = self.rank(hash);
        change.bytes.push((block, 0, LEAF_HEADER));
        let begin = LEAF_HEADER + rank * LEAF_ENTRY;
        change.bytes.push((
            block,
            begin,
            (LEAF_HEADER + entries * LEAF_ENTRY).max(begin + LEAF_ENTRY).min(BLOCK),
        ));
        if self.form == Form::Leaf {
            change.bytes.push((block, BLOCK - 4 - self.blocks * 2, BLOCK));
        }
    }

    fn mark_stale(&self, block: u64, hash: u32, change: &mut DirectoryChange) {
        let at = LEAF_HEADER + self.rank(hash).0 * LEAF_ENTRY;
        change.bytes.push((block, 0, LEAF_HEADER));
        change.bytes.push((block, at, at + LEAF_ENTRY));
        if self.form == Form::Leaf {
            change.bytes.push((block, BLOCK - 4 - self.blocks * 2, BLOCK));
        }
    }

    fn change_free(&self, data: u64, change: &mut DirectoryChange) {
        let at = LEAF_HEADER + data % 2_016 * 2;
        change.bytes.push((FREE_BLOCK + data / 2_016, 0, LEAF_HEADER));
        change.bytes.push((FREE_BLOCK + data / 2_016, at, at + 2));
    }

    fn make_block(&mut self, change: &mut DirectoryChange) {
        (self.form, self.blocks) = (Form::Block, 1);
        change.grown.push(0);
        let entries = self.entries + 2;
        change.bytes.push((0, 0, DATA_HEADER + DOTS + u64::from(self.next) * ENTRY));
        change.bytes.push((0, BLOCK - TAIL - entries * LEAF_ENTRY, BLOCK));
    }

    fn make_leaf(&mut self, change: &mut DirectoryChange) {
        self.form = Form::Leaf;
        change.grown.push(LEAF_BLOCK);
        let entries = self.entries + 2;
        change.bytes.push((LEAF_BLOCK, 0, LEAF_HEADER + entries * LEAF_ENTRY));
        change.bytes.push((LEAF_BLOCK, BLOCK - 8, BLOCK));
        // What was the block's leaf is free room.
        change.bytes.push((0, BLOCK - TAIL - entries * LEAF_ENTRY, BLOCK));
    }

    fn make_node(&mut self, change: &mut DirectoryChange) {
        self.form = Form::Node;
        change.grown.push(FREE_BLOCK);
        change.bytes.push((FREE_BLOCK, 0, LEAF_HEADER + self.blocks * 2));
        change.grown.push(LEAF_BLOCK + 1);
        change.bytes.push((LEAF_BLOCK, 0, LEAF_HEADER + 8));
        self.split(0, change);
    }

    fn change_node(&mut self, hash: u32, change: &mut DirectoryChange) {
        let at = self.leaf_of(hash);
        let leaf = LEAF_BLOCK + 1 + at as u64;
        self.change_leaf(leaf, hash, change);
        self.change_free(self.blocks - 1, change);
        if self.leaves[at].1 > LEAF_ENTRIES {
            self.split(at, change);
        }
    }

    /// A leaf becomes two of half its entries; both are logged as they are then.
    fn split(&mut self, at: usize, change: &mut DirectoryChange) {
        let (first, entries) = self.leaves[at];
        let end = self.leaves.get(at + 1).map_or(1 << 32, |&(first, _)| u64::from(first));
        let middle = u32::try_from(u64::midpoint(u64::from(first), end)).unwrap_or(u32::MAX);
        self.leaves[at].1 = entries / 2;
        self.leaves.insert(at + 1, (middle, entries - entries / 2));
        let new = LEAF_BLOCK + self.leaves.len() as u64;
        change.grown.push(new);
        let half = LEAF_HEADER + entries.div_ceil(2) * LEAF_ENTRY;
        change.bytes.push((LEAF_BLOCK + 1 + at as u64, 0, half));
        change.bytes.push((new, 0, half));
        change.bytes.push((LEAF_BLOCK, 0, LEAF_HEADER + self.leaves.len() as u64 * 8));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(entries: u64) -> Directory {
        let mut directory = Directory::default();
        for at in 0..entries {
            let hash = u32::try_from(at * 2_654_435_761 % (1 << 32)).unwrap_or(0);
            directory.insert(hash, &mut DirectoryChange::default());
        }
        directory
    }

    /// `list_dir_*` and `stat_*` of ops.csv: 10 entries need no block, 100 one, 1,000 six data blocks, a node and three leaves.
    #[test]
    fn forms_are_those_of_the_measured_directories() {
        assert_eq!(
            (filled(10).form(), filled(100).form(), filled(1_000).form()),
            (Form::Short, Form::Block, Form::Node)
        );
        assert_eq!((filled(1_000).blocks(), filled(100).blocks()), (6, 1));
        let mut read = Vec::new();
        filled(1_000).look_up(7, None, |block| read.push(block));
        assert_eq!(read.len(), 2, "a node and a leaf");
    }

    #[test]
    fn eighteen_names_fit_an_inode() {
        assert_eq!((filled(18).form(), filled(19).form()), (Form::Short, Form::Block));
        assert_eq!((filled(124).form(), filled(125).form()), (Form::Block, Form::Leaf));
    }

    #[test]
    fn what_is_removed_makes_room_again() {
        let mut directory = filled(100);
        let mut change = DirectoryChange::default();
        for place in 0..90 {
            change = DirectoryChange::default();
            directory.remove(5, place, &mut change);
        }
        assert_eq!((directory.form(), directory.entries()), (Form::Short, 10));
        assert!(change.shrunk.is_empty(), "it was short before the last");
        assert_eq!(directory.insert(9, &mut change), 0, "the lowest place");
    }

    #[test]
    fn an_entry_changes_its_block_alone() {
        let mut directory = filled(3_000);
        let mut change = DirectoryChange::default();
        directory.insert(77, &mut change);
        let blocks: BTreeSet<u64> = change.bytes.iter().map(|(block, _, _)| *block).collect();
        assert_eq!(blocks.len(), 3, "data, leaf, free room: {blocks:?}");
    }
}
