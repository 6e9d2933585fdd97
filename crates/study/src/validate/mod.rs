//! Predictions beside measurements.

pub mod demerit;
pub mod disks;
pub mod dissertation;
pub mod dissertation_shapes;
pub mod fs;
pub mod ivy;
pub mod ops;
