//! Reclaim with the pages of files and of processes on the same two lists (mm/vmscan.c of Linux 2.6.24: `shrink_zone`,
//! `shrink_active_list`, `shrink_inactive_list`).
//!
//! Both lists are scanned in every pass, each in proportion to its length. An active page of a file becomes inactive, used or not; one of
//! a process only when memory is so short, or so full of processes' memory, that swapping is worth while.

use super::PageCache;
use super::lists::{Flags, ListName};
use super::reclaim::{GENTLEST_PRIORITY, RECLAIM_BATCH, Reclaimed};
use super::tree::{Bits, NONE};

impl PageCache {
    pub(super) fn reclaim_mixed(&mut self, goal: u64, reclaimed: &mut Reclaimed) {
        for priority in (0..=GENTLEST_PRIORITY).rev() {
            if reclaimed.freed >= goal {
                break;
            }
            let swapping = self.swapping_is_worth_while(priority);
            let mut scan =
                [ListName::Active, ListName::Inactive].map(|list| (self.lists.pages(list) >> priority) + 1);
            for (scan, pending) in scan.iter_mut().zip(&mut self.pressure.pending) {
                *pending += *scan;
                // Small scans wait until they make a batch; the last pass leaves nothing.
                *scan = if *pending >= RECLAIM_BATCH || priority == 0 { std::mem::take(pending) } else { 0 };
            }
            while scan != [0, 0] && reclaimed.freed < goal {
                let [active, inactive] = scan.map(|scan| scan.min(RECLAIM_BATCH));
                self.shrink_active_mixed(active, swapping, reclaimed);
                self.shrink_inactive_mixed(inactive, reclaimed);
                scan = [scan[0] - active, scan[1] - inactive];
            }
            for (scan, pending) in scan.iter().zip(&mut self.pressure.pending) {
                *pending += scan;
            }
        }
    }

    /// `reclaim_mapped`: half the share of memory that is processes' + the distress of this pass + swappiness, and something for
    /// an active list much longer than the inactive one, reach 100.
    fn swapping_is_worth_while(&self, priority: u32) -> bool {
        let mapped = self.anonymous * 100 / self.limit.max(1);
        let distress = 100 >> priority;
        let swappiness = self.pressure.swappiness;
        let imbalance = self.lists.pages(ListName::Active) / (self.lists.pages(ListName::Inactive) + 1);
        let imbalance = imbalance * (swappiness + 1) / 100 * mapped / 100;
        mapped / 2 + distress + swappiness + imbalance >= 100
    }

    fn shrink_active_mixed(&mut self, scan: u64, swapping: bool, reclaimed: &mut Reclaimed) {
        let mut scanned = 0;
        while scanned < scan {
            let id = self.lists.tail(ListName::Active);
            if id == NONE {
                break;
            }
            scanned += self.lists.entry(id).pages();
            let anonymous = self.lists.entry(id).has(Flags::ANONYMOUS);
            let stays =
                anonymous && (!swapping || self.swap.free() == 0 || self.lists.take(id, Flags::YOUNG));
            self.lists.move_to_head(id, if stays { ListName::Active } else { ListName::Inactive });
        }
        reclaimed.scanned += scanned;
    }

    fn shrink_inactive_mixed(&mut self, scan: u64, reclaimed: &mut Reclaimed) {
        let mut scanned = 0;
        while scanned < scan {
            let id = self.lists.tail(ListName::Inactive);
            if id == NONE {
                break;
            }
            let entry = *self.lists.entry(id);
            scanned += entry.pages();
            if entry.has(Flags::ANONYMOUS) {
                if self.lists.take(id, Flags::YOUNG) || !self.swap_out(id, reclaimed) {
                    self.lists.move_to_head(id, ListName::Active);
                }
                continue;
            }
            // Mapped into somebody's memory and used (`page_mapping_inuse`).
            if self.lists.take(id, Flags::YOUNG) {
                self.lists.clear(id, Flags::REFERENCED);
                self.lists.move_to_head(id, ListName::Active);
                continue;
            }
            let referenced = self.lists.take(id, Flags::REFERENCED);
            let stays = entry.has(Flags::LOCKED) || (referenced && self.folio_has(id, &[Bits::Dirty]));
            if stays {
                self.lists.move_to_head(id, ListName::Inactive);
            } else if !self.park_if_unwritten(id, reclaimed) {
                self.evict(id, reclaimed);
            }
        }
        reclaimed.scanned += scanned;
    }
}
