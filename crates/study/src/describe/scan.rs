//! Looks at a tree of files: names, sizes, depths. Nothing is opened but directories.

use miette::Diagnostic;
use petrio_files::own::is_own;
use petrio_files::shown;
use petrio_users::namespace::Census;
use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// A tree that was looked at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Scanned {
    /// What is in it.
    pub(super) census: Census,
    /// The directories right below its top.
    pub(super) tops: u32,
    /// Symbolic links, sockets and the like, which are left out.
    pub(super) others: u64,
    /// Directories that can't be read.
    pub(super) unreadable: Vec<PathBuf>,
}

/// A directory that can't be read.
#[derive(Debug, Diagnostic, Error)]
#[error("read the directory {}: {source}", shown::path(.path))]
pub struct ScanError {
    path: PathBuf,
    source: io::Error,
    /// What to do about it, where there is something to do.
    #[help]
    advice: Option<&'static str>,
}

impl ScanError {
    fn new(path: PathBuf, source: io::Error) -> Self {
        let is_forbidden = source.kind() == io::ErrorKind::PermissionDenied;
        Self { path, source, advice: is_forbidden.then_some("name a directory that you may read") }
    }
}

/// Looks at everything below a directory; links aren't followed. Where each directory right below is a user's own
/// (`each_user`), paths begin in these, and files beside them are left out. `progress` is told now and then how many
/// files there are so far.
///
/// # Errors
/// The directory itself can't be read.
pub(super) fn scan(
    directory: &Path,
    each_user: bool,
    mut progress: impl FnMut(u64),
) -> Result<Scanned, ScanError> {
    let mut scanned = Scanned::default();
    let mut waiting = vec![(directory.to_owned(), String::new(), 0_u32)];
    while let Some((path, below, depth)) = waiting.pop() {
        let list = match fs::read_dir(&path) {
            Ok(list) => list,
            Err(error) if depth == 0 => {
                return Err(ScanError::new(path, error));
            }
            // It may have gone meanwhile.
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(_) => {
                scanned.unreadable.push(path);
                continue;
            }
        };
        let top_of_users = each_user && depth == 0;
        for entry in list.flatten() {
            let Ok(metadata) = entry.metadata() else { continue };
            let name = entry.file_name().to_string_lossy().into_owned();
            // Names of users tell their trees apart, and are no part of their depth.
            let inside = match (below.as_str(), each_user && depth == 1) {
                ("", _) => name,
                (user, true) => format!("{user}:{name}"),
                (below, false) => format!("{below}/{name}"),
            };
            if is_own(&entry.file_name()) {
                continue;
            }
            if metadata.is_dir() {
                scanned.tops += u32::from(depth == 0);
                if !top_of_users {
                    scanned.census.directory(&inside);
                }
                waiting.push((entry.path(), inside, depth + 1));
            } else if metadata.is_file() && !top_of_users {
                let is_written = metadata.permissions().mode() & 0o222 != 0;
                scanned.census.file(&inside, metadata.len(), is_written);
                if scanned.census.files.len().is_multiple_of(1_024) {
                    progress(scanned.census.files.len() as u64);
                }
            } else {
                scanned.others += 1;
            }
        }
    }
    Ok(scanned)
}
