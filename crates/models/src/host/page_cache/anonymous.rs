//! Memory of processes: pages without a file, which go to swap space when memory is short.
//!
//! Shared memory (shmem, tmpfs) is on the same lists and goes the same way, so a segment is entered as a process of its own.
//!
//! Left out: a page that comes back from swap keeps no copy there, so it is written again when it goes again; huge pages.

use super::lists::{Flags, ListName};
use super::remove::Removed;
use super::tree::{Bits, span};
use super::{CachePolicy, PageCache};

impl PageCache {
    /// Gives the processes swap space of this many pages, and says how willingly their memory goes compared with pages of files
    /// (`vm.swappiness`: 0 never, 60 by default, 100 equally, up to 200).
    pub fn set_swap(&mut self, pages: u64, swappiness: u32) {
        self.pressure.swap_free = pages.saturating_sub(self.swapped());
        self.pressure.swap = pages;
        self.pressure.swappiness = u64::from(swappiness.min(200));
    }

    /// Pages of processes in swap space.
    pub fn swapped(&self) -> u64 {
        self.pressure.swap - self.pressure.swap_free
    }

    /// Pages of processes in memory.
    pub fn anonymous(&self) -> u64 {
        self.anonymous
    }

    /// A process gets new pages, which it has just written.
    pub fn insert_anonymous(&mut self, process: u32, pages: u64) {
        let number = self.files.process_or_add(process);
        let first = self.files.file(number).pages;
        for index in first..first + pages {
            self.add_anonymous(number, index);
        }
        self.files.file_mut(number).pages += pages;
    }

    /// A process uses some of its pages, by their order of [insertion](Self::insert_anonymous). Answers with how many had to come
    /// back from swap space, for which there must be room.
    pub fn touch_anonymous(&mut self, process: u32, first: u64, pages: u64) -> u64 {
        let Some(number) = self.files.process(process) else { return 0 };
        let end = first.saturating_add(pages).min(self.files.file(number).pages);
        let mut swapped_in = 0;
        for index in first..end {
            let slot = index % span(0);
            let leaf = self.tree.leaf(self.files.file(number).root, index);
            let there = leaf.filter(|leaf| self.tree.node(*leaf).bits(Bits::Present) & (1 << slot) != 0);
            if let Some(leaf) = there {
                let id = self.tree.node(leaf).slot(slot);
                self.lists.set(id, Flags::YOUNG);
                if self.policy == CachePolicy::Lru {
                    self.lists.move_to_head(id, ListName::InactiveAnonymous);
                }
            } else {
                self.add_anonymous(number, index);
                self.pressure.swap_free += 1;
                swapped_in += 1;
            }
        }
        if swapped_in > 0 {
            self.note_cost(true, swapped_in, 0);
        }
        swapped_in
    }

    /// A process ends: its pages go, in memory and in swap space. Answers with those that were in memory.
    pub fn remove_process(&mut self, process: u32) -> u64 {
        let Some(number) = self.files.process(process) else { return 0 };
        let file = self.files.file_mut(number);
        let swapped = file.pages - file.cached;
        file.pages = 0;
        self.pressure.swap_free += swapped;
        let mut removed = Removed::default();
        self.remove_range(number, 0, u64::MAX, &mut removed);
        self.anonymous -= removed.total();
        removed.total()
    }

    fn add_anonymous(&mut self, number: u32, index: u64) {
        let id = self.add_folio(number, index, 0, Flags::ANONYMOUS.with(Flags::YOUNG), None);
        self.set_folio_bits(id, Bits::Uptodate);
        self.anonymous += 1;
    }
}
