//! The page cache: which pages of which files are in memory, in what state, and which go when memory is short.
//!
//! A pure data structure: it takes no time and starts no I/O. What surrounds it asks ([`PageCache::look`]), brings pages in
//! ([`PageCache::insert_window`], [`PageCache::insert_for_write`]), says what has happened to them ([`PageCache::arrived`],
//! [`PageCache::make_dirty`], [`PageCache::begin_write`], [`PageCache::written`]) and makes room ([`PageCache::reclaim`]).
//!
//! ```text
//!  file ──▶ tree of nodes (64 slots each, as the kernel's xarray) ──▶ folio ──▶ on one of the lists
//!           bits per page: present, up to date, dirty, writeback,               active · inactive · parked
//!           marker, mapped, shadow                                               (files) (processes)
//! ```
//!
//! Modelled after Linux: mm/filemap.c and mm/swap.c (states and promotion), mm/vmscan.c (reclaim), mm/workingset.c (pages that
//! come back), fs/fs-writeback.c (the order of dirty files), of 2.6.24 and of 6.18. Each file here says which part it follows.
//!
//! Left out: several memory zones and nodes, the per-processor batches in which pages reach the lists (up to 31 pages late),
//! each process' own mappings of a file, and the multi-generational list (`CONFIG_LRU_GEN`).
//!
//! Cost: one node of 344 bytes for 64 neighbouring pages and 16 bytes a folio, whatever the size of the files; a look-up is a
//! walk of one step for each factor of 64 in the file's size, or none for a page near the last one used.

mod anonymous;
mod dirty;
mod files;
mod insert;
mod lists;
mod mapped;
mod mixed;
mod reclaim;
mod remove;
mod replacement;
mod shared;
mod split;
mod swap;
#[cfg(test)]
mod tests;
mod tree;
mod view;
mod working_set;

pub use dirty::FileCounts;
pub use reclaim::{RECLAIM_BATCH, Reclaimed};
pub use remove::Removed;
pub use replacement::{CachedPage, OwnReplacement, Replacement, Replaces};
pub use shared::Absent;
pub use swap::Touched;
pub use view::FileView;

use super::kernel_profile::{CachePolicy, PageCacheParameters};
use super::read_ahead::PAGE_BYTES;
use files::Files;
use lists::{Flags, ListName, Lists};
use petrio_persist::Persist;
use replacement::Became;
use swap::SwapSpace;
use tree::{Bits, NONE, Tree, span};
use working_set::WorkingSet;

/// Buffers of file systems' blocks that a page of memory holds.
const BUFFERS_IN_A_PAGE: u64 = 39;

/// A file: the file system's number in the upper 32 bits, the file's in the lower. The buffers of a block device are a file of
/// their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Persist)]
pub struct FileKey(pub u64);

impl FileKey {
    /// The file system's number.
    pub const fn mount(self) -> u32 {
        (self.0 >> 32) as u32
    }
}

/// What a page looks like from outside. It is a copy: changing it changes nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Page {
    /// First page of its folio.
    pub first: u64,
    /// Pages of its folio; a power of two.
    pub pages: u32,
    /// Whether it may be read.
    pub uptodate: bool,
    /// Whether it has to be written.
    pub dirty: bool,
    /// Whether it is being written.
    pub writeback: bool,
    /// Whether its folio carries the read-ahead marker.
    pub marker: bool,
    /// Whether its folio is on the active list.
    pub active: bool,
    /// Whether its folio has been accessed since it came to its list (`PG_referenced`).
    pub referenced: bool,
}

/// The cache.
#[derive(Clone, Debug, Persist)]
pub struct PageCache {
    policy: CachePolicy,
    /// Whose decisions stand in the place of the policy's.
    #[persist(keep)]
    own: replacement::Own,
    most: Most,
    /// Binary logarithm of the pages of the largest folio.
    largest_order: u8,
    limit: u64,
    cached: u64,
    /// Dirty pages and pages being written of each mount, by its number.
    mounts: Vec<dirty::Unwritten>,
    /// Pages of processes, and of files that live in memory alone.
    anonymous: u64,
    /// Pages of such files of each mount, in memory and in swap space.
    shared: Vec<u64>,
    tree: Tree,
    lists: Lists,
    files: Files,
    working_set: WorkingSet,
    pressure: reclaim::Pressure,
    swap: SwapSpace,
    last: Last,
}

