//! Removes what was made, and nothing else.

use super::error::NamespaceError;
use super::manifest::{MANIFEST, Manifest};
use super::site::Site;
use petrio_workload::namespace::FileKind;
use petrio_workload::users::is_made_by_users;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// What was removed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Removed {
    /// Files and directories.
    pub removed: u64,
    /// Directories that hold something else, and stay.
    pub kept: Vec<PathBuf>,
}

/// Removes the files of a site, and files that users have made there; directories in which something else lies stay.
///
/// # Errors
/// What the file system refuses.
pub fn remove(site: &Site) -> Result<Removed, NamespaceError> {
    // From now on it isn't whole, whatever happens.
    Manifest { complete: false, ..site.manifest.clone() }.write(site.main())?;
    let mut removed = Removed { removed: remove_made(site), kept: Vec::new() };
    for (entry, path) in site.namespace.entries.iter().zip(&site.paths).rev() {
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
    }
    for (_, link) in site.links().filter(|(_, link)| link.is_symlink()) {
        fs::remove_file(&link).map_err(NamespaceError::file("remove", link))?;
    }
    if removed.kept.is_empty() {
        let manifest = site.main().join(MANIFEST);
        fs::remove_file(&manifest).map_err(NamespaceError::file("remove", manifest))?;
    }
    Ok(removed)
}

/// Removes what users have made and left; how much it was.
pub fn remove_made(site: &Site) -> u64 {
    remove_made_in(&site.homes())
}

/// Clears what users of a run that was killed have made in a home.
pub(crate) fn clear_made(home: &Path) -> io::Result<bool> {
    let is_own = home.symlink_metadata().is_ok_and(|there| there.is_dir());
    Ok(is_own && remove_made_in(&[home.to_owned()]) > 0)
}

/// As [`remove_made`], in the users' own directories.
pub fn remove_made_in(homes: &[PathBuf]) -> u64 {
    let mut removed = 0;
    for home in homes {
        for entry in fs::read_dir(home).into_iter().flatten().flatten() {
            let is_made = entry.file_name().to_str().is_some_and(is_made_by_users);
            if is_made && fs::remove_file(entry.path()).is_ok() {
                removed += 1;
            }
        }
    }
    removed
}
