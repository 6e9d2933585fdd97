//! The tables of measured operations and of group commit.

use super::sequence::Sequence;
use crate::paced::{TableError, rows};
use petrio_files::inputs::Inputs;
use serde::Deserialize;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// The operations' file in its folder.
pub const OPERATIONS: &str = "ops.csv";

/// The group commits' file in its folder.
pub const GROUP: &str = "group.csv";

/// The extents' file in its folder.
pub const EXTENTS: &str = "extents.csv";

/// The share that a measured sequence must have to be held against.
pub const SHARE: f64 = 0.25;

/// Why there are no rows.
#[derive(Debug, Error)]
pub enum MeasuredError {
    /// A table can't be read.
    #[error(transparent)]
    Table(#[from] TableError),
    /// A sequence can't be read.
    #[error("{}: \"{text}\" is no sequence of requests, such as fsync[W4K@data F]", path.display())]
    Sequence {
        /// The file.
        path: PathBuf,
        /// What stands there.
        text: String,
    },
}

/// How a file system was made and mounted.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
pub struct Setting {
    /// `xfs`, `ext4`.
    pub fs: String,
    /// Its size.
    pub size_mib: u64,
    /// `wb`: a write cache, with flushes; `wt`: none.
    pub cache: String,
    /// `default`, `noatime`.
    pub mount: String,
}

/// An operation in a setting.
#[derive(Clone, Debug, PartialEq)]
pub struct MeasuredOperation {
    /// Where.
    pub setting: Setting,
    /// Its name.
    pub operation: String,
    /// Its phases.
    pub phases: String,
    /// What was seen, and in which share of the repetitions.
    pub seen: Vec<(Sequence, f64)>,
}

#[derive(Deserialize)]
struct Row {
    fs: String,
    size_mib: u64,
    cache: String,
    mount: String,
    operation: String,
    phases: String,
    sequence: String,
    share: f64,
}

/// A cell of group commit.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct MeasuredGroup {
    /// `xfs`, `ext4`.
    pub fs: String,
    /// Its size.
    pub size_mib: u64,
    /// `wb` or `wt`.
    pub cache: String,
    /// What each thread does again and again.
    pub op: String,
    /// Threads.
    pub threads: u32,
    /// How long it was measured, s.
    pub seconds: f64,
    /// Operations a second.
    pub ops_per_s: f64,
    /// Requests an operation.
    pub requests_per_op: f64,
    /// Time a request, ms.
    pub ms_per_request: f64,
}

/// The operations of a folder on a file system, each in its settings, in the order of the table.
///
/// # Errors
/// A file that isn't there or isn't such a table.
pub fn operations(inputs: &Inputs, folder: &Path, fs: &str) -> Result<Vec<MeasuredOperation>, MeasuredError> {
    let path = folder.join(OPERATIONS);
    let mut all: Vec<MeasuredOperation> = Vec::new();
    for row in rows::<Row>(inputs, &path)?.into_iter().filter(|row| row.fs == fs) {
        let Row { fs, size_mib, cache, mount, operation, phases, sequence, share } = row;
        let Some(seen) = Sequence::parse(&sequence) else {
            return Err(MeasuredError::Sequence { path, text: sequence });
        };
        let setting = Setting { fs, size_mib, cache, mount };
        match all.iter_mut().find(|other| other.setting == setting && other.operation == operation) {
            Some(other) => other.seen.push((seen, share)),
            None => {
                all.push(MeasuredOperation { setting, operation, phases, seen: vec![(seen, share)] });
            }
        }
    }
    Ok(all)
}

/// The group commits of a folder on a file system.
///
/// # Errors
/// A file that isn't there or isn't such a table.
pub fn groups(inputs: &Inputs, folder: &Path, fs: &str) -> Result<Vec<MeasuredGroup>, TableError> {
    Ok(rows::<MeasuredGroup>(inputs, &folder.join(GROUP))?.into_iter().filter(|row| row.fs == fs).collect())
}
