//! What must hold of the kernel, one file a property.
#![allow(clippy::unwrap_used, reason = "a test that can't set up has failed")]

mod arcs;
mod cancellation;
mod capacity;
mod conservation;
mod determinism;
mod disciplines;
mod drawings;
mod encoding;
mod errors;
mod flows;
mod forking;
mod hierarchy;
mod queueing_theory;
mod speed_factors;
mod statistics;
mod stepping;
mod support;
