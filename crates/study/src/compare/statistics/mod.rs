//! The statistics of a comparison: paired and unpaired t intervals of differences and of ratios, and Holm's correction.
//!
//! Two systems under common random numbers give pairs, and the interval is that of the mean of their differences (Law,
//! *Simulation Modeling and Analysis*, 5th ed., section 10.2.1). Where there are no pairs it is Welch's (B. L. Welch, "The
//! generalization of Student's problem when several different population variances are involved", Biometrika 34, 1947).
//! Ratios are compared by their logarithms, so that B against A and A against B say the same.
//!
//! Left out: corrections over several measures of the same two systems; the headline is one measure, and is named
//! before.

mod difference;
mod holm;
mod sample;

pub use difference::{Difference, Method, Ratio, Test};
pub use holm::holm;
pub use sample::Sample;
