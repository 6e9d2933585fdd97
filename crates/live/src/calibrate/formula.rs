//! What the model says that a call takes, from a machine's figures: the same sums as petrio_models::host::page.
//!
//! ```text
//! cached read   calls.read + folios · cache.hit + further pages · cache.folio_page + copy
//! overwrite     calls.write + folios · cache.write_page + their further pages · cache.buffer + pieces · cache.journal_handle + copy
//! missing page  the same with pages · cache.new_page for the folios' work
//! new file      the same with cache.allocate for each page besides, cache.allocate_call for each piece, cache.allocate_file once
//! ```
//!
//! A piece is 128 KiB of a call; the handle is there where every write begins one (ext3), and for new files everywhere.

use super::bench::PIECE;
use super::sizes::PAGE;
use super::subject::Folios;
use petrio_models::host::copy_cost::{CopyCost, CopyCurveError};
use petrio_models::host::machine::MachineParameters;
use petrio_units::Duration;

/// Pages that the model prepares, copies and posts at once.
const PIECE_PAGES: u64 = 32;

/// Pages that a call of `block` bytes touches that begins with a page.
pub(super) const fn pages(block: u64) -> u64 {
    block.div_ceil(PAGE)
}

/// Pages that the average call of a sequential walk touches, which goes on within a page where the last call ended.
pub(super) fn pages_a_call(block: u64) -> f64 {
    let step = 1 << block.trailing_zeros().min(PAGE.trailing_zeros());
    1.0 + (block - step) as f64 / PAGE as f64
}

/// Pieces in which the model handles them.
pub(super) const fn pieces(block: u64) -> u64 {
    pages(block).div_ceil(PIECE_PAGES)
}

/// Folios that the average call touches when a file written as `folios` is walked, and how many pages beyond one each
/// they have.
pub(super) fn touched_a_call(folios: Folios, block: u64, file: u64) -> (f64, f64) {
    let block = block.min(file);
    if folios == Folios::Single {
        return (pages_a_call(block), 0.0);
    }
    let pages = pages(block);
    let mut borders = borders(file / PAGE);
    let calls = (file / PAGE / pages).clamp(1, 4_000);
    let count = borders.len();
    borders.push(file / PAGE);
    let (mut touched, mut further) = (0, 0);
    for call in 0..calls {
        let (first, last) = (call * pages, (call + 1) * pages - 1);
        let from = borders[..count].partition_point(|border| *border <= first).saturating_sub(1);
        let to = borders[..count].partition_point(|border| *border <= last);
        touched += to - from;
        further += borders[to] - borders[from] - (to - from) as u64;
    }
    (touched as f64 / calls as f64, further as f64 / calls as f64)
}

/// The first of these.
pub(super) fn folios_a_call(folios: Folios, block: u64, file: u64) -> f64 {
    touched_a_call(folios, block, file).0
}

/// The first pages of a file's folios: the largest power of two that the rest of a piece and the alignment allow
/// (`__filemap_get_folio`, mm/filemap.c, 6.18).
fn borders(file_pages: u64) -> Vec<u64> {
    let piece = PIECE / PAGE;
    let (mut borders, mut at) = (Vec::new(), 0);
    while at < file_pages {
        borders.push(at);
        let rest = (at / piece * piece + piece).min(file_pages) - at;
        let aligned = if at == 0 { u32::MAX } else { at.trailing_zeros() };
        at += 1 << rest.ilog2().min(aligned);
    }
    borders
}

/// Pages of the folio in which the average page of a file lies.
pub(super) fn folio_of_a_page(file: u64) -> f64 {
    let pages = file / PAGE;
    let borders = borders(pages);
    let ends = borders.iter().skip(1).chain(std::iter::once(&pages));
    let squares: u64 = borders.iter().zip(ends).map(|(begin, end)| (end - begin).pow(2)).sum();
    squares as f64 / pages.max(1) as f64
}

/// A machine's figures, ready to be asked. All times in nanoseconds a call.
#[derive(Clone, Debug)]
pub struct Formula<'a> {
    machine: &'a MachineParameters,
    to_user: CopyCost,
    from_user: CopyCost,
    handles: bool,
}

fn ns(duration: Duration) -> f64 {
    duration.time().as_picos() as f64 / 1e3
}

impl<'a> Formula<'a> {
    /// Of a machine. `handles`: each write of a file begins a journal handle, as on ext3.
    ///
    /// # Errors
    /// Copy curves that can't be used.
    pub fn new(machine: &'a MachineParameters, handles: bool) -> Result<Self, CopyCurveError> {
        let (to_user, from_user) = CopyCost::of(machine)?;
        Ok(Self { machine, to_user, from_user, handles })
    }

