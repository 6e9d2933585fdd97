//! Why a program can't be run on a real directory.

use miette::Diagnostic;
use petrio_colours::{FileId, Operation};
use petrio_workload::program::ProgramError;
use std::io;
use std::ops::Range;
use std::path::PathBuf;
use thiserror::Error;

/// A program that can't be run on a real directory.
#[derive(Debug, Diagnostic, Error)]
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
        /// What to do about it, where there is something to do.
        #[help]
        advice: Option<&'static str>,
    },
    /// A file that the table of files doesn't know.
    #[error("the program speaks of file {}, which its table of files doesn't have", .file.0)]
    UnknownFile {
        /// Its number.
        file: FileId,
    },
    /// An access that was cut short.
    #[error("{action} {}: {got} bytes of {wanted} at {offset}", .path.display())]
    #[diagnostic(help("a read beyond the end of the file: write the file first"))]
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
    /// A mapped file.
    #[error("files that are mapped (interface = \"mapped\") are only simulated")]
    #[diagnostic(help("to work on real ones, take interface = \"system\""))]
    Mapped,
    /// Processes that send each other messages.
    #[error("processes that send each other messages (kind = \"parallel\") are only simulated")]
    #[diagnostic(help("to work on a real directory, take a workload whose processes work by themselves"))]
    Messages,
    /// A call of which only the simulation knows.
    #[error("{} is only simulated: no such call is made on a real directory", .operation.name())]
    #[diagnostic(help("leave it out of the script, or simulate it alone"))]
    OnlySimulated {
        /// Which.
        operation: Operation,
    },
    /// The program.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Program(#[from] ProgramError),
    /// A run that was broken off.
    #[error("the run was broken off")]
    Ended,
    /// A thread that can't be started.
    #[error("the thread of process {process} can't be started: {source}")]
    #[diagnostic(help("fewer users, or a higher limit of processes (ulimit -u)"))]
    NoThread {
        /// Its number.
        process: usize,
        /// The system's answer.
        source: io::Error,
    },
    /// A worker process that can't be started.
    #[error("worker process {worker} can't be started: {source}")]
    #[diagnostic(help(
        "higher limits of processes and of open files (ulimit -u and -n), or fewer worker processes (--processes=N)"
    ))]
    WorkerStart {
        /// Its number.
        worker: usize,
        /// The system's answer.
        source: io::Error,
    },
    /// A worker process that failed, or died.
    #[error("worker process {worker}{}: {why}", of(.processes))]
    Worker {
        /// Its number.
        worker: usize,
        /// The processes of the workload that it ran.
        processes: Range<usize>,
        /// What happened.
        why: String,
        /// What to do about it, where there is something to do.
        #[help]
        help: Option<String>,
    },
    /// More worker processes than files may be open.
    #[error("{workers} worker processes need {needed} open files, and {allowed} are allowed")]
    #[diagnostic(help(
        "raise the limit (ulimit -n {needed}), or let each worker run several processes (--processes=N)"
    ))]
    OpenFiles {
        /// How many are wanted.
        workers: u64,
        /// How many files that needs.
        needed: u64,
        /// How many the system allows.
        allowed: u64,
    },
    /// A thread that broke off.
    #[error("process {process}: {why}")]
    Process {
        /// Its number.
        process: usize,
        /// What happened.
        why: String,
    },
}

/// Which processes of a workload a worker ran.
fn of(processes: &Range<usize>) -> String {
    match processes.len() {
        1 => format!(" (process {})", processes.start),
        _ => format!(" (processes {} to {})", processes.start, processes.end.saturating_sub(1)),
    }
}

impl DriveError {
    pub(crate) fn file(action: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| {
            let advice = match source.kind() {
                io::ErrorKind::StorageFull => Some("use smaller files, or a directory with more room"),
                io::ErrorKind::InvalidInput => Some(
                    "O_DIRECT needs offsets and lengths that are multiples of the device's block, and a file system that has it",
                ),
                _ => None,
            };
            Self::File { action, path, source, advice }
        }
    }
}
