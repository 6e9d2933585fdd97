//! Which file is where: numbers of the program, names of the directory. Renames change it while processes run.

use super::error::DriveError;
use petrio_colours::FileId;
use petrio_workload::program::FileTable;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Where a file is now.
#[derive(Clone, Debug)]
struct Place {
    parent: FileId,
    name: String,
    renames: u64,
}

/// Names of all files, shared by the processes.
#[derive(Debug)]
pub(super) struct Names {
    root: PathBuf,
    table: FileTable,
    /// Those that were renamed; all others are where the table says.
    moved: Mutex<BTreeMap<FileId, Place>>,
}

impl Names {
    pub(super) fn new(root: &Path, table: FileTable) -> Self {
        Self { root: root.to_owned(), table, moved: Mutex::default() }
    }

    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    fn place(&self, moved: &BTreeMap<FileId, Place>, file: FileId) -> Result<Place, DriveError> {
        if let Some(place) = moved.get(&file) {
            return Ok(place.clone());
        }
        let entry = self.table.get(file).ok_or(DriveError::UnknownFile { file })?;
        Ok(Place { parent: entry.parent, name: entry.name.clone(), renames: 0 })
    }

    fn path_in(&self, moved: &BTreeMap<FileId, Place>, file: FileId) -> Result<PathBuf, DriveError> {
        let mut names = Vec::new();
        let mut at = file;
        // A directory can't lie in itself, so this ends; the bound is for programs that say so all the same.
        while at != FileId::ROOT && names.len() <= self.table.len() {
            let place = self.place(moved, at)?;
            names.push(place.name);
            at = place.parent;
        }
        Ok(names.iter().rev().fold(self.root.clone(), |path, name| path.join(name)))
    }

    /// Where a file is now.
    pub(super) fn path(&self, file: FileId) -> Result<PathBuf, DriveError> {
        self.path_in(&self.moved.lock().unwrap_or_else(PoisonError::into_inner), file)
    }

    /// Where a rename moves a file from and to; after it the file is there.
    pub(super) fn rename(
        &self,
        file: FileId,
        parent: FileId,
        replaced: Option<FileId>,
    ) -> Result<(PathBuf, PathBuf), DriveError> {
        let mut moved = self.moved.lock().unwrap_or_else(PoisonError::into_inner);
        let from = self.path_in(&moved, file)?;
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
        let to = self.path_in(&moved, file)?;
        Ok((from, to))
    }

    /// Forgets where a file was moved: it is gone, and a new one of its number gets its own name again.
    pub(super) fn forget(&self, file: FileId) {
        self.moved.lock().unwrap_or_else(PoisonError::into_inner).remove(&file);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use petrio_workload::program::FileEntry;

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
        let names = Names::new(Path::new("/r"), table);
        assert_eq!(names.path(FileId(2)).unwrap(), Path::new("/r/d/a"));
        names.rename(FileId(1), FileId::ROOT, None).unwrap();
        assert_eq!(names.path(FileId(2)).unwrap(), Path::new("/r/d~1/a"));
        let (from, to) = names.rename(FileId(2), FileId::ROOT, Some(FileId(3))).unwrap();
        assert_eq!((from.as_path(), to.as_path()), (Path::new("/r/d~1/a"), Path::new("/r/b")));
        names.forget(FileId(2));
        assert_eq!(names.path(FileId(2)).unwrap(), Path::new("/r/d~1/a"));
        assert!(matches!(names.path(FileId(9)), Err(DriveError::UnknownFile { .. })));
    }
}
