//! Nodes, their tokens and their disks, without a net: whatever they do at random, each reads what was written last.

mod properties;
mod world;
