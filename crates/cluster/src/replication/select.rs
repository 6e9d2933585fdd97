//! Which copy serves a read: the one with the shortest expected turnaround.
//!
//! Source: Ivy, §4.3. Among equals, the first.

use petrio_colours::BlockRequest;
use petrio_device::analytic_disk::{Arm, Outlook};
use petrio_kernel::Time;
use petrio_persist::Persist;

/// A copy that could serve a read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    pub(super) slot: u32,
    pub(super) outlook: Outlook,
}

impl Candidate {
    fn cost(&self, knows_rotation: bool) -> Time {
        if knows_rotation { self.outlook.turnaround + self.outlook.rotation } else { self.outlook.turnaround }
    }
}

/// The best of them.
pub(super) fn best(candidates: &[Candidate], knows_rotation: bool) -> Option<Candidate> {
    candidates.iter().copied().min_by_key(|candidate| (candidate.cost(knows_rotation), candidate.slot))
}

/// The best of them first.
pub(super) fn in_order(candidates: &mut [Candidate], knows_rotation: bool) {
    candidates.sort_by_key(|candidate| (candidate.cost(knows_rotation), candidate.slot));
}

/// What is known of a disk that doesn't show its arm: what is on its way to it, and how long it has taken so far.
#[derive(Clone, Copy, Debug, Default, Persist)]
pub(super) struct Counted {
    outstanding: u32,
    completed: u64,
    busy: Time,
    /// Since when something has been outstanding.
    since: Time,
}

impl Counted {
    pub(super) fn sent(&mut self, now: Time) {
        if self.outstanding == 0 {
            self.since = now;
        }
        self.outstanding += 1;
    }

    pub(super) fn came_back(&mut self, now: Time) {
        self.outstanding = self.outstanding.saturating_sub(1);
        self.completed += 1;
        self.busy += now - self.since;
        self.since = now;
    }

    /// Requests on their way.
    pub(super) fn outstanding(&self) -> u32 {
        self.outstanding
    }

    /// Requests that were served.
    pub(super) fn completed(&self) -> u64 {
        self.completed
    }

    pub(super) fn is_idle(&self) -> bool {
        self.outstanding == 0
    }

    /// What a request would meet: each before it takes the mean time between completions while the disk was busy.
    pub(super) fn outlook(&self) -> Outlook {
        let mean = self.busy.as_picos() / self.completed.max(1);
        let turnaround = Time::from_picos(mean.saturating_mul(u64::from(self.outstanding) + 1));
        Outlook { queue: self.outstanding, turnaround, ..Outlook::default() }
    }
}

/// What a request would meet at a disk that shows its arm; `shift` is where the copy lies on it.
pub(super) fn seen(arm: &Arm, request: &BlockRequest, shift: u64, now: Time) -> Outlook {
    let there = BlockRequest { address: request.address + shift, ..request.clone() };
    arm.outlook(now, &there)
}
