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
        let arm = head.drive.arm(head.state, waiting.len() as u64, head.now);
        waiting
            .iter()
            .min_by_key(|(_, request)| {
                let since = (head.since)(request);
                (head.drive.positioning(head.state, arm, demand(request), since, head.now), request.id)
            })
            .map(|(slot, _)| slot)
    }
}
