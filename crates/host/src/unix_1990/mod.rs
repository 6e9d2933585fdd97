//! A Unix host of 1990: a buffer cache of blocks, write-back by a sync daemon, one block read ahead.
//!
//! ```text
//!  operations ─▶ call ─┬─ all in buffers ─▶ processor ─▶ completions
//!                      └─ waits for a block, a write or a buffer
//!  requests ◀─ reads, asynchronous and synchronous writes      sync daemon (every 30 s) ─▶ requests
//! ```
//!
//! As HP-UX 7.0, which is almost 4.2BSD here: a share of memory holds blocks of 8 KiB in one least-recently-used list.
//! A write that reaches the end of a block is asynchronous, a shorter one is delayed, metadata (and files opened for
//! it) are written synchronously. A daemon writes what has been delayed for long enough; of a deleted file nothing is
//! written any more.
//!
//! A host has one file system or several, each on a device of its own with cylinder groups, inodes and files of its own. What
//! they share is the machine: the buffers, of which a block's identity is its file system and its place there, the processors,
//! and the sync daemon, whose sync(2) is about all of them. So it was on Cello, whose seven file systems on six disks had one
//! buffer cache (Ivy, table 2 and §4.5).
//!
//! Source: S.-L. Lo, "Ivy: a study on replicating data for performance improvement" (HPL-CSP-90-48, 1990), §4.5; M.
//! McKusick et al., "A fast file system for UNIX", ACM TOCS 2(3), 1984 (layout, fragments); the order in which a read
//! and its read-ahead are started is that of `breada` in S. Leffler et al., "The design and implementation of the
//! 4.3BSD UNIX operating system", 1989, chapter 7.
//!
//! A file system of another host is mounted by NFS version 2 (`over_nfs`): its blocks lie in the same buffers, and what would go to
//! a device goes to the server.
//!
//! What it exports by NFS, its servers ask it for as processes (`petrio_cluster`): each write of theirs is on the disk before it returns, with
//! what the file system has about it there (`through`).
//!
//! Leaves out: paging (programs are read past the buffer cache), the inode and name caches, indirect blocks but where a file is written
//! through to the disk. Everything may be shared with the Linux host that is the same in both: processors, operations, requests.

mod buffer_cache;
mod call;
mod files;
mod in_flight;
mod layout;
mod over_nfs;
mod page;
mod parameters;
mod state;
mod through;

pub use files::{UnixFile, UnixFileSystem, unix_1990_layout};
pub use over_nfs::OverNfs;
pub use page::{UnixPorts, UnixVolume, unix_1990_page};
pub use parameters::{DEVICE_BLOCKS_MAX, RecordedReads, UnixError, UnixParameters};

#[cfg(test)]
mod tests;
#[cfg(test)]
mod through_tests;
