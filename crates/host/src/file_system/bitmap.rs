//! Bitmaps of all groups: which blocks, or which inodes, are taken.
//!
//! A group's words are made when something is taken from it, and shared by clones of a volume until one of them changes
//! it: a fresh volume of many terabytes costs a few bytes a group. Searches look at 64 bits at a time.

use petrio_persist::Persist;
use petrio_units::numbers::as_number;
use std::ops::Range;
use std::sync::Arc;

/// Bits of one group at most: what a block of 4 KiB holds.
pub(super) const MOST_BITS: u32 = 32_768;
const WORDS: usize = MOST_BITS as usize / 64;

#[derive(Clone, Debug, Persist)]
struct Group {
    /// Bits at the beginning that are taken from the start: the group's metadata.
    lead: u32,
    /// Bits that there are; the last group may be short.
    size: u32,
    free: u32,
    words: Option<Arc<[u64; WORDS]>>,
}

impl Group {
    /// The words, made where they weren't there yet. Bits beyond the group's size are taken.
    fn words_mut(&mut self) -> &mut [u64; WORDS] {
        let (lead, size) = (self.lead, self.size);
        let words = self.words.get_or_insert_with(|| {
            let mut words = [0; WORDS];
            mark(&mut words, 0..lead, true);
            mark(&mut words, size..MOST_BITS, true);
            Arc::new(words)
        });
        Arc::make_mut(words)
    }

    fn taken(&self, bit: u32) -> bool {
        match &self.words {
            Some(words) => words[bit as usize / 64] >> (bit % 64) & 1 == 1,
            None => bit < self.lead || bit >= self.size,
        }
    }

    /// The first bit from `from` on that is free (or taken); the group's size where there is none.
    fn next(&self, from: u32, free: bool) -> u32 {
        if from >= self.size {
            return self.size;
        }
        let Some(words) = &self.words else {
            return match (free, from < self.lead) {
                (true, true) => self.lead,
                (false, false) => self.size,
                _ => from,
            };
        };
        let flip = if free { u64::MAX } else { 0 };
        let mut at = from as usize / 64;
        let mut word = (words[at] ^ flip) & (u64::MAX << (from % 64));
        while word == 0 {
            at += 1;
            if at == WORDS {
                return self.size;
            }
            word = words[at] ^ flip;
        }
        (as_number(at) * 64 + word.trailing_zeros()).min(self.size)
    }
}

fn mark(words: &mut [u64; WORDS], bits: Range<u32>, taken: bool) {
    let mut bit = bits.start;
    while bit < bits.end {
        let count = (64 - bit % 64).min(bits.end - bit);
        let mask = (u64::MAX >> (64 - count)) << (bit % 64);
        let word = &mut words[bit as usize / 64];
        *word = if taken { *word | mask } else { *word & !mask };
        bit += count;
    }
}

/// A run of free bits of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Run {
    pub(super) group: u32,
    pub(super) first: u32,
    pub(super) count: u32,
}

/// The bitmaps of all groups, which have the same number of bits except for the last.
#[derive(Clone, Debug, Persist)]
pub(super) struct Bitmaps {
    per_group: u32,
    groups: Vec<Group>,
    free: u64,
}

impl Bitmaps {
    /// Groups of `per_group` bits, `bits` in all; the first `lead(group)` of each are taken.
    pub(super) fn new(per_group: u32, bits: u64, lead: impl Fn(u32) -> u32) -> Self {
        let count = as_number(bits.div_ceil(u64::from(per_group)));
        let groups: Vec<Group> = (0..count)
            .map(|group| {
                let before = u64::from(group) * u64::from(per_group);
                let size = as_number((bits - before).min(u64::from(per_group)));
                let lead = lead(group).min(size);
                Group { lead, size, free: size - lead, words: None }
            })
            .collect();
        let free = groups.iter().map(|group| u64::from(group.free)).sum();
        Self { per_group, groups, free }
    }

    pub(super) fn groups(&self) -> u32 {
        as_number(self.groups.len())
    }

    pub(super) fn free(&self) -> u64 {
        self.free
    }

    pub(super) fn free_in(&self, group: u32) -> u32 {
        self.groups[group as usize].free
    }

    pub(super) fn size_of(&self, group: u32) -> u32 {
        self.groups[group as usize].size
    }

    /// Whether nothing was taken from the group yet beyond its metadata.
    pub(super) fn untouched(&self, group: u32) -> bool {
        self.groups[group as usize].words.is_none()
    }

    /// Group and bit of a number.
    #[inline]
    pub(super) fn place(&self, number: u64) -> (u32, u32) {
        (as_number(number / u64::from(self.per_group)), as_number(number % u64::from(self.per_group)))
    }

    /// The number of a group's bit.
    #[inline]
    pub(super) fn number(&self, group: u32, bit: u32) -> u64 {
        u64::from(group) * u64::from(self.per_group) + u64::from(bit)
    }

    pub(super) fn is_taken(&self, number: u64) -> bool {
        let (group, bit) = self.place(number);
        self.groups[group as usize].taken(bit)
    }

    /// Takes free bits that lie in one group.
    pub(super) fn take(&mut self, group: u32, bits: Range<u32>) {
        let count = bits.end - bits.start;
        let of = &mut self.groups[group as usize];
        debug_assert!(of.next(bits.start, false) >= bits.end, "taken twice");
        mark(of.words_mut(), bits, true);
        of.free -= count;
        self.free -= u64::from(count);
    }

