//! Lustre over a network: what carries a mount's calls and data to metadata and object storage servers, and what these do.
//!
//! ```text
//!   page cache ─▶ requests ─▶ RPCs in flight ─▶ LNet's credits ⋯ network ⋯ threads ─▶ file systems of MDTs and OSTs
//!              ◀─ callbacks ⋯ network ⋯ locks on extents, names, attributes, layouts ◀─┘
//! ```
//!
//! Which calls there are is the client's to decide (`petrio_host::lustre`), below its page cache. After Lustre 2.15; each file says which
//! part of it, and what it leaves out.

mod client;
mod conserved;
#[cfg(test)]
mod conserved_tests;
mod extents;
mod lnet;
mod message;
mod page;
mod parameters;
mod server;
mod tally;
mod wire;

pub use client::LustreClient;
pub use page::{LustreClientPorts, LustreServer, LustreTarget, lustre_page};
pub use parameters::{LayoutComponent, LustreCosts, LustreError, LustreParameters};
pub use tally::LustreTally;
