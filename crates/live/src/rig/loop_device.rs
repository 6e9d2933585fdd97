//! A loop device over an image file, and the knobs of its queue.
//!
//! The image is unlinked as soon as the device has it, and the device goes with its last user (the flag AUTOCLEAR,
//! which the kernel sets when a device in use is detached). Settings that would outlive the device (Linux keeps
//! `/dev/loopN` with its queue) are put back. What a process that is killed in between leaves is cleared by the next
//! start.
//!
//! Sources: Linux `drivers/block/loop.c`, `Documentation/ABI/testing/sysfs-class-bdi`,
//! `Documentation/ABI/stable/sysfs-block`.

use super::error::RigError;
use super::program::{run, run_to_death};
use petrio_capture::journal_trace::DeviceNumber;
use petrio_capture::undo::Undo;
use petrio_files::under_way::random_name;
use petrio_units::Bytes;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// The file behind a loop device, while it has a name.
pub(crate) const IMAGE: &str = "image";
/// A loop device, by the path of the file behind it.
pub(crate) const LOOP_DEVICE: &str = "loop-device";
/// A setting of a device: its file, then the name of the file behind the device, then the value to be put back.
pub(crate) const SETTING: &str = "setting";

/// A name that no other rig of any process uses, nor has used.
pub(crate) fn fresh_name(kind: &str) -> String {
    format!("petrio-{kind}-{}", random_name())
}

/// A loop device; detached when this is dropped.
#[derive(Debug)]
pub struct LoopDevice {
    device: PathBuf,
    number: DeviceNumber,
    is_direct: bool,
    /// The name of the file behind it.
    name: String,
    /// Open while the device is to stay though nothing is mounted: closed before it is detached.
    held: Held,
    // In order of taking down: settings first.
    _settings: Vec<Undo>,
    _attached: Undo,
}

type Held = Arc<Mutex<Option<File>>>;

/// Makes an image of `size` in `directory`, or says that there is no room. `whole` reserves all of its blocks at once.
pub(super) fn make_image(
    directory: &Path,
    size: Bytes,
    whole: bool,
) -> Result<(PathBuf, File, Undo), RigError> {
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
    let undo = |path: &Path| fs::remove_file(path).is_ok() || !path.exists();
    let (image, undo) =
        Undo::recorded(IMAGE, &path, make, undo).map_err(RigError::system("make the image", &path))?;
    Ok((path, image, undo))
}

