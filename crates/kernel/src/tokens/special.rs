//! Ready tokens of the places that are neither plain queues nor states: bags, and those with keys.

use super::keyed::Keyed;
use super::treap::Treap;
use crate::place::{Colour, Key, KeyOf};
use petrio_persist::{Damage, Kept, Persist, Reader, Writer};
use petrio_time::numbers::as_number;
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// Tokens as a discipline wants them. An object, so that a discipline is compiled for those colours only that lie so somewhere.
pub(crate) trait Content<T>: Boxed<T> + Kept + Send + Sync {
    fn len(&self) -> usize;

    fn insert(&mut self, key: Key, token: T);

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

    /// Removes everything, keeping the capacity.
    fn clear(&mut self);

    /// The tokens of an ordered place.
    fn tree(&self) -> Option<&Treap<T>> {
        None
    }

    /// The tokens of a keyed place.
    fn map(&self) -> Option<&Keyed<T>> {
        None
    }
}

/// The ready tokens of a place that is neither a plain queue nor a state.
pub(crate) struct Special<T, C: ?Sized = dyn Content<T>> {
    /// A bag's have none.
    pub(super) key_of: Option<KeyOf<T>>,
    pub(super) content: C,
}

/// What can be in another place, too.
pub(crate) trait Boxed<T> {
    /// Another of the same.
    fn boxed(&self, key_of: Option<KeyOf<T>>) -> Box<Special<T>>;
}

impl<T, C: Content<T> + Clone + 'static> Boxed<T> for C {
    fn boxed(&self, key_of: Option<KeyOf<T>>) -> Box<Special<T>> {
        Box::new(Special { key_of, content: self.clone() })
    }
}

impl<T> Special<T> {
    pub(super) fn push(&mut self, token: T) {
        let key = self.key_of.as_ref().map_or(0, |key_of| key_of(&token));
        self.content.insert(key, token);
    }

    /// The token that goes first.
    pub(super) fn pop(&mut self) -> Option<T> {
        self.content.first().and_then(|slot| self.content.remove(slot))
    }
}

impl<T> Clone for Box<Special<T>> {
    fn clone(&self) -> Self {
        self.content.boxed(self.key_of.clone())
    }
}

impl<T> Persist for Box<Special<T>> {
    fn save(&self, to: &mut Writer<'_>) {
        self.content.save_kept(to);
    }

    fn load(from: &mut Reader<'_>) -> Result<Self, Damage> {
        Err(from.not_from_nothing("a place's tokens"))
    }

    fn restore(&mut self, from: &mut Reader<'_>) -> Result<(), Damage> {
        self.content.restore_kept(from)
    }
}

#[derive(Clone, Persist)]
pub(super) struct Bag<T>(pub(super) Vec<T>);

impl<T: Colour> Content<T> for Bag<T> {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn insert(&mut self, _: Key, token: T) {
        self.0.push(token);
    }

    fn first(&self) -> Option<u32> {
        self.0.len().checked_sub(1).map(as_number)
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

/// The tokens of a priority place. Only its head can be told apart from the others without disturbing the heap.
#[derive(Clone, Persist)]
pub(super) struct ByPriority<T> {
    heap: BinaryHeap<Ranked<T>>,
    next_order: u64,
}

impl<T> Default for ByPriority<T> {
    fn default() -> Self {
        Self { heap: BinaryHeap::new(), next_order: 0 }
    }
}

impl<T: Colour> Content<T> for ByPriority<T> {
    fn len(&self) -> usize {
        self.heap.len()
    }

    fn insert(&mut self, key: Key, token: T) {
        self.heap.push(Ranked { key, order: self.next_order, token });
        self.next_order += 1;
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
        (slot == 0).then(|| self.heap.pop()).flatten().map(|ranked| ranked.token)
    }

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
}
