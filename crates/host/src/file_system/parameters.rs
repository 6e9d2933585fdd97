//! What a scenario says of an ext3 or ext4 file system: how it was made and how it is mounted.
//!
//! Defaults are those of mke2fs 1.47 (its `mke2fs.conf`) and of the kernel's mount options. The block is always 4 KiB:
//! smaller ones, larger clusters (bigalloc) and file systems without a journal are left out. Blocks reserved for the
//! superuser count as free: the model's processes may use them.

use super::journalling::{JournalMode, Journalling};
use crate::kernel_profile::JournalGeneration;
use petrio_kernel::Time;
use petrio_persist::Persist;
use petrio_stage::Lever;
use petrio_units::{Bytes, Duration, Fraction};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Bytes in a block of the file system.
pub const BLOCK_SIZE: u64 = 4096;

/// Which file system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema, Persist)]
#[serde(rename_all = "kebab-case")]
pub enum Family {
    /// Indirect blocks, one block allocated at a time.
    #[default]
    Ext3,
    /// Extents, groups gathered into flexible ones, blocks allocated when they are written back.
    Ext4,
}

/// How blocks are found for a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Persist)]
#[serde(rename_all = "kebab-case")]
pub enum Allocation {
    /// Next to the last block, inside a window reserved for the file (fs/ext3/balloc.c).
    Reservation,
    /// Normalised requests, preallocated for each file; small files share a chunk (fs/ext4/mballoc.c, which also serves
    /// an ext3 file system that the ext4 driver mounts).
    MultiBlock,
}

/// When reading a file changes the time of its last access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema, Persist)]
#[serde(rename_all = "kebab-case")]
pub enum AccessTimes {
    /// Never (mount option `noatime`).
    #[default]
    Never,
    /// Where it was not read since it was last changed (mount option `relatime`, the default from Linux 2.6.30). That a
    /// day has passed since happens in no run.
    Relative,
    /// Whenever it is read, once in a tick of the clock of files' times (mount option `strictatime`, the default before
    /// Linux 2.6.30).
    Always,
}

/// Where the journal lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Persist)]
#[serde(rename_all = "kebab-case")]
pub enum JournalPlace {
    /// Behind the metadata of the first group: what mke2fs 1.47 does for a file system without extents.
    Beginning,
    /// In the middle of the volume: what mke2fs does for one with extents, and did for ext3 before it used fallocate.
    Middle,
}

/// How an ext3 or ext4 file system was made and is mounted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct FileSystemParameters {
    /// Which file system: `ext3` or `ext4`, which the keys here are for; or `tmpfs`, in memory, which has `host` and `size` alone.
    #[serde(rename = "type")]
    pub family: Family,
    /// What goes through the journal (mount option `data=`): a word; or a table with that as `mode`, and as `on` the
    /// disk, array or other part that is the journal, where it lies on a device of its own.
    pub journal: Journalling,
    /// Size of the journal; left out, all of a device of its own, and within the file system what mke2fs chooses by the
    /// size of the volume (ext2fs_default_journal_size of e2fsprogs 1.47: 4 MiB below 128 MiB, 32 MiB at 1 GiB, 512 MiB
    /// at 64 GiB).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub journal_size: Option<Bytes>,
    /// Where the journal lies; left out, what mke2fs 1.47 does for the type.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub journal_place: Option<JournalPlace>,
    /// Whether the journal flushes the device's write cache around its commit block (mount option `barrier`). On by
    /// default from Linux 2.6.28 (ext4) and 3.1 (ext3).
    pub barriers: bool,
    /// Whether the device is told of blocks that files gave back, once the transaction is committed that gave them back (mount option
    /// `discard`, of ext4's driver). It does nothing where something on the way to the devices takes no discards.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub discard: bool,
    /// When reading a file changes the time of its last access, which changes its inode and has to be committed: `never`,
    /// as file servers and measurements are usually mounted, unless this says otherwise.
    pub access_times: AccessTimes,
    /// Whether names and inodes of files that are there have to be read when somebody first asks for them, as after a mount; left
    /// out, they have on ext4 (but of files that are cached), and on ext3 they are in memory, as where others have used them before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub just_mounted: Option<bool>,
    /// How old a transaction becomes before it is committed (mount option `commit`; 5 s by fs/jbd2/journal.c).
    pub commit_interval: Duration,
    /// Share of the journal that must be free, or else checkpoints make it so; left out, the kernel's rule: the room of
    /// a largest transaction, beside that of the one being committed (fs/jbd2/checkpoint.c), so between a quarter and a
    /// half.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checkpoint: Option<Fraction>,
    /// Blocks in a group; 32768 is what one bitmap block describes.
    pub blocks_per_group: u32,
    /// Bytes of the volume for which mke2fs makes an inode; left out, 16 KiB, and 4 KiB below 512 MiB (mke2fs.conf).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inode_ratio: Option<Bytes>,
    /// Bytes of an inode: 256 since mke2fs 1.41, 128 before.
    pub inode_size: Bytes,
    /// Groups whose bitmaps and inode tables lie together; left out, 16 for ext4 and 1 (none) for ext3.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flex_groups: Option<u32>,
    /// Whether larger directories are hashed trees (`dir_index`).
    pub dir_index: bool,
    /// Bytes of a file's name: how many entries a directory block holds. The operations of a run carry no names.
    pub name_length: u32,
    /// How blocks are found; left out, `reservation` for ext3 and `multi-block` for ext4.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allocation: Option<Allocation>,
    /// Blocks in the first window that is reserved for a file, doubled while the file uses it up
    /// (EXT3_DEFAULT_RESERVE_BLOCKS, 8 by include/linux/ext3_fs.h of Linux 2.6.24); 0 for none (mount option
    /// `noreservation`).
    pub reservation: u32,
    /// Share of the pieces of a prepared file that don't follow the piece before, but lie anywhere.
    pub fragmentation: Fraction,
    /// Size of these pieces.
    pub fragment: Bytes,
}

