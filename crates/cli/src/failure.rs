//! How a command fails: what, where, why, what to do.

use miette::Diagnostic;
use petrio_scenario::Problems;
use petrio_scenario::report::ReportError;
use petrio_scenario::run::RunFailure;
use petrio_trace::TraceError;
use std::fmt;
use std::io;
use std::path::Path;

/// A command that failed.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The scenario is wrong.
    Scenario(Box<Problems>),
    /// Something else that was asked for can't be had.
    Plain {
        /// What is wrong.
        message: String,
        /// What to do.
        help: Option<String>,
    },
    /// A result could not be written.
    Output(String),
    /// A prediction lies outside of its bound.
    Missed {
        /// Which, and by how much.
        message: String,
        /// How to see more.
        help: String,
    },
    /// A prediction lies outside of its bound, as it is known to, and no other does.
    KnownToMiss {
        /// How many, and which worst.
        message: String,
        /// Where the reasons stand.
        help: String,
    },
    /// A program that was run has ended with this code.
    Code(u8),
    /// Somebody has interrupted it.
    Interrupted,
    /// Standard output was closed early, by `head` for instance; nobody wants to hear of that.
    Closed,
}

impl Failure {
    /// What went wrong, with its advice.
    pub(crate) fn of(error: &dyn Diagnostic) -> Self {
        Self::new(error, error.help().map(|help| help.to_string()))
    }

    /// The same of a file, which the error doesn't name.
    pub(crate) fn named(file: &Path, error: &dyn Diagnostic) -> Self {
        let help = error.help().map(|help| help.to_string());
        Self::new(format!("{}: {error}", file.display()), help)
    }

    /// The same where the system failed, and not what was asked for.
    pub(crate) fn output(error: &dyn Diagnostic) -> Self {
        let help = error.help().map(|help| format!("\n help: {help}")).unwrap_or_default();
        Self::Output(format!("{error}{help}"))
    }

    pub(crate) fn new(message: impl fmt::Display, help: Option<String>) -> Self {
        Self::Plain { message: message.to_string(), help }
    }
}

impl From<Problems> for Failure {
    fn from(problems: Problems) -> Self {
        Self::Scenario(Box::new(problems))
    }
}

impl From<RunFailure> for Failure {
    fn from(failure: RunFailure) -> Self {
        match failure {
            RunFailure::Report(error) => error.into(),
            other => Self::of(&other),
        }
    }
}

impl From<TraceError> for Failure {
    fn from(error: TraceError) -> Self {
        match &error {
            TraceError::Write { source, .. } if is_askers(source.downcast_ref()) => Self::new(&error, None),
            TraceError::Write { .. } => Self::Output(error.to_string()),
            other => Self::of(other),
        }
    }
}

impl From<ReportError> for Failure {
    fn from(error: ReportError) -> Self {
        match &error {
            ReportError::Write { cause, .. } if is_askers(Some(cause)) => Self::new(&error, None),
            _ => Self::Output(error.to_string()),
        }
    }
}

/// Whether a file can't be written because it was asked for wrongly: over an input, or to a disk itself.
fn is_askers(cause: Option<&io::Error>) -> bool {
    cause.is_some_and(|cause| cause.kind() == io::ErrorKind::InvalidInput)
}
