//! Declustered parity: stripes narrower than the array, laid so that any two members share about as many of them.
//!
//! Rows of units are shuffled, each slice of rows by a permutation of its own, and stripes are dealt along the rows.
//! When a member fails, what is needed to rebuild it lies evenly on all others. Source: A. Merchant and P. Yu, "Analytic
//! modeling of clustered RAID with mapping based on nearly random permutation", IEEE Trans. Computers 45 (1996); OpenZFS
//! dRAID works the same way.

use petrio_persist::Persist;
use petrio_random::{generator, uniform_below};
use petrio_units::numbers::as_index;

/// Most members of an array: what a permutation's entries can tell.
pub(super) const MOST_MEMBERS: usize = 1 << 16;

/// Permutations before they begin again: pairs of members then differ by some percent in what they share.
const PERMUTATIONS: usize = 256;

/// The permutations of an array, one after the other, and their inverses.
#[derive(Clone, Debug, PartialEq, Eq, Persist)]
pub(super) struct Permutations {
    members: usize,
    forward: Vec<u16>,
    back: Vec<u16>,
}

impl Permutations {
    /// Those of so many members: the same for every array of them.
    pub(super) fn new(members: usize) -> Self {
        let member_number = |member: usize| u16::try_from(member).unwrap_or(u16::MAX);
        let mut random = generator(0, 0, "declustered parity", "permutations");
        let (mut forward, mut back) = (Vec::new(), vec![0; members * PERMUTATIONS]);
        for number in 0..PERMUTATIONS {
            let mut order: Vec<u16> = (0..members).map(member_number).collect();
            for last in (1..members).rev() {
                order.swap(last, as_index(uniform_below(&mut random, last as u64 + 1)));
            }
            for (slot, &member) in order.iter().enumerate() {
                back[number * members + usize::from(member)] = member_number(slot);
            }
            forward.append(&mut order);
        }
        Self { members, forward, back }
    }

    /// Slices of rows after which they begin again.
    pub(super) const fn slices(&self) -> u64 {
        PERMUTATIONS as u64
    }

    /// The member at a slot of a slice's rows.
    pub(super) fn member(&self, slice: u64, slot: usize) -> usize {
        usize::from(self.forward[self.start(slice) + slot])
    }

    /// The slot of a member in a slice's rows.
    pub(super) fn slot(&self, slice: u64, member: usize) -> usize {
        usize::from(self.back[self.start(slice) + member])
    }

    fn start(&self, slice: u64) -> usize {
        as_index(slice % PERMUTATIONS as u64) * self.members
    }
}
