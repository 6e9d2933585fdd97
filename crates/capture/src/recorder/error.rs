//! Why nothing can be recorded.

use miette::Diagnostic;
use petrio_trace::TraceError;
use std::io;
use std::path::PathBuf;
use thiserror::Error;

/// What has to be there to trace calls, and what to do without.
const TO_BE_TRACED: &str = "run it as root on a kernel with CONFIG_FTRACE_SYSCALLS; where that can't be had, record with `strace -f -y \
                            -ttt -T -o FILE COMMAND` and read that with `petrio trace convert FILE`";

/// A recording that can't begin or go on.
#[derive(Debug, Diagnostic, Error)]
#[non_exhaustive]
pub enum CaptureError {
    /// No tracing for this user on this machine.
    #[error("the kernel's tracing can't be used: {reason}")]
    #[diagnostic(help("{TO_BE_TRACED}"))]
    NoTracing {
        /// What is in the way.
        reason: String,
    },
    /// An event that this kernel doesn't have, or not in a form that is known.
    #[error("this kernel has no event {event}, or it lacks what is read of it")]
    #[diagnostic(help(
        "use a kernel with CONFIG_TRACING and CONFIG_BLOCK; `ls events/block` in tracefs shows what there is"
    ))]
    NoEvent {
        /// Its group and name.
        event: String,
    },
    /// A file of tracefs that can't be read or written.
    #[error("{}: {source}", .path.display())]
    #[diagnostic(help("{TO_BE_TRACED}"))]
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
    /// Events were lost, so what was recorded can't be trusted.
    #[error("the kernel dropped {lost} trace events before they could be read")]
    #[diagnostic(help("record for a shorter time, or with a larger buffer"))]
    Lost {
        /// How many, at least.
        lost: u64,
    },
    /// What lies on no device that can be recorded.
    #[error("{}: {reason}", .path.display())]
    NoDevice {
        /// What was named.
        path: PathBuf,
        /// What is in the way.
        reason: String,
        /// What to name instead.
        #[help]
        help: &'static str,
    },
    /// Nothing happened that a trace could hold.
    #[error("no request reached {device} while it was recorded, so there is nothing to write")]
    #[diagnostic(help(
        "the data may be in the page cache: empty it before, or let the command make durable what it writes"
    ))]
    Nothing {
        /// The device.
        device: String,
    },
    /// A command that can't be started.
    #[error("{program} can't be started: {source}")]
    #[diagnostic(help("check its name and whether it may be executed"))]
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

impl From<TraceError> for CaptureError {
    fn from(error: TraceError) -> Self {
        Self::Output { message: error.to_string() }
    }
}

impl CaptureError {
    /// Whether another try may succeed: what is in the way of the first won't go away.
    pub const fn is_lasting(&self) -> bool {
        !matches!(self, Self::Buffer { .. } | Self::Output { .. } | Self::Lost { .. } | Self::Nothing { .. })
    }
}
