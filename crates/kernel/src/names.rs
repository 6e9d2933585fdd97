//! Numbers by path, so that a net of a million places is built and asked as fast, place by place, as one of ten. Only looked up, never
//! walked: no order of hashes takes part.

use crate::tokens::KeyHasher;
use petrio_random::fnv1a;
use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};
use std::hash::BuildHasherDefault;

/// What has a path in a net.
#[derive(Default)]
pub(crate) struct Names {
    pub(crate) pages: Index,
    pub(crate) places: Index,
    pub(crate) transitions: Index,
}

/// The numbers of paths. It keeps no path, since whoever has the number has that: a large net has millions, and each would be there twice.
#[derive(Default)]
pub(crate) struct Index {
    by_hash: HashMap<u64, u32, BuildHasherDefault<KeyHasher>>,
    /// Those whose hash another path had before.
    others: BTreeMap<String, u32>,
}

impl Index {
    /// Of one path.
    pub(crate) fn of_one(path: &str, number: u32) -> Self {
        Self { by_hash: HashMap::from_iter([(fnv1a(path.bytes()), number)]), others: BTreeMap::new() }
    }

    /// The number of a path, where that of each number is `path_of` it.
    pub(crate) fn find<'p>(&self, path: &str, path_of: impl Fn(u32) -> &'p str) -> Option<u32> {
        self.find_hashed(fnv1a(path.bytes()), path, path_of)
    }

    fn find_hashed<'p>(&self, hash: u64, path: &str, path_of: impl Fn(u32) -> &'p str) -> Option<u32> {
        let found = *self.by_hash.get(&hash)?;
        if path_of(found) == path { Some(found) } else { self.others.get(path).copied() }
    }

    /// Gives a path a number; whether it had none.
    pub(crate) fn insert<'p>(&mut self, path: &str, number: u32, path_of: impl Fn(u32) -> &'p str) -> bool {
        self.insert_hashed(fnv1a(path.bytes()), path, number, path_of)
    }

    fn insert_hashed<'p>(
        &mut self,
        hash: u64,
        path: &str,
        number: u32,
        path_of: impl Fn(u32) -> &'p str,
    ) -> bool {
        if self.find_hashed(hash, path, path_of).is_some() {
            return false;
        }
        match self.by_hash.entry(hash) {
            Entry::Occupied(_) => self.others.insert(path.to_owned(), number),
            Entry::Vacant(free) => Some(*free.insert(number)),
        };
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_one_hash_are_told_apart() {
        let paths = ["a", "b", "c"];
        let path_of = |number: u32| paths[number as usize];
        let mut index = Index::default();
        for (path, number) in paths.iter().zip(0..) {
            assert!(index.insert_hashed(7, path, number, path_of));
            assert!(!index.insert_hashed(7, path, 9, path_of), "{path} is there");
        }
        for (path, number) in paths.iter().zip(0..) {
            assert_eq!(index.find_hashed(7, path, path_of), Some(number));
        }
        assert_eq!(index.find_hashed(7, "d", path_of), None);
        assert_eq!(index.find("a", path_of), None, "its own hash is another");
    }
}