    /// Gives taken bits back, from whichever groups.
    pub(super) fn give_back(&mut self, numbers: Range<u64>) {
        let mut at = numbers.start;
        while at < numbers.end {
            let (group, bit) = self.place(at);
            let count = as_number((numbers.end - at).min(u64::from(self.per_group - bit)));
            let of = &mut self.groups[group as usize];
            debug_assert!(of.next(bit, true) >= (bit + count).min(of.size), "given back twice");
            mark(of.words_mut(), bit..bit + count, false);
            of.free += count;
            self.free += u64::from(count);
            at += u64::from(count);
        }
    }

    /// The first free run of the group at or after `from` that has at least `least` bits, cut at `most`.
    pub(super) fn run_in(&self, group: u32, from: u32, least: u32, most: u32) -> Option<Run> {
        let of = &self.groups[group as usize];
        if of.free < least {
            return None;
        }
        let mut first = from;
        loop {
            first = of.next(first, true);
            if first >= of.size {
                return None;
            }
            let end = of.next(first, false);
            if end - first >= least {
                return Some(Run { group, first, count: (end - first).min(most) });
            }
            first = end;
        }
    }

    /// The first free chunk of `size` bits (a power of two) of the group that begins at a multiple of its size.
    pub(super) fn chunk_in(&self, group: u32, size: u32) -> Option<Run> {
        let of = &self.groups[group as usize];
        if of.free < size {
            return None;
        }
        let mut first = 0;
        loop {
            first = of.next(first, true).next_multiple_of(size);
            if first.saturating_add(size) > of.size {
                return None;
            }
            let end = of.next(first, false);
            if end - first >= size {
                return Some(Run { group, first, count: size });
            }
            first = end;
        }
    }

    /// The first run of free numbers that begins in `first .. end`, to its end in its group: where it begins, and how many.
    pub(super) fn free_run(&self, first: u64, end: u64) -> Option<(u64, u64)> {
        let mut at = first;
        while at < end {
            let (group, bit) = self.place(at);
            let of = &self.groups[group as usize];
            let begin = of.next(bit, true);
            if begin < of.size && self.number(group, begin) < end {
                return Some((self.number(group, begin), u64::from(of.next(begin, false) - begin)));
            }
            at = self.number(group, of.size.max(bit + 1));
        }
        None
    }

    /// Free bits from `bit` on that follow one another, at most `most`.
    pub(super) fn free_from(&self, group: u32, bit: u32, most: u32) -> u32 {
        let of = &self.groups[group as usize];
        if bit >= of.size || of.taken(bit) { 0 } else { (of.next(bit, false) - bit).min(most) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_of_free_numbers_ends_with_its_group_and_where_one_is_taken() {
        let mut bitmaps = Bitmaps::new(MOST_BITS, 100_000, |_| 10);
        bitmaps.take(0, 100..110);
        let group = u64::from(MOST_BITS);
        assert_eq!(bitmaps.free_run(90, 105), Some((90, 10)));
        assert_eq!(bitmaps.free_run(100, 110), None);
        assert_eq!(bitmaps.free_run(105, 200), Some((110, group - 110)));
        assert_eq!(bitmaps.free_run(group - 5, group + 50), Some((group - 5, 5)));
        assert_eq!(bitmaps.free_run(group, group + 50), Some((group + 10, group - 10)));
        assert_eq!(
            (bitmaps.free_run(group, group + 10), bitmaps.free_run(99_999, 200_000)),
            (None, Some((99_999, 1)))
        );
    }

    #[test]
    fn a_fresh_group_costs_no_words_and_answers_alike() {
        let bits = 100_000u64;
        let lazy = Bitmaps::new(MOST_BITS, bits, |group| group * 7);
        let mut made = lazy.clone();
        for group in 0..made.groups() {
            made.groups[group as usize].words_mut();
        }
        for group in 0..lazy.groups() {
            assert!(lazy.untouched(group) && !made.untouched(group));
            for from in [0, 1, 6, 7, 8, 1700, 1696, 32_767] {
                for least in [1, 5, 1700, 32_768] {
                    assert_eq!(
                        lazy.run_in(group, from, least, 99),
                        made.run_in(group, from, least, 99),
                        "{group} {from} {least}"
                    );
                }
            }
            for size in [1, 8, 64, 512, 16_384] {
                assert_eq!(lazy.chunk_in(group, size), made.chunk_in(group, size));
            }
        }
    }

    #[test]
    fn runs_end_at_taken_bits_and_at_the_end_of_a_short_group() {
        let mut bitmaps = Bitmaps::new(MOST_BITS, 32_768 + 100, |_| 2);
        assert_eq!(bitmaps.free(), 32_766 + 98);
        bitmaps.take(0, 10..20);
        assert_eq!(bitmaps.run_in(0, 0, 1, 1000), Some(Run { group: 0, first: 2, count: 8 }));
        assert_eq!(bitmaps.run_in(0, 0, 9, 1000), Some(Run { group: 0, first: 20, count: 1000 }));
        assert_eq!(bitmaps.run_in(1, 0, 1, 1000), Some(Run { group: 1, first: 2, count: 98 }));
        assert_eq!(bitmaps.run_in(1, 0, 99, 1000), None);
        assert_eq!(bitmaps.chunk_in(0, 8), Some(Run { group: 0, first: 24, count: 8 }));
        assert_eq!(bitmaps.free_from(0, 5, 100), 5);
        assert_eq!(bitmaps.free_from(0, 10, 100), 0);
        bitmaps.give_back(10..20);
        assert_eq!(bitmaps.free(), 32_766 + 98);
        assert!(!bitmaps.is_taken(10) && bitmaps.is_taken(1));
    }
}
