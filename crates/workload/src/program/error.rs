//! Why a program can't be made or can't go on, in words for the person who wrote it.

use super::script::ScriptError;
use miette::Diagnostic;
use petrio_bounds::TooMuch;
use petrio_colours::FileId;
use petrio_trace::requests::RequestError;
use petrio_trace::{Problem, TraceError};
use std::sync::Arc;
use thiserror::Error;

/// A program that can't be made, or can't go on.
#[derive(Debug, Diagnostic, Error)]
#[non_exhaustive]
pub enum ProgramError {
    /// A parameter that no program can have.
    #[error("{parameter}: {problem}")]
    Parameter {
        /// The parameter's name.
        parameter: &'static str,
        /// What is wrong, in words.
        problem: String,
    },
    /// A script that can't be read, or that asks for what isn't there.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Script(#[from] ScriptError),
    /// Captured requests that can't be read.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Trace(#[from] TraceError),
    /// A line of captured requests that is wrong.
    #[error("{name}, line {line}: {problem}")]
    #[diagnostic(forward(problem))]
    Request {
        /// The file.
        name: Arc<str>,
        /// The line, from 1.
        line: u64,
        /// What is wrong.
        problem: Problem,
    },
    /// Captured requests without a single one.
    #[error("{name}: there is no request in it")]
    NoRequests {
        /// The file.
        name: Arc<str>,
    },
    /// More processes than can be replayed.
    #[error("more than {limit} processes")]
    #[diagnostic(help("number the processes of the requests together, or replay a part of them"))]
    TooManyProcesses {
        /// How many are possible.
        limit: usize,
    },
    /// An append beyond the longest file.
    #[error("file {} would become longer than 8 EiB", .file.0)]
    #[diagnostic(help("append less, or truncate the file now and then"))]
    FileTooLong {
        /// The file.
        file: FileId,
    },
    /// Two programs that mean different files by one number.
    #[error("file {} is \"{first}\" and \"{second}\"", .file.0)]
    #[diagnostic(help("number the files of each workload on a file system apart (`first_file`)"))]
    FileTwice {
        /// The number.
        file: FileId,
        /// The one name.
        first: String,
        /// The other.
        second: String,
    },
    /// A user specification that makes no sense.
    #[error("{at}: {problem}")]
    Users {
        /// The key in the specification.
        at: String,
        /// What is wrong with it.
        problem: String,
    },
    /// What runs outside this program couldn't go on.
    #[error("{problem}")]
    Outside {
        /// Why.
        problem: String,
    },
    /// Somebody stopped it while it was being made or run.
    #[error("it was stopped")]
    Stopped,
    /// More files than numbers.
    #[error("more than {limit} files")]
    #[diagnostic(help("use fewer files, or fewer processes"))]
    TooManyFiles {
        /// How many are possible.
        limit: u32,
    },
    /// More files than there is memory for.
    #[error("its {files} files are more than can be held: {cause}")]
    #[diagnostic(help("use fewer files, or fewer processes"))]
    TooMuchForFiles {
        /// How many it needs.
        files: u64,
        /// Why.
        cause: TooMuch,
    },
    /// More processes than there is memory for.
    #[error("{parameter}: {processes} processes are more than can be held: {cause}")]
    #[diagnostic(help("use fewer, or a larger machine"))]
    TooMuchForProcesses {
        /// The parameter that asks for them.
        parameter: &'static str,
        /// How many it needs.
        processes: u64,
        /// Why.
        cause: TooMuch,
    },
}

impl From<RequestError> for ProgramError {
    fn from(error: RequestError) -> Self {
        match error {
            RequestError::Line { name, line, problem } => Self::Request { name, line, problem },
            RequestError::NoRequests { name } => Self::NoRequests { name },
            RequestError::Operation(problem) => Self::parameter("operation", problem),
            RequestError::Trace(error) => Self::Trace(error),
        }
    }
}

impl ProgramError {
    /// A parameter that no program can have.
    pub fn parameter(parameter: &'static str, problem: impl Into<String>) -> Self {
        Self::Parameter { parameter, problem: problem.into() }
    }
}
