//! Why captured requests can't be read.

use crate::{Problem, TraceError};
use std::sync::Arc;
use thiserror::Error;

/// Captured requests that can't be read.
#[derive(Debug, Error)]
pub enum RequestError {
    /// The file can't be read.
    #[error(transparent)]
    Trace(#[from] TraceError),
    /// A line that is wrong.
    #[error("{name}, line {line}: {problem}")]
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

impl RequestError {
    /// What to do about it, where there is something to do.
    pub fn help(&self) -> Option<String> {
        match self {
            Self::Trace(error) => error.help(),
            Self::Line { problem, .. } => problem.help(),
            Self::NoRequests { .. } | Self::Operation(_) => None,
        }
    }
}