/// Clears an image that was left.
pub(crate) fn clear_image(path: &Path) -> io::Result<bool> {
    match fs::remove_file(path) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

impl LoopDevice {
    /// Attaches a file, with direct I/O where its file system can.
    ///
    /// # Errors
    /// No free loop device, or no right to it.
    pub(crate) fn attach(file: &Path) -> Result<Self, RigError> {
        let held = Held::default();
        let arguments = ["--find".as_ref(), "--show".as_ref(), "--nooverlap".as_ref(), file.as_os_str()];
        let make = || run_to_death("losetup", &arguments);
        let undo = {
            let held = held.clone();
            move |file: &Path| {
                drop(held.lock().unwrap_or_else(PoisonError::into_inner).take());
                matches!(detach_all(file), Ok((_, true)))
            }
        };
        let (answer, attached) = Undo::recorded(LOOP_DEVICE, file, make, undo)?;
        let device = PathBuf::from(answer.trim());
        let number = number_of(&device)?;
        // Refused over file systems without direct I/O; the device then works through the page cache, and says so.
        let _ = run("losetup", &["--direct-io=on".as_ref(), device.as_os_str()]);
        let name = file_name(file);
        let mut made =
            Self { device, number, is_direct: false, name, held, _settings: Vec::new(), _attached: attached };
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

    /// From now on it goes with its last user, which is this process or a file system mounted from it, however these
    /// end.
    pub(super) fn go_with_last_user(&mut self) -> Result<(), RigError> {
        let opened = File::open(&self.device).map_err(RigError::system("open", &self.device))?;
        *self.held.lock().unwrap_or_else(PoisonError::into_inner) = Some(opened);
        // In use, it isn't detached but marked (LOOP_CLR_FD, Linux 3.7 and later).
        run("losetup", &["--detach".as_ref(), self.device.as_os_str()]).map(drop)
    }

    /// From now on it goes with the file system that is mounted from it, however that ends; this process holds nothing of it.
    pub(crate) fn go_with_mount(&self) -> Result<(), RigError> {
        // In use, it isn't detached but marked (LOOP_CLR_FD, Linux 3.7 and later).
        run("losetup", &["--detach".as_ref(), self.device.as_os_str()]).map(drop)
    }

    fn sys(&self, file: &str) -> PathBuf {
        of_device(self.number).join(file)
    }

    fn backing(&self, file: &str) -> PathBuf {
        PathBuf::from(format!("/sys/class/bdi/{}:{}/{file}", self.number.major, self.number.minor))
    }

    /// Writes a setting and remembers how to put it back: with `restored` in `restored_file`.
    fn set(&mut self, file: &Path, value: &str, restored: (PathBuf, String)) -> Result<(), RigError> {
        let place = restored.0.join(&self.name).join(restored.1);
        let make = || fs::write(file, value).map_err(RigError::system("write", file));
        let undo = |place: &Path| {
            let _ = put_back(place);
            true
        };
        let ((), undo) = Undo::recorded(SETTING, &place, make, undo)?;
        self._settings.push(undo);
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

/// The kernel's folder on a device.
fn of_device(number: DeviceNumber) -> PathBuf {
    PathBuf::from(format!("/sys/dev/block/{}:{}", number.major, number.minor))
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// What the kernel adds to the name of a file that is unlinked.
const UNLINKED: &str = " (deleted)";

/// The path of the file behind a loop device, from the kernel's folder on it; none for a free one.
fn behind(device: &Path) -> Option<PathBuf> {
    let text = fs::read_to_string(device.join("loop/backing_file")).ok()?;
    let text = text.strip_suffix('\n').unwrap_or(&text);
    Some(PathBuf::from(text.strip_suffix(UNLINKED).unwrap_or(text)))
}

/// The name of the file behind a loop device; for another device something that no such file is called.
pub(super) fn name_behind(number: DeviceNumber) -> String {
    behind(&of_device(number)).map_or_else(|| "-".to_owned(), |path| file_name(&path))
}

/// Whether the device that is named in `place` is free, or has the file behind it whose name is the last but one word
/// of `of`.
pub(super) fn is_of(place: &Path, of: &Path) -> bool {
    let is_number = |word: &&str| {
        let numbers = word.split_once(':');
        numbers.is_some_and(|(major, minor)| major.parse::<u32>().is_ok() && minor.parse::<u32>().is_ok())
    };
    let Some(number) = place.iter().filter_map(|word| word.to_str()).find(is_number) else { return false };
    let device = Path::new("/sys/dev/block").join(number);
    let name = of.parent().map(file_name);
    behind(&device).is_none_or(|behind| Some(file_name(&behind)) == name)
}

/// Puts a setting back; none where there is nothing to put back to.
fn put_back(place: &Path) -> Option<bool> {
    let (value, file) = (place.file_name()?.to_str()?, place.parent()?.parent()?);
    let now = fs::read_to_string(file).ok()?;
    let is_so = now.trim() == value || now.contains(&format!("[{value}]"));
    // A device that is somebody else's by now keeps what it has.
    (is_of(file, place) && fs::write(file, value).is_ok()).then_some(!is_so)
}

/// Clears a setting that was left.
pub(crate) fn clear_setting(place: &Path) -> io::Result<bool> {
    Ok(put_back(place).unwrap_or(false))
}

/// The devices over a file.
fn devices_over(file: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir("/sys/block")? {
        let device = entry?.path();
        if is_over(&device, file) {
            found.push(Path::new("/dev").join(file_name(&device)));
        }
    }
    Ok(found)
}

/// Whether a device, by the kernel's folder on it, is over a file.
fn is_over(device: &Path, file: &Path) -> bool {
    // What lies in a mount of another process may be shown from that mount's root on; the name is unique.
    let same = |behind: &Path| behind == file || is_image_name(file) && file_name(behind) == file_name(file);
    behind(device).as_deref().is_some_and(same)
}

fn is_image_name(file: &Path) -> bool {
    file_name(file).starts_with("petrio-image-")
}

/// Detaches all devices over a file: how many there were, and whether all are free now. One that is in use for a moment
/// (a process that is ending, somebody who looks around) is waited for.
fn detach_all(file: &Path) -> io::Result<(usize, bool)> {
    let devices = devices_over(file)?;
    for device in &devices {
        detach(device, file);
    }
    for _ in 0..50 {
        if devices_over(file)?.is_empty() {
            return Ok((devices.len(), true));
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    Ok((devices.len(), false))
}

/// Detaches a device if it is over a file. A device that goes with its last user may be gone since it was seen, and its
/// number may be another rig's by now; while it is open here it stays whose it is.
fn detach(device: &Path, file: &Path) {
    let Ok(_open) = File::open(device) else { return };
    if is_over(&Path::new("/sys/block").join(file_name(device)), file) {
        // In use by this very process it is marked, and goes when it is closed.
        let _ = run("losetup", &["--detach".as_ref(), device.as_os_str()]);
    }
}

/// Clears the devices over a file that were left.
pub(crate) fn clear_loop_device(file: &Path) -> io::Result<bool> {
    // Whoever was about to attach it finds it no more; who has opened it already needs a moment.
    if is_image_name(file) && clear_image(file).unwrap_or(false) {
        std::thread::sleep(Duration::from_millis(50));
    }
    match detach_all(file)? {
        (found, true) => Ok(found > 0),
        (_, false) => Err(io::ErrorKind::ResourceBusy.into()),
    }
}

fn number_of(device: &Path) -> Result<DeviceNumber, RigError> {
    let status =
        rustix::fs::stat(device).map_err(|errno| RigError::system("look at", device)(errno.into()))?;
    let (major, minor) = (rustix::fs::major(status.st_rdev), rustix::fs::minor(status.st_rdev));
    Ok(DeviceNumber { major, minor })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    /// A device that no machine has, whose settings lie in a folder.
    const NUMBER: &str = "7:99999";

    #[test]
    fn a_setting_that_was_left_is_put_back_once() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(NUMBER).join("scheduler");
        fs::create_dir(file.parent().unwrap()).unwrap();
        fs::write(&file, "none [bfq]\n").unwrap();
        let place = file.join("petrio-image-1").join("none");
        assert!(clear_setting(&place).unwrap());
        assert_eq!(fs::read_to_string(&file).unwrap(), "none");
        assert!(!clear_setting(&place).unwrap());
        fs::remove_file(&file).unwrap();
        assert!(!clear_setting(&place).unwrap());
    }

    #[test]
    fn what_is_gone_already_is_cleared_without_a_word() {
        let folder = tempfile::tempdir().unwrap();
        let gone = folder.path().join("petrio-image-gone");
        assert!(!clear_image(&gone).unwrap() && !clear_loop_device(&gone).unwrap());
        assert!(!petrio_capture::mounted::clear_mount(&gone).unwrap());
        assert!(!super::super::clear_group(&gone).unwrap());
        assert!(!super::super::clear_throttle(&gone.join("7:99999")).unwrap());
    }

    #[test]
    fn a_mount_point_that_was_left_goes_with_what_was_written_into_it_meanwhile_and_a_link_stays() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("petrio-mount-1");
        fs::create_dir(&place).unwrap();
        fs::write(place.join("late"), "").unwrap();
        assert!(petrio_capture::mounted::clear_mount(&place).unwrap());
        assert!(!place.exists());
        let other = folder.path().join("other");
        fs::create_dir(&other).unwrap();
        std::os::unix::fs::symlink(&other, &place).unwrap();
        assert!(petrio_capture::mounted::clear_mount(&place).is_err());
        assert!(other.exists());
    }
}
