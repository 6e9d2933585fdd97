//! Making room: which pages go.
//!
//! [`CachePolicy::ActiveInactive`] follows mm/vmscan.c of Linux 6.18 (`shrink_lruvec`), [`CachePolicy::ActiveInactiveMixed`] that of
//! 2.6.24 (`mixed`), [`CachePolicy::Lru`] takes the page that hasn't been used for longest.
//!
//! Pages of files are taken from the tail of the inactive list. A clean one goes, even if it was accessed once since it came:
//! only pages mapped by a process get a second chance there (`folio_check_references`); what protects a page that is read by calls
//! is its promotion at the second access. A dirty one, or one under writeback, is set aside until it is written. The active
//! list is aged into the inactive one while it is the longer one, allowing for a ratio that grows with memory
//! (`inactive_is_low`), or after pages have come back that had been evicted too early. Pages of processes are weighed against
//! those of files by swappiness and by what reclaim of either has cost so far (`get_scan_count`), and only once there are few
//! inactive pages of files.
//!
//! The kernel never asks for fewer than [`RECLAIM_BATCH`] pages; callers should do the same.

use super::lists::{Flags, ListName};
use super::replacement::Became;
use super::tree::{Bits, NONE, span};
use super::{CachePolicy, PageCache, mask};
use petrio_persist::Persist;

/// Pages that the kernel reclaims at least (`SWAP_CLUSTER_MAX`), and scans at a time.
pub const RECLAIM_BATCH: u64 = 32;

/// The first pass looks at 2^-12 of a list, the last at all of it (`DEF_PRIORITY`).
pub(super) const GENTLEST_PRIORITY: u32 = 12;

/// What a reclaim has done; calls add up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reclaimed {
    /// Pages freed, those swapped out among them.
    pub freed: u64,
    /// Pages of processes written to swap space.
    pub swapped_out: u64,
    /// Whether dirty pages stood in the way: the flusher should be woken.
    pub must_write: bool,
    /// Pages looked at.
    pub scanned: u64,
}

/// What reclaim remembers from one call to the next.
#[derive(Clone, Copy, Debug, Persist)]
pub(super) struct Pressure {
    pub(super) swappiness: u64,
    /// What reclaim of pages of files and of processes has cost lately (`file_cost`, `anon_cost`).
    cost: [u64; 2],
    /// Early returns up to the last call.
    refaults: [u64; 2],
    /// Scans that were too small to be done (`nr_scan_active`, `nr_scan_inactive`, of 2.6.24).
    pub(super) pending: [u64; 2],
}

impl Default for Pressure {
    fn default() -> Self {
        Self { swappiness: 60, cost: [0; 2], refaults: [0; 2], pending: [0; 2] }
    }
}

impl PageCache {
    /// Frees pages until there are `wanted` more, or nothing more can go; adds to `reclaimed` what it did. A folio goes as a
    /// whole, so there may be more.
    pub fn reclaim(&mut self, wanted: u64, reclaimed: &mut Reclaimed) {
        let goal = reclaimed.freed + wanted;
        match self.policy {
            CachePolicy::Lru => {
                self.reclaim_as_told(goal, reclaimed);
                self.reclaim_least_recent(goal, reclaimed);
            }
            CachePolicy::ActiveInactive => self.reclaim_by_kind(goal, reclaimed),
            CachePolicy::ActiveInactiveMixed => self.reclaim_mixed(goal, reclaimed),
        }
        if reclaimed.freed < goal && self.dirty() > 0 {
            reclaimed.must_write = true;
        }
        self.pressure.refaults = self.working_set.refaults;
        self.trim_memories();
    }

    /// Strict order of last use among the pages of files; those of processes go only when no others can.
    fn reclaim_least_recent(&mut self, goal: u64, reclaimed: &mut Reclaimed) {
        for list in [ListName::Inactive, ListName::InactiveAnonymous] {
            let mut id = self.lists.tail(list);
            while reclaimed.freed < goal && id != NONE {
                let before = self.lists.before(id);
                let entry = *self.lists.entry(id);
                reclaimed.scanned += entry.pages();
                if list == ListName::InactiveAnonymous {
                    self.swap_out(id, reclaimed);
                } else if !self.park_if_unwritten(id, reclaimed) && !entry.has(Flags::LOCKED) {
                    self.evict(id, reclaimed);
                }
                id = before;
            }
        }
    }

