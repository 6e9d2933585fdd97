//! A request that an array has taken in, and the rules by which it goes about it.

use super::behind::WriteMostly;
use super::gather::Pieces;
use super::parameters::{RebuildParameters, WriteOrder};
use super::plan::Part;
use super::planner::Planner;
use super::reads::ReadChoice;
use super::rebuild::Piece;
use petrio_colours::{BlockRequest, Status};
use petrio_kernel::Time;
use petrio_persist::Persist;
use smallvec::SmallVec;

/// Who wants a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Persist)]
pub(super) enum Errand {
    /// Somebody above the array.
    #[default]
    Asked,
    /// Bits of the bitmap are set, which writes wait for.
    SetsBits,
    /// Bits of the bitmap are cleared, which nobody waits for.
    ClearsBits,
}

/// How far a part is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub(super) enum PartState {
    Waiting,
    /// To this one of those that the array lies on, at this time.
    Sent(usize, Time),
    Done,
}

/// How far a group's parity is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub(super) enum Made {
    No,
    InWork,
    Yes,
}

/// A request on its way.
#[derive(Clone, Debug, Persist)]
pub(super) struct Whole {
    pub(super) request: BlockRequest,
    /// What is written together, where it is more than one piece or a controller's memory gathered it.
    pub(super) gathered: Pieces,
    pub(super) parts: SmallVec<[(Part, PartState); 4]>,
    /// By group from 1.
    pub(super) parity: SmallVec<[(u64, Made); 2]>,
    /// Parts that aren't complete.
    pub(super) left: u32,
    /// Its flushes are under way, and its data come after.
    pub(super) data_to_come: bool,
    /// The piece of a member that it rebuilds: nobody asked for it.
    pub(super) rebuilds: Option<Piece>,
    /// A member has failed that it was to read: it begins again once all its parts are back.
    pub(super) again: bool,
    /// The stripes that it locks, and how many of them others have still.
    pub(super) stripes: SmallVec<[u64; 4]>,
    pub(super) others: u32,
    /// It is put down on rows of pages.
    pub(super) by_rows: bool,
    /// Members that are mostly written may be behind with it; and it was answered before they have it.
    pub(super) is_behind: bool,
    pub(super) is_answered: bool,
    /// Its bits of the bitmap are used by it.
    pub(super) is_noted: bool,
    /// Whether somebody asked for it, or the array itself does.
    pub(super) errand: Errand,
    /// How the parts so far ended.
    pub(super) status: Status,
}

/// How an array goes about its work.
#[derive(Clone, Debug, Persist)]
pub(super) struct Rules {
    pub(super) planner: Planner,
    pub(super) order: WriteOrder,
    pub(super) locks: bool,
    pub(super) reads: ReadChoice,
    /// Level 1+0, whose copies Linux md chooses by other rules than those of level 1.
    pub(super) striped_mirrors: bool,
    /// Copies that aren't near: Linux md reads the one that lies lowest.
    pub(super) lowest: bool,
    /// Whether anything turns in the members.
    pub(super) rotational: bool,
    /// Blocks of the pieces in which it passes requests on, where it cuts them (Linux md's units).
    pub(super) pieces: Option<u64>,
    /// Whether it passes discards on, and the length below which it cuts them into pieces.
    pub(super) discards: Option<u64>,
    /// Members that are mostly written.
    pub(super) mostly: WriteMostly,
    /// Blocks that it offers.
    pub(super) blocks: u64,
    /// Blocks of its smallest member.
    pub(super) member_blocks: u64,
    /// Parity takes a time.
    pub(super) makes_parity: bool,
    /// Those that it lies on which are no members.
    pub(super) spares: usize,
    /// Nobody else asks those that it lies on.
    pub(super) alone: bool,
    /// Somebody fills the place of who failed.
    pub(super) replaces: bool,
    #[persist(keep)]
    pub(super) rebuild: RebuildParameters,
}
