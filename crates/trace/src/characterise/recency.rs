//! The order of last uses: how many different pages were used since one was, which is its stack distance.
//!
//! Every use takes the next *slot* of a line; the slot of the page's use before is freed. The slots in use after a
//! page's own are the pages used since. A bit a slot says whether it is in use, and a Fenwick tree counts the bits in
//! groups of 512, so that counting touches a few kilobytes however long the trace. When the line is full it is drawn
//! together: slots are renumbered by their rank, and the line gets eight times as many slots as are in use.
//!
//! Source: R. L. Mattson et al., *Evaluation techniques for storage hierarchies*, IBM Systems Journal 9 (2), 1970; the
//! tree in place of the stack: B. T. Bennett and V. J. Kruskal, *LRU stack processing*, IBM J. R&D 19 (4), 1975.

/// Slots of a group: eight words, one cache line.
const GROUP_SLOTS: u32 = 512;
const WORDS_A_GROUP: usize = (GROUP_SLOTS / 64) as usize;
/// The line is never shorter.
const SLOTS_LEAST: u32 = 1 << 16;
/// After it is drawn together, the line has so many slots for each in use.
const ROOM: u32 = 8;

/// A slot; slot 0 is never used, and stands for *not yet*.
pub(super) type Slot = u32;

/// Which slots of the line are in use.
#[derive(Debug)]
pub(super) struct Recency {
    words: Vec<u64>,
    /// Fenwick tree over the number of slots in use of each group; from index 1.
    groups: Vec<u32>,
    next: Slot,
    live: u32,
}

impl Recency {
    pub(super) fn new() -> Self {
        Self::of(0)
    }

    /// A line whose first `live` slots are in use.
    fn of(live: u32) -> Self {
        let slots =
            live.saturating_mul(ROOM).max(SLOTS_LEAST).div_ceil(GROUP_SLOTS).min(u32::MAX / GROUP_SLOTS)
                * GROUP_SLOTS;
        let groups = (slots / GROUP_SLOTS) as usize;
        let mut line = Self {
            words: vec![0; groups * WORDS_A_GROUP],
            groups: vec![0; groups + 1],
            next: live + 1,
            live,
        };
        for slot in 1..=live {
            line.words[(slot / 64) as usize] |= 1 << (slot % 64);
        }
        for group in 0..groups {
            let count =
                line.words[group * WORDS_A_GROUP..][..WORDS_A_GROUP].iter().map(|word| word.count_ones());
            let count: u32 = count.sum();
            line.add(group, count);
        }
        line
    }

    /// Slots in use: different pages.
    pub(super) const fn live(&self) -> u32 {
        self.live
    }

    /// The slot that the next use takes.
    pub(super) const fn next(&self) -> Slot {
        self.next
    }

    /// Whether the line must be drawn together before the next use.
    #[inline]
    pub(super) fn is_full(&self) -> bool {
        self.next as usize == self.words.len() * 64
    }

    /// A use of a page that has no slot.
    #[inline]
    pub(super) fn first_use(&mut self) -> Slot {
        self.live += 1;
        self.take()
    }

    /// A use of the page whose use before took `slot`: its new slot, and how many pages were used from that use to this
    /// one, itself included.
    #[inline]
    pub(super) fn use_again(&mut self, slot: Slot) -> (Slot, u32) {
        let distance = self.live - self.rank(slot) + 1;
        // Freed; the group's count follows.
        self.words[(slot / 64) as usize] &= !(1 << (slot % 64));
        self.add((slot / GROUP_SLOTS) as usize, u32::MAX);
        (self.take(), distance)
    }

    #[inline]
    fn take(&mut self) -> Slot {
        let slot = self.next;
        self.next += 1;
        self.words[(slot / 64) as usize] |= 1 << (slot % 64);
        self.add((slot / GROUP_SLOTS) as usize, 1);
        slot
    }

    /// Slots in use up to and including this one.
    #[inline]
    pub(super) fn rank(&self, slot: Slot) -> u32 {
        let group = (slot / GROUP_SLOTS) as usize;
        let words = &self.words[group * WORDS_A_GROUP..][..WORDS_A_GROUP];
        let within = (slot / 64) as usize % WORDS_A_GROUP;
        let mut count = (words[within] << (63 - slot % 64)).count_ones();
        for word in &words[..within] {
            count += word.count_ones();
        }
        let mut index = group;
        while index > 0 {
            count += self.groups[index];
            index &= index - 1;
        }
        count
    }

    /// Adds to a group's count, modulo 2³²: `u32::MAX` takes one off.
    #[inline]
    fn add(&mut self, group: usize, count: u32) {
        let mut index = group + 1;
        while index < self.groups.len() {
            self.groups[index] = self.groups[index].wrapping_add(count);
            index += index & index.wrapping_neg();
        }
    }

    /// The line drawn together: every slot in use moves to its [`Recency::rank`] on the old line.
    pub(super) fn drawn_together(&self) -> Self {
        Self::of(self.live)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_distance_counts_each_page_between_once() {
        let mut line = Recency::new();
        let first = line.first_use();
        let second = line.first_use();
        let (second, distance) = line.use_again(second);
        assert_eq!(distance, 1);
        let (_, distance) = line.use_again(second);
        assert_eq!(distance, 1);
        let (first, distance) = line.use_again(first);
        assert_eq!((distance, line.live()), (2, 2));
        assert_eq!(line.use_again(first).1, 1);
    }

    #[test]
    fn a_line_drawn_together_gives_the_same_distances() {
        let mut line = Recency::new();
        let pages = 5_000;
        let mut slots: Vec<Slot> = (0..pages).map(|_| line.first_use()).collect();
        let mut drawn = 0;
        // Backwards through the pages in turn, so that the distance is known: always all of them.
        for turn in 0..200_000_u32 {
            if line.is_full() {
                let short = line.drawn_together();
                for slot in &mut slots {
                    *slot = line.rank(*slot);
                }
                line = short;
                drawn += 1;
            }
            let page = (turn % pages) as usize;
            let (slot, distance) = line.use_again(slots[page]);
            slots[page] = slot;
            assert_eq!(distance, pages, "turn {turn}");
        }
        assert!(drawn >= 2);
    }
}
