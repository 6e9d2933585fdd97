//! A file, as all colours name it.

use petrio_persist::Persist;
use serde::{Deserialize, Serialize};

/// A file's or a directory's number in its run. Programs and file systems agree on it before the run; names are for
/// reports and for real directories.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize, Persist,
)]
#[serde(transparent)]
pub struct FileId(pub u32);

impl FileId {
    /// The directory in which every file system begins.
    pub const ROOT: Self = Self(0);
}
