//! What must hold of the kernel, one file a property.
#![allow(clippy::unwrap_used, reason = "a test that can't set up has failed")]

mod conservation;
mod determinism;
mod forking;
mod queueing_theory;
mod stepping;
mod support;
