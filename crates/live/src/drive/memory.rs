//! Memory that the machine has at hand before a program is measured that fills the page cache.

use std::hint::black_box;

const PAGE: usize = 4096;

/// Uses so many bytes of memory once and gives them back, so that pages of which the program then makes its files don't
/// have to be found by whoever lends a virtual machine its memory.
pub fn touch_memory(bytes: u64) {
    let Ok(bytes) = usize::try_from(bytes) else { return };
    let mut pages: Vec<u8> = Vec::new();
    if pages.try_reserve_exact(bytes).is_err() {
        return;
    }
    pages.resize(bytes, 0);
    for page in pages.chunks_mut(PAGE) {
        page[0] = 1;
    }
    black_box(&pages);
}
