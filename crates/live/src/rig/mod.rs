//! A real ext3, ext4 or XFS on a loop device, with the limits that an experiment needs, and nothing left of it afterwards.
//!
//! ```text
//!  directory (mounted) ─▶ ext3 | ext4 | xfs ─▶ loop device ─▶ image in memory | in a directory | on a slow disk
//!       │                    │               │
//!   memory group       journal, barriers   throttle, dirty limit, read-ahead, scheduler
//! ```
//!
//! The file system's parameters are those of the model, so one description makes both. Whatever a real one can't be
//! given (fragmentation, old block allocators) is refused, not ignored.
//!
//! ```no_run
//! use petrio_live::rig::{LoopRig, RigParameters};
//! let rig = LoopRig::set_up(&RigParameters::default())?;
//! std::fs::write(rig.directory().join("hello"), "on ext3")?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod apart;
mod availability;
mod emulated;
mod error;
mod facilities;
pub(crate) mod fuse_channel;
pub(crate) mod groups;
pub(crate) mod loop_device;
mod parameters;
pub(crate) mod program;
mod slow_disk;
mod volume;

pub use apart::mount_apart;
pub use availability::Availability;
pub use emulated::EmulatedDisk;
pub use error::RigError;
pub use facilities::Facilities;
pub use groups::{Entered, Hierarchy, MemoryGroup, Throttle, ThrottleLimits, Version};
pub(crate) use groups::{clear_group, clear_throttle};
pub use loop_device::LoopDevice;
pub(crate) use loop_device::{clear_image, clear_loop_device, clear_setting};
pub use parameters::{Image, RigParameters};
pub use slow_disk::SlowDisk;
pub use slow_disk::serve_if_called;
pub use volume::{BLOCK_BYTES, BlockKind};

use emulated::Pace;
pub(crate) use loop_device::fresh_name;
use loop_device::make_image;
use petrio_capture::journal_trace::{BlockAccess, DeviceNumber, JournalArea};
use petrio_capture::mounted::{MOUNT, remove_mount_point};
use petrio_capture::undo::Undo;
use rustix::mount::{MountFlags, UnmountFlags, mount, unmount};
use std::ffi::{CString, OsStr};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::Duration;
use volume::{Journal, Layout};

/// Where images in memory lie.
pub(crate) const MEMORY: &str = "/dev/shm";

/// A file system of its own, mounted; gone when this is dropped.
#[derive(Debug)]
pub struct LoopRig {
    directory: PathBuf,
    image: File,
    journal: Journal,
    layout: Layout,
    // In order of taking down.
    _mounted: Undo,
    _throttle: Option<Throttle>,
    memory: Option<MemoryGroup>,
    device: LoopDevice,
    _slow: Option<SlowDisk>,
}

impl LoopRig {
    /// Makes and mounts a file system.
    ///
    /// # Errors
    /// What this machine can't do, parameters that a real file system can't be given, programs that fail. Nothing is
    /// left behind then either.
    pub fn set_up(parameters: &RigParameters) -> Result<Self, RigError> {
        let (make, mount_options) = (parameters.make_arguments()?, parameters.mount_options());
        let facilities = Facilities::probe();
        let family = match parameters.type_name() {
            "ext3" => &facilities.ext3,
            "ext4" => &facilities.ext4,
            _ => &facilities.xfs,
        };
        possible("a file system on a loop device", family)?;

        let (mut device, image, slow) = make_device(parameters, &make)?;
        if let Some(read_ahead) = parameters.read_ahead {
            device.set_read_ahead(read_ahead)?;
        }
        if let Some(scheduler) = &parameters.scheduler {
            device.set_scheduler(scheduler)?;
        }
        if let Some(limit) = parameters.dirty_limit {
            possible("a dirty limit of one device", &facilities.dirty_limit)?;
            device.set_dirty_limit(limit)?;
        }
        let (journal, layout) = match parameters.xfs {
            true => (Journal::of_xfs(&image)?, Layout::default()),
            false => (Journal::of(device.path(), &image)?, Layout::of(device.path())?),
        };
        device.go_with_last_user()?;
        let flags = parameters.mount_flags();
        let (directory, mounted) = mount_device(&device, parameters.type_name(), (flags, &mount_options))?;
        let memory = match parameters.memory_limit {
            None => None,
            Some(limit) => {
                possible("a memory limit", &facilities.memory_limit)?;
                Hierarchy::of("memory").map(|hierarchy| MemoryGroup::new(&hierarchy, limit)).transpose()?
            }
        };
        let mut rig = Self {
            directory,
            image,
            journal,
            layout,
            _mounted: mounted,
            _throttle: None,
            memory,
            device,
            _slow: slow,
        };
        if !parameters.throttle.is_none() {
            possible("a device throttle", &facilities.throttle)?;
            let hierarchy = Hierarchy::of("blkio");
            let throttle =
                hierarchy.map(|hierarchy| Throttle::new(&hierarchy, rig.number(), parameters.throttle));
            rig._throttle = throttle.transpose()?;
        }
        Ok(rig)
    }

