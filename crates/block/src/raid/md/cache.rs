//! The stripe cache: which rows of pages are in memory, which of them are looked at next, and who waits for one.
//!
//! Source: `raid5_get_active_stripe`, `do_release_stripe`, `raid5_activate_delayed` and `__get_priority_stripe` of Linux 6.1's
//! drivers/md/raid5.c. Stripe heads are dealt out to eight lists by their rows, each of which forgets the row that was used longest ago.
//! Where somebody finds none, the cache grows by a stripe head each time that the thread is done (R5_ALLOC_MORE). Leaves out: that it
//! can't where no memory is free, and shrinks again where others want it (`raid5_cache_scan`).

use super::decide::Units;
use super::lists::Lists;
use super::log::RECLAIMED_ROWS;
use super::stripe::{NO_ROW, Stripe};
use petrio_persist::Persist;
use petrio_stage::fast_map::FastMap;
use petrio_units::numbers::{as_index, as_number};

/// NR_STRIPE_HASH_LOCKS.
const HASHES: usize = 8;
const HANDLE: usize = HASHES;
const HOLD: usize = HASHES + 1;
const DELAYED: usize = HASHES + 2;
/// Rows that gather in the journal: some of their data, or all.
const PARTIAL: usize = HASHES + 3;
const FULL: usize = HASHES + 4;
const LISTS: usize = HASHES + 5;

/// Stripe heads whose data may be read for parity at a time before those that wait may (IO_THRESHOLD).
const IO_THRESHOLD: u32 = 1;

/// Rows at most (`raid5_store_stripe_cache_size`).
pub(in crate::raid) const MOST_ROWS: u32 = 32_768;

/// The stripe cache.
#[derive(Clone, Debug, Persist)]
pub(super) struct Cache {
    pub(super) stripes: Vec<Stripe>,
    rows: FastMap<u64, u32>,
    lists: Lists,
    /// Stripe heads at most, and how many of each hash were never used.
    size: u32,
    unused: [u32; HASHES],
    active: u32,
    /// Somebody waits for a stripe head, and others come after him (R5_INACTIVE_BLOCKED).
    pub(super) is_blocked: bool,
    /// Somebody found none since the thread was done last.
    wants_more: bool,
    /// It has grown, and no stripe head was released since (R5_DID_ALLOC).
    has_grown: bool,
    pub(super) preread_active: u32,
    pub(super) full_writes: u32,
    /// `preread_bypass_threshold`.
    threshold: i64,
    bypassed: i64,
    last_held: Option<u32>,
    /// Data units of a row; rows that the cache began with, and those that gather in the journal: some of their data, or all.
    all_data: Units,
    rows_at_first: u32,
    gathered: [u32; 2],
}

impl Cache {
    /// A cache of so many rows, which lets so many whole stripes go before one that must read.
    pub(super) fn new(size: u32, threshold: u32, all_data: Units) -> Self {
        let mut unused = [0; HASHES];
        (0..size as usize).for_each(|number| unused[number % HASHES] += 1);
        Self {
            stripes: Vec::new(),
            rows: FastMap::default(),
            lists: Lists::new(LISTS),
            size,
            unused,
            active: 0,
            is_blocked: false,
            wants_more: false,
            has_grown: false,
            preread_active: 0,
            full_writes: 0,
            threshold: i64::from(threshold),
            bypassed: 0,
            last_held: None,
            all_data,
            rows_at_first: size,
            gathered: [0; 2],
        }
    }

    pub(super) fn stripe(&mut self, number: u32) -> &mut Stripe {
        &mut self.stripes[number as usize]
    }

    fn hash(row: u64) -> usize {
        as_index(row) % HASHES
    }

    /// The stripe head of a row, taken off its list; none where all are in use.
    pub(super) fn get(&mut self, row: u64) -> Option<u32> {
        if let Some(&number) = self.rows.get(&row) {
            let list = self.lists.list_of(number);
            if list.is_some_and(|list| !(HASHES..PARTIAL).contains(&list)) {
                self.active += 1;
            }
            if let Some(list) = list.filter(|list| *list >= PARTIAL) {
                self.gathered[list - PARTIAL] -= 1;
            }
            self.lists.remove(number);
            return Some(number);
        }
        let hash = Self::hash(row);
        if self.is_blocked && (self.active >= self.size * 3 / 4 || !self.has_idle(hash)) {
            return None;
        }
        let Some(number) = self.idle(hash) else {
            self.wants_more |= !self.has_grown;
            return None;
        };
        self.is_blocked = false;
        let before = self.stripes[number as usize].row;
        if before != NO_ROW {
            self.rows.remove(&before);
        }
        self.rows.insert(row, number);
        self.stripes[number as usize].hold(row);
        self.active += 1;
        Some(number)
    }

    fn has_idle(&self, hash: usize) -> bool {
        self.unused[hash] > 0 || self.lists.first(hash).is_some()
    }

    fn idle(&mut self, hash: usize) -> Option<u32> {
        if self.unused[hash] > 0 {
            self.unused[hash] -= 1;
            self.stripes.push(Stripe { row: NO_ROW, ..Stripe::default() });
            self.lists.grow();
            return Some(as_number(self.stripes.len()) - 1);
        }
        self.lists.pop(hash)
    }

