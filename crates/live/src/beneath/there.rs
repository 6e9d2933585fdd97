//! What lies somewhere, and by what it is known again.
//!
//! A name says little: what had it may be gone, and something else have it. A file is known by its inode's number and
//! the time of its birth (statx(2), `STATX_BTIME`): numbers are given again, but not at the same nanosecond of birth.
//! The device isn't part of it, for its number changes with each mount on many file systems. Where births aren't
//! recorded (NFS, ext3 with small inodes), a file is known by its number and by petrio's mark: the sticky bit, which
//! regular files never have (inode(7): Linux ignores it on files) and directories that only their owner writes to don't
//! need, which costs nothing, and which stays when the process that made the file is killed.

use rustix::fs::{AtFlags, FileType, Mode, StatxFlags, StatxTimestamp};
use rustix::io::Errno;
use std::ffi::OsStr;
use std::io;
use std::os::fd::BorrowedFd;

/// The mark of files and directories that petrio has made: the sticky bit.
pub(crate) const MARK: Mode = Mode::SVTX;

/// What something is known by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Identity {
    /// The inode's number; 0, which no file has, for what isn't known.
    pub inode: u64,
    /// When it was born, in nanoseconds since 1970; 0 where the file system doesn't say.
    pub born_ns: i64,
}

impl Identity {
    /// Of what isn't known.
    pub(crate) const NONE: Self = Self { inode: 0, born_ns: 0 };
}

/// Sorts of things that have names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    File,
    Directory,
    Link,
    /// A device, a pipe, a socket.
    Other,
}

/// What lies somewhere.
#[derive(Clone, Copy, Debug)]
pub(crate) struct There {
    pub(crate) identity: Identity,
    pub(crate) kind: Kind,
    /// Whether it has petrio's mark.
    pub(crate) is_marked: bool,
    pub(crate) owner: u32,
    /// Permissions.
    pub(crate) mode: u32,
    /// Its names.
    pub(crate) names: u64,
    pub(crate) size: u64,
    /// The device, and the number there: as long as both are mounted, one thing alone has them.
    pub(crate) on: (u64, u64),
}

impl There {
    /// What a handle stands for.
    pub(crate) fn of(handle: BorrowedFd<'_>) -> io::Result<Self> {
        Ok(Self::named(handle, OsStr::new(""), AtFlags::EMPTY_PATH)?)
    }

    pub(super) fn named(directory: BorrowedFd<'_>, name: &OsStr, flags: AtFlags) -> Result<Self, Errno> {
        let wanted = StatxFlags::BASIC_STATS | StatxFlags::BTIME;
        match rustix::fs::statx(directory, name, flags, wanted) {
            Ok(there) => {
                let mask = StatxFlags::from_bits_retain(there.stx_mask);
                let is_born = mask.contains(StatxFlags::BTIME);
                let mode = u32::from(there.stx_mode);
                Ok(Self {
                    identity: Identity {
                        inode: there.stx_ino,
                        born_ns: if is_born { nanoseconds(there.stx_btime) } else { 0 },
                    },
                    on: (rustix::fs::makedev(there.stx_dev_major, there.stx_dev_minor), there.stx_ino),
                    names: u64::from(there.stx_nlink),
                    size: there.stx_size,
                    ..Self::of_mode(mode, there.stx_uid)
                })
            }
            // Before Linux 4.11.
            Err(Errno::NOSYS) => {
                let there = rustix::fs::statat(directory, name, flags)?;
                Ok(Self {
                    identity: Identity { inode: there.st_ino, born_ns: 0 },
                    on: (there.st_dev, there.st_ino),
                    names: there.st_nlink as u64,
                    size: there.st_size.unsigned_abs(),
                    ..Self::of_mode(there.st_mode, there.st_uid)
                })
            }
            Err(error) => Err(error),
        }
    }

    fn of_mode(mode: u32, owner: u32) -> Self {
        let kind = match FileType::from_raw_mode(mode) {
            FileType::RegularFile => Kind::File,
            FileType::Directory => Kind::Directory,
            FileType::Symlink => Kind::Link,
            _ => Kind::Other,
        };
        let is_marked =
            matches!(kind, Kind::File | Kind::Directory) && Mode::from_raw_mode(mode).contains(MARK);
        let (identity, mode) = (Identity::NONE, mode & 0o7777);
        Self { identity, kind, is_marked, owner, mode, names: 1, size: 0, on: (0, 0) }
    }

    /// Whether it is what was known by that. Where births aren't recorded, a number alone isn't enough for what petrio
    /// has made.
    pub(crate) fn is(&self, known: Identity) -> bool {
        self.is_same(known) && (known.born_ns != 0 || self.is_marked || self.kind == Kind::Link)
    }

    /// Whether it is what was known by that, as far as can be said of what petrio hasn't made.
    pub(crate) fn is_same(&self, known: Identity) -> bool {
        known.inode != 0 && self.identity == known
    }
}

fn nanoseconds(time: StatxTimestamp) -> i64 {
    time.tv_sec.saturating_mul(1_000_000_000).saturating_add(i64::from(time.tv_nsec))
}
