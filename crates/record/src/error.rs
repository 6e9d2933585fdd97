//! Why nothing is recorded, or no recording is made of it.

use miette::Diagnostic;
use petrio_trace::TraceError;
use std::io;
use std::path::PathBuf;
use thiserror::Error;

/// A recording that can't begin or be completed.
#[derive(Debug, Diagnostic, Error)]
#[non_exhaustive]
pub enum RecordError {
    /// The folder holds something already.
    #[error("{}: there is a recording, or something else, in it already", .path.display())]
    #[diagnostic(help("name another folder with --out, or replace what is there with --force"))]
    Occupied {
        /// The folder.
        path: PathBuf,
    },
    /// The folder can't be written, or what was recorded can't be read.
    #[error("{}: {source}", .path.display())]
    #[diagnostic(help("name a folder with --out in which files can be made"))]
    Folder {
        /// What.
        path: PathBuf,
        /// The system's answer.
        source: io::Error,
    },
    /// The command can't be started.
    #[error("{program}: it can't be started: {source}")]
    #[diagnostic(help(
        "behind -- stands the command with its arguments: petrio record --out DIR -- PROGRAM ARGUMENTS"
    ))]
    Command {
        /// Its program.
        program: String,
        /// The system's answer.
        source: io::Error,
    },
    /// Nothing was recorded.
    #[error("{program} left no record of what it did: {reason}")]
    #[diagnostic(help(
        "--outside follows a program into which nothing can be loaded; where that is forbidden, `petrio trace capture` or `strace` \
         sees what it does"
    ))]
    Nothing {
        /// The command's program.
        program: String,
        /// What is known.
        reason: String,
    },
    /// What was recorded is damaged.
    #[error("{}: {what}", .path.display())]
    #[diagnostic(help(
        "record anew; what other files of the folder hold is read by `petrio record --finish` once this one is gone"
    ))]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        what: String,
    },
    /// The recording can't be written.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Trace(#[from] TraceError),
}

impl RecordError {
    /// Whether the system failed, and not what was asked for.
    pub const fn is_of_the_system(&self) -> bool {
        matches!(self, Self::Folder { .. })
    }
}
