//! Makes the files.

use super::error::NamespaceError;
use super::manifest::{MANIFEST, Manifest};
use super::room;
use super::site::Site;
use crate::content;
use petrio_workload::namespace::Entry;
use petrio_workload::namespace::FileKind;
use std::fs;
use std::io;
use std::path::Path;

/// What was done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Created {
    /// Files and directories that were made.
    pub made: u64,
    /// Those that were there already, from a creation that was stopped.
    pub found: u64,
    /// Bytes written.
    pub bytes: u64,
}

/// Makes the files of a site. Goes on with what a creation of the same files has left; `beside` puts them beside other things that are
/// there, which aren't touched. `progress` is told now and then how many are there, and says whether to go on.
///
/// # Errors
/// A directory that isn't empty or can't be written, too little room, and whatever the file system refuses.
pub fn create(
    site: &Site,
    beside: bool,
    mut progress: impl FnMut(u64) -> bool,
) -> Result<Created, NamespaceError> {
    let resumes = site.is_begun;
    for root in &site.roots {
        fs::create_dir_all(root).map_err(NamespaceError::file("make the directory", root))?;
        if !resumes && !beside && !is_empty(root)? {
            return Err(NamespaceError::NotEmpty { path: root.clone() });
        }
    }
    if !resumes {
        room::check(&site.namespace, &site.roots)?;
        Manifest { complete: false, ..site.manifest.clone() }.write(site.main())?;
    }
    let mut created = Created::default();
    for (number, (entry, path)) in (0_u64..).zip(site.namespace.entries.iter().zip(&site.paths)) {
        make(entry, path, resumes, &mut created)?;
        if number % 256 == 0 && !progress(number) {
            return Err(NamespaceError::Stopped);
        }
    }
    for (position, from) in site.links() {
        link(&site.paths[position], &from)?;
    }
    if created.made > 0 || !site.manifest.complete {
        site.sync()?;
        Manifest { complete: true, ..site.manifest.clone() }.write(site.main())?;
    }
    progress(site.namespace.entries.len() as u64);
    Ok(created)
}

fn is_empty(directory: &Path) -> Result<bool, NamespaceError> {
    let read = || -> io::Result<bool> {
        for entry in fs::read_dir(directory)? {
            // What mke2fs leaves in every file system is nobody's.
            if !matches!(entry?.file_name().to_str(), Some("lost+found" | MANIFEST)) {
                return Ok(false);
            }
        }
        Ok(true)
    };
    read().map_err(NamespaceError::file("read the directory", directory))
}

fn make(entry: &Entry, path: &Path, resumes: bool, created: &mut Created) -> Result<(), NamespaceError> {
    if entry.kind == FileKind::Directory {
        match fs::create_dir(path) {
            Ok(()) => created.made += 1,
            Err(error) if resumes && error.kind() == io::ErrorKind::AlreadyExists && path.is_dir() => {
                created.found += 1;
            }
            Err(error) => return Err(NamespaceError::file("make the directory", path)(error)),
        }
        return Ok(());
    }
    if resumes
        && let Ok(there) = path.symlink_metadata()
        && there.is_file()
    {
        if there.len() == entry.size {
            created.found += 1;
            return Ok(());
        }
        // Stopped in the middle of it.
        fs::remove_file(path).map_err(NamespaceError::file("remove", path))?;
    }
    let write = || content::write_new(path, entry.size);
    write().map_err(NamespaceError::file("write", path))?;
    created.made += 1;
    created.bytes += entry.size;
    Ok(())
}

/// A symbolic link in the main directory to what lies elsewhere.
fn link(to: &Path, from: &Path) -> Result<(), NamespaceError> {
    let target = to.canonicalize().map_err(NamespaceError::file("look at", to))?;
    match std::os::unix::fs::symlink(&target, from) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => match fs::read_link(from) {
            Ok(there) if there == target => Ok(()),
            _ => Err(NamespaceError::file("link", from)(error)),
        },
        outcome => outcome.map_err(NamespaceError::file("link", from)),
    }
}
