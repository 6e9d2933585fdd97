//! Reading ahead: which pages the kernel asks a device for when a process reads a file.
//!
//! Three algorithms, a file each: [`on_demand`] (mm/readahead.c from Linux 2.6.23), [`current_ahead`] (before) and
//! [`off`]. All are pure: they look at the page cache through [`CacheView`], keep their state per open file in
//! [`ReadAheadState`], and answer with the [`Window`] of pages to bring in. The caller inserts the pages that aren't
//! cached, marks the marker page and asks the device. It calls
//!
//! - [`on_read`] when a read begins, and again before it looks at page [`Ahead::next`],
//! - [`on_miss`] when the page that it needs isn't in the cache,
//! - [`on_marker`] when the page carries the marker (which it then takes off),
//! - [`ReadAheadState::note_access`] when the read has ended.
//!
//! Left out: faults of memory-mapped files, `posix_fadvise`, and the reduction of the window to half of the free and
//! inactive memory (`max_sane_readahead`, before 4.4).

pub mod current_ahead;
pub mod off;
pub mod on_demand;

#[cfg(test)]
mod tests;

use super::kernel_profile::{ReadAheadAlgorithm, ReadAheadParameters};
use petrio_persist::Persist;

/// Bytes of a page (x86 and most others).
pub const PAGE_BYTES: u64 = 4096;

/// What read-ahead may know of the pages of one file.
pub trait CacheView {
    /// Whether there is a page at this index, read already or not.
    fn cached(&self, index: u64) -> bool;

    /// The first index from `index` on without a page; `index + most` where `most` pages are all there
    /// (`page_cache_next_miss`).
    fn next_missing(&self, index: u64, most: u64) -> u64;

    /// The last index up to `index` without a page; `None` where all are there down to the beginning of the file, and
    /// `index - most` where the last `most` pages are all there (`page_cache_prev_miss`).
    fn previous_missing(&self, index: u64, most: u64) -> Option<u64>;

    /// Pages of the folio that holds this page; 1 where there is none.
    fn folio_pages(&self, index: u64) -> u64;

    /// Pages of the largest folio that the file may have; 1 where it has single pages only.
    fn largest_folio_pages(&self) -> u64;

    /// Whether the device's queue is too full for reads that nobody waits for (`bdi_read_congested`,
    /// `blk_cgroup_congested`).
    fn congested(&self) -> bool {
        false
    }
}

/// Pages to bring in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Persist)]
pub struct Window {
    /// First page.
    pub start: u64,
    /// How many pages; zero where nothing is to be read. Cut at the end of the file. Some may be in the cache already.
    pub pages: u64,
    /// The page that starts the next window when it is read.
    pub marker: Option<u64>,
    /// Pages of the folios to use where alignment and the window's end allow it; a power of two, 1 for single pages.
    pub folio_pages: u32,
}

impl Window {
    /// No pages.
    pub const NONE: Self = Self { start: 0, pages: 0, marker: None, folio_pages: 1 };

    /// Whether nothing is to be read.
    pub const fn is_empty(&self) -> bool {
        self.pages == 0
    }

    /// The page after the last.
    pub const fn end(&self) -> u64 {
        self.start + self.pages
    }

    /// A window of single pages without marker, cut at the end of the file.
    fn plain(start: u64, pages: u64, file_pages: u64) -> Self {
        Self { start, pages, ..Self::NONE }.cut(file_pages)
    }

    /// Without the pages beyond the end of the file.
    fn cut(self, file_pages: u64) -> Self {
        Self { pages: self.pages.min(file_pages.saturating_sub(self.start)), ..self }
    }
}

/// What is read ahead before a read looks at its pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ahead {
    /// One window, and behind it a second; either may be empty.
    pub windows: [Window; 2],
    /// The page before which [`on_read`] wants to be called again; `u64::MAX` for never.
    pub next: u64,
}

impl Ahead {
    /// Nothing, and no further call in this read.
    pub const NOTHING: Self = Self { windows: [Window::NONE; 2], next: u64::MAX };
}

/// What is remembered per open file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub enum ReadAheadState {
    /// Of [`on_demand`].
    OnDemand(on_demand::Stream),
    /// Of [`current_ahead`].
    CurrentAhead(current_ahead::Stream),
    /// Nothing.
    Off,
}

