//! Storage of several nodes.

mod address;
mod client;
mod end_of_file;
pub mod mpi;
pub mod pvfs;
pub mod replication;
pub mod san;
pub mod share;
#[cfg(test)]
mod test_cluster;
mod wake_up;
