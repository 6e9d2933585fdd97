//! File-level traces of a running Linux: who read and wrote which bytes of which file, what missed the cache, what
//! reached the devices.
//!
//! ```text
//!  tracefs: two instances (the traced; the machine), binary ─▶ one stream in order of time
//!      │                                                             │
//!      ├─ /proc, folders: names, what is open already ─▶ join ◀──────┘
//!      └─ fanotify: names as they change ────────────────▶┘
//!                                                          │ events (Ivy's records, and more)
//!                                                       output: petrio's trace file, numbered ones by size or time
//! ```
//!
//! [`capture`] follows a command and its children, or the whole system. The kernel's own tracepoints are all it needs:
//! no probes, no BPF, nothing that a locked-down kernel refuses; root it needs.
//!
//! What the trace says, and what it can't:
//!
//! - A read is a *hit* if none of its pages came into the cache during the call. Pages on their way because of read-ahead count
//!   as cached, as the call finds them there.
//! - Mapped files are read without calls: only their misses are seen, as reads of one page without service time. Writes to mapped
//!   files are seen as device requests only.
//! - A file is opened once, however many descriptors and processes come to share that; it is closed with the last of them.
//! - Directories, devices, pipes, sockets, and files without pages in the cache (/proc, tmpfs) are left out and counted.
//! - The events of calls have no strings. Names come from fanotify, which tells what is made, deleted and renamed at that moment,
//!   and from walks of folders before and after. A file that was there before, outside of the folders walked, and that nobody
//!   has open when /proc is looked at may stay without.
//! - 32-bit programs on a 64-bit kernel make calls that the kernel doesn't trace.
//!
//! Source: S.-L. Lo, *Ivy: a study on replicating data for performance improvement*, HPL-CSP-90-48, 1990, §3; Linux
//! `Documentation/trace/`.

mod collect;
pub(crate) mod fanotify;
pub(crate) mod join;
mod names;
mod output;
mod overhead;
mod parameters;
pub(crate) mod proc;
mod summary;
mod supervise;

pub use crate::recorder::CaptureError;
pub use crate::recorder::interrupt::interrupt;
pub use collect::capture;
pub use join::Counts;
pub use output::Rotation;
pub use overhead::{Overhead, Spread, TracedRun, measure_overhead};
pub use parameters::{BUFFER_KIB, CaptureParameters, Subject};
pub use summary::CaptureSummary;
pub use supervise::{Log, RESTART_AFTER, supervise};
