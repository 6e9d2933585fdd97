//! Which of the program's files lie on the simulated storage, and which numbers they have there.
//!
//! What lies below the program's directory is there before it begins, cold, with the sizes that it has; what the program makes or
//! writes to, wherever, comes to it. All else is the host's and read for nothing. Files are told apart as the kernel does (a device's
//! number and the file's); by name where these aren't known yet.

use crate::failure::ExecuteError;
use crate::times::Times;
use petrio_colours::{FileId, FileOp, Operation};
use petrio_workload::program::{FileEntry, FileTable};
use rustc_hash::FxHashMap;
use rustix::fs::{
    AtFlags, CWD, FileType, Mode, OFlags, ResolveFlags, Stat, fstat, openat, openat2, readlinkat,
};
use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Where a file lies in the tree.
const MARK_OF_GONE: &[u8] = b" (deleted)";
/// What of the program's directory is laid out: more files than this are no program's.
const FILES_MAX: usize = 1 << 21;

/// A directory tree as it is before the program begins.
#[derive(Clone, Debug, Default)]
pub struct Laid {
    /// The files, as a simulated volume is prepared with them.
    pub table: FileTable,
    /// Their numbers by name.
    pub(crate) by_name: FxHashMap<PathBuf, FileId>,
    /// The directories that lie on the simulated storage.
    pub(crate) storage: Vec<PathBuf>,
    pub(crate) next: u32,
}

impl Laid {
    /// Walks the directories that are to lie on the simulated storage.
    ///
    /// # Errors
    /// One that can't be read, or has too many files.
    pub fn walk(directories: &[PathBuf]) -> Result<Self, ExecuteError> {
        let mut laid = Self { next: 1, ..Self::default() };
        for directory in directories {
            let failed = |why: io::Error| ExecuteError::Directory { directory: directory.clone(), why };
            let whole = fs::canonicalize(directory).map_err(failed)?;
            if laid.storage.iter().any(|known| whole.starts_with(known)) {
                continue;
            }
            laid.storage.push(whole.clone());
            let top = match laid.storage.len() {
                1 => FileId::ROOT,
                count => laid.add(&format!("storage{count}"), FileId::ROOT, true, 0)?,
            };
            laid.by_name.insert(whole.clone(), top);
            let device = fs::metadata(&whole).map_err(failed)?.dev();
            laid.below(&whole, top, device)?;
        }
        Ok(laid)
    }

    fn below(&mut self, directory: &Path, parent: FileId, device: u64) -> Result<(), ExecuteError> {
        // What can't be looked into, the program can't either.
        let Ok(entries) = fs::read_dir(directory) else { return Ok(()) };
        let mut entries: Vec<_> = entries.flatten().collect();
        // In an order that is the same everywhere.
        entries.sort_by_key(fs::DirEntry::file_name);
        for entry in entries {
            let Ok(there) = entry.metadata() else { continue };
            let kind = there.file_type();
            if there.dev() != device || !(kind.is_dir() || kind.is_file() || kind.is_symlink()) {
                continue;
            }
            let size = if kind.is_dir() { 0 } else { there.len() };
            let file = self.add(&entry.file_name().to_string_lossy(), parent, kind.is_dir(), size)?;
            let path = entry.path();
            if kind.is_dir() {
                self.below(&path, file, device)?;
            }
            self.by_name.insert(path, file);
        }
        Ok(())
    }

    fn add(
        &mut self,
        name: &str,
        parent: FileId,
        is_directory: bool,
        size: u64,
    ) -> Result<FileId, ExecuteError> {
        if self.table.len() >= FILES_MAX {
            return Err(ExecuteError::TooManyFiles { most: FILES_MAX });
        }
        let file = FileId(self.next);
        let entry = FileEntry {
            file,
            name: name.to_owned(),
            parent,
            is_directory,
            present: true,
            size,
            cached: false,
        };
        self.table.add(entry).map_err(|error| ExecuteError::Program(Box::new(error)))?;
        self.next += 1;
        Ok(file)
    }
}

/// A file as the kernel tells it from others.
type Key = (u64, u64);

/// What is known of a file of the simulated storage.
#[derive(Clone, Copy, Debug)]
struct Known {
    is_directory: bool,
    parent: FileId,
}

