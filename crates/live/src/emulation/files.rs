//! Emulated devices as files of a directory.

use super::file_system::{MOUNTED_ON, is_busy, unmount_by_program};
use crate::rig::{Availability, RigError, SlowDisk, fresh_name};
use petrio_capture::mounted::{MOUNT, remove_mount_point};
use petrio_capture::undo::Undo;
use petrio_emulate::{Device, fuse};
use rustix::mount::{MountFlags, UnmountFlags, mount, unmount};
use std::ffi::CString;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};
use std::thread::{Builder, JoinHandle};

/// Where the kernel's side is opened.
const FUSE: &str = "/dev/fuse";

/// Devices as files; the directory is unmounted when this is dropped.
#[derive(Debug)]
pub struct DeviceFiles {
    directory: PathBuf,
    mounted: Option<Undo>,
    server: Option<JoinHandle<io::Result<()>>>,
}

impl DeviceFiles {
    /// Whether it is possible here.
    pub fn probe() -> Availability {
        crate::rig::Facilities::probe().slow_disk
    }

    /// Serves devices as files of a directory that is there and empty, each under its name.
    ///
    /// # Errors
    /// No FUSE, no right to mount, no such directory.
    pub fn on(directory: &Path, devices: Vec<Device>) -> Result<Self, RigError> {
        crate::rig::possible("a device as a file", &SlowDisk::probe())?;
        let directory =
            fs::canonicalize(directory).map_err(RigError::system("find the directory", directory))?;
        let mut entries = fs::read_dir(&directory).map_err(RigError::system("list", &directory))?;
        if entries.next().is_some() {
            let refused = io::Error::other("it isn't empty, and what is in it would be hidden");
            return Err(RigError::system("mount on", &directory)(refused));
        }
        Self::mount(directory, devices, false)
    }

    /// The same in a directory of its own, which goes with it.
    ///
    /// # Errors
    /// No FUSE, no right to mount.
    pub fn apart(devices: Vec<Device>) -> Result<Self, RigError> {
        crate::rig::possible("a device as a file", &SlowDisk::probe())?;
        Self::mount(std::env::temp_dir().join(fresh_name("emulated")), devices, true)
    }

    fn mount(directory: PathBuf, devices: Vec<Device>, own: bool) -> Result<Self, RigError> {
        let channel =
            OpenOptions::new().read(true).write(true).open(FUSE).map_err(RigError::system("open", FUSE))?;
        let made = mount_channel(&channel, &directory, own)?;
        let name = "petrio-fuse".to_owned();
        let server = Builder::new()
            .name(name)
            .spawn(move || fuse::serve(channel.into(), devices))
            .map_err(RigError::system("serve", &directory))?;
        Ok(Self { directory, mounted: Some(made), server: Some(server) })
    }

    /// Where they are.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// The file of a device.
    pub fn file(&self, device: &str) -> PathBuf {
        self.directory.join(device)
    }
}

impl Drop for DeviceFiles {
    fn drop(&mut self) {
        drop(self.mounted.take());
        // It ends when the directory is unmounted by its last user, who may take his time.
        if let Some(server) = self.server.take()
            && !is_busy(&self.directory)
            && server.is_finished()
        {
            let _ = server.join();
        }
    }
}

/// Mounts a channel of the kernel's on a directory, which is made where it is its own.
fn mount_channel(channel: &File, directory: &Path, own: bool) -> Result<Undo, RigError> {
    let options = format!("fd={},rootmode=40000,user_id=0,group_id=0,allow_other", channel.as_raw_fd());
    let options = CString::new(options)
        .map_err(|error| RigError::system("mount", directory)(io::Error::other(error)))?;
    let make = || {
        if own {
            fs::create_dir(directory).map_err(RigError::system("make the directory", directory))?;
        }
        mount("petrio", directory, "fuse", MountFlags::NOSUID | MountFlags::NODEV, options.as_c_str())
            .map_err(|errno| RigError::system("mount FUSE on", directory)(errno.into()))
    };
    let undo = move |directory: &Path| {
        // With its last user it goes, and whoever asks for the file then is told that nobody serves it.
        if unmount_by_program(directory).is_err() {
            let _ = unmount(directory, UnmountFlags::DETACH);
        }
        !own || remove_mount_point(directory).is_ok()
    };
    let kind = if own { MOUNT } else { MOUNTED_ON };
    Ok(Undo::recorded(kind, directory, make, undo)?.1)
}