/// The most that there has been at a time, pages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Persist)]
pub struct Most {
    /// In memory.
    pub cached: u64,
    /// Dirty or being written.
    pub unwritten: u64,
}

/// The leaf last used, and whose it is.
#[derive(Clone, Copy, Debug, Persist)]
struct Last {
    key: FileKey,
    first: u64,
    leaf: u32,
    file: u32,
}

impl Last {
    const NOTHING: Self = Self { key: FileKey(0), first: u64::MAX, leaf: NONE, file: NONE };
}

impl PageCache {
    /// An empty cache for `limit_pages` pages of 4 KiB, files' and processes' together. There is no swap space until
    /// [`Self::set_swap`] gives it some.
    pub fn new(parameters: &PageCacheParameters, limit_pages: u64) -> Self {
        let own = replacement::Own::of(parameters.own.as_ref());
        let largest = match own.is_there() {
            true => 0,
            false => (parameters.largest_folio.get() / PAGE_BYTES).max(1).ilog2(),
        };
        let policy = if own.is_there() { CachePolicy::Lru } else { parameters.policy };
        Self {
            policy,
            own,
            most: Most::default(),
            largest_order: largest.min(tree::LARGEST_ORDER) as u8,
            limit: limit_pages,
            cached: 0,
            mounts: Vec::new(),
            anonymous: 0,
            shared: Vec::new(),
            tree: Tree::default(),
            lists: Lists::default(),
            files: Files::default(),
            working_set: WorkingSet::new(
                parameters.refault_distance && policy == CachePolicy::ActiveInactive,
            ),
            pressure: reclaim::Pressure::default(),
            swap: SwapSpace::default(),
            last: Last::NOTHING,
        }
    }

    /// The page at this index of the file, if there is one.
    pub fn look(&self, file: FileKey, index: u64) -> Option<Page> {
        let leaf = self.leaf(file, index)?;
        let slot = index % span(0);
        let bit = 1 << slot;
        let node = self.tree.node(leaf);
        if node.bits(Bits::Present) & bit == 0 {
            return None;
        }
        let id = node.slot(slot);
        let entry = self.lists.entry(id);
        let (head_leaf, head_slot) = entry.place();
        let head = if head_leaf == leaf { node } else { self.tree.node(head_leaf) };
        Some(Page {
            first: head.first() + head_slot,
            pages: 1 << entry.order(),
            uptodate: node.bits(Bits::Uptodate) & bit != 0,
            dirty: node.bits(Bits::Dirty) & bit != 0,
            writeback: node.bits(Bits::Writeback) & bit != 0,
            marker: head.bits(Bits::Marker) & (1 << head_slot) != 0,
            active: entry.list().is_active(),
            referenced: entry.has(Flags::REFERENCED),
        })
    }

    /// Pages from `index` on that may be read without a stop, at most `most`: present, up to date, and before the next folio
    /// that carries a marker (one at `index` itself doesn't count; the caller has seen it).
    pub fn uptodate_run(&self, file: FileKey, index: u64, most: u64) -> u64 {
        let end = index.saturating_add(most);
        let mut at = index;
        while at < end {
            let Some(leaf) = self.leaf(file, at) else { break };
            let node = self.tree.node(leaf);
            let slot = at % span(0);
            let mut stop = !node.bits(Bits::Uptodate) | node.bits(Bits::Marker);
            if at == index {
                stop &= !(node.bits(Bits::Marker) & node.bits(Bits::Uptodate) & (1 << slot));
            }
            let run = u64::from((stop >> slot).trailing_zeros()).min(span(0) - slot);
            at += run;
            if run < span(0) - slot {
                break;
            }
        }
        at.min(end) - index
    }

    /// Marks the pages as accessed, each folio once: unreferenced → referenced → active → active and referenced
    /// (`mark_page_accessed`, mm/swap.c); under plain LRU a folio becomes the most recent. Pages that aren't there are passed
    /// over. Answers with the number of folios.
    pub fn access(&mut self, file: FileKey, index: u64, pages: u64) -> u32 {
        self.access_following(file, None, index, pages)
    }

