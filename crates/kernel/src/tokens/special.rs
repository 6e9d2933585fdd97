//! Ready tokens of the places that are neither plain queues nor states: bags, and those with keys.

use super::in_turn::{InTurn, Turn};
use super::keyed::Keyed;
use super::treap::Treap;
use crate::place::{Colour, Key, KeyOf};
use petrio_persist::{Kept, Persist, persist_boxed};
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// The ready tokens of a place that is neither a plain queue nor a state. An object, so that a discipline is compiled for those colours
/// only that lie so somewhere.
pub(crate) trait Special<T>: Kept + Send + Sync {
    fn clone_box(&self) -> Box<dyn Special<T>>;

    fn len(&self) -> usize;

    fn push(&mut self, token: T);

    /// The token that goes first.
    fn pop(&mut self) -> Option<T>;

    /// The slot of the token that goes first.
    fn first(&self) -> Option<u32>;

    fn get(&self, slot: u32) -> Option<&T>;

    /// For changes that leave the key alone.
    fn get_mut(&mut self, slot: u32) -> Option<&mut T>;

    fn remove(&mut self, slot: u32) -> Option<T>;

    /// The slot after this one in a scan of all tokens; `None` starts.
    fn scan(&self, after: Option<u32>) -> Option<u32>;

    /// Every token, for inspection; a priority place's in no particular but a deterministic order.
    fn for_each(&self, visit: &mut dyn FnMut(&T));

    /// Removes the tokens whose key lies in a range.
    fn remove_keys(&mut self, first: Key, last: Key);

    /// Removes every token.
    fn clear(&mut self);

    fn key_of(&self) -> Option<&KeyOf<T>>;

    /// The tokens of an ordered place.
    fn tree(&self) -> Option<&Treap<T>> {
        None
    }

    /// The tokens of a keyed place.
    fn map(&self) -> Option<&Keyed<T>> {
        None
    }
}

impl<T> Clone for Box<dyn Special<T>> {
    fn clone(&self) -> Self {
        (**self).clone_box()
    }
}

persist_boxed!([T: Persist] dyn Special<T>, "a place's tokens");

#[derive(Clone, Persist)]
pub(super) struct Bag<T>(pub(super) Vec<T>);

impl<T: Colour> Special<T> for Bag<T> {
    fn clone_box(&self) -> Box<dyn Special<T>> {
        Box::new(self.clone())
    }

    fn len(&self) -> usize {
        self.0.len()
    }

    fn push(&mut self, token: T) {
        self.0.push(token);
    }

    fn pop(&mut self) -> Option<T> {
        self.0.pop()
    }

    fn first(&self) -> Option<u32> {
        self.0.len().checked_sub(1).map(|last| last as u32)
    }

    fn get(&self, slot: u32) -> Option<&T> {
        self.0.get(slot as usize)
    }

    fn get_mut(&mut self, slot: u32) -> Option<&mut T> {
        self.0.get_mut(slot as usize)
    }

    fn remove(&mut self, slot: u32) -> Option<T> {
        (self.0.len() > slot as usize).then(|| self.0.swap_remove(slot as usize))
    }

    fn scan(&self, after: Option<u32>) -> Option<u32> {
        let next = after.map_or(0, |slot| slot + 1);
        ((next as usize) < self.0.len()).then_some(next)
    }

    fn for_each(&self, visit: &mut dyn FnMut(&T)) {
        self.0.iter().for_each(visit);
    }

    fn remove_keys(&mut self, _: Key, _: Key) {}

    fn clear(&mut self) {
        self.0.clear();
    }

    fn key_of(&self) -> Option<&KeyOf<T>> {
        None
    }
}

/// A token of a priority place. Reversed, because the standard heap brings out its greatest.
#[derive(Clone, Persist)]
struct Ranked<T> {
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

#[derive(Clone, Persist)]
pub(super) struct Priority<T> {
    heap: BinaryHeap<Ranked<T>>,
    #[persist(keep)]
    key_of: KeyOf<T>,
    next_order: u64,
}

impl<T> Priority<T> {
    pub(super) fn by(key_of: KeyOf<T>) -> Self {
        Self { heap: BinaryHeap::new(), key_of, next_order: 0 }
    }
}

impl<T: Colour> Special<T> for Priority<T> {
    fn clone_box(&self) -> Box<dyn Special<T>> {
        Box::new(self.clone())
    }

