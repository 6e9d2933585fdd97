//! Files below a directory that is held open: whatever is opened, made or removed there lies there, and no symbolic
//! link leads away from it, whoever changes names meanwhile.
//!
//! Names are looked up by openat2(2) with `RESOLVE_BENEATH` and `RESOLVE_NO_SYMLINKS`; where the kernel has no such
//! call (before 5.6, or in a container that forbids it), directory by directory with `O_NOFOLLOW`. The directory itself
//! is opened by its path once: that is its user's word.

mod there;

pub use there::Identity;
pub(crate) use there::{Kind, MARK, There};

use rustix::fs::{AtFlags, Dir, Mode, OFlags, RenameFlags, ResolveFlags};
use rustix::io::Errno;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether the kernel was found to have no openat2(2).
static IS_WITHOUT_OPENAT2: AtomicBool = AtomicBool::new(false);

/// Lookups that are tried again: the kernel gives up where directories are renamed meanwhile (openat2(2), EAGAIN).
const ATTEMPTS: usize = 64;

const FOLLOW_NOTHING: OFlags = OFlags::CLOEXEC.union(OFlags::NOFOLLOW);

/// A directory that is held open.
#[derive(Debug)]
pub struct Directory {
    handle: OwnedFd,
    /// What it was called; for messages.
    path: PathBuf,
}

impl Directory {
    /// Opens a directory that the user has named; links are followed as he says.
    ///
    /// # Errors
    /// It isn't there, isn't a directory, or may not be read.
    pub fn open(path: &Path) -> io::Result<Self> {
        let flags = OFlags::DIRECTORY | OFlags::RDONLY | OFlags::CLOEXEC;
        Ok(Self { handle: rustix::fs::open(path, flags, Mode::empty())?, path: path.to_owned() })
    }

    /// What it was called when it was opened.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Opens something below it; every component but the last is a directory, and none is a link.
    pub(crate) fn open_below(&self, below: &Path, flags: OFlags, mode: Mode) -> io::Result<OwnedFd> {
        Ok(open_beneath(self.handle.as_fd(), below, flags | FOLLOW_NOTHING, mode)?)
    }

    /// Opens a directory below it.
    pub(crate) fn directory_below(&self, below: &Path) -> io::Result<Self> {
        let handle = self.open_below(below, OFlags::DIRECTORY | OFlags::RDONLY, Mode::empty())?;
        Ok(Self { handle, path: self.path.join(below) })
    }

