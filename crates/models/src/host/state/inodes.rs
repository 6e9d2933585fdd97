//! What the kernel remembers of each file in memory, beside its pages.

use petrio_colours::FileId;

/// A file's inode in memory.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::host) struct Inode {
    /// The transaction with its newest change (`i_sync_tid`).
    pub(in crate::host) sync: u64,
    /// The transaction with the newest change that is needed to find its data (`i_datasync_tid`).
    pub(in crate::host) data_sync: u64,
    /// The newest transaction that logs data of it (journal mode).
    pub(in crate::host) data: u64,
    /// When its times last changed, in ticks of their granularity, and one: 0 is never.
    pub(in crate::host) time: u64,
    /// Its size in memory, ahead of the volume's where blocks are allocated late.
    pub(in crate::host) size: u64,
    /// Pages that wait for their blocks (delayed allocation).
    pub(in crate::host) delayed: u64,
}

/// The inodes of a mount, by file number: small and dense.
#[derive(Clone, Debug, Default)]
pub(in crate::host) struct Inodes(Vec<Inode>);

impl Inodes {
    pub(in crate::host) fn get(&self, file: FileId) -> Inode {
        self.0.get(file.0 as usize).copied().unwrap_or_default()
    }

    pub(in crate::host) fn get_mut(&mut self, file: FileId) -> &mut Inode {
        let index = file.0 as usize;
        if index >= self.0.len() {
            self.0.resize(index + 1, Inode::default());
        }
        &mut self.0[index]
    }
}
