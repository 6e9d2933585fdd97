//! Which blocks of a file lie where: runs of blocks, in leaves as the extent tree of ext4 has them.
//!
//! An ext3 file is kept as extents too, because most of them are few; its indirect blocks are in `indirect.rs`. For
//! ext4 a leaf is a node of the tree (fs/ext4/extents.c): four extents fit into the inode, 340 into a block of 4 KiB,
//! and a leaf that is full is split where the new extent belongs. Index nodes are counted as if each held 340 leaves; a
//! third level of them (beyond 462,400 extents) is left out, as is the tree's shrinking back into the inode before it
//! is empty.

use petrio_persist::Persist;
use petrio_units::numbers::as_number;
use smallvec::SmallVec;

/// Extents of a leaf: (4096 − 12) / 12 (include of fs/ext4/ext4_extents.h).
const LEAF: usize = 340;
/// Extents, or index entries, in the inode.
const IN_INODE: usize = 4;
/// Blocks of an extent of ext4 (EXT_INIT_MAX_LEN).
pub(super) const LONGEST: u32 = 32_768;

/// A run of a file's blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub(super) struct Extent {
    pub(super) first: u64,
    pub(super) block: u64,
    pub(super) count: u32,
    /// Whether it holds no data yet, and reads as zeros.
    pub(super) unwritten: bool,
}

impl Extent {
    pub(super) fn end(&self) -> u64 {
        self.first + u64::from(self.count)
    }

    /// What of it lies in `first .. end`.
    fn within(&self, first: u64, end: u64) -> Self {
        let (from, to) = (self.first.max(first), self.end().min(end));
        let count = as_number(to.saturating_sub(from));
        Self { first: from, block: self.block + (from - self.first), count, ..*self }
    }
}

#[derive(Clone, Debug, Default, Persist)]
struct Leaf {
    /// The block of the volume that holds the leaf; 0 where it is in the inode, or where there is no tree.
    node: u64,
    /// Most files are in one piece, which takes no memory of its own.
    extents: SmallVec<[Extent; 1]>,
}

/// The extents of a file, in order.
#[derive(Clone, Debug, Persist)]
pub(super) struct Extents {
    leaves: SmallVec<[Leaf; 1]>,
    /// Blocks of the index nodes above the leaves.
    index: Vec<u64>,
    longest: u32,
    blocks: u64,
    /// Blocks that hold no data yet.
    unwritten: u64,
    /// Leaves without a node.
    unplaced: u32,
}

impl Extents {
    /// None yet; an extent has at most `longest` blocks.
    pub(super) fn new(longest: u32) -> Self {
        Self { leaves: SmallVec::new(), index: Vec::new(), longest, blocks: 0, unwritten: 0, unplaced: 0 }
    }

    /// Blocks of data.
    pub(super) fn blocks(&self) -> u64 {
        self.blocks
    }

    /// One past the last block that is mapped.
    #[inline]
    pub(super) fn end(&self) -> u64 {
        self.last().map_or(0, Extent::end)
    }

    /// Whether some of it holds no data yet.
    pub(super) fn has_unwritten(&self) -> bool {
        self.unwritten > 0
    }

    #[cfg(test)]
    pub(super) fn iter(&self) -> impl Iterator<Item = &Extent> {
        self.leaves.iter().flat_map(|leaf| leaf.extents.iter())
    }

    #[inline]
    fn last(&self) -> Option<&Extent> {
        self.leaves.last().and_then(|leaf| leaf.extents.last())
    }

    /// Position of the last extent that begins at or before `block`.
    #[inline]
    fn find(&self, block: u64) -> Option<(usize, usize)> {
        let leaf = self.leaves.last()?;
        if let Some(last) = leaf.extents.last()
            && last.first <= block
        {
            return Some((self.leaves.len() - 1, leaf.extents.len() - 1));
        }
        let leaf = match self.leaves.len() {
            1 => 0,
            _ => {
                let begins = |leaf: &Leaf| leaf.extents.first().is_some_and(|extent| extent.first <= block);
                self.leaves.partition_point(begins).checked_sub(1)?
            }
        };
        let at = self.leaves[leaf].extents.partition_point(|extent| extent.first <= block).checked_sub(1)?;
        Some((leaf, at))
    }

