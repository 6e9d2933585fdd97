//! The kernel's tracing, read in binary: what is listened to, how it is switched on, how its pages are read.
//!
//! ```text
//! catalogue ─▶ instance (two of them, clock `mono`) ─▶ trace_pipe_raw of each processor
//!     └─ format ─▶ decode ◀─ page ◀────────────────────────┘
//!                    └──▶ stream: one order of time over all processors and both instances
//! ```

pub(crate) mod catalogue;
pub(crate) mod decode;
pub(crate) mod format;
pub(crate) mod instance;
pub(crate) mod page;
pub(crate) mod stream;
