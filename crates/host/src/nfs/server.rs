//! What a server has: names, sizes, numbers of changes, and which delegations it has given.
//!
//! After fs/nfsd of Linux 6.1: a delegation to read is given with the opening of a file that may be read, unless that file was taken back
//! from somebody within the last half minute (`delegation_blocked`). It is taken back when somebody else changes the file.

use petrio_kernel::Time;
use petrio_persist::Persist;
use std::collections::BTreeMap;

/// How long a file is not delegated after a recall: one of the two halves of the Bloom filter, which are emptied in turn every 30 s.
const BLOCKED: Time = Time::from_whole_seconds(30);

/// A file, directory or symbolic link on a server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Persist)]
pub struct Node(pub u32);

impl Node {
    /// The directory that is exported.
    pub const ROOT: Self = Self(0);
}

/// What a node is.
#[derive(Clone, Debug, PartialEq, Eq, Persist)]
pub enum Kind {
    /// A file of so many bytes.
    File(u64),
    /// A directory and what is in it.
    Directory(BTreeMap<String, Node>),
    /// A symbolic link that points to so many bytes.
    Link(u64),
}

/// Why something can't be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NfsError {
    /// There is nothing of this name.
    NotFound,
    /// There is something of this name.
    Exists,
    /// It is no directory.
    NotADirectory,
    /// It is a directory.
    IsADirectory,
    /// There is something in it.
    NotEmpty,
    /// The version, or the server, lacks it.
    NotSupported,
}

#[derive(Clone, Debug, Persist)]
struct Entry {
    kind: Kind,
    change: u64,
    links: u32,
    delegated: bool,
    recalled: Option<Time>,
}

/// An exported directory.
#[derive(Clone, Debug, Persist)]
pub struct Export {
    nodes: Vec<Entry>,
    /// Whether delegations are given (fs.leases-enable).
    delegations: bool,
}

impl Default for Export {
    fn default() -> Self {
        Self { nodes: vec![Entry::new(Kind::Directory(BTreeMap::new()))], delegations: true }
    }
}

impl Entry {
    fn new(kind: Kind) -> Self {
        Self { kind, change: 1, links: 1, delegated: false, recalled: None }
    }
}

impl Export {
    /// An empty directory, of a server that gives delegations or doesn't.
    #[must_use]
    pub fn new(delegations: bool) -> Self {
        Self { delegations, ..Self::default() }
    }

    fn entry(&self, node: Node) -> Option<&Entry> {
        self.nodes.get(node.0 as usize)
    }

    fn entry_mut(&mut self, node: Node) -> Option<&mut Entry> {
        self.nodes.get_mut(node.0 as usize)
    }

    /// The number of its newest change.
    pub fn change(&self, node: Node) -> u64 {
        self.entry(node).map_or(0, |entry| entry.change)
    }

    /// What it is, where it is known.
    pub fn kind(&self, node: Node) -> Option<&Kind> {
        self.entry(node).map(|entry| &entry.kind)
    }

    /// Bytes of a file, or that a link points to.
    pub fn size(&self, node: Node) -> u64 {
        match self.kind(node) {
            Some(Kind::File(bytes) | Kind::Link(bytes)) => *bytes,
            _ => 0,
        }
    }

    /// Whether it is a directory.
    pub fn is_directory(&self, node: Node) -> bool {
        matches!(self.kind(node), Some(Kind::Directory(_)))
    }

    /// Its names.
    pub fn links(&self, node: Node) -> u32 {
        self.entry(node).map_or(0, |entry| entry.links)
    }

    /// What is in a directory, by name.
    pub fn names(&self, directory: Node) -> Vec<(String, Node)> {
        match self.kind(directory) {
            Some(Kind::Directory(names)) => names.iter().map(|(name, node)| (name.clone(), *node)).collect(),
            _ => Vec::new(),
        }
    }

    /// What has a name in a directory.
    pub fn find(&self, directory: Node, name: &str) -> Option<Node> {
        match self.kind(directory) {
            Some(Kind::Directory(names)) => names.get(name).copied(),
            _ => None,
        }
    }

