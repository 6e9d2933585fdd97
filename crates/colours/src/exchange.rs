//! What the processes of a parallel program send each other at once.

use serde::{Deserialize, Serialize};

/// What a process sends to others and receives from them in one go: MPI_Isend and MPI_Irecv of each, then MPI_Waitall.
///
/// It ends when all that is to be received has come and all that is sent may be written over. Between two processes messages
/// are received in the order in which they were sent; who receives one says nothing of its length.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Exchange {
    /// To which processes, by their numbers in the run, and of how many bytes.
    pub sends: Vec<(u32, u64)>,
    /// From which processes; once for each message.
    pub receives: Vec<u32>,
}
