//! Pages that come back soon after their eviction are active at once (mm/workingset.c, from Linux 3.15).
//!
//! The slot of an evicted page remembers the cache's age: how many pages had been evicted or promoted by then. When it comes
//! back, the age tells how many pages too small the inactive list was to keep it. If the active list has as many, the page would have
//! been kept at their expense, and it challenges them: it is put on the active list. With swap space, pages of processes count
//! too (`workingset_test_recent`). Leaves of nothing but memories are limited to an eighth of the cache's pages
//! (`count_shadow_nodes`), the oldest go first.

use super::lists::ListName;
use super::tree::{Bits, NONE, Tree, span};
use super::{PageCache, mask};
use petrio_persist::Persist;
use petrio_units::numbers::low_half;

/// The age of the cache, and the leaves that only hold memories.
#[derive(Clone, Debug, Persist)]
pub(super) struct WorkingSet {
    enabled: bool,
    /// Pages evicted or promoted; wraps after 2^32, 16 TiB, as the kernel's does in its few bits.
    age: u32,
    oldest: u32,
    newest: u32,
    listed: u64,
    /// Pages of files and of processes that came back in time.
    pub(super) refaults: [u64; 2],
}

impl WorkingSet {
    pub(super) fn new(enabled: bool) -> Self {
        Self { enabled, age: 0, oldest: NONE, newest: NONE, listed: 0, refaults: [0; 2] }
    }

    pub(super) fn enabled(&self) -> bool {
        self.enabled
    }

    /// Pages have been promoted or evicted.
    pub(super) fn age(&mut self, pages: u64) {
        self.age = self.age.wrapping_add(low_half(pages));
    }

    /// The age, for an eviction that then makes the cache older.
    pub(super) fn stamp(&mut self, pages: u64) -> u32 {
        let stamp = self.age;
        self.age(pages);
        stamp
    }

    /// How much older the cache has become since.
    fn distance(&self, stamp: u32) -> u64 {
        u64::from(self.age.wrapping_sub(stamp))
    }

    /// A leaf has no pages left, only memories.
    pub(super) fn list(&mut self, tree: &mut Tree, leaf: u32) {
        if tree.node(leaf).shadow_links.is_some() {
            return;
        }
        tree.node_mut(leaf).shadow_links = Some((self.newest, NONE));
        if self.newest == NONE {
            self.oldest = leaf;
        } else if let Some(links) = &mut tree.node_mut(self.newest).shadow_links {
            links.1 = leaf;
        }
        self.newest = leaf;
        self.listed += 1;
    }

    /// A leaf has pages again, or is about to go.
    pub(super) fn unlist(&mut self, tree: &mut Tree, leaf: u32) {
        let Some((older, newer)) = tree.node_mut(leaf).shadow_links.take() else { return };
        if older == NONE {
            self.oldest = newer;
        } else if let Some(links) = &mut tree.node_mut(older).shadow_links {
            links.1 = newer;
        }
        if newer == NONE {
            self.newest = older;
        } else if let Some(links) = &mut tree.node_mut(newer).shadow_links {
            links.0 = older;
        }
        self.listed -= 1;
    }
}

impl PageCache {
    /// Whether a new folio, of which the first page is in `leaf`, was evicted so short a while ago that it is to be active; of several
    /// memories the last page's decides, as in `__filemap_add_folio`.
    pub(super) fn comes_back_soon(
        &mut self,
        number: u32,
        leaf: u32,
        index: u64,
        pages: u64,
        anonymous: bool,
    ) -> bool {
        let memory = |leaf: u32, slot: u64, pages: u64| {
            let node = self.tree.node(leaf);
            let shadows = node.bits(Bits::Shadow) & mask(slot, pages);
            (shadows != 0).then(|| node.slot(63 - u64::from(shadows.leading_zeros())))
        };
        let root = self.files.file(number).root;
        let mut behind = (1..pages.div_ceil(span(0))).rev();
        let stamp = behind
            .find_map(|step| memory(self.tree.leaf(root, index + step * span(0))?, 0, span(0)))
            .or_else(|| memory(leaf, index % span(0), pages.min(span(0))));
        let Some(stamp) = stamp else { return false };
        let distance = self.working_set.distance(stamp);
        let mut size = self.lists.pages(ListName::Active) + self.lists.pages(ListName::Parked);
        if anonymous {
            size += self.lists.pages(ListName::Inactive);
        }
        if self.swap.free() > 0 {
            size += self.lists.pages(ListName::ActiveAnonymous);
            if !anonymous {
                size += self.lists.pages(ListName::InactiveAnonymous);
            }
        }
        if distance > size {
            return false;
        }
        self.working_set.age(pages);
        self.working_set.refaults[usize::from(anonymous)] += pages;
        true
    }

    /// Forgets the oldest evictions where their memories are more than the cache is worth.
    pub(super) fn trim_memories(&mut self) {
        while self.working_set.listed > self.limit / 8 {
            let leaf = self.working_set.oldest;
            if leaf == NONE {
                break;
            }
            let number = self.tree.node(leaf).file();
            self.tree.clear(leaf, Bits::Shadow, u64::MAX);
            self.tidy_leaf(number, leaf);
            self.forget_if_empty(number);
        }
    }
}
