//! A directory of a user's on which something is mounted for a while: it is empty before, and stays.

use crate::rig::RigError;
use crate::rig::program::{is_installed, run};
use petrio_emulate::fuse::SOURCE;
use rustix::mount::{UnmountFlags, unmount};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What is mounted on a directory of a user's: it is unmounted, and the directory stays.
pub(crate) const MOUNTED_ON: &str = "mounted-on";

/// What mounts and unmounts FUSE for users.
pub(super) const FOR_USERS: &str = "fusermount3";

/// A directory by its whole name, if it is there and empty, and nothing is mounted on it.
pub(super) fn empty(directory: &Path) -> Result<PathBuf, RigError> {
    let whole = fs::canonicalize(directory).map_err(RigError::system("find the directory", directory))?;
    if let Some(source) = mounted_at(&whole) {
        let refused = format!("{source} is mounted on it already (by another petrio?)");
        return Err(RigError::system("mount on", &whole)(io::Error::other(refused)));
    }
    let mut entries = fs::read_dir(&whole).map_err(RigError::system("list", &whole))?;
    if entries.next().is_some() {
        let refused = io::Error::other("it isn't empty, and what is in it would be hidden");
        return Err(RigError::system("mount on", &whole)(refused));
    }
    Ok(whole)
}

/// Unmounts, by a program of its own: this process may be the one that the file system waits for. Somebody who looks around is waited for.
pub(super) fn unmount_by_program(directory: &Path) -> Result<(), RigError> {
    let mut outcome = Ok(());
    for _ in 0..20 {
        if mounted_at(directory).is_none() {
            return Ok(());
        }
        outcome = match rustix::process::geteuid().is_root() {
            true => run("umount", &[directory.as_os_str()]),
            false => run(FOR_USERS, &["-u".as_ref(), directory.as_os_str()]),
        }
        .map(drop);
        if outcome.is_ok() {
            return outcome;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    outcome
}

/// Unmounts what somebody uses still: it goes with him, and nobody finds it any more.
pub(super) fn detach(directory: &Path) -> io::Result<()> {
    match unmount(directory, UnmountFlags::DETACH | UnmountFlags::NOFOLLOW) {
        Err(rustix::io::Errno::PERM) if is_installed(FOR_USERS) => {
            let words = ["-u".as_ref(), "-z".as_ref(), directory.as_os_str()];
            run(FOR_USERS, &words).map(drop).map_err(|error| io::Error::other(error.to_string()))
        }
        other => Ok(other?),
    }
}

/// Whether something is mounted on a directory still.
pub(super) fn is_busy(directory: &Path) -> bool {
    mounted_at(directory).is_some()
}

/// The source of what is mounted on a directory, the last of several.
fn mounted_at(directory: &Path) -> Option<String> {
    let list = fs::read_to_string("/proc/self/mountinfo").ok()?;
    let place = directory.to_str()?;
    let found = list.lines().rev().find(|line| {
        let at = line.split(' ').nth(4).map(unescaped);
        at.as_deref() == Some(place)
    })?;
    let (_, rest) = found.split_once(" - ")?;
    rest.split(' ').nth(1).map(unescaped)
}

/// A word of the kernel's list: blanks and the like are octal numbers in it.
fn unescaped(word: &str) -> String {
    let mut text = word.to_owned();
    for (code, letter) in [("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")] {
        text = text.replace(code, letter);
    }
    text
}

/// Clears what was left mounted on a user's directory: a petrio's files, or a file system on one of them, and nothing else that may have
/// been mounted there since.
pub(crate) fn clear_mounted_on(directory: &Path) -> io::Result<bool> {
    let is_own = |source: &str| {
        let behind = source.strip_prefix("/dev/").map(|name| {
            fs::read_to_string(format!("/sys/block/{name}/loop/backing_file")).unwrap_or_default()
        });
        source == SOURCE || behind.is_some_and(|behind| behind.contains("/petrio-emulated-"))
    };
    match mounted_at(directory) {
        Some(source) if is_own(&source) => detach(directory).map(|()| true),
        _ => Ok(false),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn what_somebody_else_has_mounted_is_left_alone() {
        assert_eq!(mounted_at(Path::new("/proc")).as_deref(), Some("proc"));
        assert!(matches!(clear_mounted_on(Path::new("/proc")), Ok(false)));
        assert!(matches!(clear_mounted_on(Path::new("/nothing/here")), Ok(false)));
        assert_eq!(unescaped("/mnt/a\\040b"), "/mnt/a b");
    }

    #[test]
    fn only_an_empty_directory_is_mounted_on() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(empty(folder.path()).unwrap(), folder.path().canonicalize().unwrap());
        fs::write(folder.path().join("a"), "").unwrap();
        let why = |place: &Path| empty(place).unwrap_err().to_string();
        assert!(why(folder.path()).contains("it isn't empty"));
        assert!(why(Path::new("/proc")).contains("is mounted on it already"));
        assert!(why(&folder.path().join("b")).contains("find the directory"));
    }
}
