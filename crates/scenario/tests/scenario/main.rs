//! Scenarios from their text to their reports. One program for all files: what they share is compiled and linked once.
#![allow(clippy::unwrap_used, reason = "a test that can't set up has failed")]

mod adapters;
mod arrays;
mod block_storage;
mod bottlenecks;
mod bounds;
mod catalogue;
mod cautions;
mod claims;
mod common;
mod computing;
mod data_sheets;
mod drive_laws;
mod failures;
mod file_systems;
mod hosts;
mod inputs;
mod matrix;
mod memory;
mod mounts;
mod nesting;
mod partitions;
mod process_memory;
mod purposes;
mod random_scenarios;
mod replications;
mod scenarios;
mod schedulers;
mod side_by_side;
mod spindles;
mod streaming;
mod traced_processes;
mod traces_over_file_systems;
mod waiting;
mod what_ifs;
mod write_caches;
