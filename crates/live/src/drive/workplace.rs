//! A directory in which a workload's files are prepared, and from which whatever was made is removed.

use super::error::DriveError;
use crate::content;
use petrio_capture::undo::Undo;
use petrio_files::under_way::{self, TREE, random_name};
use petrio_workload::program::{FileEntry, FileTable};
use rustix::fs::Advice;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Bytes read at once while files are brought into the cache.
const PIECE_BYTES: usize = 1 << 20;

/// A directory for one run; what was made in it is removed when this is dropped.
#[derive(Debug)]
pub struct Workplace {
    root: PathBuf,
    _undo: Undo,
}

impl Workplace {
    /// A fresh directory inside `directory`; nothing else there is touched, and it goes as a whole.
    ///
    /// # Errors
    /// It can't be made.
    pub fn inside(directory: &Path) -> Result<Self, DriveError> {
        let root = directory.join(format!("petrio-drive-{}", random_name()));
        let aside = aside(&root);
        let recorded = under_way::begin(TREE, &aside);
        let make = || fs::create_dir(&root).map_err(DriveError::file("make the directory", &root));
        let undo = move |root: &Path| {
            let is_gone = remove(root, &aside);
            if is_gone {
                drop(recorded);
            } else {
                recorded.keep();
            }
            is_gone
        };
        let ((), undo) = Undo::recorded(TREE, &root, make, undo)?;
        Ok(Self { root, _undo: undo })
    }

    /// `directory` itself, for file systems of one's own: the workload's files then lie in the root directory as they
    /// do in the model. What appears in it until this is dropped is removed; what is there already stays.
    ///
    /// # Errors
    /// It can't be read.
    pub fn itself(directory: &Path) -> Result<Self, DriveError> {
        let before = entries(directory)?;
        let undo = {
            let root = directory.to_owned();
            Undo::new(move || {
                for path in entries(&root).unwrap_or_default() {
                    if before.contains(&path) {
                        continue;
                    }
                    // A link is removed, never followed.
                    if path.symlink_metadata().is_ok_and(|metadata| metadata.is_dir()) {
                        let _ = fs::remove_dir_all(&path);
                    } else {
                        let _ = fs::remove_file(&path);
                    }
                }
            })
        };
        Ok(Self { root: directory.to_owned(), _undo: undo })
    }

    /// Where it is.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Makes the files that there are before the run, durable, and in the page cache or not as the table says.
    ///
    /// # Errors
    /// No room, no right.
    pub fn prepare(&self, table: &FileTable) -> Result<(), DriveError> {
        for entry in table.entries().iter().filter(|entry| entry.present) {
            self.make(entry, &self.path(table, entry)?)?;
        }
        let root = File::open(&self.root).map_err(DriveError::file("open", &self.root))?;
        rustix::fs::syncfs(&root).map_err(|errno| DriveError::file("sync", &self.root)(errno.into()))?;
        // Only clean pages can be dropped, and reading in what is wanted comes last, so that nothing pushes it out.
        let files = || table.entries().iter().filter(|entry| entry.present && !entry.is_directory);
        for entry in files().filter(|entry| !entry.cached) {
            drop_pages(&self.path(table, entry)?)?;
        }
        for entry in files().filter(|entry| entry.cached) {
            read_whole(&self.path(table, entry)?)?;
        }
        Ok(())
    }

    fn path(&self, table: &FileTable, entry: &FileEntry) -> Result<PathBuf, DriveError> {
        let path = table.path(entry.file).ok_or(DriveError::UnknownFile { file: entry.file })?;
        Ok(self.root.join(path))
    }

    fn make(&self, entry: &FileEntry, path: &Path) -> Result<(), DriveError> {
        if entry.is_directory {
            return fs::create_dir(path).map_err(DriveError::file("make the directory", path));
        }
        content::write_new(path, entry.size).map_err(DriveError::file("write", path))
    }
}

/// What a directory is called while it is removed.
fn aside(root: &Path) -> PathBuf {
    root.with_extension("removed")
}

/// Removes a directory in which programs may still be at work, when a signal ends them; whether it is gone. Under
/// another name first, where nobody finds it, or what they make meanwhile would keep it from being removed; and as
/// often as those need who were on their way to make a file there.
fn remove(root: &Path, aside: &Path) -> bool {
    let there = if fs::rename(root, aside).is_ok() { aside } else { root };
    for _ in 0..100 {
        match fs::remove_dir_all(there) {
            Ok(()) => return true,
            Err(error) if error.kind() == io::ErrorKind::NotFound && !there.exists() => return true,
            Err(_) => std::thread::sleep(Duration::from_millis(2)),
        }
    }
    false
}

fn entries(directory: &Path) -> Result<Vec<PathBuf>, DriveError> {
    let list = fs::read_dir(directory).map_err(DriveError::file("read the directory", directory))?;
    list.map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<_, _>>()
        .map_err(DriveError::file("read the directory", directory))
}

/// Takes a file's clean pages out of the page cache: posix_fadvise(POSIX_FADV_DONTNEED), which needs no privilege.
fn drop_pages(path: &Path) -> Result<(), DriveError> {
    let file = File::open(path).map_err(DriveError::file("open", path))?;
    rustix::fs::fadvise(&file, 0, None, Advice::DontNeed)
        .map_err(|errno| DriveError::file("drop from the page cache", path)(errno.into()))
}

fn read_whole(path: &Path) -> Result<(), DriveError> {
    let read = || {
        let mut file = File::open(path)?;
        let mut piece = vec![0; PIECE_BYTES];
        while file.read(&mut piece)? > 0 {}
        Ok(())
    };
    read().map_err(DriveError::file("read", path))
}