    /// What a path leads to, from the export's root.
    pub fn at(&self, path: &[&str]) -> Option<Node> {
        path.iter().try_fold(Node::ROOT, |at, name| self.find(at, name))
    }

    /// It has changed.
    pub fn touch(&mut self, node: Node) {
        self.entry_mut(node).into_iter().for_each(|entry| entry.change += 1);
    }

    /// Makes something of a name in a directory.
    ///
    /// # Errors
    /// Where it is there already, or the directory is none.
    pub fn make(&mut self, directory: Node, name: &str, kind: Kind) -> Result<Node, NfsError> {
        let node = Node(u32::try_from(self.nodes.len()).unwrap_or(u32::MAX));
        self.put(directory, name, node)?;
        self.nodes.push(Entry::new(kind));
        Ok(node)
    }

    fn put(&mut self, directory: Node, name: &str, node: Node) -> Result<(), NfsError> {
        let entry = self.entry_mut(directory).ok_or(NfsError::NotFound)?;
        let Kind::Directory(names) = &mut entry.kind else { return Err(NfsError::NotADirectory) };
        if names.contains_key(name) {
            return Err(NfsError::Exists);
        }
        names.insert(name.to_owned(), node);
        entry.change += 1;
        Ok(())
    }

    /// Takes a name away; what had it.
    ///
    /// # Errors
    /// Where there is no such name, or a directory has something in it.
    pub fn remove(&mut self, directory: Node, name: &str) -> Result<Node, NfsError> {
        let node = self.find(directory, name).ok_or(NfsError::NotFound)?;
        if !self.names(node).is_empty() {
            return Err(NfsError::NotEmpty);
        }
        self.take(directory, name);
        if let Some(entry) = self.entry_mut(node) {
            entry.links = entry.links.saturating_sub(1);
            entry.change += 1;
        }
        Ok(node)
    }

    fn take(&mut self, directory: Node, name: &str) {
        if let Some(entry) = self.entry_mut(directory)
            && let Kind::Directory(names) = &mut entry.kind
        {
            names.remove(name);
            entry.change += 1;
        }
    }

    /// Moves a name, in place of what has the new one.
    ///
    /// # Errors
    /// As of `remove`.
    pub fn rename(&mut self, from: (Node, &str), to: (Node, &str)) -> Result<(), NfsError> {
        let node = self.find(from.0, from.1).ok_or(NfsError::NotFound)?;
        if self.find(to.0, to.1).is_some() {
            self.remove(to.0, to.1)?;
        }
        self.take(from.0, from.1);
        self.touch(node);
        self.put(to.0, to.1, node)
    }

    /// Gives a file one more name.
    ///
    /// # Errors
    /// Where the name is taken.
    pub fn link(&mut self, node: Node, directory: Node, name: &str) -> Result<(), NfsError> {
        self.put(directory, name, node)?;
        self.entry_mut(node)
            .into_iter()
            .for_each(|entry| (entry.links, entry.change) = (entry.links + 1, entry.change + 1));
        Ok(())
    }

    /// A file has so many bytes now.
    pub fn resize(&mut self, node: Node, bytes: u64) {
        if let Some(entry) = self.entry_mut(node)
            && let Kind::File(size) = &mut entry.kind
        {
            *size = bytes;
            entry.change += 1;
        }
    }

    /// Delegates a file that is opened to be read; whether it does.
    pub(super) fn delegate(&mut self, node: Node, now: Time) -> bool {
        let gives = self.delegations;
        let Some(entry) = self.entry_mut(node) else { return false };
        let is_blocked = entry.recalled.is_some_and(|at| now < at + BLOCKED);
        entry.delegated = gives && !is_blocked && matches!(entry.kind, Kind::File(_));
        entry.delegated
    }

    /// A delegation came back.
    pub(super) fn returned(&mut self, node: Node) {
        self.entry_mut(node).into_iter().for_each(|entry| entry.delegated = false);
    }

    /// Somebody else wants to change a file: whether its delegation has to be taken back before.
    pub(super) fn recalls(&mut self, node: Node, now: Time) -> bool {
        let Some(entry) = self.entry_mut(node).filter(|entry| entry.delegated) else { return false };
        entry.recalled = Some(now);
        true
    }
}
