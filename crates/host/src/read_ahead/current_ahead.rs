//! Read-ahead in two windows: the current one, which the process reads, and the one ahead of it, which the device reads
//! (mm/readahead.c of Linux 2.6.16, the same in essence from 2.6.12 to 2.6.22).
//!
//! Unlike its successor it is asked at every read, cached or not, so it can see that a file is cached: after 256 pages
//! in a row that were all there it switches itself off until a page is missed. A page missed inside a window means that
//! the window was evicted before it was read; the next windows are smaller then.

use super::{Ahead, CacheView, Window, initial_size, next_size};
use petrio_persist::Persist;

/// The smallest window after misses: 16 KiB (`VM_MIN_READAHEAD`).
const MIN_PAGES: u64 = 4;

/// Pages in a row found in the cache before read-ahead stops (`VM_MAX_CACHE_HIT`).
const MOST_CACHE_HITS: u64 = 256;

/// The windows of an open file (`struct file_ra_state`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub struct Stream {
    /// First page of the current window.
    start: u64,
    /// Pages of the current window; zero while read-ahead is off.
    size: u64,
    /// The window ahead: first page and pages; `None` where there is none.
    ahead: Option<(u64, u64)>,
    /// The page after the last one that was looked at (the kernel's `prev_page` + 1, which begins as −1).
    next: u64,
    /// Pages in a row that a window found in the cache.
    cache_hits: u64,
    /// A page was missed inside the windows.
    missed: bool,
    /// The file is in the cache: nothing is read ahead.
    in_cache: bool,
}

impl Stream {
    /// A file just opened.
    pub(super) const fn new() -> Self {
        Self { start: 0, size: 0, ahead: None, next: 0, cache_hits: 0, missed: false, in_cache: false }
    }

    /// Whether read-ahead has stopped because the file was found in the cache.
    pub const fn in_cache(&self) -> bool {
        self.in_cache
    }

    /// First page and pages of the current window and of the one ahead.
    pub const fn windows(&self) -> ((u64, u64), Option<(u64, u64)>) {
        ((self.start, self.size), self.ahead)
    }

    /// `page_cache_readahead`.
    pub(super) fn on_read(
        &mut self,
        max: u64,
        view: &impl CacheView,
        index: u64,
        request: u64,
        file_pages: u64,
    ) -> Ahead {
        let (mut index, mut request) = (index, request);
        // A read that begins in the page where the last one ended.
        if index + 1 == self.next && request > 0 {
            request -= 1;
            if request > 0 {
                index += 1;
            }
        }
        let sequential = index == self.next;
        let size = request.min(max);
        if size == 0 || self.in_cache {
            self.next = index + 1;
            return Ahead { next: self.next, ..Ahead::NOTHING };
        }
        self.next = index + size;
        let mut windows = [Window::NONE; 2];
        if sequential && self.size == 0 {
            self.start = index;
            self.size = initial_size(size, max);
            windows[0] = Window::plain(index, self.size, file_pages);
            if self.is_useful(view, index, self.size, file_pages) && request >= max {
                // Two requests in flight for a reader that wants at least a whole window.
                windows[1] = self.read_ahead(max, view, file_pages, true).cut(file_pages);
            }
        } else if !sequential {
            self.switch_off();
            windows[0] = Window::plain(index, size, file_pages);
            self.is_useful(view, index, size, file_pages);
        } else {
            self.go_on(max, view, file_pages, &mut windows);
        }
        Ahead { windows, next: self.next }
    }

    /// `handle_ra_miss`, and the single page that `do_generic_mapping_read` then reads.
    pub(super) fn on_miss(&mut self, index: u64, file_pages: u64) -> Window {
        self.missed = true;
        self.in_cache = false;
        self.cache_hits = 0;
        Window::plain(index, 1, file_pages)
    }

    /// Sequential reading within windows: makes one ahead where there is none, and goes over to it when the reader
    /// does.
    fn go_on(&mut self, max: u64, view: &impl CacheView, file_pages: u64, windows: &mut [Window; 2]) {
        let mut end = u64::MAX;
        if self.ahead.is_none() {
            windows[0] = self.read_ahead(max, view, file_pages, false);
            if self.ahead.is_none() {
                end = windows[0].end();
            }
        }
        if let Some((start, pages)) = self.ahead.filter(|(start, _)| self.next > *start) {
            (self.start, self.size) = (start, pages);
            windows[1] = self.read_ahead(max, view, file_pages, false);
            end = windows[1].end();
        }
        // Called again at the first page beyond what is under way.
        self.next = self.next.min(end);
        for window in windows {
            *window = window.cut(file_pages);
        }
    }

    /// `make_ahead_window`. `forced` where the reader needs the pages for certain: the window stays even if all are
    /// cached. Answers with the whole window, whatever the end of the file; without pages where the device is too busy.
    fn read_ahead(&mut self, max: u64, view: &impl CacheView, file_pages: u64, forced: bool) -> Window {
        let size = if self.missed {
            self.missed = false;
            self.size.saturating_sub(2).max(MIN_PAGES).min(max)
        } else {
            next_size(self.size, max)
        };
        let start = self.start + self.size;
        self.ahead = Some((start, size));
        let needed = forced || self.next > start;
        if !needed && view.congested() {
            self.ahead = None;
            return Window { start: start + size, ..Window::NONE };
        }
        if !self.is_useful(view, start, size, file_pages) && !forced {
            self.ahead = None;
        }
        Window { start, pages: size, ..Window::NONE }
    }

    /// `check_ra_success`: counts pages that a window found in the cache, and switches read-ahead off when they are
    /// many.
    fn is_useful(&mut self, view: &impl CacheView, start: u64, pages: u64, file_pages: u64) -> bool {
        let end = (start + pages).min(file_pages);
        if start < end && view.next_missing(start, end - start) < end {
            self.cache_hits = 0;
            return true;
        }
        self.cache_hits += pages;
        if self.cache_hits < MOST_CACHE_HITS {
            return true;
        }
        self.switch_off();
        self.in_cache = true;
        false
    }

    fn switch_off(&mut self) {
        self.start = 0;
        self.size = 0;
        self.missed = false;
        self.in_cache = false;
        self.ahead = None;
    }
}
