//! PVFS: files striped over the file systems of many hosts.
//!
//! ```text
//!  client ─▶ network ─▶ server ─▶ its host's file system
//!     └────▶ network ─▶ manager ─▶ a file system, too
//! ```
//!
//! A client cuts a call into the parts that lie on each server, sends all of them at once, and is done when the last is.
//! A server's files are plain files of its own host, whose pages are those of any host. Who appends asks a file's servers
//! first where it ends, and writes there; nothing holds the end meanwhile, so that two who ask at once write to the same
//! place, as with PVFS itself.
//!
//! Servers of PVFS 2 may stop, exit, be out of reach or slow. Requests have time-outs, are sent again and given up (`attempts`), over
//! connections that are reset or refused (`links`); a server that is started anew has forgotten what it worked on, and what its host had in
//! memory alone (`sessions/lives.rs`).
//!
//! Sources: chapters 3.3, 6 and 8.4 of the dissertation; for PVFS 2 messages captured of OrangeFS 2.10, and its source. Leaves out: other
//! transports than the network's; of failures, that names of operations that fail aren't made (they count as made), buffers of flows whose
//! client has given up (`ServerJobFlowTimeoutSecs`), and what a server's host does meanwhile.

mod attempts;
mod calls;
mod client;
mod conserved;
#[cfg(test)]
mod conserved_tests;
#[cfg(test)]
mod failure_tests;
#[cfg(test)]
mod failure_world;
mod links;
mod message;
pub mod metadata;
mod page;
mod parameters;
mod server;
mod sessions;
mod shared;
mod striping;
mod tally;
mod unsynced;

pub use page::{PvfsClient, PvfsEnd, PvfsFiles, pvfs_page};
pub use parameters::{
    PvfsCosts, PvfsError, PvfsParameters, PvfsRetries, QueueCost, ServerOrder, ServiceLevels, Version,
};
pub use striping::{Order, Striping};
pub use tally::PvfsTally;