    /// The thread is done.
    pub(super) fn grow(&mut self) {
        if std::mem::take(&mut self.wants_more) && self.size < MOST_ROWS {
            self.unused[self.size as usize % HASHES] += 1;
            self.size += 1;
            self.has_grown = true;
        }
    }

    /// Nobody has hold of a stripe head: it goes where it is looked at, or becomes idle.
    pub(super) fn release(&mut self, number: u32) {
        let stripe = &mut self.stripes[number as usize];
        if stripe.under_way > 0 || stripe.plugged || stripe.held || self.lists.list_of(number).is_some() {
            return;
        }
        if stripe.to_handle {
            if stripe.delayed && !stripe.preread {
                self.lists.push(DELAYED, number);
            } else {
                stripe.delayed = false;
                self.lists.push(HANDLE, number);
            }
            return;
        }
        if std::mem::take(&mut stripe.preread) {
            self.preread_active -= 1;
        }
        let (hash, in_journal) = (Self::hash(stripe.row), stripe.in_journal);
        self.has_grown = false;
        self.active -= 1;
        let list = match in_journal {
            0 => hash,
            all if all == self.all_data => FULL,
            _ => PARTIAL,
        };
        if list >= PARTIAL {
            self.gathered[list - PARTIAL] += 1;
        }
        self.lists.push(list, number);
    }

    /// Rows that must go to the members by now (`r5c_do_reclaim`): whole ones, and some others with a cache that
    /// is nearly full or of which somebody wants a row.
    fn reclaims(&self) -> (bool, usize) {
        let [partial, full] = self.gathered;
        let total = partial + full;
        let is_short = self.is_blocked || self.wants_more;
        if total > self.rows_at_first * 3 / 4 || total > 0 && is_short {
            return (true, RECLAIMED_ROWS.saturating_sub(full as usize));
        }
        (full > 0 && (total > self.rows_at_first / 2 || full > self.rows_at_first / 4), 0)
    }

    /// Rows that gather in the journal are written out as far as they must be.
    pub(super) fn write_out(&mut self) {
        let (full, partial) = self.reclaims();
        let some = [(FULL, if full { usize::MAX } else { 0 }), (PARTIAL, partial)];
        for (list, most) in some {
            for _ in 0..most {
                let Some(number) = self.lists.pop(list) else { break };
                self.gathered[list - PARTIAL] -= 1;
                self.active += 1;
                let stripe = &mut self.stripes[number as usize];
                stripe.is_caching = false;
                stripe.to_handle = true;
                if !std::mem::replace(&mut stripe.preread, true) {
                    self.preread_active += 1;
                }
                self.lists.push(HANDLE, number);
            }
        }
    }

    /// Whether rows gather in the journal whose numbers lie in a range.
    pub(super) fn gathers(&self, rows: std::ops::Range<u64>) -> bool {
        if self.gathered == [0; 2] {
            return false;
        }
        let is_gathered = |number: &u32| self.stripes[*number as usize].in_journal != 0;
        rows.into_iter().any(|row| self.rows.get(&row).is_some_and(is_gathered))
    }

    /// What is delayed may be read once nothing else is read for parity.
    pub(super) fn activate_delayed(&mut self) {
        if self.preread_active >= IO_THRESHOLD {
            return;
        }
        while let Some(number) = self.lists.pop(DELAYED) {
            let stripe = &mut self.stripes[number as usize];
            stripe.delayed = false;
            if !std::mem::replace(&mut stripe.preread, true) {
                self.preread_active += 1;
            }
            self.lists.push(HOLD, number);
        }
    }

    /// The stripe head that is looked at next, taken off its list: whole stripes go before those that must read, within bounds.
    pub(super) fn next(&mut self) -> Option<u32> {
        let held = self.lists.first(HOLD);
        if let Some(number) = self.lists.first(HANDLE) {
            if held.is_none() {
                self.bypassed = 0;
            } else if !self.stripes[number as usize].started {
                if held == self.last_held {
                    self.bypassed += 1;
                } else {
                    self.last_held = held;
                    self.bypassed = (self.bypassed - self.threshold).max(0);
                }
            }
            self.lists.remove(number);
            return Some(number);
        }
        let number = held?;
        let over = self.threshold > 0 && self.bypassed > self.threshold;
        if !over && self.full_writes > 0 {
            return None;
        }
        self.bypassed = (self.bypassed - self.threshold).max(0);
        self.lists.remove(number);
        Some(number)
    }

    /// The stripe head that is looked at next, where that is one that needn't wait.
    pub(super) fn first(&self) -> Option<u32> {
        self.lists.first(HANDLE)
    }

    /// Whether the thread would find anything to do.
    pub(super) fn has_work(&self) -> bool {
        let delayed = self.preread_active < IO_THRESHOLD && self.lists.first(DELAYED).is_some();
        let over = self.threshold > 0 && self.bypassed > self.threshold;
        let held = self.lists.first(HOLD).is_some() && (over || self.full_writes == 0);
        self.lists.first(HANDLE).is_some() || held || delayed || self.reclaims() != (false, 0)
    }

    /// Whether nothing is in use.
    #[cfg(test)]
    pub(super) fn is_idle(&self) -> bool {
        self.active == 0
    }
}
