//! A set of slots: where copies of a file lie, or are to lie.

use petrio_persist::Persist;
use petrio_units::numbers::as_number;
use smallvec::{SmallVec, smallvec};

const BITS: usize = 64;

/// A bit for each slot, in words; a set of few disks needs no memory of its own. No word at the end is empty, so that
/// equal sets are equal.
#[derive(Clone, Debug, Default, PartialEq, Eq, Persist)]
pub(super) struct Slots(SmallVec<[u64; 2]>);

impl Slots {
    /// One alone.
    pub(super) fn only(slot: u32) -> Self {
        let mut slots = Self::default();
        slots.insert(slot);
        slots
    }

    /// The first so many.
    pub(super) fn first(count: u32) -> Self {
        let mut words: SmallVec<[u64; 2]> = smallvec![u64::MAX; count as usize / BITS];
        let rest = count as usize % BITS;
        if rest > 0 {
            words.push((1 << rest) - 1);
        }
        Self(words)
    }

    pub(super) fn contains(&self, slot: u32) -> bool {
        self.0.get(slot as usize / BITS).is_some_and(|word| word & (1 << (slot as usize % BITS)) != 0)
    }

    pub(super) fn insert(&mut self, slot: u32) {
        let word = slot as usize / BITS;
        if self.0.len() <= word {
            self.0.resize(word + 1, 0);
        }
        self.0[word] |= 1 << (slot as usize % BITS);
    }

    pub(super) fn remove(&mut self, slot: u32) {
        if let Some(word) = self.0.get_mut(slot as usize / BITS) {
            *word &= !(1 << (slot as usize % BITS));
        }
        self.shorten();
    }

    fn shorten(&mut self) {
        while self.0.last() == Some(&0) {
            self.0.pop();
        }
    }

    /// Those of another set too.
    pub(super) fn join(&mut self, other: &Self) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        for (word, other) in self.0.iter_mut().zip(&other.0) {
            *word |= other;
        }
    }

    /// Those that another set hasn't.
    pub(super) fn without(mut self, other: &Self) -> Self {
        for (word, other) in self.0.iter_mut().zip(&other.0) {
            *word &= !other;
        }
        self.shorten();
        self
    }

    /// How many.
    pub(super) fn count(&self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    /// All of them, in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.0.iter().enumerate().flat_map(|(number, &word)| {
            let mut rest = word;
            std::iter::from_fn(move || {
                let bit = (rest != 0).then(|| rest.trailing_zeros())?;
                rest &= rest - 1;
                Some(as_number(number * BITS) + bit)
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn set(slots: &BTreeSet<u32>) -> Slots {
        let mut all = Slots::default();
        slots.iter().for_each(|&slot| all.insert(slot));
        all
    }

    proptest! {
        #[test]
        fn it_holds_what_a_set_of_numbers_holds(
            one in proptest::collection::btree_set(0u32..300, 0..40),
            other in proptest::collection::btree_set(0u32..300, 0..40),
            count in 0u32..300,
        ) {
            let slots = set(&one);
            prop_assert_eq!(slots.count() as usize, one.len());
            prop_assert_eq!(slots.iter().collect::<BTreeSet<_>>(), one.clone());
            prop_assert!((0..300).all(|slot| slots.contains(slot) == one.contains(&slot)));
            for &slot in &one {
                let mut fewer = slots.clone();
                fewer.remove(slot);
                prop_assert_eq!(fewer, set(&one.iter().copied().filter(|other| *other != slot).collect()));
            }
            let mut both = slots.clone();
            both.join(&set(&other));
            prop_assert_eq!(both, set(&one.union(&other).copied().collect()));
            prop_assert_eq!(slots.without(&set(&other)), set(&one.difference(&other).copied().collect()));
            prop_assert_eq!(Slots::first(count), set(&(0..count).collect()));
        }
    }
}
