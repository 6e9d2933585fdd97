//! The token colours that cross page borders, and nothing else does.
//!
//! A colour is a request *and* its completion: the same token goes down the storage path and comes back up, carrying
//! who asked and a [`Ledger`] of where its time went. At this stage of petrio one colour exists, [`BlockRequest`]: what
//! a file system, a RAID array or a scheduler asks of a device.

mod block_request;
mod ledger;

pub use block_request::{BlockRequest, Direction, RequestId, SECTOR_BYTES, Status};
pub use ledger::{Cause, Ledger};
