//! Chunks of values by number that clones share until one of them changes a chunk; between numbers that are far from each other
//! there is next to nothing.
//!
//! A server of a parallel file system has its database under a number beyond those of all files that programs may make: a list with a
//! place for each chunk below it would take half a megabyte of each of a thousand servers, and as much again in each run.

use petrio_persist::Persist;
use std::sync::Arc;

/// Chunks that are found through one reference.
const GROUP: usize = 32;

type Group<C> = [Option<Arc<C>>; GROUP];

/// Chunks by number, none for most numbers that were never given.
#[derive(Clone, Debug, Persist)]
#[persist(bound = "C: Persist + Send + Sync + 'static")]
pub(crate) struct SharedChunks<C> {
    groups: Vec<Option<Arc<Group<C>>>>,
}

impl<C> Default for SharedChunks<C> {
    fn default() -> Self {
        Self { groups: Vec::new() }
    }
}

impl<C: Clone> SharedChunks<C> {
    /// The chunk of a number.
    #[inline]
    pub(crate) fn get(&self, number: usize) -> Option<&C> {
        self.groups.get(number / GROUP)?.as_ref()?[number % GROUP].as_deref()
    }

    /// The chunk of a number, to be changed here alone.
    #[inline]
    pub(crate) fn get_mut(&mut self, number: usize) -> Option<&mut C> {
        let group = self.groups.get_mut(number / GROUP)?.as_mut()?;
        Arc::make_mut(group)[number % GROUP].as_mut().map(Arc::make_mut)
    }

    /// The same, made where there is none.
    #[inline]
    pub(crate) fn get_or(&mut self, number: usize, make: impl FnOnce() -> C) -> &mut C {
        if number / GROUP >= self.groups.len() {
            self.groups.resize(number / GROUP + 1, None);
        }
        let group = self.groups[number / GROUP].get_or_insert_with(|| Arc::new([const { None }; GROUP]));
        Arc::make_mut(Arc::make_mut(group)[number % GROUP].get_or_insert_with(|| Arc::new(make())))
    }

    /// All chunks with their numbers, in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (usize, &C)> {
        let groups = self.groups.iter().enumerate();
        groups.flat_map(|(at, group)| {
            let chunks = group.iter().flat_map(|group| group.iter()).enumerate();
            chunks.filter_map(move |(within, chunk)| Some((at * GROUP + within, chunk.as_deref()?)))
        })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn chunks_far_apart_take_no_memory_between_them() {
        let mut chunks = SharedChunks::<[u64; 4]>::default();
        for number in [0, 31, 32, 40_000] {
            chunks.get_or(number, || [0; 4])[1] = number as u64;
        }
        let found: Vec<_> = chunks.iter().map(|(number, chunk)| (number, chunk[1])).collect();
        assert_eq!(found, [(0, 0), (31, 31), (32, 32), (40_000, 40_000)]);
        assert_eq!(chunks.groups.iter().flatten().count(), 3);
        assert!(chunks.get(1).is_none() && chunks.get(39_999).is_none() && chunks.get(50_000).is_none());
        assert!(chunks.get_mut(1).is_none() && chunks.get_mut(50_000).is_none());
    }

    #[test]
    fn a_clone_shares_chunks_that_neither_changes() {
        let mut chunks = SharedChunks::<[u64; 4]>::default();
        chunks.get_or(5, || [1; 4]);
        chunks.get_or(6, || [2; 4]);
        let mut changed = chunks.clone();
        changed.get_mut(5).unwrap()[0] = 7;
        assert_eq!((chunks.get(5).unwrap()[0], changed.get(5).unwrap()[0]), (1, 7));
        assert_eq!(chunks.get_or(6, || [0; 4])[0], 2);
        assert!(std::ptr::eq(changed.get(6).unwrap(), changed.clone().get(6).unwrap()));
    }
}
