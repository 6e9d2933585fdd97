//! What the processes of a parallel program send each other at once.

use petrio_persist::Persist;
use serde::{Deserialize, Serialize};

/// What a process sends to others and receives from them in one go: MPI_Isend and MPI_Irecv of each, then MPI_Waitall.
///
/// It ends when all that is to be received has come and all that is sent may be written over. Between two processes messages
/// of one tag are received in the order in which they were sent; who receives one says nothing of its length. What is done to others'
/// memory (MPI_Put and the like) is done there when it ends, as after MPI_Win_flush; who owns the memory takes no part.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, Persist)]
pub struct Exchange {
    /// To which processes, by their numbers in the run, and of how many bytes.
    pub sends: Vec<(u32, u64)>,
    /// From which processes; once for each message.
    pub receives: Vec<u32>,
    /// Whose memory is accessed, and how.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remote: Vec<(u32, Remote)>,
    /// The tag of what it sends: it goes to who receives from here with that one.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub send_tag: u64,
    /// The tag of what it receives.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub receive_tag: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "as serde calls it")]
const fn is_zero(tag: &u64) -> bool {
    *tag == 0
}

/// An access to another process' memory (a window of MPI).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, Persist)]
pub enum Remote {
    /// So many bytes are written (MPI_Put).
    Put(u64),
    /// So many bytes are read (MPI_Get).
    Get(u64),
    /// So many bytes are combined with what is there (MPI_Accumulate).
    Accumulate(u64),
    /// A number of eight bytes is added to, and its value before is read (MPI_Fetch_and_op).
    FetchAndAdd,
}

impl Remote {
    /// Bytes that it moves.
    pub const fn bytes(self) -> u64 {
        match self {
            Self::Put(bytes) | Self::Get(bytes) | Self::Accumulate(bytes) => bytes,
            Self::FetchAndAdd => 8,
        }
    }
}
