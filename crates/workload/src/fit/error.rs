//! Why nothing could be fitted, in words for the person who has the data.

use thiserror::Error;

/// Data to which nothing can be fitted.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum FitError {
    /// No value at all.
    #[error("there are no values to fit")]
    Empty,
    /// A value that is no number, or infinite.
    #[error("value {position} is {value}; every value must be a finite number")]
    NotFinite {
        /// Which one, from 1.
        position: usize,
        /// What it is: NaN, inf or -inf.
        value: f64,
    },
    /// Every family that was asked for refuses the data.
    #[error("no family that was asked for can be fitted: {reasons}")]
    NoFamily {
        /// Each with its reason.
        reasons: String,
    },
    /// A number of stages that can't be.
    #[error("{stages} stages can't be fitted; give 1 to {most}")]
    Stages {
        /// What was asked for.
        stages: usize,
        /// How many there may be.
        most: usize,
    },
}

impl FitError {
    /// What to do about it, where there is something to do.
    pub fn help(&self) -> Option<String> {
        match self {
            Self::NotFinite { .. } => {
                Some("take such values out, or find out why they were measured".to_owned())
            }
            Self::NoFamily { .. } => {
                Some("leave --family out to try all of them; normal and uniform take any number".to_owned())
            }
            Self::Empty | Self::Stages { .. } => None,
        }
    }
}
