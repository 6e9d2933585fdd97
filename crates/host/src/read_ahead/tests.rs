//! A reader over a page cache, and the windows that it opens.
//!
//! Oracles: the rule of the kernel's documentation (the comment on `get_init_ra_size`), sequences worked out by hand,
//! and windows measured with `mincore` on ext4 under Linux 6.18.44 (a file read from its beginning, limits of 8 MiB and
//! 2.5 MiB).

#![allow(clippy::unwrap_used)]

use super::*;
use crate::kernel_profile::{CachePolicy, DeviceWindow, PageCacheParameters};
use crate::page_cache::{FileKey, PageCache};
use petrio_units::Bytes;

const FILE: FileKey = FileKey(7);

/// A process that reads a file through one descriptor; every window arrives at once.
struct Reader {
    parameters: ReadAheadParameters,
    state: ReadAheadState,
    cache: PageCache,
    file_pages: u64,
    device_pages: u64,
    large_folios: bool,
    /// Windows that brought something in.
    windows: Vec<(u64, u64)>,
    misses: u64,
}

impl Reader {
    fn new(algorithm: ReadAheadAlgorithm, max_pages: u64, file_pages: u64) -> Self {
        let parameters = ReadAheadParameters {
            algorithm,
            max: Bytes::from_kib(4 * max_pages),
            device: DeviceWindow::Nothing,
            before_indirect_block: Default::default(),
        };
        let large_folios = algorithm == OnDemandFolios;
        let cache = PageCacheParameters {
            policy: CachePolicy::ActiveInactive,
            refault_distance: false,
            largest_folio: Bytes::from_kib(if large_folios { 2_048 } else { 4 }),
            own: None,
        };
        Self {
            state: ReadAheadState::new(&parameters, 320),
            parameters,
            cache: PageCache::new(&cache, 1 << 20),
            file_pages,
            device_pages: 320,
            large_folios,
            windows: Vec::new(),
            misses: 0,
        }
    }

    fn bring(&mut self, window: Window) {
        if self.cache.insert_window(FILE, &window) > 0 {
            self.windows.push((window.start, window.pages));
            self.cache.arrived(FILE, window.start, window.pages);
        }
    }

    fn read(&mut self, start: u64, pages: u64) {
        let end = (start + pages).min(self.file_pages);
        let (mut at, mut next) = (start, start);
        while at < end {
            let view = self.cache.view(FILE, self.large_folios, false);
            let (parameters, state) = (&self.parameters, &mut self.state);
            if at == next {
                let ahead = on_read(parameters, state, &view, at, end - at, self.file_pages);
                next = ahead.next;
                for window in ahead.windows {
                    self.bring(window);
                }
                continue;
            }
            match self.cache.look(FILE, at) {
                None => {
                    let window = on_miss(parameters, state, &view, at, end - at, self.file_pages);
                    assert!(window.start <= at && at < window.end(), "{window:?} leaves page {at} out");
                    self.misses += 1;
                    self.bring(window);
                }
                Some(page) if page.marker => {
                    let window =
                        on_marker(parameters, state, &view, page.first, end - page.first, self.file_pages);
                    self.cache.clear_marker(FILE, at);
                    self.bring(window);
                }
                Some(_) => at += 1,
            }
        }
        self.state.note_access(end * PAGE_BYTES);
    }

    fn read_sequentially(&mut self, from: u64, to: u64, request: u64) {
        for start in (from..to).step_by(request as usize) {
            self.read(start, request);
        }
    }

    fn sizes(&self) -> Vec<u64> {
        self.windows.iter().map(|(_, pages)| *pages).collect()
    }

    /// The windows follow each other without gap and overlap.
    fn assert_gapless(&self) {
        for pair in self.windows.windows(2) {
            assert_eq!(pair[0].0 + pair[0].1, pair[1].0, "{:?}", self.windows);
        }
    }
}

/// The sizes of the windows of a file read from its beginning.
fn sizes(algorithm: ReadAheadAlgorithm, max_pages: u64, file_pages: u64, request: u64) -> Vec<u64> {
    let mut reader = Reader::new(algorithm, max_pages, file_pages);
    reader.read_sequentially(0, file_pages, request);
    reader.assert_gapless();
    reader.sizes()
}

use ReadAheadAlgorithm::{CurrentAhead, Off, OnDemand, OnDemandFolios};

