//! Transitions that may be enabled, by priority and then in the order in which they became so.

use crate::random::{Generator, below};

/// The most priorities in one net: one bit each in a word.
pub(crate) const RANK_LIMIT: usize = 64;

/// Ends a list, and marks what is in none.
const END: u32 = u32::MAX;
const UNLISTED: u32 = u32::MAX - 1;

#[derive(Clone, Copy, Debug)]
struct Member {
    next: u32,
    rank: u32,
}

#[derive(Clone, Copy, Debug)]
struct List {
    first: u32,
    last: u32,
}

/// Every enabled transition is in the list; a listed one may turn out to be disabled. One linked list a rank, threaded
/// through the members, so that nothing is allocated or moved.
#[derive(Clone, Debug)]
pub(crate) struct Worklist {
    members: Vec<Member>,
    lists: [List; RANK_LIMIT],
    /// Bit r: rank r is not empty.
    occupied: u64,
}

impl Worklist {
    /// An empty list for transitions of these ranks, each below [`RANK_LIMIT`].
    pub(crate) fn new(ranks: impl Iterator<Item = u8>) -> Self {
        let members = ranks.map(|rank| Member { next: UNLISTED, rank: u32::from(rank) % RANK_LIMIT as u32 }).collect();
        Self { members, lists: [List { first: END, last: END }; RANK_LIMIT], occupied: 0 }
    }

    #[inline]
    pub(crate) fn push(&mut self, transition: u32) {
        let member = &mut self.members[transition as usize];
        if member.next != UNLISTED {
            return;
        }
        member.next = END;
        let rank = member.rank;
        let list = &mut self.lists[rank as usize];
        let last = std::mem::replace(&mut list.last, transition);
        if list.first == END {
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
        let rank = self.occupied.trailing_zeros();
        let list = &mut self.lists[rank as usize];
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
        let rank = self.members[listed[0] as usize].rank;
        while self.occupied & (1 << rank) != 0 {
            listed.extend(self.pop());
        }
        let chosen = listed.remove(below(random, listed.len() as u64) as usize);
        listed.into_iter().for_each(|other| self.push(other));
        Some(chosen)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_urgent_come_first_in_the_order_of_listing() {
        let mut list = Worklist::new([1, 0, 1, 0].into_iter());
        for transition in [2, 3, 0, 2, 1] {
            list.push(transition);
        }
        let order: Vec<u32> = std::iter::from_fn(|| list.pop()).collect();
        assert_eq!(order, [3, 1, 2, 0]);
    }

    #[test]
    fn at_random_only_the_most_urgent_are_eligible() {
        let mut random = crate::random::generator(1, 0, "", "");
        let mut first = [0; 3];
        for _ in 0..3_000 {
            let mut list = Worklist::new([0, 0, 0, 1].into_iter());
            (0..4).rev().for_each(|transition| list.push(transition));
            first[list.pop_any(&mut random).expect("four are listed") as usize] += 1;
            while list.pop_any(&mut random).is_some() {}
        }
        assert!(first.iter().all(|&count| (900..1_100).contains(&count)), "{first:?}");
    }
}
