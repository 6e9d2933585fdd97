//! Where programs work: at a path, or below directories that are held open, so that no link that is put there meanwhile
//! leads away.

use crate::beneath::{Directory, Identity, MARK, There};
use rustix::fs::{AtFlags, CWD, Mode, OFlags, RawDir, Timespec, Timestamps, UTIME_NOW};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Bytes of names that are read at once (glibc 2.36 `sysdeps/unix/sysv/linux/opendir.c`).
const LIST_BYTES: usize = 32_768;

/// Where programs work.
#[derive(Clone, Debug)]
pub enum Ground {
    /// In a directory, which nobody else works in.
    At(PathBuf),
    /// Below directories that are held open.
    Below(Below),
}

/// Directories that are held open: one for all, and others for what lies elsewhere.
#[derive(Clone, Debug)]
pub struct Below {
    main: Arc<Directory>,
    /// By the first name of a path.
    tops: BTreeMap<String, Arc<Directory>>,
}

/// A ground for another process: it opens the directories by their names, if they are still the same.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GroundPlan {
    main: DirectoryIdentity,
    tops: BTreeMap<String, DirectoryIdentity>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct DirectoryIdentity {
    path: PathBuf,
    inode: u64,
    born_ns: i64,
}

impl DirectoryIdentity {
    fn of(directory: &Directory) -> io::Result<Self> {
        let Identity { inode, born_ns } = directory.itself()?.identity;
        Ok(Self { path: directory.path().to_owned(), inode, born_ns })
    }

    fn open(&self) -> io::Result<Arc<Directory>> {
        let directory = Directory::open(&self.path)?;
        match directory.itself()?.is_same(Identity { inode: self.inode, born_ns: self.born_ns }) {
            true => Ok(Arc::new(directory)),
            false => Err(io::Error::other("another directory has its name now")),
        }
    }
}

impl GroundPlan {
    /// Opens the directories.
    ///
    /// # Errors
    /// One that can't be opened, or isn't what it was.
    pub fn open(&self) -> Result<Ground, super::DriveError> {
        let open =
            |known: &DirectoryIdentity| known.open().map_err(super::DriveError::file("open", &known.path));
        let tops = self.tops.iter().map(|(name, known)| Ok((name.clone(), open(known)?)));
        Ok(Ground::Below(Below {
            main: open(&self.main)?,
            tops: tops.collect::<Result<_, super::DriveError>>()?,
        }))
    }
}

impl Below {
    /// Below a directory, and below others for what has these first names.
    pub const fn new(main: Arc<Directory>, tops: BTreeMap<String, Arc<Directory>>) -> Self {
        Self { main, tops }
    }

    /// For another process.
    ///
    /// # Errors
    /// A directory that can't be looked at.
    pub fn plan(&self) -> Result<GroundPlan, super::DriveError> {
        let of = |directory: &Directory| {
            DirectoryIdentity::of(directory).map_err(super::DriveError::file("look at", directory.path()))
        };
        let tops = self.tops.iter().map(|(name, directory)| Ok((name.clone(), of(directory)?)));
        Ok(GroundPlan { main: of(&self.main)?, tops: tops.collect::<Result<_, super::DriveError>>()? })
    }
}

impl Ground {
    /// The directory's path; for messages where it is held open.
    pub(super) fn path(&self) -> &Path {
        match self {
            Self::At(path) => path,
            Self::Below(below) => below.main.path(),
        }
    }

    /// The directory itself.
    pub(super) fn open_itself(&self) -> io::Result<File> {
        match self {
            Self::At(path) => File::open(path),
            Self::Below(below) => Ok(below.main.as_fd().try_clone_to_owned()?.into()),
        }
    }

    /// How a path is reached that begins with the directory's.
    pub(super) fn way<'a>(&'a self, path: &'a Path) -> Way<'a> {
        match self {
            Self::At(_) => Way { directory: None, below: path },
            Self::Below(of) => {
                let below = path.strip_prefix(of.main.path()).unwrap_or(path);
                let top = || of.tops.get(below.components().next()?.as_os_str().to_str()?);
                let elsewhere = if of.tops.is_empty() { None } else { top() };
                Way { directory: Some(elsewhere.unwrap_or(&of.main)), below }
            }
        }
    }
}

/// How something is reached.
pub(super) struct Way<'a> {
    directory: Option<&'a Directory>,
    below: &'a Path,
}

/// A name in the directory in which it lies, which is open.
pub(super) struct Spot<'a> {
    parent: Option<OwnedFd>,
    name: &'a Path,
}

