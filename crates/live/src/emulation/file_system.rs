//! A real kernel's file system on an emulated device, mounted where a user wants it.

use super::directory::{self, MOUNTED_ON};
use crate::rig::loop_device::IMAGE;
use crate::rig::program::{is_installed, run, run_to_death};
use crate::rig::{LoopDevice, MEMORY, RigError, fresh_name};
use petrio_capture::undo::Undo;
use petrio_emulate::{ImageError, Medium};
use petrio_units::Bytes;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

/// Which file system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileSystemKind {
    /// Without a journal.
    Ext2,
    /// With one.
    Ext3,
    /// With extents.
    Ext4,
    /// SGI's.
    Xfs,
}

impl FileSystemKind {
    /// As mount(8) has it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ext2 => "ext2",
            Self::Ext3 => "ext3",
            Self::Ext4 => "ext4",
            Self::Xfs => "xfs",
        }
    }

    const fn maker(self) -> &'static str {
        match self {
            Self::Ext2 => "mkfs.ext2",
            Self::Ext3 => "mkfs.ext3",
            Self::Ext4 => "mkfs.ext4",
            Self::Xfs => "mkfs.xfs",
        }
    }
}

/// Makes a file system in a file, as large as the file or of `size`. It costs no waiting there, which on the emulated device it would.
fn make_in(file: &Path, kind: FileSystemKind, size: Option<Bytes>) -> Result<(), RigError> {
    if !is_installed(kind.maker()) {
        let source = io::Error::from(io::ErrorKind::NotFound);
        return Err(RigError::Start { program: kind.maker(), source });
    }
    let mut words: Vec<OsString> = match kind {
        FileSystemKind::Xfs => vec!["-q".into(), "-f".into()],
        _ => vec!["-q".into(), "-F".into()],
    };
    // The size stands before the device, or behind it.
    let is_xfs = kind == FileSystemKind::Xfs;
    let of_xfs = size.filter(|_| is_xfs).map(|size| format!("size={}", size.get()));
    words.extend(of_xfs.into_iter().flat_map(|size| ["-d".into(), size.into()]));
    words.push(file.as_os_str().to_owned());
    words.extend(size.filter(|_| !is_xfs).map(|size| format!("{}k", size.get() >> 10).into()));
    run_to_death(kind.maker(), &words).map(drop)
}

/// What a device of `bytes` lies on that has a file system of `size` on it: an image, made where it isn't there, or memory.
///
/// # Errors
/// A file system that can't be made, an image that can't be had.
pub fn medium_with(
    kind: FileSystemKind,
    (bytes, size): (Bytes, Option<Bytes>),
    image: Option<&Path>,
) -> Result<Medium, MediumError> {
    if let Some(path) = image {
        // Taken first: what somebody else uses isn't overwritten.
        let medium = Medium::image(path, bytes)?;
        make_in(path, kind, size)?;
        return Ok(medium);
    }
    let path = Path::new(MEMORY).join(fresh_name("image"));
    let make = || {
        let file = File::options().read(true).write(true).create_new(true).open(&path)?;
        file.set_len(bytes.get())?;
        Ok(file)
    };
    let undo = |path: &Path| fs::remove_file(path).is_ok() || !path.exists();
    // It has no name any more when this returns, and goes with whoever has it open.
    let (file, _until_unlinked) =
        Undo::recorded(IMAGE, &path, make, undo).map_err(RigError::system("make the image", &path))?;
    make_in(&path, kind, size)?;
    Ok(Medium::of_file(file))
}

/// Why there is no medium with a file system.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
pub enum MediumError {
    /// The image.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Image(#[from] ImageError),
    /// The file system.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Rig(#[from] RigError),
}

/// A file system on a device; unmounted when this is dropped.
#[derive(Debug)]
pub struct MountedDevice {
    directory: PathBuf,
    // In order of taking down.
    _mounted: Undo,
    device: LoopDevice,
}

impl MountedDevice {
    /// Mounts the file system that is on the file of a device on a directory that is there and empty.
    ///
    /// # Errors
    /// No loop device, no right to mount, a program that fails. Nothing is left behind then.
    pub fn on(
        file: &Path,
        directory: &Path,
        (kind, options): (FileSystemKind, Option<&str>),
    ) -> Result<Self, RigError> {
        let directory = directory::empty(directory)?;
        let device = LoopDevice::attach(file)?;
        let mut arguments: Vec<&OsStr> = vec!["-t".as_ref(), kind.name().as_ref()];
        if let Some(options) = options {
            arguments.extend([OsStr::new("-o"), OsStr::new(options)]);
        }
        arguments.extend([device.path().as_os_str(), directory.as_os_str()]);
        let undo = |directory: &Path| {
            if directory::unmount_by_program(directory).is_err() {
                // It goes with its last user; what he has written is on the device before that is gone.
                let _ = run("sync", &["--file-system".as_ref(), directory.as_os_str()]);
                let _ = directory::detach(directory);
            }
            true
        };
        let make = || run_to_death("mount", &arguments);
        let (_, mounted) = Undo::recorded(MOUNTED_ON, &directory, make, undo)?;
        device.go_with_mount()?;
        Ok(Self { directory, _mounted: mounted, device })
    }

    /// Where it is mounted.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// The block device below it.
    pub const fn device(&self) -> &LoopDevice {
        &self.device
    }
}
