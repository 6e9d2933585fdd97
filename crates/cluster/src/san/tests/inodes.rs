//! A model of what stands in inodes, and of what nodes and disks know of it.

use crate::san::cache::Key;
use crate::san::message::{InodeAccess, InodeReply, InodeRequest, Payload};
use crate::san::volume::Volume;
use petrio_colours::FileId;
use std::collections::BTreeMap;

/// What somebody knows of an inode: of each node, how many of its changes.
type Inode = BTreeMap<usize, u64>;

fn merge(into: &mut Inode, from: Inode) {
    for (node, changes) in from {
        let known = into.entry(node).or_insert(0);
        *known = changes.max(*known);
    }
}

/// What stands in inodes, and what of it is known where.
#[derive(Default)]
pub(super) struct Inodes {
    /// Changes that have been seen.
    counted: BTreeMap<FileId, u64>,
    latest: BTreeMap<FileId, Inode>,
    on_disk: BTreeMap<FileId, Inode>,
    known: BTreeMap<(usize, FileId), Inode>,
    /// What requests are about, what they carry, and what replies do: by who sent the request, and its tag.
    about: BTreeMap<(usize, u32), FileId>,
    carried: BTreeMap<(usize, u32), Inode>,
    answered: BTreeMap<(usize, u32), Inode>,
    /// What requests write, by whose they are, and their tags.
    written: BTreeMap<(usize, u32), Vec<(FileId, Inode)>>,
}

fn files(keys: &[Key]) -> impl Iterator<Item = FileId> + '_ {
    keys.iter().filter_map(|key| if let Key::Inode(file) = *key { Some(file) } else { None })
}

impl Inodes {
    /// A node has done something: what it changed it knows.
    pub(super) fn changed_by(&mut self, node: usize, volume: &Volume) {
        for file in (0..200).map(FileId) {
            if volume.size(file).is_none() {
                self.latest.remove(&file);
                self.counted.remove(&file);
                continue;
            }
            let counted = self.counted.entry(file).or_insert(0);
            let more = volume.changes(file) - *counted;
            *counted += more;
            if more > 0 {
                *self.latest.entry(file).or_default().entry(node).or_insert(0) += more;
                *self.known.entry((node, file)).or_default().entry(node).or_insert(0) += more;
            }
        }
    }

    fn of(&self, node: usize, file: FileId) -> Inode {
        self.known.get(&(node, file)).cloned().unwrap_or_default()
    }

    /// A node says something to another.
    pub(super) fn said(&mut self, node: usize, to: usize, said: Payload) {
        match said {
            Payload::Inode(InodeRequest { file, access, tag, .. }) => {
                self.about.insert((node, tag), file);
                if matches!(access, InodeAccess::Merge { .. }) {
                    self.carried.insert((node, tag), self.of(node, file));
                }
            }
            Payload::InodeReply(InodeReply { tag, inode, .. }) => {
                if let Some(file) = self.about.get(&(to, tag)).filter(|_| inode) {
                    self.answered.insert((to, tag), self.of(node, *file));
                }
            }
            _ => {}
        }
    }

    /// A node hears something.
    pub(super) fn heard(&mut self, node: usize, said: Payload) {
        let (file, inode) = match said {
            Payload::Inode(InodeRequest { file, node: from, tag, .. }) => {
                (file, self.carried.remove(&(from as usize, tag)))
            }
            Payload::InodeReply(InodeReply { tag, .. }) => {
                let file = self.about.remove(&(node, tag));
                (file.unwrap_or(FileId::ROOT), self.answered.remove(&(node, tag)))
            }
            _ => return,
        };
        merge(self.known.entry((node, file)).or_default(), inode.unwrap_or_default());
    }

    /// A node has inodes written.
    pub(super) fn writes(&mut self, node: usize, tag: u32, keys: &[Key]) {
        let written = files(keys).map(|file| (file, self.of(node, file))).collect();
        self.written.insert((node, tag), written);
    }

    /// A request of a node has come back from its disk.
    pub(super) fn came(&mut self, node: usize, tag: u32, keys: &[Key]) {
        match self.written.remove(&(node, tag)) {
            Some(written) => {
                for (file, inode) in written {
                    merge(self.on_disk.entry(file).or_default(), inode);
                }
            }
            None => {
                for file in files(keys) {
                    let inode = self.on_disk.get(&file).cloned().unwrap_or_default();
                    merge(self.known.entry((node, file)).or_default(), inode);
                }
            }
        }
    }

    /// Whether a node knows all that was ever changed of a file's inode.
    pub(super) fn is_exact(&self, node: usize, file: FileId) -> bool {
        self.latest.get(&file).is_none_or(|latest| self.known.get(&(node, file)) == Some(latest))
    }

    /// Whether all that was ever changed of files that are there is on the disks.
    pub(super) fn is_on_disk(&self) -> bool {
        self.latest.iter().all(|(file, latest)| self.on_disk.get(file) == Some(latest))
    }
}
