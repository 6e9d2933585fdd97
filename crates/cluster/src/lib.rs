//! Storage of several nodes.

mod address;
mod ends;
pub mod mpi;
pub mod pvfs;
pub mod replication;
pub mod san;
pub mod share;
mod wake_up;
