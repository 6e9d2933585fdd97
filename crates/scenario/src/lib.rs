//! Scenario files, wiring, runs and reports.

pub mod report;
pub mod text;
