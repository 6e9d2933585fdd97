//! The operations that were measured: what stands on the server before, what the client does first, and what is counted.
//!
//! The names are those of the tables. Of each, `f0`, `f1` … are the repetitions' files in a directory that the client knows.

use petrio_models::host::nfs::{Change, OpenFlags, Procedure};

const KIB: u64 = 1 << 10;
const MIB: u64 = 1 << 20;

/// What a process does on the mount; `F` is the repetition's file, `D` its directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    /// Nothing.
    Nothing,
    Mount,
    Unmount,
    Remount,
    StatRoot,
    Stat,
    Access,
    /// open(F), perhaps fsync, close.
    Open,
    /// open(F), read calls until its end, close.
    Read,
    /// open(F), write calls, perhaps fsync, close.
    Write,
    /// Makes F with its size.
    Make,
    /// open(F) that stays open; after it, its first 4 KiB or all of it are read.
    HoldOpen(OpenFlags, Held),
    /// On what is held open.
    CloseHeld,
    RereadHeld,
    PwriteHeld,
    FsyncHeld,
    FstatHeld,
    TruncateHeld,
    LockHeld,
    WriteCloseReopenRead,
    /// The server changes F itself.
    ServerWrites,
    List,
    ListLong,
    ListStat,
    StatEach,
    OpenEach,
    /// The same, but only before the first repetition.
    ReadEachOnce,
    MakeDirectory,
    RemoveDirectory,
    Rename,
    WarmSubdirectories,
    RenameAcross,
    Unlink,
    UnlinkHeld,
    SymbolicLink,
    ReadLink,
    Link,
    Change(Change),
    Truncate,
    Status,
    MapRead,
    MapWrite,
    LockReadWrite,
    Untar,
    RemoveAll,
    CopyInto,
    CopyWithin,
    SmallDirtyLimits,
    LargeDirtyLimits,
    RandomRead,
    RandomWrite,
    /// open(F) to be read and written, an operation of version 4.2, close; whether it makes the file longer.
    On(Procedure),
    CopyRange,
    SetXattr,
    GetXattr,
    GetAcl,
    Idle,
}

/// How much of a file that stays open has been read or written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Held {
    Nothing,
    First,
    All,
    /// 4 KiB at its beginning are written.
    Dirty,
}

/// What stands on the server before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Prepared {
    Nothing,
    File,
    /// And another that the new name belongs to.
    TwoFiles,
    /// A directory F with files in it.
    Directory,
    SymbolicLink,
    /// Directories a and b, and the file in a.
    Subdirectories,
    /// F is one of the directories that are there all the time; the client mounts anew.
    Lists,
}

/// An operation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Operation {
    pub(super) prepared: Prepared,
    pub(super) before: Action,
    pub(super) action: Action,
    pub(super) after: Action,
    /// Bytes of the prepared file, bytes that are accessed, and bytes of a call (0: as the action has it).
    pub(super) size: u64,
    pub(super) length: u64,
    pub(super) call: u64,
    /// Where it writes; none: where it stands.
    pub(super) offset: Option<u64>,
    pub(super) flags: OpenFlags,
    pub(super) fsync: bool,
    /// The server changes the file before.
    pub(super) other_changes: bool,
    /// Seconds between what comes before and the operation; whether the file stays open meanwhile.
    pub(super) wait: u64,
    pub(super) held_meanwhile: bool,
    /// Files in a directory, or accesses.
    pub(super) count: u64,
}

/// Flags, each off.
const NO: OpenFlags = OpenFlags {
    read: false,
    write: false,
    create: false,
    exclusive: false,
    truncate: false,
    append: false,
    direct: false,
    sync: false,
    directory: false,
};
const READ: OpenFlags = OpenFlags { read: true, ..NO };
const WRITE: OpenFlags = OpenFlags { write: true, ..NO };
const BOTH: OpenFlags = OpenFlags { read: true, write: true, ..NO };
/// O_CREAT, O_WRONLY and O_TRUNC.
const MAKE: OpenFlags = OpenFlags { create: true, write: true, truncate: true, ..NO };
const APPEND: OpenFlags = OpenFlags { append: true, ..WRITE };

