//! How far a fit is.

/// How far a fit is.
#[derive(Clone, Debug, PartialEq)]
pub struct Progress {
    /// What is counted: families, resamples.
    pub what: String,
    /// How many are done.
    pub done: usize,
    /// How many there are.
    pub of: usize,
}
