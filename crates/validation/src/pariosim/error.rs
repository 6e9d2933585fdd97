//! Why the study can't be repeated.

use crate::side_by_side::NotSimulated;

/// Why the study can't be repeated.
#[derive(Debug, thiserror::Error)]
pub enum ParIoSimError {
    /// An experiment can't be run: a bug.
    #[error("{experiment}: {cause}")]
    Simulated {
        /// Which.
        experiment: String,
        /// Why.
        cause: Box<NotSimulated>,
    },
    /// A run has no parallel program: a bug.
    #[error("{experiment}: the run has no parallel program")]
    NoProgram {
        /// Which.
        experiment: String,
    },
}
