//! Parallel file systems: grids measured on a real PVFS 2, and the experiments of a dissertation's chapter 7.
//!
//! ```text
//!   DIR/*.csv ─ measured ─▶ cells ─ predict (the test bed as a scenario, several seeds) ─▶ judge ─▶ rows
//! ```

mod error;
mod experiments;
mod judge;
mod measured;
mod page;
mod predict;

#[cfg(test)]
mod tests;

pub use error::PvfsGridError;
pub use experiments::{BLOCKS_KIB, Experiment, FILES_KIB, MOST_CLIENTS, Outcome, chapter_seven, findings};
pub use judge::{GridJudgement, MEDIAN_BOUND_PERCENT, ORDERING_PERCENT, WORST_BOUND_PERCENT, judge};
pub use measured::{Cell, LeftOut, Measured, Moves, read_grids};
pub use page::chapter_page;
pub use predict::{GridRow, predict};