    fn reclaim_by_kind(&mut self, goal: u64, reclaimed: &mut Reclaimed) {
        for priority in (0..=GENTLEST_PRIORITY).rev() {
            if reclaimed.freed >= goal {
                break;
            }
            let mut targets = self.targets(priority);
            while targets.any_left() && reclaimed.freed < goal {
                let batch = targets.take(0);
                self.shrink_inactive_anonymous(batch, reclaimed);
                let batch = targets.take(1);
                self.shrink_active(ListName::ActiveAnonymous, batch, reclaimed);
                let batch = targets.take(2);
                self.shrink_inactive_file(batch, reclaimed);
                let batch = targets.take(3);
                self.shrink_active(ListName::Active, batch, reclaimed);
            }
            // The lists of processes' memory are kept in balance even where none of it is to go.
            if self.swap.free() > 0 && self.is_low(ListName::InactiveAnonymous, ListName::ActiveAnonymous) {
                self.shrink_active(ListName::ActiveAnonymous, RECLAIM_BATCH, reclaimed);
            }
        }
    }

    /// How many pages of each list to look at in a pass (`prepare_scan_control`, `get_scan_count`).
    fn targets(&self, priority: u32) -> Targets {
        let [file, anonymous] = [
            self.is_low(ListName::Inactive, ListName::Active)
                || self.working_set.refaults[0] != self.pressure.refaults[0],
            self.is_low(ListName::InactiveAnonymous, ListName::ActiveAnonymous)
                || self.working_set.refaults[1] != self.pressure.refaults[1],
        ];
        let share = |list: ListName| self.lists.pages(list) >> priority;
        let enough_files = share(ListName::Inactive) > 0 && !file;
        let pressure = &self.pressure;
        let mut scan = [
            share(ListName::InactiveAnonymous),
            if anonymous { share(ListName::ActiveAnonymous) } else { 0 },
            share(ListName::Inactive),
            if file { share(ListName::Active) } else { 0 },
        ];
        if enough_files || self.swap.free() == 0 || pressure.swappiness == 0 {
            (scan[0], scan[1]) = (0, 0);
        } else if priority > 0 {
            let total = pressure.cost[0] + pressure.cost[1];
            let [file_cost, anonymous_cost] = [total + pressure.cost[0], total + pressure.cost[1]];
            let total = file_cost + anonymous_cost;
            let anonymous = pressure.swappiness * (total + 1) / (anonymous_cost + 1);
            let file = (200 - pressure.swappiness) * (total + 1) / (file_cost + 1);
            for (scan, part) in scan.iter_mut().zip([anonymous, anonymous, file, file]) {
                *scan = *scan * part / (anonymous + file).max(1);
            }
        }
        Targets(scan)
    }

    /// `inactive_is_low`: one inactive page for each active one up to 1 GiB, fewer beyond.
    fn is_low(&self, inactive: ListName, active: ListName) -> bool {
        let mut actives = self.lists.pages(active);
        if active == ListName::Active {
            actives += self.lists.pages(ListName::Parked);
        }
        let inactives = self.lists.pages(inactive);
        let gibibytes = (inactives + actives) >> 18;
        let ratio = if gibibytes > 0 { (10 * gibibytes).isqrt() } else { 1 };
        inactives * ratio < actives
    }

    /// `shrink_inactive_list` for pages of files.
    fn shrink_inactive_file(&mut self, scan: u64, reclaimed: &mut Reclaimed) {
        let (begun, mut scanned) = (reclaimed.freed, 0);
        while scanned < scan {
            let id = self.lists.tail(ListName::Inactive);
            if id == NONE {
                break;
            }
            scanned += self.lists.entry(id).pages();
            if self.spare_if_touched(id) {
                continue;
            }
            self.lists.clear(id, Flags::REFERENCED);
            if self.park_if_unwritten(id, reclaimed) {
                continue;
            }
            if self.lists.entry(id).has(Flags::LOCKED) {
                self.lists.move_to_head(id, ListName::Inactive);
            } else {
                self.evict(id, reclaimed);
            }
        }
        reclaimed.scanned += scanned;
        self.note_cost(false, 0, scanned.saturating_sub(reclaimed.freed - begun));
    }

