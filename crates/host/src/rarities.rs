//! What few files of a file system have: further names, no name yet, an extended attribute. Files without any take no room here.
//!
//! Which of several names something is for, no operation says: the first is a file's own, in its inode, and a rename moves the first in
//! its directory. What a name is beside its directory (a hash, a place) and where an attribute lies is for the file system to say.

use petrio_colours::FileId;
use petrio_persist::Persist;
use std::collections::BTreeMap;

/// The rare things of all files: names are a directory and an `N`, attributes an `A`, by default none.
#[derive(Clone, Debug, Persist)]
pub(crate) struct Rarities<N, A>(BTreeMap<FileId, Rare<N, A>>);

#[derive(Clone, Debug, PartialEq, Eq, Persist)]
struct Rare<N, A> {
    /// Its names but the first.
    names: Vec<(FileId, N)>,
    /// Whether it has no name yet.
    nameless: bool,
    attribute: A,
}

impl<N: Copy + Eq, A: Copy + Default + Eq> Rarities<N, A> {
    /// No file has any.
    pub(crate) fn new() -> Self {
        Self(BTreeMap::new())
    }

    fn note<T>(&mut self, file: FileId, note: impl FnOnce(&mut Rare<N, A>) -> T) -> T {
        let none = || Rare { names: Vec::new(), nameless: false, attribute: A::default() };
        let mut rare = self.0.remove(&file).unwrap_or_else(none);
        let noted = note(&mut rare);
        if rare != none() {
            self.0.insert(file, rare);
        }
        noted
    }

    /// Whether a file has no name yet.
    pub(crate) fn is_nameless(&self, file: FileId) -> bool {
        self.0.get(&file).is_some_and(|rare| rare.nameless)
    }

    /// A file has no name yet, or gets its first.
    pub(crate) fn set_nameless(&mut self, file: FileId, nameless: bool) {
        self.note(file, |rare| rare.nameless = nameless);
    }

    /// A file has one more name.
    pub(crate) fn add_name(&mut self, file: FileId, name: (FileId, N)) {
        self.note(file, |rare| rare.names.push(name));
    }

    /// The name that a file has in a directory, for which its `first` is one of the others from now on; none where the first is there, or
    /// it has none there.
    pub(crate) fn put_first(
        &mut self,
        file: FileId,
        parent: FileId,
        first: (FileId, N),
    ) -> Option<(FileId, N)> {
        let rare = self.0.get_mut(&file).filter(|_| first.0 != parent)?;
        let name = rare.names.iter_mut().find(|name| name.0 == parent)?;
        Some(std::mem::replace(name, first))
    }

    /// The name that takes the place of a file's first, where it has another.
    pub(crate) fn next_name(&mut self, file: FileId) -> Option<(FileId, N)> {
        if !self.0.contains_key(&file) {
            return None;
        }
        self.note(file, |rare| rare.names.pop())
    }

    /// A file's attribute.
    pub(crate) fn attribute(&self, file: FileId) -> A {
        self.0.get(&file).map_or_else(A::default, |rare| rare.attribute)
    }

    /// A file has this attribute, in place of the one that it had.
    pub(crate) fn set_attribute(&mut self, file: FileId, attribute: A) {
        self.note(file, |rare| rare.attribute = attribute);
    }

    /// A file is gone.
    pub(crate) fn remove(&mut self, file: FileId) {
        self.0.remove(&file);
    }

    /// How many files have no name, and how many names there are beside first ones.
    #[cfg(test)]
    pub(crate) fn counted(&self) -> (usize, usize) {
        let nameless = self.0.values().filter(|rare| rare.nameless).count();
        (nameless, self.0.values().map(|rare| rare.names.len()).sum())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: FileId = FileId(7);
    const HOME: FileId = FileId(1);
    const AWAY: FileId = FileId(2);

    #[test]
    fn a_file_without_rare_things_takes_no_room() {
        let mut rarities = Rarities::<u32, Option<u64>>::new();
        rarities.set_nameless(FILE, true);
        rarities.add_name(FILE, (AWAY, 5));
        rarities.set_attribute(FILE, Some(9));
        assert!(rarities.is_nameless(FILE));
        assert_eq!((rarities.attribute(FILE), rarities.counted()), (Some(9), (1, 1)));
        rarities.set_nameless(FILE, false);
        rarities.set_attribute(FILE, None);
        assert_eq!(rarities.next_name(FILE), Some((AWAY, 5)));
        assert_eq!((rarities.next_name(FILE), rarities.0.len()), (None, 0));
    }

    #[test]
    fn the_name_in_a_directory_changes_places_with_the_first() {
        let mut rarities = Rarities::<u32, ()>::new();
        rarities.add_name(FILE, (AWAY, 5));
        assert_eq!(rarities.put_first(FILE, HOME, (HOME, 3)), None, "it is the first");
        assert_eq!(rarities.put_first(FILE, FileId(3), (HOME, 3)), None, "it has none there");
        assert_eq!(rarities.put_first(FILE, AWAY, (HOME, 3)), Some((AWAY, 5)));
        assert_eq!(rarities.next_name(FILE), Some((HOME, 3)));
    }
}
