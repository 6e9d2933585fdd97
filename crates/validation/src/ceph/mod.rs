//! Ceph's RBD on three OSDs of this project's own grid: predicted beside what a real Ceph 16.2.15 did.
//!
//! ```text
//!   grid.csv (or DIR/*.csv) ─ measured ─▶ cells ─ predict (the test bed as a scenario, several seeds) ─▶ rows ─▶ judged
//! ```
//!
//! `predicted.csv` beside the grid was written before anything of it was measured.

mod measured;
mod predict;

#[cfg(test)]
mod tests;

pub use measured::{CephCell, CephGridError, CephMeasured, Operation, read_grids, shipped};
pub use predict::{CephRow, MEDIAN_BOUND_PERCENT, WORST_BOUND_PERCENT, judged, predict};
