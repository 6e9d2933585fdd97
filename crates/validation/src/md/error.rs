//! Why measured arrays can't be predicted.

use petrio_kernel::{NetError, RunError};
use petrio_models::block::raid::RaidError;
use std::path::PathBuf;

/// Why measured arrays can't be predicted.
#[derive(Debug, thiserror::Error)]
pub enum MdError {
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
    /// No file has cells.
    #[error("{} has no measured arrays: a CSV file with the columns level, members, chunk_kib, operation and those beside them", path.display())]
    NoCells {
        /// The folder.
        path: PathBuf,
    },
    /// The catalogue's kernel can't be read: a bug.
    #[error("the catalogue's kernel {0} can't be read")]
    Kernel(&'static str),
    /// An array that can't be made.
    #[error("an array of the cells can't be made: {0}")]
    Array(#[from] RaidError),
    /// A net that can't be made: a bug.
    #[error(transparent)]
    Net(#[from] NetError),
    /// A run fails: a bug.
    #[error(transparent)]
    Run(#[from] RunError),
}
