//! From a loaded scenario to a System that runs, and to the programs that run on it.
//!
//! ```text
//!   Loaded ─┬─ System::build ──▶ one net: a page for the programs of each sort, a page for each host, queue, array and
//!           │                    disk, and the stages that the report shows
//!           └─ programs_of ────▶ one RequestSource of each sort: all workloads, in order of time
//! ```

mod block_targets;
mod check_files;
mod check_memory;
mod driven;
mod foundation;
mod hosts;
mod jobs;
mod operations;
mod planning;
mod processes;
mod programs;
mod requests;
mod shared;
mod storage;
mod system;
mod turns;

pub(crate) use check_files::check_files;
pub(crate) use driven::Driven;
pub(crate) use hosts::ClientHosts;
pub(crate) use operations::file_tables;
pub use operations::{file_names, prepared_programs};
pub(crate) use planning::{Split, groups};
pub(crate) use programs::Programs;
pub(crate) use storage::queues_of;
pub use system::System;
pub(crate) use system::{Redundant, Replicated};
pub(crate) use turns::Turns;
