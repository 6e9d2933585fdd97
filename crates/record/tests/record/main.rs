//! Programs that are recorded, and what their recordings say.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test that fails panics, and one that is skipped says so"
)]

mod aside;
mod calls;
mod foretold;
mod fortran;
mod parallel;
mod support;
