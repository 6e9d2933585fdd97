//! Emulated devices on this machine: as files of a directory, as a real kernel's file system, as the disks of a guest.
//!
//! ```text
//!  program ─▶ ext2 | ext3 | ext4 | xfs ─▶ loop device, direct I/O ─▶ a file of the kernel's FUSE ─▶ petrio_emulate
//! ```
//!
//! This process serves the files, so nothing in it may wait for them: whoever is killed while he waits for his own disk never ends. What makes,
//! mounts and unmounts a file system on one is a program of its own each.

mod directory;
mod file_system;
mod files;
pub mod guest;
mod users;

pub(crate) use directory::{MOUNTED_ON, clear_mounted_on};
pub use file_system::{FileSystemKind, MediumError, MountedDevice, medium_with};
pub use files::DeviceFiles;
pub use users::users_of;
