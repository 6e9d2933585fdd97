//! A request that is too large for the device, in parts.

use petrio_colours::BlockRequest;

/// The parts of a request that was too large.
pub(super) struct Parts {
    part: BlockRequest,
    largest: u32,
    end: u64,
}

impl Parts {
    /// The parts of at most so many blocks of a request that has their number already.
    pub(super) fn of(part: BlockRequest, largest: u32) -> Self {
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
        let blocks = left.min(u64::from(self.largest)) as u32;
        let part = BlockRequest { blocks, ..self.part.clone() };
        self.part.address += u64::from(blocks);
        Some(part)
    }
}