    /// Where it is mounted.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// The loop device.
    pub const fn device(&self) -> &LoopDevice {
        &self.device
    }

    /// The loop device's number, by which its requests are known.
    pub const fn number(&self) -> DeviceNumber {
        self.device.number()
    }

    /// The journal's blocks on the device.
    pub const fn journal(&self) -> &JournalArea {
        &self.journal.area
    }

    /// The group whose members share the limited memory; none without a limit. Whoever is to feel the limit
    /// [enters](MemoryGroup::enter) it.
    pub const fn memory(&self) -> Option<&MemoryGroup> {
        self.memory.as_ref()
    }

    /// Writes back whatever is dirty in this file system, and waits: syncfs(2). No other file system is touched.
    ///
    /// # Errors
    /// The device fails.
    pub fn sync(&self) -> Result<(), RigError> {
        // Opened for the moment only: a directory that is held open would keep the file system mounted.
        let root = File::open(&self.directory).map_err(RigError::system("open", &self.directory))?;
        rustix::fs::syncfs(&root).map_err(|errno| RigError::system("sync", &self.directory)(errno.into()))
    }

    /// Makes everything durable and empties the page cache, the inode cache and the directory cache, those of other
    /// file systems of this machine included.
    ///
    /// # Errors
    /// The device fails, or the kernel refuses.
    pub fn drop_caches(&self) -> Result<(), RigError> {
        self.sync()?;
        drop_caches("3")
    }

    /// Makes everything durable and empties the page cache alone, that of other file systems of this machine included.
    /// Inodes and names stay, and with them what they know of where blocks are.
    ///
    /// # Errors
    /// The device fails, or the kernel refuses.
    pub fn drop_pages(&self) -> Result<(), RigError> {
        self.sync()?;
        drop_caches("1")
    }

    /// Which blocks of the volume each commit among these requests logged, in the order of the commits. To be called
    /// before the journal has come round.
    ///
    /// # Errors
    /// The image can't be read.
    pub fn blocks_logged<'a>(
        &self,
        requests: impl IntoIterator<Item = &'a BlockAccess>,
    ) -> Result<Vec<Vec<u64>>, RigError> {
        let mut commits = Vec::new();
        for request in requests {
            let writes = request.access == petrio_capture::journal_trace::Access::Write;
            if writes && self.journal.area.holds(request.sector, request.sectors) {
                commits.extend(self.journal.announced(&self.image, request.sector)?);
            }
        }
        Ok(commits)
    }

    /// What blocks hold at the moment; needs everything written back to be right. Of XFS nothing is said.
    ///
    /// # Errors
    /// debugfs fails.
    pub fn kinds(&self, blocks: &[u64]) -> Result<Vec<BlockKind>, RigError> {
        self.layout.kinds(self.device.path(), blocks)
    }
}

