//! CSCAN: as C-LOOK, but the arm goes back to cylinder 0 first, and the way there counts.

use super::circular_look::CircularLook;
use super::{Discipline, Head, Line};
use petrio_colours::BlockRequest;
use petrio_kernel::{Slot, View};

/// Sweeps in one direction, from cylinder 0.
pub(super) struct CircularScan;

impl Discipline for CircularScan {
    fn line(&self) -> Line {
        CircularLook.line()
    }

    fn pick(&self, waiting: &View<'_, BlockRequest>, head: &Head<'_>) -> Option<Slot> {
        CircularLook.pick(waiting, head)
    }

    fn returns_to_zero(&self) -> bool {
        true
    }
}
