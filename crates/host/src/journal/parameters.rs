//! What a journal is made with, and the words for what it holds.

use crate::kernel_profile::JournalGeneration;
use petrio_kernel::Time;
use petrio_persist::Persist;

/// A block that can be logged: a page of a file, or a block of the device (under the device's own key).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Persist)]
pub struct BlockKey {
    /// The file's key in the page cache.
    pub file: u64,
    /// Page of the file, or block of the device.
    pub index: u64,
}

/// A transaction's number; they ascend by one.
pub type TransactionId = u64;

/// What a journal is made with.
#[derive(Clone, Copy, Debug, PartialEq, Persist)]
pub struct JournalParameters {
    /// First block of the journal on its device; the journal's superblock.
    pub first_block: u64,
    /// Blocks of the journal, with its superblock.
    pub blocks: u64,
    /// JBD or JBD2.
    pub generation: JournalGeneration,
    /// Tags of logged blocks that a descriptor block holds.
    pub tags_per_descriptor: u64,
    /// Blocks that a revoke block names.
    pub revokes_per_block: u64,
    /// Age at which a transaction is committed.
    pub commit_interval: Time,
    /// The largest transaction takes one of so many parts of the journal.
    pub largest_parts: u64,
    /// Share of the journal that must be free for a handle to start; `None` for the kernel's own rule, the room of a
    /// largest transaction beside what the committing one may still take.
    pub checkpoint_threshold: Option<f64>,
}
