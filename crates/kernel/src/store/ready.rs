//! Tokens that can be taken, stored as the place's discipline wants them.

use super::keyed::Keyed;
use super::treap::Treap;
use crate::place::{Key, KeyOf};
use std::cmp::Ordering;
use std::collections::{BinaryHeap, VecDeque};

/// A token of a priority place. Reversed, because the standard heap brings out its greatest.
#[derive(Clone)]
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

/// The ready tokens of a place.
#[derive(Clone)]
pub(crate) enum Ready<T> {
    Fifo(VecDeque<T>),
    Bag(Vec<T>),
    Priority { heap: BinaryHeap<Ranked<T>>, key_of: KeyOf<T>, next_order: u64 },
    Ordered { tree: Treap<T>, key_of: KeyOf<T> },
    Keyed { map: Keyed<T>, key_of: KeyOf<T> },
    State(Option<T>),
}

impl<T> Ready<T> {
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Fifo(queue) => queue.len(),
            Self::Bag(bag) => bag.len(),
            Self::Priority { heap, .. } => heap.len(),
            Self::Ordered { tree, .. } => tree.len(),
            Self::Keyed { map, .. } => map.len(),
            Self::State(resident) => usize::from(resident.is_some()),
        }
    }

    #[inline]
    pub(crate) fn push(&mut self, token: T) {
        // Most places are plain queues: that case is inlined, the others are called.
        match self {
            Self::Fifo(queue) => queue.push_back(token),
            _ => self.push_elsewhere(token),
        }
    }

    #[inline(never)]
    fn push_elsewhere(&mut self, token: T) {
        match self {
            Self::Fifo(queue) => queue.push_back(token),
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
            Self::State(resident) => *resident = Some(token),
        }
    }

    /// The token that goes first.
    #[inline]
    pub(crate) fn pop(&mut self) -> Option<T> {
        match self {
            Self::Fifo(queue) => {
                let token = queue.pop_front();
                if queue.is_empty() {
                    // Begins anew at the front of its memory: a place that mostly holds one token uses the same few
                    // lines of 64 bytes for all, where thousands of places would else use all of theirs.
                    queue.clear();
                }
                token
            }
            _ => self.pop_elsewhere(),
        }
    }

    #[inline(never)]
    fn pop_elsewhere(&mut self) -> Option<T> {
        match self {
            Self::Fifo(queue) => queue.pop_front(),
            Self::Bag(bag) => bag.pop(),
            Self::Priority { heap, .. } => heap.pop().map(|ranked| ranked.token),
            Self::Ordered { tree, .. } => tree.first().and_then(|slot| tree.remove(slot)),
            Self::Keyed { map, .. } => map.occupied_from(0).and_then(|slot| map.remove(slot)),
            Self::State(resident) => resident.take(),
        }
    }

    /// The slot of the token that goes first.
    pub(crate) fn first(&self) -> Option<u32> {
        match self {
            Self::Fifo(queue) => (!queue.is_empty()).then_some(0),
            Self::Bag(bag) => bag.len().checked_sub(1).map(|last| last as u32),
            Self::Priority { heap, .. } => (!heap.is_empty()).then_some(0),
            Self::Ordered { tree, .. } => tree.first(),
            Self::Keyed { map, .. } => map.occupied_from(0),
            Self::State(resident) => resident.as_ref().map(|_| 0),
        }
    }

    pub(crate) fn get(&self, slot: u32) -> Option<&T> {
        match self {
            Self::Fifo(queue) => queue.get(slot as usize),
            Self::Bag(bag) => bag.get(slot as usize),
            Self::Priority { heap, .. } => {
                (slot == 0).then(|| heap.peek()).flatten().map(|ranked| &ranked.token)
            }
            Self::Ordered { tree, .. } => tree.get(slot),
            Self::Keyed { map, .. } => map.get(slot),
            Self::State(resident) => resident.as_ref(),
        }
    }

    /// For changes that leave the key alone.
    pub(crate) fn get_mut(&mut self, slot: u32) -> Option<&mut T> {
        match self {
            Self::Fifo(queue) => queue.get_mut(slot as usize),
            Self::Bag(bag) => bag.get_mut(slot as usize),
            Self::Priority { .. } => None,
            Self::Ordered { tree, .. } => tree.get_mut(slot),
            Self::Keyed { map, .. } => map.get_mut(slot),
            Self::State(resident) => resident.as_mut(),
        }
    }

    pub(crate) fn remove(&mut self, slot: u32) -> Option<T> {
        match self {
            Self::Fifo(queue) => queue.remove(slot as usize),
            Self::Bag(bag) => (bag.len() > slot as usize).then(|| bag.swap_remove(slot as usize)),
            Self::Priority { heap, .. } => {
                (slot == 0).then(|| heap.pop()).flatten().map(|ranked| ranked.token)
            }
            Self::Ordered { tree, .. } => tree.remove(slot),
            Self::Keyed { map, .. } => map.remove(slot),
            Self::State(resident) => resident.take(),
        }
    }

    /// The slot after this one in a scan of all tokens; `None` starts.
    pub(crate) fn scan(&self, after: Option<u32>) -> Option<u32> {
        match self {
            Self::Fifo(_) | Self::Bag(_) => {
                let next = after.map_or(0, |slot| slot + 1);
                ((next as usize) < self.len()).then_some(next)
            }
            // Only its head can be told apart from the others without disturbing the heap.
            Self::Priority { .. } | Self::State(_) => {
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
        }
    }

    /// Every token, for inspection; a priority place's in no particular but a deterministic order.
    pub(crate) fn for_each(&self, mut visit: impl FnMut(&T)) {
        match self {
            Self::Fifo(queue) => queue.iter().for_each(visit),
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
            Self::State(resident) => resident.iter().for_each(visit),
        }
    }

    /// Removes the tokens whose key lies in a range; returns how many.
    pub(crate) fn remove_keys(&mut self, first: Key, last: Key) -> usize {
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
            Self::Priority { heap, .. } => heap.retain(|ranked| !(first..=last).contains(&ranked.key)),
            Self::Fifo(_) | Self::Bag(_) | Self::State(_) => {}
        }
        before - self.len()
    }

    /// Removes every token; returns how many. A state keeps its resident.
    pub(crate) fn clear(&mut self) -> usize {
        let before = self.len();
        match self {
            Self::Fifo(queue) => queue.clear(),
            Self::Bag(bag) => bag.clear(),
            Self::Priority { heap, .. } => heap.clear(),
            Self::Ordered { tree, .. } => tree.clear(),
            Self::Keyed { map, .. } => map.clear(),
            Self::State(_) => return 0,
        }
        before
    }

    pub(crate) fn key_of(&self) -> Option<&KeyOf<T>> {
        match self {
            Self::Priority { key_of, .. } | Self::Ordered { key_of, .. } | Self::Keyed { key_of, .. } => {
                Some(key_of)
            }
            _ => None,
        }
    }
}
