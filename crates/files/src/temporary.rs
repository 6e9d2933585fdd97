//! Temporary folders: for their owner alone, recorded as long as they are there, and gone with their guard or by a
//! signal's handler.
//!
//! What a process that is killed leaves of them is cleared by the next start, which finds them in the record
//! ([`crate::under_way`]).

use crate::under_way::{self, Recorded, TREE};
use std::collections::BTreeSet;
use std::fs::DirBuilder;
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The folders of this process: it is the process that a signal ends.
static THERE: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

fn there() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    THERE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A folder that is gone, with all in it, when this is dropped.
#[derive(Debug)]
pub struct TemporaryFolder {
    path: PathBuf,
    recorded: Option<Recorded>,
}

impl TemporaryFolder {
    /// One in the folder for temporary files.
    ///
    /// # Errors
    /// It can't be made there.
    ///
    /// ```
    /// use petrio_files::temporary::TemporaryFolder;
    /// let folder = TemporaryFolder::new()?;
    /// let path = folder.path().to_owned();
    /// std::fs::write(path.join("file"), "text")?;
    /// drop(folder);
    /// assert!(!path.exists());
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn new() -> io::Result<Self> {
        Self::new_in(&std::env::temp_dir())
    }

    /// One in a folder that is there.
    ///
    /// # Errors
    /// It can't be made there.
    pub fn new_in(folder: &Path) -> io::Result<Self> {
        let path = std::path::absolute(folder)?.join(format!("petrio-{}", under_way::random_name()));
        let recorded = under_way::begin(TREE, &path);
        // A signal's handler that has the list finds all there are; none comes behind its back.
        let mut there = there();
        DirBuilder::new().mode(0o700).create(&path)?;
        there.insert(path.clone());
        Ok(Self { path, recorded: Some(recorded) })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        let is_gone = remove(&self.path);
        there().remove(&self.path);
        if let Some(recorded) = self.recorded.take().filter(|_| !is_gone) {
            // The next start tries again.
            recorded.keep();
        }
    }
}

/// Removes all temporary folders: for a program that is told to end now, when nothing will be dropped any more. No
/// further one begins.
pub fn remove_all() {
    under_way::prepare_to_end();
    let there = there();
    for path in there.iter() {
        remove(path);
    }
    // Kept: whoever makes or drops one waits for the end.
    std::mem::forget(there);
}

/// Removes a folder in which others may still be at work; whether it is gone.
fn remove(path: &Path) -> bool {
    for _ in 0..100 {
        match std::fs::remove_dir_all(path) {
            Ok(()) => return true,
            Err(error) if error.kind() == io::ErrorKind::NotFound && !path.exists() => return true,
            Err(_) => std::thread::sleep(Duration::from_millis(2)),
        }
    }
    false
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::os::unix::fs::MetadataExt;

    #[test]
    fn a_folder_is_private_and_goes_with_what_is_in_it() {
        let folder = TemporaryFolder::new().unwrap();
        let path = folder.path().to_owned();
        assert_eq!(path.metadata().unwrap().mode() & 0o777, 0o700);
        std::fs::create_dir(path.join("a")).unwrap();
        std::fs::write(path.join("a/b"), "").unwrap();
        assert!(there().contains(&path));
        drop(folder);
        assert!(!path.exists() && !there().contains(&path));
    }

    #[test]
    fn who_goes_on_making_files_meanwhile_does_not_keep_it() {
        let folder = TemporaryFolder::new().unwrap();
        let path = folder.path().to_owned();
        let busy = {
            let path = path.clone();
            std::thread::spawn(move || {
                let mut number = 0;
                while std::fs::write(path.join(format!("{number}")), "").is_ok() {
                    number += 1;
                }
            })
        };
        drop(folder);
        busy.join().unwrap();
        assert!(!path.exists());
    }
}
