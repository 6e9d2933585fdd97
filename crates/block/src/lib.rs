//! The Linux block layer: what lies between a file system and its devices.
//!
//! [`elevator`] is the contract that every I/O scheduler keeps, [`waiting`] what schedulers are made of (merging, order
//! of arrival, order of address), [`scheduler`] the schedulers themselves; none of these knows a net. [`queue`] puts
//! them into one, between a file system and a device. [`throttle`](petrio_device::throttle) stands before a queue and holds requests back;
//! [`raid`], [`mod@concat`], [`partition`], [`fabric`], [`multipath`] and [`rearrangement`] stand behind it: several devices as one, one
//! after the other, a run of one's blocks, a link to an array, several links of which some may fail, and a device whose most used pieces
//! are brought together. [`scsi`] asks devices that are on a network.

#![warn(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
#![cfg_attr(
    test,
    allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the numbers of a test are small"
    )
)]

pub mod concat;
mod copy_traffic;
pub mod elevator;
pub mod fabric;
mod layer;
pub mod multipath;
pub mod partition;
pub mod queue;
pub mod raid;
pub mod rearrangement;
pub mod scheduler;
pub mod scsi;
pub mod waiting;

pub use copy_traffic::CopyTraffic;
pub use layer::{AwaitedWrites, BlockLayerParameters};
