//! An entry of the calendar.

use petrio_persist::Persist;

/// Calendar tags from here on are slots of delayed tokens; below are a station's own.
pub(crate) const DELAYED: u32 = 1 << 31;

/// A pending event of one place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Persist)]
pub(crate) struct Entry {
    /// Picoseconds.
    pub(crate) time: u64,
    /// Insertion number, which breaks ties.
    pub(crate) order: u64,
    /// The place that is told.
    pub(crate) place: u32,
    /// What the place calls this event.
    pub(crate) tag: u32,
}

impl Entry {
    pub(super) fn key(&self) -> (u64, u64) {
        (self.time, self.order)
    }
}
