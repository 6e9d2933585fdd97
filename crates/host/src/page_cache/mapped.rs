//! Pages of files that processes have mapped: who touches one tells the kernel nothing, which finds out when it reclaims.
//!
//! A page is mapped for all processes or for none: each one's own page tables are left out. Whether it may be written to is
//! whether it is dirty, because write-back takes that right away again (`folio_clear_dirty_for_io`, `page_mkclean`).

use super::lists::Flags;
use super::tree::{Bits, NONE, span};
use super::{CachePolicy, FileKey, PageCache, mask};

impl PageCache {
    /// Pages from `index` on that are mapped, at most `most`; with `writable`, that may be written to as well.
    pub fn mapped_run(&self, file: FileKey, index: u64, most: u64, writable: bool) -> u64 {
        let end = index.saturating_add(most);
        let mut at = index;
        while at < end {
            let Some(leaf) = self.leaf(file, at) else { break };
            let node = self.tree.node(leaf);
            let slot = at % span(0);
            let mut mapped = node.bits(Bits::Mapped);
            if writable {
                mapped &= node.bits(Bits::Dirty);
            }
            let run = u64::from((!mapped >> slot).trailing_zeros()).min(span(0) - slot);
            at += run;
            if run < span(0) - slot {
                break;
            }
        }
        at.min(end) - index
    }

    /// Maps those of the pages from `first` up to `end` that may be read and whose folios carry no marker of read-ahead
    /// (`filemap_map_pages`); how many there were.
    pub fn map(&mut self, file: FileKey, first: u64, end: u64) -> u64 {
        let mut mapped = 0;
        for index in first..end {
            let Some(page) = self.look(file, index) else { continue };
            if page.uptodate && !page.marker && self.map_one(file, index) {
                mapped += 1;
            }
        }
        mapped
    }

    /// Maps a page that is there; whether it wasn't mapped before.
    pub fn map_one(&mut self, file: FileKey, index: u64) -> bool {
        let Some(leaf) = self.leaf(file, index) else { return false };
        let bit = mask(index % span(0), 1);
        let node = self.tree.node(leaf);
        let is_new = node.bits(Bits::Present) & !node.bits(Bits::Mapped) & bit != 0;
        if is_new {
            self.tree.set(leaf, Bits::Mapped, bit);
        }
        is_new
    }

    /// A process touches mapped pages: the processor notes it, in the entries of its page table.
    pub fn touch_mapped(&mut self, file: FileKey, index: u64, pages: u64) {
        let mut last = NONE;
        for index in index..index + pages {
            let id = self.folio_at(file, index);
            if id == NONE || id == last {
                continue;
            }
            last = id;
            match self.policy {
                CachePolicy::Lru => self.mark_accessed(id),
                _ => self.lists.set(id, Flags::YOUNG),
            }
        }
    }

    /// What 6.18 does with a folio of a file at the end of the inactive list that somebody has touched through a mapping
    /// (`folio_check_references`): once, it stays for another round; twice, or once and once by a call, it is active.
    /// Whether it was touched.
    pub(super) fn spare_if_touched(&mut self, id: u32) -> bool {
        if !self.lists.take(id, Flags::YOUNG) {
            return false;
        }
        let before = self.lists.take(id, Flags::REFERENCED);
        let entry = self.lists.entry(id);
        let (list, pages) = (entry.list(), entry.pages());
        match list.promoted().filter(|_| before) {
            Some(active) => {
                self.lists.move_to_head(id, active);
                self.working_set.age(pages);
            }
            None => {
                self.lists.set(id, Flags::REFERENCED);
                self.lists.move_to_head(id, list);
            }
        }
        true
    }
}
