//! Tests of the workload crate from outside, one file a property.
#![allow(clippy::unwrap_used, missing_docs)]
#![allow(clippy::print_stdout, reason = "a test that is skipped says which data it needs")]

mod file_programs;
mod pattern_files;
mod pattern_parameters;
mod pattern_programs;
mod replay;
mod request_programs;
mod script_inodes;
mod script_programs;
mod synthetic;
