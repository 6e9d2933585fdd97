//! Programs run by operating-system processes of their own, instead of threads of this one.
//!
//! Each worker is a program that is started for it (petrio itself, told to be a worker) and shares a socket with this
//! process, as its standard input. All prepare; when the last is ready, all are told to begin, and from when on to
//! count time: the system's monotonic clock is the same for all. What they do comes back in batches, into the same
//! [recorder](super::Recorded) as that of threads.
//!
//! ```text
//!  this process ── job ──▶ worker      the job's bytes are the caller's; the worker's side prepares programs of them
//!               ◀─ ready ─
//!               ── go, origin ─▶       once all are ready
//!               ◀─ calls ─ … ◀─ done, gaps     or failed, and why
//! ```
//!
//! A worker that fails or dies ends the others. Workers end when this process does, however it does: their socket is
//! closed then. Left out: barriers between workers; users wait for nobody.

mod children;
mod supervise;
mod wire;
mod worker;

pub use supervise::{Apart, Worker, run_apart};
pub use worker::{Assignment, Refusal, serve};