/// The files while the program runs.
#[derive(Debug)]
pub(crate) struct Files {
    by_key: FxHashMap<Key, FileId>,
    by_name: FxHashMap<PathBuf, FileId>,
    known: FxHashMap<FileId, Known>,
    storage: Vec<PathBuf>,
    next: u32,
    /// Times that aren't the kernel's.
    pub(crate) times: FxHashMap<FileId, Times>,
    /// The root of the tree that the program sees.
    root: Option<OwnedFd>,
}

/// What a name stands for.
#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) stat: Stat,
    pub(crate) path: PathBuf,
    /// It, opened to be looked at.
    pub(crate) opened: OwnedFd,
    /// Its number, if it lies on the simulated storage.
    pub(crate) file: Option<FileId>,
}

/// Where a name leads.
#[derive(Debug)]
pub(crate) enum Leads {
    /// To something.
    To(Found),
    /// To nothing, in this directory, of this number if it lies on the simulated storage.
    Nowhere { path: PathBuf, parent: Option<FileId> },
    /// Who knows.
    Unknown,
}

pub(crate) fn is_directory(stat: &Stat) -> bool {
    FileType::from_raw_mode(stat.st_mode) == FileType::Directory
}

pub(crate) fn is_file(stat: &Stat) -> bool {
    FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile
}

pub(crate) fn size_of(stat: &Stat) -> u64 {
    u64::try_from(stat.st_size).unwrap_or(0)
}

impl Files {
    pub(crate) fn new(laid: Laid) -> Self {
        let known = (laid.table.entries().iter())
            .map(|entry| (entry.file, Known { is_directory: entry.is_directory, parent: entry.parent }))
            .chain([(FileId::ROOT, Known { is_directory: true, parent: FileId::ROOT })])
            .collect();
        let Laid { by_name, storage, next, .. } = laid;
        Self {
            by_key: FxHashMap::default(),
            by_name,
            known,
            storage,
            next,
            times: FxHashMap::default(),
            root: None,
        }
    }

    pub(crate) fn new_file(&mut self, parent: FileId, is_directory: bool) -> FileId {
        let file = FileId(self.next);
        self.next += 1;
        self.known.insert(file, Known { is_directory, parent });
        file
    }

    pub(crate) fn parent(&self, file: FileId) -> FileId {
        self.known.get(&file).map_or(FileId::ROOT, |known| known.parent)
    }

    /// Whether it is on the simulated storage by where it lies.
    pub(crate) fn is_below_storage(&self, path: &Path) -> bool {
        self.storage.iter().any(|directory| path.starts_with(directory))
    }

    /// The number of a file that was found, if it has one.
    pub(crate) fn number(&mut self, stat: &Stat, path: &Path) -> Option<FileId> {
        let key = (stat.st_dev, stat.st_ino);
        if let Some(&file) = self.by_key.get(&key) {
            return Some(file);
        }
        let &file = self.by_name.get(path)?;
        self.by_key.insert(key, file);
        Some(file)
    }

    /// The same by its key alone.
    pub(crate) fn by_key(&self, stat: &Stat) -> Option<FileId> {
        self.by_key.get(&(stat.st_dev, stat.st_ino)).copied()
    }

    /// What has come by another way than by a call that was seen: it is made, as long as it is.
    pub(crate) fn made_up(&mut self, stat: &Stat, path: &Path) -> (FileId, Vec<FileOp>) {
        let parent =
            path.parent().and_then(|parent| self.by_name.get(parent).copied()).unwrap_or(FileId::ROOT);
        let file = self.new_file(parent, is_directory(stat));
        self.by_key.insert((stat.st_dev, stat.st_ino), file);
        self.by_name.insert(path.to_owned(), file);
        let operation = if is_directory(stat) { Operation::Mkdir } else { Operation::Create };
        let mut ops = vec![FileOp { operation, file, parent, ..FileOp::default() }];
        if is_file(stat) && stat.st_size > 0 {
            ops.push(FileOp {
                operation: Operation::Truncate,
                file,
                length: size_of(stat),
                ..FileOp::default()
            });
        }
        (file, ops)
    }

    /// A name has been given to a file of this number.
    pub(crate) fn name(&mut self, path: PathBuf, file: FileId) {
        self.by_name.insert(path, file);
    }

    /// A name is gone.
    pub(crate) fn forget(&mut self, path: &Path) {
        self.by_name.remove(path);
    }

