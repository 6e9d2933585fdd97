//! Tests of the workload crate from outside, one file a property.
#![allow(clippy::unwrap_used, missing_docs)]
#![allow(clippy::print_stdout, reason = "a test that is skipped says which data it needs")]

mod bad_traces;
mod fuzz_smoke;
mod merged_traces;
mod reader_properties;
mod replay;
mod sample_traces;
mod support;
mod synthetic;
