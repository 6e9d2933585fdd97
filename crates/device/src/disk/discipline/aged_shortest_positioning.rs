//! Aged SPTF: as SPTF, with the positioning time made smaller the longer a request has waited, so that none starves
//! (Seltzer, Chen and Ousterhout, "Disk scheduling revisited", USENIX Winter 1990: T = T_position · (M − W) / M).
//!
//! W counts from when the request came to where it waits: a drive knows nothing of the time before it had a command. And M
//! is never less than what all that waits would take in the worst order: a limit that the whole queue is beyond would make
//! the drive serve it first come, first served, the more slowly the more wait.

use super::{Discipline, Head, Line, demand, first_in_order};
use petrio_colours::BlockRequest;
use petrio_kernel::{Slot, Time, View};

/// Shortest positioning time first, weighted by age.
pub(super) struct AgedShortestPositioning {
    /// The wait after which a request goes before any younger one, where fewer wait than can't be served by then.
    pub(super) longest_wait: Time,
}

impl Discipline for AgedShortestPositioning {
    fn line(&self) -> Line {
        Line::Any
    }

    fn pick(&self, waiting: &View<'_, BlockRequest>, head: &Head<'_>) -> Option<Slot> {
        let blocks: u64 = waiting.iter().map(|(_, request)| u64::from(request.blocks)).sum();
        let commands = waiting.len() as u64;
        let all = head.drive.longest_service(commands, blocks);
        let longest = self.longest_wait.max(all).as_picos().max(1);
        let arm = head.drive.arm(head.state, commands, head.now);
        let weighted = |request: &BlockRequest| {
            let since = (head.since)(request);
            let waited = head.now.saturating_sub(since).as_picos();
            let wanted = demand(request);
            let positioning = head.drive.positioning(head.state, arm, wanted, since, head.now).as_picos();
            let left = longest.saturating_sub(waited);
            // Among those that have waited too long, the oldest goes first.
            let overdue = std::cmp::Reverse(waited.saturating_sub(longest));
            (overdue, u128::from(positioning) * u128::from(left), request.id)
        };
        // Those who read or write in order where the arm is don't keep it from all others for ever; nor do others keep it from
        // them.
        let later = |request: &BlockRequest| {
            let waited = head.now.saturating_sub((head.since)(request)).as_picos();
            waited < longest && head.drive.has_had_its_visit(head.state, demand(request), (commands, blocks))
        };
        let order = |request: &BlockRequest| (later(request), weighted(request));
        let (slot, first) = waiting.iter().min_by_key(|(_, request)| order(request))?;
        // Writes that the buffer has room for are taken into it as they came: a stream that waits is one there, too.
        let to_buffer = |request: &BlockRequest| head.drive.would_hold_whole(demand(request));
        if !to_buffer(first) {
            let position = |request: &BlockRequest| {
                head.drive.positioning(head.state, arm, demand(request), (head.since)(request), head.now)
            };
            // Unless it has just gone by: to wait for it again is as long as to come back for it.
            let (begin, before) = first_in_order(waiting, (slot, first));
            let half_a_turn = Time::from_picos(head.drive.mechanics().revolution().as_picos() / 2);
            let near = begin == slot || position(before) <= position(first) + half_a_turn;
            return Some(if near { begin } else { slot });
        }
        let came = |request: &BlockRequest| ((head.since)(request), request.id);
        let buffered = waiting.iter().filter(|(_, request)| to_buffer(request));
        buffered.min_by_key(|(_, request)| came(request)).map(|(slot, _)| slot)
    }
}
