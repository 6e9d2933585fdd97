//! Why nothing can be said of a loss.

use miette::Diagnostic;
use petrio_scenario::Problems;
use petrio_scenario::run::RunFailure;
use thiserror::Error;

/// A question that has no answer.
#[derive(Debug, Diagnostic, Error)]
#[non_exhaustive]
pub enum LossError {
    /// The scenario can't be read, or says too little.
    #[error("{0}")]
    #[diagnostic(transparent)]
    Scenario(Box<Problems>),
    /// A run with members that fail can't be made.
    #[error("with {members} of {array} failing: {failure}")]
    Run {
        /// The array.
        array: String,
        /// How many members fail.
        members: usize,
        /// Why.
        failure: Box<RunFailure>,
    },
    /// Nothing was filled in a run.
    #[error("the run is too short: no piece of what takes the place of a member of {array} was filled in it")]
    #[diagnostic(help(
        "let its workload ask for longer, with more requests or a longer time: how fast places are filled under it is measured"
    ))]
    TooShort {
        /// The array.
        array: String,
    },
    /// A store that can't be: a bug.
    #[error("{group} can't be followed through years: this is a bug of petrio's")]
    Store {
        /// Which one.
        group: String,
    },
    /// It was stopped.
    #[error("stopped")]
    Stopped,
}
