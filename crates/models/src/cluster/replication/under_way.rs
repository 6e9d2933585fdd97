//! What is on its way to the disks: requests in parts, and copies being made.

use super::slots::Slots;
use super::traffic::Copying;
use petrio_colours::{BlockRequest, Failure, FileId, Status};
use smallvec::SmallVec;

/// A request on its way, in parts.
#[derive(Clone, Debug)]
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
#[derive(Clone, Debug)]
pub(super) struct Piece {
    pub(super) file: FileId,
    pub(super) address: u64,
    pub(super) blocks: u32,
    /// Parts that have to be done before it is.
    pub(super) needed: u32,
    /// Parts that were done.
    pub(super) done: u32,
    /// Parts at the disks.
    pub(super) left: u32,
    /// Copies that were asked and couldn't.
    pub(super) failed: Slots,
}

impl Piece {
    pub(super) fn new((file, address, blocks): (FileId, u64, u32)) -> Self {
        Self { file, address, blocks, needed: 0, done: 0, left: 0, failed: Slots::default() }
    }
}

impl Whole {
    pub(super) fn of(request: &BlockRequest) -> Self {
        let (request, pieces, status) = (request.clone(), SmallVec::new(), Status::DoneFromCache);
        Self { request, pieces, left: 0, status, failure: None, has_returned: false }
    }

    /// Whether the one who asked can go on.
    pub(super) fn is_answered(&self) -> bool {
        self.pieces.iter().all(|piece| piece.done >= piece.needed || piece.left == 0)
    }
}

#[derive(Clone, Debug)]
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
    pub(super) piece: u16,
    pub(super) slot: u16,
}

impl Tag {
    pub(super) fn of(tag: u64) -> Self {
        Self { flight: tag as u32, piece: (tag >> 32) as u16, slot: (tag >> 48) as u16 }
    }

    pub(super) fn number(self) -> u64 {
        u64::from(self.flight) | u64::from(self.piece) << 32 | u64::from(self.slot) << 48
    }
}
