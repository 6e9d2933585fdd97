//! Swap space: in which slot of it a page of a process lies.
//!
//! Slots are taken in rotation, as mm/swapfile.c scans them, so pages that go together lie together. What is near in swap space is read
//! with what is asked for: an aligned window of 2^`page_cluster` slots (`swap_cluster_readahead`, mm/swap_state.c).

use super::lists::{Flags, ListName};
use super::tree::{Bits, span};
use super::{CachePolicy, PageCache};
use petrio_persist::Persist;
use petrio_stage::fast_map::FastMap;

/// Slots that are read at once (`page_cluster` of 3, mm/swap.c).
pub(super) const CLUSTER: u64 = 8;

/// A page of a process: the process's number in the cache, and the page's index.
type ProcessPage = (u32, u64);

/// The slots.
#[derive(Clone, Debug, Default, Persist)]
pub(super) struct SwapSpace {
    slots: u64,
    next: u64,
    slot_of: FastMap<ProcessPage, u64>,
    page_in: FastMap<u64, ProcessPage>,
    /// Runs of slots that have been filled and are to be written: the first, and how many.
    to_write: Vec<(u64, u64)>,
}

impl SwapSpace {
    pub(super) fn resize(&mut self, slots: u64) {
        self.slots = slots;
        self.next = 0;
    }

    pub(super) fn slots(&self) -> u64 {
        self.slots
    }

    pub(super) fn used(&self) -> u64 {
        self.page_in.len() as u64
    }

    pub(super) fn free(&self) -> u64 {
        self.slots.saturating_sub(self.used())
    }

    /// Puts a page into the next free slot; false where there is none.
    pub(super) fn put(&mut self, page: ProcessPage) -> bool {
        if self.free() == 0 {
            return false;
        }
        while self.page_in.contains_key(&self.next) {
            self.next = (self.next + 1) % self.slots;
        }
        let slot = self.next;
        self.next = (slot + 1) % self.slots;
        self.slot_of.insert(page, slot);
        self.page_in.insert(slot, page);
        extend(&mut self.to_write, slot);
        true
    }

    /// Gives up what a slot holds.
    pub(super) fn leave(&mut self, page: ProcessPage) -> bool {
        let Some(slot) = self.slot_of.remove(&page) else { return false };
        self.page_in.remove(&slot);
        true
    }

    /// Gives up what the slots hold of pages from one up to another; how many they were.
    pub(super) fn leave_all(&mut self, number: u32, from: u64, to: u64) -> u64 {
        let before = self.slot_of.len();
        let gone = |&(owner, index): &ProcessPage| owner == number && (from..to).contains(&index);
        self.slot_of.retain(|page, _| !gone(page));
        self.page_in.retain(|_, page| !gone(page));
        (before - self.slot_of.len()) as u64
    }

    pub(super) fn slot_of(&self, page: ProcessPage) -> Option<u64> {
        self.slot_of.get(&page).copied()
    }

    fn page_in(&self, slot: u64) -> Option<ProcessPage> {
        self.page_in.get(&slot).copied()
    }
}

/// Adds a slot to runs of them: to the last one, where it follows it.
fn extend(runs: &mut Vec<(u64, u64)>, slot: u64) {
    match runs.last_mut() {
        Some((first, count)) if *first + *count == slot => *count += 1,
        _ => runs.push((slot, 1)),
    }
}

/// What a process meets that uses a page of its memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Touched {
    /// So many pages are in memory, and used now.
    There(u64),
    /// So many have never been used: they are to be [inserted](PageCache::insert_anonymous).
    New(u64),
    /// It lies in swap space, in a window of slots, the first and how many, which is to be read and
    /// [brought back](PageCache::bring_back).
    Swapped(u64, u64),
}

impl PageCache {
    /// A process uses its pages from `first` up to `end`, by their order of [insertion](Self::insert_anonymous): what becomes of the
    /// first of them.
    pub fn touch(&mut self, process: u32, first: u64, end: u64) -> Touched {
        let number = self.files.process_or_add(process);
        let has = self.files.file(number).pages;
        if first >= has {
            return Touched::New(end - has);
        }
        let (mut at, end) = (first, end.min(has));
        while at < end && self.use_anonymous(number, at) {
            at += 1;
        }
        if at > first {
            return Touched::There(at - first);
        }
        // A page is in memory or in swap space, so there is a slot.
        let slot = self.swap.slot_of((number, first)).unwrap_or_default();
        let begin = slot / CLUSTER * CLUSTER;
        Touched::Swapped(begin, CLUSTER.min(self.swap.slots() - begin))
    }

    /// The pages in these slots are in memory again, for which there must be room, and the slots are free. How many they were.
    pub fn bring_back(&mut self, first: u64, slots: u64) -> u64 {
        let mut back = 0;
        for slot in first..first + slots {
            let Some((number, index)) = self.swap.page_in(slot) else { continue };
            self.swap.leave((number, index));
            self.add_anonymous(number, index, Flags::ANONYMOUS);
            back += 1;
        }
        if back > 0 {
            self.note_cost(true, back, 0);
        }
        back
    }

    /// Of these slots, the runs of those that hold something: the first, and how many.
    pub fn filled_slots(&self, first: u64, slots: u64) -> Vec<(u64, u64)> {
        let mut runs: Vec<(u64, u64)> = Vec::new();
        for slot in (first..first + slots).filter(|&slot| self.swap.page_in(slot).is_some()) {
            extend(&mut runs, slot);
        }
        runs
    }

    /// Runs of slots that pages have gone to and that are to be written, the first and how many; asked for once.
    pub fn take_swapped_out(&mut self) -> Vec<(u64, u64)> {
        std::mem::take(&mut self.swap.to_write)
    }

    /// Marks a page of a process as used; false where it isn't in memory.
    fn use_anonymous(&mut self, number: u32, index: u64) -> bool {
        let slot = index % span(0);
        let leaf = self.tree.leaf(self.files.file(number).root, index);
        let there = leaf.filter(|leaf| self.tree.node(*leaf).bits(Bits::Present) & (1 << slot) != 0);
        let Some(leaf) = there else { return false };
        let id = self.tree.node(leaf).slot(slot);
        self.lists.set(id, Flags::YOUNG);
        if self.policy == CachePolicy::Lru {
            self.lists.move_to_head(id, ListName::InactiveAnonymous);
        }
        true
    }
}