    /// The last extent that begins at or before `block`.
    #[inline]
    pub(super) fn before(&self, block: u64) -> Option<&Extent> {
        let (leaf, at) = self.find(block)?;
        self.leaves[leaf].extents.get(at)
    }

    /// The last extent that begins at or before `block`, and the one behind it.
    #[inline]
    pub(super) fn around(&self, block: u64) -> (Option<Extent>, Option<Extent>) {
        match self.find(block) {
            Some((leaf, at)) => {
                let behind = match self.leaves[leaf].extents.get(at + 1) {
                    Some(extent) => Some(*extent),
                    None => self.leaves.get(leaf + 1).and_then(|leaf| leaf.extents.first().copied()),
                };
                (Some(self.leaves[leaf].extents[at]), behind)
            }
            None => (None, self.leaves.first().and_then(|leaf| leaf.extents.first().copied())),
        }
    }

    /// Calls `each` with the extents from the one that holds or follows `first`, until it says false.
    #[inline]
    pub(super) fn walk(&self, first: u64, mut each: impl FnMut(Extent) -> bool) {
        let (mut leaf, mut at) = self.find(first).unwrap_or((0, 0));
        while let Some(of) = self.leaves.get(leaf) {
            while let Some(extent) = of.extents.get(at) {
                if !each(*extent) {
                    return;
                }
                at += 1;
            }
            leaf += 1;
            at = 0;
        }
    }

    /// Adds blocks that lay in a hole; whether they hold no data yet.
    pub(super) fn insert(&mut self, first: u64, block: u64, count: u64, unwritten: bool) {
        self.blocks += count;
        self.unwritten += if unwritten { count } else { 0 };
        // One of no data has a block less (EXT_UNWRITTEN_MAX_LEN).
        let longest = u64::from(self.longest - u32::from(unwritten));
        let mut done = 0;
        while done < count {
            let part = as_number((count - done).min(longest));
            self.insert_one(Extent { first: first + done, block: block + done, count: part, unwritten });
            done += u64::from(part);
        }
    }

    /// Makes what of `first .. end` has blocks hold data from now on, or none; whether that changed anything.
    pub(super) fn mark(&mut self, first: u64, end: u64, unwritten: bool) -> bool {
        let mut others = Vec::new();
        self.walk(first, |extent| {
            if extent.first < end && extent.end() > first && extent.unwritten != unwritten {
                others.push(extent);
            }
            extent.first < end
        });
        for extent in &others {
            let part = extent.within(first, end);
            if part == *extent {
                if let Some((leaf, at)) = self.find(extent.first) {
                    self.leaves[leaf].extents[at].unwritten = unwritten;
                    self.join_around(leaf, at);
                }
            } else {
                self.cut(*extent, first, end);
                self.insert_one(Extent { unwritten, ..part });
            }
            let count = u64::from(part.count);
            self.unwritten = if unwritten { self.unwritten + count } else { self.unwritten - count };
        }
        !others.is_empty()
    }

    /// Takes the blocks of `first .. end` out; tells of them, and of nodes of the tree that become free.
    pub(super) fn punch(
        &mut self,
        (first, end): (u64, u64),
        mut data: impl FnMut(u64, u64),
        mut node: impl FnMut(u64),
    ) {
        let mut gone = Vec::new();
        self.walk(first, |extent| {
            gone.extend((extent.first < end && extent.end() > first).then_some(extent));
            extent.first < end
        });
        for extent in gone {
            let part = extent.within(first, end);
            data(part.block, u64::from(part.count));
            self.blocks -= u64::from(part.count);
            self.unwritten -= if part.unwritten { u64::from(part.count) } else { 0 };
            if part != extent {
                self.cut(extent, first, end);
                continue;
            }
            let Some((leaf, at)) = self.find(extent.first) else { continue };
            self.leaves[leaf].extents.remove(at);
            if self.leaves[leaf].extents.is_empty() {
                match self.leaves.remove(leaf).node {
                    0 => self.unplaced -= 1,
                    block => node(block),
                }
            }
        }
        self.drop_index(node);
    }

