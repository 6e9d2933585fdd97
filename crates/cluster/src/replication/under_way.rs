//! What is on its way to the disks: requests in parts, and copies being made.

use super::slots::Slots;
use super::traffic::Copying;
use petrio_colours::{BlockRequest, Direction, Failure, FileId, Status};
use petrio_persist::Persist;
use petrio_units::numbers::low_half;
use smallvec::SmallVec;
use std::collections::VecDeque;

/// A request on its way, in parts.
#[derive(Clone, Debug, Persist)]
pub(super) struct Whole {
    pub(super) request: BlockRequest,
    pub(super) pieces: SmallVec<[Piece; 1]>,
    /// Parts at the disks.
    pub(super) left: u32,
    /// How the parts so far ended that were done.
    pub(super) status: Status,
    /// What could not be done at any copy.
    pub(super) failure: Option<Failure>,
    pub(super) has_returned: bool,
}

/// The piece of a request that belongs to one file.
#[derive(Clone, Debug, Default, Persist)]
pub(super) struct Piece {
    pub(super) file: FileId,
    pub(super) address: u64,
    pub(super) blocks: u32,
    /// The steps that are still to come.
    pub(super) steps: VecDeque<Step>,
    /// The step under way: whether it answers, and how many of its parts have to be done.
    pub(super) answers: bool,
    pub(super) needed: u32,
    /// Its parts that were done.
    pub(super) done: u32,
    /// Its parts at the disks.
    pub(super) left: u32,
    /// The copies that there were when it came.
    pub(super) slots: Slots,
    /// Copies that were written to, or that were asked and couldn't.
    pub(super) tried: Slots,
    pub(super) failed: Slots,
    /// The number of the vote that it is written by.
    pub(super) vote: Option<u64>,
    /// The one who asked need not wait for it any more.
    pub(super) is_answered: bool,
    /// It waits for an earlier write of the file; or holds others up.
    pub(super) waits: bool,
    pub(super) holds: bool,
}

/// Parts that go to the disks together.
#[derive(Clone, Debug, Persist)]
pub(super) struct Step {
    pub(super) aims: SmallVec<[Aim; 4]>,
    /// How many of them have to be done before what comes next.
    pub(super) needed: u32,
    /// Whether what was asked for is done then.
    pub(super) answers: bool,
}

impl Step {
    /// A step with which the request is answered.
    pub(super) fn new(aims: SmallVec<[Aim; 4]>, needed: u32) -> Self {
        Self { aims, needed, answers: true }
    }
}

/// What goes to a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub(super) struct Aim {
    pub(super) slot: u32,
    pub(super) address: u64,
    pub(super) blocks: u32,
    pub(super) direction: Direction,
    /// The address is the disk's own.
    pub(super) is_in_log: bool,
}

impl Aim {
    pub(super) fn new(slot: u32, (address, blocks): (u64, u32), direction: Direction) -> Self {
        Self { slot, address, blocks, direction, is_in_log: false }
    }
}

impl Piece {
    pub(super) fn new((file, address, blocks): (FileId, u64, u32)) -> Self {
        Self { file, address, blocks, ..Self::default() }
    }

    /// Its first block, and the one behind its last.
    pub(super) fn range(&self) -> (u64, u64) {
        (self.address, self.address + u64::from(self.blocks))
    }

    /// Whether nothing of it is left.
    pub(super) fn is_over(&self) -> bool {
        self.left == 0 && self.steps.is_empty() && !self.waits
    }
}

impl Whole {
    pub(super) fn of(request: &BlockRequest) -> Self {
        let (request, pieces, status) = (request.clone(), SmallVec::new(), Status::DoneFromCache);
        Self { request, pieces, left: 0, status, failure: None, has_returned: false }
    }

    /// Whether the one who asked can go on.
    pub(super) fn is_answered(&self) -> bool {
        self.pieces.iter().all(|piece| piece.is_answered)
    }
}

#[derive(Clone, Debug, Persist)]
pub(super) enum Flight {
    Whole(Box<Whole>),
    Copy(Copying),
}

/// What goes to which disk.
pub(super) type Parts = SmallVec<[(usize, BlockRequest); 4]>;

/// What a part's tag says: which flight it belongs to, which piece of it, and at which slot it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Tag {
    pub(super) flight: u32,
    pub(super) piece: u32,
    pub(super) slot: u32,
}

/// How a tag's bits are shared: a request of 2³² blocks has at most 2²⁵ pieces of 64 KiB, there are 2¹² slots at most
/// (`parameters.rs`), and what is left numbers more requests than memory holds.
const FLIGHT_BITS: u32 = 27;
const PIECE_BITS: u32 = 25;

impl Tag {
    pub(super) fn of(tag: u64) -> Self {
        let bits = |from: u32, count: u32| low_half(tag >> from) & (u32::MAX >> (u32::BITS - count));
        let slot = FLIGHT_BITS + PIECE_BITS;
        Self {
            flight: bits(0, FLIGHT_BITS),
            piece: bits(FLIGHT_BITS, PIECE_BITS),
            slot: bits(slot, u64::BITS - slot),
        }
    }

    pub(super) fn number(self) -> u64 {
        let number = u64::from(self.flight)
            | u64::from(self.piece) << FLIGHT_BITS
            | u64::from(self.slot) << (FLIGHT_BITS + PIECE_BITS);
        debug_assert_eq!(Self::of(number), self, "each has its bits");
        number
    }
}
