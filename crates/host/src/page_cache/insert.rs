//! How pages come into the cache, and in folios of which size.
//!
//! Reads: `page_cache_ra_order` (mm/readahead.c, 6.18): the window's folio order, smaller where the index isn't aligned to it or
//! the window ends; after the first page that is there already, single pages (`page_cache_ra_unbounded`). Writes:
//! `__filemap_get_folio` (mm/filemap.c, 6.18): the largest folio that fits the rest of the write, its alignment and the pages that
//! are there. New pages are at the head of the inactive list, unless they were evicted a short while ago (`working_set`) or belong to a
//! process under the mixed policy (to 5.8 in truth, which isn't told apart).

use super::lists::{Flags, ListName};
use super::replacement::Became;
use super::tree::{Bits, NONE, span};
use super::{CachePolicy, FileKey, Last, PageCache, mask};
use crate::read_ahead::Window;
use std::ops::Range;

/// What a write has walked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Walk {
    /// Folios.
    pub folios: u64,
    /// Their pages.
    pub pages: u64,
    /// Pages of those that had no buffers.
    pub new_buffers: u64,
}

impl PageCache {
    /// Brings in single pages that are being read; those that are there already are passed over, and `marker` is set if that page
    /// is new. Answers with the number of new pages. They can't be evicted before they have [arrived](Self::arrived).
    pub fn insert(&mut self, file: FileKey, index: u64, pages: u64, marker: Option<u64>) -> u64 {
        self.insert_window(file, &Window { start: index, pages, marker, folio_pages: 1 })
    }

    /// As [`Self::insert`], in the window's folios as far as the cache has folios of that size.
    pub fn insert_window(&mut self, file: FileKey, window: &Window) -> u64 {
        if window.is_empty() {
            return 0;
        }
        let number = self.files.find_or_add(file);
        let before = self.cached;
        let mut order = order_of(window.folio_pages, self.largest_order);
        let end = window.end();
        let mut index = window.start;
        while index < end {
            let fitting = fitting_order(order, index, end);
            if self.is_free(number, index, 1 << fitting) {
                self.add_folio(number, index, fitting, Flags::LOCKED, window.marker);
                index += 1 << fitting;
            } else if order > 0 {
                order = 0;
            } else {
                index += 1;
            }
        }
        self.cached - before
    }

    /// The pages of the folio that [`Self::insert_window`] makes for one of a window's, none of which is there.
    pub fn folio_of_window(&self, window: &Window, page: u64) -> Range<u64> {
        let order = order_of(window.folio_pages, self.largest_order);
        let mut first = window.start;
        loop {
            let end = first + (1 << fitting_order(order, first, window.end()));
            if page < end {
                return first..end;
            }
            first = end;
        }
    }

    /// Brings in pages for a write of `pages` pages, in folios of at most `largest_folio_pages`; those that are there already are
    /// passed over. `whole`: the write covers them fully, so they may be read at once. Answers with the number of new pages.
    pub fn insert_for_write(
        &mut self,
        file: FileKey,
        index: u64,
        pages: u64,
        largest_folio_pages: u32,
        whole: bool,
    ) -> u64 {
        if pages == 0 {
            return 0;
        }
        let number = self.files.find_or_add(file);
        let before = self.cached;
        let largest = order_of(largest_folio_pages, self.largest_order);
        let end = index + pages;
        let mut index = index;
        while index < end {
            if !self.is_free(number, index, 1) {
                index += 1;
                continue;
            }
            let mut order = fitting_order(largest, index, end);
            while order > 0 && !self.is_free(number, index, 1 << order) {
                order -= 1;
            }
            let id = self.add_folio(number, index, order, Flags::BUFFERS, None);
            if whole {
                self.set_folio_bits(id, Bits::Uptodate);
            }
            index += 1 << order;
        }
        self.cached - before
    }

    /// A write walks the folios that are there of a range, and gives those buffers that have none. `begun`: one that begins before
    /// the range has been walked already.
    pub fn walk_folios(&mut self, file: FileKey, first: u64, pages: u64, begun: bool) -> Walk {
        let (mut walk, mut last) = (Walk::default(), NONE);
        let end = first + pages;
        let mut at = first;
        while at < end {
            let next = (at / span(0) + 1) * span(0);
            if let Some(leaf) = self.leaf_at_hand(file, at) {
                let present = self.tree.node(leaf).bits(Bits::Present);
                let mut bits = present & mask(at % span(0), end.min(next) - at);
                while bits != 0 {
                    let slot = u64::from(bits.trailing_zeros());
                    let id = self.tree.node(leaf).slot(slot);
                    let entry = *self.lists.entry(id);
                    let in_leaf = entry.pages().min(span(0));
                    bits &= !mask(slot / in_leaf * in_leaf, in_leaf);
                    let is_begun =
                        begun && at == first && slot == first % span(0) && !entry.begins(leaf, slot);
                    if id == last || is_begun {
                        last = id;
                        continue;
                    }
                    last = id;
                    walk.folios += 1;
                    walk.pages += entry.pages();
                    if !entry.has(Flags::BUFFERS) {
                        walk.new_buffers += entry.pages();
                        self.lists.set(id, Flags::BUFFERS);
                    }
                }
            }
            at = next;
        }
        walk
    }

