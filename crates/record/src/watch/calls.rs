//! Which calls are told, and what each is about: how programs write their arguments differs, what is recorded doesn't.

use super::files::HERE;
use crate::raw::Kind;
use libc::{AT_EMPTY_PATH, AT_REMOVEDIR, AT_SYMLINK_NOFOLLOW, O_CREAT, O_TRUNC, O_WRONLY, RWF_DSYNC};
use petrio_intercept::Rule;

/// A place in the program's memory.
pub(super) type Place = u64;

/// How many bytes an access asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Asked {
    Bytes(u64),
    /// Those of so many parts that stand there.
    Parts(Place, u64),
}

/// A name in a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Name {
    pub(super) folder: i32,
    pub(super) at: Place,
}

/// What a call is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum About {
    /// An access, where the file stands if no place is said.
    Access {
        kind: Kind,
        file: i32,
        asked: Asked,
        at: Option<u64>,
        durable: bool,
    },
    /// Opens a file.
    Open {
        name: Name,
        flags: i32,
    },
    /// The same, with the flags in memory (openat2).
    OpenHow {
        name: Name,
        how: Place,
    },
    /// Something of an open file, with numbers as its record has them.
    File {
        kind: Kind,
        file: i32,
        offset: u64,
        length: u64,
        extra: u64,
    },
    /// Something of a name, which may be a link that is followed.
    Named {
        kind: Kind,
        name: Name,
        follow: bool,
        size: u64,
    },
    Rename {
        old: Name,
        new: Name,
    },
    /// The kernel carries bytes over, from where the files stand if no places are in memory.
    Copy {
        from: i32,
        from_at: Place,
        to: i32,
        to_at: Place,
    },
    /// Sleeping, or all file systems' sync.
    Plain(Kind),
    /// A child's end is waited for: its number is returned, or stands in memory (waitid).
    Join(Option<Place>),
    /// The descriptor that is returned stands for the same as this one.
    Duplicate(i32),
    /// What stands for these changes.
    Forget(u64, u64),
    Close(i32),
    Exit,
    Execute(Name),
    /// Accesses that no call tells of.
    Unseen(&'static str),
}

fn descriptor(argument: u64) -> i32 {
    // A register's lower half is the number.
    petrio_time::numbers::low_half(argument).cast_signed()
}

const fn named(kind: Kind, folder: i32, at: Place, follow: bool) -> About {
    About::Named { kind, name: Name { folder, at }, follow, size: 0 }
}

fn access(kind: Kind, a: [u64; 6], asked: Asked, at: Option<u64>, flags: u64) -> About {
    let durable = flags & u64::from(RWF_DSYNC.unsigned_abs()) != 0;
    About::Access { kind, file: descriptor(a[0]), asked, at, durable }
}

fn of_file(kind: Kind, a: [u64; 6], offset: u64, length: u64, extra: u64) -> About {
    About::File { kind, file: descriptor(a[0]), offset, length, extra }
}

/// What `flags` have of a flag of the C library's.
const fn has(flags: u64, flag: i32) -> bool {
    flags & flag.unsigned_abs() as u64 != 0
}

/// A stat of an open file, where no name is said.
fn status(a: [u64; 6], flags: u64) -> About {
    if has(flags, AT_EMPTY_PATH) && a[1] == 0 {
        return of_file(Kind::Stat, a, 0, 0, 0);
    }
    named(Kind::Stat, descriptor(a[0]), a[1], !has(flags, AT_SYMLINK_NOFOLLOW))
}

/// Reads and writes.
fn of_access(call: i64, a: [u64; 6]) -> Option<About> {
    Some(match call {
        libc::SYS_read => access(Kind::Read, a, Asked::Bytes(a[2]), None, 0),
        libc::SYS_write => access(Kind::Write, a, Asked::Bytes(a[2]), None, 0),
        libc::SYS_pread64 => access(Kind::Read, a, Asked::Bytes(a[2]), Some(a[3]), 0),
        libc::SYS_pwrite64 => access(Kind::Write, a, Asked::Bytes(a[2]), Some(a[3]), 0),
        libc::SYS_readv => access(Kind::Read, a, Asked::Parts(a[1], a[2]), None, 0),
        libc::SYS_writev => access(Kind::Write, a, Asked::Parts(a[1], a[2]), None, 0),
        libc::SYS_preadv => access(Kind::Read, a, Asked::Parts(a[1], a[2]), Some(a[3]), 0),
        libc::SYS_pwritev => access(Kind::Write, a, Asked::Parts(a[1], a[2]), Some(a[3]), 0),
        libc::SYS_preadv2 | libc::SYS_pwritev2 => {
            let kind = if call == libc::SYS_preadv2 { Kind::Read } else { Kind::Write };
            // −1 is where the file stands.
            access(kind, a, Asked::Parts(a[1], a[2]), (a[3] != u64::MAX).then_some(a[3]), a[5])
        }
        _ => return None,
    })
}

