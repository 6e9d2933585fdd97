//! Where tracefs is, reached for as long as it is needed where nobody has mounted it; trace instances made and removed.
//!
//! Source: Linux `Documentation/trace/ftrace.rst` (instances), fsopen(2).

use super::error::CaptureError;
use crate::mounted::MOUNT;
use crate::undo::Undo;
use petrio_files::under_way::random_name;
use rustix::mount::{
    FsMountFlags, FsOpenFlags, MountAttrFlags, MountFlags, UnmountFlags, fsconfig_create, fsmount, fsopen,
    mount, unmount,
};
use std::fs;
use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::path::{Path, PathBuf};

/// What a trace instance is recorded as, by where it would be if tracefs were mounted where it usually is.
pub(crate) const TRACE_INSTANCE: &str = "trace-instance";

/// Where tracefs is found where it is mounted.
const USUAL_PLACES: [&str; 2] = ["/sys/kernel/tracing", "/sys/kernel/debug/tracing"];

/// The directory where tracefs is mounted, if it is.
pub fn trace_directory() -> Option<PathBuf> {
    USUAL_PLACES.iter().map(PathBuf::from).find(|place| place.join("instances").is_dir())
}

/// What keeps tracefs within reach where it isn't mounted.
#[derive(Debug)]
pub(crate) enum Reach {
    /// A mount that has no place in the tree: it goes with this process, however that ends.
    Detached { _mount: OwnedFd },
    /// A mount on a directory of its own, on a kernel before 5.2.
    Mounted { _undo: Undo },
}

/// Where tracefs is mounted; reaches it, for as long as the guard lives, where it isn't.
pub(crate) fn reach_tracing() -> Result<(PathBuf, Option<Reach>), CaptureError> {
    if let Some(directory) = trace_directory() {
        return Ok((directory, None));
    }
    if let Ok(mount) = mount_nowhere() {
        let directory = PathBuf::from(format!("/proc/self/fd/{}", mount.as_raw_fd()));
        return Ok((directory, Some(Reach::Detached { _mount: mount })));
    }
    mount_privately().map(|(directory, undo)| (directory, Some(Reach::Mounted { _undo: undo }))).map_err(
        |source| CaptureError::NoTracing {
            reason: format!("tracefs isn't mounted, and mounting it failed: {source}"),
        },
    )
}

fn mount_nowhere() -> rustix::io::Result<OwnedFd> {
    let context = fsopen("tracefs", FsOpenFlags::FSOPEN_CLOEXEC)?;
    fsconfig_create(context.as_fd())?;
    fsmount(context.as_fd(), FsMountFlags::FSMOUNT_CLOEXEC, MountAttrFlags::empty())
}

/// Mounts tracefs where nobody else looks.
fn mount_privately() -> io::Result<(PathBuf, Undo)> {
    let place = std::env::temp_dir().join(format!("petrio-tracing-{}", random_name()));
    let make = || {
        fs::create_dir(&place)?;
        Ok(mount("tracefs", &place, "tracefs", MountFlags::empty(), None::<&std::ffi::CStr>)?)
    };
    let undo = |place: &Path| {
        // Detached, so that a file still open in it doesn't keep the name.
        let _ = unmount(place, UnmountFlags::DETACH);
        fs::remove_dir(place).is_ok()
    };
    let made: io::Result<((), Undo)> = Undo::recorded(MOUNT, &place, make, undo);
    made.map(|((), undo)| (place, undo))
}

/// Makes a trace instance; its folder, for as long as the guard lives, or which folder can't be made and why.
pub(crate) fn make_instance(tracing: &Path, name: &str) -> Result<(PathBuf, Undo), (PathBuf, io::Error)> {
    let path = tracing.join("instances").join(name);
    let make = || fs::create_dir(&path).map_err(|source| (path.clone(), source));
    let undo = {
        let path = path.clone();
        move |_: &Path| remove_instance(&path).is_ok()
    };
    // Where it is reached by this process is nothing to any other.
    let usual = Path::new(USUAL_PLACES[0]).join("instances").join(name);
    let ((), undo) = Undo::recorded(TRACE_INSTANCE, &usual, make, undo)?;
    Ok((path, undo))
}

/// Removes an instance; whether it was there. One that is busy stays with its events off.
fn remove_instance(path: &Path) -> io::Result<bool> {
    if !path.is_dir() {
        return Ok(false);
    }
    let _ = fs::write(path.join("tracing_on"), "0");
    let _ = fs::write(path.join("events/enable"), "0");
    for _ in 0..50 {
        match fs::remove_dir(path) {
            // A process that is ending has its buffers open for a moment.
            Err(error) if error.kind() == io::ErrorKind::ResourceBusy => {
                std::thread::sleep(std::time::Duration::from_millis(10));
            }
            outcome => return outcome.map(|()| true),
        }
    }
    Err(io::ErrorKind::ResourceBusy.into())
}

/// Clears a trace instance that was left; whether it was there.
///
/// # Errors
/// Tracing can't be reached, or the instance is in use.
pub(crate) fn clear_instance(usual: &Path) -> io::Result<bool> {
    let (tracing, _reach) = reach_tracing().map_err(io::Error::other)?;
    let name = usual.file_name().ok_or(io::ErrorKind::InvalidInput)?;
    remove_instance(&tracing.join("instances").join(name))
}
