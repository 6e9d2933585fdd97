//! The real machine: file systems set up, driven and watched, so that a prediction has a measurement beside it.
//!
//! ```text
//!  FileTable + programs ─ drive ─▶ a real directory ──▶ times by operation
//!                                       │ on
//!                        rig: ext3 or ext4 on a loop device (journal, throttle, memory and dirty limits)
//!                                       │ watched by
//!                     capture: block and jbd2 tracepoints ──▶ "W4D W16J F W4J F", blocks by commit
//!                                       │
//!                        ops: what each file operation costs the device, by journal mode
//!
//!  any command, or the whole system ─ file_trace: calls, page cache, device requests ─▶ petrio's trace file
//!                       one device ─ device_trace: its requests, and who asked ─▶ petrio's trace file
//! ```
//!
//! [`drive`] works in any directory and needs no privilege. [`rig`], [`capture`], [`file_trace`] and [`device_trace`] need root (all
//! three record by one recorder), and [`rig::Facilities`] says what is possible on this machine and, where it isn't, why.
//!
//! Whatever is set up is taken down again: when its owner is dropped, when something fails on the way, for a signal's handler by
//! [`undo::take_down_all`], and after a kill by the next start's [`leftovers::clear`].
//!
//! ```
//! use petrio_live::rig::Facilities;
//! for (what, availability) in Facilities::probe().list() {
//!     let why_not = availability.reason();
//!     assert_eq!(why_not.is_none(), availability.is_there(), "{what}");
//! }
//! ```
//!
//! Left out: other kernels than Linux, whose tracing and control groups these are.

pub mod beneath;
pub mod calibrate;
pub mod capture;
mod content;
pub mod device_trace;
pub mod drive;
pub mod file_trace;
pub mod launch;
pub mod leftovers;
pub mod namespace;
pub mod ops;
mod recorder;
pub mod rig;
pub mod undo;