impl Operation {
    const fn new(action: Action) -> Self {
        Self {
            prepared: Prepared::Nothing,
            before: Action::Nothing,
            action,
            after: Action::Nothing,
            size: 0,
            length: 0,
            call: 0,
            offset: None,
            flags: READ,
            fsync: false,
            other_changes: false,
            wait: 0,
            held_meanwhile: false,
            count: 0,
        }
    }

    const fn file(action: Action, size: u64) -> Self {
        Self { prepared: Prepared::File, size, ..Self::new(action) }
    }

    const fn after(self, before: Action) -> Self {
        Self { before, ..self }
    }

    const fn flags(self, flags: OpenFlags) -> Self {
        Self { flags, ..self }
    }

    const fn wait(self, wait: u64) -> Self {
        Self { wait, ..self }
    }

    const fn calls(self, call: u64) -> Self {
        Self { call, ..self }
    }

    const fn made(length: u64) -> Self {
        Self { length, flags: MAKE, ..Self::new(Action::Write) }
    }

    const fn writes(size: u64, flags: OpenFlags, length: u64, offset: Option<u64>) -> Self {
        Self { length, offset, flags, ..Self::file(Action::Write, size) }
    }

    const fn listed(action: Action, count: u64) -> Self {
        Self { prepared: Prepared::Lists, count, ..Self::new(action) }
    }

    /// Of what stays open: closed afterwards.
    const fn held(self, flags: OpenFlags, held: Held) -> Self {
        Self { before: Action::HoldOpen(flags, held), after: Action::CloseHeld, ..self }
    }

    /// The operation of a name; none where it isn't known.
    pub(super) fn of(name: &str) -> Option<Self> {
        let within_list = |text: &str| text.split('_').find_map(|word| word.parse().ok());
        match name {
            _ if name.starts_with("create_") || name.starts_with("seq_write") => Self::of_making(name),
            _ if name.starts_with("ls_") => {
                let count = within_list(name)?;
                let action = if name.starts_with("ls_l_") { Action::ListLong } else { Action::List };
                Self::of_many(Self::listed(action, count), action, name)
            }
            _ if name.starts_with("stat_each_of_") => {
                Self::of_many(Self::listed(Action::StatEach, within_list(name)?), Action::StatEach, name)
            }
            _ => Self::of_reading(name).or_else(|| Self::of_writing(name)).or_else(|| Self::of_names(name)),
        }
    }

    /// Lists, cold or warm or some time after.
    fn of_many(operation: Self, action: Action, name: &str) -> Option<Self> {
        let warm = operation.after(action);
        match name.rsplit('_').next()? {
            "cold" => Some(operation),
            "warm" => Some(warm),
            "5s" => Some(warm.wait(5)),
            "70s" => Some(Self { prepared: Prepared::Directory, ..warm.wait(70) }),
            _ => None,
        }
    }

    fn of_making(name: &str) -> Option<Self> {
        let rest = name.strip_prefix("create_").or_else(|| name.strip_prefix("seq_"))?;
        let excl = OpenFlags { create: true, write: true, exclusive: true, ..NO };
        let made = match rest {
            "empty_close" => Self::new(Action::Open).flags(MAKE),
            "excl_close" => Self::new(Action::Open).flags(excl),
            "empty_fsync_close" => Self { fsync: true, ..Self::new(Action::Open).flags(MAKE) },
            _ => {
                let mut words = rest.strip_prefix("write_")?.strip_suffix("_close")?.split('_');
                let mut made = Self::made(bytes(words.next()?)?);
                for word in words {
                    match word {
                        "fsync" => made.fsync = true,
                        "osync" => made.flags.sync = true,
                        "direct" => made.flags.direct = true,
                        "1call" => made.call = made.length,
                        "dirty4M" => {
                            (made.before, made.after) = (Action::SmallDirtyLimits, Action::LargeDirtyLimits);
                        }
                        _ => made.call = bytes(word.strip_suffix("calls")?)?,
                    }
                }
                made
            }
        };
        Some(made)
    }

