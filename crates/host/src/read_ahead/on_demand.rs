//! On-demand read-ahead: windows that grow, each with a marker page whose reading starts the next (mm/readahead.c).
//!
//! Two generations, both checked against the source:
//!
//! | | [`Generation::Pages`], 2.6.24 (`ondemand_readahead`) | [`Generation::Folios`], 6.18 (`page_cache_sync_ra`, `page_cache_async_ra`) |
//! | --- | --- | --- |
//! | a miss begins a stream | at page 0, next to the previous read, or larger than the limit | the same |
//! | a miss goes on with one | at the window's end or its marker | where more pages than the request asks for lie cached before it |
//! | the first window's part ahead | what exceeds the request, or all of it | what exceeds the request, or half of it |
//! | a marker without its state | next hole, old part ahead × ramp | next hole, (old part ahead + request) × ramp |
//! | the limit for a larger request | the limit | the device's largest request |
//! | the window's end | as the rule says | cut to the border of the folios, whose order grows by two a window |
//! | a window at the end of the file | has a marker where the page exists | has none |
//!
//! In between lie 2.6.31 (streams known by cached pages), 5.18 (large folios) and 6.17 (aligned ends); they are not
//! told apart.

use super::{CacheView, PAGE_BYTES, Window, initial_size, next_size};
use petrio_persist::Persist;

/// Versions of the algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub enum Generation {
    /// 2.6.23 to 2.6.30: single pages.
    Pages,
    /// From 6.17: folios.
    Folios,
}

/// The last window of an open file (`struct file_ra_state`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub struct Stream {
    generation: Generation,
    /// Pages of the device's largest request.
    device_pages: u64,
    /// First page of the last window.
    start: u64,
    /// Pages of the last window, before it was cut at the end of the file.
    size: u64,
    /// Pages from the marker to the window's end.
    async_size: u64,
    /// Binary logarithm of the pages of the last window's folios.
    order: u32,
    /// Byte after the last one read; `None` before the first read.
    previous_end: Option<u64>,
}

impl Stream {
    /// A file just opened.
    pub(super) const fn new(generation: Generation, device_pages: u64) -> Self {
        Self { generation, device_pages, start: 0, size: 0, async_size: 0, order: 0, previous_end: None }
    }

    pub(super) fn note_access(&mut self, end: u64) {
        self.previous_end = Some(end);
    }

    /// A window around a page of a mapping.
    pub(super) fn around(&mut self, max: u64, index: u64, file_pages: u64) -> Window {
        self.start = index.saturating_sub(max / 2);
        self.size = max;
        // 2.6.24 reads around without reading ahead.
        self.async_size = if self.generation == Generation::Folios { max / 4 } else { 0 };
        self.order = 0;
        let window = Window::plain(self.start, self.size, file_pages);
        let marker = self.start + self.size - self.async_size;
        let ahead = self.async_size > 0 && marker < window.end();
        Window { marker: ahead.then_some(marker), ..window }
    }

    /// First page, pages and pages after the marker of the last window, as the rule says them (before the file's end
    /// cut it).
    pub const fn window(&self) -> (u64, u64, u64) {
        (self.start, self.size, self.async_size)
    }

    /// Whether a read at `index` goes on where the previous one ended. 2.6.24 remembers the last page read, 6.18 the
    /// byte after the last one read; both take the page after that also.
    fn follows_previous(&self, index: u64) -> bool {
        match (self.previous_end, self.generation) {
            (None, _) => index == 0,
            (Some(end), Generation::Pages) => index.wrapping_sub(end.saturating_sub(1) / PAGE_BYTES) <= 1,
            (Some(end), Generation::Folios) => index == 0 || index.wrapping_sub(end / PAGE_BYTES) <= 1,
        }
    }

    pub(super) fn on_miss(
        &mut self,
        max: u64,
        view: &impl CacheView,
        index: u64,
        request: u64,
        file_pages: u64,
    ) -> Window {
        if max == 0 {
            return Window::plain(index, 1, file_pages);
        }
        match self.generation {
            Generation::Pages => self.miss_in_pages(max, index, request, file_pages),
            Generation::Folios => self.miss_in_folios(max, view, index, request, file_pages),
        }
    }

    pub(super) fn on_marker(
        &mut self,
        max: u64,
        view: &impl CacheView,
        index: u64,
        request: u64,
        file_pages: u64,
    ) -> Window {
        if max == 0 || view.congested() {
            return Window::NONE;
        }
        match self.generation {
            Generation::Pages => self.marker_in_pages(max, view, index, file_pages),
            Generation::Folios => self.marker_in_folios(max, view, index, request, file_pages),
        }
    }

