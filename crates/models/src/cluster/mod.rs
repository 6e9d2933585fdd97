//! Storage of several nodes.

pub mod pvfs;
pub mod replication;
pub mod san;
