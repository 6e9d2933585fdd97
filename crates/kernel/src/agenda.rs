//! Which transitions may fire: each counts how many of its conditions fail; those without a failing one are listed, by
//! priority and then in the order in which they became so.

use petrio_persist::Persist;
use petrio_random::{Generator, uniform_below};
use petrio_time::numbers::as_index;

/// The most priorities in one net: one bit each in a word.
pub(crate) const RANK_LIMIT: usize = ONE_FAILS as usize;
const RANK_MASK: usize = RANK_LIMIT - 1;

/// Ends a list, and marks what is in none.
const END: u32 = u32::MAX;
const UNLISTED: u32 = u32::MAX - 1;

/// What a marking knows of a transition.
#[derive(Clone, Copy, Debug, Persist)]
struct Member {
    /// Conditions on numbers of tokens that fail, in units of [`ONE_FAILS`], and the rank below: together they let four
    /// members share a line of 64 bytes.
    failing_and_rank: u32,
    /// The next in its list.
    next: u32,
    firings: u64,
}

/// One failing condition. Twenty-six bits are left for them, more than a transition can have arcs.
const ONE_FAILS: u32 = 64;

impl Member {
    #[inline]
    fn may_fire(&self) -> bool {
        self.failing_and_rank < ONE_FAILS
    }

    #[inline]
    fn rank(&self) -> usize {
        self.failing_and_rank as usize & RANK_MASK
    }
}

#[derive(Clone, Copy, Debug, Persist)]
struct List {
    first: u32,
    last: u32,
}

/// Every enabled transition is listed; a listed one may turn out to be disabled. One linked list a rank, threaded
/// through the members, so that nothing is allocated or moved.
#[derive(Clone, Debug, Persist)]
pub(crate) struct Agenda {
    members: Vec<Member>,
    lists: [List; RANK_LIMIT],
    /// Bit r: rank r is not empty.
    occupied: u64,
}

impl Agenda {
    /// Nothing listed; for each transition its rank, below [`RANK_LIMIT`], and how many conditions fail.
    pub(crate) fn new(transitions: impl Iterator<Item = (u8, u32)>) -> Self {
        let members = transitions
            .map(|(rank, failing)| {
                let failing_and_rank = failing * ONE_FAILS + u32::from(rank);
                Member { failing_and_rank, next: UNLISTED, firings: 0 }
            })
            .collect();
        Self { members, lists: [List { first: END, last: END }; RANK_LIMIT], occupied: 0 }
    }

    /// Whether nothing is listed.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.occupied == 0
    }

    /// One condition of a transition holds that failed before.
    #[inline]
    pub(crate) fn holds(&mut self, transition: u32) {
        let member = &mut self.members[transition as usize];
        member.failing_and_rank -= ONE_FAILS;
        if member.may_fire() {
            self.list(transition);
        }
    }

    /// One condition of a transition fails that held before.
    #[inline]
    pub(crate) fn fails(&mut self, transition: u32) {
        self.members[transition as usize].failing_and_rank += ONE_FAILS;
    }

    /// Single tokens have changed that a transition looks at.
    #[inline]
    pub(crate) fn reconsider(&mut self, transition: u32) {
        if self.may_fire(transition) {
            self.list(transition);
        }
    }

    /// Whether no condition of a transition fails.
    #[inline]
    pub(crate) fn may_fire(&self, transition: u32) -> bool {
        self.members[transition as usize].may_fire()
    }

    /// A transition fires.
    #[inline]
    pub(crate) fn count(&mut self, transition: u32) {
        self.members[transition as usize].firings += 1;
    }

    /// Firings of a transition since statistics were reset.
    pub(crate) fn firings(&self, transition: usize) -> u64 {
        self.members[transition].firings
    }

    /// The transition that fired most since statistics were reset.
    pub(crate) fn busiest(&self) -> usize {
        self.members.iter().enumerate().max_by_key(|(_, member)| member.firings).map_or(0, |(index, _)| index)
    }

    pub(crate) fn reset_statistics(&mut self) {
        self.members.iter_mut().for_each(|member| member.firings = 0);
    }

    #[inline]
    pub(crate) fn list(&mut self, transition: u32) {
        let member = &mut self.members[transition as usize];
        if member.next != UNLISTED {
            return;
        }
        member.next = END;
        let rank = member.rank();
        let list = &mut self.lists[rank];
        let last = std::mem::replace(&mut list.last, transition);
        if self.occupied & (1 << rank) == 0 {
            list.first = transition;
            self.occupied |= 1 << rank;
        } else {
            self.members[last as usize].next = transition;
        }
    }

    /// Takes the first of the most urgent.
    #[inline]
    pub(crate) fn pop(&mut self) -> Option<u32> {
        if self.occupied == 0 {
            return None;
        }
        let rank = self.occupied.trailing_zeros() as usize & RANK_MASK;
        let list = &mut self.lists[rank];
        let transition = list.first;
        let member = &mut self.members[transition as usize];
        list.first = std::mem::replace(&mut member.next, UNLISTED);
        if list.first == END {
            self.occupied &= !(1 << rank);
        }
        Some(transition)
    }

    /// Takes any of the most urgent, each equally likely.
    #[cold]
    pub(crate) fn pop_any(&mut self, random: &mut Generator) -> Option<u32> {
        let mut listed = vec![self.pop()?];
        let rank = self.members[listed[0] as usize].rank();
        while self.occupied & (1 << rank) != 0 {
            listed.extend(self.pop());
        }
        let chosen = listed.remove(as_index(uniform_below(random, listed.len() as u64)));
        listed.into_iter().for_each(|other| self.list(other));
        Some(chosen)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_urgent_come_first_in_the_order_of_listing() {
        let mut agenda = Agenda::new([1, 0, 1, 0].into_iter().map(|rank| (rank, 0)));
        for transition in [2, 3, 0, 2, 1] {
            agenda.list(transition);
        }
        let order: Vec<u32> = std::iter::from_fn(|| agenda.pop()).collect();
        assert_eq!(order, [3, 1, 2, 0]);
    }

    #[test]
    fn at_random_only_the_most_urgent_are_eligible() {
        let mut random = petrio_random::generator(1, 0, "", "");
        let mut first = [0; 3];
        for _ in 0..3_000 {
            let mut agenda = Agenda::new([0, 0, 0, 1].into_iter().map(|rank| (rank, 0)));
            (0..4).rev().for_each(|transition| agenda.list(transition));
            first[agenda.pop_any(&mut random).expect("four are listed") as usize] += 1;
            while agenda.pop_any(&mut random).is_some() {}
        }
        assert!(first.iter().all(|&count| (900..1_100).contains(&count)), "{first:?}");
    }

    #[test]
    fn a_transition_is_listed_when_its_last_failing_condition_holds() {
        let mut agenda = Agenda::new([(0, 2)].into_iter());
        agenda.holds(0);
        agenda.reconsider(0);
        assert!(agenda.is_empty());
        agenda.fails(0);
        agenda.holds(0);
        agenda.holds(0);
        assert_eq!((agenda.pop(), agenda.pop()), (Some(0), None));
        agenda.reconsider(0);
        assert_eq!(agenda.pop(), Some(0));
    }
}
