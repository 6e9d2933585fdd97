//! What all clients of a file system know.

use super::metadata::Namespace;
use crate::end_of_file::EndsOfFile;
use petrio_persist::Persist;

/// What is drawn for a run, and where files end.
#[derive(Clone, Debug, Default, Persist)]
pub(super) struct Shared {
    /// What differs between runs of the same files.
    pub(super) salt: Option<u64>,
    /// Ends of the files that have been written to, as servers tell who asks.
    pub(super) ends: EndsOfFile,
    /// What is where, of PVFS 2.
    pub(super) names: Namespace,
}
