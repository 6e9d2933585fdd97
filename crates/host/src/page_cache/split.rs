//! A folio of which only a part goes falls into single pages (`truncate_inode_partial_folio`, mm/truncate.c).

use super::lists::ListName;
use super::tree::{NONE, span};
use super::{FileKey, PageCache};
use petrio_units::numbers::as_index;

impl PageCache {
    /// Splits the folio that begins before page `index` and ends behind it, if there is one.
    pub(super) fn split_at(&mut self, file: FileKey, index: u64) {
        let id = self.folio_at(file, index);
        if id == NONE {
            return;
        }
        let entry = *self.lists.entry(id);
        let (head, slot) = entry.place();
        if self.tree.node(head).first() + slot == index {
            return;
        }
        let pages = entry.pages();
        let leaves: Vec<u32> =
            (0..pages.div_ceil(span(0))).map(|step| self.tree.sibling(head, step)).collect();
        self.lists.shrink_to_one_page(id);
        let mut behind = id;
        for page in 1..pages {
            let at = slot + page;
            let leaf = leaves[as_index(at / span(0))];
            behind = self.lists.add_behind(behind, leaf, at % span(0));
            self.tree.set_slot(leaf, at % span(0), behind);
        }
        // The marker, if there was one, stays with the first page. Of a folio that waited to be written, only the dirty pages
        // have to wait on.
        if entry.list() == ListName::Parked {
            for page in slot..slot + pages {
                self.unpark(leaves[as_index(page / span(0))], 1 << (page % span(0)));
            }
        }
    }
}