#[test]
fn the_first_window_is_what_the_kernels_comment_says_for_128_kib() {
    // "1-2 page = 16k, 3-4 page 32k, 5-8 page = 64k, > 8 page = 128k initial"
    for (requests, kibibytes) in [(1..=2, 16), (3..=4, 32), (5..=8, 64), (9..=40, 128)] {
        for request in requests {
            assert_eq!(initial_size(request, 32) * 4, kibibytes, "{request} pages");
        }
    }
}

#[test]
fn windows_grow_by_the_plain_rule_to_the_limit() {
    assert_eq!(sizes(OnDemand, 32, 100, 1), [4, 8, 16, 32, 32, 8]);
    assert_eq!(sizes(OnDemand, 640, 1616, 4), [16, 64, 128, 256, 512, 640]);
    assert_eq!(sizes(OnDemand, 640, 1620, 1), [4, 16, 64, 128, 256, 512, 640]);
    assert_eq!(sizes(CurrentAhead, 32, 100, 1), [4, 8, 16, 32, 32, 8]);
}

#[test]
fn windows_in_folios_end_on_their_borders_as_measured_on_linux_6_18() {
    // 8 MiB limit, a file of 16 MiB, reads of 4 and 16 KiB; then 2.5 MiB, 16 KiB.
    assert_eq!(sizes(OnDemandFolios, 2048, 4096, 1), [4, 16, 60, 240, 448, 256, 512, 512, 1024, 1024]);
    assert_eq!(sizes(OnDemandFolios, 2048, 4096, 4), [16, 64, 256, 496, 960, 1280, 1024]);
    assert_eq!(sizes(OnDemandFolios, 640, 1536, 4), [16, 64, 128, 240, 448, 640]);
}

#[test]
fn windows_of_single_pages_are_hardly_cut_by_folio_borders() {
    // ext4 in data=journal mode: the order begins anew in each window, so borders of four pages are all there is.
    let mut reader = Reader::new(OnDemandFolios, 640, 1616);
    reader.large_folios = false;
    reader.read_sequentially(0, 1616, 4);
    assert_eq!(reader.sizes(), [16, 64, 128, 256, 512, 640]);
    assert_eq!(reader.cache.look(FILE, 1000).unwrap().pages, 1);
}

#[test]
fn folios_grow_with_the_stream() {
    let mut reader = Reader::new(OnDemandFolios, 2048, 4096);
    reader.read_sequentially(0, 4096, 4);
    // Orders 0, 2, 4, 6, 8 of the first five windows, as far as alignment allows; never more than 2 MiB.
    for (index, pages) in
        [(0, 1), (15, 1), (16, 4), (76, 4), (80, 16), (320, 16), (336, 16), (384, 64), (768, 64), (832, 64)]
    {
        assert_eq!(reader.cache.look(FILE, index).unwrap().pages, pages, "page {index}");
    }
    assert_eq!(reader.cache.look(FILE, 1024).unwrap().pages, 256);
    assert_eq!(reader.cache.look(FILE, 3072).unwrap().pages, 512);
    assert!((0..4096).all(|index| reader.cache.look(FILE, index).unwrap().pages <= 512));
}

#[test]
fn random_reads_open_no_window_and_leave_the_state_alone() {
    for algorithm in [OnDemand, OnDemandFolios] {
        let mut reader = Reader::new(algorithm, 32, 100_000);
        reader.read(0, 4);
        let before = reader.state;
        let mut expected = vec![(0, 8)];
        for step in 1..200 {
            let index = step * 7_919 % 49_999 * 2;
            reader.read(index, 2);
            expected.push((index, 2));
        }
        assert_eq!(reader.windows, expected);
        let (ReadAheadState::OnDemand(before), ReadAheadState::OnDemand(after)) = (before, reader.state)
        else {
            panic!()
        };
        assert_eq!(after.window(), before.window());
    }
}

#[test]
fn random_reads_switch_the_older_windows_off() {
    let mut reader = Reader::new(CurrentAhead, 32, 100_000);
    reader.read_sequentially(0, 64, 1);
    reader.windows.clear();
    reader.read(5_000, 2);
    reader.read(9_000, 2);
    assert_eq!(reader.windows, [(5_000, 2), (9_000, 2)]);
    // The second read of a sequence begins a new one.
    reader.read(9_002, 1);
    assert_eq!(reader.windows[2..], [(9_002, 4)]);
}

