//! An ordered multimap in one vector: the storage of `ordered` places.
//!
//! A treap with pseudo-random priorities. Insertion, removal and neighbour queries take O(log n) expected time; nodes
//! are recycled, so a steady state allocates nothing, which is why this is not the standard library's B-tree.

use super::special::Content;
use crate::place::{Colour, Key};
use petrio_persist::Persist;
use petrio_random::mix;
use petrio_time::numbers::as_number;

const NONE: u32 = u32::MAX;

#[derive(Clone, Debug, Persist)]
struct Node<T> {
    key: Key,
    /// Insertion number: equal keys keep their order of arrival.
    order: u64,
    priority: u64,
    left: u32,
    right: u32,
    parent: u32,
    token: Option<T>,
}

/// Tokens by key, then by order of insertion. A token's slot stays valid until it is removed.
#[derive(Clone, Debug, Persist)]
pub(crate) struct Treap<T> {
    nodes: Vec<Node<T>>,
    free: Vec<u32>,
    root: u32,
    len: usize,
    next_order: u64,
}

impl<T> Default for Treap<T> {
    fn default() -> Self {
        Self { nodes: Vec::new(), free: Vec::new(), root: NONE, len: 0, next_order: 0 }
    }
}

impl<T> Treap<T> {
    /// Makes `slot` the parent of its parent.
    fn rotate_up(&mut self, slot: u32) {
        let parent = self.nodes[slot as usize].parent;
        let grandparent = self.nodes[parent as usize].parent;
        let inner = if self.nodes[parent as usize].left == slot {
            let inner = std::mem::replace(&mut self.nodes[slot as usize].right, parent);
            self.nodes[parent as usize].left = inner;
            inner
        } else {
            let inner = std::mem::replace(&mut self.nodes[slot as usize].left, parent);
            self.nodes[parent as usize].right = inner;
            inner
        };
        if inner != NONE {
            self.nodes[inner as usize].parent = parent;
        }
        self.nodes[parent as usize].parent = slot;
        self.nodes[slot as usize].parent = grandparent;
        if grandparent == NONE {
            self.root = slot;
        } else if self.nodes[grandparent as usize].left == parent {
            self.nodes[grandparent as usize].left = slot;
        } else {
            self.nodes[grandparent as usize].right = slot;
        }
    }

    /// The token with the greatest key.
    pub(crate) fn last(&self) -> Option<u32> {
        self.extreme(self.root, |node| node.right)
    }

    fn extreme(&self, mut at: u32, step: impl Fn(&Node<T>) -> u32) -> Option<u32> {
        if at == NONE {
            return None;
        }
        loop {
            let next = step(&self.nodes[at as usize]);
            if next == NONE {
                return Some(at);
            }
            at = next;
        }
    }

    /// The first token whose key is at or after `key`.
    pub(crate) fn at_or_after(&self, key: Key) -> Option<u32> {
        let (mut at, mut best) = (self.root, None);
        while at != NONE {
            let node = &self.nodes[at as usize];
            if node.key >= key {
                best = Some(at);
                at = node.left;
            } else {
                at = node.right;
            }
        }
        best
    }

    /// The last token whose key is before `key`.
    pub(crate) fn before(&self, key: Key) -> Option<u32> {
        let (mut at, mut best) = (self.root, None);
        while at != NONE {
            let node = &self.nodes[at as usize];
            if node.key < key {
                best = Some(at);
                at = node.right;
            } else {
                at = node.left;
            }
        }
        best
    }

    /// The next token in order.
    pub(crate) fn after(&self, slot: u32) -> Option<u32> {
        let node = &self.nodes[slot as usize];
        if node.right != NONE {
            return self.extreme(node.right, |node| node.left);
        }
        let (mut at, mut parent) = (slot, node.parent);
        while parent != NONE && self.nodes[parent as usize].right == at {
            at = parent;
            parent = self.nodes[parent as usize].parent;
        }
        (parent != NONE).then_some(parent)
    }

    /// The key of a token.
    pub(crate) fn key(&self, slot: u32) -> Key {
        self.nodes[slot as usize].key
    }
}

impl<T: Colour> Content<T> for Treap<T> {
    fn len(&self) -> usize {
        self.len
    }

