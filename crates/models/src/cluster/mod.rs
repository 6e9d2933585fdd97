//! Storage of several nodes.

pub mod replication;
