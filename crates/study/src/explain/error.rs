//! Why nothing can be explained.

use miette::Diagnostic;
use petrio_scenario::Problems;
use petrio_scenario::run::RunFailure;
use thiserror::Error;

/// A question that has no answer.
#[derive(Debug, Diagnostic, Error)]
#[non_exhaustive]
pub enum ExplainError {
    /// The scenario can't be read.
    #[error("{0}")]
    #[diagnostic(transparent)]
    Scenario(Box<Problems>),
    /// The scenario can't be run.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Run(Box<RunFailure>),
    /// Nothing completes in it.
    #[error("nothing completes in this scenario, so that nothing could be better")]
    #[diagnostic(help("let it run longer, or look at it with petrio run"))]
    NothingDone,
}

impl From<RunFailure> for ExplainError {
    fn from(failure: RunFailure) -> Self {
        Self::Run(Box::new(failure))
    }
}
