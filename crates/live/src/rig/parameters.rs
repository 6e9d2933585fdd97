//! What a rig is to be like, and how mke2fs and mount are told so.

use super::error::RigError;
use super::groups::ThrottleLimits;
use super::volume::BLOCK_BYTES;
use petrio_models::host::file_system::{AccessTimes, Allocation, Family, FileSystemParameters, JournalMode};
use petrio_units::numbers::nearest_whole;
use petrio_units::{Bytes, Duration};
use rustix::mount::MountFlags;
use std::path::PathBuf;

/// How large an ext3 or ext4 must be to hold a journal at all.
const SMALLEST: Bytes = Bytes::from_mib(8);
/// And an XFS to be made (mkfs.xfs of xfsprogs 5.19 and later).
const SMALLEST_XFS: Bytes = Bytes::from_mib(300);

/// Where the bytes of a rig's device are.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub enum Image {
    /// In memory: as fast as can be.
    #[default]
    Memory,
    /// In a directory, on whatever device that lies on.
    Directory(PathBuf),
    /// In memory, on a disk that takes this long for each read, write and flush.
    Slow {
        /// The time.
        each: Duration,
    },
    /// On a device that another process serves.
    Served {
        /// The device, as a file.
        file: PathBuf,
        /// The file in which its bytes lie: the file system is made in it at no device's pace.
        image: PathBuf,
    },
}

/// What a rig is to be like.
#[derive(Clone, Debug, PartialEq)]
pub struct RigParameters {
    /// The file system: the same parameters as the model's.
    pub file_system: FileSystemParameters,
    /// XFS instead, as mkfs.xfs makes it and the kernel mounts it; of `file_system` only when access times change is its own then.
    pub xfs: bool,
    /// The volume's size.
    pub size: Bytes,
    /// Where its bytes are.
    pub image: Image,
    /// More options of mount(8), such as `nodelalloc`.
    pub mount_options: Vec<String>,
    /// How far the kernel reads ahead at most; its own default if left out.
    pub read_ahead: Option<Bytes>,
    /// The I/O scheduler by the kernel's name; its own default if left out.
    pub scheduler: Option<String>,
    /// Limits on the device.
    pub throttle: ThrottleLimits,
    /// Memory of those who enter [the group](super::LoopRig::memory).
    pub memory_limit: Option<Bytes>,
    /// How many bytes may be dirty.
    pub dirty_limit: Option<Bytes>,
}

impl Default for RigParameters {
    /// ext3 as mke2fs makes it, 64 MiB with a journal of 16 MiB, in memory, without limits.
    fn default() -> Self {
        let file_system = FileSystemParameters {
            journal_size: Some(Bytes::from_mib(16)),
            ..FileSystemParameters::default()
        };
        Self {
            file_system,
            xfs: false,
            size: Bytes::from_mib(64),
            image: Image::default(),
            mount_options: Vec::new(),
            read_ahead: None,
            scheduler: None,
            throttle: ThrottleLimits::default(),
            memory_limit: None,
            dirty_limit: None,
        }
    }
}

fn refused(parameter: &'static str, why: impl Into<String>) -> RigError {
    RigError::Parameter { parameter, why: why.into() }
}

