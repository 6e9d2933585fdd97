//! Where the folders are in which names are told: known beforehand, or found when the first name in one is.
//!
//! A record has a folder's inode only. Those that a walk met or that are made meanwhile are known; beside these,
//! temporary files' folders, where file systems are mounted, the folders of files that /proc shows, and where the
//! thread at work is.

use super::watch::{NameChange, Renaming};
use crate::file_trace::join::names::Names;
use crate::file_trace::proc::{Mount, inode_of};
use crate::recorder::kernel_event::Inode;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;
use std::os::unix::fs::DirEntryExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How long a file system is searched for folders.
const SEARCH: Duration = Duration::from_secs(2);

/// Looks for one folder, each in the place of another thread's.
const TRIES_MAX: u8 = 4;

/// Folders that were looked at.
#[derive(Debug, Default)]
pub(crate) struct Folders {
    seen: FxHashSet<PathBuf>,
    tries: FxHashMap<Inode, u8>,
}

impl Folders {
    /// Those that are worth knowing from the start.
    pub(crate) fn begin(&mut self, names: &mut Names, mounts: &[Mount]) {
        let of_environment = |name| std::env::var_os(name).map(PathBuf::from);
        let temporary = [of_environment("TMPDIR"), Some("/tmp".into()), Some("/var/tmp".into())];
        for path in temporary.into_iter().flatten() {
            self.learn(names, &path);
            learn_inside(names, &path);
        }
        let others = [of_environment("HOME"), std::env::current_dir().ok()];
        let mounted = mounts.iter().map(|mount| mount.place.clone());
        for path in others.into_iter().flatten().chain(mounted) {
            self.learn(names, &path);
        }
    }

    /// A folder and those above it.
    pub(crate) fn learn(&mut self, names: &mut Names, path: &Path) {
        for path in path.ancestors().filter(|path| path.is_absolute()) {
            if !self.seen.insert(path.to_owned()) {
                return;
            }
            if let Ok(metadata) = std::fs::metadata(path)
                && metadata.is_dir()
            {
                names.put_folder_by_path(inode_of(&metadata), &path.to_string_lossy());
            }
        }
    }

    /// The folders of what was told, as far as the threads' own places show them.
    pub(crate) fn find(&mut self, names: &mut Names, told: &NameChange) {
        let (first, second) = match &told.what {
            Renaming::Made(entry) | Renaming::Gone(entry) => (entry.folder, entry.folder),
            Renaming::Moved(from, to) => (from.folder, to.folder),
        };
        for folder in [first, second] {
            if names.knows_folder(folder) {
                continue;
            }
            let tries = self.tries.entry(folder).or_insert(0);
            if *tries < TRIES_MAX {
                *tries += 1;
                if let Ok(path) = std::fs::read_link(format!("/proc/{}/cwd", told.thread)) {
                    self.learn(names, &path);
                }
            }
        }
    }
}

/// The folders in a folder, by the numbers that stand in it.
fn learn_inside(names: &mut Names, path: &Path) {
    let Ok(device) = std::fs::metadata(path).map(|metadata| inode_of(&metadata).device) else { return };
    for entry in std::fs::read_dir(path).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            let inode = Inode { device, number: entry.ino() };
            names.put_folder_by_path(inode, &entry.path().to_string_lossy());
        }
    }
}

/// Searches a mounted file system for folders, those near its root first, and tells where they are.
pub(crate) fn search(mount: &Mount, wanted: &mut FxHashSet<Inode>, mut tell: impl FnMut(Inode, &Path)) {
    let end = Instant::now() + SEARCH;
    let mut folders = VecDeque::from([mount.place.clone()]);
    while let Some(folder) = folders.pop_front() {
        if Instant::now() > end || !wanted.iter().any(|inode| inode.device == mount.device) {
            return;
        }
        // What is mounted below has a search of its own.
        let device = std::fs::metadata(&folder).map_or(0, |metadata| inode_of(&metadata).device);
        if device != mount.device {
            continue;
        }
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                let (inode, path) = (Inode { device, number: entry.ino() }, entry.path());
                if wanted.remove(&inode) {
                    tell(inode, &path);
                }
                folders.push_back(path);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::file_trace::join::names::Entry;

    fn made_in(folder: Inode) -> NameChange {
        let what = Renaming::Made(Entry { folder, name: "x".into() });
        NameChange {
            thread: std::process::id(),
            is_folder: false,
            inode: Inode { device: 1, number: 1 },
            what,
        }
    }

    #[test]
    fn a_folder_is_known_with_those_above_it() {
        let folder = tempfile::tempdir().unwrap();
        let sub = folder.path().join("a/b");
        std::fs::create_dir_all(&sub).unwrap();
        let mut names = Names::default();
        Folders::default().learn(&mut names, &sub);
        for path in sub.ancestors() {
            assert!(names.knows_folder(inode_of(&std::fs::metadata(path).unwrap())), "{}", path.display());
        }
    }

    #[test]
    fn folders_of_temporary_files_are_known_with_those_in_them() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("sub")).unwrap();
        let mut names = Names::default();
        learn_inside(&mut names, folder.path());
        let inode = inode_of(&std::fs::metadata(folder.path().join("sub")).unwrap());
        assert!(names.knows_folder(inode));
    }

    #[test]
    fn a_folder_is_found_by_its_inode() {
        let folder = tempfile::tempdir().unwrap();
        let sub = folder.path().join("a/b");
        std::fs::create_dir_all(&sub).unwrap();
        let inode = inode_of(&std::fs::metadata(&sub).unwrap());
        let mount = Mount { device: inode.device, place: folder.path().to_owned(), kind: String::new() };
        let mut wanted = FxHashSet::from_iter([inode]);
        let mut told = Vec::new();
        search(&mount, &mut wanted, |inode, path| told.push((inode, path.to_owned())));
        assert_eq!((told, wanted.len()), (vec![(inode, sub)], 0));
    }

    #[test]
    fn the_folder_of_the_thread_at_work_is_found() {
        let (mut folders, mut names) = (Folders::default(), Names::default());
        let current = std::env::current_dir().unwrap();
        let inode = inode_of(&std::fs::metadata(&current).unwrap());
        folders.find(&mut names, &made_in(inode));
        let entry = Entry { folder: inode, name: "x".into() };
        assert_eq!(names.compose(&entry).as_deref(), current.join("x").to_str());
        // One that is nowhere isn't looked for again and again.
        let nowhere = Inode { device: 1, number: 2 };
        for _ in 0..10 {
            folders.find(&mut names, &made_in(nowhere));
        }
        assert_eq!(folders.tries[&nowhere], TRIES_MAX);
    }
}
