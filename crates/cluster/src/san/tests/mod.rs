//! Nodes, their tokens and their disks, without a net: whatever they do at random, each reads what was written last.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod conserved;
mod inodes;
mod properties;
mod volume;
mod world;
