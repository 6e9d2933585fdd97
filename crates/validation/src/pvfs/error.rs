//! Why a grid can't be predicted.

use crate::side_by_side::NotSimulated;
use std::path::PathBuf;

/// Why a grid can't be predicted.
#[derive(Debug, thiserror::Error)]
pub enum PvfsGridError {
    /// A file or the folder can't be read.
    #[error("{}: {cause}", path.display())]
    Read {
        /// Which.
        path: PathBuf,
        /// Why.
        cause: std::io::Error,
    },
    /// A row makes no sense.
    #[error("{}, line {line}: {what}", path.display())]
    Row {
        /// The file.
        path: PathBuf,
        /// The line, counted from 1.
        line: u64,
        /// What is wrong with it.
        what: String,
    },
    /// No file is a grid.
    #[error("{} has no grid: a CSV file with the columns {columns}", path.display())]
    NoGrid {
        /// The folder.
        path: PathBuf,
        /// What a grid has.
        columns: String,
    },
    /// Storage of which the test bed isn't known.
    #[error(
        "nothing is known of the storage \"{storage}\"; put a scenario of its test bed beside the grids, as \
         testbed-{storage}.toml or, for all of them, testbed.toml"
    )]
    Storage {
        /// As the row has it.
        storage: String,
    },
    /// A scenario of a test bed can't be run with what a row says set.
    #[error(transparent)]
    Simulated(#[from] NotSimulated),
}
