//! Names that cost nothing but memory: which files and directories there are, and in which directory each is (`simple_*` of fs/libfs.c, mm/shmem.c).

use crate::file_system::FileError;
use crate::shared_slots::SharedSlots;
use petrio_colours::{FileId, FileOp, Operation};
use petrio_persist::Persist;
use petrio_units::numbers::as_number;
use std::sync::Arc;

/// A file or directory.
#[derive(Clone, Debug, Persist)]
struct Named {
    /// Of its first name; of a file without one, the directory that it was made for.
    parent: FileId,
    is_directory: bool,
    /// What is in it, if it is a directory.
    entries: u64,
    /// Whether it has no name yet.
    nameless: bool,
    /// The directories of its further names.
    others: Vec<FileId>,
}

impl Named {
    fn new(parent: FileId, is_directory: bool) -> Self {
        Self { parent, is_directory, entries: 0, nameless: false, others: Vec::new() }
    }
}

/// All of them.
#[derive(Clone, Debug, Persist)]
pub(crate) struct Names(SharedSlots<Named>);

impl Default for Names {
    /// The root alone.
    fn default() -> Self {
        let mut slots = SharedSlots::default();
        slots.put(FileId::ROOT.0 as usize, Arc::new(Named::new(FileId::ROOT, true)));
        Self(slots)
    }
}

impl Names {
    fn get(&self, file: FileId) -> Option<&Named> {
        self.0.get(file.0 as usize)
    }

    fn find(&self, file: FileId) -> Result<&Named, FileError> {
        self.get(file).ok_or(FileError::NotFound { file })
    }

    pub(crate) fn exists(&self, file: FileId) -> bool {
        self.get(file).is_some()
    }

    pub(crate) fn is_directory(&self, file: FileId) -> bool {
        self.get(file).is_some_and(|named| named.is_directory)
    }

    /// What is known to be in a directory.
    pub(crate) fn entries(&self, directory: FileId) -> Vec<FileId> {
        let here = |named: &Named| named.parent == directory && !named.nameless;
        let all = self.0.iter().filter(|(number, named)| {
            *number != FileId::ROOT.0 as usize && (here(named) || named.others.contains(&directory))
        });
        all.map(|(number, _)| FileId(as_number(number))).collect()
    }

    /// A file or directory is gone, with all of its names.
    pub(crate) fn forget(&mut self, file: FileId) {
        self.remove(file);
    }

    fn directory(&self, file: FileId) -> Result<&Named, FileError> {
        let named = self.find(file)?;
        if named.is_directory { Ok(named) } else { Err(FileError::NotADirectory { file }) }
    }

    fn plain(&self, file: FileId) -> Result<(), FileError> {
        if self.find(file)?.is_directory { Err(FileError::IsADirectory { file }) } else { Ok(()) }
    }

    fn count(&mut self, directory: FileId, change: impl FnOnce(u64) -> u64) {
        if let Some(named) = self.0.get_mut(directory.0 as usize) {
            named.entries = change(named.entries);
        }
    }

    /// Makes a file or directory.
    ///
    /// # Errors
    /// Where its directory is none, or it is there already.
    pub(crate) fn add(&mut self, file: FileId, parent: FileId, is_directory: bool) -> Result<(), FileError> {
        self.directory(parent)?;
        if self.exists(file) {
            return Err(FileError::Exists { file });
        }
        self.0.put(file.0 as usize, Arc::new(Named::new(parent, is_directory)));
        self.count(parent, |entries| entries + 1);
        Ok(())
    }

    /// Takes all of its names away, and what is behind them.
    fn remove(&mut self, file: FileId) {
        if let Some(named) = self.0.take(file.0 as usize) {
            let first = (!named.nameless).then_some(named.parent);
            for directory in first.into_iter().chain(named.others.iter().copied()) {
                self.count(directory, |entries| entries.saturating_sub(1));
            }
        }
    }

