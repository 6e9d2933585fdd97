//! Programs: patterns, distributions and traces
pub mod trace;
