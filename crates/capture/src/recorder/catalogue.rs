//! Which events of the kernel are listened to, which of their fields are read, and what a trace lacks without them.
//!
//! Source: Linux 6.18 `include/trace/events/{syscalls,task,sched,filemap,ext4,block}.h`; names that older kernels lack
//! are passed over and reported. `ext4` also serves ext2 and ext3. Left out: pages that leave the cache, which no
//! record needs.

use super::kernel_event::{Call, Lookup, RequestStage};

/// Which of the two trace instances an event belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    /// In the context of those who are traced.
    Traced,
    /// In anybody's: a kernel thread's, an interrupt's.
    Machine,
}

/// What an event is to the capture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Meaning {
    /// A call begins.
    Enter(Call),
    /// A call returns.
    Exit(Call),
    /// `task_newtask`.
    Fork,
    /// `sched_process_exec`.
    Executed,
    /// `sched_process_exit`.
    Ended,
    /// Device, inode, first and last page.
    Pages(Lookup),
    /// Device, inode, first page, order.
    Added,
    /// Device, inode, position.
    WriteBegin,
    /// Device, inode, block, blocks, block of the device.
    Extent,
    /// Device, inode, mode.
    Allocated,
    /// Device, inode.
    Freed,
    /// Device, inode.
    Touched,
    /// Device, inode, size.
    Unlinked,
    /// Device, sector, sectors, letters; of a completion also the error, of other stages the thread's name, where
    /// wanted.
    Request(RequestStage),
    /// Device, transaction, handles, blocks, blocks logged.
    Commit,
}

/// An event to listen to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Listened {
    /// Its group.
    pub(crate) group: &'static str,
    /// Its name.
    pub(crate) name: &'static str,
    /// What it is.
    pub(crate) meaning: Meaning,
    /// The fields to read, in the order of the meaning; empty for one that isn't needed.
    pub(crate) fields: &'static [&'static str],
    /// Whose.
    pub(crate) scope: Scope,
    /// Only those that pass this filter.
    pub(crate) filter: Option<&'static str>,
    /// What a trace doesn't know without it.
    pub(crate) gives: &'static str,
}

/// A system call to listen to: its name, what it is, its arguments, a filter on its beginning.
type Listening = (&'static str, Call, &'static [&'static str], Option<&'static str>);

const CALLS: &[Listening] = &[
    ("open", Call::Open, &["flags"], None),
    ("openat", Call::Open, &["flags"], None),
    ("openat2", Call::OpenSomehow, &[], None),
    ("open_by_handle_at", Call::OpenSomehow, &[], None),
    ("creat", Call::Create, &[], None),
    ("read", Call::Read, &["fd", "count"], None),
    ("readv", Call::Read, &["fd"], None),
    ("pread64", Call::ReadAt, &["fd", "count", "pos"], None),
    ("preadv", Call::ReadAt, &["fd", "", "pos_l"], None),
    ("preadv2", Call::ReadAt, &["fd", "", "pos_l"], None),
    ("write", Call::Write, &["fd", "count"], None),
    ("writev", Call::Write, &["fd"], None),
    ("pwrite64", Call::WriteAt, &["fd", "count", "pos"], None),
    ("pwritev", Call::WriteAt, &["fd", "", "pos_l"], None),
    ("pwritev2", Call::WriteAt, &["fd", "", "pos_l"], None),
    ("sendfile64", Call::SendFile, &["in_fd", "out_fd", "count", "offset"], None),
    ("copy_file_range", Call::CopyRange, &["fd_in", "fd_out", "len", "off_in", "off_out"], None),
    ("splice", Call::CopyRange, &["fd_in", "fd_out", "len", "off_in", "off_out"], None),
    ("close", Call::Close, &["fd"], None),
    ("dup", Call::Duplicate, &["fildes"], None),
    ("dup2", Call::DuplicateTo, &["oldfd", "newfd"], None),
    ("dup3", Call::DuplicateTo, &["oldfd", "newfd", "flags"], None),
    // F_DUPFD, F_SETFD, F_SETFL, F_DUPFD_CLOEXEC (include/uapi/linux/fcntl.h).
    ("fcntl", Call::Control, &["fd", "cmd", "arg"], Some("cmd == 0 || cmd == 2 || cmd == 4 || cmd == 1030")),
    ("lseek", Call::Seek, &["fd"], None),
    ("fsync", Call::Sync, &["fd"], None),
    ("fdatasync", Call::Sync, &["fd"], None),
    ("sync_file_range", Call::Sync, &["fd"], None),
    ("truncate", Call::Truncate, &["length"], None),
    ("ftruncate", Call::TruncateOpen, &["fd", "length"], None),
    ("rename", Call::Rename, &[], None),
    ("renameat", Call::Rename, &[], None),
    ("renameat2", Call::Rename, &[], None),
    ("unlink", Call::Unlink, &[], None),
    ("unlinkat", Call::Unlink, &["flag"], None),
    ("mkdir", Call::MakeDirectory, &[], None),
    ("mkdirat", Call::MakeDirectory, &[], None),
    ("execve", Call::Execute, &[], None),
    ("execveat", Call::Execute, &[], None),
];

/// Those whose beginning says everything.
const CALLS_WITHOUT_EXIT: &[Listening] = &[
    ("close_range", Call::CloseRange, &["fd", "max_fd", "flags"], None),
    ("getdents64", Call::List, &["fd"], None),
    // Of a file, not of anonymous memory, whose descriptor is −1.
    ("mmap", Call::Map, &["fd"], Some("fd < 1073741824")),
    // FIONCLEX, FIOCLEX.
    ("ioctl", Call::Control, &["fd", "cmd"], Some("cmd == 21584 || cmd == 21585")),
    ("io_uring_enter", Call::Asynchronous, &[], None),
    ("io_submit", Call::Asynchronous, &[], None),
];

/// Those that only a full trace has.
const CALLS_OF_FULL_TRACE: &[Listening] = &[
    ("newstat", Call::Stat, &[], None),
    ("newlstat", Call::Stat, &[], None),
    ("newfstat", Call::StatOpen, &["fd"], None),
    ("newfstatat", Call::StatAt, &["dfd", "flag"], None),
    ("statx", Call::StatAt, &["dfd", "flags"], None),
];

const fn event(
    group: &'static str,
    name: &'static str,
    meaning: Meaning,
    fields: &'static [&'static str],
    gives: &'static str,
) -> Listened {
    Listened { group, name, meaning, fields, scope: Scope::Traced, filter: None, gives }
}

