//! A request that is too large for the device, in parts.

use petrio_colours::{BlockRequest, Direction};
use petrio_device::Discards;
use petrio_persist::Persist;
use petrio_units::numbers::as_number;

/// How large a request may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub(super) struct Largest {
    /// A read or a write.
    pub(super) data: u32,
    /// A discard.
    pub(super) discards: Discards,
}

impl Largest {
    /// The most blocks that a request of this direction may have, from where it begins.
    pub(super) fn from(self, direction: Direction, address: u64) -> u32 {
        match direction {
            Direction::Discard => self.discards.longest_from(address),
            Direction::Read | Direction::Write | Direction::Flush => self.data,
        }
    }

    /// How many parts a request has: behind the first all are of one length.
    pub(super) fn parts_of(self, request: &BlockRequest) -> u32 {
        let first = self.from(request.direction, request.address);
        let behind = self.from(request.direction, request.address + u64::from(first));
        1 + request.blocks.saturating_sub(first).div_ceil(behind)
    }
}

/// The parts of a request that was too large.
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
        let blocks =
            as_number(left.min(u64::from(self.largest.from(self.part.direction, self.part.address))));
        let part = BlockRequest { blocks, ..self.part.clone() };
        self.part.address += u64::from(blocks);
        Some(part)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn there_are_as_many_parts_as_are_counted(
            discard in any::<bool>(), address in 0_u64..300, blocks in 1_u32..5_000, data in 1_u32..600,
            longest in 1_u32..600, granularity in 0_u32..40,
        ) {
            let direction = if discard { Direction::Discard } else { Direction::Write };
            let request = BlockRequest { direction, address, blocks, ..BlockRequest::default() };
            let largest = Largest { data, discards: Discards { longest, granularity } };
            prop_assert_eq!(largest.parts_of(&request) as usize, Parts::of(request, largest).count());
        }
    }
}