#[test]
fn without_read_ahead_what_is_asked_for_is_read() {
    let mut reader = Reader::new(Off, 32, 1_000);
    reader.read_sequentially(0, 12, 4);
    reader.read(998, 8);
    assert_eq!(reader.windows, [(0, 4), (4, 4), (8, 4), (998, 2)]);
}

#[test]
fn a_limit_of_zero_reads_page_by_page() {
    for algorithm in [OnDemand, OnDemandFolios, CurrentAhead] {
        assert_eq!(sizes(algorithm, 0, 5, 5), [1; 5], "{algorithm:?}");
    }
}

#[test]
fn a_stream_is_missed_once_and_its_marker_does_the_rest() {
    for algorithm in [OnDemand, OnDemandFolios] {
        let mut reader = Reader::new(algorithm, 32, 10_000);
        reader.read_sequentially(0, 10_000, 1);
        assert_eq!(reader.misses, 1, "{algorithm:?}");
    }
}

#[test]
fn a_stream_begins_anywhere_with_its_second_read() {
    for algorithm in [OnDemand, OnDemandFolios] {
        let mut reader = Reader::new(algorithm, 32, 10_000);
        reader.read(500, 2);
        reader.read(502, 2);
        assert_eq!(reader.windows[..2], [(500, 2), (502, 4)], "{algorithm:?}");
    }
}

#[test]
fn two_streams_of_one_descriptor_keep_their_windows_apart() {
    for algorithm in [OnDemand, OnDemandFolios] {
        let mut reader = Reader::new(algorithm, 32, 200_000);
        // Each begins alone, with two reads in a row; from then on they take turns.
        reader.read_sequentially(0, 2, 1);
        reader.read_sequentially(100_000, 100_002, 1);
        reader.misses = 0;
        for step in 2..2_000 {
            reader.read(step, 1);
            reader.read(100_000 + step, 1);
        }
        assert_eq!(reader.misses, 0, "{algorithm:?}: a marker starts every window");
        for stream in [0, 100_000] {
            let largest = reader.windows.iter().filter(|(start, _)| start / 100_000 == stream / 100_000);
            assert_eq!(largest.map(|(_, pages)| *pages).max(), Some(32), "{algorithm:?}, stream at {stream}");
        }
    }
}

#[test]
fn pages_left_in_the_cache_betray_a_stream_that_never_read_twice_in_a_row() {
    // Two streams that always take turns: from 2.6.31 on the pages before the miss tell; before, each read is a random
    // one.
    let windows = |algorithm| {
        let mut reader = Reader::new(algorithm, 32, 400_000);
        for step in 0..64 {
            reader.read(100_000 + step, 1);
            reader.read(300_000 + step, 1);
        }
        reader.sizes()
    };
    assert_eq!(windows(OnDemand), [1; 128]);
    let found = windows(OnDemandFolios);
    // Two pages that weren't recognised, then (history of two + request of one) pages, then growth from there.
    assert_eq!(found[..6], [1, 1, 1, 1, 3, 3]);
    assert_eq!(found.iter().max(), Some(&32));
}

#[test]
fn a_file_cached_from_its_beginning_counts_its_history_twice() {
    let mut reader = Reader::new(OnDemandFolios, 128, 10_000);
    reader.cache.insert(FILE, 0, 20, None);
    reader.cache.arrived(FILE, 0, 20);
    reader.read(20, 1);
    assert_eq!(reader.windows, [(20, 41)]);
}

#[test]
fn reading_cached_pages_again_starts_nothing() {
    for algorithm in [OnDemand, OnDemandFolios, CurrentAhead] {
        let mut reader = Reader::new(algorithm, 32, 2_000);
        reader.read_sequentially(0, 2_000, 4);
        let before = reader.windows.len();
        reader.read_sequentially(0, 2_000, 4);
        reader.read_sequentially(0, 2_000, 3);
        assert_eq!(reader.windows.len(), before, "{algorithm:?}");
    }
}

