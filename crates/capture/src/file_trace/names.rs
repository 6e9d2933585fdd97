//! From inodes to names: walks of folders, bounded in time.
//!
//! The first walk reads every folder, and each file's attributes: how long a file is before the capture can't be known
//! later. Those that follow read only folders that changed meanwhile, and of files the inode's number that stands in
//! the folder, so that looking for a few names in a large tree costs one look at each folder.
//!
//! Left out: a single file mounted onto another has the number of the one below in its folder; after the first walk it
//! isn't found.

use super::proc::inode_of;
use crate::recorder::kernel_event::Inode;
use rustc_hash::{FxHashMap, FxHashSet};
use std::ffi::OsString;
use std::fs::Metadata;
use std::os::unix::fs::{DirEntryExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// How a walk went.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Walk {
    /// Files that were told.
    pub(crate) files: u64,
    /// Folders that were read; the others were as before.
    pub(crate) folders_read: u64,
    /// Whether time ran out before all was seen.
    pub(crate) is_cut_short: bool,
}

/// What a walk met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Met<'a> {
    /// A folder, when it is read.
    Folder {
        /// Which.
        inode: Inode,
        /// The one above, if that is on the same file system and was met.
        above: Option<Inode>,
        /// Its path.
        path: &'a Path,
    },
    /// A regular file in the folder that was met last.
    File {
        /// Which.
        inode: Inode,
        /// The folder.
        folder: Inode,
        /// Its name there.
        name: &'a str,
        /// Its length in bytes, where the walk looked.
        size: Option<u64>,
    },
}

/// What a walk is for.
#[derive(Debug)]
pub(crate) enum Search<'a> {
    /// Every file and its length.
    Everything,
    /// These; over when there are none left.
    For(&'a mut FxHashSet<Inode>),
}

/// A clock tick of the kernels that stamp files by it (at 100 Hz), twice: a folder that changed so shortly before it
/// was read may change again without another stamp.
const TICK_NS: i128 = 20_000_000;

/// A folder's last change of contents and of attributes, in nanoseconds since 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stamp(i128, i128);

impl Stamp {
    fn of(metadata: &Metadata) -> Self {
        let time =
            |seconds: i64, nanoseconds: i64| i128::from(seconds) * 1_000_000_000 + i128::from(nanoseconds);
        Self(time(metadata.mtime(), metadata.mtime_nsec()), time(metadata.ctime(), metadata.ctime_nsec()))
    }

    /// Whether a change after `now_ns` would give another stamp.
    const fn is_settled(self, now_ns: i128) -> bool {
        self.0 + TICK_NS < now_ns && self.1 + TICK_NS < now_ns
    }
}

/// A folder that was read, and the folders in it.
#[derive(Debug)]
struct Seen {
    stamp: Stamp,
    folders: Vec<OsString>,
}

/// Walks, and remembers what it saw.
#[derive(Debug, Default)]
pub(crate) struct Walker {
    seen: FxHashMap<PathBuf, Seen>,
}