impl FileSystemParameters {
    /// What could be changed about it; its parameters stand at `path`, and it lies on `blocks` blocks of its own size.
    pub fn levers(&self, path: &str, blocks: u64) -> Vec<Lever> {
        let twice = Bytes(self.journal_blocks(blocks).saturating_mul(2 * BLOCK_SIZE));
        let larger = Lever::twice("for-commit", "journal", "a journal twice as large");
        let without =
            Lever::instead("for-write", "barriers", "no barriers").set(path, "barriers", false).at_a_price(
                "what a device has in its cache is lost with the power, and the file system may be damaged",
            );
        let other = Lever::instead("for-commit", "journal mode", "data written back at any time")
            .at_a_price("files that were being written may hold what others had deleted after a crash");
        let other = match self.journal.on {
            Some(_) => other.set(path, "journal.mode", "write-back"),
            None => other.set(path, "journal", "write-back"),
        };
        let levers = [
            // A device of its own is as large as it is.
            self.journal.on.is_none().then(|| larger.set(path, "journal_size", twice)),
            self.barriers.then_some(without),
            (self.journal.mode != JournalMode::WriteBack).then_some(other),
        ];
        levers.into_iter().flatten().collect()
    }
}

impl Default for FileSystemParameters {
    fn default() -> Self {
        Self {
            family: Family::Ext3,
            journal: Journalling::default(),
            journal_size: None,
            journal_place: None,
            barriers: true,
            discard: false,
            access_times: AccessTimes::Never,
            just_mounted: None,
            commit_interval: Duration::new(Time::from_whole_seconds(5)),
            checkpoint: None,
            blocks_per_group: 32_768,
            inode_ratio: None,
            inode_size: Bytes(256),
            flex_groups: None,
            dir_index: true,
            name_length: 12,
            allocation: None,
            reservation: 8,
            fragmentation: Fraction::ZERO,
            fragment: Bytes::from_kib(128),
        }
    }
}

impl FileSystemParameters {
    /// The defaults of a type.
    pub fn of(family: Family) -> Self {
        Self { family, ..Self::default() }
    }

    /// With what a kernel decides unless the file system says otherwise: the driver of ext4, which also mounts ext3 in
    /// kernels with jbd2 (from 4.3 there is no other), finds blocks by `multi-block`, that of ext3 by `reservation`.
    pub fn under(mut self, journal: JournalGeneration) -> Self {
        self.allocation.get_or_insert(match journal {
            JournalGeneration::Jbd => Allocation::Reservation,
            JournalGeneration::Jbd2 => Allocation::MultiBlock,
        });
        self
    }

    /// How blocks are found, with the type's default.
    pub fn allocation(&self) -> Allocation {
        self.allocation.unwrap_or(match self.family {
            Family::Ext3 => Allocation::Reservation,
            Family::Ext4 => Allocation::MultiBlock,
        })
    }

    /// Blocks of the journal within a volume of `blocks` blocks (lib/ext2fs/mkjournal.c of e2fsprogs 1.47).
    pub fn journal_blocks(&self, blocks: u64) -> u64 {
        if self.journal.on.is_some() {
            return 0;
        }
        if let Some(size) = self.journal_size {
            return size.get() / BLOCK_SIZE;
        }
        // Volumes of fewer blocks than the first number have a journal of the second.
        const SIZES: [(u64, u64); 7] = [
            (1 << 15, 1 << 10),
            (1 << 18, 1 << 12),
            (1 << 19, 1 << 13),
            (1 << 22, 1 << 14),
            (1 << 23, 1 << 15),
            (1 << 24, 1 << 16),
            (1 << 25, 1 << 17),
        ];
        SIZES.into_iter().find(|&(most, _)| blocks < most).map_or(1 << 18, |(_, journal)| journal)
    }

    /// Whether names and inodes aren't known when a run begins.
    pub(crate) fn is_just_mounted(&self) -> bool {
        self.just_mounted.unwrap_or(self.family == Family::Ext4)
    }

    /// Groups whose metadata lie together; 1 where each group keeps its own.
    pub(super) fn flex(&self) -> u32 {
        self.flex_groups.unwrap_or(match self.family {
            Family::Ext3 => 1,
            Family::Ext4 => 16,
        })
    }

    pub(super) fn place(&self) -> JournalPlace {
        self.journal_place.unwrap_or(match self.family {
            Family::Ext3 => JournalPlace::Beginning,
            Family::Ext4 => JournalPlace::Middle,
        })
    }

    /// Bytes of a directory entry (fs/ext4/ext4.h, ext4_dir_rec_len: eight and the name, rounded up to four).
    pub(super) fn entry_bytes(&self) -> u32 {
        (8 + self.name_length).next_multiple_of(4)
    }
}
