//! Everything that one piece of work reads: files below a folder, or what somebody holds in memory under their names.
//!
//! Whoever works looks for inputs here and nowhere else, so that a page, a notebook or a test gives them without
//! writing files, and what is small is read once, however many ask for it. What is large is opened again by each who
//! reads it from its beginning: a stream is not kept.
//!
//! What was read is known by its identity (device, inode, time of birth), so that no output of the same work takes its
//! place, by whatever name or link it is reached. Two pieces of work in one process know nothing of each other.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{File, Metadata};
use std::io::{self, Cursor, Read};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

/// A file of so many bytes or fewer is kept when it was read: most specifications, drives and sample traces are
/// smaller, and a large trace costs more memory than opening it again costs time.
const KEPT_BYTES_MAX: u64 = 4 << 20;

/// Device, inode and time of birth: the number of an inode that is gone is given to another file, born later. Where a
/// file system knows no births, the numbers have to do.
type Identity = (u64, u64, Option<SystemTime>);

fn identity(there: &Metadata) -> Identity {
    (there.dev(), there.ino(), there.created().ok())
}

/// Where inputs lie, and what has been read of them. Clones share what was read.
#[derive(Clone, Debug, Default)]
pub struct Inputs {
    folder: Option<PathBuf>,
    known: Arc<Mutex<ReadSoFar>>,
}

#[derive(Debug, Default)]
struct ReadSoFar {
    kept: BTreeMap<PathBuf, Arc<[u8]>>,
    /// How often each file was opened.
    opened: BTreeMap<PathBuf, u64>,
    /// What anybody has opened, from memory or not.
    used: BTreeSet<PathBuf>,
    /// What no output takes the place of.
    read: BTreeSet<Identity>,
}

/// What was opened, from its beginning.
#[derive(Debug)]
pub enum Source {
    /// It is in memory.
    Kept(Cursor<Arc<[u8]>>),
    /// It is read as it lies there.
    File(File),
}

impl Read for Source {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Kept(bytes) => bytes.read(buffer),
            Self::File(file) => file.read(buffer),
        }
    }
}

impl ReadSoFar {
    /// What is kept of a path, for somebody who opens it.
    fn take(&mut self, path: &Path) -> Option<Arc<[u8]>> {
        let bytes = self.kept.get(path)?.clone();
        self.used.insert(path.to_owned());
        Some(bytes)
    }

    /// A file is opened.
    fn count(&mut self, path: &Path) {
        *self.opened.entry(path.to_owned()).or_default() += 1;
        self.used.insert(path.to_owned());
    }
}

impl Inputs {
    /// Files as they are named: what is relative lies below the process' own folder.
    pub fn here() -> Self {
        Self::in_folder(Path::new(""))
    }

    /// Files below a folder; those named by an absolute path lie where they lie.
    pub fn in_folder(folder: &Path) -> Self {
        Self { folder: Some(folder.to_owned()), known: Arc::default() }
    }

    /// Inputs of the same work in another folder: what is read there is known here.
    pub fn below(&self, folder: &Path) -> Self {
        Self { folder: Some(folder.to_owned()), known: self.known.clone() }
    }

    /// Nothing that could be looked for beforehand. What is held in memory is there all the same, and whoever opens a
    /// file finds it as [`here`](Self::here).
    pub fn none() -> Self {
        Self::default()
    }

    /// Inputs of the same work, none of which could be looked for beforehand, as of [`none`](Self::none).
    pub fn without_folder(&self) -> Self {
        Self { folder: None, known: self.known.clone() }
    }

    /// With an input that is in memory; it is found by this name before any file is.
    pub fn hold(&self, name: &Path, bytes: impl Into<Arc<[u8]>>) {
        self.known().kept.insert(self.path_of(name), bytes.into());
    }

    /// Whether an input is looked for before it is needed: one that is held, or any where there is a folder.
    pub fn may_be_read(&self, name: &Path) -> bool {
        self.folder.is_some() || self.holds(name)
    }

    /// Whether an input is in memory, given or read before.
    pub fn holds(&self, name: &Path) -> bool {
        self.known().kept.contains_key(&self.path_of(name))
    }

    /// Where an input lies.
    pub fn path_of(&self, name: &Path) -> PathBuf {
        self.folder.as_deref().map_or_else(|| name.to_owned(), |folder| folder.join(name))
    }

    /// Opens an input. One that is small is read now, and from memory for all who come later.
    ///
    /// # Errors
    /// As of [`File::open`]; a folder, which can be opened and only fails when it is read.
    pub fn open(&self, name: &Path) -> io::Result<Source> {
        let path = self.path_of(name);
        if let Some(bytes) = self.known().take(&path) {
            return Ok(Source::Kept(Cursor::new(bytes)));
        }
        let mut file = File::open(&path)?;
        let there = file.metadata()?;
        self.remember(&there);
        self.known().count(&path);
        if there.is_dir() {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        // A pipe has no length and no second reader: whoever opens it reads it.
        if !there.is_file() || there.len() > KEPT_BYTES_MAX {
            return Ok(Source::File(file));
        }
        let mut bytes = Vec::with_capacity(usize::try_from(there.len()).unwrap_or_default());
        file.read_to_end(&mut bytes)?;
        let bytes: Arc<[u8]> = bytes.into();
        self.known().kept.insert(path, bytes.clone());
        Ok(Source::Kept(Cursor::new(bytes)))
    }

    /// The bytes of an input.
    ///
    /// # Errors
    /// As of [`open`](Self::open); more than `bytes_max` are [`io::ErrorKind::FileTooLarge`], before they are in memory.
    pub fn read(&self, name: &Path, bytes_max: u64) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        // Devices and pipes say that they have none, and may have no end.
        self.open(name)?.take(bytes_max.saturating_add(1)).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > bytes_max {
            return Err(io::Error::new(
                io::ErrorKind::FileTooLarge,
                format!("it has more than {bytes_max} bytes, which is more than any such file needs"),
            ));
        }
        Ok(bytes)
    }