    /// A cached sequential read of `block` bytes in a file of `file` bytes.
    pub fn read(&mut self, folios: Folios, block: u64, file: u64) -> f64 {
        let touched = folios_a_call(folios, block, file);
        let cache = &self.machine.cache;
        let bytes = block.min(file);
        ns(self.machine.calls.read)
            + touched * ns(cache.hit)
            + (pages_a_call(bytes) - touched).max(0.0) * ns(cache.folio_page)
            + self.to_user.time(bytes, block, file).as_picos() as f64 / 1e3
    }

    /// An overwrite of `block` bytes of a cached file of `file` bytes.
    pub fn overwrite(&mut self, folios: Folios, block: u64, file: u64) -> f64 {
        let (touched, further) = touched_a_call(folios, block, file);
        let cache = &self.machine.cache;
        let work = touched * ns(cache.write_page) + further * ns(cache.buffer);
        self.write(block, file, work, self.handles)
    }

    /// The same where no page is in the cache.
    pub(super) fn refill(&mut self, block: u64, file: u64) -> f64 {
        let work = pages_a_call(block.min(file)) * ns(self.machine.cache.new_page);
        self.write(block, file, work, self.handles)
    }

    /// A write of `block` bytes, the average of those that make a new file of `file` bytes.
    pub fn new_file(&mut self, block: u64, file: u64) -> f64 {
        let cache = &self.machine.cache;
        let page = ns(cache.new_page) + ns(cache.allocate);
        let work = pages_a_call(block) * page + pieces(block) as f64 * ns(cache.allocate_call);
        let first = ns(cache.allocate_file);
        let calls = (file / block).max(1);
        let sum: f64 = (1..=calls).map(|call| self.write(block, call * block, work, true)).sum();
        (sum + first) / calls as f64
    }

    fn write(&mut self, block: u64, file: u64, work: f64, handles: bool) -> f64 {
        let handle = if handles { ns(self.machine.cache.journal_handle) } else { 0.0 };
        let bytes = block.min(file);
        ns(self.machine.calls.write)
            + work
            + pieces(bytes) as f64 * handle
            + self.from_user.time(bytes, block, file).as_picos() as f64 / 1e3
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folios_are_as_large_as_a_piece_and_their_alignment_allow() {
        // 5 pages: four and one. 20 pages: sixteen and four. 1,280 pages: five of 1 MiB.
        assert_eq!(borders(5), [0, 4]);
        assert_eq!(borders(20), [0, 16]);
        assert_eq!(borders(1_280), [0, 256, 512, 768, 1_024]);
    }

    #[test]
    fn the_average_page_lies_in_a_folio_weighted_by_its_pages() {
        // Of five pages four lie in a folio of four.
        assert_eq!(folio_of_a_page(20 << 10), 17.0 / 5.0);
        assert_eq!(folio_of_a_page(5 << 20), 256.0);
    }

    #[test]
    fn a_call_touches_one_folio_or_those_that_it_spans() {
        assert_eq!(folios_a_call(Folios::Single, 12 << 10, 5 << 20), 3.0);
        // Calls of three pages in folios of 256: two borders in 768 pages lie within a call.
        let touched = folios_a_call(Folios::Large, 12 << 10, 3 << 20);
        assert!((touched - (256.0 + 2.0) / 256.0).abs() < 1e-12, "{touched}");
        assert_eq!(touched_a_call(Folios::Large, 3 << 20, 30 << 20), (3.0, 765.0));
        // Five pages lie in folios of four and one; the second call of three pages takes in the fifth.
        assert_eq!(touched_a_call(Folios::Large, 12 << 10, 20 << 10), (1.0, 3.0));
    }

    #[test]
    fn pages_and_pieces_of_a_call_are_counted_as_the_model_counts_them() {
        assert_eq!((pages(1), pages(4096), pages(4097)), (1, 1, 2));
        // Calls of 3 KiB begin at 0, 3, 2 and 1 KiB of a page and touch 1, 2, 2 and 1.
        assert_eq!((pages_a_call(3 << 10), pages_a_call(6 << 10), pages_a_call(12 << 10)), (1.5, 2.0, 3.0));
        assert_eq!((pieces(131_072), pieces(131_073), pieces(1 << 20)), (1, 2, 8));
    }
}