/// What a call is about, by its number and arguments; none of what is of no interest as it stands there.
pub(super) fn about(call: i64, a: [u64; 6]) -> Option<About> {
    if let Some(access) = of_access(call, a) {
        return Some(access);
    }
    #[cfg(target_arch = "x86_64")]
    if let Some(old) = of_old(call, a) {
        return Some(old);
    }
    let name = |folder: u64, at: u64| Name { folder: descriptor(folder), at };
    Some(match call {
        libc::SYS_openat => About::Open { name: name(a[0], a[1]), flags: descriptor(a[2]) },
        libc::SYS_openat2 => About::OpenHow { name: name(a[0], a[1]), how: a[2] },
        libc::SYS_close => About::Close(descriptor(a[0])),
        libc::SYS_close_range => About::Forget(a[0], a[1]),
        libc::SYS_dup | libc::SYS_dup3 => About::Duplicate(descriptor(a[0])),
        libc::SYS_fcntl => match descriptor(a[1]) {
            libc::F_DUPFD | libc::F_DUPFD_CLOEXEC => About::Duplicate(descriptor(a[0])),
            // O_DIRECT and the like may come later.
            libc::F_SETFL => About::Forget(a[0], a[0]),
            _ => return None,
        },
        libc::SYS_fstat => of_file(Kind::Stat, a, 0, 0, 0),
        libc::SYS_newfstatat => status(a, a[3]),
        libc::SYS_statx => status(a, a[2]),
        libc::SYS_faccessat | libc::SYS_faccessat2 => named(Kind::Stat, descriptor(a[0]), a[1], true),
        libc::SYS_unlinkat => {
            let kind = if has(a[2], AT_REMOVEDIR) { Kind::Rmdir } else { Kind::Unlink };
            named(kind, descriptor(a[0]), a[1], false)
        }
        libc::SYS_mkdirat => named(Kind::Mkdir, descriptor(a[0]), a[1], true),
        libc::SYS_renameat | libc::SYS_renameat2 => {
            About::Rename { old: name(a[0], a[1]), new: name(a[2], a[3]) }
        }
        libc::SYS_truncate => About::Named {
            kind: Kind::Truncate,
            name: Name { folder: HERE, at: a[0] },
            follow: true,
            size: a[1],
        },
        libc::SYS_ftruncate => of_file(Kind::Truncate, a, 0, a[1], 0),
        libc::SYS_fsync => of_file(Kind::Fsync, a, 0, 0, 0),
        libc::SYS_fdatasync => of_file(Kind::Fdatasync, a, 0, 0, 0),
        libc::SYS_sync_file_range => of_file(Kind::SyncRange, a, a[1], a[2], 0),
        libc::SYS_fallocate => of_file(Kind::Allocate, a, a[2], a[3], a[1]),
        libc::SYS_syncfs | libc::SYS_sync => About::Plain(Kind::Sync),
        libc::SYS_getdents64 => of_file(Kind::List, a, 0, 0, 0),
        libc::SYS_copy_file_range => {
            About::Copy { from: descriptor(a[0]), from_at: a[1], to: descriptor(a[2]), to_at: a[3] }
        }
        libc::SYS_sendfile => {
            About::Copy { from: descriptor(a[1]), from_at: a[2], to: descriptor(a[0]), to_at: 0 }
        }
        libc::SYS_mmap => About::File {
            kind: Kind::Map,
            file: descriptor(a[4]),
            offset: a[5],
            length: a[1],
            // As the shim has it: that others see it stands beside what may be done to its pages.
            extra: a[2] | if has(a[3], libc::MAP_SHARED) { 0x100 } else { 0 },
        },
        libc::SYS_nanosleep | libc::SYS_clock_nanosleep => About::Plain(Kind::Sleep),
        libc::SYS_wait4 => About::Join(None),
        // Who only looks whether a child has ended asks again.
        libc::SYS_waitid if has(a[3], libc::WNOWAIT) || a[2] == 0 => return None,
        libc::SYS_waitid => About::Join(Some(a[2])),
        libc::SYS_io_setup => About::Unseen("asynchronous accesses (io_submit)"),
        libc::SYS_exit | libc::SYS_exit_group => About::Exit,
        libc::SYS_execve => About::Execute(Name { folder: HERE, at: a[0] }),
        libc::SYS_execveat => About::Execute(name(a[0], a[1])),
        _ => return None,
    })
}