    /// As [`Self::access`], for a read that goes on in the page where the previous one ended (`previous`): the folio of that page
    /// isn't marked again (`pos_same_folio` in `filemap_read`, 6.18; `prev_index` in `do_generic_mapping_read`, 2.6.24).
    pub fn access_following(&mut self, file: FileKey, previous: Option<u64>, index: u64, pages: u64) -> u32 {
        let mut touched = 0;
        let mut last = match previous {
            Some(previous) if previous != index => self.folio_at(file, previous),
            Some(_) => self.folio_at(file, index),
            None => NONE,
        };
        let end = index.saturating_add(pages);
        let mut at = index;
        while at < end {
            let next = (at / span(0) + 1) * span(0);
            if let Some(leaf) = self.leaf_at_hand(file, at) {
                let stop = end.min(next);
                let mut bits = self.tree.node(leaf).bits(Bits::Present) & mask(at % span(0), stop - at);
                while bits != 0 {
                    let slot = u64::from(bits.trailing_zeros());
                    bits &= bits - 1;
                    let id = self.tree.node(leaf).slot(slot);
                    if id != last {
                        last = id;
                        touched += 1;
                        self.mark_accessed(id);
                    }
                }
            }
            at = next;
        }
        touched
    }

    /// The first index from `index` on without a page; `index + most` where `most` pages are all there.
    pub fn next_missing(&self, file: FileKey, index: u64, most: u64) -> u64 {
        let end = index.saturating_add(most);
        let mut at = index;
        while at < end {
            let Some(leaf) = self.leaf(file, at) else { break };
            let slot = at % span(0);
            let holes = !self.tree.node(leaf).bits(Bits::Present) >> slot;
            let run = u64::from(holes.trailing_zeros()).min(span(0) - slot);
            at += run;
            if run < span(0) - slot {
                break;
            }
        }
        at.min(end)
    }

    /// The last index up to `index` without a page; `None` where all are there down to the file's beginning, `index - most`
    /// where the last `most` are all there.
    pub fn previous_missing(&self, file: FileKey, index: u64, most: u64) -> Option<u64> {
        let stop = index.checked_sub(most);
        let mut at = index;
        loop {
            if stop.is_some_and(|stop| at <= stop) {
                return stop;
            }
            let Some(leaf) = self.leaf(file, at) else { return Some(at) };
            let slot = at % span(0);
            let holes = !self.tree.node(leaf).bits(Bits::Present) << (span(0) - 1 - slot);
            let run = u64::from(holes.leading_zeros()).min(slot + 1);
            if run <= slot {
                return Some((at - run).max(stop.unwrap_or(0)));
            }
            let Some(before) = at.checked_sub(run) else { return stop };
            at = before;
        }
    }

    /// The first pages from `from` on that aren't there, before `end`: where they begin and how many follow each other.
    pub fn missing_run(&self, file: FileKey, from: u64, end: u64) -> Option<(u64, u64)> {
        let first = self.next_missing(file, from, end.saturating_sub(from));
        if first >= end {
            return None;
        }
        let mut at = first;
        while at < end {
            let next = (at / span(0) + 1) * span(0);
            if let Some(leaf) = self.leaf(file, at) {
                let present = self.tree.node(leaf).bits(Bits::Present) >> (at % span(0));
                if present != 0 {
                    at += u64::from(present.trailing_zeros());
                    break;
                }
            }
            at = next;
        }
        Some((first, at.min(end) - first))
    }

    /// Takes the read-ahead marker off the folio that holds this page.
    pub fn clear_marker(&mut self, file: FileKey, index: u64) {
        let id = self.folio_at(file, index);
        if id != NONE {
            let (leaf, slot) = self.lists.entry(id).place();
            self.tree.clear(leaf, Bits::Marker, 1 << slot);
        }
    }

    /// Pages that the cache and the processes may have together.
    pub fn limit_pages(&self) -> u64 {
        self.limit
    }

    /// Changes the limit. Nothing is freed: call [`Self::reclaim`] for [`Self::excess`].
    pub fn set_limit(&mut self, pages: u64) {
        self.limit = pages;
    }

    /// Pages in memory, processes' among them.
    pub fn cached(&self) -> u64 {
        self.cached
    }

    /// The most that there has been at a time.
    pub fn most(&self) -> Most {
        self.most
    }

    /// Dirty pages, some of which may be under writeback since before they became dirty again.
    pub fn dirty(&self) -> u64 {
        self.mounts.iter().map(|mount| mount.dirty).sum()
    }

    /// Pages being written.
    pub fn writeback(&self) -> u64 {
        self.mounts.iter().map(|mount| mount.writeback).sum()
    }

    /// Pages that may still be inserted.
    pub fn free(&self) -> u64 {
        self.limit.saturating_sub(self.cached)
    }

