//! No read-ahead: what is asked for is read, in one piece.
//!
//! This is what `posix_fadvise(POSIX_FADV_RANDOM)` gives since Linux 2.6.34 (`force_page_cache_readahead`). A limit of
//! zero with another algorithm is not the same: the kernel then reads page by page.

use super::Window;

/// The missing pages of the request.
pub(super) fn on_miss(index: u64, request_pages: u64, file_pages: u64) -> Window {
    Window::plain(index, request_pages, file_pages)
}
