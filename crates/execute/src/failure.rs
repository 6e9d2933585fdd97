//! Why a program can't be executed.

use petrio_workload::program::ProgramError;
use std::io;
use std::path::PathBuf;
use thiserror::Error;

/// Why a program can't be executed, or not to its end.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ExecuteError {
    /// It couldn't be started.
    #[error(transparent)]
    Start(#[from] petrio_intercept::StartError),
    /// A directory that is to lie on the simulated storage.
    #[error("{} can't be read: {why}", directory.display())]
    Directory {
        /// Which.
        directory: PathBuf,
        /// What the kernel said.
        why: io::Error,
    },
    /// More files than are laid out.
    #[error("more than {most} files lie below the program's directory; start it in one with what it needs")]
    TooManyFiles {
        /// So many are.
        most: usize,
    },
    /// What the simulated storage can't have.
    #[error(transparent)]
    Program(Box<ProgramError>),
    /// The clocks of this kernel's programs can't be taken over.
    #[error("the program's clocks can't be taken over: {0}")]
    Clocks(io::Error),
    /// It starts processes and no time passes.
    #[error(
        "the program forks without end: it has started, or tried to start, {starts} processes and threads at one instant of its time, which \
         stands still where computing costs nothing; with --compute fixed:10us or measured it passes"
    )]
    ForksWithoutEnd {
        /// How many.
        starts: u64,
    },
    /// The kernel refused to go on holding calls.
    #[error("the program's calls can't be held any longer: {0}")]
    Held(io::Error),
}

impl ExecuteError {
    /// Whether this machine lacks what executing needs, or withholds it; else it is the program's doing.
    pub(crate) const fn is_of_machine(&self) -> bool {
        matches!(self, Self::Start(_) | Self::Clocks(_) | Self::Held(_))
    }
}
