//! How sure a figure is: what predictions missed by when they were validated, and the range that follows for a path of parts.
//!
//! ```text
//!  validations ──petrio validate residuals──▶ validation/residuals.csv ──▶ Residuals ─┐
//!  a run's path: classes of parts, each with its share of the time ───────────────────┴─▶ ranges right nine times in ten
//! ```
//!
//! An error is the logarithm of predicted over measured. For each [`Class`] the range holds nine in ten of its residuals by rank, as
//! conformal prediction does (Vovk, Gammerman and Shafer, "Algorithmic Learning in a Random World", 2005), at Hazen's positions (Trans. ASCE
//! 77, 1914): of n of them the ⌈0.9 (n + ½)⌉th by size. Rows of the same conditions tell more than others: from all classes to the class,
//! its figure, direction and place, and its depth, each step takes the place of the one before as far as it has rows ([`SHRINK`]).
//! Classes along a path miss independently of each other: their errors add up by squares, each as much as its share of the time.

mod class;
mod path;
mod range;
mod residual;

pub use class::Class;
pub use path::{OnPath, Path};
pub use range::{FLOOR, HalfWidth, LEVEL, Residuals, SHRINK};
pub use residual::{Bound, Conditions, Depth, Moves, Of, Residual, ResidualsError};
