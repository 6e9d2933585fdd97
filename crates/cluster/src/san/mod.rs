//! A file system on disks that all of its nodes reach over a storage network (SAN).
//!
//! ```text
//!  node ─┬─▶ network ─▶ disk, disk, disk …       blocks, by SCSI's exchanges
//!        ├─▶ network ─▶ lock manager ─▶ nodes    tokens
//!        └─▶ network ─▶ another node             inodes that this one keeps: it is the files' metanode
//! ```
//!
//! No server stands between a node and the disks: it asks them itself for the blocks of files, and of what says where these
//! lie. So that all see the same, a node works only with what it has a token for, which a lock manager grants; it keeps what
//! it has a token for in its memory, and writes and forgets it when another wants the token.
//!
//! | room | what |
//! | --- | --- |
//! | `placement`, `volume` | where partitions of files and their metadata lie |
//! | `ranges`, `tokens` | who holds what, who waits, who is asked to give up |
//! | `cache`, `call`, `node`, `access`, `names`, `ahead`, `requests`, `releases` | a node: what a call needs and does, what is kept, what goes |
//! | `metanode`, `message` | inodes of files that many work with; what all of these send each other |
//! | `client`, `manager`, `page` | these in a net |
//! | `conserved` | what never changes of their messages |
//!
//! Sources: Schmuck and Haskin, "GPFS: A Shared-Disk File System for Large Computing Clusters", FAST 2002; Preslan et al.,
//! "A 64-bit, Shared Disk File System for Linux" (GFS), 1999; Kronenberg, Levy and Strecker, "VAXclusters", 1986; Linux'
//! distributed lock manager for the size of messages. Leaves out: logs of metadata and recovery, quotas, a
//! scheduler of requests on the node, memory that programs map.

mod access;
mod ahead;
mod cache;
mod call;
mod client;
mod conserved;
mod costs;
mod manager;
mod message;
mod metanode;
mod names;
mod node;
mod page;
mod parameters;
mod placement;
mod ranges;
mod releases;
mod requests;
mod tokens;
mod volume;

#[cfg(test)]
mod tests;

pub use page::{SanManager, SanNode, SanRules, san_page};
pub use parameters::{Granularity, LockParameters, SanError, SanParameters};
pub use placement::Placement;
pub use volume::Volume as SanVolume;
