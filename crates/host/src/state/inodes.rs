//! What the kernel remembers of each file in memory, beside its pages.

use crate::shared_chunks::SharedChunks;
use petrio_colours::FileId;
use petrio_persist::Persist;

/// A file's inode in memory.
#[derive(Clone, Copy, Debug, Default, Persist)]
pub(crate) struct Inode {
    /// The transaction, or what else a file system numbers, with its newest change (`i_sync_tid`).
    pub(crate) sync: u64,
    /// The transaction with the newest change that is needed to find its data (`i_datasync_tid`).
    pub(crate) data_sync: u64,
    /// The newest transaction that logs data of it (journal mode).
    pub(crate) data: u64,
    /// When its times last changed, in ticks of their granularity, and one: 0 is never.
    pub(crate) time: u64,
    /// When the time of its last access last changed, likewise.
    pub(crate) accessed: u64,
    /// Its size in memory, ahead of the volume's where blocks are allocated late.
    pub(crate) size: u64,
    /// Pages that wait for their blocks (delayed allocation).
    pub(crate) delayed: u64,
}

/// Inodes that are copied together when one of them changes.
const CHUNK: usize = 32;

/// The inodes of a mount, by file number: small and dense. Clones share those that neither changes.
#[derive(Clone, Debug, Default, Persist)]
pub(crate) struct Inodes(SharedChunks<[Inode; CHUNK]>);

impl Inodes {
    pub(crate) fn get(&self, file: FileId) -> Inode {
        let at = file.0 as usize;
        self.0.get(at / CHUNK).map_or_else(Inode::default, |chunk| chunk[at % CHUNK])
    }

    pub(crate) fn get_mut(&mut self, file: FileId) -> &mut Inode {
        let at = file.0 as usize;
        &mut self.0.get_or(at / CHUNK, Default::default)[at % CHUNK]
    }
}
