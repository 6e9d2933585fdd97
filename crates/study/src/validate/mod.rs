//! Predictions beside measurements.

pub mod demerit;
pub mod disks;
pub mod dissertation;
pub mod fs;
pub mod ops;
