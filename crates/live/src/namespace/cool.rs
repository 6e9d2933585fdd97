//! Takes files out of the page cache, so that runs begin alike.

use super::error::NamespaceError;
use super::manifest::Manifest;
use super::{Directories, paths};
use crate::drive::{DriveError, drop_pages};
use petrio_workload::users::FileKind;
use std::io;

/// Takes all files of a directory's manifest out of the page cache. What is dirty has to be made durable before.
///
/// # Errors
/// No manifest, and files that can't be opened.
pub fn cool_down(directories: &Directories) -> Result<(), NamespaceError> {
    let manifest = Manifest::of(directories)?;
    let namespace = manifest.namespace()?;
    let roots = directories.of(&namespace)?;
    for root in &roots {
        let open = std::fs::File::open(root).map_err(NamespaceError::file("open", *root))?;
        rustix::fs::syncfs(&open).map_err(|errno| NamespaceError::file("sync", *root)(errno.into()))?;
    }
    for (entry, path) in namespace.entries.iter().zip(paths(&namespace, &roots)) {
        if entry.kind == FileKind::File && entry.size > 0 {
            drop_pages(&path).map_err(|error| match error {
                DriveError::File { action, path, source } => NamespaceError::File { action, path, source },
                other => NamespaceError::file("drop from the page cache", path)(io::Error::other(other)),
            })?;
        }
    }
    Ok(())
}
