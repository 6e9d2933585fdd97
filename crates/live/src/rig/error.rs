//! Why a file system can't be set up.

use miette::Diagnostic;
use petrio_units::Bytes;
use std::io;
use std::path::PathBuf;
use thiserror::Error;

/// A file system that can't be set up, or can't be worked with.
#[derive(Debug, Diagnostic, Error)]
#[non_exhaustive]
pub enum RigError {
    /// This machine or this user can't do it.
    #[error("{what} isn't possible here: {why}")]
    #[diagnostic(help("run as root, or measure in a directory of a file system that is there"))]
    NotPossible {
        /// What is needed.
        what: &'static str,
        /// What is in the way.
        why: String,
    },
    /// A parameter that a real file system can't be given.
    #[error("{parameter}: {why}")]
    #[diagnostic(help("leave it out, or simulate only"))]
    Parameter {
        /// The parameter.
        parameter: &'static str,
        /// Why not.
        why: String,
    },
    /// No room for the image.
    #[error("the image needs {needed}, but {} has {free} free", .directory.display())]
    #[diagnostic(help("take a smaller file system, or another directory for its image"))]
    NoRoom {
        /// Where the image would lie.
        directory: PathBuf,
        /// Bytes that it may grow to.
        needed: Bytes,
        /// Bytes that there are.
        free: Bytes,
    },
    /// A program that can't be started.
    #[error("{program} can't be started: {source}")]
    #[diagnostic(help("install e2fsprogs and util-linux"))]
    Start {
        /// The program.
        program: &'static str,
        /// The system's answer.
        source: io::Error,
    },
    /// A program that failed.
    #[error("{program} {arguments}: {message}")]
    #[diagnostic(help("run it by hand to see more"))]
    Program {
        /// The program.
        program: &'static str,
        /// What it was given.
        arguments: String,
        /// What it said.
        message: String,
    },
    /// A program whose answer isn't as expected.
    #[error("{program} answered {answer:?}; {expected} was expected")]
    #[diagnostic(help("run it by hand to see more"))]
    Answer {
        /// The program.
        program: &'static str,
        /// What it said.
        answer: String,
        /// What should be in it.
        expected: &'static str,
    },
    /// The system refused something.
    #[error("{action} {}: {source}", .path.display())]
    #[diagnostic(help("check the rights and that nothing else uses it"))]
    System {
        /// What was to be done.
        action: &'static str,
        /// To which file, directory or device.
        path: PathBuf,
        /// The system's answer.
        source: io::Error,
    },
}

impl RigError {
    /// For `map_err` of an input or output error.
    pub(crate) fn system(action: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::System { action, path, source }
    }
}