    /// Takes a file's name in a directory away; with the last one goes the file.
    fn unlink(&mut self, file: FileId, parent: FileId) {
        let Some(named) = self.0.get_mut(file.0 as usize) else { return };
        let at = named.others.iter().rposition(|other| *other == parent);
        let Some(at) = at.or_else(|| named.others.len().checked_sub(1)) else {
            return self.remove(file);
        };
        let mut gone = named.others.swap_remove(at);
        if gone != parent && named.parent == parent {
            std::mem::swap(&mut gone, &mut named.parent);
        }
        self.count(gone, |entries| entries.saturating_sub(1));
    }

    /// Gives a file one more name.
    fn link(&mut self, file: FileId, parent: FileId) -> Result<(), FileError> {
        self.plain(file)?;
        self.directory(parent)?;
        if let Some(named) = self.0.get_mut(file.0 as usize) {
            match std::mem::take(&mut named.nameless) {
                true => named.parent = parent,
                false => named.others.push(parent),
            }
        }
        self.count(parent, |entries| entries + 1);
        Ok(())
    }

    fn empty(&self, file: FileId) -> Result<(), FileError> {
        let entries = self.directory(file)?.entries;
        if file == FileId::ROOT {
            return Err(FileError::Misplaced { file, reason: "it is the root; name another directory" });
        }
        if entries > 0 { Err(FileError::NotEmpty { file, entries }) } else { Ok(()) }
    }

    /// Carries out an operation on names or sizes; whether it has made a file.
    ///
    /// # Errors
    /// As of [`Volume::operate`](crate::file_system::Volume::operate); nothing is changed then.
    pub(crate) fn operate(&mut self, op: &FileOp) -> Result<bool, FileError> {
        let file = op.file;
        match op.operation {
            Operation::Create | Operation::Symlink => self.add(file, op.parent, false).map(|()| true),
            Operation::Tmpfile => {
                self.add(file, op.parent, false)?;
                self.count(op.parent, |entries| entries.saturating_sub(1));
                self.0.get_mut(file.0 as usize).into_iter().for_each(|named| named.nameless = true);
                Ok(true)
            }
            Operation::Close => {
                if self.get(file).is_some_and(|named| named.nameless) {
                    self.remove(file);
                }
                Ok(false)
            }
            Operation::Link => self.link(file, op.parent).map(|()| false),
            Operation::Mkdir => self.add(file, op.parent, true).map(|()| true),
            Operation::Unlink => {
                self.plain(file)?;
                self.unlink(file, op.parent);
                Ok(false)
            }
            Operation::Rmdir => {
                self.empty(file)?;
                self.remove(file);
                Ok(false)
            }
            Operation::Rename => self.rename(op).map(|()| false),
            Operation::Truncate | Operation::Allocate => self.plain(file).map(|()| false),
            Operation::Readdir => self.directory(file).map(|_| false),
            Operation::Stat | Operation::Open | Operation::SetAttributes | Operation::SetXattr => {
                self.find(file).map(|_| false)
            }
            _ => Ok(false),
        }
    }

    fn rename(&mut self, op: &FileOp) -> Result<(), FileError> {
        let (file, parent) = (op.file, op.parent);
        let is_directory = self.find(file)?.is_directory;
        self.directory(parent)?;
        let mut above = parent;
        while is_directory && above != FileId::ROOT {
            if above == file {
                let reason = "the new place lies inside of it; choose a place outside";
                return Err(FileError::Misplaced { file, reason });
            }
            above = self.find(above)?.parent;
        }
        if let Some(other) = op.replaced.filter(|&other| other != file) {
            if self.find(other)?.parent != parent {
                return Err(FileError::NotFound { file: other });
            }
            match (is_directory, self.is_directory(other)) {
                (true, true) => self.empty(other)?,
                (false, true) => return Err(FileError::IsADirectory { file: other }),
                (true, false) => return Err(FileError::NotADirectory { file: other }),
                (false, false) => {}
            }
            self.remove(other);
        }
        let Some(mut named) = self.0.take(file.0 as usize) else { return Ok(()) };
        self.count(named.parent, |entries| entries.saturating_sub(1));
        Arc::make_mut(&mut named).parent = parent;
        self.0.put(file.0 as usize, named);
        self.count(parent, |entries| entries + 1);
        Ok(())
    }
}
