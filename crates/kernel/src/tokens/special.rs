//! Ready tokens of the places that are neither plain queues nor states: bags, and those with keys.

use super::in_turn::{InTurn, Turn};
use super::keyed::Keyed;
use super::treap::Treap;
use crate::place::{Key, KeyOf};
use petrio_persist::Persist;
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// A token of a priority place. Reversed, because the standard heap brings out its greatest.
#[derive(Clone, Persist)]
pub(crate) struct Ranked<T> {
    key: Key,
    order: u64,
    token: T,
}

impl<T> PartialEq for Ranked<T> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}
impl<T> Eq for Ranked<T> {}
impl<T> PartialOrd for Ranked<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl<T> Ord for Ranked<T> {
    fn cmp(&self, other: &Self) -> Ordering {
        (other.key, other.order).cmp(&(self.key, self.order))
    }
}

/// The ready tokens of a place that is neither a plain queue nor a state.
#[derive(Clone, Persist)]
pub(crate) enum Special<T> {
    Bag(Vec<T>),
    Priority {
        heap: BinaryHeap<Ranked<T>>,
        #[persist(keep)]
        key_of: KeyOf<T>,
        next_order: u64,
    },
    Ordered {
        tree: Treap<T>,
        #[persist(keep)]
        key_of: KeyOf<T>,
    },
    Keyed {
        map: Keyed<T>,
        #[persist(keep)]
        key_of: KeyOf<T>,
    },
    InTurn {
        lines: InTurn<T>,
        #[persist(keep)]
        key_of: KeyOf<T>,
        #[persist(keep)]
        turn: Turn<T>,
    },
}

