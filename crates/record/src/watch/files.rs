//! What a process' descriptors and names stand for, as its folder in /proc tells.

use crate::raw::flag;
use libc::{O_ACCMODE, O_DIRECT, O_DSYNC, O_PATH, O_RDONLY, O_WRONLY};
use rustc_hash::FxHashMap;
use std::fs::{File, Metadata};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};

/// File systems that kernels make up (linux/magic.h), as `shim/files.c` has them: what is in them lies on no storage.
const MADE_UP: [u64; 12] = [
    0x9fa0,
    0x6265_6572,
    0x27_e0eb,
    0x6367_7270,
    0x6462_6720,
    0x7472_6163,
    0x1cd1,
    0x7363_6673,
    0xcafe_4a11,
    0x6e73_6673,
    0x5049_5045,
    0x0904_1934,
];

/// The folder that names begin in (`AT_FDCWD`).
pub(super) const HERE: i32 = libc::AT_FDCWD;

/// A file or folder that a descriptor stands for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known {
    /// As records speak of it.
    pub(super) number: u64,
    /// As records have it: how it was opened, and whether it is a folder.
    pub(super) flags: u16,
}

impl Known {
    pub(super) const fn is_folder(self) -> bool {
        self.flags & flag::DIRECTORY != 0
    }
}

/// A file that was just found: what a record of its name says.
#[derive(Debug)]
pub(super) struct Named {
    pub(super) known: Known,
    pub(super) path: Vec<u8>,
    pub(super) about: Metadata,
}

/// What a process' descriptors stand for.
#[derive(Debug)]
pub(super) struct Files {
    process: u32,
    names: u32,
    /// `None`: nothing on storage.
    known: FxHashMap<i32, Option<Known>>,
    /// Where the kernel tells how far descriptors are.
    told: FxHashMap<i32, File>,
}

impl Files {
    pub(super) fn of(process: u32) -> Self {
        Self { process, names: 0, known: FxHashMap::default(), told: FxHashMap::default() }
    }

    /// What a descriptor stands for; with what is to be said of it where nothing was yet. It was opened with these flags.
    pub(super) fn look(&mut self, descriptor: i32, flags: Option<i32>) -> (Option<Known>, Option<Named>) {
        if let Some(known) = self.known.get(&descriptor).filter(|_| flags.is_none()) {
            return (*known, None);
        }
        self.told.remove(&descriptor);
        let named = flags.or_else(|| self.flags(descriptor)).and_then(|flags| self.named(descriptor, flags));
        let known = named.as_ref().map(|named| named.known);
        self.known.insert(descriptor, known);
        (known, named)
    }

    fn named(&mut self, descriptor: i32, flags: i32) -> Option<Named> {
        let link = self.link(descriptor);
        let about = std::fs::metadata(&link).ok()?;
        let made_up = |of: rustix::fs::StatFs| {
            let kind = u64::from_ne_bytes(of.f_type.to_ne_bytes());
            MADE_UP.contains(&(kind & u64::from(u32::MAX)))
        };
        if flags & O_PATH != 0
            || !(about.is_file() || about.is_dir())
            || rustix::fs::statfs(&link).is_ok_and(made_up)
        {
            return None;
        }
        self.names += 1;
        let mode = flags & O_ACCMODE;
        let set = |is: bool, flag: u16| if is { flag } else { 0 };
        let known = Known {
            number: u64::from(self.process) << 32 | u64::from(self.names),
            flags: set(mode != O_WRONLY, flag::READS)
                | set(mode != O_RDONLY, flag::WRITES)
                | set(flags & O_DSYNC != 0, flag::DURABLE)
                | set(flags & O_DIRECT != 0, flag::DIRECT)
                | set(about.is_dir(), flag::DIRECTORY),
        };
        let path = std::fs::read_link(&link).ok()?.into_os_string().into_vec();
        Some(Named { known, path, about })
    }

    fn link(&self, descriptor: i32) -> PathBuf {
        format!("/proc/{}/fd/{descriptor}", self.process).into()
    }

    fn about(&self, descriptor: i32, key: &str) -> Option<String> {
        let path = format!("/proc/{}/fdinfo/{descriptor}", self.process);
        line(&std::fs::read_to_string(path).ok()?, key)
    }

    fn flags(&self, descriptor: i32) -> Option<i32> {
        i32::from_str_radix(&self.about(descriptor, "flags:")?, 8).ok()
    }

    /// How far a descriptor is in its file.
    pub(super) fn position(&mut self, descriptor: i32) -> Option<u64> {
        let path = format!("/proc/{}/fdinfo/{descriptor}", self.process);
        let file = match self.told.entry(descriptor) {
            std::collections::hash_map::Entry::Occupied(there) => there.into_mut(),
            std::collections::hash_map::Entry::Vacant(place) => place.insert(File::open(path).ok()?),
        };
        let mut text = [0; 128];
        let length = file.read_at(&mut text, 0).ok()?;
        line(std::str::from_utf8(text.get(..length)?).ok()?, "pos:")?.parse().ok()
    }

    /// A descriptor was closed, or stands for something else.
    pub(super) fn forget(&mut self, descriptor: i32) {
        self.known.remove(&descriptor);
        self.told.remove(&descriptor);
    }

    /// Those from one to another were closed.
    pub(super) fn forget_range(&mut self, from: u64, to: u64) {
        let within = |descriptor: &i32| u64::try_from(*descriptor).is_ok_and(|at| from <= at && at <= to);
        self.known.retain(|descriptor, _| !within(descriptor));
        self.told.retain(|descriptor, _| !within(descriptor));
    }

    /// Another descriptor stands for the same.
    pub(super) fn copied(&mut self, from: i32, to: i32) {
        self.forget(to);
        if let Some(known) = self.known.get(&from).copied() {
            self.known.insert(to, known);
        }
    }

    /// Another program has begun: what was to be closed then is.
    pub(super) fn forget_all(&mut self) {
        self.known.clear();
        self.told.clear();
    }

    /// The whole path of a name in a folder, as records have it.
    pub(super) fn path(&self, folder: i32, name: &Path) -> Vec<u8> {
        if name.is_absolute() {
            return name.as_os_str().as_bytes().to_vec();
        }
        let mut path =
            std::fs::read_link(self.folder(folder)).unwrap_or_default().into_os_string().into_vec();
        if !name.as_os_str().is_empty() {
            path.push(b'/');
            path.extend_from_slice(name.as_os_str().as_bytes());
        }
        path
    }

    fn folder(&self, folder: i32) -> PathBuf {
        if folder == HERE { format!("/proc/{}/cwd", self.process).into() } else { self.link(folder) }
    }

    /// What a name in a folder stands for.
    pub(super) fn behind(&self, folder: i32, name: &Path, follow: bool) -> Option<Metadata> {
        let place = match name.strip_prefix("/") {
            Ok(rest) => Path::new(&format!("/proc/{}/root", self.process)).join(rest),
            Err(_) => self.folder(folder).join(name),
        };
        if follow { std::fs::metadata(place) } else { std::fs::symlink_metadata(place) }.ok()
    }
}

/// What stands behind a key, in lines of keys and values.
fn line(text: &str, key: &str) -> Option<String> {
    text.lines().find_map(|line| line.strip_prefix(key)).map(|value| value.trim().to_owned())
}

/// A file's device, inode and size, as records have them.
pub(super) fn identity(about: &Metadata) -> (u64, u64, u64) {
    (about.dev(), about.ino(), about.len())
}
