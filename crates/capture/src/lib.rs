//! What this machine does, captured: calls on files, requests to devices and commits of journals, from the kernel's own
//! tracing.
//!
//! ```text
//!  any command, or the whole system ─ file_trace: calls, page cache, device requests ─▶ petrio's trace file
//!                       one device ─ device_trace: its requests, and who asked ─▶ petrio's trace file
//!      one device, an operation long ─ journal_trace: requests and commits ─▶ "W4D W16J F W4J F", blocks by commit
//! ```
//!
//! All three record by one recorder, which needs root. What it sets up is taken down again: when its owner is dropped,
//! when something fails on the way, and for a signal's handler by [`undo::take_down_all`]. Commands that are captured
//! end with whoever captures them, by [`launch`].
//!
//! Two writes in the notation of operations, one to a file's data and one to the journal:
//!
//! ```
//! use petrio_capture::journal_trace::{Access, BlockAccess, JournalArea, requests_text};
//! let write = |sector, sectors| BlockAccess {
//!     access: Access::Write,
//!     flush_before: false,
//!     force_unit_access: false,
//!     synchronous: true,
//!     metadata: false,
//!     read_ahead: false,
//!     sector,
//!     sectors,
//! };
//! let journal = JournalArea::new([(1_024, 2_048)]);
//! assert_eq!(requests_text(&[write(8, 8), write(1_024, 32)], &journal), "W4D W16J");
//! ```
//!
//! Left out: other kernels than Linux, whose tracing this is.

#![warn(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
#![cfg_attr(
    test,
    allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the numbers of a test are small"
    )
)]

pub mod device_trace;
pub mod file_trace;
pub mod journal_trace;
pub mod launch;
pub mod leftovers;
pub mod mounted;
mod recorder;
pub mod undo;

pub use recorder::trace_directory;