    /// The directory in which something below it lies, and its name there.
    pub(crate) fn parent_of<'a>(&self, below: &'a Path) -> io::Result<(OwnedFd, &'a OsStr)> {
        let name = below.file_name().ok_or(Errno::INVAL)?;
        let parent = match below.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => return Ok((self.handle.try_clone()?, name)),
        };
        Ok((self.open_below(parent, OFlags::DIRECTORY | OFlags::PATH, Mode::empty())?, name))
    }

    /// Makes a file of a name that isn't taken, marked as petrio's.
    pub(crate) fn make_file(&self, name: &OsStr) -> io::Result<File> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | FOLLOW_NOTHING;
        Ok(rustix::fs::openat(&self.handle, name, flags, Mode::from_raw_mode(0o666) | MARK)?.into())
    }

    /// Opens a file right in it.
    pub(crate) fn open_file(&self, name: &str, flags: OFlags, mode: Mode) -> io::Result<File> {
        Ok(rustix::fs::openat(&self.handle, name, flags | FOLLOW_NOTHING, mode)?.into())
    }

    /// Makes a directory of a name that isn't taken, marked as petrio's.
    pub(crate) fn make_directory(&self, name: &OsStr, mode: u32) -> io::Result<()> {
        Ok(rustix::fs::mkdirat(&self.handle, name, Mode::from_raw_mode(mode) | MARK)?)
    }

    /// Makes a symbolic link of a name that isn't taken.
    pub(crate) fn make_link(&self, to: &Path, name: &OsStr) -> io::Result<()> {
        Ok(rustix::fs::symlinkat(to, &self.handle, name)?)
    }

    /// Where a symbolic link right in it leads.
    pub(crate) fn link(&self, name: &OsStr) -> io::Result<PathBuf> {
        let to = rustix::fs::readlinkat(&self.handle, name, Vec::new())?;
        Ok(OsString::from_vec(to.into_bytes()).into())
    }

    /// What has a name right in it; a link is looked at itself.
    pub(crate) fn look(&self, name: &OsStr) -> io::Result<Option<There>> {
        match There::named(self.handle.as_fd(), name, AtFlags::SYMLINK_NOFOLLOW) {
            Err(Errno::NOENT) => Ok(None),
            there => Ok(Some(there?)),
        }
    }

    /// What it is itself.
    pub(crate) fn itself(&self) -> io::Result<There> {
        There::of(self.handle.as_fd())
    }

    /// The names in it.
    pub(crate) fn names(&self) -> io::Result<Vec<OsString>> {
        let mut names = Vec::new();
        for entry in Dir::read_from(&self.handle)? {
            let entry = entry?;
            let name = entry.file_name().to_bytes();
            if name != b"." && name != b".." {
                names.push(OsStr::from_bytes(name).to_owned());
            }
        }
        Ok(names)
    }

    /// Whether nothing is in it.
    pub(crate) fn is_empty(&self) -> io::Result<bool> {
        for entry in Dir::read_from(&self.handle)? {
            if !matches!(entry?.file_name().to_bytes(), b"." | b"..") {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Removes a name right in it: that of an empty directory, or of anything else.
    pub(crate) fn unlink(&self, name: &OsStr, is_directory: bool) -> io::Result<()> {
        let flags = if is_directory { AtFlags::REMOVEDIR } else { AtFlags::empty() };
        Ok(rustix::fs::unlinkat(&self.handle, name, flags)?)
    }

    /// Gives what has a name right in it a name in another directory that isn't taken.
    pub(crate) fn move_to(&self, name: &OsStr, to: &Self, new: &OsStr) -> io::Result<()> {
        match rustix::fs::renameat_with(&self.handle, name, &to.handle, new, RenameFlags::NOREPLACE) {
            // A file system that doesn't know the flag (NFS). A second name is never put over another; directories have
            // no second name, and a directory is never put over anything but an empty one.
            Err(Errno::INVAL | Errno::NOSYS) => {
                match rustix::fs::linkat(&self.handle, name, &to.handle, new, AtFlags::empty()) {
                    Ok(()) => self.unlink(name, false),
                    Err(Errno::PERM | Errno::ISDIR) if to.look(new)?.is_none() => {
                        Ok(rustix::fs::renameat(&self.handle, name, &to.handle, new)?)
                    }
                    Err(error) => Err(error.into()),
                }
            }
            outcome => Ok(outcome?),
        }
    }

    /// Gives what has a name right in it another one, in place of what had that.
    pub(crate) fn rename(&self, name: &str, new: &str) -> io::Result<()> {
        Ok(rustix::fs::renameat(&self.handle, name, &self.handle, new)?)
    }

    /// Makes everything on its file system durable.
    pub(crate) fn sync_file_system(&self) -> io::Result<()> {
        Ok(rustix::fs::syncfs(&self.handle)?)
    }
}

impl AsFd for Directory {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.handle.as_fd()
    }
}

fn open_beneath(
    directory: BorrowedFd<'_>,
    below: &Path,
    flags: OFlags,
    mode: Mode,
) -> Result<OwnedFd, Errno> {
    if !IS_WITHOUT_OPENAT2.load(Ordering::Relaxed) {
        let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
        for _ in 0..ATTEMPTS {
            match rustix::fs::openat2(directory, below, flags, mode, resolve) {
                Err(Errno::AGAIN) => {}
                // A filter of system calls may say EPERM; if it isn't that, the walk says so too.
                Err(Errno::NOSYS | Errno::PERM) => break,
                outcome => return outcome,
            }
        }
    }
    let outcome = walk(directory, below, flags, mode);
    if outcome.is_ok() {
        IS_WITHOUT_OPENAT2.store(true, Ordering::Relaxed);
    }
    outcome
}

/// As openat2(2) would, one directory after the other.
fn walk(directory: BorrowedFd<'_>, below: &Path, flags: OFlags, mode: Mode) -> Result<OwnedFd, Errno> {
    let mut at: Option<OwnedFd> = None;
    let mut components = below.components().peekable();
    while let Some(component) = components.next() {
        let Component::Normal(name) = component else { return Err(Errno::XDEV) };
        let from = at.as_ref().map_or(directory, AsFd::as_fd);
        let next = match components.peek() {
            Some(_) => {
                let through = OFlags::PATH | OFlags::DIRECTORY | FOLLOW_NOTHING;
                rustix::fs::openat(from, name, through, Mode::empty())?
            }
            None => rustix::fs::openat(from, name, flags, mode)?,
        };
        at = Some(next);
    }
    at.ok_or(Errno::INVAL)
}

#[cfg(test)]
mod tests;
