//! A file service over a network: clients ask servers for what lies on these, a call at a time.
//!
//! ```text
//!  client ─▶ calls on their way ⋯ network ⋯ threads of a server ─▶ its host's file system
//!     └──▶ its own host's file system, where that is the server
//! ```
//!
//! A client cuts what a program asks for into calls of bounded size, of which some are on their way at a time; a server has
//! so many threads, each of which does one call. With one server it is a NAS. Where every node serves its own disk to the
//! others it is the SAN-direct of the study (Wang and Kaeli, §3.1.2): partitions of files lie where a placement says, and
//! what lies on a client's own host is asked of that host itself, past network and threads.
//!
//! Sources: the study, §2 and §3; what messages are long by RFC 1813 and RFC 5531 (`wire.rs`). Leaves out what makes NFS of
//! it: caches of data, attributes and names on clients, read-ahead and write-behind there, locks, retransmission. What programs
//! write together at the end of a file, they find there as PVFS's do: nothing holds the end.

mod calls;
mod client;
mod conserved;
#[cfg(test)]
mod conserved_tests;
mod message;
mod page;
mod parameters;
mod placement;
mod server;
mod sessions;
#[cfg(test)]
mod tests;
mod wire;

pub use page::{OwnHost, ShareClient, share_page};
pub use parameters::{Connections, Names, ShareCosts, ShareError, ShareParameters, Writes};
pub use placement::{Part, Placement, Rule};
