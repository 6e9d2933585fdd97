//! Scenario files, wiring, runs and reports
