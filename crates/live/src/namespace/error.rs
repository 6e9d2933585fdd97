//! Why a namespace can't be built.

use miette::Diagnostic;
use petrio_files::shown;
use petrio_units::Bytes;
use petrio_users::namespace::PlanError;
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// A namespace that can't be made, verified or removed.
#[derive(Debug, Diagnostic, Error)]
#[non_exhaustive]
pub enum NamespaceError {
    /// What the file system refused.
    #[error("{action} {}: {source}", shown::path(.path))]
    File {
        /// What was to be done.
        action: &'static str,
        /// To which file.
        path: PathBuf,
        /// The system's answer.
        source: io::Error,
        /// What to do about it, where there is something to do.
        #[help]
        advice: Option<&'static str>,
    },
    /// The specification.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// A directory with something else in it.
    #[error("{} isn't empty, and what is in it wasn't made by petrio", shown::path(.path))]
    #[diagnostic(help("name an empty directory, or say --force to put the files beside what is there"))]
    NotEmpty {
        /// The directory.
        path: PathBuf,
    },
    /// A directory with files of another specification, other users or another seed.
    #[error("{} holds files of another sort: {what}", shown::path(.path))]
    #[diagnostic(help("remove them first (petrio fs remove --dir DIR), or name another directory"))]
    Other {
        /// The directory.
        path: PathBuf,
        /// What is different.
        what: String,
    },
    /// A directory without files of a specification.
    #[error("{} holds no files that petrio has made", shown::path(.path))]
    #[diagnostic(help("name the directory that was given to petrio fs create"))]
    NoManifest {
        /// The directory.
        path: PathBuf,
    },
    /// A manifest that can't be read.
    #[error("{}: {why}", shown::path(.path))]
    #[diagnostic(help(
        "petrio removes nothing that it doesn't know; if all of it may go, remove the directory yourself, and make the \
         files anew"
    ))]
    Manifest {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// Not enough room.
    #[error("{} has {} free, and the files take {}", shown::path(.path), Bytes(*.free), Bytes(*.needed))]
    #[diagnostic(help("make fewer or smaller files (files.count), or name a directory with more room"))]
    NoRoom {
        /// The directory.
        path: PathBuf,
        /// Bytes that are free.
        free: u64,
        /// Bytes that are needed.
        needed: u64,
    },
    /// Not enough inodes.
    #[error("{} has {free} free inodes, and {needed} files and directories are to be made", shown::path(.path))]
    #[diagnostic(help("make fewer or smaller files (files.count), or name a directory with more room"))]
    NoInodes {
        /// The directory.
        path: PathBuf,
        /// Inodes that are free.
        free: u64,
        /// Inodes that are needed.
        needed: u64,
    },
    /// Something has the name of what is to be made, and petrio hasn't made it.
    #[error("{} is there already, and wasn't made by petrio{}", shown::path(.path), others(*.more))]
    #[diagnostic(help("nothing was changed there; move it away, or name another directory"))]
    Taken {
        /// The first.
        path: PathBuf,
        /// How many more there are.
        more: usize,
    },
    /// Another petrio at work in the directory.
    #[error("{who} is at work in {}", shown::path(.path))]
    #[diagnostic(help("wait until it has ended, or name another directory"))]
    AtWork {
        /// The directory.
        path: PathBuf,
        /// Who.
        who: String,
    },
    /// A manifest of another directory.
    #[error("the files of {} were made in another directory: its manifest was copied, or belongs elsewhere", shown::path(.path))]
    #[diagnostic(help(
        "name the directory that was given to petrio fs create; what is in this one, petrio doesn't touch"
    ))]
    Foreign {
        /// The directory.
        path: PathBuf,
    },
    /// A place that isn't where it was.
    #[error(
        "the files of place \"{name}\" weren't made in {}, but in {}",
        shown::path(.given),
        .before.as_deref().map_or_else(|| "the main directory".to_owned(), |before| shown::path(before).to_string())
    )]
    #[diagnostic(help("{}", where_it_was(name, before.as_deref())))]
    Place {
        /// Its name.
        name: String,
        /// Where it is said to be.
        given: PathBuf,
        /// What its directory was called.
        before: Option<PathBuf>,
    },
    /// A file system on which petrio wouldn't know its files again.
    #[error(
        "the file system of {} doesn't keep the sticky bit, by which petrio knows the files that it has made",
        shown::path(.path)
    )]
    #[diagnostic(help("name a directory on a file system with POSIX permissions"))]
    NoMark {
        /// The directory.
        path: PathBuf,
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

fn others(more: usize) -> String {
    if more == 0 { String::new() } else { format!(" (nor were {more} others whose names are needed)") }
}

fn where_it_was(name: &str, before: Option<&Path>) -> String {
    match before {
        Some(before) => {
            format!("say where it is, as when they were made: --dir {name}={}", shown::path(before))
        }
        None => format!("leave out --dir {name}=…"),
    }
}

impl NamespaceError {
    /// Names that are taken.
    pub(super) fn collision(taken: Vec<PathBuf>) -> Self {
        let more = taken.len().saturating_sub(1);
        Self::Taken { path: taken.into_iter().next().unwrap_or_default(), more }
    }

    pub(super) fn file(action: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| {
            let advice = (source.kind() == io::ErrorKind::PermissionDenied).then(|| {
                if action.starts_with("read") {
                    "name a directory that you may read"
                } else {
                    "name a directory in which you may write"
                }
            });
            Self::File { action, path, source, advice }
        }
    }

    /// Whether the system failed, and not what was asked for.
    pub fn is_of_the_system(&self) -> bool {
        matches!(self, Self::File { .. } | Self::Stopped)
    }
}
