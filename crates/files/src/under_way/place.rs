//! Where the records lie: a folder of the user's own, which nobody else can write to.

use rustix::fs::{Mode, OFlags};
use std::fs::DirBuilder;
use std::os::fd::OwnedFd;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

/// The environment variable that names another folder for the records.
pub const FOLDER_VARIABLE: &str = "PETRIO_STATE";

/// The folder for the records: `$PETRIO_STATE`, else petrio's folder for state (XDG Base Directory Specification 0.8),
/// else one for this user below /var/tmp.
pub(super) fn folder() -> PathBuf {
    let set = |name: &str| {
        let value = std::env::var_os(name).map(PathBuf::from);
        value.filter(|path| path.is_absolute())
    };
    if let Some(folder) = set(FOLDER_VARIABLE) {
        return folder;
    }
    let state = set("XDG_STATE_HOME").or_else(|| Some(set("HOME")?.join(".local/state")));
    // A home that isn't there isn't made.
    match state.filter(|_| set("HOME").is_none_or(|home| home.is_dir())) {
        Some(state) => state.join("petrio/under-way"),
        None => PathBuf::from(format!("/var/tmp/petrio-{}", rustix::process::getuid().as_raw())),
    }
}

/// Opens the folder, if it is this user's own and nobody else may write to it: what stands in a record is removed.
pub(super) fn open(folder: &Path, make: bool) -> Option<OwnedFd> {
    if make && !folder.is_dir() {
        let _ = DirBuilder::new().recursive(true).mode(0o700).create(folder);
    }
    let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::RDONLY;
    let opened = rustix::fs::open(folder, flags, Mode::empty()).ok()?;
    let there = rustix::fs::fstat(&opened).ok()?;
    let is_own = there.st_uid == rustix::process::geteuid().as_raw() && there.st_mode & 0o022 == 0;
    is_own.then_some(opened)
}

/// Which machine this is: devices and mounts of another one aren't here, though a home may be shared.
pub(super) fn machine() -> String {
    let name = rustix::system::uname().nodename().to_string_lossy().into_owned();
    let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    super::escape::escaped(Path::new(&format!("{name}:{}", boot.trim())))
}
