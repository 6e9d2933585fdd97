//! Tests of the workload crate from outside, one file a property.
#![allow(clippy::unwrap_used, missing_docs)]
#![allow(clippy::print_stdout, reason = "a test that is skipped says which data it needs")]

mod bad_traces;
mod file_programs;
mod file_traces;
mod merged_traces;
mod pattern_parameters;
mod pattern_programs;
mod reader_properties;
mod replay;
mod request_programs;
mod sample_traces;
mod script_programs;
mod sound_samples;
mod support;
mod synthetic;
mod users;
mod users_learned;
mod written_traces;
