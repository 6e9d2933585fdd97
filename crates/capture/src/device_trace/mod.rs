//! The requests that reach one block device, while a command runs or for a while: when each came into the device's
//! queue, who asked, what it asked, and how long it took.
//!
//! ```text
//!  block_bio_queue, block_rq_insert, block_rq_issue, block_rq_complete ─ recorder ─▶ requests ─▶ a trace, an event a request
//! ```
//!
//! A partition's requests count from its start. What is recorded is everybody's requests to the device, not the
//! command's alone: whose they are can't be told of what is written back later.
//!
//! Left out, and counted: zone commands and passed-through commands, what was in flight at the beginning or
//! at the end, and requests to other partitions.

mod capture;
mod device;
mod requests;

pub use capture::{DeviceCapture, DeviceCaptureSummary, capture};
pub use requests::MatchCounts;
