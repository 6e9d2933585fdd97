//! Storage nodes: each disk with a processor and memory of its own, on a network with all others, and a spigot by which
//! requests come in (DataMesh).
//!
//! ```text
//!  requests ─▶ spigot ─ forward ─▶ master's node ─ query ─▶ nodes with copies
//!                                        │       ◀─ answer ─┘
//!                                        └─ part ─▶ node: processor ─▶ memory ─▶ disk
//!  completions ◀─ spigot ◀─────────────── data ───────────────────────────┘
//! ```
//!
//! The node with the file's master copy stands for it: it asks the others what a request would meet there, sends it on,
//! and is told how it went; data of a read go straight to the spigot, those of a write come with the request. Copies are
//! made through it, too: it reads pieces and sends them to the nodes that are to have them. Messages of a node to itself
//! don't cross the network.
//!
//! Memory keeps what was read and written, and gives up what has not been used for the longest time; it is written
//! through. What a node has in memory it offers at once, so that the choice of a copy goes there.
//!
//! Source: S.-L. Lo, "Ivy" (HPL-CSP-90-48, 1990), §1 ("each storage node consists of a disk bundled with a multi-mips CPU
//! and several megabytes of memory", "interconnected by a very high speed network") and §4.1, which leaves all of it out
//! of the simulator. Leaves out: several spigots, a node that fails without its disk, reads ahead in a node's memory,
//! writes that wait there.

mod memory;
mod mesh;
mod page;
mod seats;

#[cfg(test)]
mod tests;

pub use memory::NodeMemory;
pub use page::{Nodes, replication_over_nodes};

use petrio_stage::Lever;
use petrio_units::{Bytes, Duration};
use thiserror::Error;

/// What storage nodes are, all alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NodeParameters {
    /// Processors of each node and of the spigot.
    pub processors: u32,
    /// Processor time of each request that a node serves, before its memory is looked into.
    pub work: Duration,
    /// Memory of each node that keeps what was read and written; none where it is zero.
    pub memory: Bytes,
    /// What is kept and given up together.
    pub block: Bytes,
    /// Bytes of a message, data and the network's headers left out.
    pub message: Bytes,
}

/// A line of UFS in 1990 is a fragment of 1 KiB: files end in those, so that memory keeps no less.
const BLOCK: Bytes = Bytes(1 << 10);
/// Room for a request's or an answer's figures and a name. Assumed: the study says only that they are small.
const MESSAGE: Bytes = Bytes(64);

impl Default for NodeParameters {
    fn default() -> Self {
        Self { processors: 1, work: Duration::ZERO, memory: Bytes(0), block: BLOCK, message: MESSAGE }
    }
}

/// Why nodes can't be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum NodeError {
    /// Nobody who works.
    #[error("a node has 1 processor or more")]
    Processors,
    /// Blocks that aren't made of sectors.
    #[error("memory in blocks of {0} doesn't fit disks; a multiple of 512 B was expected")]
    Block(Bytes),
    /// Memory without room for one.
    #[error("a memory of {memory} has no room for a block of {block}; leave it out, or give more")]
    Memory {
        /// All of it.
        memory: Bytes,
        /// A block.
        block: Bytes,
    },
}

/// What a block in memory takes here at worst, bytes: 17 in a hash table that may be no more than 7 in 16 full, and 16 in
/// a tree whose nodes may be half full.
const BYTES_A_BLOCK: u64 = 72;

impl NodeParameters {
    /// Whether they make sense.
    ///
    /// # Errors
    /// See [`NodeError`].
    pub fn check(&self) -> Result<(), NodeError> {
        let &Self { processors, memory, block, .. } = self;
        if processors == 0 {
            return Err(NodeError::Processors);
        }
        if block.get() == 0 || !block.get().is_multiple_of(petrio_colours::SECTOR_BYTES) {
            return Err(NodeError::Block(block));
        }
        if memory.get() > 0 && memory < block {
            return Err(NodeError::Memory { memory, block });
        }
        Ok(())
    }

    /// Bytes that the memories of so many nodes take here.
    pub fn bytes_of(&self, nodes: usize) -> u64 {
        (self.memory.get() / self.block.get().max(1))
            .saturating_mul(BYTES_A_BLOCK)
            .saturating_mul(nodes as u64)
    }

    /// What could be better about them; they stand at `path`.
    pub fn levers(&self, path: &str) -> Vec<Lever> {
        let more = Lever::twice("processor", "processors", "twice as many processors in each node");
        let less =
            Lever::twice("processor", "the work of requests", "requests that cost nodes half of the work");
        let levers = [
            more.set(path, "processors", self.processors.saturating_mul(2)),
            less.halved(path, "work", self.work),
        ];
        levers.into_iter().filter_map(Lever::if_any).collect()
    }
}