impl<T> Special<T> {
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Bag(bag) => bag.len(),
            Self::Priority { heap, .. } => heap.len(),
            Self::Ordered { tree, .. } => tree.len(),
            Self::Keyed { map, .. } => map.len(),
            Self::InTurn { lines, .. } => lines.len(),
        }
    }

    pub(super) fn push(&mut self, token: T) {
        match self {
            Self::Bag(bag) => bag.push(token),
            Self::Priority { heap, key_of, next_order } => {
                let key = key_of(&token);
                heap.push(Ranked { key, order: *next_order, token });
                *next_order += 1;
            }
            Self::Ordered { tree, key_of } => {
                let key = key_of(&token);
                tree.insert(key, token);
            }
            Self::Keyed { map, key_of } => {
                let key = key_of(&token);
                map.insert(key, token);
            }
            Self::InTurn { lines, key_of, turn } => {
                let key = key_of(&token);
                lines.insert(key, token, turn);
            }
        }
    }

    /// The token that goes first.
    pub(super) fn pop(&mut self) -> Option<T> {
        match self {
            Self::Bag(bag) => bag.pop(),
            Self::Priority { heap, .. } => heap.pop().map(|ranked| ranked.token),
            Self::Ordered { tree, .. } => tree.first().and_then(|slot| tree.remove(slot)),
            Self::Keyed { map, .. } => map.occupied_from(0).and_then(|slot| map.remove(slot)),
            Self::InTurn { lines, turn, .. } => lines.first().and_then(|slot| lines.remove(slot, turn)),
        }
    }

    /// The slot of the token that goes first.
    pub(super) fn first(&self) -> Option<u32> {
        match self {
            Self::Bag(bag) => bag.len().checked_sub(1).map(|last| last as u32),
            Self::Priority { heap, .. } => (!heap.is_empty()).then_some(0),
            Self::Ordered { tree, .. } => tree.first(),
            Self::Keyed { map, .. } => map.occupied_from(0),
            Self::InTurn { lines, .. } => lines.first(),
        }
    }

    pub(super) fn get(&self, slot: u32) -> Option<&T> {
        match self {
            Self::Bag(bag) => bag.get(slot as usize),
            Self::Priority { heap, .. } => {
                (slot == 0).then(|| heap.peek()).flatten().map(|ranked| &ranked.token)
            }
            Self::Ordered { tree, .. } => tree.get(slot),
            Self::Keyed { map, .. } => map.get(slot),
            Self::InTurn { lines, .. } => lines.get(slot),
        }
    }

    /// For changes that leave the key alone.
    pub(super) fn get_mut(&mut self, slot: u32) -> Option<&mut T> {
        match self {
            Self::Bag(bag) => bag.get_mut(slot as usize),
            Self::Priority { .. } => None,
            Self::Ordered { tree, .. } => tree.get_mut(slot),
            Self::Keyed { map, .. } => map.get_mut(slot),
            Self::InTurn { lines, .. } => lines.get_mut(slot),
        }
    }

    pub(super) fn remove(&mut self, slot: u32) -> Option<T> {
        match self {
            Self::Bag(bag) => (bag.len() > slot as usize).then(|| bag.swap_remove(slot as usize)),
            Self::Priority { heap, .. } => {
                (slot == 0).then(|| heap.pop()).flatten().map(|ranked| ranked.token)
            }
            Self::Ordered { tree, .. } => tree.remove(slot),
            Self::Keyed { map, .. } => map.remove(slot),
            Self::InTurn { lines, turn, .. } => lines.remove(slot, turn),
        }
    }

    /// The slot after this one in a scan of all tokens; `None` starts.
    pub(super) fn scan(&self, after: Option<u32>) -> Option<u32> {
        match self {
            Self::Bag(_) => {
                let next = after.map_or(0, |slot| slot + 1);
                ((next as usize) < self.len()).then_some(next)
            }
            // Only its head can be told apart from the others without disturbing the heap.
            Self::Priority { .. } => {
                if after.is_none() {
                    self.first()
                } else {
                    None
                }
            }
            Self::Ordered { tree, .. } => match after {
                None => tree.first(),
                Some(slot) => tree.after(slot),
            },
            Self::Keyed { map, .. } => map.occupied_from(after.map_or(0, |slot| slot + 1)),
            // In order of their slots, which is none, but for the one that goes first.
            Self::InTurn { lines, .. } => lines.scan(after),
        }
    }

    /// Every token, for inspection; a priority place's in no particular but a deterministic order.
    pub(super) fn for_each(&self, mut visit: impl FnMut(&T)) {
        match self {
            Self::Bag(bag) => bag.iter().for_each(visit),
            Self::Priority { heap, .. } => heap.iter().for_each(|ranked| visit(&ranked.token)),
            Self::Ordered { tree, .. } => {
                let mut at = tree.first();
                while let Some(slot) = at {
                    if let Some(token) = tree.get(slot) {
                        visit(token);
                    }
                    at = tree.after(slot);
                }
            }
            Self::Keyed { map, .. } => map.iter().for_each(|(_, token)| visit(token)),
            Self::InTurn { lines, .. } => lines.for_each(visit),
        }
    }

    /// Removes the tokens whose key lies in a range; returns how many.
    pub(super) fn remove_keys(&mut self, first: Key, last: Key) -> usize {
        let before = self.len();
        match self {
            Self::Ordered { tree, .. } => {
                while let Some(slot) = tree.at_or_after(first).filter(|slot| tree.key(*slot) <= last) {
                    tree.remove(slot);
                }
            }
            Self::Keyed { map, .. } if first == last => {
                while let Some(slot) = map.find(first) {
                    map.remove(slot);
                }
            }
            Self::Keyed { map, key_of } => {
                let mut at = map.occupied_from(0);
                while let Some(slot) = at {
                    if map.get(slot).is_some_and(|token| (first..=last).contains(&key_of(token))) {
                        map.remove(slot);
                    }
                    at = map.occupied_from(slot + 1);
                }
            }
            Self::InTurn { lines, .. } => lines.remove_keys(first, last),
            Self::Priority { heap, .. } => heap.retain(|ranked| !(first..=last).contains(&ranked.key)),
            Self::Bag(_) => {}
        }
        before - self.len()
    }

    /// Removes every token.
    pub(super) fn clear(&mut self) {
        match self {
            Self::Bag(bag) => bag.clear(),
            Self::Priority { heap, .. } => heap.clear(),
            Self::Ordered { tree, .. } => tree.clear(),
            Self::Keyed { map, .. } => map.clear(),
            Self::InTurn { lines, .. } => lines.clear(),
        }
    }

    pub(super) fn key_of(&self) -> Option<&KeyOf<T>> {
        match self {
            Self::Priority { key_of, .. }
            | Self::Ordered { key_of, .. }
            | Self::Keyed { key_of, .. }
            | Self::InTurn { key_of, .. } => Some(key_of),
            Self::Bag(_) => None,
        }
    }
}
