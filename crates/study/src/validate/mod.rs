//! Predictions beside measurements.

pub mod demerit;
pub mod disks;
