//! Pages of files that live in memory alone (shmem, mm/shmem.c): on the lists of processes' memory, and in swap space as that is.
//!
//! Each is a folio of its own. A page of such a file is in memory, in a slot of the swap space, or was never written.

use super::lists::Flags;
use super::remove::Removed;
use super::swap::CLUSTER;
use super::tree::NONE;
use super::{FileKey, PageCache};

/// Why a page of such a file isn't in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Absent {
    /// So many pages from there on were never written, and are zeroes.
    Hole(u64),
    /// It lies in swap space, in a window of slots, the first and how many, which is to be read and
    /// [brought back](PageCache::bring_back).
    Swapped(u64, u64),
}

impl PageCache {
    /// Pages of a file come into memory that were never written; those that are there, or in swap space, are passed over.
    pub fn insert_shared(&mut self, file: FileKey, first: u64, pages: u64) {
        let number = self.files.find_or_add(file);
        self.files.file_mut(number).shared = true;
        let mut new = 0;
        for index in first..first + pages {
            if self.look(file, index).is_none() && self.swap.slot_of((number, index)).is_none() {
                self.add_anonymous(number, index, Flags::ANONYMOUS.with(Flags::YOUNG));
                new += 1;
            }
        }
        self.files.file_mut(number).pages += new;
        *self.shared_mut(file) += new;
        self.forget_if_empty(number);
    }

    /// How many of these pages were never written.
    pub fn new_shared(&self, file: FileKey, first: u64, pages: u64) -> u64 {
        let (mut at, end, mut new) = (first, first + pages, 0);
        while let Some((start, run)) = self.missing_run(file, at, end) {
            let swapped = |index| {
                self.files.find(file).is_some_and(|number| self.swap.slot_of((number, index)).is_some())
            };
            new += match self.swap.used() {
                0 => run,
                _ => (start..start + run).filter(|&index| !swapped(index)).count() as u64,
            };
            at = start + run;
        }
        new
    }

    /// Why a page isn't in memory that isn't; of those up to `most` that follow it, too, where they were never written.
    pub fn absent(&self, file: FileKey, index: u64, most: u64) -> Absent {
        let slot = |index| self.files.find(file).and_then(|number| self.swap.slot_of((number, index)));
        if let Some(slot) = slot(index) {
            let begin = slot / CLUSTER * CLUSTER;
            return Absent::Swapped(begin, CLUSTER.min(self.swap.slots() - begin));
        }
        let run = self.missing_run(file, index, index + most).map_or(1, |(_, run)| run);
        match self.swap.used() {
            0 => Absent::Hole(run),
            _ => Absent::Hole((index..index + run).take_while(|&index| slot(index).is_none()).count() as u64),
        }
    }

    /// Pages of such files of a mount, in memory and in swap space.
    pub fn shared_of(&self, mount: u32) -> u64 {
        self.shared.get(mount as usize).copied().unwrap_or(0)
    }

    /// Counts out what of such a file has been removed from memory, and gives up what lies in swap space between these pages.
    pub(super) fn leave_shared(&mut self, number: u32, (from, to): (u64, u64), removed: &mut Removed) {
        let left = self.swap.leave_all(number, from, to);
        self.anonymous -= removed.total();
        let gone = removed.total() + left;
        removed.clean += left;
        let file = self.files.file_mut(number);
        file.pages -= gone;
        let (key, is_empty) = (file.key, file.root == NONE);
        *self.shared_mut(key) -= gone;
        if is_empty {
            self.forget_if_empty(number);
        }
    }

    fn shared_mut(&mut self, file: FileKey) -> &mut u64 {
        let mount = file.mount() as usize;
        if mount >= self.shared.len() {
            self.shared.resize(mount + 1, 0);
        }
        &mut self.shared[mount]
    }
}
