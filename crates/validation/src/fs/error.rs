//! Why a file system can't be validated.

use super::experiment::EXPERIMENTS;
use miette::Diagnostic;
use petrio_live::drive::DriveError;
use petrio_live::rig::RigError;
use petrio_scenario::Problems;
use petrio_scenario::run::RunFailure;
use petrio_units::nearest;
use petrio_workload::program::ProgramError;
use std::io;
use std::path::PathBuf;
use thiserror::Error;

/// A validation that can't be made.
#[derive(Debug, Diagnostic, Error)]
#[non_exhaustive]
pub enum FsValidationError {
    /// No experiment of that name.
    #[error("there is no experiment \"{name}\"")]
    #[diagnostic(help("{}", known_experiments(name)))]
    UnknownExperiment {
        /// What was asked for.
        name: String,
    },
    /// A machine, a kernel or an experiment's scenario that can't be read.
    #[error("{0}")]
    #[diagnostic(help("{}", first_advice(.0)))]
    Scenario(Box<Problems>),
    /// A simulation that failed.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Simulation(#[from] RunFailure),
    /// Programs that can't be made.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Program(#[from] ProgramError),
    /// A run on the real file system that failed.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Drive(#[from] DriveError),
    /// A real file system that can't be set up.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Rig(#[from] RigError),
    /// A file that can't be written or found.
    #[error("{action} {}: {source}", .path.display())]
    #[diagnostic(help("name a file or a directory that is there and that you may use"))]
    File {
        /// What was to be done.
        action: &'static str,
        /// To which file.
        path: PathBuf,
        /// The system's answer.
        source: io::Error,
    },
}

fn known_experiments(name: &str) -> String {
    let names = EXPERIMENTS.iter().map(|experiment| experiment.name);
    match nearest(name, names.clone()) {
        Some(near) => format!("did you mean \"{near}\"?"),
        None => format!("there are: {}", names.collect::<Vec<_>>().join(", ")),
    }
}

fn first_advice(problems: &Problems) -> &str {
    let advice = problems.iter().find_map(petrio_scenario::Problem::advice);
    advice.unwrap_or("give a machine profile that `petrio calibrate` wrote")
}

impl FsValidationError {
    pub(super) fn file(action: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::File { action, path, source }
    }
}

impl From<Problems> for FsValidationError {
    fn from(problems: Problems) -> Self {
        Self::Scenario(Box::new(problems))
    }
}
