//! Predictions beside measurements: what petrio says, and what real disks, file systems and kernels did.
//!
//! | module | what is predicted | what stands beside it |
//! | --- | --- | --- |
//! | [`disks`] | each request's time on a drive | that drive measured, DiskSim's own prediction ([`demerit`] figures) |
//! | [`streaming`] | sequential rates of the catalogue's drives | the data sheets' sustained rates |
//! | [`fs`] | times of operations on ext3 and ext4 | this machine, on a loop device or in a directory |
//! | [`ops`] | the requests that each operation costs | what the kernel was seen to send, by journal mode |
//! | [`operations`] | the same on XFS and ext4, and how commits are shared | a real kernel's tables |
//! | [`dissertation`] | the measurements of a dissertation, and the shape of its curves | its tables and figures |
//! | [`ivy`] | replicated file systems | the tables of the paper on Ivy |
//! | [`pariosim`] | parallel programs on storage of several architectures | what a study of them found |
//! | [`syncs`] | fsync beside a writer | a real kernel on a disk of known times |
//! | [`raid`] | arrays under synthetic loads | DiskSim's means of its own configurations |
//! | [`md`] | what members of Linux md's arrays are asked for | arrays of a stock kernel measured in a virtual machine |
//! | [`nfs`] | the RPCs of each operation on NFS; response times | what a real kernel's client was counted to send; a small server measured |
//! | [`orangefs`] | the messages of each operation on PVFS 2 | what was counted of a real one |
//! | [`ceph`] | Ceph's RBD | a small grid measured on a real one |
//! | [`residuals`] | nothing of its own | what all of these missed by, as one table |
//! | [`pvfs`] | parallel file systems over networks | grids measured on a real one, a dissertation's experiments |

#![warn(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
#![cfg_attr(
    test,
    allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the numbers of a test are small"
    )
)]

pub mod asked;
pub mod ceph;
pub mod demerit;
pub mod disks;
pub mod dissertation;
#[cfg(feature = "live")]
pub mod fs;
pub mod ivy;
#[cfg(feature = "live")]
pub mod live;
pub mod md;
pub mod nfs;
pub mod operations;
#[cfg(feature = "live")]
pub mod ops;
mod ops_site;
pub mod orangefs;
pub mod paced;
pub mod pariosim;
pub mod pvfs;
pub mod raid;
pub mod residuals;
mod side_by_side;
pub mod streaming;
pub mod syncs;
pub mod verdict;

pub use side_by_side::NotSimulated;