    fn insert(&mut self, key: Key, token: T) {
        let order = self.next_order;
        self.next_order += 1;
        let node = Node {
            key,
            order,
            // A fixed scramble is random enough to balance a treap.
            priority: mix(order),
            left: NONE,
            right: NONE,
            parent: NONE,
            token: Some(token),
        };
        let slot = match self.free.pop() {
            Some(slot) => {
                self.nodes[slot as usize] = node;
                slot
            }
            None => {
                self.nodes.push(node);
                as_number(self.nodes.len() - 1)
            }
        };
        self.len += 1;
        let (mut at, mut parent, mut left) = (self.root, NONE, false);
        while at != NONE {
            parent = at;
            let here = &self.nodes[at as usize];
            left = (key, order) < (here.key, here.order);
            at = if left { here.left } else { here.right };
        }
        self.nodes[slot as usize].parent = parent;
        if parent == NONE {
            self.root = slot;
        } else if left {
            self.nodes[parent as usize].left = slot;
        } else {
            self.nodes[parent as usize].right = slot;
        }
        while self.nodes[slot as usize].parent != NONE {
            let parent = self.nodes[slot as usize].parent;
            if self.nodes[parent as usize].priority <= self.nodes[slot as usize].priority {
                break;
            }
            self.rotate_up(slot);
        }
    }

    fn first(&self) -> Option<u32> {
        self.extreme(self.root, |node| node.left)
    }

    fn get(&self, slot: u32) -> Option<&T> {
        self.nodes.get(slot as usize)?.token.as_ref()
    }

    fn get_mut(&mut self, slot: u32) -> Option<&mut T> {
        self.nodes.get_mut(slot as usize)?.token.as_mut()
    }

    fn remove(&mut self, slot: u32) -> Option<T> {
        let token = self.nodes.get_mut(slot as usize)?.token.take()?;
        loop {
            let (left, right) = (self.nodes[slot as usize].left, self.nodes[slot as usize].right);
            let child = match (left, right) {
                (NONE, NONE) => break,
                (NONE, child) | (child, NONE) => child,
                (a, b) if self.nodes[a as usize].priority < self.nodes[b as usize].priority => a,
                (_, b) => b,
            };
            self.rotate_up(child);
        }
        let parent = self.nodes[slot as usize].parent;
        if parent == NONE {
            self.root = NONE;
        } else if self.nodes[parent as usize].left == slot {
            self.nodes[parent as usize].left = NONE;
        } else {
            self.nodes[parent as usize].right = NONE;
        }
        self.free.push(slot);
        self.len -= 1;
        Some(token)
    }

    fn scan(&self, after: Option<u32>) -> Option<u32> {
        match after {
            None => self.first(),
            Some(slot) => self.after(slot),
        }
    }

    fn for_each(&self, visit: &mut dyn FnMut(&T)) {
        let mut at = self.first();
        while let Some(slot) = at {
            self.get(slot).into_iter().for_each(&mut *visit);
            at = self.after(slot);
        }
    }

    fn remove_keys(&mut self, first: Key, last: Key) {
        while let Some(slot) = self.at_or_after(first).filter(|slot| self.key(*slot) <= last) {
            self.remove(slot);
        }
    }

    fn clear(&mut self) {
        self.nodes.clear();
        self.free.clear();
        self.root = NONE;
        self.len = 0;
    }

    fn tree(&self) -> Option<&Treap<T>> {
        Some(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn agrees_with_a_sorted_map(operations in prop::collection::vec((0u8..3, 0u128..40), 0..300)) {
            let mut treap = Treap::default();
            let mut map = std::collections::BTreeMap::new();
            for (order, (operation, key)) in operations.into_iter().enumerate() {
                match operation {
                    0 | 1 => {
                        treap.insert(key, order);
                        let mut all = std::iter::successors(treap.first(), |slot| treap.after(*slot));
                        let slot = all.find(|slot| treap.get(*slot) == Some(&order));
                        map.insert((key, order), slot.ok_or_else(|| TestCaseError::fail("lost"))?);
                    }
                    _ => {
                        let found = treap.at_or_after(key);
                        let expected = map.range((key, 0)..).next().map(|(place, slot)| (*place, *slot));
                        prop_assert_eq!(found, expected.map(|(_, slot)| slot));
                        let before = map.range(..(key, 0)).next_back().map(|(_, slot)| *slot);
                        prop_assert_eq!(treap.before(key), before);
                        if let Some((place, slot)) = expected {
                            prop_assert_eq!(treap.remove(slot), Some(place.1));
                            map.remove(&place);
                        }
                    }
                }
                prop_assert_eq!(treap.len(), map.len());
                let mut walked = Vec::new();
                let mut at = treap.first();
                while let Some(slot) = at {
                    walked.push(slot);
                    at = treap.after(slot);
                }
                let expected: Vec<u32> = map.values().copied().collect();
                prop_assert_eq!(walked, expected);
                prop_assert_eq!(treap.last(), map.values().next_back().copied());
            }
        }
    }
}
