//! Ivy's tables again: five replication policies at one to seven copies, on made-up traces.

mod error;
mod system;

pub use error::IvyError;
pub use system::{IvySystem, run};
