//! Nodes, their tokens and their disks, without a net: whatever they do at random, each reads what was written last.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod conserved;
mod inodes;
mod properties;
mod volume;
mod world;

use super::{SanError, SanParameters};
use petrio_units::Bytes;

#[test]
fn a_request_of_more_blocks_than_can_be_asked_for_is_refused() {
    let of = |tebibytes: u64| {
        let size = Bytes(tebibytes << 40);
        let parameters = SanParameters { partition: size, largest_request: size, ..SanParameters::default() };
        parameters.check()
    };
    assert_eq!(of(1), Ok(()));
    assert_eq!(of(2), Err(SanError::LongRequest { request: Bytes(2 << 40) }));
}