impl RigParameters {
    /// The kernel's name for the file system.
    pub(super) const fn type_name(&self) -> &'static str {
        match self.file_system.family {
            _ if self.xfs => "xfs",
            Family::Ext3 => "ext3",
            Family::Ext4 => "ext4",
        }
    }

    /// The program that makes it.
    pub(super) const fn maker(&self) -> &'static str {
        match self.file_system.family {
            _ if self.xfs => "mkfs.xfs",
            Family::Ext3 => "mkfs.ext3",
            Family::Ext4 => "mkfs.ext4",
        }
    }

    /// Arguments of mke2fs or mkfs.xfs, without the device.
    ///
    /// # Errors
    /// Parameters that a real file system can't be given.
    pub(super) fn make_arguments(&self) -> Result<Vec<String>, RigError> {
        let file_system = &self.file_system;
        if self.xfs && self.size < SMALLEST_XFS {
            let why = format!("{} is too small for an XFS; {SMALLEST_XFS} is the least", self.size);
            return Err(refused("size", why));
        }
        if self.xfs {
            return Ok(["-q", "-f"].map(str::to_owned).into());
        }
        if self.size < SMALLEST {
            return Err(refused(
                "size",
                format!("{} is too small for a journal; {SMALLEST} is the least", self.size),
            ));
        }
        if file_system.fragmentation.get() > 0.0 {
            return Err(refused("fragmentation", "the kernel decides where blocks lie"));
        }
        if file_system.allocation == Some(Allocation::Reservation) {
            return Err(refused("allocation", "this kernel's ext4 driver allocates by multi-block"));
        }
        if file_system.journal.on.is_some() {
            return Err(refused("journal", "its journal lies within it here"));
        }
        if file_system.journal_place.is_some() {
            return Err(refused("journal_place", "mke2fs decides where the journal lies"));
        }
        let mut arguments: Vec<String> = ["-q", "-F", "-b"].map(str::to_owned).into();
        arguments.push(BLOCK_BYTES.to_string());
        let mut option = |name: &str, value: String| arguments.extend([name.to_owned(), value]);
        if let Some(size) = file_system.journal_size {
            option("-J", format!("size={}", size.get() >> 20));
        }
        if let Some(ratio) = file_system.inode_ratio {
            option("-i", ratio.get().to_string());
        }
        if let Some(groups) = file_system.flex_groups.filter(|groups| *groups > 1) {
            option("-G", groups.to_string());
        }
        option("-I", file_system.inode_size.get().to_string());
        option("-g", file_system.blocks_per_group.to_string());
        let mut features = vec![if file_system.dir_index { "dir_index" } else { "^dir_index" }];
        if file_system.flex_groups.is_some_and(|groups| groups <= 1) {
            features.push("^flex_bg");
        }
        option("-O", features.join(","));
        // Everything is written now, so that no kernel thread does it during the experiment.
        option("-E", "lazy_itable_init=0,lazy_journal_init=0".to_owned());
        Ok(arguments)
    }

    /// Flags of mount(2).
    pub(super) fn mount_flags(&self) -> MountFlags {
        match self.file_system.access_times {
            AccessTimes::Never => MountFlags::NOATIME,
            AccessTimes::Relative => MountFlags::RELATIME,
            AccessTimes::Always => MountFlags::STRICTATIME,
        }
    }

    /// Options of mount(2).
    pub(super) fn mount_options(&self) -> String {
        if self.xfs {
            return self.mount_options.join(",");
        }
        let file_system = &self.file_system;
        let journal = match file_system.journal.mode {
            JournalMode::Ordered => "ordered",
            JournalMode::WriteBack => "writeback",
            JournalMode::Journal => "journal",
        };
        let barrier = u8::from(file_system.barriers);
        let commit = nearest_whole(file_system.commit_interval.as_seconds().max(1.0));
        let mut options = format!("data={journal},barrier={barrier},commit={commit}");
        if file_system.discard {
            options.push_str(",discard");
        }
        for option in &self.mount_options {
            options.push(',');
            options.push_str(option);
        }
        options
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use petrio_units::Fraction;

    #[test]
    fn the_models_parameters_become_options_of_mke2fs_and_mount() {
        let mut parameters = RigParameters::default();
        let made = parameters.make_arguments().unwrap().join(" ");
        assert_eq!(
            made,
            "-q -F -b 4096 -J size=16 -I 256 -g 32768 -O dir_index -E lazy_itable_init=0,lazy_journal_init=0"
        );
        assert_eq!(parameters.mount_options(), "data=ordered,barrier=1,commit=5");
        parameters.file_system.family = Family::Ext4;
        parameters.file_system.journal = JournalMode::Journal.into();
        parameters.file_system.barriers = false;
        parameters.file_system.flex_groups = Some(1);
        parameters.file_system.discard = true;
        parameters.mount_options.push("nodelalloc".to_owned());
        assert!(parameters.make_arguments().unwrap().join(" ").contains("-O dir_index,^flex_bg"));
        assert_eq!(parameters.mount_options(), "data=journal,barrier=0,commit=5,discard,nodelalloc");
    }

    #[test]
    fn xfs_is_made_and_mounted_as_it_is_by_itself() {
        let mut parameters =
            RigParameters { xfs: true, size: Bytes::from_mib(512), ..RigParameters::default() };
        assert_eq!((parameters.type_name(), parameters.maker()), ("xfs", "mkfs.xfs"));
        assert_eq!(parameters.make_arguments().unwrap(), ["-q", "-f"]);
        assert_eq!(parameters.mount_options(), "");
        parameters.size = Bytes::from_mib(64);
        assert!(parameters.make_arguments().unwrap_err().to_string().contains("too small for an XFS"));
    }

    #[test]
    fn what_a_real_file_system_cannot_be_given_is_refused_by_name() {
        let refusal = |change: &dyn Fn(&mut RigParameters)| {
            let mut parameters = RigParameters::default();
            change(&mut parameters);
            parameters.make_arguments().unwrap_err().to_string()
        };
        let fragmented = |parameters: &mut RigParameters| {
            parameters.file_system.fragmentation = Fraction::new(0.5).unwrap();
        };
        assert!(refusal(&fragmented).starts_with("fragmentation: "));
        assert!(refusal(&|parameters| parameters.size = Bytes::from_mib(1)).starts_with("size: "));
        let old = |parameters: &mut RigParameters| {
            parameters.file_system.allocation = Some(Allocation::Reservation);
        };
        assert!(refusal(&old).starts_with("allocation: "));
    }
}