impl<'a> Way<'a> {
    /// Opens a file or a directory.
    pub(super) fn open(&self, flags: OFlags) -> io::Result<File> {
        match self.directory {
            None => Ok(rustix::fs::open(self.below, flags | OFlags::CLOEXEC, Mode::empty())?.into()),
            Some(directory) => Ok(directory.open_below(self.below, flags, Mode::empty())?.into()),
        }
    }

    /// That what was opened may be used: below directories held open, only what has petrio's mark.
    pub(super) fn check(&self, opened: &File) -> io::Result<()> {
        if self.directory.is_none() { Ok(()) } else { check(opened.as_fd()) }
    }

    /// Reads the names in a directory, as the C library does: so many bytes at once.
    pub(super) fn list(&self) -> io::Result<()> {
        if self.directory.is_none() {
            return std::fs::read_dir(self.below)?.try_for_each(|entry| entry.map(drop));
        }
        let open = self.open(OFlags::RDONLY | OFlags::DIRECTORY)?;
        let mut names = Vec::with_capacity(LIST_BYTES);
        let mut list = RawDir::new(open, names.spare_capacity_mut());
        while let Some(entry) = list.next() {
            entry?;
        }
        Ok(())
    }

    /// Where its name is.
    pub(super) fn spot(&self) -> io::Result<Spot<'a>> {
        match self.directory {
            None => Ok(Spot { parent: None, name: self.below }),
            Some(directory) => {
                let (parent, name) = directory.parent_of(self.below)?;
                if self.below.components().nth(1).is_some() {
                    check(parent.as_fd())?;
                }
                Ok(Spot { parent: Some(parent), name: Path::new(name) })
            }
        }
    }
}

/// That something has petrio's mark.
fn check(opened: BorrowedFd<'_>) -> io::Result<()> {
    match There::of(opened)?.is_marked {
        true => Ok(()),
        false => Err(foreign()),
    }
}

fn foreign() -> io::Error {
    io::Error::other("it isn't what petrio has made, and is left alone")
}

impl Spot<'_> {
    /// Makes a file; one that is made below directories held open has petrio's mark, by which it can be removed after a
    /// process that was killed.
    pub(super) fn create(&self, flags: OFlags) -> io::Result<File> {
        let mode = Mode::from_raw_mode(0o666);
        let mode = if self.parent.is_some() { mode | MARK } else { mode };
        let flags = flags | OFlags::CLOEXEC | OFlags::CREATE | OFlags::EXCL;
        Ok(rustix::fs::openat(self.parent(), self.name, flags, mode)?.into())
    }

    fn parent(&self) -> BorrowedFd<'_> {
        self.parent.as_ref().map_or(CWD, AsFd::as_fd)
    }

    /// That what has the name may be removed: below directories held open, only what has petrio's mark.
    pub(super) fn check(&self) -> io::Result<()> {
        if self.parent.is_none() {
            return Ok(());
        }
        let there = rustix::fs::statat(self.parent(), self.name, AtFlags::SYMLINK_NOFOLLOW)?;
        match Mode::from_raw_mode(there.st_mode).contains(MARK) {
            true => Ok(()),
            false => Err(foreign()),
        }
    }

    pub(super) fn unlink(&self) -> io::Result<()> {
        Ok(rustix::fs::unlinkat(self.parent(), self.name, AtFlags::empty())?)
    }

    pub(super) fn make_directory(&self) -> io::Result<()> {
        let mode = Mode::from_raw_mode(0o777);
        let mode = if self.parent.is_some() { mode | MARK } else { mode };
        Ok(rustix::fs::mkdirat(self.parent(), self.name, mode)?)
    }

    pub(super) fn remove_directory(&self) -> io::Result<()> {
        Ok(rustix::fs::unlinkat(self.parent(), self.name, AtFlags::REMOVEDIR)?)
    }

    pub(super) fn rename(&self, to: &Self) -> io::Result<()> {
        Ok(rustix::fs::renameat(self.parent(), self.name, to.parent(), to.name)?)
    }

    /// To now.
    pub(super) fn set_times(&self) -> io::Result<()> {
        let now = Timespec { tv_sec: 0, tv_nsec: UTIME_NOW };
        let times = Timestamps { last_access: now, last_modification: now };
        Ok(rustix::fs::utimensat(self.parent(), self.name, &times, AtFlags::SYMLINK_NOFOLLOW)?)
    }

    pub(super) fn stat(&self) -> io::Result<()> {
        rustix::fs::statat(self.parent(), self.name, AtFlags::SYMLINK_NOFOLLOW)?;
        Ok(())
    }
}
