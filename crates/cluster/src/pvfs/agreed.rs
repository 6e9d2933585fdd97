//! What all clients of a file system go by.

use crate::ends::Ends;
use petrio_persist::Persist;

/// What is drawn for a run, and where files end.
#[derive(Clone, Debug, Default, Persist)]
pub(super) struct Agreed {
    /// What differs between runs of the same files.
    pub(super) salt: Option<u64>,
    /// Ends of the files that have been written to, as servers tell who asks.
    pub(super) ends: Ends,
}
