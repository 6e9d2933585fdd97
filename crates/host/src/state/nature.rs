//! What a file system is like for the page cache above it.

use crate::file_system::AccessTimes;
use crate::kernel_profile::BeforeIndirectBlock;
use petrio_kernel::Time;
use petrio_persist::Persist;

/// What is known of a mounted file system once and for all: what the page cache looks at for each page.
#[derive(Clone, Copy, Debug, Persist)]
pub(crate) struct Nature {
    /// Whether blocks are found when data are written back, and pages that have none wait for them.
    pub(crate) delayed: bool,
    /// What pages are that have been written.
    pub(crate) posts: Posts,
    /// Whether it follows O_DIRECT.
    pub(crate) direct: bool,
    /// Whether files may have folios of several pages.
    pub(crate) large_folios: bool,
    /// When reading changes the time of a file's last access.
    pub(crate) access_times: AccessTimes,
    /// Granularity of a file's times.
    pub(crate) tick: Time,
    /// Pages that a writer counts as dirtied where it writes them again (before per-task counts, all of them).
    pub(crate) counts_rewrites: bool,
    /// Most pages of one extent that is written back, and so of a request for it.
    pub(crate) most_pages: u64,
    /// The same of a request for pages that are read.
    pub(crate) most_read_pages: u64,
    /// Whether somebody else may change its files, so that a read asks first whether what is in memory still holds, and a name that isn't
    /// known may be there.
    pub(crate) shared: bool,
    /// Whether every write is made durable before its call returns (the mount option `sync`).
    pub(crate) synchronous: bool,
    /// What becomes of data before an indirect block that has to be read first; none where nothing ends with such a block, and all that
    /// lies in one piece is sent at once.
    pub(crate) before_indirect_block: Option<BeforeIndirectBlock>,
    /// Whether reading ahead makes sense.
    pub(crate) reads_ahead: bool,
    /// How old what has begun becomes before its thread looks after it.
    pub(crate) age: Time,
}

/// What becomes of pages once they have been written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub(crate) enum Posts {
    /// They are dirty, and are written back.
    Dirty,
    /// The file system makes them dirty later, in its own time.
    Later,
    /// They are all that there is of their file, in memory or in swap space: there is no other place, and nobody is held back for them.
    Kept,
}
