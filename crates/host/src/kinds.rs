//! The list of file systems: one line each in what is formatted and in what is laid out.

use crate::below::Layout;
use crate::file_system::{FileSystemParameters, FormatError, Volume};
use crate::kernel_profile::KernelParameters;
use crate::lustre::{Lustre, LustreMount};
use crate::nfs::{MountOptions, Nfs};
use crate::raw::Raw;
use crate::tmpfs::Tmpfs;
use crate::xfs::{XfsParameters, XfsVolume};
use std::ops::{Deref, DerefMut};

/// How a file system is made and mounted.
#[derive(Clone, Debug, PartialEq)]
pub enum Format {
    /// ext3 or ext4.
    Ext(FileSystemParameters),
    /// tmpfs, in memory: it lies on no device, and its size is that of its files together.
    Tmpfs,
    /// No file system: the device itself, whose partitions programs open as files.
    Raw,
    /// NFS: an export of a server elsewhere, of which the mount's requests are calls ([`crate::nfs::Carried`]).
    Nfs(Box<MountOptions>),
    /// Lustre: its servers are elsewhere, and the mount's requests are calls and data ([`crate::lustre::Carried`]).
    Lustre(Box<LustreMount>),
    /// XFS.
    Xfs(XfsParameters),
}

impl Format {
    /// With what a kernel decides unless the file system says otherwise.
    #[must_use]
    pub(crate) fn under(self, kernel: &KernelParameters) -> Self {
        match self {
            Self::Ext(parameters) => {
                let journal = kernel.journal_of(parameters.family);
                Self::Ext(parameters.under(journal))
            }
            Self::Tmpfs | Self::Raw | Self::Nfs(_) | Self::Lustre(_) | Self::Xfs(_) => self,
        }
    }

    /// A fresh file system on a device of so many blocks of 4 KiB.
    ///
    /// # Errors
    /// When a parameter is out of its range, or the device too small or too large.
    pub(crate) fn format(&self, blocks: u64) -> Result<OnDisk, FormatError> {
        match self {
            Self::Ext(parameters) => {
                Volume::format(parameters, blocks).map(|volume| OnDisk::Ext(Box::new(volume)))
            }
            Self::Tmpfs => Ok(OnDisk::Tmpfs(Tmpfs::new(blocks))),
            Self::Raw => Ok(OnDisk::Raw(Raw::new(blocks))),
            Self::Nfs(options) => Ok(OnDisk::Nfs(Box::new(Nfs::new(options)))),
            Self::Lustre(mount) => Ok(OnDisk::Lustre(Box::new(Lustre::new(mount)))),
            Self::Xfs(parameters) => {
                XfsVolume::format(parameters, blocks).map(|volume| OnDisk::Xfs(Box::new(volume)))
            }
        }
    }
}

impl From<XfsParameters> for Format {
    fn from(parameters: XfsParameters) -> Self {
        Self::Xfs(parameters)
    }
}

impl From<FileSystemParameters> for Format {
    fn from(parameters: FileSystemParameters) -> Self {
        Self::Ext(parameters)
    }
}

/// What lies on a device.
#[derive(Clone, Debug)]
pub(crate) enum OnDisk {
    Ext(Box<Volume>),
    Tmpfs(Tmpfs),
    Raw(Raw),
    Nfs(Box<Nfs>),
    Lustre(Box<Lustre>),
    Xfs(Box<XfsVolume>),
}

impl Deref for OnDisk {
    type Target = dyn Layout;

    fn deref(&self) -> &Self::Target {
        match self {
            Self::Ext(volume) => &**volume,
            Self::Tmpfs(tmpfs) => tmpfs,
            Self::Raw(raw) => raw,
            Self::Nfs(nfs) => &**nfs,
            Self::Lustre(lustre) => &**lustre,
            Self::Xfs(volume) => &**volume,
        }
    }
}

impl DerefMut for OnDisk {
    fn deref_mut(&mut self) -> &mut Self::Target {
        match self {
            Self::Ext(volume) => &mut **volume,
            Self::Tmpfs(tmpfs) => tmpfs,
            Self::Raw(raw) => raw,
            Self::Nfs(nfs) => &mut **nfs,
            Self::Lustre(lustre) => &mut **lustre,
            Self::Xfs(volume) => &mut **volume,
        }
    }
}
