//! Why a machine can't be measured.

use crate::rig::RigError;
use miette::Diagnostic;
use std::io;
use std::path::PathBuf;
use thiserror::Error;

/// A machine, or a device, that can't be measured.
#[derive(Debug, Diagnostic, Error)]
#[non_exhaustive]
pub enum CalibrateError {
    /// A file or directory that the system refused.
    #[error("{action} {}: {source}", .path.display())]
    System {
        /// What was to be done.
        action: &'static str,
        /// To what.
        path: PathBuf,
        /// The system's answer.
        source: io::Error,
        /// What to do about it, where there is something to do.
        #[help]
        advice: Option<&'static str>,
    },
    /// No room for the files to be timed.
    #[error("{} has {free} MiB free, and {needed} MiB of files are to be timed there", .directory.display())]
    #[diagnostic(help("make room, choose another directory with --dir, or measure with --quick"))]
    NoRoom {
        /// Where.
        directory: PathBuf,
        /// MiB needed.
        needed: u64,
        /// MiB free.
        free: u64,
    },
    /// A directory without a device under it.
    #[error("{} is in memory ({kind}): it has no page cache before a device", .directory.display())]
    #[diagnostic(help("choose a directory on a disk with --dir"))]
    InMemory {
        /// Where.
        directory: PathBuf,
        /// The file system's name.
        kind: String,
    },
    /// Something that is no device, or an empty one.
    #[error("{} can't be measured: {why}", .path.display())]
    #[diagnostic(help("name a block device or a large file, such as /dev/sda"))]
    Device {
        /// The device.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// A file system of its own that can't be set up.
    #[error(transparent)]
    #[diagnostic(help("measure in a directory instead, with --dir"))]
    Rig(#[from] RigError),
    /// A thread that broke off.
    #[error("a measuring thread broke off: {0}")]
    Thread(String),
}

impl CalibrateError {
    pub(super) fn system(action: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| {
            let advice = match source.kind() {
                io::ErrorKind::PermissionDenied => {
                    Some("choose a directory that may be written to, or a device that may be read")
                }
                io::ErrorKind::NotFound => Some("check the path, or make the directory first"),
                io::ErrorKind::StorageFull => Some("make room, or choose another directory with --dir"),
                io::ErrorKind::InvalidInput => Some("direct I/O isn't possible there; choose another device"),
                _ => None,
            };
            Self::System { action, path, source, advice }
        }
    }
}
