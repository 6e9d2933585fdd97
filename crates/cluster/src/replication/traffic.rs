//! How far a copy of a file has come.
//!
//! Where the files lie that are there before the run, their host says ([`FileLayout`](petrio_host::FileLayout)); what is written later is
//! seen as it goes by. So a copy moves all of a file that lies on its disk, whether anybody has asked for it or not.

use super::slots::Slots;
use petrio_colours::FileId;
use petrio_persist::Persist;

/// A copy being made.
#[derive(Clone, Debug, PartialEq, Eq, Persist)]
pub(super) struct Copying {
    pub(super) file: FileId,
    /// Which of all files that ever were is being copied.
    pub(super) which: u64,
    /// The file's version that is being copied; with an update the copy is given up.
    pub(super) version: u64,
    /// The slot that it is read from.
    pub(super) source: u32,
    /// The slots that it goes to.
    pub(super) targets: Slots,
    /// The piece under way.
    pub(super) piece: (u64, u32),
    /// Writes of the piece that are left; while it is read, zero.
    pub(super) writes_left: u32,
}

impl Copying {
    /// It comes to nothing, as if the file had been written meanwhile.
    pub(super) fn give_up(&mut self) {
        self.version = u64::MAX;
    }
}
