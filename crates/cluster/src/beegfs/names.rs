//! What all clients know of names: in which directory each file is, as they find it by its path, and where files end.

use crate::end_of_file::EndsOfFile;
use petrio_colours::{FileId, FileOp, Operation, Status};
use petrio_persist::Persist;
use petrio_stage::fast_map::FastMap;

/// A file or directory.
#[derive(Clone, Copy, Debug, Persist)]
struct Name {
    parent: FileId,
    is_directory: bool,
    /// What is in it.
    entries: u64,
}

/// All of them.
#[derive(Clone, Debug, Default, Persist)]
pub struct Names {
    all: FastMap<FileId, Name>,
    pub(super) ends: EndsOfFile,
}

impl Names {
    /// A file or directory is there when a run begins.
    pub fn is_there(&mut self, file: FileId, parent: FileId, (is_directory, bytes): (bool, u64)) {
        self.add(file, parent, is_directory);
        if !is_directory {
            let (operation, status) = (Operation::Write, Status::DoneFromCache);
            self.ends.note(&FileOp { operation, file, length: bytes, status, ..FileOp::default() });
        }
    }

    fn add(&mut self, file: FileId, parent: FileId, is_directory: bool) {
        if file == FileId::ROOT {
            return;
        }
        let entries = self.all.get(&file).map_or(0, |name| name.entries);
        if self.all.insert(file, Name { parent, is_directory, entries }).is_none() {
            self.counted(parent);
        }
    }

    /// A directory has one entry more.
    fn counted(&mut self, directory: FileId) {
        let none = Name { parent: FileId::ROOT, is_directory: true, entries: 0 };
        self.all.entry(directory).or_insert(none).entries += 1;
    }

    fn remove(&mut self, file: FileId) {
        let Some(gone) = self.all.remove(&file) else { return };
        if let Some(parent) = self.all.get_mut(&gone.parent) {
            parent.entries = parent.entries.saturating_sub(1);
        }
    }

    /// The directory of a file's name.
    pub(super) fn parent(&self, file: FileId) -> FileId {
        self.all.get(&file).map_or(FileId::ROOT, |name| name.parent)
    }

    pub(super) fn exists(&self, file: FileId) -> bool {
        file == FileId::ROOT || self.all.contains_key(&file)
    }

    pub(super) fn is_directory(&self, file: FileId) -> bool {
        file == FileId::ROOT || self.all.get(&file).is_some_and(|name| name.is_directory)
    }

    /// How many names are in a directory.
    pub(super) fn entries(&self, directory: FileId) -> u64 {
        self.all.get(&directory).map_or(0, |name| name.entries)
    }

    /// The directories from below the root down to one.
    pub(super) fn way(&self, directory: FileId) -> Vec<FileId> {
        let (mut way, mut at) = (Vec::new(), directory);
        // No tree is deeper than it has directories.
        while at != FileId::ROOT && way.len() <= self.all.len() {
            way.push(at);
            at = self.parent(at);
        }
        way.reverse();
        way
    }

    /// An operation is over.
    pub(super) fn note(&mut self, op: &FileOp) {
        self.ends.note(op);
        if op.status.failure().is_some() {
            return;
        }
        match op.operation {
            Operation::Create => self.add(op.file, op.parent, false),
            Operation::Mkdir => self.add(op.file, op.parent, true),
            Operation::Unlink | Operation::Rmdir => self.remove(op.file),
            Operation::Rename => {
                op.replaced
                    .filter(|other| *other != op.file)
                    .into_iter()
                    .for_each(|other| self.remove(other));
                let Some(moved) = self.all.get_mut(&op.file) else { return };
                let from = std::mem::replace(&mut moved.parent, op.parent);
                if let Some(from) = self.all.get_mut(&from) {
                    from.entries = from.entries.saturating_sub(1);
                }
                self.counted(op.parent);
            }
            _ => {}
        }
    }
}
