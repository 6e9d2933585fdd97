//! One file's pages as read-ahead sees them.

use super::{FileKey, PageCache};
use crate::read_ahead::CacheView;

/// A file in the cache.
#[derive(Clone, Copy, Debug)]
pub struct FileView<'a> {
    cache: &'a PageCache,
    file: FileKey,
    largest_folio_pages: u64,
    congested: bool,
}

impl PageCache {
    /// A file for read-ahead to look at. `large_folios`: whether the file may have folios of more than one page (ext4 keeps single
    /// pages in `data=journal` mode). `congested`: whether the device has no room for reads that nobody waits for.
    pub fn view(&self, file: FileKey, large_folios: bool, congested: bool) -> FileView<'_> {
        let largest_folio_pages = if large_folios { 1 << self.largest_order } else { 1 };
        FileView { cache: self, file, largest_folio_pages, congested }
    }
}

impl CacheView for FileView<'_> {
    fn cached(&self, index: u64) -> bool {
        self.cache.look(self.file, index).is_some()
    }

    fn next_missing(&self, index: u64, most: u64) -> u64 {
        self.cache.next_missing(self.file, index, most)
    }

    fn previous_missing(&self, index: u64, most: u64) -> Option<u64> {
        self.cache.previous_missing(self.file, index, most)
    }

    fn folio_pages(&self, index: u64) -> u64 {
        self.cache.look(self.file, index).map_or(1, |page| u64::from(page.pages))
    }

    fn largest_folio_pages(&self) -> u64 {
        self.largest_folio_pages
    }

    fn congested(&self) -> bool {
        self.congested
    }
}
