//! Where a vector is cut so that each of several ranks works on a part of it.

use petrio_units::numbers::in_proportion;
use std::ops::Range;

/// A vector cut into parts of nearly the same length.
#[derive(Clone, Copy, Debug)]
pub(super) struct Blocks {
    pub(super) bytes: u64,
    pub(super) parts: u32,
}

impl Blocks {
    fn start(self, part: u32) -> u64 {
        in_proportion(self.bytes, part.into(), self.parts.into())
    }

    /// Bytes of some parts that follow each other.
    pub(super) fn length(self, parts: Range<u32>) -> u64 {
        self.start(parts.end) - self.start(parts.start)
    }
}
