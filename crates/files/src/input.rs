//! The one door through which a file is read. What went through it is known by its identity (device, inode, time of
//! birth), so that no output takes its place, by whatever name or link it is reached.

use std::collections::BTreeSet;
use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

/// What this process has read: it is the process that must not lose it.
static READ: Mutex<BTreeSet<Identity>> = Mutex::new(BTreeSet::new());

/// Device, inode and time of birth: the number of an inode that is gone is given to another file, born later. Where a
/// file system knows no births, the numbers have to do.
type Identity = (u64, u64, Option<SystemTime>);

fn identity(there: &Metadata) -> Identity {
    (there.dev(), there.ino(), there.created().ok())
}

/// Opens a file to read it, and remembers it.
///
/// # Errors
/// As of [`File::open`].
pub fn open(path: &Path) -> io::Result<File> {
    let file = File::open(path)?;
    if let Ok(there) = file.metadata() {
        remember(&there);
    }
    Ok(file)
}

/// The bytes of a file, which is remembered.
///
/// # Errors
/// As of [`std::fs::read`]; more than `bytes_max` are [`io::ErrorKind::FileTooLarge`], before they are in memory.
pub fn read(path: &Path, bytes_max: u64) -> io::Result<Vec<u8>> {
    let file = open(path)?;
    let mut bytes = Vec::new();
    // Devices and pipes say that they have none, and may have no end.
    file.take(bytes_max.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > bytes_max {
        return Err(io::Error::new(
            io::ErrorKind::FileTooLarge,
            format!("it has more than {bytes_max} bytes, which is more than any such file needs"),
        ));
    }
    Ok(bytes)
}

/// Remembers a file that something else reads.
pub fn remember(there: &Metadata) {
    // Who writes to a pipe or a terminal takes nothing away from it.
    let is_kept = there.is_file() || there.file_type().is_block_device();
    if is_kept {
        READ.lock().unwrap_or_else(PoisonError::into_inner).insert(identity(there));
    }
}

/// Whether what lies at a path has been read by this process.
pub fn is_input(path: &Path) -> bool {
    let Ok(there) = std::fs::metadata(path) else { return false };
    READ.lock().unwrap_or_else(PoisonError::into_inner).contains(&identity(&there))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn an_input_is_known_by_every_name() {
        let folder = tempfile::tempdir().unwrap();
        let [path, link, hard, other] = ["a", "link", "hard", "other"].map(|name| folder.path().join(name));
        std::fs::write(&path, "text").unwrap();
        std::fs::write(&other, "text").unwrap();
        std::os::unix::fs::symlink(&path, &link).unwrap();
        std::fs::hard_link(&path, &hard).unwrap();
        assert!(!is_input(&path));
        assert_eq!(read(&link, 4).unwrap(), b"text");
        assert!(is_input(&path) && is_input(&link) && is_input(&hard));
        assert!(!is_input(&other));
    }

    #[test]
    fn what_has_no_end_is_refused() {
        let error = read(Path::new("/dev/zero"), 1_000).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::FileTooLarge);
    }
}
