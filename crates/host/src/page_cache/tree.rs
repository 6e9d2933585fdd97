//! The pages of a file by index: a tree of nodes with 64 slots each, with bits that say of what kind the pages below are.
//!
//! This is the kernel's own structure (lib/xarray.c; the radix tree before), and for the same reasons: memory goes with the
//! pages that are there, not with the size of the file, and the next dirty page is found by looking at bits.

use petrio_persist::Persist;
use petrio_units::numbers::{as_index, as_number};

/// No node, no folio.
pub(super) const NONE: u32 = u32::MAX;

/// Folios up to this order have all their leaves under one parent: 4,096 pages.
pub(super) const LARGEST_ORDER: u32 = 12;

/// Pages that a node of this level covers by one of its slots times 64: `span(0)` is the pages of a leaf.
pub(super) const fn span(level: u8) -> u64 {
    // A tree over all 2^64 indices has eleven levels; the topmost then covers everything.
    let shift = 6 * (level as u32 + 1);
    if shift >= 64 { u64::MAX } else { 1 << shift }
}

/// Kinds of pages. The first three are kept in inner nodes too: whether a child has any.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bits {
    /// There is a page; in an inner node, a child.
    Present,
    /// It has to be written.
    Dirty,
    /// It is being written.
    Writeback,
    /// It may be read.
    Uptodate,
    /// It is the first of a folio that carries the read-ahead marker.
    Marker,
    /// It is mapped into a process.
    Mapped,
    /// There is no page, but the slot remembers when one was evicted.
    Shadow,
}

const KINDS: usize = 7;

/// A node.
#[derive(Clone, Debug, Persist)]
pub(super) struct Node {
    slots: [u32; 64],
    bits: [u64; KINDS],
    first: u64,
    parent: u32,
    file: u32,
    /// Neighbours in the list of leaves that only remember evictions.
    pub(super) shadow_links: Option<(u32, u32)>,
    position: u8,
    level: u8,
}

impl Node {
    pub(super) fn bits(&self, kind: Bits) -> u64 {
        self.bits[kind as usize]
    }

    pub(super) fn slot(&self, slot: u64) -> u32 {
        self.slots[as_index(slot)]
    }

    /// Index of its first page.
    pub(super) fn first(&self) -> u64 {
        self.first
    }

    /// Number of the file.
    pub(super) fn file(&self) -> u32 {
        self.file
    }

    /// The slot through which the way to this page leads; 64 or more where it is behind this node.
    fn slot_of(&self, index: u64) -> u64 {
        (index - self.first) >> (6 * u32::from(self.level))
    }

    fn covers(&self, index: u64) -> bool {
        index >= self.first && index - self.first < span(self.level)
    }
}

/// All nodes of all files.
#[derive(Clone, Debug, Default, Persist)]
pub(super) struct Tree {
    nodes: Vec<Node>,
    free: Vec<u32>,
}

impl Tree {
    pub(super) fn node(&self, id: u32) -> &Node {
        &self.nodes[id as usize]
    }

    pub(super) fn node_mut(&mut self, id: u32) -> &mut Node {
        &mut self.nodes[id as usize]
    }

    /// The leaf with a slot for this page.
    pub(super) fn leaf(&self, root: u32, index: u64) -> Option<u32> {
        if root == NONE || !self.node(root).covers(index) {
            return None;
        }
        let mut id = root;
        loop {
            let node = self.node(id);
            if node.level == 0 {
                return Some(id);
            }
            let slot = node.slot_of(index);
            if node.bits(Bits::Present) & (1 << slot) == 0 {
                return None;
            }
            id = node.slot(slot);
        }
    }

    /// The leaf with a slot for this page, made where there is none.
    pub(super) fn leaf_or_new(&mut self, root: &mut u32, file: u32, index: u64) -> u32 {
        if *root == NONE {
            let mut level = 0;
            while index >= span(level) {
                level += 1;
            }
            *root = self.allocate(file, level, 0, NONE, 0);
        }
        while !self.node(*root).covers(index) {
            let level = self.node(*root).level + 1;
            let new = self.allocate(file, level, 0, NONE, 0);
            for kind in [Bits::Present, Bits::Dirty, Bits::Writeback] {
                let any = kind == Bits::Present || self.node(*root).bits(kind) != 0;
                self.node_mut(new).bits[kind as usize] = u64::from(any);
            }
            self.node_mut(new).slots[0] = *root;
            self.node_mut(*root).parent = new;
            *root = new;
        }
        let mut id = *root;
        loop {
            let node = self.node(id);
            if node.level == 0 {
                return id;
            }
            let slot = node.slot_of(index);
            if node.bits(Bits::Present) & (1 << slot) != 0 {
                id = node.slot(slot);
                continue;
            }
            let (level, first) = (node.level - 1, node.first + (slot << (6 * u32::from(node.level))));
            #[expect(clippy::cast_possible_truncation, reason = "a node has 64 slots")]
            let child = self.allocate(file, level, first, id, slot as u8);
            let node = self.node_mut(id);
            node.slots[as_index(slot)] = child;
            node.bits[Bits::Present as usize] |= 1 << slot;
            id = child;
        }
    }

