//! A folder held by its handle: what lies below it is opened from there, and never by a path that leads elsewhere,
//! however names and links are changed meanwhile (`openat2(2)`, Linux 5.6).

use petrio_files::under_way::{self, PART_FILE};
use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, ResolveFlags};
use rustix::io::Errno;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::{Path, PathBuf};

/// Where the system shows what an open handle stands for.
pub(super) fn path_of(handle: &impl AsRawFd) -> PathBuf {
    PathBuf::from(format!("/proc/self/fd/{}", handle.as_raw_fd()))
}

/// A folder.
#[derive(Debug)]
pub(super) struct Held(OwnedFd);

/// How often what changes under the resolution is tried again.
const TRIES: usize = 64;
const PATH: OFlags = OFlags::PATH.union(OFlags::CLOEXEC);

impl Held {
    /// Takes hold of a folder.
    pub(super) fn open(folder: &Path) -> io::Result<Self> {
        let held = Self(rustix::fs::openat(CWD, folder, PATH | OFlags::DIRECTORY, Mode::empty())?);
        // Where this can't be asked, nothing is served.
        held.beneath(Path::new("."), ResolveFlags::empty())?;
        Ok(held)
    }

    fn beneath(&self, below: &Path, more: ResolveFlags) -> io::Result<OwnedFd> {
        let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS | more;
        let mut tries = TRIES;
        loop {
            match rustix::fs::openat2(&self.0, below, PATH, Mode::empty(), resolve) {
                // Something was renamed while dots were followed.
                Err(Errno::AGAIN) if tries > 0 => tries -= 1,
                found => return Ok(found?),
            }
        }
    }

    /// A path below the folder, by names alone.
    fn inner(&self, path: &Path) -> io::Result<PathBuf> {
        let own = std::fs::read_link(path_of(&self.0))?;
        let inner = path.strip_prefix(&own).map_err(|_| Errno::XDEV)?;
        Ok(if inner.as_os_str().is_empty() { PathBuf::from(".") } else { inner.to_owned() })
    }

    /// What lies at a path below the folder. Links lead anywhere below it, and nowhere else.
    fn find(&self, below: &Path) -> io::Result<OwnedFd> {
        let found = self.beneath(below, ResolveFlags::empty());
        match &found {
            // A link with a whole path may lead back: then what it names is looked for without links.
            Err(error) if error.raw_os_error() == Some(Errno::XDEV.raw_os_error()) => {
                let real = std::fs::canonicalize(path_of(&self.0).join(below)).map_err(|_| Errno::XDEV)?;
                self.beneath(&self.inner(&real)?, ResolveFlags::NO_SYMLINKS)
            }
            _ => found,
        }
    }

    /// Opens a regular file to read it; none for something else. What is no regular file isn't opened: that may do
    /// something already.
    pub(super) fn file(&self, below: &Path) -> io::Result<Option<File>> {
        let found = self.find(below)?;
        if !FileType::from_raw_mode(rustix::fs::fstat(&found)?.st_mode).is_file() {
            return Ok(None);
        }
        // The same one, whatever has its name by now.
        File::open(path_of(&found)).map(Some)
    }

    /// The folder in which a file is or will be, and its name there.
    fn place(&self, below: &Path) -> io::Result<(OwnedFd, OsString)> {
        let name = |path: &Path| path.file_name().map(OsStr::to_owned).ok_or(Errno::ISDIR);
        let folder = |path: &Path| match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
            _ => PathBuf::from("."),
        };
        let (there, last) = (self.find(&folder(below))?, name(below)?);
        if !matches!(kind(&there, &last)?, Some((FileType::Symlink, _))) {
            return Ok((there, last));
        }
        // The link stays, and what it leads to is written, if that lies below as well.
        let goal = self.find(below).map_err(|_| Errno::XDEV)?;
        let real = self.inner(&std::fs::read_link(path_of(&goal))?)?;
        Ok((self.beneath(&folder(&real), ResolveFlags::NO_SYMLINKS)?, name(&real)?))
    }

    /// Writes a file, which is complete or as it was.
    pub(super) fn replace(&self, below: &Path, bytes: &[u8]) -> io::Result<()> {
        let (folder, name) = self.place(below)?;
        let mode = match kind(&folder, &name)? {
            None => None,
            Some((FileType::RegularFile, mode)) => Some(mode),
            Some(_) => return Err(io::Error::other("it is no file")),
        };
        let part = format!(".petrio-{}.part", under_way::random_name());
        let _recorded = under_way::begin(PART_FILE, &std::fs::read_link(path_of(&folder))?.join(&part));
        let written = || -> io::Result<()> {
            let flags = OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::WRONLY | OFlags::CLOEXEC;
            let usual = Mode::from_raw_mode(mode.map_or(0o666, |mode| mode & 0o600));
            let mut file = File::from(rustix::fs::openat(&folder, part.as_str(), flags, usual)?);
            if let Some(mode) = mode {
                rustix::fs::fchmod(&file, Mode::from_raw_mode(mode & 0o7777))?;
            }
            file.write_all(bytes)?;
            file.sync_all()?;
            // A link that has come to be there is replaced, and not followed.
            Ok(rustix::fs::renameat(&folder, part.as_str(), &folder, &name)?)
        };
        let outcome = written();
        if outcome.is_err() {
            let _ = rustix::fs::unlinkat(&folder, part.as_str(), AtFlags::empty());
        }
        outcome?;
        // The name is durable with its folder; not all file systems sync folders.
        let _ = File::open(path_of(&folder)).and_then(|folder| folder.sync_all());
        Ok(())
    }
}

/// What has a name in a folder, and its mode.
fn kind(folder: &OwnedFd, name: &OsStr) -> io::Result<Option<(FileType, u32)>> {
    match rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(there) => Ok(Some((FileType::from_raw_mode(there.st_mode), there.st_mode))),
        Err(Errno::NOENT) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Whether an error says that a path leads out.
pub(super) fn leads_out(error: &io::Error) -> bool {
    let number = error.raw_os_error();
    [Errno::XDEV, Errno::LOOP].iter().any(|out| number == Some(out.raw_os_error()))
}
