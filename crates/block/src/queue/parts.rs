//! A request that is too large for the device, in parts.

use petrio_colours::{BlockRequest, Direction};
use petrio_device::Discards;
use petrio_persist::Persist;

/// How large a request may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub(super) struct Largest {
    /// A read or a write.
    pub(super) data: u32,
    /// A discard.
    pub(super) discards: Discards,
}

impl Largest {
    /// The most blocks that a request may have, from where it begins.
    pub(super) fn of(self, request: &BlockRequest) -> u32 {
        match request.direction {
            Direction::Discard => self.discards.longest_from(request.address),
            Direction::Read | Direction::Write | Direction::Flush => self.data,
        }
    }
}

/// The parts of a request that was too large.
#[derive(Clone)]
pub(super) struct Parts {
    part: BlockRequest,
    largest: Largest,
    end: u64,
}

impl Parts {
    /// Those of a request that has their number already.
    pub(super) fn of(part: BlockRequest, largest: Largest) -> Self {
        let end = part.end();
        Self { part, largest, end }
    }
}

impl Iterator for Parts {
    type Item = BlockRequest;

    fn next(&mut self) -> Option<BlockRequest> {
        let left = self.end.saturating_sub(self.part.address);
        if left == 0 {
            return None;
        }
        let blocks = left.min(u64::from(self.largest.of(&self.part))) as u32;
        let part = BlockRequest { blocks, ..self.part.clone() };
        self.part.address += u64::from(blocks);
        Some(part)
    }
}
