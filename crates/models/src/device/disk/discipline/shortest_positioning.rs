//! SPTF: the request that the head reaches first, seek, settling and rotation together.

use super::{Discipline, Head, Line, demand};
use petrio_colours::BlockRequest;
use petrio_kernel::{Slot, View};

/// Shortest positioning time first.
pub(super) struct ShortestPositioning;

impl Discipline for ShortestPositioning {
    fn line(&self) -> Line {
        Line::Any
    }

    fn pick(&self, waiting: &View<'_, BlockRequest>, head: &Head<'_>) -> Option<Slot> {
        waiting
            .iter()
            .min_by_key(|(_, request)| {
                (head.drive.positioning(head.state, demand(request), request.issued, head.now), request.id)
            })
            .map(|(slot, _)| slot)
    }
}
