//! Tests of the trace crate from outside, one file a property.
#![allow(clippy::unwrap_used, missing_docs)]
#![allow(clippy::print_stdout, reason = "a test that is skipped says which data it needs")]

mod bad_traces;
mod file_traces;
mod merged_traces;
mod reader_properties;
mod requests;
mod sample_traces;
mod sound_samples;
mod support;
mod written_traces;
