//! Which file is where: numbers of the program, names of the directory. Renames change it while processes run.

use super::error::DriveError;
use super::ground::{Ground, Way};
use petrio_colours::FileId;
use petrio_workload::program::{FileEntry, FileTable};
use smallvec::SmallVec;
use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// Where a file is now.
#[derive(Clone, Debug)]
struct Location {
    parent: FileId,
    name: String,
    renames: u64,
}

/// Names of all files, shared by the processes.
#[derive(Debug)]
pub(super) struct Names {
    ground: Ground,
    table: FileTable,
    /// Those that were renamed; all others are where the table says.
    moved: Mutex<BTreeMap<FileId, Location>>,
    /// Whether any was renamed yet: until then nobody needs the lock.
    is_any_moved: AtomicBool,
}

/// Names above a file at most, before the list of them is made longer.
const USUAL_DEPTH: usize = 16;

impl Names {
    pub(super) fn new(ground: Ground, table: FileTable) -> Self {
        Self { ground, table, moved: Mutex::default(), is_any_moved: AtomicBool::new(false) }
    }

    pub(super) fn root(&self) -> &Path {
        self.ground.path()
    }

    /// The directory itself.
    pub(super) fn open_root(&self) -> io::Result<File> {
        self.ground.open_itself()
    }

    /// How a path is reached.
    pub(super) fn way<'a>(&'a self, path: &'a Path) -> Way<'a> {
        self.ground.way(path)
    }

    fn entry(&self, file: FileId) -> Result<&FileEntry, DriveError> {
        self.table.get(file).ok_or(DriveError::UnknownFile { file })
    }

    fn place(&self, moved: &BTreeMap<FileId, Location>, file: FileId) -> Result<Location, DriveError> {
        if let Some(place) = moved.get(&file) {
            return Ok(place.clone());
        }
        let entry = self.entry(file)?;
        Ok(Location { parent: entry.parent, name: entry.name.clone(), renames: 0 })
    }

    /// The directory above a file and its name there.
    fn step<'a>(
        &'a self,
        moved: Option<&'a BTreeMap<FileId, Location>>,
        file: FileId,
    ) -> Result<(FileId, &'a str), DriveError> {
        if let Some(place) = moved.and_then(|moved| moved.get(&file)) {
            return Ok((place.parent, &place.name));
        }
        let entry = self.entry(file)?;
        Ok((entry.parent, &entry.name))
    }

    fn path_in(
        &self,
        moved: Option<&BTreeMap<FileId, Location>>,
        file: FileId,
    ) -> Result<PathBuf, DriveError> {
        let mut names: SmallVec<[&str; USUAL_DEPTH]> = SmallVec::new();
        let mut length = self.root().as_os_str().len();
        let mut at = file;
        // A directory can't lie in itself, so this ends; the bound is for programs that say so all the same.
        while at != FileId::ROOT && names.len() <= self.table.len() {
            let (parent, name) = self.step(moved, at)?;
            length += 1 + name.len();
            names.push(name);
            at = parent;
        }
        // Between two calls that are measured: one allocation.
        let mut path = PathBuf::with_capacity(length + 1);
        path.push(self.root());
        names.iter().rev().for_each(|name| path.push(name));
        Ok(path)
    }

    /// Where a file is now.
    pub(super) fn path(&self, file: FileId) -> Result<PathBuf, DriveError> {
        if self.is_any_moved.load(Ordering::Acquire) {
            self.path_in(Some(&self.moved.lock().unwrap_or_else(PoisonError::into_inner)), file)
        } else {
            self.path_in(None, file)
        }
    }

    /// Whether it is a directory.
    pub(super) fn is_directory(&self, file: FileId) -> bool {
        file == FileId::ROOT || self.table.get(file).is_some_and(|entry| entry.is_directory)
    }

    /// Where a rename moves a file from and to; after it the file is there.
    pub(super) fn rename(
        &self,
        file: FileId,
        parent: FileId,
        replaced: Option<FileId>,
    ) -> Result<(PathBuf, PathBuf), DriveError> {
        let mut moved = self.moved.lock().unwrap_or_else(PoisonError::into_inner);
        self.is_any_moved.store(true, Ordering::Release);
        let from = self.path_in(Some(&moved), file)?;
        let mut place = self.place(&moved, file)?;
        place.renames += 1;
        place.parent = parent;
        place.name = match replaced {
            Some(other) => self.place(&moved, other)?.name,
            None => {
                self.table.name_after_rename(file, place.renames).ok_or(DriveError::UnknownFile { file })?
            }
        };
        moved.insert(file, place);
        let to = self.path_in(Some(&moved), file)?;
        Ok((from, to))
    }

    /// Forgets where a file was moved: it is gone, and a new one of its number gets its own name again.
    pub(super) fn forget(&self, file: FileId) {
        if self.is_any_moved.load(Ordering::Acquire) {
            self.moved.lock().unwrap_or_else(PoisonError::into_inner).remove(&file);
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn entry(number: u32, name: &str, parent: u32, is_directory: bool) -> FileEntry {
        FileEntry {
            file: FileId(number),
            name: name.to_owned(),
            parent: FileId(parent),
            is_directory,
            present: true,
            size: 0,
            cached: false,
        }
    }

    #[test]
    fn a_file_follows_its_directory_and_takes_the_name_of_what_it_replaces() {
        let mut table = FileTable::new();
        table.add(entry(1, "d", 0, true)).unwrap();
        table.add(entry(2, "a", 1, false)).unwrap();
        table.add(entry(3, "b", 0, false)).unwrap();
        let names = Names::new(Ground::At("/r".into()), table);
        assert_eq!(names.path(FileId(2)).unwrap(), Path::new("/r/d/a"));
        assert_eq!(names.path(FileId::ROOT).unwrap(), Path::new("/r"));
        names.rename(FileId(1), FileId::ROOT, None).unwrap();
        assert_eq!(names.path(FileId(2)).unwrap(), Path::new("/r/d~1/a"));
        let (from, to) = names.rename(FileId(2), FileId::ROOT, Some(FileId(3))).unwrap();
        assert_eq!((from.as_path(), to.as_path()), (Path::new("/r/d~1/a"), Path::new("/r/b")));
        assert!(names.is_directory(FileId(1)) && !names.is_directory(FileId(2)));
        names.forget(FileId(2));
        assert_eq!(names.path(FileId(2)).unwrap(), Path::new("/r/d~1/a"));
        assert!(matches!(names.path(FileId(9)), Err(DriveError::UnknownFile { .. })));
    }
}
