//! Why a namespace can't be built.

use petrio_units::Bytes;
use petrio_workload::namespace::PlanError;
use std::io;
use std::path::PathBuf;
use thiserror::Error;

/// A namespace that can't be made, verified or removed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum NamespaceError {
    /// What the file system refused.
    #[error("{action} {}: {source}", .path.display())]
    File {
        /// What was to be done.
        action: &'static str,
        /// To which file.
        path: PathBuf,
        /// The system's answer.
        source: io::Error,
    },
    /// The specification.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// A directory with something else in it.
    #[error("{} isn't empty, and what is in it wasn't made by petrio", .path.display())]
    NotEmpty {
        /// The directory.
        path: PathBuf,
    },
    /// A directory with files of another specification, other users or another seed.
    #[error("{} holds files of another sort: {what}", .path.display())]
    Other {
        /// The directory.
        path: PathBuf,
        /// What is different.
        what: String,
    },
    /// A directory without files of a specification.
    #[error("{} holds no files that petrio has made", .path.display())]
    NoManifest {
        /// The directory.
        path: PathBuf,
    },
    /// A manifest that can't be read.
    #[error("{}: {why}", .path.display())]
    Manifest {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// Not enough room.
    #[error("{} has {} free, and the files take {}", .path.display(), Bytes(*.free), Bytes(*.needed))]
    NoRoom {
        /// The directory.
        path: PathBuf,
        /// Bytes that are free.
        free: u64,
        /// Bytes that are needed.
        needed: u64,
    },
    /// Not enough inodes.
    #[error("{} has {free} free inodes, and {needed} files and directories are to be made", .path.display())]
    NoInodes {
        /// The directory.
        path: PathBuf,
        /// Inodes that are free.
        free: u64,
        /// Inodes that are needed.
        needed: u64,
    },
    /// A directory for a place that the specification doesn't have.
    #[error("the specification has no place \"{name}\"; it has {}", list(.places))]
    NoSuchPlace {
        /// The name.
        name: String,
        /// Those that there are.
        places: Vec<String>,
    },
    /// It was asked to stop.
    #[error("stopped; the same command goes on where this one was")]
    Stopped,
}

fn list(names: &[String]) -> String {
    if names.is_empty() { "none but the main one".to_owned() } else { names.join(", ") }
}

impl NamespaceError {
    pub(super) fn file(action: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::File { action, path, source }
    }

    /// What to do about it, where there is something to do.
    pub fn help(&self) -> Option<String> {
        Some(match self {
            Self::NotEmpty { .. } => {
                "name an empty directory, or say --force to put the files beside what is there".to_owned()
            }
            Self::Other { .. } => {
                "remove them first (petrio fs remove --dir DIR), or name another directory".to_owned()
            }
            Self::NoManifest { .. } => "name the directory that was given to petrio fs create".to_owned(),
            Self::NoRoom { .. } | Self::NoInodes { .. } => {
                "make fewer or smaller files (files.count), or name a directory with more room".to_owned()
            }
            Self::File { action, source, .. }
                if source.kind() == io::ErrorKind::PermissionDenied && action.starts_with("read") =>
            {
                "name a directory that you may read".to_owned()
            }
            Self::File { source, .. } if source.kind() == io::ErrorKind::PermissionDenied => {
                "name a directory in which you may write".to_owned()
            }
            _ => return None,
        })
    }

    /// Whether the system failed, and not what was asked for.
    pub fn is_of_the_system(&self) -> bool {
        matches!(self, Self::File { .. } | Self::Stopped)
    }
}
