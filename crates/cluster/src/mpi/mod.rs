//! Messages between the processes of parallel programs, as MPI's libraries carry them, in the net.
//!
//! ```text
//!  operations ─▶ call ─▶ (processor) ─▶ post ─▶ send ⋯ network ⋯ received ─▶ (processor) ─▶ hear ─▶ completions
//!                                        ├──────── mailbox ───────────────────────────────┘
//!                                        └─▶ (processor: copy) ─▶ hear, for processes of the same host
//! ```
//!
//! A process posts an [`Exchange`](petrio_colours::Exchange): all that it sends and receives at once. Short messages go off
//! at once, with an envelope before them (eager); of long ones the receiver is asked first, answers when it has posted
//! their receive, and says when it has them, which their sender waits for (rendezvous; the last is `ob1`'s FIN, or what a full
//! buffer of a socket comes to: who handed one long message after the other to the network would make them share the link, and
//! the first would arrive as late as the last). Collective operations are exchanges, round by round; programs make them
//! (`petrio_workload::parallel`). Sources: the MPI standard 4.1, chapter 3; Open MPI's `ob1` and its `btl` for TCP, whose
//! limit for eager messages is 64 KiB; MPICH's `ch3`, whose protocols are the same two.
//!
//! Leaves out: messages that are received from whoever sends first, and transfers that go on while a process computes.

mod conserved;
#[cfg(test)]
mod conserved_tests;
mod mailbox;
mod page;
mod parameters;

pub use mailbox::{Directory, Mailbox};
pub use page::{MpiHost, mpi_page};
pub use parameters::{MpiError, MpiParameters, SharedMemory};

#[cfg(test)]
mod tests;
