//! Which of two waiting requests the head is nearer to.
//!
//! Source: as_choose_req and as_find_next_rq of block/as-iosched.c of Linux 2.6.24, which cfq and bfq have taken over.
//! A sweep goes upward and wraps to the lowest address; a short way back is allowed, and counts as a multiple of its
//! length. Leaves out: metadata requests, which cfq and bfq prefer; a block request doesn't say that it is one.

use crate::waiting::{Handle, Waiting};
use petrio_persist::Persist;

/// A sweep that may go back a little.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub(super) struct Sweep {
    /// The furthest that the head goes back, in device blocks.
    pub(super) back_blocks: u64,
    /// How much longer a way back counts than the same way forward.
    pub(super) back_penalty: u64,
}

impl Sweep {
    /// What the way from `head` to `address` counts; `None` where the head would have to wrap.
    fn way(self, head: u64, address: u64) -> Option<u64> {
        if address >= head {
            return Some(address - head);
        }
        let back = head - address;
        (back <= self.back_blocks).then(|| back.saturating_mul(self.back_penalty))
    }

    /// The one of two requests that a head at `head` serves first. Of two equally far ones that is the one ahead.
    pub(super) fn nearer(
        self,
        waiting: &Waiting,
        head: u64,
        one: Option<Handle>,
        other: Option<Handle>,
    ) -> Option<Handle> {
        let address = |handle: Option<Handle>| handle.and_then(|it| waiting.get(it)).map(|io| io.address);
        let (Some(first), Some(second)) = (address(one), address(other)) else { return one.or(other) };
        let first_wins = match (self.way(head, first), self.way(head, second)) {
            (Some(way), Some(other_way)) => way < other_way || (way == other_way && first >= second),
            (Some(_), None) => true,
            (None, Some(_)) => false,
            (None, None) => first <= second,
        };
        if first_wins { one } else { other }
    }

    /// What a head at `head` serves after a request that still waits, of the same group.
    pub(super) fn after(self, waiting: &Waiting, head: u64, served: Handle) -> Option<Handle> {
        let address = waiting.get(served)?.address;
        let group = waiting.group(served);
        let lowest = || waiting.at_or_after(group, 0).filter(|&first| first != served);
        let next = waiting.after(served).or_else(lowest);
        self.nearer(waiting, head, next, waiting.before(group, address))
    }

    /// What a head at `head` serves now that the next request has become part of `into`, which lies before it.
    pub(super) fn joined(self, waiting: &Waiting, head: u64, into: Handle) -> Option<Handle> {
        let next = waiting.after(into).or_else(|| waiting.at_or_after(waiting.group(into), 0));
        self.nearer(waiting, head, next, Some(into))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::super::tests::read;
    use super::*;
    use crate::elevator::QueueLimits;
    use crate::waiting::{MergeRules, Placed};
    use petrio_kernel::Time;

    const SWEEP: Sweep = Sweep { back_blocks: 1_000, back_penalty: 2 };

    fn nearer(head: u64, one: u64, other: u64) -> u64 {
        let mut waiting = Waiting::new(MergeRules::new(&QueueLimits::default()));
        let [one, other] = [one, other].map(|address| waiting.add(0, read(address), Time::ZERO).handle());
        let chosen = SWEEP.nearer(&waiting, head, Some(one), Some(other));
        assert_eq!(chosen, SWEEP.nearer(&waiting, head, Some(other), Some(one)));
        waiting.get(chosen.unwrap()).unwrap().address
    }

    #[test]
    fn a_way_back_counts_twice_and_has_an_end() {
        // 300 ahead is 300; 100 back is 200; 200 back is 400; more than 1,000 back is a new sweep.
        assert_eq!(nearer(10_000, 10_300, 9_900), 9_900);
        assert_eq!(nearer(10_000, 10_300, 9_800), 10_300);
        assert_eq!(nearer(10_000, 10_200, 9_900), 10_200);
        assert_eq!(nearer(10_000, 90_000, 8_999), 90_000);
        assert_eq!(nearer(10_000, 8_000, 100), 100);
    }

    #[test]
    fn after_the_highest_comes_the_lowest() {
        let mut waiting = Waiting::new(MergeRules::new(&QueueLimits::default()));
        let handles = [100, 5_000, 9_000].map(|address| waiting.add(0, read(address), Time::ZERO).handle());
        assert_eq!(SWEEP.after(&waiting, 9_008, handles[2]), Some(handles[0]));
        assert_eq!(SWEEP.after(&waiting, 108, handles[0]), Some(handles[1]));
        waiting.take(handles[0], Time::ZERO);
        waiting.take(handles[1], Time::ZERO);
        assert_eq!(SWEEP.after(&waiting, 9_008, handles[2]), None);
    }

    #[test]
    fn a_next_request_that_was_joined_is_followed_by_a_neighbour() {
        let mut waiting = Waiting::new(MergeRules::new(&QueueLimits::default()));
        for address in [100, 116, 5_000] {
            waiting.add(0, read(address), Time::ZERO);
        }
        let Placed::Joined { into, .. } = waiting.add(0, read(108), Time::ZERO) else { panic!("not joined") };
        let next = SWEEP.joined(&waiting, 112, into).unwrap();
        assert_eq!(waiting.get(next).unwrap().address, 100);
        let next = SWEEP.joined(&waiting, 4_900, into).unwrap();
        assert_eq!(waiting.get(next).unwrap().address, 5_000);
    }
}
