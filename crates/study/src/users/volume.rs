//! The files of a specification in a simulated file system: how many blocks and inodes they take, and in how many
//! pieces each lies.

use petrio_bounds::TooMuch;
use petrio_colours::FileId;
use petrio_models::host::file_system::{
    BLOCK_SIZE, Family, FileError, FileSystemParameters, FormatError, Mapping, Volume,
};
use petrio_random::generator;
use petrio_units::Bytes;
use petrio_users::namespace::FileKind;
use petrio_users::namespace::Namespace;
use serde::Serialize;
use thiserror::Error;

/// A simulated file system with the files in it.
#[derive(Clone, Debug, Serialize)]
pub struct FilledVolume {
    /// The file system's blocks of 4 KiB.
    pub blocks: u64,
    /// Blocks that the files take, their metadata among them.
    pub blocks_taken: u64,
    /// Blocks that are left.
    pub blocks_free: u64,
    /// Inodes that the files take.
    pub inodes_taken: u64,
    /// Inodes that are left.
    pub inodes_free: u64,
    /// Every file and directory, in the order in which they are made.
    pub files: Vec<VolumeFile>,
}

/// A file in a simulated file system.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct VolumeFile {
    /// Its path; that of a directory ends in a slash.
    pub path: String,
    /// Bytes; none of a directory.
    pub size: u64,
    /// Blocks of 4 KiB that it takes, metadata of its own among them.
    pub blocks: u64,
    /// Pieces in which these lie.
    pub extents: u64,
}

impl FilledVolume {
    /// Files that lie in more than one piece.
    pub fn in_pieces(&self) -> usize {
        self.files.iter().filter(|file| file.extents > 1).count()
    }
}

/// Files that can't be put there.
#[derive(Debug, Error)]
pub enum VolumeError {
    /// The file system can't be made.
    #[error("a file system of {size} can't be made: {error}")]
    Format {
        /// Its size.
        size: Bytes,
        /// Why.
        error: FormatError,
    },
    /// It is larger than can be held.
    #[error("{size} of files are more than can be laid out here: {cause}")]
    TooMuch {
        /// The files' size.
        size: Bytes,
        /// Why.
        cause: TooMuch,
    },
    /// It is too small.
    #[error("{path} doesn't fit on a file system of {size}: {error}")]
    Full {
        /// The file concerned.
        path: String,
        /// The file system's size.
        size: Bytes,
        /// Why.
        error: FileError,
    },
}

/// A size with twice the room that the files need, in whole powers of two from 1 GiB on.
pub fn usual_size(namespace: &Namespace) -> Bytes {
    let entries = namespace.entries.len() as u64;
    let needed = namespace.bytes().saturating_add(entries * 2 * BLOCK_SIZE).saturating_mul(2);
    // A usual file system has an inode for each 16 KiB.
    let size = needed.max(entries * 2 * 16_384).max(1 << 30);
    Bytes(size.checked_next_power_of_two().unwrap_or(size))
}

/// What a group of blocks takes at least: where its two maps, its inodes and its first block lie.
const BYTES_A_GROUP: u64 = 32;

/// Puts the files on a fresh file system.
///
/// # Errors
/// A size that can't be, or too small a one.
pub fn fill_volume(namespace: &Namespace, family: Family, size: Bytes) -> Result<FilledVolume, VolumeError> {
    // A bit for each block that is taken (the maps of the block groups), and the places of each group's metadata.
    let parameters = FileSystemParameters::of(family);
    let taken = Bytes(namespace.bytes());
    let groups = size.get() / BLOCK_SIZE / u64::from(parameters.blocks_per_group.max(1));
    petrio_bounds::check((taken.get() / BLOCK_SIZE / 8).saturating_add(groups * BYTES_A_GROUP))
        .map_err(|cause| VolumeError::TooMuch { size: taken, cause })?;
    let mut volume = Volume::format(&parameters, size.get() / BLOCK_SIZE)
        .map_err(|error| VolumeError::Format { size, error })?;
    let (blocks_before, inodes_before) = (volume.free_blocks(), volume.free_inodes());
    let mut random = generator(1, 0, "fill", "layout");
    let number = |position: u32| FileId(position + 1);
    for (position, entry) in (0..).zip(&namespace.entries) {
        let parent = entry.parent.map_or(FileId::ROOT, number);
        let made = match entry.kind {
            FileKind::Directory => volume.add_directory(number(position), parent),
            FileKind::File => volume.add_file(number(position), parent, entry.size, &mut random),
        };
        made.map_err(|error| VolumeError::Full { path: namespace.path(position), size, error })?;
    }
    let mut mapping = Mapping::default();
    let files = (0..).zip(&namespace.entries).map(|(position, entry)| {
        let (file, is_directory) = (number(position), entry.kind == FileKind::Directory);
        volume.map(file, 0, volume.size(file).div_ceil(BLOCK_SIZE), &mut mapping);
        let mut extents = 0;
        let mut next = None;
        for segment in &mapping.segments {
            extents += u64::from(segment.block.is_some() && segment.block != next);
            next = segment.block.map(|block| block + segment.count);
        }
        VolumeFile {
            path: format!("{}{}", namespace.path(position), if is_directory { "/" } else { "" }),
            size: if is_directory { 0 } else { entry.size },
            blocks: volume.blocks_of(file),
            extents,
        }
    });
    Ok(FilledVolume {
        files: files.collect(),
        blocks: volume.blocks(),
        blocks_taken: blocks_before - volume.free_blocks(),
        blocks_free: volume.free_blocks(),
        inodes_taken: inodes_before - volume.free_inodes(),
        inodes_free: volume.free_inodes(),
    })
}