    /// Pages have been read: those of them that are there are up to date.
    pub fn arrived(&mut self, file: FileKey, index: u64, pages: u64) {
        let end = index.saturating_add(pages);
        let mut at = index;
        while at < end {
            let next = (at / span(0) + 1) * span(0);
            if let Some(leaf) = self.leaf_at_hand(file, at) {
                let mut bits =
                    self.tree.node(leaf).bits(Bits::Present) & mask(at % span(0), end.min(next) - at);
                self.tree.set(leaf, Bits::Uptodate, bits);
                let mut last = NONE;
                while bits != 0 {
                    let id = self.tree.node(leaf).slot(u64::from(bits.trailing_zeros()));
                    bits &= bits - 1;
                    if id != last && self.lists.entry(id).has(Flags::LOCKED) && self.folio_is_uptodate(id) {
                        self.lists.clear(id, Flags::LOCKED);
                    }
                    last = id;
                }
            }
            at = next;
        }
    }

    /// A new folio; its place is free, and it has its marker if `marker` is one of its pages.
    pub(super) fn add_folio(
        &mut self,
        number: u32,
        index: u64,
        order: u8,
        flags: Flags,
        marker: Option<u64>,
    ) -> u32 {
        let leaf = self.leaf_for(number, index);
        let slot = index % span(0);
        let pages = 1_u64 << order;
        let anonymous = flags.has(Flags::ANONYMOUS);
        let mut list = match (anonymous, self.policy) {
            (true, CachePolicy::ActiveInactiveMixed) => ListName::Active,
            (true, _) => ListName::InactiveAnonymous,
            (false, _) => ListName::Inactive,
        };
        if self.working_set.enabled() && self.comes_back_soon(number, leaf, index, pages, anonymous) {
            list = list.promoted().unwrap_or(list);
        }
        let id = self.lists.add(list, leaf, slot, order, flags);
        let in_leaf = pages.min(span(0));
        self.fill_slots(leaf, slot, in_leaf, id);
        for step in 1..pages.div_ceil(span(0)) {
            let leaf = self.leaf_for(number, index + step * span(0));
            self.fill_slots(leaf, 0, span(0), id);
        }
        if marker.is_some_and(|marker| marker >= index && marker - index < pages) {
            self.tree.set(leaf, Bits::Marker, 1 << slot);
        }
        self.cached += pages;
        self.most.cached = self.most.cached.max(self.cached);
        self.files.file_mut(number).cached += pages;
        self.tell_own(id, Became::Came);
        id
    }

    /// Sets a bit for all pages of a folio.
    pub(super) fn set_folio_bits(&mut self, id: u32, kind: Bits) {
        let entry = *self.lists.entry(id);
        let (leaf, slot) = entry.place();
        for step in 0..entry.pages().div_ceil(span(0)) {
            let leaf = self.tree.sibling(leaf, step);
            self.tree.set(leaf, kind, mask(slot, entry.pages().min(span(0))));
        }
    }

    fn fill_slots(&mut self, leaf: u32, slot: u64, pages: u64, id: u32) {
        let bits = mask(slot, pages);
        if self.tree.node(leaf).bits(Bits::Shadow) & bits != 0 {
            self.tree.clear(leaf, Bits::Shadow, bits);
        }
        for slot in slot..slot + pages {
            self.tree.set_slot(leaf, slot, id);
        }
        self.tree.set(leaf, Bits::Present, bits);
        self.working_set.unlist(&mut self.tree, leaf);
    }

    /// The leaf for this page of this file, made where there is none.
    fn leaf_for(&mut self, number: u32, index: u64) -> u32 {
        let first = index / span(0) * span(0);
        if self.last.file == number && self.last.first == first {
            return self.last.leaf;
        }
        let file = self.files.file_mut(number);
        let leaf = self.tree.leaf_or_new(&mut file.root, number, index);
        if !file.anonymous {
            self.last = Last { key: file.key, first, leaf, file: number };
        }
        leaf
    }

    /// Whether these pages, of which all lie in one leaf or all in whole leaves, aren't there.
    fn is_free(&self, number: u32, index: u64, pages: u64) -> bool {
        let first = index / span(0) * span(0);
        (0..pages.div_ceil(span(0))).all(|step| {
            let leaf = if self.last.file == number && self.last.first == first + step * span(0) {
                Some(self.last.leaf)
            } else {
                self.tree.leaf(self.files.file(number).root, index + step * span(0))
            };
            leaf.is_none_or(|leaf| {
                self.tree.node(leaf).bits(Bits::Present) & mask(index % span(0), pages.min(span(0))) == 0
            })
        })
    }
}

/// The order of a folio of so many pages, at most `most`.
fn order_of(pages: u32, most: u8) -> u8 {
    u8::try_from(pages.max(1).ilog2()).map_or(most, |order| order.min(most))
}

/// The largest order up to `order` to which `index` is aligned and with which a folio ends at `end` or before.
#[expect(clippy::cast_possible_truncation, reason = "it is `order` at most")]
fn fitting_order(order: u8, index: u64, end: u64) -> u8 {
    let aligned = u32::from(order).min(index.trailing_zeros());
    aligned.min((end - index).ilog2()) as u8
}
