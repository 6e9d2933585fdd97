//! Why a file system can't be validated.

use super::experiment::EXPERIMENTS;
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
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum FsValidationError {
    /// No experiment of that name.
    #[error("there is no experiment \"{name}\"")]
    UnknownExperiment {
        /// What was asked for.
        name: String,
    },
    /// A machine, a kernel or an experiment's scenario that can't be read.
    #[error("{0}")]
    Scenario(Box<Problems>),
    /// A simulation that failed.
    #[error(transparent)]
    Simulation(#[from] RunFailure),
    /// Programs that can't be made.
    #[error(transparent)]
    Program(#[from] ProgramError),
    /// A run on the real file system that failed.
    #[error(transparent)]
    Drive(#[from] DriveError),
    /// A real file system that can't be set up.
    #[error(transparent)]
    Rig(#[from] RigError),
    /// A file that can't be written or found.
    #[error("{action} {}: {source}", .path.display())]
    File {
        /// What was to be done.
        action: &'static str,
        /// To which file.
        path: PathBuf,
        /// The system's answer.
        source: io::Error,
    },
}

impl FsValidationError {
    /// What to do about it, where there is something to do.
    pub fn help(&self) -> Option<String> {
        match self {
            Self::UnknownExperiment { name } => {
                let names = EXPERIMENTS.iter().map(|experiment| experiment.name);
                let list = || format!("there are: {}", names.clone().collect::<Vec<_>>().join(", "));
                Some(
                    nearest(name, names.clone())
                        .map_or_else(list, |near| format!("did you mean \"{near}\"?")),
                )
            }
            Self::Scenario(problems) => {
                let advice = problems.iter().find_map(petrio_scenario::Problem::advice);
                Some(advice.unwrap_or("give a machine profile that `petrio calibrate` wrote").to_owned())
            }
            Self::Simulation(failure) => failure.help(),
            Self::Program(error) => error.help(),
            Self::Drive(error) => error.help(),
            Self::Rig(error) => Some(error.help().to_owned()),
            Self::File { .. } => {
                Some("name a file or a directory that is there and that you may use".to_owned())
            }
        }
    }

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
