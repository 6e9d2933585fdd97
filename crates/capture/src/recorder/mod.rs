//! The recorder: the kernel's tracing, read in binary, in instances of its own, so that it disturbs no other tracing
//! and no other disturbs it. Whoever records says which events it wants and hears them in one order of time.
//!
//! ```text
//! catalogue ─▶ listener ─▶ instances (clock `mono`) ─▶ trace_pipe_raw of each processor
//!     └─ format ─▶ decode ◀─ page ◀────────────────────────┘
//!                    └──▶ stream: one order of time over all processors and instances
//! ```
//!
//! Three listen: [`file_trace`](crate::file_trace) (calls on files, the page cache and requests),
//! [`device_trace`](crate::device_trace) (one device's requests), and [`journal_trace`](crate::journal_trace) (requests
//! and commits of an operation under a microscope).
//!
//! Source: Linux `Documentation/trace/ftrace.rst`, `Documentation/trace/events.rst`. Left out: function tracing,
//! kprobes and BPF, which locked-down kernels refuse; tracepoints work there too.

pub(crate) mod block;
pub(crate) mod catalogue;
pub(crate) mod command;
pub(crate) mod decode;
mod error;
pub(crate) mod format;
mod instance;
pub(crate) mod interrupt;
pub(crate) mod kernel_event;
pub(crate) mod listener;
pub(crate) mod machine;
pub(crate) mod page;
pub(crate) mod reach;
pub(crate) mod stream;

pub use error::CaptureError;
pub use reach::trace_directory;
pub(crate) use reach::{TRACE_INSTANCE, clear_instance};
