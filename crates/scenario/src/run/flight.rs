//! What is under way: what has been asked for and hasn't completed. At the end of a run it is what waits, and how long it
//! has.
//!
//! A request costs a store when it is issued and another when it completes: requests are numbered in the order of their
//! issue, so that those under way lie close together in a ring, by their numbers. What is still there when the ring comes
//! round again, a few among very many, is put aside.

use crate::report::{Left, UnderWay};
use petrio_colours::RequestId;
use petrio_kernel::Time;
use petrio_units::numbers::as_index;
use petrio_workload::Phase;
use std::collections::BTreeMap;

/// Places of the ring at first, and at most.
const FIRST: usize = 1 << 8;
const MOST: usize = 1 << 18;

/// What is under way of one colour.
pub(super) struct Flight {
    ring: Vec<Option<UnderWay>>,
    aside: BTreeMap<RequestId, UnderWay>,
    workloads: Vec<OfWorkload>,
}

/// What is known of a workload.
#[derive(Clone, Copy, Default)]
struct OfWorkload {
    /// When it asked for something first, and for something that counts.
    first: Option<Time>,
    first_counted: Option<Time>,
    /// Whether it has begun to close without counting.
    closing: bool,
}

impl Flight {
    /// Nothing, of so many workloads.
    pub(super) fn of(workloads: usize) -> Self {
        Self {
            ring: vec![None; FIRST],
            aside: BTreeMap::new(),
            workloads: vec![OfWorkload::default(); workloads.max(1)],
        }
    }

    fn place(&self, id: RequestId) -> usize {
        as_index(id.0) & (self.ring.len() - 1)
    }

    /// A request is issued, in a phase of its workload.
    #[inline]
    pub(super) fn begins(&mut self, request: UnderWay, phase: Phase) {
        if let Some(workload) = self.workloads.get_mut(request.workload) {
            workload.first.get_or_insert(request.issued);
            match phase {
                Phase::Closing { counted: false } => workload.closing = true,
                Phase::Preparation => {}
                Phase::Measured | Phase::Closing { counted: true } => {
                    workload.first_counted.get_or_insert(request.issued);
                }
            }
        }
        self.put(request);
    }

    #[inline]
    fn put(&mut self, request: UnderWay) {
        let place = self.place(request.id);
        if let Some(older) = self.ring[place].replace(request) {
            self.aside.insert(older.id, older);
            if self.aside.len() * 2 > self.ring.len() && self.ring.len() < MOST {
                self.widen();
            }
        }
    }

    /// So many are under way that most of them would lie aside.
    #[cold]
    fn widen(&mut self) {
        let twice = self.ring.len() * 2;
        let all = std::mem::replace(&mut self.ring, vec![None; twice]).into_iter().flatten();
        let aside = std::mem::take(&mut self.aside);
        // The oldest first, so that what has to lie aside is what is oldest.
        let mut all: Vec<UnderWay> = aside.into_values().chain(all).collect();
        all.sort_unstable_by_key(|request| request.id);
        for request in all {
            let place = self.place(request.id);
            if let Some(older) = self.ring[place].replace(request) {
                self.aside.insert(older.id, older);
            }
        }
    }

    /// A request has completed, or has failed.
    #[inline]
    pub(super) fn ends(&mut self, id: RequestId) {
        let place = self.place(id);
        match self.ring[place] {
            Some(request) if request.id == id => self.ring[place] = None,
            _ => {
                self.aside.remove(&id);
            }
        }
    }

    /// What is under way now, the oldest first.
    pub(super) fn under_way(&self) -> Vec<UnderWay> {
        let mut under_way: Vec<UnderWay> =
            self.aside.values().chain(self.ring.iter().flatten()).copied().collect();
        under_way.sort_unstable_by_key(|request| request.id);
        under_way
    }

    /// What is left when the run ends, whose workloads have `ended` by themselves or haven't.
    pub(super) fn left(self, now: Time, ended: impl Fn(usize) -> bool) -> Left {
        let under_way = self.under_way();
        let begun = |workload: &OfWorkload| workload.first_counted.or(workload.first);
        let goes_on = |(number, workload): (usize, &OfWorkload)| {
            let waits = || under_way.iter().any(|request| request.workload == number && !request.closing);
            waits() || (workload.first.is_some() && !workload.closing && !ended(number))
        };
        Left {
            begun: self.workloads.iter().map(begun).collect(),
            goes_on: self.workloads.iter().enumerate().map(goes_on).collect(),
            under_way,
            now,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(id: u64) -> UnderWay {
        let issued = Time::from_millis(id);
        UnderWay { id: RequestId(id), workload: 0, kind: 0, moves: true, closing: false, issued }
    }

    fn left(flight: Flight) -> Vec<u64> {
        let left = flight.left(Time::from_whole_seconds(9), |_| true);
        left.under_way.iter().map(|request| request.id.0).collect()
    }

    #[test]
    fn one_that_never_comes_back_is_known_after_very_many_others() {
        let mut flight = Flight::of(1);
        flight.begins(request(0), Phase::Measured);
        for id in 1..10_000 {
            flight.begins(request(id), Phase::Measured);
            flight.ends(RequestId(id));
        }
        assert_eq!(flight.ring.len(), FIRST, "one alone takes no more room");
        assert_eq!(left(flight), [0]);
    }

    #[test]
    fn many_under_way_are_all_known_whatever_the_order_in_which_they_complete() {
        let mut flight = Flight::of(1);
        (0..10_000).for_each(|id| flight.begins(request(id), Phase::Measured));
        (0..10_000).rev().filter(|id| id % 7 != 0).for_each(|id| flight.ends(RequestId(id)));
        assert_eq!(left(flight), (0..10_000).filter(|id| id % 7 == 0).collect::<Vec<u64>>());
    }

    #[test]
    fn a_workload_goes_on_until_it_ends_by_itself_and_nothing_of_it_is_under_way() {
        let closing = Phase::Closing { counted: false };
        let goes_on = |phase: Phase, completed: bool, ended: bool| {
            let mut flight = Flight::of(1);
            flight.begins(UnderWay { closing: phase == closing, ..request(3) }, phase);
            if completed {
                flight.ends(RequestId(3));
            }
            flight.left(Time::from_millis(5), |_| ended).goes_on[0]
        };
        assert!(goes_on(Phase::Measured, false, true), "its last one is under way");
        assert!(goes_on(Phase::Measured, true, false), "it thinks");
        assert!(!goes_on(Phase::Measured, true, true));
        assert!(!goes_on(closing, false, false), "what counts of it is over");
    }
}
