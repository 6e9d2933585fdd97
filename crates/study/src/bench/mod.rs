//! The speed of petrio itself, beside a peer or a limit in the same run.

pub mod disk;
pub mod kernel;
