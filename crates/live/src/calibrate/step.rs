//! How far a calibration has come, for whoever watches.

/// How far a calibration has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CalibrationProgress {
    /// What is being done.
    pub what: &'static str,
    /// Parts done.
    pub done: u64,
    /// Parts in all.
    pub total: u64,
}