    /// Leaves of an extent what lies before `first` and behind `end`, which isn't nothing.
    fn cut(&mut self, extent: Extent, first: u64, end: u64) {
        let Some((leaf, at)) = self.find(extent.first) else { return };
        let (head, tail) = (extent.within(0, first), extent.within(end.max(extent.first), u64::MAX));
        match (head.count, tail.count) {
            (0, _) => self.leaves[leaf].extents[at] = tail,
            (_, 0) => self.leaves[leaf].extents[at] = head,
            _ => {
                self.leaves[leaf].extents[at] = head;
                self.place(leaf, at + 1, tail);
            }
        }
    }

    fn joins(&self, a: &Extent, b: &Extent) -> bool {
        a.end() == b.first
            && a.block + u64::from(a.count) == b.block
            && a.unwritten == b.unwritten
            && a.count + b.count <= self.longest - u32::from(a.unwritten)
    }

    /// Joins an extent with its neighbours in its leaf.
    fn join_around(&mut self, leaf: usize, at: usize) {
        for at in [Some(at), at.checked_sub(1)].into_iter().flatten() {
            let extents = &self.leaves[leaf].extents;
            if let (Some(one), Some(next)) = (extents.get(at), extents.get(at + 1))
                && self.joins(one, next)
            {
                let count = next.count;
                let extents = &mut self.leaves[leaf].extents;
                extents[at].count += count;
                extents.remove(at + 1);
            }
        }
    }

    fn insert_one(&mut self, new: Extent) {
        let Some((leaf, at)) = self.find(new.first) else {
            if self.leaves.is_empty() {
                self.leaves.push(Leaf::default());
                self.unplaced += 1;
            }
            if let Some(next) = self.leaves[0].extents.first()
                && self.joins(&new, next)
            {
                self.leaves[0].extents[0] = Extent { count: new.count + next.count, ..new };
                return;
            }
            self.place(0, 0, new);
            return;
        };
        let extents = &self.leaves[leaf].extents;
        if self.joins(&extents[at], &new) {
            self.leaves[leaf].extents[at].count += new.count;
            self.join_around(leaf, at);
            return;
        }
        if let Some(next) = extents.get(at + 1)
            && self.joins(&new, next)
        {
            self.leaves[leaf].extents[at + 1] = Extent { count: new.count + next.count, ..new };
            return;
        }
        self.place(leaf, at + 1, new);
    }

    /// Puts an extent before the `at`th of a leaf, which is split where it is full.
    fn place(&mut self, leaf: usize, at: usize, new: Extent) {
        if self.leaves[leaf].extents.len() < LEAF {
            self.leaves[leaf].extents.insert(at, new);
            return;
        }
        self.unplaced += 1;
        let behind: SmallVec<[Extent; 1]> = self.leaves[leaf].extents.drain(at..).collect();
        if behind.is_empty() {
            self.leaves.insert(leaf + 1, Leaf { node: 0, extents: SmallVec::from_elem(new, 1) });
        } else {
            self.leaves[leaf].extents.push(new);
            self.leaves.insert(leaf + 1, Leaf { node: 0, extents: behind });
        }
    }