    /// The leaf `steps` leaves behind this one, under the same parent: of a folio that lies over several leaves.
    pub(super) fn sibling(&self, leaf: u32, steps: u64) -> u32 {
        if steps == 0 {
            return leaf;
        }
        let node = self.node(leaf);
        self.node(node.parent).slot(u64::from(node.position) + steps)
    }

    /// The first leaf that holds pages at `from` or behind.
    pub(super) fn next_leaf(&self, root: u32, from: u64) -> Option<u32> {
        self.next(root, Bits::Present, from, true).map(|(leaf, _)| leaf)
    }

    /// The first page at `from` or behind of this kind.
    pub(super) fn next_page(&self, root: u32, kind: Bits, from: u64) -> Option<u64> {
        self.next(root, kind, from, false).map(|(_, index)| index)
    }

    /// Follows the bits of a kind to the next page, or only to the next leaf on the way.
    fn next(&self, root: u32, kind: Bits, from: u64, to_leaf: bool) -> Option<(u32, u64)> {
        if root == NONE || !self.node(root).covers(from) {
            return None;
        }
        let mut id = root;
        let mut from = from;
        loop {
            let node = self.node(id);
            if to_leaf && node.level == 0 {
                return Some((id, from));
            }
            let slot = node.slot_of(from);
            let bits = if slot >= 64 { 0 } else { node.bits(kind) & (u64::MAX << slot) };
            if bits == 0 {
                from = node.first.checked_add(span(node.level))?;
                id = node.parent;
                if id == NONE {
                    return None;
                }
                continue;
            }
            let found = u64::from(bits.trailing_zeros());
            let first = node.first + (found << (6 * u32::from(node.level)));
            from = from.max(first);
            if node.level == 0 {
                return Some((id, from));
            }
            id = node.slot(found);
        }
    }

    /// What a slot of a leaf holds: a folio, or the time of an eviction.
    pub(super) fn set_slot(&mut self, leaf: u32, slot: u64, value: u32) {
        self.node_mut(leaf).slots[as_index(slot)] = value;
    }

    /// Sets bits of a leaf, and those above.
    pub(super) fn set(&mut self, leaf: u32, kind: Bits, mask: u64) {
        let node = &mut self.nodes[leaf as usize];
        let before = node.bits[kind as usize];
        node.bits[kind as usize] = before | mask;
        if before != 0 || mask == 0 || !matches!(kind, Bits::Dirty | Bits::Writeback) {
            return;
        }
        let (mut parent, mut position) = (node.parent, node.position);
        while parent != NONE {
            let node = &mut self.nodes[parent as usize];
            let before = node.bits[kind as usize];
            node.bits[kind as usize] = before | 1 << position;
            if before != 0 {
                return;
            }
            (parent, position) = (node.parent, node.position);
        }
    }

    /// Clears bits of a leaf, and those above where nothing is left below. Nodes stay: see [`Self::release`].
    pub(super) fn clear(&mut self, leaf: u32, kind: Bits, mask: u64) {
        let node = &mut self.nodes[leaf as usize];
        let before = node.bits[kind as usize];
        node.bits[kind as usize] = before & !mask;
        if before == 0 || before & !mask != 0 || !matches!(kind, Bits::Dirty | Bits::Writeback) {
            return;
        }
        let (mut parent, mut position) = (node.parent, node.position);
        while parent != NONE {
            let node = &mut self.nodes[parent as usize];
            node.bits[kind as usize] &= !(1 << position);
            if node.bits[kind as usize] != 0 {
                return;
            }
            (parent, position) = (node.parent, node.position);
        }
    }

    /// Frees a leaf without pages and memories, and what is above it as far as it is empty then. Whether the root went too.
    pub(super) fn release(&mut self, leaf: u32) -> bool {
        let mut id = leaf;
        loop {
            let node = self.node_mut(id);
            let (parent, position) = (node.parent, node.position);
            self.free.push(id);
            if parent == NONE {
                return true;
            }
            let above = self.node_mut(parent);
            above.bits[Bits::Present as usize] &= !(1 << position);
            if above.bits(Bits::Present) != 0 {
                return false;
            }
            id = parent;
        }
    }

    #[cfg(test)]
    pub(super) fn in_use(&self) -> usize {
        self.nodes.len() - self.free.len()
    }

    fn allocate(&mut self, file: u32, level: u8, first: u64, parent: u32, position: u8) -> u32 {
        let node = Node {
            slots: [NONE; 64],
            bits: [0; KINDS],
            first,
            parent,
            file,
            shadow_links: None,
            position,
            level,
        };
        if let Some(id) = self.free.pop() {
            self.nodes[id as usize] = node;
            return id;
        }
        self.nodes.push(node);
        as_number(self.nodes.len() - 1)
    }
}
