//! Why a device can't be watched.

use std::io;
use std::path::PathBuf;
use thiserror::Error;

/// A device that can't be watched.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CaptureError {
    /// No tracefs, and none can be mounted.
    #[error("the kernel's tracing can't be reached: tracefs isn't mounted, and mounting it failed: {source}")]
    NoTraceFs {
        /// The system's answer.
        source: io::Error,
    },
    /// A file of tracefs that can't be read or written.
    #[error("{}: {source}", .path.display())]
    TraceFile {
        /// The file.
        path: PathBuf,
        /// The system's answer.
        source: io::Error,
    },
    /// Events were lost, so the requests can't be trusted.
    #[error("the kernel dropped {lost} trace events before they could be read")]
    Lost {
        /// How many, at least.
        lost: u64,
    },
    /// Lines that aren't as expected.
    #[error("{count} lines of the trace can't be read; the first is {first:?}")]
    Unreadable {
        /// How many.
        count: u64,
        /// The first of them.
        first: String,
    },
}

impl CaptureError {
    /// What to do about it.
    pub const fn help(&self) -> &'static str {
        match self {
            Self::NoTraceFs { .. } | Self::TraceFile { .. } => {
                "run as root on a kernel with CONFIG_TRACEFS and the block tracepoints"
            }
            Self::Lost { .. } => "record for a shorter time, or with a larger buffer",
            Self::Unreadable { .. } => {
                "this kernel's trace format differs from Linux 6.x; please report the line"
            }
        }
    }
}
