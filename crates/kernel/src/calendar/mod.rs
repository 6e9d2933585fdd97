//! The event set: what matures when.
//!
//! Small sets (up to [`SPILL`] entries) live in one packed 4-ary heap. Larger ones spill into a ladder (after Tang,
//! Goh and Thng, "Ladder queue", ACM TOMACS 2005): far entries stay unsorted, are cut into buckets when their time
//! comes near, and only the next bucket is sorted, by that same small heap. So an entry is written two or three times
//! in a sequential pattern however many are pending, where a heap alone would take a cache miss a level.
//!
//! Entries at the same time come out in the order in which they were put in.

mod entry;
mod heap;
mod rung;

pub(crate) use entry::{DELAYED, Entry};
use heap::Heap;
use petrio_persist::Persist;
use rung::{Pool, Rung};

/// Where the heap spills into the ladder. Measured with the hold model at 10³ to 10⁶ pending: of 160, 256, 512 and
/// 1,024 (with buckets in proportion) the smallest was the fastest up to 10⁵, and none was at 10⁶.
const SPILL: usize = 160;
/// How many entries stay in the heap after a spill, and how many a bucket is meant to hold.
const BUCKET: usize = 32;
/// A rung has about so many buckets at most: the memory that the next entry of a bucket goes to should still be near
/// the processor when it does. Larger buckets are cut once more when their time comes.
const BUCKETS: usize = 4_096;
/// A bucket beyond this is cut once more before it is sorted.
const SPLIT: usize = 128;

/// The pending events in order of time, then insertion.
#[derive(Clone, Debug, Persist)]
pub(crate) struct Calendar {
    /// Every entry before `near_end`.
    near: Heap,
    near_end: u64,
    /// The size of the heap at which it spills.
    spill_at: usize,
    /// Coarsest first; each spans one bucket of the one before it.
    rungs: Vec<Rung>,
    /// Emptied rungs, kept for their capacity.
    spare_rungs: Vec<Rung>,
    pool: Pool,
    /// Entries beyond the last rung, unsorted.
    far: Vec<Entry>,
    /// Scratch for moving a bucket.
    moving: Vec<Entry>,
    len: usize,
    next_order: u64,
}

impl Default for Calendar {
    fn default() -> Self {
        Self {
            near: Heap::default(),
            near_end: u64::MAX,
            spill_at: SPILL,
            rungs: Vec::new(),
            spare_rungs: Vec::new(),
            pool: Pool::default(),
            far: Vec::new(),
            moving: Vec::new(),
            len: 0,
            next_order: 0,
        }
    }
}

impl Calendar {
    /// Entries pending, stale ones included.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Adds an event.
    #[inline]
    pub(crate) fn push(&mut self, time: u64, place: u32, tag: u32) {
        let entry = Entry { time, order: self.next_order, place, tag };
        self.next_order += 1;
        self.len += 1;
        if time < self.near_end {
            self.near.push(entry);
            if self.near.len() > self.spill_at {
                self.spill();
            }
        } else {
            self.push_beyond(entry);
        }
    }

    fn push_beyond(&mut self, entry: Entry) {
        for rung in self.rungs.iter_mut().rev() {
            if entry.time < rung.end() {
                rung.push(&mut self.pool, entry);
                return;
            }
        }
        self.far.push(entry);
    }

    /// The time of the next event.
    #[inline]
    pub(crate) fn next_time(&mut self) -> Option<u64> {
        if self.near.is_empty() && self.len > 0 {
            self.refill();
        }
        self.near.first().map(|entry| entry.time)
    }

    /// Takes the next event if it is due at `time` or before.
    #[inline]
    pub(crate) fn pop_until(&mut self, time: u64) -> Option<Entry> {
        if self.near.is_empty() {
            if self.len == 0 {
                return None;
            }
            self.refill();
        }
        if self.near.first()?.time > time {
            return None;
        }
        self.len -= 1;
        let entry = self.near.pop();
        if self.len == 0 {
            // Everything is empty, so the plain heap may serve again.
            self.near_end = u64::MAX;
            if !self.rungs.is_empty() {
                self.spare_rungs.append(&mut self.rungs);
            }
        }
        entry
    }

    /// Keeps only the entries for which `keep` holds.
    pub(crate) fn retain(&mut self, keep: impl FnMut(&Entry) -> bool) {
        let mut all = std::mem::take(&mut self.moving);
        self.near.drain_into(&mut all);
        while let Some(mut rung) = self.rungs.pop() {
            while rung.next_bucket(&mut self.pool, &mut all).is_some() {}
            self.spare_rungs.push(rung);
        }
        all.append(&mut self.far);
        all.retain(keep);
        self.len = all.len();
        self.near_end = u64::MAX;
        // The order of insertion is kept in each entry, so the way they come back in does not matter.
        for entry in all.drain(..) {
            if entry.time < self.near_end {
                self.near.push(entry);
                if self.near.len() > self.spill_at {
                    self.spill();
                }
            } else {
                self.push_beyond(entry);
            }
        }
        self.moving = all;
    }

