//! Where a vector is cut so that each of several ranks works on a part of it.

use std::ops::Range;

/// A vector cut into parts of nearly the same length.
#[derive(Clone, Copy, Debug)]
pub(super) struct Blocks {
    pub(super) bytes: u64,
    pub(super) parts: u32,
}

impl Blocks {
    const fn start(self, part: u32) -> u64 {
        (self.bytes as u128 * part as u128 / self.parts as u128) as u64
    }

    /// Bytes of some parts that follow each other.
    pub(super) const fn length(self, parts: Range<u32>) -> u64 {
        self.start(parts.end) - self.start(parts.start)
    }
}
