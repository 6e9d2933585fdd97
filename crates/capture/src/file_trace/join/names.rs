//! Names: folders by their place in the folder above, files by their place in a folder, paths put together of these.
//!
//! A folder that is renamed takes along what is in it. What is known by its whole path only (as /proc shows it) keeps
//! that.

use crate::recorder::kernel_event::Inode;
use petrio_trace::event::FileKey;
use rustc_hash::FxHashMap;
use std::hash::Hash;
use std::sync::Arc;

/// A name in a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    /// The folder.
    pub(crate) folder: Inode,
    /// The name.
    pub(crate) name: Arc<str>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Location {
    Whole(Arc<str>),
    In(Entry),
}

#[derive(Clone, Debug)]
struct Named {
    location: Location,
    /// Its path, and in which edition of the folders that was put together.
    composed: Option<(u64, Arc<str>)>,
}

/// What is known of names.
#[derive(Debug, Default)]
pub(crate) struct Names {
    files: FxHashMap<FileKey, Named>,
    folders: FxHashMap<Inode, Named>,
    /// Grows when a folder gets another name: paths have to be put together anew.
    edition: u64,
}

/// Folders within folders, at most; beyond, something must go round in a circle.
const DEPTH_MAX: u32 = 200;

impl Names {
    /// A file is there.
    pub(crate) fn put_file(&mut self, file: FileKey, entry: Entry) {
        put(&mut self.files, file, Location::In(entry));
    }

    /// A file has this path. What is known of it already stays if it says the same.
    pub(crate) fn put_file_by_path(&mut self, file: FileKey, path: &str) {
        if self.path(file).as_deref() != Some(path) {
            put(&mut self.files, file, Location::Whole(path.into()));
        }
    }

    /// A folder is there.
    pub(crate) fn put_folder(&mut self, folder: Inode, entry: Entry) {
        self.edition += u64::from(put(&mut self.folders, folder, Location::In(entry)));
    }

    /// A folder has this path, if it isn't known yet.
    pub(crate) fn put_folder_by_path(&mut self, folder: Inode, path: &str) {
        if !self.knows_folder(folder) {
            put(&mut self.folders, folder, Location::Whole(path.into()));
        }
    }

    /// Whether anything is known of a folder.
    pub(crate) fn knows_folder(&self, folder: Inode) -> bool {
        self.folders.contains_key(&folder)
    }

    /// Whether anything is known of a file.
    pub(crate) fn knows_file(&self, file: FileKey) -> bool {
        self.files.contains_key(&file)
    }

    /// The folder that a file's path lacks, if it lacks just that.
    pub(crate) fn missing_folder(&self, file: FileKey) -> Option<Inode> {
        let mut named = self.files.get(&file)?;
        for _ in 0..DEPTH_MAX {
            let Location::In(entry) = &named.location else { return None };
            let Some(above) = self.folders.get(&entry.folder) else { return Some(entry.folder) };
            named = above;
        }
        None
    }

    /// The path of a file as it is now.
    pub(crate) fn path(&mut self, file: FileKey) -> Option<Arc<str>> {
        let named = self.files.get(&file)?;
        match (&named.location, &named.composed) {
            (Location::Whole(path), _) => Some(path.clone()),
            (_, Some((edition, path))) if *edition == self.edition => Some(path.clone()),
            (Location::In(entry), _) => {
                let path = self.compose(&entry.clone())?;
                if let Some(named) = self.files.get_mut(&file) {
                    named.composed = Some((self.edition, path.clone()));
                }
                Some(path)
            }
        }
    }

    /// The path of an entry as it is now.
    pub(crate) fn compose(&mut self, entry: &Entry) -> Option<Arc<str>> {
        self.compose_within(entry, DEPTH_MAX)
    }

    fn compose_within(&mut self, entry: &Entry, depth: u32) -> Option<Arc<str>> {
        let folder = self.folder_within(entry.folder, depth.checked_sub(1)?)?;
        Some(format!("{}/{}", folder.trim_end_matches('/'), entry.name).into())
    }

    fn folder_within(&mut self, folder: Inode, depth: u32) -> Option<Arc<str>> {
        let named = self.folders.get(&folder)?;
        match (&named.location, &named.composed) {
            (Location::Whole(path), _) => Some(path.clone()),
            (_, Some((edition, path))) if *edition == self.edition => Some(path.clone()),
            (Location::In(entry), _) => {
                let path = self.compose_within(&entry.clone(), depth)?;
                if let Some(named) = self.folders.get_mut(&folder) {
                    named.composed = Some((self.edition, path.clone()));
                }
                Some(path)
            }
        }
    }
}

/// Whether something else was known before.
fn put<K: Eq + Hash>(into: &mut FxHashMap<K, Named>, key: K, location: Location) -> bool {
    let old = into.get(&key).map(|named| &named.location);
    if old == Some(&location) {
        return false;
    }
    into.insert(key, Named { location, composed: None }).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inode(number: u64) -> Inode {
        Inode { device: 1, number }
    }

    fn file(number: u64) -> FileKey {
        FileKey { device: 1, inode: number, generation: 0 }
    }

    fn entry(folder: u64, name: &str) -> Entry {
        Entry { folder: inode(folder), name: name.into() }
    }

    #[test]
    fn what_is_in_a_folder_moves_with_it() {
        let mut names = Names::default();
        names.put_folder_by_path(inode(2), "/");
        names.put_folder(inode(3), entry(2, "a"));
        names.put_folder(inode(4), entry(3, "b"));
        names.put_file(file(9), entry(4, "f"));
        assert_eq!(names.path(file(9)).as_deref(), Some("/a/b/f"));
        names.put_folder(inode(3), entry(2, "moved"));
        assert_eq!(names.path(file(9)).as_deref(), Some("/moved/b/f"));
        assert_eq!(names.compose(&entry(4, "g")).as_deref(), Some("/moved/b/g"));
    }

    #[test]
    fn a_folder_that_becomes_known_later_completes_its_files_paths() {
        let mut names = Names::default();
        names.put_file(file(9), entry(3, "f"));
        assert_eq!((names.path(file(9)), names.missing_folder(file(9))), (None, Some(inode(3))));
        names.put_folder_by_path(inode(3), "/a");
        assert_eq!(names.path(file(9)).as_deref(), Some("/a/f"));
        assert_eq!(names.missing_folder(file(9)), None);
        // What /proc shows is the same, or newer.
        names.put_file_by_path(file(9), "/a/g");
        assert_eq!(names.path(file(9)).as_deref(), Some("/a/g"));
    }

    #[test]
    fn folders_in_a_circle_have_no_path() {
        let mut names = Names::default();
        names.put_folder(inode(3), entry(4, "a"));
        names.put_folder(inode(4), entry(3, "b"));
        assert_eq!(names.compose(&entry(4, "c")), None);
    }
}
