//! XFS as Linux 6.18 has it: allocation groups, extents with delayed allocation, B+trees as far as requests show, and a log of items.
//!
//! Pure state, without nets and without time. What a transaction logs follows from which bytes of which structures an operation changes;
//! how large a write of the log is follows from that.
//!
//! ```text
//!  XfsVolume ─┬─ geometry     where mkfs.xfs puts everything             (xfsprogs 6.1)
//!             ├─ group        an allocation group ─┬─ space    free extents by block and by size    (xfs_alloc.c)
//!             │                                    ├─ inodes   chunks of 64                         (xfs_ialloc.c)
//!             │                                    └─ tree     which block a record is in
//!             ├─ fork         a file's extents, preallocation             (xfs_bmap.c, xfs_iomap.c)
//!             ├─ directory    its four forms                              (xfs_dir2*.c)
//!             ├─ allocate     promised, found, written                    (xfs_bmap.c, xfs_iomap.c)
//!             ├─ operate      create, unlink, rename …                    (xfs_inode.c)
//!             ├─ rare         further names, none, attributes             (xfs_inode.c, xfs_attr.c)
//!             └─ prepare      files that are there before a run
//!  Xfs (mount) ── both behind the page cache, with the threads that force the log and write in place
//!  Log ── items, the list of those committed, checkpoints, writes         (xfs_log_cil.c, xfs_log.c)
//! ```
//!
//! An append of a block to a file of one changes its inode, the group's header and a block of each tree of free space, which makes a log
//! write of 1.5 KiB:
//!
//! ```
//! use petrio_colours::{FileId, FileOp, Operation};
//! use petrio_host::xfs::{Changes, Log, XfsParameters, XfsVolume};
//! let parameters = XfsParameters::default();
//! let mut volume = XfsVolume::format(&parameters, 1_048_576)?;
//! let area = volume.geometry().log.clone();
//! let mut log = Log::new(parameters.log_in(area.start, area.end - area.start));
//! let (mut changes, mut writes, mut items) = (Changes::default(), Vec::new(), Vec::new());
//! let file = FileId(1);
//! volume.operate(&FileOp { operation: Operation::Create, file, ..FileOp::default() }, &mut changes)?;
//! log.commit(&changes);
//! log.checkpoint(&mut writes, &mut items);
//! assert_eq!(writes[0].bytes, 2_048);
//! changes.clear();
//! volume.promise(file, (0, 4_096))?;
//! volume.grow(file, 4_096);
//! volume.find_promised(file, (0, 1), &mut changes)?;
//! volume.written(file, (0, 1), &mut changes);
//! log.commit(&changes);
//! log.checkpoint(&mut writes, &mut items);
//! assert_eq!(writes[1].bytes, 1_536);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod allocate;
mod directory;
mod fork;
mod geometry;
mod group;
mod inodes;
mod items;
mod log;
mod mount;
mod operate;
mod parameters;
mod prepare;
mod rare;
mod space;
mod tree;
mod volume;

#[cfg(test)]
mod tests;

pub use allocate::STEP_BLOCKS;
pub use fork::{Extent, Fork, Kind};
pub use geometry::Geometry;
pub use items::{Buffer, Changes, Pieces};
pub use log::{Item, Log, LogParameters, LogWrite};
pub use parameters::{XfsParameters, XfsType};
pub use volume::XfsVolume;
