//! Why a synthetic workload can't be generated.

use miette::Diagnostic;
use thiserror::Error;

/// A synthetic workload that can't be generated.
#[derive(Clone, Debug, PartialEq, Eq, Diagnostic, Error)]
#[non_exhaustive]
pub enum SyntheticError {
    /// Generators that can never think.
    #[error("the generators have no processor to think on; give them one or more, or leave processors out")]
    NoProcessor,
    /// A factor that is none.
    #[error("time_scale is {0}; a number greater than zero was expected")]
    TimeScale(String),
    /// A parameter that no generator can have.
    #[error("generator {generator}, {parameter}: {problem}")]
    Parameter {
        /// Which generator, from 1.
        generator: usize,
        /// The parameter's name.
        parameter: &'static str,
        /// What is wrong, in words.
        problem: String,
    },
    /// No generator at all.
    #[error("the synthetic workload has no generator")]
    #[diagnostic(help("add at least one entry to `generators`"))]
    NoGenerator,
    /// As many random streams as generators are needed.
    #[error("{generators} generators need as many streams of random numbers, not {streams}")]
    Streams {
        /// Generators.
        generators: usize,
        /// Streams.
        streams: usize,
    },
    /// A distribution that almost never gives an acceptable number.
    #[error("generator {generator}, {parameter}: not one of {draws} draws could be used")]
    #[diagnostic(help(
        "times must not be negative, and requests must fit on the device: change the distribution"
    ))]
    Redraws {
        /// Which generator, from 1.
        generator: usize,
        /// The parameter's name.
        parameter: &'static str,
        /// How many draws were made.
        draws: u32,
    },
    /// A generator whose next request would come after the end of model time.
    #[error(
        "generator {generator}, inter_arrival: after {issued} requests, the next would be issued after more than 213 days, which is as far \
         as the clock reaches"
    )]
    #[diagnostic(help(
        "shorten the times between requests, or end the workload before: `duration`, or [measure] stop = {{ time = … }}"
    ))]
    BeyondHorizon {
        /// Which generator, from 1.
        generator: usize,
        /// Requests that the workload has issued before.
        issued: u64,
    },
}
