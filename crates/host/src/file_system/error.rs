//! What can go wrong with a volume, and what to do about it.

use petrio_colours::{Failure, FileId};

/// Why a volume can't be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FormatError {
    /// The device is too small for metadata and journal.
    #[error(
        "a device of {blocks} blocks of 4 KiB is too small for the file system, which needs {needed}; \
         take a larger device or a smaller `journal_size`"
    )]
    TooSmall {
        /// Blocks of 4 KiB of the device.
        blocks: u64,
        /// Blocks that metadata and journal take.
        needed: u64,
    },
    /// The device is larger than block numbers reach.
    #[error(
        "a device of {blocks} blocks of 4 KiB is too large for the file system, which has at most {most}"
    )]
    TooLarge {
        /// Blocks of 4 KiB of the device.
        blocks: u64,
        /// The most it can have.
        most: u64,
    },
    /// A parameter is out of its range.
    #[error("`{parameter}` is {value}; {expected}")]
    Parameter {
        /// Its name.
        parameter: &'static str,
        /// What it is.
        value: u64,
        /// What it may be.
        expected: &'static str,
    },
}

/// Why an operation on a file fails.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FileError {
    /// ENOENT.
    #[error("there is no file {}; prepare it before the run, or create it first", .file.0)]
    NotFound {
        /// The file.
        file: FileId,
    },
    /// EEXIST.
    #[error("file {} exists already; unlink it first, or use another number", .file.0)]
    Exists {
        /// The file.
        file: FileId,
    },
    /// ENOTDIR.
    #[error("file {} isn't a directory; name a directory here", .file.0)]
    NotADirectory {
        /// The file.
        file: FileId,
    },
    /// EISDIR.
    #[error("file {} is a directory; name a plain file here, or use rmdir", .file.0)]
    IsADirectory {
        /// The file.
        file: FileId,
    },
    /// ENOTEMPTY.
    #[error("directory {} still has {entries} entries; remove them first", .file.0)]
    NotEmpty {
        /// The directory.
        file: FileId,
        /// How many entries it has.
        entries: u64,
    },
    /// EINVAL.
    #[error("directory {} can't be moved or removed so: {reason}", .file.0)]
    Misplaced {
        /// The directory.
        file: FileId,
        /// What is wrong.
        reason: &'static str,
    },
    /// ENOSPC.
    #[error(
        "the volume is full: file {} needs {wanted} more blocks and {free} are free; \
         take a larger device or smaller files", .file.0
    )]
    NoSpace {
        /// The file that grows.
        file: FileId,
        /// Blocks that it still needs.
        wanted: u64,
        /// Blocks that are free.
        free: u64,
    },
    /// ENOSPC, for want of inodes.
    #[error("the volume has no inode left for file {}; make it with a smaller `inode_ratio`", .file.0)]
    NoInode {
        /// The file that would be made.
        file: FileId,
    },
    /// EOPNOTSUPP.
    #[error("file {} lies where ranges get no blocks without data; use ext4 or xfs", .file.0)]
    NotSupported {
        /// The file.
        file: FileId,
    },
    /// EFBIG.
    #[error("file {} would have {blocks} blocks, and can have at most {most}; use ext4, or smaller files", .file.0)]
    TooLarge {
        /// The file.
        file: FileId,
        /// Blocks that it would have.
        blocks: u64,
        /// Blocks that it can have.
        most: u64,
    },
}

impl FileError {
    /// What the kernel tells the process.
    pub const fn failure(&self) -> Failure {
        match self {
            Self::NotFound { .. } => Failure::NotFound,
            Self::Exists { .. } => Failure::Exists,
            Self::NotADirectory { .. } => Failure::NotADirectory,
            Self::IsADirectory { .. } => Failure::IsADirectory,
            Self::NotEmpty { .. } => Failure::NotEmpty,
            Self::Misplaced { .. } => Failure::Misplaced,
            Self::NoSpace { .. } => Failure::NoSpace,
            Self::NoInode { .. } => Failure::NoInode,
            Self::NotSupported { .. } => Failure::NotImplemented,
            Self::TooLarge { .. } => Failure::TooLarge,
        }
    }
}
