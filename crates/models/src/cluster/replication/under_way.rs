//! What is on its way to the disks: requests in parts, and copies being made.

use super::traffic::Copying;
use petrio_colours::{BlockRequest, Status};
use smallvec::SmallVec;

/// A request on its way, in parts.
#[derive(Clone, Debug)]
pub(super) struct Whole {
    pub(super) request: BlockRequest,
    pub(super) left: u32,
    /// How the parts so far ended.
    pub(super) status: Status,
    /// It goes back with its first part, and has.
    pub(super) returns_first: bool,
    pub(super) has_returned: bool,
}

#[derive(Clone, Debug)]
pub(super) enum Flight {
    Whole(Box<Whole>),
    Copy(Copying),
}

/// What goes to which disk.
pub(super) type Parts = SmallVec<[(usize, BlockRequest); 4]>;
