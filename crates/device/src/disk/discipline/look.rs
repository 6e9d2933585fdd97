//! LOOK: the arm sweeps to and fro, and turns where no request lies ahead.

use super::{Discipline, Head, Line, block_key};
use petrio_colours::BlockRequest;
use petrio_kernel::{Slot, View};

/// Sweeps in both directions.
pub(super) struct Look;

impl Discipline for Look {
    fn line(&self) -> Line {
        Line::Block
    }

    fn pick(&self, waiting: &View<'_, BlockRequest>, head: &Head<'_>) -> Option<Slot> {
        let at = head.sweep.at;
        if head.sweep.upward {
            waiting.at_or_after(block_key(at)).or_else(|| waiting.before(block_key(at)))
        } else {
            // Requests at the arm's own block lie ahead in either direction.
            waiting.before(block_key(at) + 1).or_else(|| waiting.at_or_after(block_key(at)))
        }
    }
}
