//! What an event brings about: requests and answers that leave the array, and what is to happen later.

use super::rebuild::Call;
use petrio_colours::BlockRequest;
use petrio_kernel::Time;
use petrio_persist::Persist;

/// What an event makes an array do. It is one box, whose lists are used again by the next event: an array at work allocates
/// nothing, and moves little.
#[derive(Clone, Debug, Default, Persist)]
pub(super) struct Outcome {
    /// Requests to members, by number.
    pub(super) sends: Vec<(usize, BlockRequest)>,
    /// What is complete.
    pub(super) complete: Vec<BlockRequest>,
    /// A request that waits for its stripes.
    pub(super) waits: Option<u32>,
    /// The thread that handles rows has something to do.
    pub(super) wakes: bool,
    /// The bitmap's daemon is to come.
    pub(super) ticks: bool,
    /// Requests that have got theirs.
    pub(super) granted: Vec<u32>,
    /// Parity to be made: of which request and group, and of how many blocks.
    pub(super) parity: Vec<Parity>,
    /// Pieces of members that are to be rebuilt next, each after a time.
    pub(super) rebuild: Vec<(Call, Time)>,
    /// A drive that somebody puts in a place after a time.
    pub(super) replace: Option<Seat>,
    /// A drive that begins to live: where, and which there.
    pub(super) fresh: Option<(usize, u32)>,
}

/// Where somebody puts a new drive.
#[derive(Clone, Copy, Debug, Persist)]
pub(super) enum Seat {
    /// That of a member.
    Member(usize),
    /// That of a spare, by which of those that the array lies on it is.
    Spare(usize),
}

/// Parity to be made.
#[derive(Clone, Copy, Debug, Persist)]
pub(super) struct Parity {
    pub(super) slot: u32,
    pub(super) group: u32,
    pub(super) blocks: u64,
}