    fn len(&self) -> usize {
        self.heap.len()
    }

    fn push(&mut self, token: T) {
        let key = (self.key_of)(&token);
        self.heap.push(Ranked { key, order: self.next_order, token });
        self.next_order += 1;
    }

    fn pop(&mut self) -> Option<T> {
        self.heap.pop().map(|ranked| ranked.token)
    }

    fn first(&self) -> Option<u32> {
        (!self.heap.is_empty()).then_some(0)
    }

    fn get(&self, slot: u32) -> Option<&T> {
        (slot == 0).then(|| self.heap.peek()).flatten().map(|ranked| &ranked.token)
    }

    fn get_mut(&mut self, _: u32) -> Option<&mut T> {
        None
    }

    fn remove(&mut self, slot: u32) -> Option<T> {
        (slot == 0).then(|| self.pop()).flatten()
    }

    // Only its head can be told apart from the others without disturbing the heap.
    fn scan(&self, after: Option<u32>) -> Option<u32> {
        if after.is_none() { self.first() } else { None }
    }

    fn for_each(&self, visit: &mut dyn FnMut(&T)) {
        self.heap.iter().for_each(|ranked| visit(&ranked.token));
    }

    fn remove_keys(&mut self, first: Key, last: Key) {
        self.heap.retain(|ranked| !(first..=last).contains(&ranked.key));
    }

    fn clear(&mut self) {
        self.heap.clear();
    }

    fn key_of(&self) -> Option<&KeyOf<T>> {
        Some(&self.key_of)
    }
}

#[derive(Clone, Persist)]
pub(super) struct Ordered<T> {
    tree: Treap<T>,
    #[persist(keep)]
    key_of: KeyOf<T>,
}

impl<T> Ordered<T> {
    pub(super) fn by(key_of: KeyOf<T>) -> Self {
        Self { tree: Treap::default(), key_of }
    }
}

impl<T: Colour> Special<T> for Ordered<T> {
    fn clone_box(&self) -> Box<dyn Special<T>> {
        Box::new(self.clone())
    }

    fn len(&self) -> usize {
        self.tree.len()
    }

    fn push(&mut self, token: T) {
        let key = (self.key_of)(&token);
        self.tree.insert(key, token);
    }

    fn pop(&mut self) -> Option<T> {
        self.tree.first().and_then(|slot| self.tree.remove(slot))
    }

    fn first(&self) -> Option<u32> {
        self.tree.first()
    }

    fn get(&self, slot: u32) -> Option<&T> {
        self.tree.get(slot)
    }

    fn get_mut(&mut self, slot: u32) -> Option<&mut T> {
        self.tree.get_mut(slot)
    }

    fn remove(&mut self, slot: u32) -> Option<T> {
        self.tree.remove(slot)
    }

    fn scan(&self, after: Option<u32>) -> Option<u32> {
        match after {
            None => self.tree.first(),
            Some(slot) => self.tree.after(slot),
        }
    }

    fn for_each(&self, visit: &mut dyn FnMut(&T)) {
        let mut at = self.tree.first();
        while let Some(slot) = at {
            self.tree.get(slot).into_iter().for_each(&mut *visit);
            at = self.tree.after(slot);
        }
    }

    fn remove_keys(&mut self, first: Key, last: Key) {
        while let Some(slot) = self.tree.at_or_after(first).filter(|slot| self.tree.key(*slot) <= last) {
            self.tree.remove(slot);
        }
    }

    fn clear(&mut self) {
        self.tree.clear();
    }

    fn key_of(&self) -> Option<&KeyOf<T>> {
        Some(&self.key_of)
    }

