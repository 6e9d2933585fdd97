//! Memory of processes: pages without a file, which go to swap space when memory is short.
//!
//! Files that live in memory alone are on the same lists and go the same way (`shared`); a segment of shared memory is entered as a process
//! of its own.
//!
//! Left out: a page that comes back from swap keeps no copy there, so it is written again when it goes again; huge pages.

use super::PageCache;
use super::lists::Flags;
use super::remove::Removed;
use super::tree::Bits;

impl PageCache {
    /// Gives the processes swap space of this many pages, and says how willingly their memory goes compared with pages of files
    /// (`vm.swappiness`: 0 never, 60 by default, 100 equally, up to 200).
    pub fn set_swap(&mut self, pages: u64, swappiness: u32) {
        self.swap.resize(pages);
        self.pressure.swappiness = u64::from(swappiness.min(200));
    }

    /// Pages of processes in swap space.
    pub fn swapped(&self) -> u64 {
        self.swap.used()
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
            self.add_anonymous(number, index, Flags::ANONYMOUS.with(Flags::YOUNG));
        }
        self.files.file_mut(number).pages += pages;
    }

    /// A process ends: its pages go, in memory and in swap space. Answers with those that were in memory.
    pub fn remove_process(&mut self, process: u32) -> u64 {
        let Some(number) = self.files.process(process) else { return 0 };
        let pages = std::mem::take(&mut self.files.file_mut(number).pages);
        for index in 0..pages {
            self.swap.leave((number, index));
        }
        let mut removed = Removed::default();
        self.remove_range(number, 0, u64::MAX, &mut removed);
        self.anonymous -= removed.total();
        removed.total()
    }

    pub(super) fn add_anonymous(&mut self, number: u32, index: u64, flags: Flags) {
        let id = self.add_folio(number, index, 0, flags, None);
        self.set_folio_bits(id, Bits::Uptodate);
        self.anonymous += 1;
    }
}
