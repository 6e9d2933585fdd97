//! SSTF: the request whose cylinder is nearest to the arm.
//!
//! Blocks ascend with cylinders (remapped sectors aside), so the nearest is one of the two neighbours of the arm's
//! place in the order of blocks. Of two equally near ones the one ahead of the sweep goes first, so that the arm
//! doesn't dither.

use super::{Discipline, Head, Line, block_key};
use petrio_colours::BlockRequest;
use petrio_kernel::{Slot, View};

/// Shortest seek time first.
pub(super) struct ShortestSeek;

impl Discipline for ShortestSeek {
    fn line(&self) -> Line {
        Line::Block
    }

    fn pick(&self, waiting: &View<'_, BlockRequest>, head: &Head<'_>) -> Option<Slot> {
        let layout = head.drive.mechanics().layout();
        let arm = layout.place(head.sweep.at).track.cylinder;
        let distance = |slot: Slot| {
            waiting
                .get(slot)
                .map_or(u32::MAX, |request| layout.place(request.address).track.cylinder.abs_diff(arm))
        };
        match (waiting.at_or_after(block_key(head.sweep.at)), waiting.before(block_key(head.sweep.at))) {
            (Some(above), Some(below)) => {
                let (above_by, below_by) = (distance(above), distance(below));
                let take_above = above_by < below_by || (above_by == below_by && head.sweep.upward);
                Some(if take_above { above } else { below })
            }
            (above, below) => above.or(below),
        }
    }
}