impl Walker {
    /// Tells regular files below a folder. Symbolic links aren't followed; /proc, /sys and /dev are passed over, and
    /// what can't be read. Of a folder that has changed since it was last read every file is told, wanted or not: it
    /// isn't read again.
    pub(crate) fn walk(
        &mut self,
        root: &Path,
        limit: Duration,
        mut search: Search<'_>,
        mut tell: impl FnMut(Met<'_>),
    ) -> Walk {
        let end = Instant::now() + limit;
        let mut walk = Walk::default();
        let mut folders: Vec<(PathBuf, Option<Inode>)> = vec![(root.to_owned(), None)];
        while let Some((folder, above)) = folders.pop() {
            if matches!(&search, Search::For(wanted) if wanted.is_empty()) {
                break;
            }
            if Instant::now() > end {
                walk.is_cut_short = true;
                break;
            }
            if ["/proc", "/sys", "/dev"].iter().any(|other| folder == Path::new(other)) {
                continue;
            }
            // Of what is mounted there, not of what lies below that.
            let Ok(metadata) = std::fs::metadata(&folder) else { continue };
            let (stamp, inode) = (Stamp::of(&metadata), inode_of(&metadata));
            let below = |name: &OsString| (folder.join(name), Some(inode));
            let before = self.seen.get(&folder).filter(|seen| seen.stamp == stamp);
            if let (Search::For(_), Some(seen)) = (&search, before) {
                folders.extend(seen.folders.iter().map(below));
                continue;
            }
            let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
            let above = above.filter(|above| above.device == inode.device);
            tell(Met::Folder { inode, above, path: &folder });
            let inside = read(&folder, inode, &mut search, &mut walk, &mut tell);
            folders.extend(inside.iter().map(below));
            if stamp.is_settled(i128::try_from(now.as_nanos()).unwrap_or(0)) {
                self.seen.insert(folder, Seen { stamp, folders: inside });
            } else {
                self.seen.remove(&folder);
            }
        }
        walk
    }
}

/// Reads a folder; gives back the names of the folders in it.
fn read(
    path: &Path,
    folder: Inode,
    search: &mut Search<'_>,
    walk: &mut Walk,
    tell: &mut impl FnMut(Met<'_>),
) -> Vec<OsString> {
    let mut folders = Vec::new();
    walk.folders_read += 1;
    for entry in std::fs::read_dir(path).into_iter().flatten().flatten() {
        let Ok(kind) = entry.file_type() else { continue };
        if kind.is_dir() {
            folders.push(entry.file_name());
        } else if kind.is_file() {
            let (inode, size) = match search {
                Search::Everything => {
                    let Ok(metadata) = entry.metadata() else { continue };
                    (inode_of(&metadata), Some(metadata.len()))
                }
                Search::For(wanted) => {
                    let inode = Inode { device: folder.device, number: entry.ino() };
                    wanted.remove(&inode);
                    (inode, None)
                }
            };
            walk.files += 1;
            tell(Met::File { inode, folder, name: &entry.file_name().to_string_lossy(), size });
        }
    }
    folders
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::fs;

    const LONG: Duration = Duration::from_secs(60);

    fn told(walker: &mut Walker, root: &Path, search: Search<'_>) -> (Vec<(String, Option<u64>)>, Walk) {
        let mut told = Vec::new();
        let walk = walker.walk(root, LONG, search, |met| {
            if let Met::File { name, size, .. } = met {
                told.push((name.to_owned(), size));
            }
        });
        told.sort();
        (told, walk)
    }

    fn inode(path: &Path) -> Inode {
        inode_of(&fs::metadata(path).unwrap())
    }

    #[test]
    fn every_file_below_a_folder_is_told_with_its_length() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("a"), "1").unwrap();
        fs::create_dir(folder.path().join("sub")).unwrap();
        fs::write(folder.path().join("sub/b"), "22").unwrap();
        std::os::unix::fs::symlink("a", folder.path().join("link")).unwrap();
        let (told, walk) = told(&mut Walker::default(), folder.path(), Search::Everything);
        assert_eq!(told, [("a".to_owned(), Some(1)), ("b".to_owned(), Some(2))]);
        assert_eq!(walk, Walk { files: 2, folders_read: 2, is_cut_short: false });
    }

    #[test]
    fn folders_are_told_with_the_one_above_before_what_is_in_them() {
        let folder = tempfile::tempdir().unwrap();
        let sub = folder.path().join("sub");
        fs::create_dir(&sub).unwrap();
        fs::write(sub.join("a"), "").unwrap();
        let mut told = Vec::new();
        Walker::default().walk(folder.path(), LONG, Search::Everything, |met| {
            told.push(match met {
                Met::Folder { inode, above, path } => (inode, above, path.to_owned()),
                Met::File { inode, folder, name, .. } => (inode, Some(folder), PathBuf::from(name)),
            });
        });
        let (root, below) = (inode(folder.path()), inode(&sub));
        let expected = [
            (root, None, folder.path().to_owned()),
            (below, Some(root), sub.clone()),
            (inode(&sub.join("a")), Some(below), "a".into()),
        ];
        assert_eq!(told, expected);
    }

    #[test]
    fn a_second_walk_reads_only_what_changed() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["same", "same/deep", "changed"] {
            fs::create_dir(folder.path().join(name)).unwrap();
        }
        fs::write(folder.path().join("same/a"), "").unwrap();
        std::thread::sleep(Duration::from_millis(50));
        let mut walker = Walker::default();
        assert_eq!(told(&mut walker, folder.path(), Search::Everything).1.folders_read, 4);
        let new = folder.path().join("changed/new");
        fs::write(&new, "").unwrap();
        fs::write(folder.path().join("same/deep/other"), "").unwrap();
        // One that is nowhere keeps it looking.
        let mut wanted = FxHashSet::from_iter([inode(&new), Inode::default()]);
        let (found, walk) = told(&mut walker, folder.path(), Search::For(&mut wanted));
        assert_eq!(found, [("new".to_owned(), None), ("other".to_owned(), None)]);
        assert_eq!((walk.folders_read, wanted.len()), (2, 1));
    }

    #[test]
    fn a_folder_that_changed_just_before_it_was_read_may_change_unseen() {
        let stamp = Stamp(1_000_000_000, 5_000_000_000);
        assert!(!stamp.is_settled(5_000_000_000 + TICK_NS));
        assert!(stamp.is_settled(5_000_000_001 + TICK_NS));
        assert!(!Stamp(5_000_000_000, 1_000_000_000).is_settled(5_000_000_000));
    }

    #[test]
    fn a_walk_is_over_when_nothing_is_wanted() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("a"), "").unwrap();
        fs::create_dir(folder.path().join("sub")).unwrap();
        let mut wanted = FxHashSet::from_iter([inode(&folder.path().join("a"))]);
        let walk = told(&mut Walker::default(), folder.path(), Search::For(&mut wanted)).1;
        assert_eq!((walk.folders_read, walk.files), (1, 1));
    }
}
