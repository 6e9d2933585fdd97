//! A channel of the kernel's FUSE, mounted by the superuser: what arrives there on the directory is read from it.

use super::availability::{Availability, kernel_knows};
use super::error::RigError;
use petrio_emulate::fuse::SOURCE;
use rustix::mount::{MountFlags, mount};
use std::ffi::CString;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::AsRawFd;
use std::path::Path;

/// Where the kernel's side is opened.
const FUSE: &str = "/dev/fuse";

/// Whether this kernel has it.
pub(crate) fn probe() -> Availability {
    if !Path::new(FUSE).exists() {
        return Availability::Missing(format!("there is no {FUSE}"));
    }
    Availability::when(kernel_knows("fuse"), "this kernel has no FUSE")
}

/// Who may look into what is mounted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Open {
    /// Its owner.
    ToOwner,
    /// Everybody.
    ToAll,
}

/// A channel that isn't mounted yet.
#[derive(Debug)]
pub(crate) struct FuseChannel(File);

impl FuseChannel {
    pub(crate) fn open() -> Result<Self, RigError> {
        let opened = OpenOptions::new().read(true).write(true).open(FUSE);
        opened.map(Self).map_err(RigError::system("open", FUSE))
    }

    /// Mounts it on a directory.
    pub(crate) fn mount(&self, directory: &Path, open: Open) -> Result<(), RigError> {
        let others = if open == Open::ToAll { ",allow_other" } else { "" };
        let options = format!("fd={},rootmode=40000,user_id=0,group_id=0{others}", self.0.as_raw_fd());
        let options = CString::new(options)
            .map_err(|error| RigError::system("mount", directory)(io::Error::other(error)))?;
        mount(SOURCE, directory, "fuse", MountFlags::NOSUID | MountFlags::NODEV, options.as_c_str())
            .map_err(|errno| RigError::system("mount FUSE on", directory)(errno.into()))
    }

    /// For whoever serves it.
    pub(crate) fn into_file(self) -> File {
        self.0
    }
}
