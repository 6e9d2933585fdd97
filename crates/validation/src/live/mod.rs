//! Real programs and real kernels on storage that doesn't exist, beside petrio's own model of the same.

pub mod bed;
pub mod survivors;
