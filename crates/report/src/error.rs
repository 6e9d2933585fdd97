//! Why a report could not be written.

use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// A result file that could not be written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ReportError {
    /// The system refused.
    #[error("{} can't be written: {cause}; {}", path.display(), advice(cause))]
    Write {
        /// The file that was asked for.
        path: PathBuf,
        /// What the system said.
        cause: io::Error,
    },
    /// The columnar format refused.
    #[error("{} can't be written as Parquet: {message}", path.display())]
    Parquet {
        /// The file that was asked for.
        path: PathBuf,
        /// What the format's writer said.
        message: String,
    },
    /// There is no telling what the files of a run are called.
    #[error("the files of the run can't be told: {message}")]
    Untold {
        /// Why not.
        message: String,
    },
    /// The trace's writer refused.
    #[error("{} can't be written as a trace: {message}", path.display())]
    Trace {
        /// The file that was asked for.
        path: PathBuf,
        /// Why not.
        message: String,
    },
}

impl ReportError {
    /// Files that can't be told.
    pub fn untold(cause: &dyn std::fmt::Display) -> Self {
        Self::Untold { message: cause.to_string() }
    }

    /// A trace that can't be written.
    pub fn trace(path: &Path, cause: &dyn std::fmt::Display) -> Self {
        Self::Trace { path: path.to_owned(), message: cause.to_string() }
    }

    /// A file that can't be written.
    pub fn write(path: &Path, cause: io::Error) -> Self {
        Self::Write { path: path.to_owned(), cause }
    }
}

fn advice(cause: &io::Error) -> &'static str {
    match cause.kind() {
        io::ErrorKind::NotFound => "make the folder first",
        io::ErrorKind::PermissionDenied => "choose a folder that you may write to",
        io::ErrorKind::StorageFull => "make room on the disk, or choose another one",
        io::ErrorKind::IsADirectory => "that is a folder; name a file in it",
        _ => "nothing was left behind",
    }
}
