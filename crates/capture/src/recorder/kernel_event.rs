//! What the kernel's tracing tells, one event at a time.

use super::block::{Commit, Letters};

/// A system call, or several that are the same to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Call {
    /// `open`, `openat`: flags.
    Open,
    /// `openat2`, `open_by_handle_at`: what flags there are isn't known.
    OpenSomehow,
    /// `creat`.
    Create,
    /// `read`, `readv`: descriptor, bytes.
    Read,
    /// `pread64`, `preadv`, `preadv2`: descriptor, bytes, position.
    ReadAt,
    /// `write`, `writev`: descriptor, bytes.
    Write,
    /// `pwrite64`, `pwritev`, `pwritev2`: descriptor, bytes, position.
    WriteAt,
    /// `sendfile64`: from, to, bytes, where the position from stands.
    SendFile,
    /// `copy_file_range`, `splice`: from, to, bytes, where the position from stands, where the position to stands.
    CopyRange,
    /// `close`: descriptor.
    Close,
    /// `close_range`: first and last descriptor, flags.
    CloseRange,
    /// `dup`: descriptor.
    Duplicate,
    /// `dup2`, `dup3`: from, to, flags.
    DuplicateTo,
    /// `fcntl`: descriptor, command, argument.
    Control,
    /// `lseek`: descriptor.
    Seek,
    /// `fsync`, `fdatasync`, `sync_file_range`: descriptor.
    Sync,
    /// `truncate`: the new length.
    Truncate,
    /// `ftruncate`: descriptor, the new length.
    TruncateOpen,
    /// `rename`, `renameat`, `renameat2`.
    Rename,
    /// `unlink`, `unlinkat`: flags.
    Unlink,
    /// `mkdir`, `mkdirat`.
    MakeDirectory,
    /// `stat`, `lstat`.
    Stat,
    /// `fstat`: descriptor.
    StatOpen,
    /// `newfstatat`, `statx`: descriptor of a directory (or, with a flag, of the file), flags.
    StatAt,
    /// `execve`, `execveat`.
    Execute,
    /// `getdents64`: descriptor. What is listed is a directory.
    List,
    /// `mmap` of a file: descriptor.
    Map,
    /// `io_uring_enter`, `io_submit`: what they read and write isn't seen.
    Asynchronous,
}

/// An inode by its number, whichever file has it at the time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Inode {
    /// Its file system's device, `major << 20 | minor`.
    pub(crate) device: u32,
    /// Its number.
    pub(crate) number: u64,
}

/// How pages of a file were looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lookup {
    /// For a read.
    Read,
    /// For an access to mapped memory.
    Fault,
    /// To map those around a fault that are in the cache.
    Around,
}

/// How far a device request is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RequestStage {
    /// A file system handed it over.
    Queued,
    /// It came into the queue before the device, where there is one.
    Inserted,
    /// It went to the device.
    Issued,
    /// It came back.
    Completed,
}

/// A thread's name, with zeros behind it.
pub(crate) type ThreadName = [u8; 16];

#[cfg(test)]
pub(crate) fn letters(text: &str) -> Letters {
    let mut letters = Letters::default();
    letters[..text.len()].copy_from_slice(text.as_bytes());
    letters
}

/// What happened. Pages have 4096 bytes (the machine's page size), sectors 512.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum What {
    /// A system call began; which arguments, [`Call`] says.
    Enter(Call, [u64; 5]),
    /// It returned this.
    Exit(Call, i64),
    /// A thread was made, with these flags of `clone`.
    Fork {
        /// The new thread.
        child: u32,
        /// CLONE_….
        flags: u64,
    },
    /// The process became another program.
    Executed {
        /// As it was named.
        path: Box<str>,
        /// Its thread before; a thread that isn't the first takes the first one's number.
        former: u32,
    },
    /// The thread ended.
    Ended,
    /// Pages were looked for in the cache.
    Pages {
        /// What for.
        lookup: Lookup,
        /// Whose.
        inode: Inode,
        /// The first page.
        first: u64,
        /// The last page.
        last: u64,
    },
    /// Pages came into the cache.
    Added {
        /// Whose.
        inode: Inode,
        /// The first page.
        first: u64,
        /// The last page.
        last: u64,
    },
    /// Bytes are about to be written.
    WriteBegin {
        /// Whose.
        inode: Inode,
        /// The first byte.
        position: u64,
    },
    /// Where a part of a file lies.
    Extent {
        /// Whose.
        inode: Inode,
        /// The part's first block in the file, in file-system blocks.
        block: u64,
        /// Its length in file-system blocks.
        blocks: u32,
        /// Its first block on the device, in file-system blocks.
        device_block: u64,
    },
    /// A new file or directory got an inode.
    Allocated {
        /// Which.
        inode: Inode,
        /// Its mode.
        mode: u32,
    },
    /// An inode became free.
    Freed(Inode),
    /// A file is about to be made durable, or truncated.
    Touched(Inode),
    /// A name is about to be taken away.
    Unlinked {
        /// Which file's.
        inode: Inode,
        /// The file's length in bytes.
        size: u64,
    },
    /// A device request went a stage further.
    Request {
        /// Which stage.
        stage: RequestStage,
        /// The device.
        device: u32,
        /// Its first sector.
        sector: u64,
        /// Its length in sectors.
        sectors: u32,
        /// What it is.
        letters: Letters,
        /// Who is at it, where that is listened to.
        name: ThreadName,
        /// Of a completion the error number, where that is listened to; negative, or zero.
        error: i32,
    },
    /// A journal committed a transaction.
    Commit {
        /// The device.
        device: u32,
        /// The journal's own account.
        commit: Commit,
    },
}

/// An event of the kernel's tracing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct KernelEvent {
    /// Nanoseconds on CLOCK_MONOTONIC.
    pub(crate) time_ns: u64,
    /// The thread in whose context it happened.
    pub(crate) thread: u32,
    /// What happened.
    pub(crate) what: What,
}
