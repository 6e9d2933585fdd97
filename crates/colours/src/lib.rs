//! The token colours that cross page borders, and nothing else does.
//!
//! A colour is a request *and* its completion: the same token goes down the storage path and comes back up, carrying
//! who asked and a [`Ledger`] of where its time went. [`FileOp`] is what a process asks of a file system,
//! [`BlockRequest`] what a file system, a RAID array or a scheduler asks of a device. What both have in common is a
//! [`Request`]. [`Message`] is what hosts exchange through a network; what it says is in a [`Parcel`]. An [`Exchange`] is what
//! the processes of a parallel program send each other.

#![warn(clippy::cast_possible_truncation, clippy::cast_sign_loss)]

mod block_request;
mod cause;
mod exchange;
mod failure;
mod file_id;
mod file_op;
mod ledger;
mod message;
mod parcel;
mod placed_extent;
mod purpose;
mod request;

pub use block_request::{BlockRequest, Direction, Hint, SECTOR_BYTES};
pub use cause::{Cause, Causes, FileCause, MOST_CAUSES};
pub use exchange::{Exchange, Remote};
pub use failure::Failure;
pub use file_id::FileId;
pub use file_op::{AccessFlags, Fallocate, FileOp, Operation, Submission};
pub use ledger::Ledger;
pub use message::{Message, Verb};
pub use parcel::Parcel;
pub use placed_extent::PlacedExtent;
pub use purpose::{Purpose, Purposes};
pub use request::{IoClass, Movement, Request, RequestId, Status};
