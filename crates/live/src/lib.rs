//! The real machine: file systems set up, driven and calibrated, so that a prediction has a measurement beside it.
//!
//! ```text
//!  FileTable + programs ─ drive ─▶ a real directory ──▶ times by operation
//!                                       │ on
//!                        rig: ext3 or ext4 on a loop device (journal, throttle, memory and dirty limits)
//!                                       │ watched by
//!              petrio_capture: block and jbd2 tracepoints ──▶ "W4D W16J F W4J F", blocks by commit
//!                                       │
//!                        ops: what each file operation costs the device, by journal mode
//! ```
//!
//! [`drive`] works in any directory and needs no privilege. [`rig`] and [`ops`] need root, and [`rig::Facilities`] says
//! what is possible on this machine and, where it isn't, why.
//!
//! Whatever is set up is taken down again: when its owner is dropped, when something fails on the way, for a signal's
//! handler by [`petrio_capture::undo::take_down_all`], and after a kill by the next start's [`leftovers::clear`].
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

#![warn(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
#![cfg_attr(
    test,
    allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the numbers of a test are small"
    )
)]

pub mod beneath;
pub mod calibrate;
mod content;
pub mod drive;
pub mod emulation;
mod inventory;
pub mod leftovers;
pub mod namespace;
pub mod ops;
pub mod rig;
mod timed;

pub use inventory::inventory;
