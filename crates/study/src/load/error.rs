//! Why nothing can be said of a load.

use crate::compare::CompareError;
use miette::Diagnostic;
use petrio_scenario::Problems;
use petrio_scenario::run::RunFailure;
use thiserror::Error;

/// A question that has no answer.
#[derive(Debug, Diagnostic, Error)]
#[non_exhaustive]
pub enum LoadError {
    /// The scenario can't be read, at some load.
    #[error("{0}")]
    #[diagnostic(transparent)]
    Scenario(Box<Problems>),
    /// A run that fails.
    #[error("at {factor:.3} times today's load: {failure}")]
    Run {
        /// At which load.
        factor: f64,
        /// Why.
        failure: Box<RunFailure>,
    },
    /// Nothing says how much load there is.
    #[error("nothing says how much the workload {workload} asks for: it does what its program says")]
    #[diagnostic(help(
        "name a key that makes the load, such as --over host.client.count; several keys are changed together"
    ))]
    NoKey {
        /// Which workload.
        workload: String,
    },
    /// A key that is no number.
    #[error("--over {path}: {why}")]
    #[diagnostic(help(
        "name a key of the scenario that is a number, with a unit or without: --over host.client.count"
    ))]
    Key {
        /// The key.
        path: String,
        /// What it is instead.
        why: String,
    },
    /// A limit that can't be read.
    #[error("--limit \"{text}\": {why}")]
    #[diagnostic(help("{help}"))]
    Limit {
        /// What was written.
        text: String,
        /// What is wrong with it.
        why: String,
        /// What to write.
        help: String,
    },
    /// A metric that grows with the load.
    #[error("more {metric} is better, so that no load is too much for it")]
    #[diagnostic(help("take a latency: --metric p99, mean-latency, fsync.p99-latency"))]
    NoLimit {
        /// The metric.
        metric: String,
    },
    /// A metric that the report lacks.
    #[error("the report has no {metric}")]
    #[diagnostic(help("take one that petrio run --csv shows, such as p99, mean-latency, fsync.p99-latency"))]
    NoFigure {
        /// The metric.
        metric: String,
    },
    /// A metric that there isn't.
    #[error("{0}")]
    #[diagnostic(transparent)]
    Metric(#[from] CompareError),
    /// It was stopped.
    #[error("stopped")]
    Stopped,
}
