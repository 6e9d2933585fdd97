//! Several copies of files on several disks: how many, when, where, which of them serves a read, and what a write does.
//!
//! ```text
//!  file operations ─▶(observe)─▶ policy ─▶ plans (60 s …) ─▶(make copies)─┐
//!                                   │                                      ▼
//!  requests ─▶ messages ─▶(dispatch)┴─▶ disk 0, disk 1, …       copy traffic, of the idle class
//!  completions ◀─(collect)◀───────────── disk 0, disk 1, …
//! ```
//!
//! A read goes to the copy with the shortest expected turnaround: what waits before it, and its own service. Where a
//! disk shows its [`Arm`](petrio_device::analytic_disk::Arm), that is exact if nothing more arrives; of another, the
//! requests on their way are counted and weighed with the mean service so far. All copies of a file lie at the same
//! place of their disks. What belongs to no file is treated by regions of the device, each as a file.
//!
//! A copy takes one read of the file and a write for each new copy, piece by piece, on the disks and through whatever
//! leads to them; nothing is moved for free but by `traffic = "magic"`.
//!
//! Source: S.-L. Lo, "Ivy: a study on replicating data for performance improvement" (HPL-CSP-90-48, 1990), §4.3, §4.4,
//! §6. Beyond it: copies cost disk traffic (its own, without cost, are an option), messages between nodes cost time, a
//! request may be split over several copies, copies may lie at several places of one disk, the number of copies follows
//! the rates of reads and writes, and space is limited.
//!
//! A new policy is one file in `policy/` and a line in its list.

mod copies;
mod file_state;
mod flights;
mod history;
mod making;
mod nodes;
mod page;
mod parameters;
mod placement;
mod policy;
mod protocol;
mod regions;
mod select;
mod slots;
mod steps;
mod tally;
mod traffic;
mod under_way;
mod votes;

pub use copies::Replicas;
pub use history::{FileEvent, History};
pub use nodes::{NodeError, NodeMemory, NodeParameters, Nodes, replication_over_nodes};
pub use page::{ReplicationPorts, Sight, replication_page};
pub use parameters::{Messages, ReplicationError, ReplicationParameters, WriteReturns};
pub use petrio_block::CopyTraffic;
pub use petrio_host::FileLayout;
pub use placement::{Choice, Placement};
pub use policy::{Decision, Home, OwnPolicy, Policy, PolicyParameters, Retain, Trigger};
pub use protocol::{Protocol, Transaction, Versions, Voting};
pub use tally::{CopyMoves, ReplicationStatistics};

#[cfg(test)]
mod protocol_tests;
#[cfg(test)]
mod tests;