    /// A name has become another, and with a directory's all below it.
    pub(crate) fn rename(&mut self, from: &Path, to: &Path, file: FileId, parent: FileId) {
        let is_directory = self.known.get(&file).is_some_and(|known| known.is_directory);
        if is_directory {
            let moved: Vec<PathBuf> =
                self.by_name.keys().filter(|path| path.starts_with(from)).cloned().collect();
            for old in moved {
                if let (Some(file), Ok(rest)) = (self.by_name.remove(&old), old.strip_prefix(from)) {
                    self.by_name.insert(to.join(rest), file);
                }
            }
        } else {
            self.by_name.remove(from);
        }
        self.by_name.insert(to.to_owned(), file);
        self.known.insert(file, Known { is_directory, parent });
    }

    /// What a name that was used in a call that is over stands for now.
    pub(crate) fn settle(&mut self, thread: u32, path: &Path, file: FileId) {
        if let Ok(stat) = self.open(thread, path, false).and_then(|found| Ok(fstat(&found)?)) {
            self.by_key.insert((stat.st_dev, stat.st_ino), file);
            self.by_name.insert(path.to_owned(), file);
        } else {
            self.never_was(path, file);
        }
    }

    /// A file without a name that was to be made in a directory: one that a thread has open there, and that nobody knew of.
    pub(crate) fn settle_nameless(&mut self, thread: u32, directory: &Path, file: FileId) {
        let Ok(open) = fs::read_dir(format!("/proc/{thread}/fd")) else { return };
        let found = open.flatten().find_map(|entry| {
            let lies = path_behind(entry.path()).ok()?;
            let there = fs::metadata(entry.path()).ok()?;
            let key = (there.dev(), there.ino());
            let is_new = there.is_file() && !self.by_key.contains_key(&key);
            (is_new && there.nlink() == 0 && lies.parent() == Some(directory)).then_some(key)
        });
        self.by_key.extend(found.map(|key| (key, file)));
    }

    /// What was to get a name hasn't come to be.
    pub(crate) fn never_was(&mut self, path: &Path, file: FileId) {
        if self.by_name.get(path) == Some(&file) && !self.by_key.values().any(|known| *known == file) {
            self.by_name.remove(path);
        }
    }

    /// Opens a name of the program's tree, only to look at it.
    fn open(&mut self, thread: u32, path: &Path, follow: bool) -> io::Result<OwnedFd> {
        if self.root.is_none() {
            let root = format!("/proc/{thread}/root");
            self.root = Some(openat(CWD, root, OFlags::PATH | OFlags::CLOEXEC, Mode::empty())?);
        }
        let Some(root) = &self.root else { return Err(io::ErrorKind::NotFound.into()) };
        let mut flags = OFlags::PATH | OFlags::CLOEXEC;
        if !follow {
            flags |= OFlags::NOFOLLOW;
        }
        Ok(openat2(root, path, flags, Mode::empty(), ResolveFlags::IN_ROOT)?)
    }

    /// What a thread has open.
    pub(crate) fn behind(&mut self, thread: u32, descriptor: i32) -> Leads {
        let flags = OFlags::PATH | OFlags::CLOEXEC;
        match openat(CWD, format!("/proc/{thread}/fd/{descriptor}"), flags, Mode::empty()) {
            Ok(found) => self.found(found),
            Err(_) => Leads::Unknown,
        }
    }

    /// Where a name leads that a thread has used, from a directory that it has open, or from its own (`AT_FDCWD`).
    pub(crate) fn look_up(&mut self, thread: u32, directory: i32, name: &Path, follow: bool) -> Leads {
        // "self" would be petrio, who looks.
        let own = ["/proc/self/fd", "/proc/thread-self/fd", "/dev/fd"].iter();
        let mut own = own.filter_map(|directory| name.strip_prefix(directory).ok()?.to_str()?.parse().ok());
        if let Some(descriptor) = own.next().filter(|_| follow) {
            return self.behind(thread, descriptor);
        }
        let full = if name.is_absolute() {
            name.to_owned()
        } else {
            let from = match directory {
                libc::AT_FDCWD => format!("/proc/{thread}/cwd"),
                number => format!("/proc/{thread}/fd/{number}"),
            };
            match path_behind(from) {
                Ok(from) => from.join(name),
                Err(_) => return Leads::Unknown,
            }
        };
        match self.open(thread, &full, follow) {
            Ok(found) => self.found(found),
            Err(error) if error.raw_os_error() == Some(libc::ENOENT) => self.nowhere(thread, &full, follow),
            Err(_) => Leads::Unknown,
        }
    }

