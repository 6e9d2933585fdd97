//! File systems mounted on directories of their own: how such a mount is recorded while it is there, and taken down.

use rustix::mount::{UnmountFlags, unmount};
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::Duration;

/// What a file system mounted on a directory of its own is recorded as while it is there.
pub const MOUNT: &str = "mount";

/// Removes a directory that nothing is mounted on any more, with what was written into it after that by whoever was
/// still at work.
///
/// # Errors
/// Something is mounted there still, or what the system refuses.
pub fn remove_mount_point(directory: &Path) -> io::Result<()> {
    let mut outcome = Ok(());
    for _ in 0..100 {
        let above = directory.parent().map_or_else(|| fs::metadata("/"), fs::metadata);
        match fs::symlink_metadata(directory) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            // What is mounted there still isn't touched.
            Ok(there) if !above.is_ok_and(|above| above.dev() == there.dev()) => {
                return Err(io::ErrorKind::ResourceBusy.into());
            }
            _ => outcome = fs::remove_dir_all(directory),
        }
        if outcome.is_err() {
            std::thread::sleep(Duration::from_millis(2));
        }
    }
    outcome
}

fn is_gone(path: &Path) -> bool {
    path.symlink_metadata().is_err_and(|error| error.kind() == io::ErrorKind::NotFound)
}

/// Clears a mount that was left, with its directory; whether it was there.
///
/// # Errors
/// It is no directory, or can't be removed.
pub fn clear_mount(directory: &Path) -> io::Result<bool> {
    if is_gone(directory) {
        return Ok(false);
    }
    // A directory that nothing is mounted on answers with an error.
    while unmount(directory, UnmountFlags::DETACH | UnmountFlags::NOFOLLOW).is_ok() {}
    if !directory.symlink_metadata()?.is_dir() {
        return Err(io::Error::other("it is no directory any more"));
    }
    remove_mount_point(directory)?;
    Ok(true)
}
