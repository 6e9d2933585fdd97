//! Why a program can't be run on a real directory.

use petrio_colours::FileId;
use petrio_workload::program::ProgramError;
use std::io;
use std::path::PathBuf;
use thiserror::Error;

/// A program that can't be run on a real directory.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum DriveError {
    /// An operation that the file system refused.
    #[error("{action} {}: {source}", .path.display())]
    File {
        /// What was to be done.
        action: &'static str,
        /// To which file.
        path: PathBuf,
        /// The system's answer.
        source: io::Error,
    },
    /// A file that the table of files doesn't know.
    #[error("the program speaks of file {}, which its table of files doesn't have", .file.0)]
    UnknownFile {
        /// Its number.
        file: FileId,
    },
    /// An access that was cut short.
    #[error("{action} {}: {got} bytes of {wanted} at {offset}", .path.display())]
    Short {
        /// What was to be done.
        action: &'static str,
        /// To which file.
        path: PathBuf,
        /// First byte.
        offset: u64,
        /// Bytes asked for.
        wanted: u64,
        /// Bytes that went.
        got: u64,
    },
    /// The program.
    #[error(transparent)]
    Program(#[from] ProgramError),
    /// A thread that can't be started, or that broke off.
    #[error("process {process}: {why}")]
    Process {
        /// Its number.
        process: usize,
        /// What happened.
        why: String,
    },
}

impl DriveError {
    /// What to do about it, where there is something to do.
    pub fn help(&self) -> Option<String> {
        match self {
            Self::File { source, .. } if source.kind() == io::ErrorKind::StorageFull => {
                Some("use smaller files, or a directory with more room".to_owned())
            }
            Self::File { source, .. } if source.kind() == io::ErrorKind::InvalidInput => Some(
                "O_DIRECT needs offsets and lengths that are multiples of the device's block, and a file system that has it"
                    .to_owned(),
            ),
            Self::Program(error) => error.help(),
            Self::Short { .. } => Some("a read beyond the end of the file: write the file first".to_owned()),
            _ => None,
        }
    }

    pub(crate) fn file(action: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::File { action, path, source }
    }
}