    fn miss_in_pages(&mut self, max: u64, index: u64, request: u64, file_pages: u64) -> Window {
        if self.is_expected(index) {
            return self.push_on(max, file_pages);
        }
        if !self.follows_previous(index) && request <= max {
            return Window::plain(index, request, file_pages);
        }
        self.begin(index, request, max);
        if self.async_size == 0 {
            self.async_size = self.size;
        }
        self.submit_pages(file_pages)
    }

    fn marker_in_pages(&mut self, max: u64, view: &impl CacheView, index: u64, file_pages: u64) -> Window {
        if self.is_expected(index) {
            return self.push_on(max, file_pages);
        }
        let hole = view.next_missing(index, max + 1);
        if hole - index > max {
            return Window::NONE;
        }
        self.start = hole;
        self.size = next_size(hole - index, max);
        self.async_size = self.size;
        self.submit_pages(file_pages)
    }

    /// Whether 2.6.24 waited for a read at this page: the marker, or the page after the window.
    fn is_expected(&self, index: u64) -> bool {
        let end = self.start + self.size;
        index != 0 && (index == end - self.async_size || index == end)
    }

    /// The window after the last one, all of it ahead.
    fn push_on(&mut self, max: u64, file_pages: u64) -> Window {
        self.start += self.size;
        self.size = next_size(self.size, max);
        self.async_size = self.size;
        self.submit_pages(file_pages)
    }

    /// The first window of a stream. The part ahead is zero where the request takes all of it.
    fn begin(&mut self, index: u64, request: u64, max: u64) {
        self.start = index;
        self.size = initial_size(request, max);
        self.async_size = self.size.saturating_sub(request);
    }

    fn submit_pages(&self, file_pages: u64) -> Window {
        let window = Window::plain(self.start, self.size, file_pages);
        let marker = self.start + self.size - self.async_size;
        Window { marker: (marker < window.end()).then_some(marker), ..window }
    }

    fn miss_in_folios(
        &mut self,
        max: u64,
        view: &impl CacheView,
        index: u64,
        request: u64,
        file_pages: u64,
    ) -> Window {
        if view.congested() {
            return Window::plain(index, 1, file_pages);
        }
        let max = self.limit_for(request, max);
        if request > max || self.follows_previous(index) {
            self.begin(index, request, max);
            if self.async_size == 0 {
                self.async_size = self.size / 2;
            }
        } else {
            let hole = view.previous_missing(index - 1, max);
            let history = hole.map_or(index, |hole| index - 1 - hole);
            if history <= request {
                return Window::plain(index, request, file_pages);
            }
            // Cached from the file's beginning: a long stream, probably the whole file.
            let history = if hole.is_none() { history * 2 } else { history };
            self.start = index;
            self.size = (history + request).min(max);
            self.async_size = 1;
        }
        self.order = 0;
        self.submit_folios(view, file_pages)
    }

    fn marker_in_folios(
        &mut self,
        max: u64,
        view: &impl CacheView,
        index: u64,
        request: u64,
        file_pages: u64,
    ) -> Window {
        let max = self.limit_for(request, max);
        let folio = view.folio_pages(index).max(1);
        let expected = (self.start + self.size - self.async_size) / folio * folio;
        if index == expected {
            self.start += self.size;
            self.size = next_size(self.size, max).max(self.size);
        } else {
            let hole = view.next_missing(index + 1, max);
            if hole - index > max {
                return Window::NONE;
            }
            self.start = hole;
            self.size = next_size(hole - index + request, max);
        }
        self.order += 2;
        let align = 1_u64 << self.order.min(max.trailing_zeros());
        let end = self.start + self.size;
        let aligned = end / align * align;
        if aligned > self.start {
            self.size = aligned - self.start;
        }
        self.async_size = self.size;
        self.submit_folios(view, file_pages)
    }

    /// A request beyond the limit may be as large as the device takes at once.
    fn limit_for(&self, request: u64, max: u64) -> u64 {
        if request > max && self.device_pages > max { request.min(self.device_pages) } else { max }
    }

    fn submit_folios(&mut self, view: &impl CacheView, file_pages: u64) -> Window {
        self.order = self.order.min(view.largest_folio_pages().max(1).ilog2()).min(self.size.max(1).ilog2());
        let window = Window::plain(self.start, self.size, file_pages);
        let reaches_end = self.start + self.size >= file_pages;
        let marker = self.start + self.size - self.async_size;
        Window { marker: (!reaches_end).then_some(marker), folio_pages: 1 << self.order, ..window }
    }
}
