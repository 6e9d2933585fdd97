//! Which of many places have been visited: bits that are there only where one is set, and above them which words are full.

use petrio_persist::Persist;
use petrio_units::numbers::as_index;

/// Words in a part that is made at once.
const PART_WORDS: usize = 512;

/// A row of bits.
#[derive(Clone, Debug, Default, Persist)]
struct Row {
    parts: Vec<Option<Box<[u64; PART_WORDS]>>>,
}

impl Row {
    fn word(&self, number: u64) -> u64 {
        let part = self.parts.get(as_index(number) / PART_WORDS).and_then(Option::as_deref);
        part.map_or(0, |part| part[as_index(number) % PART_WORDS])
    }

    /// Sets a bit; the word that it is in.
    fn set(&mut self, bit: u64) -> u64 {
        let number = bit / 64;
        let part = as_index(number) / PART_WORDS;
        if part >= self.parts.len() {
            self.parts.resize_with(part + 1, || None);
        }
        let part = self.parts[part].get_or_insert_with(|| Box::new([0; PART_WORDS]));
        let word = &mut part[as_index(number) % PART_WORDS];
        *word |= 1 << (bit % 64);
        *word
    }
}

/// Which places are taken.
#[derive(Clone, Debug, Persist)]
pub(super) struct Taken {
    places: u64,
    count: u64,
    /// The places, then which words of the row below are full.
    rows: Vec<Row>,
}

impl Taken {
    /// None of so many.
    pub(super) fn new(places: u64) -> Self {
        let (mut rows, mut bits) = (vec![Row::default()], places);
        while bits > 64 {
            bits = bits.div_ceil(64);
            rows.push(Row::default());
        }
        Self { places, count: 0, rows }
    }

    /// How many there are.
    pub(super) const fn places(&self) -> u64 {
        self.places
    }

    pub(super) fn is_taken(&self, place: u64) -> bool {
        self.rows[0].word(place / 64) >> (place % 64) & 1 == 1
    }

    fn take(&mut self, place: u64) {
        self.count += 1;
        let mut bit = place;
        for row in &mut self.rows {
            if row.set(bit) != u64::MAX {
                break;
            }
            bit /= 64;
        }
    }

    /// Takes places in a row up to the first that is taken already; how many.
    pub(super) fn take_row(&mut self, first: u64, count: u64) -> u64 {
        let mut taken = 0;
        while taken < count && first + taken < self.places && !self.is_taken(first + taken) {
            self.take(first + taken);
            taken += 1;
        }
        taken
    }

    /// The first free place from one on, without going round.
    fn free_from(&self, from: u64) -> Option<u64> {
        let mut level = 0;
        let mut bit = from;
        loop {
            let row = &self.rows[level];
            let word = !row.word(bit / 64) & (u64::MAX << (bit % 64));
            if word != 0 {
                bit = bit / 64 * 64 + u64::from(word.trailing_zeros());
                break;
            }
            // Nothing in this word: which of the next ones has room says the row above.
            bit = bit / 64 + 1;
            level += 1;
            if level == self.rows.len() {
                return None;
            }
        }
        while level > 0 {
            level -= 1;
            let word = !self.rows[level].word(bit);
            bit = bit * 64 + u64::from(word.trailing_zeros());
        }
        (bit < self.places).then_some(bit)
    }

    /// The first free place behind one that is taken; from the first on, if there is none behind it.
    pub(super) fn next_free(&self, taken: u64) -> Option<u64> {
        if self.count >= self.places {
            return None;
        }
        let next = if taken + 1 >= self.places { 0 } else { taken + 1 };
        self.free_from(next).or_else(|| self.free_from(0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn free_places_are_those_that_nobody_took(
            places in 1_u64..20_000,
            visits in prop::collection::vec((0_u64..20_000, 1_u64..100), 1..200),
        ) {
            let (mut taken, mut naive) = (Taken::new(places), vec![false; places as usize]);
            for (first, count) in visits {
                let first = first % places;
                let mut expected = 0;
                while expected < count && (first + expected) < places && !naive[(first + expected) as usize] {
                    naive[(first + expected) as usize] = true;
                    expected += 1;
                }
                prop_assert_eq!(taken.take_row(first, count), expected);
                let behind = (1..=places).map(|step| (first + step) % places);
                let free = behind.into_iter().find(|&place| !naive[place as usize]);
                prop_assert_eq!(taken.next_free(first), free);
                prop_assert_eq!(taken.is_taken(first), naive[first as usize]);
            }
        }
    }
}
