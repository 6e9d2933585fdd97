//! A loop device over an image file, and the knobs of its queue.
//!
//! The image is unlinked as soon as the device has it, so nothing is left of it however the process ends. Settings that
//! would outlive the device (Linux keeps `/dev/loopN` with its queue) are put back.
//!
//! Sources: Linux `drivers/block/loop.c`, `Documentation/ABI/testing/sysfs-class-bdi`, `Documentation/ABI/stable/sysfs-block`.

use super::error::RigError;
use super::program::run;
use crate::capture::DeviceNumber;
use crate::undo::Undo;
use petrio_units::Bytes;
use std::fs::{self, File, OpenOptions};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// Numbers whatever this process makes in directories of the system.
static MADE: AtomicU64 = AtomicU64::new(0);

/// A name that no other rig of any running process uses.
pub(super) fn fresh_name(kind: &str) -> String {
    format!("petrio-{kind}-{}-{}", std::process::id(), MADE.fetch_add(1, Ordering::Relaxed))
}

/// A loop device; detached when this is dropped.
#[derive(Debug)]
pub struct LoopDevice {
    device: PathBuf,
    number: DeviceNumber,
    is_direct: bool,
    // In order of taking down: settings first.
    _settings: Vec<Undo>,
    _attached: Undo,
}

/// Makes an image of `size` in `directory`, or says that there is no room. `whole` reserves all of its blocks at once.
pub(super) fn make_image(directory: &Path, size: Bytes, whole: bool) -> Result<(PathBuf, File), RigError> {
    let room = rustix::fs::statvfs(directory)
        .map_err(|errno| RigError::system("look at the room in", directory)(errno.into()))?;
    let free = Bytes(room.f_bavail.saturating_mul(room.f_frsize));
    if free < size {
        return Err(RigError::NoRoom { directory: directory.to_owned(), needed: size, free });
    }
    let path = directory.join(fresh_name("image"));
    let make = || {
        let image = OpenOptions::new().read(true).write(true).create_new(true).open(&path)?;
        image.set_len(size.get())?;
        if whole {
            rustix::fs::fallocate(&image, rustix::fs::FallocateFlags::empty(), 0, size.get())?;
        }
        Ok(image)
    };
    make().map(|image| (path.clone(), image)).map_err(|source| {
        let _ = fs::remove_file(&path);
        RigError::system("make the image", &path)(source)
    })
}

impl LoopDevice {
    /// Attaches a file, with direct I/O where its file system can.
    ///
    /// # Errors
    /// No free loop device, or no right to it.
    pub(super) fn attach(file: &Path) -> Result<Self, RigError> {
        let answer = run(
            "losetup",
            &["--find".as_ref(), "--show".as_ref(), "--nooverlap".as_ref(), file.as_os_str()],
        )?;
        let device = PathBuf::from(answer.trim());
        let attached = {
            let device = device.clone();
            Undo::new(move || {
                // A device that is gone already (it goes with its last user) gives an error, which is right.
                let _ = run("losetup", &["--detach".as_ref(), device.as_os_str()]);
            })
        };
        let number = number_of(&device)?;
        // Refused over file systems without direct I/O; the device then works through the page cache, and says so.
        let _ = run("losetup", &["--direct-io=on".as_ref(), device.as_os_str()]);
        let mut made = Self { device, number, is_direct: false, _settings: Vec::new(), _attached: attached };
        made.is_direct = fs::read_to_string(made.sys("loop/dio")).is_ok_and(|text| text.trim() == "1");
        Ok(made)
    }

    /// The device's file in `/dev`.
    pub fn path(&self) -> &Path {
        &self.device
    }

    /// Its number.
    pub const fn number(&self) -> DeviceNumber {
        self.number
    }

    /// Whether it reads and writes its image past the page cache.
    pub const fn is_direct(&self) -> bool {
        self.is_direct
    }

    /// Whether the device says that it has a write cache, so that flushes reach it.
    pub fn has_write_cache(&self) -> bool {
        fs::read_to_string(self.sys("queue/write_cache")).is_ok_and(|text| text.trim() == "write back")
    }

    fn sys(&self, file: &str) -> PathBuf {
        let name = self.device.file_name().unwrap_or_default();
        Path::new("/sys/block").join(name).join(file)
    }

    fn backing(&self, file: &str) -> PathBuf {
        PathBuf::from(format!("/sys/class/bdi/{}:{}/{file}", self.number.major, self.number.minor))
    }

    /// Writes a setting and remembers how to put it back: with `restored` in `restored_file`.
    fn set(&mut self, file: &Path, value: &str, restored: (PathBuf, String)) -> Result<(), RigError> {
        fs::write(file, value).map_err(RigError::system("write", file))?;
        self._settings.push(Undo::new(move || {
            // The device may be in use by somebody else by now only if it was detached, and then it was reset.
            let _ = fs::write(restored.0, restored.1);
        }));
        Ok(())
    }

    /// Writes a setting of one value, and remembers the value before.
    fn set_one(&mut self, file: PathBuf, value: &str) -> Result<(), RigError> {
        let before = fs::read_to_string(&file).map_err(RigError::system("read", &file))?;
        // Schedulers are listed with the chosen one in brackets.
        let before = match before.split_once('[').and_then(|(_, rest)| rest.split_once(']')) {
            Some((chosen, _)) => chosen.to_owned(),
            None => before.trim().to_owned(),
        };
        self.set(&file.clone(), value, (file, before))
    }

    /// How far the kernel reads ahead at most.
    pub(super) fn set_read_ahead(&mut self, most: Bytes) -> Result<(), RigError> {
        self.set_one(self.sys("queue/read_ahead_kb"), &(most.get() / 1024).to_string())
    }

    /// Which I/O scheduler, by the kernel's name.
    pub(super) fn set_scheduler(&mut self, name: &str) -> Result<(), RigError> {
        self.set_one(self.sys("queue/scheduler"), name)
    }

    /// How many bytes of its pages may be dirty, strictly (`strict_limit` and `max_bytes`, Linux 6.2 and later).
    pub(super) fn set_dirty_limit(&mut self, limit: Bytes) -> Result<(), RigError> {
        self.set_one(self.backing("strict_limit"), "1")?;
        // What was set in bytes is given back as a share of everything, which is what no limit is.
        self.set(
            &self.backing("max_bytes"),
            &limit.get().to_string(),
            (self.backing("max_ratio"), "100".to_owned()),
        )
    }
}

fn number_of(device: &Path) -> Result<DeviceNumber, RigError> {
    let status =
        rustix::fs::stat(device).map_err(|errno| RigError::system("look at", device)(errno.into()))?;
    let (major, minor) = (rustix::fs::major(status.st_rdev), rustix::fs::minor(status.st_rdev));
    Ok(DeviceNumber { major, minor })
}