    /// Removes what lies at or behind `from`; tells of the data blocks and of the tree's nodes that become free.
    pub(super) fn truncate(&mut self, from: u64, mut data: impl FnMut(u64, u64), mut node: impl FnMut(u64)) {
        while let Some(leaf) = self.leaves.last_mut() {
            while let Some(last) = leaf.extents.last_mut() {
                if last.end() <= from {
                    break;
                }
                let kept = as_number(from.saturating_sub(last.first));
                let count = last.count - kept;
                data(last.block + u64::from(kept), u64::from(count));
                self.blocks -= u64::from(count);
                self.unwritten -= if last.unwritten { u64::from(count) } else { 0 };
                if kept > 0 {
                    last.count = kept;
                    break;
                }
                leaf.extents.pop();
            }
            if !leaf.extents.is_empty() {
                break;
            }
            match leaf.node {
                0 => self.unplaced -= 1,
                block => node(block),
            }
            self.leaves.pop();
        }
        self.drop_index(node);
    }

    /// Gives back nodes above leaves that aren't needed any more.
    fn drop_index(&mut self, mut node: impl FnMut(u64)) {
        let needed = self.index_needed();
        while self.index.len() > needed {
            if let Some(block) = self.index.pop() {
                node(block);
            }
        }
    }

    fn index_needed(&self) -> usize {
        if self.leaves.len() <= IN_INODE { 0 } else { self.leaves.len().div_ceil(LEAF) }
    }

    /// Nodes of the tree that still need a block on the volume. The first one found gets `block`.
    pub(super) fn give_node(&mut self, block: u64) {
        let unplaced = self.unplaced > 0;
        if let Some(leaf) = self.leaves.iter_mut().rev().find(|leaf| unplaced && leaf.node == 0) {
            leaf.node = block;
            self.unplaced -= 1;
        } else {
            self.index.push(block);
        }
    }

    /// How many blocks the tree needs beyond those it has.
    #[inline]
    pub(super) fn nodes_missing(&self) -> usize {
        match self.leaves.as_slice() {
            [] => 0,
            [only] => usize::from(only.node == 0 && only.extents.len() > IN_INODE),
            _ => self.unplaced as usize + self.index_needed().saturating_sub(self.index.len()),
        }
    }

    /// How many nodes another extent at `block` might add, at most.
    #[inline]
    pub(super) fn nodes_to_come(&self, block: u64) -> usize {
        let full = match self.leaves.as_slice() {
            [] => return 0,
            [only] if only.node == 0 => only.extents.len() >= IN_INODE,
            leaves => leaves[self.find(block).map_or(0, |(leaf, _)| leaf)].extents.len() >= LEAF,
        };
        if full { 2 } else { 0 }
    }

    /// The nodes above `block`, from the top: the index node and the leaf, where there are such.
    #[inline]
    pub(super) fn nodes_above(&self, block: u64) -> (Option<u64>, Option<u64>) {
        if self.leaves.len() <= 1 && self.leaves.first().is_none_or(|leaf| leaf.node == 0) {
            return (None, None);
        }
        let leaf = self.find(block).map_or(0, |(leaf, _)| leaf);
        let node = self.leaves[leaf].node;
        (self.index.get(leaf / LEAF).copied(), (node != 0).then_some(node))
    }

    /// The leaves (as nodes) from the one that holds `first`: file block from which each is needed, index node, leaf.
    pub(super) fn nodes(&self, first: u64, end: u64, mut each: impl FnMut(u64, Option<u64>, u64)) {
        let mut leaf = self.find(first).map_or(0, |(leaf, _)| leaf);
        while let Some(of) = self.leaves.get(leaf) {
            let from = of.extents.first().map_or(0, |extent| extent.first);
            if from >= end || of.node == 0 {
                return;
            }
            each(from.max(first), self.index.get(leaf / LEAF).copied(), of.node);
            leaf += 1;
        }
    }

    /// All blocks of the tree.
    pub(super) fn all_nodes(&self) -> impl Iterator<Item = u64> {
        self.index.iter().copied().chain(self.leaves.iter().map(|leaf| leaf.node).filter(|&node| node != 0))
    }
}
