//! Why captured requests can't be read.

use crate::{Problem, TraceError};
use miette::Diagnostic;
use std::sync::Arc;
use thiserror::Error;

/// Captured requests that can't be read.
#[derive(Debug, Diagnostic, Error)]
pub enum RequestError {
    /// The file can't be read.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Trace(#[from] TraceError),
    /// A line that is wrong.
    #[error("{name}, line {line}: {problem}")]
    #[diagnostic(forward(problem))]
    Line {
        /// The file.
        name: Arc<str>,
        /// The line, from 1.
        line: u64,
        /// What is wrong.
        problem: Problem,
    },
    /// Not a single one.
    #[error("{name}: there is no request in it")]
    NoRequests {
        /// The file.
        name: Arc<str>,
    },
    /// The format says what is read and what is written although the reader was told, or doesn't although it wasn't.
    #[error("operation: {0}")]
    Operation(&'static str),
}