/// Tells the kernel which caches to empty, as far as they are clean (Documentation/admin-guide/sysctl/vm.rst): 1 pages,
/// 2 inodes and names, 3 both.
fn drop_caches(which: &str) -> Result<(), RigError> {
    const FILE: &str = "/proc/sys/vm/drop_caches";
    fs::write(FILE, which).map_err(RigError::system("write", FILE))
}

pub(crate) fn possible(what: &'static str, availability: &Availability) -> Result<(), RigError> {
    match availability.reason() {
        None => Ok(()),
        Some(why) => Err(RigError::NotPossible { what, why: why.to_owned() }),
    }
}

/// Makes the image, the file system in it, and the device over it; the device, the image, and the slow disk between
/// them.
fn make_device(
    parameters: &RigParameters,
    make: &[String],
) -> Result<(LoopDevice, File, Option<SlowDisk>), RigError> {
    let (place, whole) = match &parameters.image {
        Image::Served { file, image } => {
            let opened = File::options().read(true).write(true).open(image);
            let opened = opened.map_err(RigError::system("open", image))?;
            make_in(parameters, make, (image, &opened))?;
            return Ok((LoopDevice::attach(file)?, opened, None));
        }
        Image::Directory(directory) => (directory.as_path(), false),
        // Pages of an image in memory would count against whoever first writes them, if they weren't there before.
        Image::Memory | Image::Slow { .. } => (Path::new(MEMORY), parameters.memory_limit.is_some()),
    };
    let (path, image, _until_unlinked) = make_image(place, parameters.size, whole)?;
    make_in(parameters, make, (&path, &image))?;
    let Image::Slow { each } = &parameters.image else {
        return Ok((LoopDevice::attach(&path)?, image, None));
    };
    possible("a slow disk", &SlowDisk::probe())?;
    let contents = image.try_clone().map_err(RigError::system("open again", &path))?;
    let slow = SlowDisk::serve(contents, parameters.size, Pace::Even(*each))?;
    Ok((LoopDevice::attach(slow.file())?, image, Some(slow)))
}

/// Makes the file system in the image itself, which costs no waiting on a slow disk.
fn make_in(
    parameters: &RigParameters,
    make: &[String],
    (path, image): (&Path, &File),
) -> Result<(), RigError> {
    let mut arguments: Vec<&OsStr> = make.iter().map(OsStr::new).collect();
    arguments.push(path.as_os_str());
    program::run_to_death(parameters.maker(), &arguments)?;
    rustix::fs::fsync(image).map_err(|errno| RigError::system("make durable", path)(errno.into()))
}

/// Mounts a device in a directory of its own.
fn mount_device(
    device: &LoopDevice,
    kind: &str,
    (flags, options): (MountFlags, &str),
) -> Result<(PathBuf, Undo), RigError> {
    let directory = std::env::temp_dir().join(fresh_name("mount"));
    let options = CString::new(options)
        .map_err(|error| RigError::system("mount", &directory)(std::io::Error::other(error)))?;
    let make = || {
        fs::create_dir(&directory).map_err(RigError::system("make the directory", &directory))?;
        mount(device.path(), &directory, kind, flags, options.as_c_str())
            .map_err(|errno| RigError::system("mount", device.path())(errno.into()))
    };
    let ((), undo) = Undo::recorded(MOUNT, &directory, make, unmount_and_remove)?;
    Ok((directory, undo))
}

/// Whether it is gone.
fn unmount_and_remove(directory: &Path) -> bool {
    // Somebody who looks around (an indexer, a test's last thread) may keep it busy for a moment.
    for _ in 0..40 {
        match unmount(directory, UnmountFlags::empty()) {
            Err(rustix::io::Errno::BUSY) => std::thread::sleep(Duration::from_millis(25)),
            _ => break,
        }
    }
    // What is still in use goes with its last user; where nothing is mounted any more this does nothing.
    let _ = unmount(directory, UnmountFlags::DETACH);
    remove_mount_point(directory).is_ok()
}