    fn tree(&self) -> Option<&Treap<T>> {
        Some(&self.tree)
    }
}

#[derive(Clone, Persist)]
pub(super) struct ByKey<T> {
    map: Keyed<T>,
    #[persist(keep)]
    key_of: KeyOf<T>,
}

impl<T> ByKey<T> {
    pub(super) fn by(key_of: KeyOf<T>) -> Self {
        Self { map: Keyed::default(), key_of }
    }
}

impl<T: Colour> Special<T> for ByKey<T> {
    fn clone_box(&self) -> Box<dyn Special<T>> {
        Box::new(self.clone())
    }

    fn len(&self) -> usize {
        self.map.len()
    }

    fn push(&mut self, token: T) {
        let key = (self.key_of)(&token);
        self.map.insert(key, token);
    }

    fn pop(&mut self) -> Option<T> {
        self.map.occupied_from(0).and_then(|slot| self.map.remove(slot))
    }

    fn first(&self) -> Option<u32> {
        self.map.occupied_from(0)
    }

    fn get(&self, slot: u32) -> Option<&T> {
        self.map.get(slot)
    }

    fn get_mut(&mut self, slot: u32) -> Option<&mut T> {
        self.map.get_mut(slot)
    }

    fn remove(&mut self, slot: u32) -> Option<T> {
        self.map.remove(slot)
    }

    fn scan(&self, after: Option<u32>) -> Option<u32> {
        self.map.occupied_from(after.map_or(0, |slot| slot + 1))
    }

    fn for_each(&self, visit: &mut dyn FnMut(&T)) {
        self.map.iter().for_each(|(_, token)| visit(token));
    }

    fn remove_keys(&mut self, first: Key, last: Key) {
        if first == last {
            while let Some(slot) = self.map.find(first) {
                self.map.remove(slot);
            }
            return;
        }
        let mut at = self.map.occupied_from(0);
        while let Some(slot) = at {
            if self.map.key(slot).is_some_and(|key| (first..=last).contains(&key)) {
                self.map.remove(slot);
            }
            at = self.map.occupied_from(slot + 1);
        }
    }

    fn clear(&mut self) {
        self.map.clear();
    }

    fn key_of(&self) -> Option<&KeyOf<T>> {
        Some(&self.key_of)
    }

    fn map(&self) -> Option<&Keyed<T>> {
        Some(&self.map)
    }
}

#[derive(Clone, Persist)]
pub(super) struct ByTurn<T> {
    lines: InTurn<T>,
    #[persist(keep)]
    key_of: KeyOf<T>,
    #[persist(keep)]
    turn: Turn<T>,
}

impl<T> ByTurn<T> {
    pub(super) fn by(key_of: KeyOf<T>, turn: Turn<T>) -> Self {
        Self { lines: InTurn::default(), key_of, turn }
    }
}

impl<T: Colour> Special<T> for ByTurn<T> {
    fn clone_box(&self) -> Box<dyn Special<T>> {
        Box::new(self.clone())
    }

    fn len(&self) -> usize {
        self.lines.len()
    }

    fn push(&mut self, token: T) {
        let key = (self.key_of)(&token);
        self.lines.insert(key, token, &self.turn);
    }

    fn pop(&mut self) -> Option<T> {
        self.lines.first().and_then(|slot| self.lines.remove(slot, &self.turn))
    }

    fn first(&self) -> Option<u32> {
        self.lines.first()
    }

    fn get(&self, slot: u32) -> Option<&T> {
        self.lines.get(slot)
    }

    fn get_mut(&mut self, slot: u32) -> Option<&mut T> {
        self.lines.get_mut(slot)
    }

    fn remove(&mut self, slot: u32) -> Option<T> {
        self.lines.remove(slot, &self.turn)
    }

    // In order of their slots, which is none, but for the one that goes first.
    fn scan(&self, after: Option<u32>) -> Option<u32> {
        self.lines.scan(after)
    }

    fn for_each(&self, visit: &mut dyn FnMut(&T)) {
        self.lines.for_each(visit);
    }

    fn remove_keys(&mut self, first: Key, last: Key) {
        self.lines.remove_keys(first, last);
    }

    fn clear(&mut self) {
        self.lines.clear();
    }

    fn key_of(&self) -> Option<&KeyOf<T>> {
        Some(&self.key_of)
    }
}
