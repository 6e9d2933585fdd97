//! How pages leave the cache other than by reclaim: truncation, deletion, the end of a process.

use super::replacement::Became;
use super::tree::{Bits, NONE, span};
use super::{FileKey, Last, PageCache, mask};

/// Pages that have gone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Removed {
    /// Neither dirty nor being written.
    pub clean: u64,
    /// Dirty, whose contents nobody will write now.
    pub dirty: u64,
    /// Being written and not dirty again. The kernel waits for these before; here the caller may.
    pub writeback: u64,
}

impl Removed {
    /// All of them.
    pub const fn total(&self) -> u64 {
        self.clean + self.dirty + self.writeback
    }
}

impl PageCache {
    /// Drops the pages from `from` up to and without `to` (truncation, `truncate_inode_pages_range`).
    pub fn remove(&mut self, file: FileKey, from: u64, to: u64) -> Removed {
        let mut removed = Removed::default();
        let Some(number) = self.files.find(file) else { return removed };
        let is_shared = self.files.file(number).shared;
        if self.largest_order > 0 && !is_shared {
            self.split_at(file, from);
            self.split_at(file, to);
        }
        self.remove_range(number, from, to, &mut removed);
        if is_shared {
            self.leave_shared(number, (from, to), &mut removed);
        }
        removed
    }

    /// Drops all pages of a file (deletion).
    pub fn remove_all(&mut self, file: FileKey) -> Removed {
        self.remove(file, 0, u64::MAX)
    }

    pub(super) fn remove_range(&mut self, number: u32, from: u64, to: u64, removed: &mut Removed) {
        let mut at = from;
        while at < to {
            let Some(leaf) = self.tree.next_leaf(self.files.file(number).root, at) else { break };
            let node = self.tree.node(leaf);
            let first = node.first();
            at = at.max(first);
            if at >= to {
                break;
            }
            let next = first.saturating_add(span(0));
            let range = mask(at - first, to.min(next) - at);
            let present = node.bits(Bits::Present) & range;
            let dirty = node.bits(Bits::Dirty) & range;
            let writeback = node.bits(Bits::Writeback) & range & !dirty;
            removed.dirty += u64::from(dirty.count_ones());
            removed.writeback += u64::from(writeback.count_ones());
            removed.clean += u64::from((present & !dirty & !writeback).count_ones());
            self.forget_folios(leaf, present);
            self.drop_pages(number, leaf, present);
            self.tree.clear(leaf, Bits::Shadow, range);
            self.tidy_leaf(number, leaf);
            at = next;
        }
        self.forget_if_empty(number);
    }

    /// Takes the folios that begin at these pages off their lists.
    fn forget_folios(&mut self, leaf: u32, present: u64) {
        let mut bits = present;
        while bits != 0 {
            let slot = u64::from(bits.trailing_zeros());
            bits &= bits - 1;
            let id = self.tree.node(leaf).slot(slot);
            if self.lists.entry(id).place() == (leaf, slot) {
                self.tell_own(id, Became::Gone);
                self.lists.remove(id);
            }
        }
    }

    /// Clears everything about these pages of a leaf, and counts them out.
    pub(super) fn drop_pages(&mut self, number: u32, leaf: u32, pages: u64) {
        let node = self.tree.node(leaf);
        let dirty = u64::from((node.bits(Bits::Dirty) & pages).count_ones());
        let writeback = u64::from((node.bits(Bits::Writeback) & pages).count_ones());
        let kinds = [Bits::Present, Bits::Dirty, Bits::Writeback, Bits::Uptodate, Bits::Marker, Bits::Mapped];
        for kind in kinds {
            self.tree.clear(leaf, kind, pages);
        }
        let count = u64::from(pages.count_ones());
        self.cached -= count;
        if dirty | writeback != 0 {
            let unwritten = self.unwritten_mut(self.files.file(number).key);
            unwritten.dirty -= dirty;
            unwritten.writeback -= writeback;
        }
        let file = self.files.file_mut(number);
        file.cached -= count;
        file.writeback -= writeback;
        file.dirty -= dirty;
        if dirty > 0 && file.dirty == 0 {
            self.files.leave_queue(number);
        }
    }

    /// Frees a leaf if it holds nothing, or lists it if it only holds memories of evicted pages.
    pub(super) fn tidy_leaf(&mut self, number: u32, leaf: u32) {
        let node = self.tree.node(leaf);
        if node.bits(Bits::Present) != 0 {
            return;
        }
        if node.bits(Bits::Shadow) != 0 {
            self.working_set.list(&mut self.tree, leaf);
            return;
        }
        self.working_set.unlist(&mut self.tree, leaf);
        if self.last.leaf == leaf {
            self.last = Last::NOTHING;
        }
        if self.tree.release(leaf) {
            self.files.file_mut(number).root = NONE;
        }
    }

    /// Forgets a file without pages and memories.
    pub(super) fn forget_if_empty(&mut self, number: u32) {
        let file = self.files.file(number);
        if file.root == NONE && file.pages == 0 {
            self.files.forget(number);
        }
    }
}
