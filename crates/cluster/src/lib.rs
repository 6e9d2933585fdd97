//! Storage of several nodes.

#![warn(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
#![cfg_attr(
    test,
    allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the numbers of a test are small"
    )
)]

mod address;
pub mod beegfs;
pub mod ceph;
mod client;
mod end_of_file;
pub mod failure;
pub mod lustre;
pub mod mpi;
pub mod nfs;
pub mod pvfs;
pub mod replication;
mod rpc_tally;
pub mod san;
mod server;
pub mod share;
#[cfg(test)]
mod test_cluster;
mod wake_up;

pub use rpc_tally::RpcTally;
pub use server::FileServer;
