//! Notices that somebody empties the page cache while calls are timed.
//!
//! A file of a page that is clean and never read: while it is in the cache, nothing has been dropped
//! (`/proc/sys/vm/drop_caches`, a reclaim under pressure). It is asked for with RWF_NOWAIT (preadv2, Linux 4.14), which
//! answers only from the cache. Where the file system doesn't know that flag, nothing is noticed.

use super::sizes::PAGE;
use petrio_units::numbers::as_index;
use rustix::io::{Errno, ReadWriteFlags, preadv2};
use std::fs::File;
use std::io::{self, IoSliceMut};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

#[derive(Debug)]
pub(super) struct Sentinel {
    path: PathBuf,
    file: File,
    /// How often the cache was emptied.
    pub fallen: u64,
}

impl Sentinel {
    pub(super) fn post(path: &Path) -> io::Result<Self> {
        Ok(Self { path: path.to_owned(), file: one_page(path)?, fallen: 0 })
    }

    /// Whether the cache has been emptied since the last time; if so, another is posted.
    pub(super) fn has_fallen(&mut self) -> io::Result<bool> {
        let mut byte = [0];
        let answer = preadv2(&self.file, &mut [IoSliceMut::new(&mut byte)], 0, ReadWriteFlags::NOWAIT);
        if answer != Err(Errno::AGAIN) {
            return Ok(false);
        }
        std::fs::remove_file(&self.path)?;
        self.file = one_page(&self.path)?;
        self.fallen += 1;
        Ok(true)
    }
}

fn one_page(path: &Path) -> io::Result<File> {
    let file = File::options().read(true).write(true).create_new(true).open(path)?;
    file.write_all_at(&vec![1; as_index(PAGE)], 0)?;
    // Only a clean page is dropped.
    rustix::fs::fsync(&file)?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_cache_that_nobody_empties_keeps_its_sentinel() {
        let directory = tempfile::tempdir().unwrap();
        let mut sentinel = Sentinel::post(&directory.path().join("sentinel")).unwrap();
        // Somebody else may empty it once, but hardly three times in a row.
        let fallen = (0..3).filter(|_| sentinel.has_fallen().unwrap()).count();
        assert!(fallen < 3 && sentinel.fallen == fallen as u64);
    }
}