/// Calls that newer machines' kernels don't have.
#[cfg(target_arch = "x86_64")]
fn of_old(call: i64, a: [u64; 6]) -> Option<About> {
    let name = Name { folder: HERE, at: a[0] };
    Some(match call {
        libc::SYS_open => About::Open { name, flags: descriptor(a[1]) },
        libc::SYS_creat => About::Open { name, flags: O_CREAT | O_WRONLY | O_TRUNC },
        libc::SYS_stat | libc::SYS_access => named(Kind::Stat, HERE, a[0], true),
        libc::SYS_lstat => named(Kind::Stat, HERE, a[0], false),
        libc::SYS_unlink => named(Kind::Unlink, HERE, a[0], false),
        libc::SYS_rmdir => named(Kind::Rmdir, HERE, a[0], false),
        libc::SYS_mkdir => named(Kind::Mkdir, HERE, a[0], true),
        libc::SYS_rename => About::Rename { old: name, new: Name { folder: HERE, at: a[1] } },
        libc::SYS_getdents => of_file(Kind::List, a, 0, 0, 0),
        libc::SYS_dup2 => About::Duplicate(descriptor(a[0])),
        _ => return None,
    })
}

/// Calls of which one is looked at, all arguments being what they may.
const TOLD: &[i64] = &[
    libc::SYS_read,
    libc::SYS_write,
    libc::SYS_pread64,
    libc::SYS_pwrite64,
    libc::SYS_readv,
    libc::SYS_writev,
    libc::SYS_preadv,
    libc::SYS_pwritev,
    libc::SYS_preadv2,
    libc::SYS_pwritev2,
    libc::SYS_openat,
    libc::SYS_openat2,
    libc::SYS_close,
    libc::SYS_close_range,
    libc::SYS_dup,
    libc::SYS_dup3,
    libc::SYS_fcntl,
    libc::SYS_fstat,
    libc::SYS_newfstatat,
    libc::SYS_statx,
    libc::SYS_faccessat,
    libc::SYS_faccessat2,
    libc::SYS_unlinkat,
    libc::SYS_mkdirat,
    libc::SYS_renameat,
    libc::SYS_renameat2,
    libc::SYS_truncate,
    libc::SYS_ftruncate,
    libc::SYS_fsync,
    libc::SYS_fdatasync,
    libc::SYS_sync_file_range,
    libc::SYS_fallocate,
    libc::SYS_syncfs,
    libc::SYS_sync,
    libc::SYS_getdents64,
    libc::SYS_copy_file_range,
    libc::SYS_sendfile,
    libc::SYS_nanosleep,
    libc::SYS_clock_nanosleep,
    libc::SYS_wait4,
    libc::SYS_waitid,
    libc::SYS_io_setup,
    libc::SYS_exit,
    libc::SYS_exit_group,
    libc::SYS_execve,
    libc::SYS_execveat,
];
#[cfg(target_arch = "x86_64")]
const TOLD_OF_OLD: &[i64] = &[
    libc::SYS_open,
    libc::SYS_creat,
    libc::SYS_stat,
    libc::SYS_access,
    libc::SYS_lstat,
    libc::SYS_unlink,
    libc::SYS_rmdir,
    libc::SYS_mkdir,
    libc::SYS_rename,
    libc::SYS_getdents,
    libc::SYS_dup2,
];
#[cfg(not(target_arch = "x86_64"))]
const TOLD_OF_OLD: &[i64] = &[];

/// Which calls are told; others cost nothing. There is no io_uring: programs take other calls then.
pub(super) fn rules() -> Vec<(i64, Rule)> {
    let told = TOLD.iter().chain(TOLD_OF_OLD).map(|&call| (call, Rule::Tell));
    let others = [(libc::SYS_mmap, Rule::TellOfFiles), (libc::SYS_io_uring_setup, Rule::Missing)];
    told.chain(others).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_is_told_is_about_something() {
        for (call, rule) in rules() {
            // Of these it depends on an argument.
            let arguments = match call {
                libc::SYS_waitid => [0, 0, 1, 0, 0, 0],
                _ => [0; 6],
            };
            assert_eq!(about(call, arguments).is_some(), rule != Rule::Missing, "{call}");
        }
        assert_eq!(about(libc::SYS_getpid, [0; 6]), None);
    }

    #[test]
    fn old_calls_and_new_ones_are_about_the_same() {
        let here = HERE.cast_unsigned().into();
        for (new, old) in [
            ((libc::SYS_openat, [here, 7, 1, 0, 0, 0]), (libc::SYS_open, [7, 1, 0, 0, 0, 0])),
            ((libc::SYS_newfstatat, [here, 7, 1, 0, 0, 0]), (libc::SYS_stat, [7, 1, 0, 0, 0, 0])),
            ((libc::SYS_unlinkat, [here, 7, 0, 0, 0, 0]), (libc::SYS_unlink, [7, 0, 0, 0, 0, 0])),
            ((libc::SYS_renameat, [here, 7, here, 8, 0, 0]), (libc::SYS_rename, [7, 8, 0, 0, 0, 0])),
        ] {
            assert_eq!(about(new.0, new.1), about(old.0, old.1));
        }
        assert_eq!(
            about(libc::SYS_unlinkat, [here, 7, 0x200, 0, 0, 0]),
            about(libc::SYS_rmdir, [7, 0, 0, 0, 0, 0])
        );
    }
}