    /// Pages of memory that buffers take: each page that was written has one (104 bytes, 39 of them in a page;
    /// `buffer_head`, include/linux/buffer_head.h), which goes with it.
    pub fn buffer_pages(&self) -> u64 {
        self.lists.buffered().div_ceil(BUFFERS_IN_A_PAGE)
    }

    /// Pages beyond the limit. Insertions don't fail: room is to be made before, or right after.
    pub fn excess(&self) -> u64 {
        self.cached.saturating_sub(self.limit)
    }

    /// Pages on the active lists, with those parked until they are written.
    pub fn active(&self) -> u64 {
        self.cached - self.inactive()
    }

    /// Pages on the inactive lists; under plain LRU all that aren't parked.
    pub fn inactive(&self) -> u64 {
        self.lists.pages(ListName::Inactive) + self.lists.pages(ListName::InactiveAnonymous)
    }

    /// The leaf that has a slot for this page.
    fn leaf(&self, file: FileKey, index: u64) -> Option<u32> {
        if self.last.key != file || self.last.file == NONE {
            return self.tree.leaf(self.files.get(file)?.root, index);
        }
        if self.last.first == index / span(0) * span(0) {
            return Some(self.last.leaf);
        }
        self.tree.leaf(self.files.file(self.last.file).root, index)
    }

    /// As [`Self::leaf`], and remembers it.
    fn leaf_at_hand(&mut self, file: FileKey, index: u64) -> Option<u32> {
        let first = index / span(0) * span(0);
        if self.last.key == file && self.last.first == first {
            return Some(self.last.leaf);
        }
        let at_hand = self.last.key == file && self.last.file != NONE;
        let number = if at_hand { self.last.file } else { self.files.find(file)? };
        let leaf = self.tree.leaf(self.files.file(number).root, index)?;
        self.last = Last { key: file, first, leaf, file: number };
        Some(leaf)
    }

    /// The folio that holds this page, or `NONE`.
    fn folio_at(&self, file: FileKey, index: u64) -> u32 {
        let Some(leaf) = self.leaf(file, index) else { return NONE };
        let node = self.tree.node(leaf);
        let slot = index % span(0);
        if node.bits(Bits::Present) & (1 << slot) == 0 { NONE } else { node.slot(slot) }
    }

    fn mark_accessed(&mut self, id: u32) {
        let entry = self.lists.entry(id);
        if self.policy == CachePolicy::Lru {
            let was_parked = entry.list() == ListName::Parked;
            self.lists.move_to_head(id, entry.list().demoted());
            self.tell_own(id, if was_parked { Became::Came } else { Became::Used });
        } else if !entry.has(Flags::REFERENCED) {
            self.lists.set(id, Flags::REFERENCED);
        } else if let Some(active) = entry.list().promoted() {
            let pages = entry.pages();
            self.lists.clear(id, Flags::REFERENCED);
            self.lists.move_to_head(id, active);
            self.working_set.age(pages);
        }
    }

    /// Whether any page of the folio has one of these bits.
    fn folio_has(&self, id: u32, bits: &[Bits]) -> bool {
        self.segments(id).any(|(leaf, mask)| {
            let node = self.tree.node(leaf);
            bits.iter().any(|bits| node.bits(*bits) & mask != 0)
        })
    }

    /// Whether all pages of the folio are up to date.
    fn folio_is_uptodate(&self, id: u32) -> bool {
        self.segments(id).all(|(leaf, mask)| self.tree.node(leaf).bits(Bits::Uptodate) & mask == mask)
    }

    /// The leaves over which a folio lies, with its bits in each.
    fn segments(&self, id: u32) -> impl Iterator<Item = (u32, u64)> + '_ {
        let entry = self.lists.entry(id);
        let (leaf, slot) = entry.place();
        let pages = entry.pages();
        (0..pages.div_ceil(span(0)))
            .map(move |step| (self.tree.sibling(leaf, step), mask(slot, pages.min(span(0)))))
    }
}

/// Bits of `pages` pages from slot `first` on, of 64.
const fn mask(first: u64, pages: u64) -> u64 {
    if pages >= 64 { u64::MAX << first } else { ((1 << pages) - 1) << first }
}

#[cfg(test)]
impl PageCache {
    /// Nodes in use.
    fn nodes(&self) -> usize {
        self.tree.in_use()
    }
}
