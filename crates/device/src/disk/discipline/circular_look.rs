//! C-LOOK: the arm sweeps towards higher blocks only, and goes back to the lowest request.

use super::{Discipline, Head, Line, block_key};
use petrio_colours::BlockRequest;
use petrio_kernel::{Slot, View};

/// Sweeps in one direction.
pub(super) struct CircularLook;

impl Discipline for CircularLook {
    fn line(&self) -> Line {
        Line::Block
    }

    fn pick(&self, waiting: &View<'_, BlockRequest>, head: &Head<'_>) -> Option<Slot> {
        waiting.at_or_after(block_key(head.sweep.at)).or_else(|| waiting.first())
    }
}
