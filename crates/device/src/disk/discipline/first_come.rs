//! FCFS: first come, first served.

use super::{Discipline, Head, Line};
use petrio_colours::BlockRequest;
use petrio_kernel::{Slot, View};

/// First come, first served.
pub(super) struct FirstCome;

impl Discipline for FirstCome {
    fn line(&self) -> Line {
        Line::Arrival
    }

    fn pick(&self, waiting: &View<'_, BlockRequest>, _head: &Head<'_>) -> Option<Slot> {
        waiting.first()
    }
}