const IDENTITY_OF_WRITES: &str = "which file a write is to, other than by its descriptor";
const EXTENTS: &str = "where files lie on their devices";
const PLACES: &[&str] = &["dev", "ino", "lblk", "len", "pblk"];
const PAGES: &[&str] = &["s_dev", "i_ino", "index", "last_index"];

const OTHERS: &[Listened] = &[
    event("task", "task_newtask", Meaning::Fork, &["pid", "clone_flags"], "what children inherit"),
    event("sched", "sched_process_exec", Meaning::Executed, &["filename", "old_pid"], "programs' names"),
    event("sched", "sched_process_exit", Meaning::Ended, &[], "files closed by a process's end"),
    event(
        "filemap",
        "mm_filemap_get_pages",
        Meaning::Pages(Lookup::Read),
        PAGES,
        "which file a read is from",
    ),
    event(
        "filemap",
        "mm_filemap_fault",
        Meaning::Pages(Lookup::Fault),
        &["s_dev", "i_ino", "index"],
        "mapped files' misses",
    ),
    event("filemap", "mm_filemap_map_pages", Meaning::Pages(Lookup::Around), PAGES, "which files are mapped"),
    event(
        "filemap",
        "mm_filemap_add_to_page_cache",
        Meaning::Added,
        &["s_dev", "i_ino", "index", "order"],
        "cache hits and misses",
    ),
    event("ext4", "ext4_da_write_begin", Meaning::WriteBegin, &["dev", "ino", "pos"], IDENTITY_OF_WRITES),
    event("ext4", "ext4_write_begin", Meaning::WriteBegin, &["dev", "ino", "pos"], IDENTITY_OF_WRITES),
    event("ext4", "ext4_sync_file_enter", Meaning::Touched, &["dev", "ino"], "which file is made durable"),
    event("ext4", "ext4_truncate_enter", Meaning::Touched, &["dev", "ino"], "which file is truncated"),
    event(
        "ext4",
        "ext4_unlink_enter",
        Meaning::Unlinked,
        &["dev", "ino", "size"],
        "which file loses its name",
    ),
    Listened {
        // Found, and on the device: a delayed allocation has no place yet.
        filter: Some("found == 1 && pblk > 0 && status & 3"),
        ..event("ext4", "ext4_es_lookup_extent_exit", Meaning::Extent, PLACES, EXTENTS)
    },
    Listened {
        scope: Scope::Machine,
        filter: Some("pblk > 0 && ret > 0"),
        ..event("ext4", "ext4_ext_map_blocks_exit", Meaning::Extent, PLACES, EXTENTS)
    },
    Listened {
        scope: Scope::Machine,
        filter: Some("pblk > 0 && ret > 0"),
        ..event("ext4", "ext4_ind_map_blocks_exit", Meaning::Extent, PLACES, EXTENTS)
    },
    Listened {
        scope: Scope::Machine,
        ..event(
            "ext4",
            "ext4_allocate_inode",
            Meaning::Allocated,
            &["dev", "ino", "mode"],
            "which files are new",
        )
    },
    Listened {
        scope: Scope::Machine,
        ..event("ext4", "ext4_free_inode", Meaning::Freed, &["dev", "ino"], "when inodes are used again")
    },
    of_machine("block", "block_bio_queue", Meaning::Request(RequestStage::Queued), REQUEST),
    of_machine("block", "block_rq_issue", Meaning::Request(RequestStage::Issued), REQUEST),
    of_machine("block", "block_rq_complete", Meaning::Request(RequestStage::Completed), REQUEST),
];