    /// Whether an input is there and can be read as one; it is remembered as an input.
    ///
    /// # Errors
    /// As of [`std::fs::metadata`]; a folder.
    pub fn look(&self, name: &Path) -> io::Result<()> {
        if self.holds(name) {
            return Ok(());
        }
        let there = std::fs::metadata(self.path_of(name))?;
        self.remember(&there);
        if there.is_dir() { Err(io::ErrorKind::IsADirectory.into()) } else { Ok(()) }
    }

    /// Remembers a file that something else reads.
    pub fn remember(&self, there: &Metadata) {
        // Who writes to a pipe or a terminal takes nothing away from it.
        if there.is_file() || there.file_type().is_block_device() {
            self.known().read.insert(identity(there));
        }
    }

    /// Whether what lies at a path has been read.
    pub fn contain(&self, path: &Path) -> bool {
        std::fs::metadata(path).is_ok_and(|there| self.known().read.contains(&identity(&there)))
    }

    /// How often files were opened, by their paths.
    pub fn opened(&self) -> BTreeMap<PathBuf, u64> {
        self.known().opened.clone()
    }

    /// Everything that was opened, by its path: files, folders, and what is held in memory. All of it makes the same work possible
    /// elsewhere.
    pub fn used(&self) -> Vec<PathBuf> {
        self.known().used.iter().cloned().collect()
    }

    fn known(&self) -> MutexGuard<'_, ReadSoFar> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn text(inputs: &Inputs, name: &str) -> String {
        let mut text = String::new();
        inputs.open(Path::new(name)).unwrap().read_to_string(&mut text).unwrap();
        text
    }

    #[test]
    fn a_small_file_is_opened_once_and_a_large_one_by_each_reader() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("small"), "text").unwrap();
        let large = File::create(folder.path().join("large")).unwrap();
        large.set_len(KEPT_BYTES_MAX + 1).unwrap();
        let inputs = Inputs::in_folder(folder.path());
        let again = inputs.clone();
        for _ in 0..3 {
            assert_eq!(text(&again, "small"), "text");
            assert!(matches!(inputs.open(Path::new("large")).unwrap(), Source::File(_)));
        }
        let opened: Vec<u64> = inputs.opened().into_values().collect();
        assert_eq!(opened, [3, 1], "the large one, and the small one");
        assert!(inputs.contain(&folder.path().join("small")));
    }

    #[test]
    fn an_input_is_known_by_every_name_and_in_every_folder_of_its_work() {
        let folder = tempfile::tempdir().unwrap();
        let [path, link, hard, other] = ["a", "link", "hard", "other"].map(|name| folder.path().join(name));
        std::fs::write(&path, "text").unwrap();
        std::fs::write(&other, "text").unwrap();
        std::os::unix::fs::symlink(&path, &link).unwrap();
        std::fs::hard_link(&path, &hard).unwrap();
        let (inputs, of_others) = (Inputs::here(), Inputs::in_folder(folder.path()));
        assert!(!inputs.contain(&path));
        assert_eq!(inputs.below(folder.path()).read(Path::new("link"), 4).unwrap(), b"text");
        assert!(inputs.contain(&path) && inputs.contain(&link) && inputs.contain(&hard));
        assert!(!inputs.contain(&other) && !of_others.contain(&path));
    }

    #[test]
    fn what_has_no_end_is_refused() {
        let error = Inputs::here().read(Path::new("/dev/zero"), 1_000).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::FileTooLarge);
    }

    #[test]
    fn what_is_held_needs_no_file() {
        let inputs = Inputs::none();
        inputs.hold(Path::new("specification"), *b"held");
        assert_eq!(text(&inputs, "specification"), "held");
        assert!(inputs.look(Path::new("specification")).is_ok() && inputs.opened().is_empty());
        assert!(inputs.may_be_read(Path::new("specification")) && !inputs.may_be_read(Path::new("other")));
    }

    #[test]
    fn a_folder_is_no_input() {
        let folder = tempfile::tempdir().unwrap();
        let inputs = Inputs::here();
        assert_eq!(inputs.open(folder.path()).unwrap_err().kind(), io::ErrorKind::IsADirectory);
        assert_eq!(inputs.look(folder.path()).unwrap_err().kind(), io::ErrorKind::IsADirectory);
        assert_eq!(inputs.open(&folder.path().join("none")).unwrap_err().kind(), io::ErrorKind::NotFound);
    }
}
