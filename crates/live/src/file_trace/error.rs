//! Why a file-level trace can't be captured.

use crate::capture::CaptureError;
use petrio_workload::trace::TraceError;
use std::io;
use std::path::PathBuf;
use thiserror::Error;

/// A capture that can't begin or go on.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum FileTraceError {
    /// No tracing for this user on this machine.
    #[error("the kernel's tracing can't be used: {reason}")]
    NoTracing {
        /// What is in the way.
        reason: String,
    },
    /// A file of tracefs that can't be read or written.
    #[error("{}: {source}", .path.display())]
    TraceFile {
        /// The file.
        path: PathBuf,
        /// The system's answer.
        source: io::Error,
    },
    /// A ring buffer that can't be read.
    #[error("the trace's ring buffer can't be read: {source}")]
    Buffer {
        /// The system's answer.
        source: io::Error,
    },
    /// A command that can't be started.
    #[error("{program} can't be started: {source}")]
    Command {
        /// Its name.
        program: String,
        /// The system's answer.
        source: io::Error,
    },
    /// A trace that can't be written.
    #[error("the trace can't be written: {message}")]
    Output {
        /// What is wrong.
        message: String,
    },
    /// A setting that makes no sense.
    #[error("{message}")]
    Setting {
        /// What is wrong.
        message: String,
    },
}

impl From<TraceError> for FileTraceError {
    fn from(error: TraceError) -> Self {
        Self::Output { message: error.to_string() }
    }
}

impl From<CaptureError> for FileTraceError {
    fn from(error: CaptureError) -> Self {
        match error {
            CaptureError::TraceFile { path, source } => Self::TraceFile { path, source },
            other => Self::NoTracing { reason: other.to_string() },
        }
    }
}

impl FileTraceError {
    /// What to do about it.
    pub fn help(&self) -> Option<String> {
        match self {
            Self::NoTracing { .. } | Self::TraceFile { .. } => Some(
                "run it as root on a kernel with CONFIG_FTRACE_SYSCALLS; where that can't be had, record with `strace -f -y -ttt -T \
                 -o FILE COMMAND` and read that with `petrio trace convert FILE`"
                    .to_owned(),
            ),
            Self::Command { .. } => Some("check its name and whether it may be executed".to_owned()),
            Self::Buffer { .. } | Self::Output { .. } | Self::Setting { .. } => None,
        }
    }

    /// Whether another try may succeed: what is in the way of the first won't go away.
    pub const fn is_lasting(&self) -> bool {
        matches!(
            self,
            Self::NoTracing { .. } | Self::TraceFile { .. } | Self::Command { .. } | Self::Setting { .. }
        )
    }
}
