//! Storage of several nodes.

mod drain;
pub mod mpi;
pub mod pvfs;
pub mod replication;