impl ReadAheadState {
    /// The state of a file just opened. `device_pages` are the pages of the device's largest request
    /// (`max_sectors_kb`), to which newer kernels raise the limit for larger reads (`ractl_max_pages`).
    pub fn new(parameters: &ReadAheadParameters, device_pages: u64) -> Self {
        match parameters.algorithm {
            ReadAheadAlgorithm::OnDemand => {
                Self::OnDemand(on_demand::Stream::new(on_demand::Generation::Pages, device_pages))
            }
            ReadAheadAlgorithm::OnDemandFolios => {
                Self::OnDemand(on_demand::Stream::new(on_demand::Generation::Folios, device_pages))
            }
            ReadAheadAlgorithm::CurrentAhead => Self::CurrentAhead(current_ahead::Stream::new()),
            ReadAheadAlgorithm::Off => Self::Off,
        }
    }

    /// A read has ended before byte `end` of the file.
    pub fn note_access(&mut self, end: u64) {
        if let Self::OnDemand(stream) = self {
            stream.note_access(end);
        }
    }
}

/// A process begins to read `request_pages` pages from page `index` (or goes on at `index`, where [`Ahead::next`] said
/// so, with `request_pages` to go).
pub fn on_read(
    parameters: &ReadAheadParameters,
    state: &mut ReadAheadState,
    view: &impl CacheView,
    index: u64,
    request_pages: u64,
    file_pages: u64,
) -> Ahead {
    match state {
        ReadAheadState::CurrentAhead(stream) => {
            stream.on_read(max_pages(parameters), view, index, request_pages, file_pages)
        }
        ReadAheadState::OnDemand(_) | ReadAheadState::Off => Ahead::NOTHING,
    }
}

/// Page `index` isn't in the cache, and `request_pages` from there on are wanted; the file has `file_pages`.
pub fn on_miss(
    parameters: &ReadAheadParameters,
    state: &mut ReadAheadState,
    view: &impl CacheView,
    index: u64,
    request_pages: u64,
    file_pages: u64,
) -> Window {
    match state {
        ReadAheadState::OnDemand(stream) => {
            stream.on_miss(max_pages(parameters), view, index, request_pages, file_pages)
        }
        ReadAheadState::CurrentAhead(stream) => stream.on_miss(index, file_pages),
        ReadAheadState::Off => off::on_miss(index, request_pages, file_pages),
    }
}

/// Page `index` is the first of a folio that carries the marker, and `request_pages` from there on are wanted.
pub fn on_marker(
    parameters: &ReadAheadParameters,
    state: &mut ReadAheadState,
    view: &impl CacheView,
    index: u64,
    request_pages: u64,
    file_pages: u64,
) -> Window {
    match state {
        ReadAheadState::OnDemand(stream) => {
            stream.on_marker(max_pages(parameters), view, index, request_pages, file_pages)
        }
        // Only the newer algorithm sets markers; a file's pages may have been read through another descriptor that did.
        ReadAheadState::CurrentAhead(_) | ReadAheadState::Off => Window::NONE,
    }
}

/// Faults on a mapping that find no page in memory, beyond which nothing around them is read (`MMAP_LOTSAMISS`).
pub const MOST_MAPPED_MISSES: u32 = 100;

/// Page `index` of a mapped file isn't in the cache: a window around it, of which the last quarter is read ahead; or the
/// page alone (`do_sync_mmap_readahead`).
pub fn around(
    parameters: &ReadAheadParameters,
    state: &mut ReadAheadState,
    index: u64,
    file_pages: u64,
    reads_around: bool,
) -> Window {
    match state {
        ReadAheadState::OnDemand(stream) if reads_around && max_pages(parameters) > 0 => {
            stream.around(max_pages(parameters), index, file_pages)
        }
        ReadAheadState::CurrentAhead(_) if reads_around && max_pages(parameters) > 0 => {
            let pages = max_pages(parameters);
            Window::plain(index.saturating_sub(pages / 2), pages, file_pages)
        }
        _ => Window::plain(index, 1, file_pages),
    }
}

/// The limit in whole pages.
fn max_pages(parameters: &ReadAheadParameters) -> u64 {
    parameters.max.get() / PAGE_BYTES
}

/// The first window of a stream (`get_init_ra_size`, the same since 2.6.10): the request's power of two, four times
/// that where it is small against the limit, twice where it is of middle size, else the limit.
fn initial_size(request: u64, max: u64) -> u64 {
    let size = request.max(1).checked_next_power_of_two().unwrap_or(u64::MAX);
    if size <= max / 32 {
        size * 4
    } else if size <= max / 4 {
        size * 2
    } else {
        max
    }
}

/// The window after one of `size` pages (`get_next_ra_size`).
fn next_size(size: u64, max: u64) -> u64 {
    let factor = if size < max / 16 { 4 } else { 2 };
    size.saturating_mul(factor).min(max)
}
