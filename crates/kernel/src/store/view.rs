//! A read-only look at the ready tokens of a place: what a selecting arc chooses from.

use super::PlaceStore;
use crate::place::{Colour, Key};

/// A token's position in its place, valid until the place changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Slot(pub(crate) u32);

/// The ready tokens of a place.
///
/// Key queries answer in O(log n) on `ordered` places, [`View::with_key`] in O(1) on `keyed` ones; elsewhere they find
/// nothing.
pub struct View<'a, T: Colour> {
    pub(crate) store: &'a PlaceStore<T>,
}

impl<'a, T: Colour> View<'a, T> {
    /// Ready tokens.
    pub fn len(&self) -> usize {
        self.store.ready.len()
    }

    /// Whether no token is ready.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A token.
    pub fn get(&self, slot: Slot) -> Option<&'a T> {
        self.store.ready.get(slot.0)
    }

    /// The token that the discipline brings first.
    pub fn first(&self) -> Option<Slot> {
        self.store.ready.first().map(Slot)
    }

    /// All tokens in the order of the discipline (of a `priority` place, the first only).
    pub fn iter(&self) -> impl Iterator<Item = (Slot, &'a T)> + use<'a, T> {
        let ready = &self.store.ready;
        std::iter::successors(ready.scan(None), move |slot| ready.scan(Some(*slot)))
            .filter_map(move |slot| ready.get(slot).map(|token| (Slot(slot), token)))
    }

    /// The first token whose key is at or after `key`.
    pub fn at_or_after(&self, key: Key) -> Option<Slot> {
        self.store.ready.tree()?.at_or_after(key).map(Slot)
    }

    /// The last token whose key is before `key`.
    pub fn before(&self, key: Key) -> Option<Slot> {
        self.store.ready.tree()?.before(key).map(Slot)
    }

    /// The token with the greatest key.
    pub fn last(&self) -> Option<Slot> {
        self.store.ready.tree()?.last().map(Slot)
    }

    /// The oldest token with this key.
    pub fn with_key(&self, key: Key) -> Option<Slot> {
        let ready = &self.store.ready;
        if let Some(map) = ready.map() {
            return map.find(key).map(Slot);
        }
        let tree = ready.tree()?;
        tree.at_or_after(key).filter(|slot| tree.key(*slot) == key).map(Slot)
    }
}
