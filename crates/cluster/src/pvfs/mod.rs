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
//! Sources: chapters 3.3, 6 and 8.4 of the dissertation; for PVFS 2 messages captured of OrangeFS 2.10. Leaves out: PVFS
//! 2's metadata (its files' attributes and names are asked of one manager, as PVFS 1's), its caches of attributes and
//! names, other transports than the network's.

mod calls;
mod client;
mod conserved;
#[cfg(test)]
mod conserved_tests;
mod message;
pub mod metadata;
mod page;
mod parameters;
mod server;
mod sessions;
mod shared;
mod striping;

pub use page::{PvfsClient, PvfsFiles, pvfs_page};
pub use parameters::{PvfsCosts, PvfsError, PvfsParameters, QueueCost, ServerOrder, ServiceLevels, Version};
pub use striping::{Order, Striping};