    fn of_reading(name: &str) -> Option<Self> {
        let read = |size| Self::file(Action::Read, size);
        let direct = OpenFlags { direct: true, ..READ };
        let operation = match name {
            "open_read_4k_first_after_mount" => read(4 * KIB).after(Action::Remount),
            "read_1M_cold_1call" => read(MIB).calls(MIB),
            "read_1M_direct_1call" => read(MIB).calls(MIB).flags(direct),
            "read_64K_warm_open_fd_after_5s" => Self { held_meanwhile: true, ..read(64 * KIB).wait(5) },
            "read_64K_after_server_change" => {
                Self { other_changes: true, ..read(64 * KIB).after(Action::Read) }
            }
            "read_64K_after_own_write_close" => {
                Self { prepared: Prepared::Nothing, ..read(64 * KIB).after(Action::Make) }
            }
            "mmap_read_64K_cold" => Self { length: 64 * KIB, ..Self::file(Action::MapRead, 64 * KIB) },
            "reread_64K_open_fd" => Self::file(Action::RereadHeld, 64 * KIB).held(READ, Held::All),
            "rnd_read_8K_x64_cold" => Self { count: 64, ..Self::file(Action::RandomRead, 16 * MIB) },
            "rnd_read_8K_x64_direct" => {
                Self { count: 64, ..Self::file(Action::RandomRead, 16 * MIB).flags(direct) }
            }
            "open_read_close_each_of_100_cold" => Self::listed(Action::OpenEach, 100),
            "open_read_close_each_of_100_again" => {
                Self::listed(Action::OpenEach, 100).after(Action::OpenEach)
            }
            _ => {
                let mut words = name.strip_prefix("read_")?.split('_');
                let read = read(bytes(words.next()?)?);
                let (first, second) = (words.next()?, words.next());
                match (first, second, words.next()) {
                    ("cold", None, _) => read,
                    ("cold", Some(calls), None) => read.calls(bytes(calls.strip_suffix("calls")?)?),
                    ("warm", None, _) => read.after(Action::Read),
                    ("warm", Some("after"), Some("5s")) => read.after(Action::Read).wait(5),
                    ("warm", Some("after"), Some("70s")) => read.after(Action::Read).wait(70),
                    _ => return None,
                }
            }
        };
        Some(operation)
    }

