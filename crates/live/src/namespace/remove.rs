//! Removes what was made, and nothing else.

use super::error::NamespaceError;
use super::manifest::{MANIFEST, Manifest};
use super::{Directories, paths};
use petrio_workload::namespace::Namespace;
use petrio_workload::users::{FileKind, is_made_by_users};
use std::fs;
use std::io;
use std::path::PathBuf;

/// What was removed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Removed {
    /// Files and directories.
    pub removed: u64,
    /// Directories that hold something else, and stay.
    pub kept: Vec<PathBuf>,
}

/// Removes the files of a directory's manifest, and files that users have made there; directories in which something else lies stay.
///
/// # Errors
/// No manifest, and what the file system refuses.
pub fn remove(directories: &Directories) -> Result<Removed, NamespaceError> {
    let manifest = Manifest::of(directories)?;
    let namespace = manifest.namespace()?;
    let roots = directories.of(&namespace)?;
    let paths = paths(&namespace, &roots);
    // From now on it isn't whole, whatever happens.
    Manifest { complete: false, ..manifest }.write(&directories.main)?;
    let mut removed = Removed { removed: remove_made_in(&namespace, &paths), kept: Vec::new() };
    for (entry, path) in namespace.entries.iter().zip(&paths).rev() {
        let outcome = match entry.kind {
            FileKind::Directory => fs::remove_dir(path),
            FileKind::File => fs::remove_file(path),
        };
        match outcome {
            Ok(()) => removed.removed += 1,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty => removed.kept.push(path.clone()),
            Err(error) => return Err(NamespaceError::file("remove", path)(error)),
        }
        if entry.parent.is_none() && entry.place > 0 {
            let link = directories.main.join(&entry.name);
            if link.is_symlink() {
                fs::remove_file(&link).map_err(NamespaceError::file("remove", link))?;
            }
        }
    }
    if removed.kept.is_empty() {
        let manifest = directories.main.join(MANIFEST);
        fs::remove_file(&manifest).map_err(NamespaceError::file("remove", manifest))?;
    }
    Ok(removed)
}

/// Removes what users have made and left; how much it was.
///
/// # Errors
/// No manifest.
pub fn remove_made(directories: &Directories) -> Result<u64, NamespaceError> {
    let namespace = Manifest::of(directories)?.namespace()?;
    let roots = directories.of(&namespace)?;
    Ok(remove_made_in(&namespace, &paths(&namespace, &roots)))
}

fn remove_made_in(namespace: &Namespace, paths: &[PathBuf]) -> u64 {
    let mut removed = 0;
    for home in &namespace.homes {
        for entry in fs::read_dir(&paths[*home as usize]).into_iter().flatten().flatten() {
            let is_made = entry.file_name().to_str().is_some_and(is_made_by_users);
            if is_made && fs::remove_file(entry.path()).is_ok() {
                removed += 1;
            }
        }
    }
    removed
}
