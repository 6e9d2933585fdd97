//! The on-disk layout of ext3 and ext4: where the blocks of files lie, and which metadata blocks an operation touches.
//!
//! Pure state, without nets and without time: a page of the host asks a [`Volume`] and puts what it answers into
//! requests, journal transactions and memory. What is modelled is exactly what decides how many blocks a transaction
//! logs and where the disk's arm goes: block groups, bitmaps, inode tables, directories with their hashed index,
//! indirect blocks and extent trees, the two block allocators, Orlov's rule, the list of orphans.
//!
//! ```text
//!  Volume ──┬─ geometry    where mke2fs puts everything        (e2fsprogs 1.47)
//!           ├─ bitmap      which blocks and inodes are taken
//!           ├─ inodes      which inode a new file gets         (fs/ext4/ialloc.c)
//!           ├─ search      which blocks a file gets            (fs/ext3/balloc.c of 2.6.24, fs/ext4/mballoc.c)
//!           ├─ allocate    what giving blocks touches          (fs/ext4/indirect.c, extents.c)
//!           ├─ release     what giving them back touches       (fs/ext4/inode.c, orphan.c)
//!           ├─ operate     create, unlink, rename …            (fs/ext4/namei.c)
//!           ├─ rare        further names, none, attributes     (fs/ext4/namei.c, xattr.c)
//!           ├─ ranges      blocks without data, holes          (fs/ext4/extents.c, inode.c)
//!           └─ prepare     files that are there before a run
//! ```
//!
//! An append of a block changes three metadata blocks; that of the thirteenth block makes an indirect block, the
//! fourth:
//!
//! ```
//! use petrio_colours::{FileId, FileOp, Operation};
//! use petrio_host::file_system::{FileSystemParameters, Mapping, Touched, Volume};
//! let mut volume = Volume::format(&FileSystemParameters::default(), 262_144)?;
//! let (mut mapping, mut touched) = (Mapping::default(), Touched::default());
//! let file = FileId(1);
//! volume.operate(&FileOp { operation: Operation::Create, file, ..FileOp::default() }, &mut touched)?;
//! assert_eq!(touched.dirtied, [66, 1, 67, 579]); // inode bitmap, descriptor, inode, directory
//! let mut blocks_changed = |block| {
//!     touched.clear();
//!     volume.allocate(file, block, 1, &mut mapping, &mut touched).map(|_| touched.dirtied.len())
//! };
//! assert_eq!(blocks_changed(0)?, 3); // block bitmap, descriptor, inode
//! for block in 1..12 {
//!     blocks_changed(block)?;
//! }
//! assert_eq!(blocks_changed(12)?, 4);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod allocate;
mod bitmap;
mod directory;
mod error;
mod extents;
mod geometry;
mod indirect;
mod inodes;
mod journalling;
mod operate;
mod parameters;
mod prepare;
mod ranges;
mod rare;
mod release;
mod search;
mod touched;
mod volume;

#[cfg(test)]
mod tests;

pub use error::{FileError, FormatError};
pub use journalling::{JournalMode, Journalling};
pub(crate) use operate::name_hash;
pub use parameters::{AccessTimes, Allocation, BLOCK_SIZE, Family, FileSystemParameters, JournalPlace};
pub use touched::{Mapping, Segment, Touched};
pub use volume::Volume;
