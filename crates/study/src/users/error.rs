//! Why users can't be put to work.

use crate::WithoutLive;
use miette::Diagnostic;
#[cfg(feature = "live")]
use petrio_live::{drive::DriveError, namespace::NamespaceError};
use petrio_scenario::Problems;
use petrio_scenario::report::ReportError;
use petrio_scenario::run::RunFailure;
use petrio_trace::TraceError;
use petrio_users::learn::LearnError;
use petrio_workload::program::ProgramError;
use std::path::PathBuf;
use thiserror::Error;

/// Users that can't be put to work.
#[derive(Debug, Diagnostic, Error)]
#[non_exhaustive]
pub enum UsersError {
    /// Their files.
    #[cfg(feature = "live")]
    #[error(transparent)]
    #[diagnostic(transparent)]
    Files(#[from] NamespaceError),
    /// Their programs.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Program(#[from] ProgramError),
    /// A call that the file system refused.
    #[cfg(feature = "live")]
    #[error(transparent)]
    #[diagnostic(transparent)]
    Drive(#[from] DriveError),
    /// A real directory, of which this petrio knows nothing.
    #[error(transparent)]
    #[diagnostic(transparent)]
    WithoutLive(#[from] WithoutLive),
    /// The scenario, or the specification.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Scenario(#[from] Problems),
    /// Its run.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Run(#[from] RunFailure),
    /// What listens to it.
    #[error(transparent)]
    Report(#[from] ReportError),
    /// A scenario without users, or with several crowds.
    #[error("the scenario doesn't have one workload of kind \"users\"")]
    #[diagnostic(help("examples/users/on-ext4.toml has one"))]
    NotOneWorkload,
    /// A scenario in which users can't take the place of its workload.
    #[error("the scenario doesn't have one workload that works on files, whose place the users could take")]
    #[diagnostic(help("name a scenario with one workload on files, or a directory"))]
    NotOneFileWorkload,
    /// A trace of which nothing can be learned.
    #[error("{}: {error}", .path.display())]
    #[diagnostic(help("a trace of calls on files is needed: petrio trace capture --full makes one"))]
    Learn {
        /// The trace.
        path: PathBuf,
        /// Why not.
        error: LearnError,
    },
    /// What a worker process can't be told.
    #[error("worker processes can't be told what to do: {0}")]
    Job(String),
    /// Their trace.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Trace(#[from] TraceError),
}

impl UsersError {
    /// Whether the system failed, and not what was asked for.
    pub fn is_of_the_system(&self) -> bool {
        match self {
            #[cfg(feature = "live")]
            Self::Files(error) => error.is_of_the_system(),
            #[cfg(feature = "live")]
            Self::Drive(_) => true,
            _ => false,
        }
    }
}
