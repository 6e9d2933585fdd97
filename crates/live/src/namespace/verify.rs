//! Whether what should be there is there, and nothing else.

use super::error::NamespaceError;
use super::manifest::MANIFEST;
use super::site::Site;
use petrio_workload::namespace::FileKind;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// What was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verified {
    /// Files and directories that are as they should be.
    pub right: u64,
    /// What isn't there.
    pub missing: Vec<PathBuf>,
    /// What is there with another size, or as something else.
    pub wrong: Vec<PathBuf>,
    /// What is there and shouldn't be.
    pub extra: Vec<PathBuf>,
    /// Whether the creation was finished.
    pub complete: bool,
}

impl Verified {
    /// Whether all is as it should be.
    pub fn is_right(&self) -> bool {
        self.missing.is_empty() && self.wrong.is_empty() && self.extra.is_empty() && self.complete
    }
}

/// Compares a site with its manifest: every name, kind and size.
///
/// # Errors
/// What can't be looked at.
pub fn verify(site: &Site) -> Result<Verified, NamespaceError> {
    let Site { manifest, namespace, paths, .. } = site;
    let mut verified = Verified { complete: manifest.complete, ..Verified::default() };
    let mut known: BTreeSet<&Path> = BTreeSet::new();
    for (entry, path) in namespace.entries.iter().zip(paths) {
        known.insert(path);
        let is_right = match path.symlink_metadata() {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                verified.missing.push(path.clone());
                continue;
            }
            Err(error) => return Err(NamespaceError::file("look at", path)(error)),
            Ok(there) if entry.kind == FileKind::Directory => there.is_dir(),
            Ok(there) => there.is_file() && there.len() == entry.size,
        };
        match is_right {
            true => verified.right += 1,
            false => verified.wrong.push(path.clone()),
        }
    }
    let tops = namespace.entries.iter().zip(paths).filter(|(entry, _)| entry.parent.is_none());
    for (_, top) in tops {
        extra(top, &known, &mut verified.extra)?;
    }
    Ok(verified)
}

/// What lies below a directory and isn't known. What else lies beside the owners' directories is nobody's business.
fn extra(directory: &Path, known: &BTreeSet<&Path>, found: &mut Vec<PathBuf>) -> Result<(), NamespaceError> {
    let Ok(list) = fs::read_dir(directory) else { return Ok(()) };
    for entry in list {
        let entry = entry.map_err(NamespaceError::file("read the directory", directory))?;
        let path = entry.path();
        if !known.contains(path.as_path()) && entry.file_name() != MANIFEST {
            found.push(path);
        } else if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            extra(&path, known, found)?;
        }
    }
    Ok(())
}