    /// `shrink_inactive_list` for pages of processes: touched once, they stay; twice, they are active.
    fn shrink_inactive_anonymous(&mut self, scan: u64, reclaimed: &mut Reclaimed) {
        let (begun, mut scanned) = (reclaimed.swapped_out, 0);
        while scanned < scan {
            let id = self.lists.tail(ListName::InactiveAnonymous);
            if id == NONE {
                break;
            }
            scanned += self.lists.entry(id).pages();
            let touched = self.lists.take(id, Flags::YOUNG);
            let touched_before = self.lists.take(id, Flags::REFERENCED);
            if touched {
                self.lists.set(id, Flags::REFERENCED);
                let list =
                    if touched_before { ListName::ActiveAnonymous } else { ListName::InactiveAnonymous };
                self.lists.move_to_head(id, list);
            } else if !self.swap_out(id, reclaimed) {
                self.lists.move_to_head(id, ListName::ActiveAnonymous);
            }
        }
        reclaimed.scanned += scanned;
        let written = reclaimed.swapped_out - begun;
        self.note_cost(true, written, scanned.saturating_sub(written));
    }

    /// `shrink_active_list`: all that is scanned becomes inactive; accesses through calls don't count here.
    fn shrink_active(&mut self, active: ListName, scan: u64, reclaimed: &mut Reclaimed) {
        let inactive = active.demoted();
        let mut scanned = 0;
        while scanned < scan {
            let id = self.lists.tail(active);
            if id == NONE {
                break;
            }
            scanned += self.lists.entry(id).pages();
            self.lists.clear(id, Flags::YOUNG);
            self.lists.move_to_head(id, inactive);
        }
        reclaimed.scanned += scanned;
    }

    /// Sets a folio of a file aside if it has to be written first; whether it had.
    pub(super) fn park_if_unwritten(&mut self, id: u32, reclaimed: &mut Reclaimed) -> bool {
        let dirty = self.folio_has(id, &[Bits::Dirty]);
        if !dirty && !self.folio_has(id, &[Bits::Writeback]) {
            return false;
        }
        reclaimed.must_write |= dirty;
        self.tell_own(id, Became::Gone);
        self.lists.move_to_head(id, ListName::Parked);
        true
    }

    /// Frees the pages of a folio.
    pub(super) fn evict(&mut self, id: u32, reclaimed: &mut Reclaimed) {
        let entry = *self.lists.entry(id);
        let (head, slot) = entry.place();
        let pages = entry.pages();
        let number = self.tree.node(head).file();
        let stamp = self.working_set.enabled().then(|| self.working_set.stamp(pages));
        self.tell_own(id, Became::Gone);
        self.lists.remove(id);
        let segments = pages.div_ceil(span(0));
        for step in (0..segments).rev() {
            // Backwards, so that the parent through which the others are found goes last.
            let leaf = self.tree.sibling(head, step);
            let bits = mask(slot, pages.min(span(0)));
            self.drop_pages(number, leaf, bits);
            if let Some(stamp) = stamp {
                for slot in slot..slot + pages.min(span(0)) {
                    self.tree.set_slot(leaf, slot, stamp);
                }
                self.tree.set(leaf, Bits::Shadow, bits);
            }
            self.tidy_leaf(number, leaf);
        }
        self.forget_if_empty(number);
        reclaimed.freed += pages;
    }

    /// Moves a page of a process to swap space; false where there is none left. The kernel frees it when it is written; here it
    /// is free at once, and the caller charges the writing.
    pub(super) fn swap_out(&mut self, id: u32, reclaimed: &mut Reclaimed) -> bool {
        let (leaf, slot) = self.lists.entry(id).place();
        let node = self.tree.node(leaf);
        // A process's pages are single ones.
        if !self.swap.put((node.file(), node.first() + slot)) {
            return false;
        }
        self.anonymous -= 1;
        reclaimed.swapped_out += 1;
        self.evict(id, reclaimed);
        true
    }

    /// `lru_note_cost`: writes count for a batch of pages each, pages looked at in vain for one.
    pub(super) fn note_cost(&mut self, anonymous: bool, written: u64, in_vain: u64) {
        let cost = &mut self.pressure.cost;
        cost[usize::from(anonymous)] += written * RECLAIM_BATCH + in_vain;
        // Old costs count less: halved whenever they exceed a quarter of the pages.
        if cost[0] + cost[1] > self.cached / 4 {
            cost[0] /= 2;
            cost[1] /= 2;
        }
    }
}

/// Pages still to be looked at: inactive and active of processes, inactive and active of files.
struct Targets([u64; 4]);

impl Targets {
    /// What keeps a pass going: all but the active pages of processes.
    fn any_left(&self) -> bool {
        self.0[0] | self.0[2] | self.0[3] != 0
    }

    fn take(&mut self, list: usize) -> u64 {
        let batch = self.0[list].min(RECLAIM_BATCH);
        self.0[list] -= batch;
        batch
    }
}
