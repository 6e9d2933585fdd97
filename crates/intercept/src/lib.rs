//! System calls of an unmodified program, held until somebody has decided about them (seccomp user notification).
//!
//! ```text
//!   Start ─▶ petrio execute-inside outside ─▶ … inside (first process of its own) ─▶ … program ─▶ the command
//!                namespaces, mounts              /proc, reaps                        filter │
//!                                                                      Listener ◀── a socket┘
//! ```
//!
//! Whatever the program is made of (static, Go, Java, a shell's children), its calls are seen: the kernel holds them. Nothing is preloaded.
//!
//! - [`start`]: the program is started in namespaces of its own: a file system of which it writes a copy ([`cage`]), processes, and no
//!   network. It ends with whoever has started it, and so does all that it has started.
//! - [`Listener`]: held calls, one by one, and their answers.
//! - [`follow`]: calls that nobody decides about, told before and after to another process.
//! - [`expiry`]: what a timer does when its time has come.
//! - [`memory`]: what their arguments point to; [`vdso`]: clocks that are read without a call make calls, too.

#![warn(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
#![cfg_attr(
    test,
    allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the numbers of a test are small"
    )
)]

pub mod cage;
pub mod expiry;
mod filter;
pub mod follow;
mod kernel;
mod listener;
pub mod memory;
mod patience;
mod start;
pub mod vdso;

pub use filter::Rule;
pub use listener::{Answer, Held, Listener, Next};
pub use start::{Ended, Start, StartError, Started, called, start};
