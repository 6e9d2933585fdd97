//! Takes files out of the page cache, so that runs begin alike.

use super::error::NamespaceError;
use super::site::Site;
use crate::drive::{DriveError, drop_pages};
use petrio_workload::namespace::FileKind;
use std::io;

/// Takes all files of a site out of the page cache; what is dirty is made durable before.
///
/// # Errors
/// Files that can't be opened.
pub fn cool_down(site: &Site) -> Result<(), NamespaceError> {
    site.sync()?;
    for (entry, path) in site.namespace.entries.iter().zip(&site.paths) {
        if entry.kind == FileKind::File && entry.size > 0 {
            drop_pages(path).map_err(|error| match error {
                DriveError::File { action, path, source } => NamespaceError::File { action, path, source },
                other => NamespaceError::file("drop from the page cache", path)(io::Error::other(other)),
            })?;
        }
    }
    Ok(())
}