const REQUEST: &[&str] = &["dev", "sector", "nr_sector", "rwbs"];
const REQUEST_AND_NAME: &[&str] = &["dev", "sector", "nr_sector", "rwbs", "comm"];
const REQUEST_AND_ERROR: &[&str] = &["dev", "sector", "nr_sector", "rwbs", "error"];

const fn of_machine(
    group: &'static str,
    name: &'static str,
    meaning: Meaning,
    fields: &'static [&'static str],
) -> Listened {
    Listened { scope: Scope::Machine, ..event(group, name, meaning, fields, "device requests") }
}

/// A device's requests: handed over, queued, issued and completed, with who asked and what became of them.
pub(crate) const REQUESTS: [Listened; 4] = [
    of_machine("block", "block_bio_queue", Meaning::Request(RequestStage::Queued), REQUEST_AND_NAME),
    of_machine("block", "block_rq_insert", Meaning::Request(RequestStage::Inserted), REQUEST_AND_NAME),
    of_machine("block", "block_rq_issue", Meaning::Request(RequestStage::Issued), REQUEST_AND_NAME),
    of_machine("block", "block_rq_complete", Meaning::Request(RequestStage::Completed), REQUEST_AND_ERROR),
];

/// A device's requests and its journal's commits.
pub(crate) const REQUESTS_AND_COMMITS: [Listened; 4] = [
    of_machine("block", "block_bio_queue", Meaning::Request(RequestStage::Queued), REQUEST),
    of_machine("block", "block_rq_issue", Meaning::Request(RequestStage::Issued), REQUEST),
    of_machine("block", "block_rq_complete", Meaning::Request(RequestStage::Completed), REQUEST),
    of_machine(
        "jbd2",
        "jbd2_run_stats",
        Meaning::Commit,
        &["dev", "tid", "handle_count", "blocks", "blocks_logged"],
    ),
];

/// What a file-level trace listens to. A system call that a machine doesn't have (`open` on arm64) is no loss: whoever
/// calls has another.
pub(crate) fn listened(full: bool) -> Vec<Listened> {
    let calls = |list: &[Listening], with_exit: bool| -> Vec<Listened> {
        list.iter()
            .flat_map(|&(name, call, fields, filter)| {
                let enter = Listened { filter, ..event("syscalls", name, Meaning::Enter(call), fields, "") };
                let exit = event("syscalls", name, Meaning::Exit(call), &["ret"], "");
                [Some(enter), with_exit.then_some(exit)].into_iter().flatten()
            })
            .collect()
    };
    let mut all = calls(CALLS, true);
    all.extend(calls(CALLS_WITHOUT_EXIT, false));
    if full {
        all.extend(calls(CALLS_OF_FULL_TRACE, true));
    }
    all.into_iter().chain(OTHERS.iter().copied()).collect()
}

impl Listened {
    /// Its folder in `events`.
    pub(crate) fn folder(&self) -> String {
        let prefix = match self.meaning {
            Meaning::Enter(_) => "sys_enter_",
            Meaning::Exit(_) => "sys_exit_",
            _ => "",
        };
        format!("{}/{prefix}{}", self.group, self.name)
    }
}
