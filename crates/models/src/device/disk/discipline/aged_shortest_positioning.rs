//! Aged SPTF: as SPTF, with the positioning time made smaller the longer a request has waited, so that none starves
//! (Seltzer, Chen and Ousterhout, "Disk scheduling revisited", USENIX Winter 1990: T = T_position · (M − W) / M).

use super::{Discipline, Head, Line, demand};
use petrio_colours::BlockRequest;
use petrio_kernel::{Slot, Time, View};

/// Shortest positioning time first, weighted by age.
pub(super) struct AgedShortestPositioning {
    /// The wait after which a request goes before any younger one.
    pub(super) longest_wait: Time,
}

impl Discipline for AgedShortestPositioning {
    fn line(&self) -> Line {
        Line::Any
    }

    fn pick(&self, waiting: &View<'_, BlockRequest>, head: &Head<'_>) -> Option<Slot> {
        let longest = self.longest_wait.as_picos().max(1);
        let weighted = |request: &BlockRequest| {
            let waited = (head.now - request.issued).as_picos();
            let positioning =
                head.drive.positioning(head.state, demand(request), request.issued, head.now).as_picos();
            let left = longest.saturating_sub(waited);
            // Among those that have waited too long, the oldest goes first.
            let overdue = std::cmp::Reverse(waited.saturating_sub(longest));
            (overdue, u128::from(positioning) * u128::from(left), request.id)
        };
        waiting.iter().min_by_key(|(_, request)| weighted(request)).map(|(slot, _)| slot)
    }
}
