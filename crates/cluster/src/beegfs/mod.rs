//! BeeGFS over a network: clients ask metadata servers for names and storage servers for chunks, each request on a connection of its own.
//!
//! ```text
//!   client: buffers ─▶ rounds of requests ─▶ connections ⋯ network ⋯ workers of a metadata server ─▶ its host's file system
//!                                                └─▶ ⋯ network ⋯ workers of a storage target ─▶ its host's file system
//!                       metadata ─▶ chunks' sizes, chunks to remove ⋯┘ └⋯ network ⋯ the other one of its mirror group
//! ```
//!
//! After the source of BeeGFS 8.3.1 (github.com/ThinkParQ/beegfs); each file says which part of it, and what it leaves out.

mod asker;
mod buffers;
mod client;
mod conserved;
#[cfg(test)]
mod conserved_tests;
mod message;
mod names;
mod page;
mod parameters;
mod procedure;
mod rounds;
mod server;
mod striping;
mod tallies;
mod wire;

pub use names::Names;
pub use page::{BeegfsClientPorts, BeegfsServer, Holds, beegfs_page};
pub use parameters::{BeegfsCosts, BeegfsError, BeegfsParameters, Mirroring};
pub use procedure::Procedure;
pub use striping::{Chooser, Group, Part, Striping};
pub use tallies::RpcsOf;

/// Bytes of a file's inode in an entry's extended attribute, as it is stored and as it moves: of a file with four targets
/// (`DiskMetaData::serializeDentry`, meta/source/storage; flags, IDs, attributes, pattern).
const INODE: u64 = 256;