    fn of_writing(name: &str) -> Option<Self> {
        let inside = Some(512 * KIB);
        let odd = Some(512 * KIB + 1000);
        let held = |action| Self::file(action, 64 * KIB).held(BOTH, Held::Nothing);
        let operation = match name {
            "append_4K_close_cold" => Self::writes(MIB, APPEND, 4 * KIB, None),
            "append_4K_close_warm" => Self::writes(MIB, APPEND, 4 * KIB, None).after(Action::Read),
            "append_100B_unaligned_wronly_cold" => Self::writes(MIB + 100, APPEND, 100, None),
            "append_100B_unaligned_rdwr_cold" => {
                Self::writes(MIB + 100, OpenFlags { read: true, ..APPEND }, 100, None)
            }
            "append_4K_fsync_close_cold" => Self { fsync: true, ..Self::writes(MIB, APPEND, 4 * KIB, None) },
            "overwrite_4K_aligned_inside_cold" => Self::writes(MIB, WRITE, 4 * KIB, inside),
            "overwrite_100B_inside_wronly_cold" => Self::writes(MIB, WRITE, 100, odd),
            "overwrite_100B_inside_rdwr_cold" => Self::writes(MIB, BOTH, 100, odd),
            "overwrite_100B_inside_rdwr_warm" => Self::writes(MIB, BOTH, 100, odd).after(Action::Read),
            "open_trunc_write_4K_close_existing" => {
                Self::writes(MIB, OpenFlags { truncate: true, ..WRITE }, 4 * KIB, None)
            }
            "write_64K_close_reopen_read" => {
                Self { length: 64 * KIB, ..Self::new(Action::WriteCloseReopenRead) }
            }
            "pwrite_4K_only_open_fd" => held(Action::PwriteHeld),
            "fsync_after_pwrite_4K" => Self::file(Action::FsyncHeld, 64 * KIB).held(BOTH, Held::Dirty),
            "close_after_pwrite_4K" => Self {
                after: Action::Nothing,
                ..Self::file(Action::CloseHeld, 64 * KIB).held(BOTH, Held::Dirty)
            },
            "fsync_clean_file" => held(Action::FsyncHeld),
            "mmap_write_64K_msync_close" => {
                Self { length: 64 * KIB, fsync: true, ..Self::file(Action::MapWrite, 64 * KIB) }
            }
            "mmap_write_64K_close" => Self { length: 64 * KIB, ..Self::file(Action::MapWrite, 64 * KIB) },
            "fcntl_lock_unlock_open_fd" | "flock_unlock_open_fd" => {
                Self::file(Action::LockHeld, 4 * KIB).held(BOTH, Held::Nothing)
            }
            "open_lock_read_write_4K_unlock_close" => Self::file(Action::LockReadWrite, 4 * KIB),
            "rnd_write_8K_x16_each_fsync" => {
                Self { count: 16, fsync: true, ..Self::file(Action::RandomWrite, 16 * MIB) }
            }
            "rnd_write_8K_x64_close" => Self { count: 64, ..Self::file(Action::RandomWrite, 16 * MIB) },
            "fallocate_1M" => {
                Self { length: MIB, ..Self::new(Action::On(Procedure::Allocate)).after(Action::Make) }
            }
            "punch_hole_64K" => Self::file(Action::On(Procedure::Deallocate), MIB),
            "lseek_hole" => Self::file(Action::On(Procedure::Seek), MIB),
            "copy_file_range_1M" => Self { length: MIB, ..Self::file(Action::CopyRange, MIB) },
            "server_writes_file_client_read" => {
                Self::file(Action::ServerWrites, 64 * KIB).after(Action::Read)
            }
            "server_writes_file_client_holds_open" => {
                Self::file(Action::ServerWrites, 64 * KIB).held(READ, Held::First)
            }
            _ => return None,
        };
        Some(operation)
    }

