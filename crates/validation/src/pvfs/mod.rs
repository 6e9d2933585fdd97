//! Parallel file systems: grids measured on a real PVFS 2, and the experiments of a dissertation's chapter 7.
//!
//! ```text
//!   DIR/*.csv ─ measured ─▶ cells ─ predict (the test bed as a scenario, several seeds) ─▶ judge ─▶ rows
//!   experiments (the dissertation's cluster, several seeds) ─▶ outcomes ─▶ findings ─▶ page
//! ```

mod error;
mod experiments;
mod figures;
mod findings;
mod judge;
mod measured;
mod outcome;
mod page;
mod predict;
mod regimes;

#[cfg(test)]
mod chapter_tests;
#[cfg(test)]
mod tests;

pub use error::PvfsGridError;
pub use experiments::{BLOCKS_KIB, COUNTS, Experiment, MOST_CLIENTS, SERVERS, chapter_seven};
pub use findings::findings;
pub use judge::{GridJudgement, MEDIAN_BOUND_PERCENT, ORDERING_PERCENT, WORST_BOUND_PERCENT, judge};
pub use measured::{Cell, LeftOut, Measured, Moves, read_grids};
pub use outcome::{Outcome, find};
pub use page::chapter_page;
pub use predict::{GridRow, predict};
pub use regimes::{Regimes, in_range};
