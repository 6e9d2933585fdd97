//! From inodes to paths: walks of folders, bounded in time.

use super::kernel_event::Inode;
use super::proc::inode_of;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How a walk went.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Walk {
    /// Files that were seen.
    pub(crate) files: u64,
    /// Whether time ran out before all was seen.
    pub(crate) is_cut_short: bool,
}

/// Tells every regular file below a folder: inode, path, length in bytes. Symbolic links aren't followed; /proc, /sys and /dev are
/// passed over, and what can't be read.
pub(crate) fn walk(folder: &Path, limit: Duration, mut tell: impl FnMut(Inode, &str, u64)) -> Walk {
    let end = Instant::now() + limit;
    let mut walk = Walk::default();
    let mut folders: Vec<PathBuf> = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        if Instant::now() > end {
            walk.is_cut_short = true;
            break;
        }
        if ["/proc", "/sys", "/dev"].iter().any(|other| folder == Path::new(other)) {
            continue;
        }
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let Ok(kind) = entry.file_type() else { continue };
            if kind.is_dir() {
                folders.push(entry.path());
            } else if kind.is_file()
                && let Ok(metadata) = entry.metadata()
            {
                walk.files += 1;
                tell(inode_of(&metadata), &entry.path().to_string_lossy(), metadata.len());
            }
        }
    }
    walk
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn every_file_below_a_folder_is_told() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("sub")).unwrap();
        std::fs::write(folder.path().join("a"), "1").unwrap();
        std::fs::write(folder.path().join("sub/b"), "22").unwrap();
        std::os::unix::fs::symlink("a", folder.path().join("link")).unwrap();
        let mut told = Vec::new();
        let walk = walk(folder.path(), Duration::from_secs(60), |_, path, size| {
            told.push((path.rsplit('/').next().unwrap().to_owned(), size));
        });
        told.sort();
        assert_eq!(told, [("a".to_owned(), 1), ("b".to_owned(), 2)]);
        assert_eq!(walk, Walk { files: 2, is_cut_short: false });
    }
}
