//! Values by dense numbers that clones share until one of them changes a value.
//!
//! A run begins with a clone of everything that its net was built with. A volume may have millions of files, of which a
//! run touches few: what it doesn't touch is there once for all runs. Values lie in chunks, so that a clone counts
//! chunks and not values.

use crate::shared_chunks::SharedChunks;
use petrio_persist::Persist;
use std::sync::Arc;

/// Values of a chunk: a clone of a million is a few hundred references, and a first change copies no more than a few
/// hundred bytes of them.
const CHUNK: usize = 64;

type Chunk<T> = [Option<Arc<T>>; CHUNK];

/// Values by number, none for most numbers that were never given.
#[derive(Clone, Debug, Persist)]
#[persist(bound = "T: Persist + Send + Sync + 'static")]
pub(crate) struct SharedSlots<T> {
    chunks: SharedChunks<Chunk<T>>,
}

impl<T> Default for SharedSlots<T> {
    fn default() -> Self {
        Self { chunks: SharedChunks::default() }
    }
}

impl<T: Clone> SharedSlots<T> {
    /// The value of a number.
    #[inline]
    pub(crate) fn get(&self, number: usize) -> Option<&T> {
        self.chunks.get(number / CHUNK)?[number % CHUNK].as_deref()
    }

    /// The value of a number, to be changed here alone.
    #[inline]
    pub(crate) fn get_mut(&mut self, number: usize) -> Option<&mut T> {
        self.chunks.get_mut(number / CHUNK)?[number % CHUNK].as_mut().map(Arc::make_mut)
    }

    /// Takes a value out.
    #[inline]
    pub(crate) fn take(&mut self, number: usize) -> Option<Arc<T>> {
        self.chunks.get_mut(number / CHUNK)?[number % CHUNK].take()
    }

    /// Gives a number a value.
    #[inline]
    pub(crate) fn put(&mut self, number: usize, value: Arc<T>) {
        self.chunks.get_or(number / CHUNK, || [const { None }; CHUNK])[number % CHUNK] = Some(value);
    }

    /// All values with their numbers, in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (usize, &T)> {
        self.chunks.iter().flat_map(|(at, chunk)| {
            let slots = chunk.iter().enumerate();
            slots.filter_map(move |(within, slot)| Some((at * CHUNK + within, slot.as_deref()?)))
        })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_clone_shares_what_neither_changes() {
        let mut slots = SharedSlots::default();
        for number in [0, 1, 63, 64, 1_000] {
            slots.put(number, Arc::new(number));
        }
        let mut changed = slots.clone();
        *changed.get_mut(63).unwrap() = 7;
        assert_eq!(changed.take(64), Some(Arc::new(64)));
        changed.put(65, Arc::new(65));
        assert_eq!((slots.get(63), slots.get(64), slots.get(65)), (Some(&63), Some(&64), None));
        assert_eq!(changed.iter().map(|(_, value)| *value).collect::<Vec<_>>(), [0, 1, 7, 65, 1_000]);
        assert_eq!(slots.iter().map(|(number, _)| number).collect::<Vec<_>>(), [0, 1, 63, 64, 1_000]);
        let address = |slots: &SharedSlots<usize>, number| std::ptr::from_ref(slots.get(number).unwrap());
        assert_eq!(address(&slots, 0), address(&changed, 0), "beside a changed one");
        assert_eq!(address(&slots, 1_000), address(&changed, 1_000), "far from it");
        assert!(slots.get(999).is_none() && slots.get(9_999).is_none() && changed.take(9_999).is_none());
    }
}
