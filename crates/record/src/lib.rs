//! What a program does, recorded from inside it: its calls on files, its messages, and the processor time between them.
//!
//! ```text
//!  petrio record ─▶ run ─▶ the command, with the shim loaded into it and all that it starts (shim/, C)
//!                   │         └─ a file of records for each thread (raw)
//!                   └─▶ convert ─▶ recording.parquet (petrio_trace::native)
//! ```
//!
//! Into static programs nothing can be loaded: they are followed from outside (`watch`), and the same records are written.
//!
//! The shim takes the place of the C library's functions (LD_PRELOAD), and is told of system calls that others make (syscall user
//! dispatch): `raw` says what it writes. MPI's calls are taken by a second shim, compiled by the user's `mpicc` (`mpi`), as its
//! handles differ between libraries.
//!
//! Left out: accesses through mappings, which are counted; what runs on other machines.

#![warn(clippy::cast_possible_truncation, clippy::cast_sign_loss)]

mod convert;
mod error;
mod machine;
pub mod mpi;
mod raw;
mod run;
mod watch;

pub use convert::{FILE, Recorded, convert};
pub use error::RecordError;
pub use run::{Parameters, finish, interrupt, record};
pub use watch::called;
