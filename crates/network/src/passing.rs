//! How a train passes a link, whatever kind of link it is: when it is at the other end, and when the next one may follow.

use super::clock::Clock;
use super::train::{Came, Passage, Train};
use petrio_kernel::Time;
use std::sync::Arc;

/// How trains pass a link.
#[derive(Clone, Debug)]
pub(super) struct Passing {
    /// The link's number in the wiring.
    pub(super) number: u32,
    pub(super) passage: Arc<Passage>,
    /// Where it leads all of a train is wanted at once, and not its first frame alone.
    pub(super) is_whole: bool,
    /// The next link's, where it leads onto one.
    pub(super) next: Option<Arc<Passage>>,
    /// Least time between two messages.
    pub(super) gap: Time,
}

/// When what, counted from when a train begins to pass a link.
#[derive(Clone, Copy, Debug)]
pub(super) struct Passed {
    /// It is where the link leads.
    pub(super) there: Time,
    /// All of it has left.
    pub(super) left: Time,
    /// The next one may begin.
    pub(super) next: Time,
    /// The link by which it came to this one.
    pub(super) came: Came,
}

impl Passing {
    /// A train begins to pass.
    pub(super) fn pass(&self, clock: &mut Clock, train: &mut Train, now: Time) -> Passed {
        let Self { passage, is_whole, next, gap, .. } = self;
        let leaves = passage.pass(clock, train, now);
        let there = passage.latency + if *is_whole { leaves.tail } else { leaves.head };
        let there = there + next.as_ref().map_or(Time::ZERO, |next| next.held_back(train));
        // What needn't be fetched, or isn't held back, doesn't overtake what does and is.
        let there = match &passage.fetch {
            Some(fetch) => clock.in_order(now, there + fetch.takes_for(train)),
            None => there,
        };
        // The next message begins a gap after this one did.
        let next = if train.message.is_some() { leaves.tail.max(*gap) } else { leaves.tail };
        let came = std::mem::replace(&mut train.came, Came { link: self.number, lane: train.lane });
        Passed { there, left: leaves.tail, next, came }
    }
}
