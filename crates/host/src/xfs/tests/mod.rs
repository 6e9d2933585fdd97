//! What a real XFS was seen to do (Linux 6.18, mkfs.xfs 6.1, 4 GiB and 512 MiB), asked of the volume and the log.

#![allow(clippy::unwrap_used)]

mod extents;
mod log_sizes;
mod rig;