    /// Moves all but the earliest entries of the heap to the ladder.
    fn spill(&mut self) {
        let mut all = std::mem::take(&mut self.moving);
        self.near.drain_into(&mut all);
        all.sort_unstable_by_key(Entry::key);
        let cut = all[BUCKET].time;
        if cut == all[0].time || cut == u64::MAX {
            // One instant holds them all; sorting them elsewhere would gain nothing. Keep them in the heap.
            for entry in all.drain(..) {
                self.near.push(entry);
            }
            self.spill_at = self.near.len() * 2;
            self.moving = all;
            return;
        }
        self.spill_at = SPILL;
        let old_end = std::mem::replace(&mut self.near_end, cut);
        if old_end == u64::MAX {
            for entry in all.drain(..) {
                if entry.time < cut { self.near.push(entry) } else { self.far.push(entry) }
            }
        } else {
            self.add_rung(cut, old_end, all.len());
            for entry in all.drain(..) {
                if entry.time < cut { self.near.push(entry) } else { self.push_beyond(entry) }
            }
        }
        self.moving = all;
    }

    fn add_rung(&mut self, start: u64, end: u64, expected: usize) {
        let mut rung = self.spare_rungs.pop().unwrap_or_default();
        rung.reset(start, end, expected, BUCKET.max(expected / BUCKETS));
        self.rungs.push(rung);
    }

    /// Brings the next bucket into the empty heap. There is at least one entry somewhere.
    fn refill(&mut self) {
        let mut moving = std::mem::take(&mut self.moving);
        while self.near.is_empty() {
            let Some(rung) = self.rungs.last_mut() else {
                self.rung_from_far();
                continue;
            };
            let Some((start, end)) = rung.next_bucket(&mut self.pool, &mut moving) else {
                self.spare_rungs.extend(self.rungs.pop());
                continue;
            };
            if moving.len() > SPLIT && end - start > 1 {
                self.add_rung(start, end, moving.len());
                for entry in moving.drain(..) {
                    self.push_beyond(entry);
                }
                continue;
            }
            self.near_end = end;
            for entry in moving.drain(..) {
                self.near.push(entry);
            }
        }
        self.moving = moving;
    }

    /// Cuts the far entries into a first rung.
    fn rung_from_far(&mut self) {
        let (mut first, mut last) = (u64::MAX, 0);
        for entry in &self.far {
            first = first.min(entry.time);
            last = last.max(entry.time);
        }
        // `Time::NEVER` is never scheduled, so `last + 1` does not overflow.
        self.add_rung(first, last + 1, self.far.len());
        let rung = &mut self.rungs[0];
        for entry in self.far.drain(..) {
            rung.push(&mut self.pool, entry);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_core::{Rng, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;

    /// The calendar against a sorted map, with waves of growth and shrinkage and many ties.
    #[test]
    fn comes_out_in_order_of_time_then_insertion() {
        for spread in [1u64, 50, 10_000, 1 << 40] {
            let mut rng = Xoshiro256PlusPlus::seed_from_u64(spread);
            let mut calendar = Calendar::default();
            let mut reference = std::collections::BTreeMap::new();
            let (mut now, mut order) = (0, 0u64);
            for round in 0..60_000u64 {
                let growing = (round / 12_000) % 2 == 0;
                let pushes = if growing { 2 } else { 0 } + (rng.next_u64() & 1);
                for _ in 0..pushes {
                    let time = now + rng.next_u64() % spread;
                    calendar.push(time, order as u32, 7);
                    reference.insert((time, order), order as u32);
                    order += 1;
                }
                if round % 20_000 == 19_999 {
                    calendar.retain(|entry| entry.place % 3 != 0);
                    reference.retain(|_, place| *place % 3 != 0);
                }
                let expected = reference.pop_first().map(|((time, _), place)| (time, place));
                let time = calendar.next_time();
                assert_eq!(time, expected.map(|(time, _)| time));
                if let (Some(time), Some((_, place))) = (time, expected) {
                    assert_eq!(calendar.pop_until(time).map(|entry| entry.place), Some(place));
                    now = time;
                }
                assert_eq!(calendar.len(), reference.len());
            }
        }
    }

    #[test]
    fn one_instant_with_many_entries_stays_in_order() {
        let mut calendar = Calendar::default();
        for tag in 0..5_000 {
            calendar.push(10, 0, tag);
        }
        for tag in 0..5_000 {
            assert_eq!(calendar.pop_until(10).map(|entry| entry.tag), Some(tag));
        }
        assert_eq!(calendar.next_time(), None);
    }
}
