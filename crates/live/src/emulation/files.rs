//! Emulated devices as files of a directory.

use super::directory::{self, FOR_USERS, MOUNTED_ON, is_busy};
use crate::rig::fuse_channel::{self, FuseChannel, Open};
use crate::rig::program::is_installed;
use crate::rig::{Availability, Facilities, RigError, fresh_name};
use petrio_capture::mounted::{MOUNT, remove_mount_point};
use petrio_capture::undo::Undo;
use petrio_emulate::{Device, fuse};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::thread::{Builder, JoinHandle};

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
        Facilities::probe().slow_disk
    }

    /// Serves devices as files of a directory that is there and empty, each under its name; for whoever isn't root by fusermount3,
    /// and for himself alone.
    ///
    /// # Errors
    /// No FUSE, no right to mount, no such directory.
    pub fn on(directory: &Path, devices: Vec<Device>) -> Result<Self, RigError> {
        crate::rig::possible("a device as a file", &fuse_channel::probe())?;
        let directory = directory::empty(directory)?;
        let root = Facilities::probe().root;
        if root.reason().is_some() {
            return Self::for_user(&directory, devices, &root);
        }
        Self::mount(directory, devices, false)
    }

    /// The same in a directory of its own, which goes with it.
    ///
    /// # Errors
    /// No FUSE, no right to mount.
    pub fn apart(devices: Vec<Device>) -> Result<Self, RigError> {
        crate::rig::possible("a device as a file", &fuse_channel::probe())?;
        crate::rig::possible("a file system on an emulated device", &Facilities::probe().root)?;
        Self::mount(std::env::temp_dir().join(fresh_name("emulated")), devices, true)
    }

    fn mount(directory: PathBuf, devices: Vec<Device>, own: bool) -> Result<Self, RigError> {
        let channel = FuseChannel::open()?;
        let made = mount_channel(&channel, &directory, own)?;
        Self::served(directory, made, move || fuse::serve(channel.into_file().into(), devices))
    }

    fn for_user(directory: &Path, devices: Vec<Device>, root: &Availability) -> Result<Self, RigError> {
        if !is_installed(FOR_USERS) {
            let why = root.reason().unwrap_or_default();
            let why = format!("{why}, and {FOR_USERS} (fuse3), which mounts for others, isn't installed");
            return Err(RigError::NotPossible { what: "a device as a file", why });
        }
        let make = || {
            let mounted = fuse::mount_for_user(directory, devices);
            mounted.map_err(RigError::system("mount FUSE on", directory))
        };
        let (mounted, made) = Undo::recorded(MOUNTED_ON, directory, make, take_down)?;
        Self::served(directory.to_owned(), made, move || mounted.serve())
    }

    fn served(
        directory: PathBuf,
        made: Undo,
        serve: impl FnOnce() -> io::Result<()> + Send + 'static,
    ) -> Result<Self, RigError> {
        let server = Builder::new().name("petrio-fuse".to_owned()).spawn(serve);
        let server = server.map_err(RigError::system("serve", &directory))?;
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
fn mount_channel(channel: &FuseChannel, directory: &Path, own: bool) -> Result<Undo, RigError> {
    let make = || {
        if own {
            fs::create_dir(directory).map_err(RigError::system("make the directory", directory))?;
        }
        channel.mount(directory, Open::ToAll)
    };
    let undo = move |directory: &Path| {
        take_down(directory);
        !own || remove_mount_point(directory).is_ok()
    };
    let kind = if own { MOUNT } else { MOUNTED_ON };
    Ok(Undo::recorded(kind, directory, make, undo)?.1)
}

/// With its last user it goes, and whoever asks for the file then is told that nobody serves it.
fn take_down(directory: &Path) -> bool {
    directory::unmount_by_program(directory).is_ok() || directory::detach(directory).is_ok()
}
