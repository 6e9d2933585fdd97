//! Why nothing could be fitted, in words for the person who has the data.

use miette::Diagnostic;
use thiserror::Error;

/// Data to which nothing can be fitted.
#[derive(Clone, Debug, PartialEq, Diagnostic, Error)]
#[non_exhaustive]
pub enum FitError {
    /// No value at all.
    #[error("there are no values to fit")]
    Empty,
    /// A value that is no number, or infinite.
    #[error("value {position} is {value}; every value must be a finite number")]
    #[diagnostic(help("take such values out, or find out why they were measured"))]
    NotFinite {
        /// Which one, from 1.
        position: usize,
        /// What it is: NaN, inf or -inf.
        value: f64,
    },
    /// A value of which moments can't be computed.
    #[error("value {position} is {value:e}; beyond {most:e}, powers of values are no numbers any more")]
    #[diagnostic(help("fit the values in a larger unit"))]
    TooLarge {
        /// Which one, from 1.
        position: usize,
        /// What it is.
        value: f64,
        /// How large values may be.
        most: f64,
    },
    /// Every family that was asked for refuses the data.
    #[error("no family that was asked for can be fitted: {reasons}")]
    #[diagnostic(help("leave --family out to try all of them; normal and uniform take any number"))]
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
    /// A number of stages, where nothing that was asked for has any.
    #[error("{what} fits no number of stages that could be given")]
    #[diagnostic(help("leave --stages out, or ask for the family gamma or phase-type by likelihood"))]
    NoStages {
        /// The families, or the method.
        what: String,
    },
}
