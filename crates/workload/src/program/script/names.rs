//! Which names there are at each point of a script, and which numbers the files behind them have.
//!
//! A number stands for a file that was made under one name; when that file is gone, the next one made under the name
//! gets it again, so that a script that makes and removes files for ever needs a bounded number of them.

use petrio_units::numbers::as_number;
use std::collections::BTreeMap;

/// What a name leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Node {
    /// Its number in the script; 0 is the directory in which the script runs.
    pub(super) file: u32,
    pub(super) is_directory: bool,
    pub(super) sort: Sort,
}

/// What sort of a name it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sort {
    /// Of a file or a directory.
    Plain,
    /// A symbolic link.
    Symlink,
    /// None at all: what the script calls an open file without a name (O_TMPFILE).
    Handle,
}

const ROOT: Node = Node { file: 0, is_directory: true, sort: Sort::Plain };

/// A file that a script speaks of, as it is before the run or as it is made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) name: String,
    pub(super) parent: u32,
    pub(super) is_directory: bool,
    pub(super) present: bool,
    pub(super) size: u64,
    pub(super) cached: bool,
}

/// Where a name is, or would be.
#[derive(Clone, Debug)]
pub(super) struct Located {
    pub(super) parent: u32,
    pub(super) name: String,
    pub(super) node: Option<Node>,
}

/// A name within a directory.
type Key = (u32, String);

/// The names.
#[derive(Clone, Debug, Default)]
pub(super) struct Names {
    nodes: BTreeMap<Key, Node>,
    /// What each change replaced, in order, so that a block can be held against what it found.
    changes: Vec<(Key, Option<Node>)>,
    /// All files by their numbers, from 1.
    entries: Vec<Entry>,
    /// The directory in which each of them is now.
    parents: Vec<u32>,
    /// How many names lead to each of them.
    links: Vec<u32>,
    /// Numbers of files that are gone, by the name they were made under, files and directories apart.
    gone: BTreeMap<(Key, bool), Vec<u32>>,
}

impl Names {
    /// All files by their numbers, from 1.
    pub(super) fn into_entries(self) -> Vec<Entry> {
        self.entries
    }

    /// Follows a name; an error says which directory on the way isn't one.
    pub(super) fn locate(&self, path: &str) -> Result<Located, String> {
        if path == "." {
            return Ok(Located { parent: 0, name: String::new(), node: Some(ROOT) });
        }
        let (way, name) = path.rsplit_once('/').unwrap_or(("", path));
        let mut parent = 0;
        for part in way.split('/').filter(|part| !part.is_empty()) {
            match self.nodes.get(&(parent, part.to_owned())) {
                Some(node) if node.is_directory => parent = node.file,
                Some(_) => {
                    return Err(format!("\"{part}\" on the way of \"{path}\" is a file and no directory"));
                }
                None => {
                    return Err(format!("there is no directory \"{part}\" here, on the way of \"{path}\""));
                }
            }
        }
        let name = name.to_owned();
        let node = self.nodes.get(&(parent, name.clone())).copied();
        Ok(Located { parent, name, node })
    }

    fn set(&mut self, key: Key, node: Option<Node>) {
        if let Some(node) = node {
            self.links[node.file as usize - 1] += 1;
        }
        let before = match node {
            Some(node) => self.nodes.insert(key.clone(), node),
            None => self.nodes.remove(&key),
        };
        if let Some(node) = before {
            self.links[node.file as usize - 1] -= 1;
        }
        self.changes.push((key, before));
    }

    /// A new file or directory under a name that leads to nothing.
    pub(super) fn make(&mut self, at: Located, is_directory: bool, sort: Sort) -> u32 {
        let key = (at.parent, at.name);
        let again = self.gone.get_mut(&(key.clone(), is_directory)).and_then(Vec::pop);
        let file = again.unwrap_or_else(|| {
            self.entries.push(Entry {
                name: key.1.clone(),
                parent: key.0,
                is_directory,
                present: false,
                size: 0,
                cached: false,
            });
            self.parents.push(key.0);
            self.links.push(0);
            as_number(self.entries.len())
        });
        self.parents[file as usize - 1] = key.0;
        self.set(key, Some(Node { file, is_directory, sort }));
        file
    }

    /// One more name of a file.
    pub(super) fn link(&mut self, to: Located, node: Node) {
        self.set((to.parent, to.name), Some(Node { sort: Sort::Plain, ..node }));
    }

    /// A file or a directory that is there before the run.
    pub(super) fn declare(&mut self, at: Located, is_directory: bool, size: u64, cached: bool) {
        let file = self.make(at, is_directory, Sort::Plain);
        let entry = &mut self.entries[file as usize - 1];
        (entry.present, entry.size, entry.cached) = (true, size, cached);
    }

    /// Takes away a name that leads to `node`, and what is behind it, unless another name leads there.
    pub(super) fn remove(&mut self, at: Located, node: Node) {
        self.set((at.parent, at.name), None);
        self.forget(node);
    }

    fn forget(&mut self, node: Node) {
        if self.links[node.file as usize - 1] > 0 {
            return;
        }
        let entry = &self.entries[node.file as usize - 1];
        let made_as = ((entry.parent, entry.name.clone()), entry.is_directory);
        self.gone.entry(made_as).or_default().push(node.file);
    }

    /// Moves `node` from one name to another, in place of what is there.
    pub(super) fn rename(&mut self, from: Located, to: Located, node: Node) {
        self.set((from.parent, from.name), None);
        self.parents[node.file as usize - 1] = to.parent;
        self.set((to.parent, to.name), Some(node));
        to.node.into_iter().for_each(|replaced| self.forget(replaced));
    }

    /// Whether nothing lies in a directory.
    pub(super) fn is_empty(&self, directory: u32) -> bool {
        self.nodes
            .range((directory, String::new())..)
            .next()
            .is_none_or(|((parent, _), _)| *parent != directory)
    }

    /// Whether `directory` is `inner` or lies above it.
    pub(super) fn holds(&self, directory: u32, inner: u32) -> bool {
        std::iter::successors(Some(inner), |&at| {
            let index = at.checked_sub(1)?;
            self.parents.get(index as usize).copied()
        })
        .any(|at| at == directory)
    }

    /// The file or directory at the top in which one lies now, itself perhaps; of the top none.
    pub(super) fn top(&self, file: u32) -> Option<u32> {
        let above =
            |&at: &u32| self.parents.get(at.checked_sub(1)? as usize).copied().filter(|&parent| parent > 0);
        std::iter::successors(Some(file).filter(|&file| file > 0), above).last()
    }

    /// A point to compare with.
    pub(super) fn mark(&self) -> usize {
        self.changes.len()
    }

    /// Whether all names lead where they led at `mark`.
    pub(super) fn as_at(&self, mark: usize) -> bool {
        let mut found: BTreeMap<&Key, Option<Node>> = BTreeMap::new();
        for (key, before) in &self.changes[mark..] {
            found.entry(key).or_insert(*before);
        }
        found.into_iter().all(|(key, before)| self.nodes.get(key).copied() == before)
    }
}
