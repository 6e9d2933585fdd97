//! Directories that last as long as this process needs them: with a name that nobody guesses, this user's alone, [recorded](crate::under_way)
//! so that the next start clears what a killed process leaves.

use crate::under_way::{self, Recorded, TREE};
use std::collections::BTreeSet;
use std::fs::DirBuilder;
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Those of this process: it is the process that a signal ends.
static THERE: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

fn there() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    THERE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A directory that is removed with all that is in it when this is dropped.
///
/// ```
/// use petrio_files::temporary::Directory;
/// let directory = Directory::create("petrio-example")?;
/// let path = directory.path().to_owned();
/// std::fs::write(path.join("notes.txt"), "text")?;
/// drop(directory);
/// assert!(!path.exists());
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct Directory {
    path: PathBuf,
    recorded: Option<Recorded>,
}

impl Directory {
    /// One where this system keeps such things, whose name begins with `prefix`.
    ///
    /// # Errors
    /// As of [`Directory::create_in`].
    pub fn create(prefix: &str) -> io::Result<Self> {
        Self::create_in(&std::env::temp_dir(), prefix)
    }

    /// One in a folder of the caller's choice, which is there.
    ///
    /// # Errors
    /// A folder that isn't there or can't be written to.
    pub fn create_in(folder: &Path, prefix: &str) -> io::Result<Self> {
        let path = std::path::absolute(folder)?.join(format!("{prefix}-{}", under_way::random_name()));
        let recorded = under_way::begin(TREE, &path);
        // Who takes everything down waits until it is listed, or comes first and lets nothing begin.
        let mut there = there();
        // Somebody else's of that name is refused, were it a link.
        DirBuilder::new().mode(0o700).create(&path)?;
        there.insert(path.clone());
        Ok(Self { path, recorded: Some(recorded) })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        let is_gone = remove(&self.path);
        there().remove(&self.path);
        if let Some(recorded) = self.recorded.take()
            && !is_gone
        {
            recorded.keep();
        }
    }
}

/// Removes all of them: for a program that is told to end now, when nothing will be dropped any more. No further one begins.
pub fn discard_all() {
    under_way::prepare_to_end();
    // Kept: what is about to begin or to be dropped waits for the end.
    let there = there();
    for path in there.iter() {
        // What can't be removed now is removed by the next start.
        remove(path);
    }
    std::mem::forget(there);
}

/// Whether it is gone. Another thread may still be putting something into it.
fn remove(path: &Path) -> bool {
    (0..3).any(|_| match std::fs::remove_dir_all(path) {
        Ok(()) => true,
        Err(error) => error.kind() == io::ErrorKind::NotFound,
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn it_is_private_and_goes_with_all_that_is_in_it() {
        let folder = tempfile::tempdir().unwrap();
        let [one, other] = [(); 2].map(|()| Directory::create_in(folder.path(), "some").unwrap());
        assert_ne!(one.path(), other.path());
        assert_eq!(one.path().metadata().unwrap().permissions().mode() & 0o7777, 0o700);
        std::fs::create_dir_all(one.path().join("deep/deeper")).unwrap();
        std::fs::write(one.path().join("deep/file"), "text").unwrap();
        drop(one);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
        drop(other);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        assert!(Directory::create_in(&folder.path().join("none"), "some").is_err());
    }
}