#[test]
fn the_older_windows_stop_after_256_cached_pages_until_a_miss() {
    let mut reader = Reader::new(CurrentAhead, 32, 4_000);
    reader.cache.insert(FILE, 0, 2_000, None);
    reader.cache.arrived(FILE, 0, 2_000);
    let in_cache = |reader: &Reader| match reader.state {
        ReadAheadState::CurrentAhead(stream) => stream.in_cache(),
        _ => panic!(),
    };
    // Windows of 4, 8, 16, 32, 32 … pages find all there. Up to the tenth they are 252 pages; the eleventh is made when
    // the reader enters the tenth, at page 220.
    reader.read_sequentially(0, 220, 1);
    assert!(!in_cache(&reader));
    reader.read(220, 1);
    assert!(in_cache(&reader));
    reader.read_sequentially(221, 2_000, 1);
    assert!(in_cache(&reader) && reader.windows.is_empty());
    // The first page missed is read alone, then windows open again; the first of them grows no more, as if it had been
    // lost.
    reader.read(2_000, 1);
    assert!(!in_cache(&reader));
    reader.read_sequentially(2_001, 2_100, 1);
    assert_eq!(reader.windows[..4], [(2_000, 1), (2_001, 4), (2_005, 4), (2_009, 8)]);
}

#[test]
fn an_evicted_window_makes_the_older_ones_smaller() {
    let mut reader = Reader::new(CurrentAhead, 32, 4_000);
    reader.read_sequentially(0, 200, 1);
    // Windows of 32 begin at 28; the reader is in 188…219 and 220…251 is ahead. Lose what it hasn't read of the current
    // one.
    reader.cache.remove(FILE, 200, 220);
    reader.windows.clear();
    reader.read_sequentially(200, 282, 1);
    let singles = (200..220).map(|index| (index, 1));
    // The next window is two pages smaller than the current one, and the one after grows again.
    assert_eq!(reader.windows, singles.chain([(252, 30), (282, 32)]).collect::<Vec<_>>());
}

#[test]
fn an_evicted_window_is_read_again_from_the_page_missed() {
    for (algorithm, again) in [(OnDemand, 4), (OnDemandFolios, 4)] {
        let mut reader = Reader::new(algorithm, 32, 4_000);
        reader.read_sequentially(0, 200, 1);
        reader.cache.remove(FILE, 200, 4_000);
        reader.windows.clear();
        reader.read_sequentially(200, 230, 1);
        assert_eq!(reader.windows[0], (200, again), "{algorithm:?}");
        assert!(reader.windows.len() > 1, "and grows again");
    }
}

#[test]
fn a_request_beyond_the_limit_is_read_in_windows_or_as_large_as_the_device_takes() {
    let mut reader = Reader::new(OnDemand, 32, 4_000);
    reader.read(1_000, 100);
    // Each window has its marker on its first page, so one is always under way beyond the page read.
    assert_eq!(reader.windows, [(1_000, 32), (1_032, 32), (1_064, 32), (1_096, 32), (1_128, 32)]);
    let mut reader = Reader::new(CurrentAhead, 32, 4_000);
    reader.read(0, 64);
    assert_eq!(reader.windows, [(0, 32), (32, 32), (64, 32)]);
    let mut reader = Reader::new(OnDemandFolios, 32, 4_000);
    assert_eq!(reader.device_pages, 320);
    reader.read(1_000, 100);
    assert_eq!(reader.windows[0], (1_000, 100));
}

#[test]
fn nothing_is_read_beyond_the_end_of_the_file_and_no_marker_set_there() {
    for algorithm in [OnDemand, OnDemandFolios, CurrentAhead, Off] {
        for file_pages in 1..70 {
            let mut reader = Reader::new(algorithm, 32, file_pages);
            reader.read_sequentially(0, file_pages + 8, 3);
            assert_eq!(reader.sizes().iter().sum::<u64>(), file_pages, "{algorithm:?}");
            assert_eq!(reader.cache.cached(), file_pages, "{algorithm:?}");
            assert!(
                (0..file_pages).all(|index| !reader.cache.look(FILE, index).unwrap().marker),
                "{algorithm:?}"
            );
        }
    }
}

#[test]
fn a_congested_device_gets_no_asynchronous_window() {
    for algorithm in [OnDemand, OnDemandFolios] {
        let mut reader = Reader::new(algorithm, 32, 1_000);
        reader.read(0, 1);
        let view = reader.cache.view(FILE, true, true);
        let window = on_marker(&reader.parameters, &mut reader.state, &view, 1, 1, 1_000);
        assert!(window.is_empty(), "{algorithm:?}");
    }
}