    #[expect(clippy::too_many_lines, reason = "one list: what each name stands for")]
    fn of_names(name: &str) -> Option<Self> {
        let small = |action| Self::file(action, 4 * KIB);
        let warm = |action| Self::file(action, 4 * KIB).after(Action::Stat);
        let directory = |action, count| Self { prepared: Prepared::Directory, count, ..Self::new(action) };
        let operation = match name {
            "mount" => Self::new(Action::Mount).after(Action::Unmount),
            "umount" => Self { after: Action::Mount, ..Self::new(Action::Unmount) },
            "stat_root_first_after_mount" => Self::new(Action::StatRoot).after(Action::Remount),
            "stat_deep_first_after_mount" => small(Action::Stat).after(Action::Remount),
            "stat_cold" => small(Action::Stat),
            "stat_warm" => warm(Action::Stat),
            "stat_warm_after_5s" => warm(Action::Stat).wait(5),
            "stat_warm_after_70s" => warm(Action::Stat).wait(70),
            "stat_missing_first" => Self::new(Action::Stat),
            "stat_missing_again" => Self::new(Action::Stat).after(Action::Stat),
            "stat_after_server_change" => Self { other_changes: true, size: 64 * KIB, ..warm(Action::Stat) },
            "stat_after_server_change_5s" => {
                Self { other_changes: true, size: 64 * KIB, ..warm(Action::Stat).wait(5) }
            }
            "access_cold" => small(Action::Access),
            "open_close_ro_cold" => small(Action::Open),
            "open_close_rw_cold" => small(Action::Open).flags(BOTH),
            "reopen_ro_after_close" => small(Action::Open).after(Action::Read),
            "reopen_rw_after_close" => small(Action::Open).flags(BOTH).after(Action::Read),
            "reopen_ro_after_70s" => small(Action::Open).after(Action::Read).wait(70),
            "reopen_ro_after_own_write_close" => {
                Self { size: 4 * KIB, ..Self::new(Action::Open).after(Action::Make) }
            }
            "second_open_while_open" => small(Action::Open).held(READ, Held::First),
            "fstat_open_file" => small(Action::FstatHeld).held(READ, Held::First),
            "readdir_lstat_100_cold" => Self::listed(Action::ListStat, 100),
            "mkdir" => Self::new(Action::MakeDirectory),
            "rmdir_cold" => directory(Action::RemoveDirectory, 0),
            "rename_cold" => small(Action::Rename),
            "rename_warm" => warm(Action::Rename),
            "rename_over_existing" => Self { prepared: Prepared::TwoFiles, ..small(Action::Rename) },
            "rename_across_dirs" => {
                Self { prepared: Prepared::Subdirectories, ..small(Action::RenameAcross) }
                    .after(Action::WarmSubdirectories)
            }
            "unlink_cold" => small(Action::Unlink),
            "unlink_warm" => warm(Action::Unlink),
            "unlink_after_read" => small(Action::Unlink).after(Action::Read),
            "unlink_open_then_close" => {
                Self { after: Action::Nothing, ..small(Action::UnlinkHeld).held(READ, Held::First) }
            }
            "symlink" => Self::new(Action::SymbolicLink),
            "readlink_cold" => Self { prepared: Prepared::SymbolicLink, ..Self::new(Action::ReadLink) },
            "link" => small(Action::Link),
            "chmod_cold" => small(Action::Change(Change::Mode)),
            "chmod_warm" => warm(Action::Change(Change::Mode)),
            "chown_warm" => warm(Action::Change(Change::Owner)),
            "utimes_warm" => warm(Action::Change(Change::Times)),
            "truncate_to_0_cold" => Self::file(Action::Truncate, MIB),
            "truncate_to_4K_warm" => {
                Self { length: 4 * KIB, ..Self::file(Action::Truncate, MIB).after(Action::Stat) }
            }
            "ftruncate_open_rw" => {
                Self { length: 4 * KIB, ..Self::file(Action::TruncateHeld, MIB).held(BOTH, Held::Nothing) }
            }
            "statfs" => Self::new(Action::Status),
            "untar_100x4K" => directory(Action::Untar, 0),
            "rm_r_100" => directory(Action::RemoveAll, 100),
            "cp_1M_into" => Self { length: MIB, ..Self::new(Action::CopyInto) },
            "cp_1M_within" => Self { length: MIB, ..Self::file(Action::CopyWithin, MIB) },
            "setxattr_user_warm" => warm(Action::SetXattr),
            "getxattr_user_warm" => warm(Action::GetXattr),
            "getxattr_posix_acl_warm" => warm(Action::GetAcl),
            // All that the operations after 70 s do first has been done: of four of them each repetition's file was read.
            "idle_70s" => {
                Self { length: 70, count: 20, ..directory(Action::Idle, 20) }.after(Action::ReadEachOnce)
            }
            _ => return None,
        };
        Some(operation)
    }
}

/// `4K`, `1M`, `100B`.
fn bytes(word: &str) -> Option<u64> {
    let unit = word.chars().last()?;
    let number: u64 = word.strip_suffix(unit)?.parse().ok()?;
    let factor = match unit {
        'B' => 1,
        'K' => KIB,
        'M' => MIB,
        _ => return None,
    };
    number.checked_mul(factor)
}