    fn found(&mut self, opened: OwnedFd) -> Leads {
        let (Ok(stat), Ok(path)) = (fstat(&opened), path_of(&opened)) else { return Leads::Unknown };
        let file = self.number(&stat, &path);
        Leads::To(Found { stat, path, opened, file })
    }

    fn nowhere(&mut self, thread: u32, full: &Path, follow: bool) -> Leads {
        // A link to nothing leads to where that would be.
        if follow && let Ok(link) = self.open(thread, full, false) {
            if let (Ok(path), Ok(target)) = (path_of(&link), readlinkat(&link, "", Vec::new())) {
                let target = PathBuf::from(OsString::from_vec(target.into_bytes()));
                let full = path.parent().unwrap_or(Path::new("/")).join(target);
                return self.nowhere(thread, &full, false);
            }
            return Leads::Unknown;
        }
        let (Some(parent), Some(name)) = (full.parent(), full.file_name()) else { return Leads::Unknown };
        let Ok(parent) = self.open(thread, parent, true) else {
            return Leads::Nowhere { path: full.to_owned(), parent: None };
        };
        let (Ok(stat), Ok(path)) = (fstat(&parent), path_of(&parent)) else { return Leads::Unknown };
        if !is_directory(&stat) {
            return Leads::Unknown;
        }
        let number = self.number(&stat, &path);
        Leads::Nowhere { path: path.join(name), parent: number }
    }
}

/// The name by which a descriptor is known, without the mark of one that has none any more.
pub(crate) fn path_of(found: &impl AsFd) -> io::Result<PathBuf> {
    path_behind(format!("/proc/self/fd/{}", found.as_fd().as_raw_fd()))
}

fn path_behind(link: impl AsRef<Path>) -> io::Result<PathBuf> {
    let mut bytes = fs::read_link(link)?.into_os_string().into_vec();
    if bytes.ends_with(MARK_OF_GONE) {
        bytes.truncate(bytes.len() - MARK_OF_GONE.len());
    }
    Ok(OsString::from_vec(bytes).into())
}

/// A call's descriptor argument as the kernel takes it: its lower half.
pub(crate) fn descriptor(argument: u64) -> i32 {
    i32::from_ne_bytes((u32::try_from(argument & 0xffff_ffff).unwrap_or(0)).to_ne_bytes())
}

/// Whether a call follows a link at the end of its name.
pub(crate) fn follows(flags: u64) -> bool {
    flags & u64::from(AtFlags::SYMLINK_NOFOLLOW.bits()) == 0
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_directory_is_laid_out_as_it_is_in_an_order_that_is_always_the_same() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("b")).unwrap();
        fs::write(folder.path().join("b/c"), [7; 100]).unwrap();
        fs::write(folder.path().join("a"), [7; 5]).unwrap();
        let laid = Laid::walk(&[folder.path().to_owned(), folder.path().join("b")]).unwrap();
        let told: Vec<_> =
            laid.table.entries().iter().map(|entry| (entry.name.as_str(), entry.size)).collect();
        assert_eq!(told, [("a", 5), ("b", 0), ("c", 100)]);
        assert_eq!(laid.table.path(FileId(3)).unwrap(), "b/c");
        assert_eq!(laid.next, 4);
        assert!(Laid::walk(&[folder.path().join("no")]).is_err());
    }

    #[test]
    fn a_directory_that_is_moved_takes_what_lies_in_it_along() {
        let mut files = Files::new(Laid { next: 1, ..Laid::default() });
        let directory = files.new_file(FileId::ROOT, true);
        let file = files.new_file(directory, false);
        files.name("/w/d".into(), directory);
        files.name("/w/d/f".into(), file);
        files.rename(Path::new("/w/d"), Path::new("/w/e"), directory, FileId::ROOT);
        assert_eq!(files.by_name.get(Path::new("/w/e/f")), Some(&file));
        assert_eq!(files.by_name.get(Path::new("/w/d/f")), None);
    }

    #[test]
    fn a_descriptor_is_the_lower_half_of_its_argument() {
        assert_eq!(descriptor(0xffff_ff9c), libc::AT_FDCWD);
        assert_eq!(descriptor(u64::MAX), -1);
        assert_eq!(descriptor(7), 7);
    }
}
