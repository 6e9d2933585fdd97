//! The models of the storage path under one name: a crate each, from the wire to the cluster.

#![warn(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
#![cfg_attr(
    test,
    allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the numbers of a test are small"
    )
)]

pub use petrio_block as block;
pub use petrio_cluster as cluster;
pub use petrio_device as device;
pub use petrio_host as host;
pub use petrio_network as network;
pub use petrio_stage::{Function, Lever, Profile, Stage, TWICE, Work, cost, doubled, processor, reliability};
