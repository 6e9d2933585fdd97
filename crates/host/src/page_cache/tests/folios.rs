//! Folios of more than one page.

use super::*;
use crate::read_ahead::Window;

fn folios(cache: &PageCache, from: u64, to: u64) -> Vec<(u64, u32)> {
    let mut found = Vec::new();
    let mut at = from;
    while at < to {
        let page = cache.look(FILE, at).unwrap();
        found.push((page.first, page.pages));
        at = page.first + u64::from(page.pages);
    }
    found
}

fn large(limit: u64) -> PageCache {
    PageCache::new(&parameters(CachePolicy::ActiveInactive, false, 2_048), limit)
}

#[test]
fn a_write_gets_the_largest_folios_that_fit_it_and_its_alignment() {
    let mut cache = large(10_000);
    assert_eq!(cache.insert_for_write(FILE, 3, 300, 512, true), 300);
    assert_eq!(
        folios(&cache, 3, 303),
        [
            (3, 1),
            (4, 4),
            (8, 8),
            (16, 16),
            (32, 32),
            (64, 64),
            (128, 128),
            (256, 32),
            (288, 8),
            (296, 4),
            (300, 2),
            (302, 1)
        ]
    );
    assert_eq!(cache.uptodate_run(FILE, 3, 1_000), 300);
    // Of a file that has single pages only, and around pages that are there.
    assert_eq!(cache.insert_for_write(FILE, 1_025, 1, 1, true), 1);
    assert_eq!(cache.insert_for_write(FILE, 1_024, 8, 512, true), 7);
    assert_eq!(folios(&cache, 1_024, 1_032), [(1_024, 1), (1_025, 1), (1_026, 2), (1_028, 4)]);
}

#[test]
fn a_window_that_meets_a_cached_page_goes_on_in_single_pages() {
    let mut cache = large(10_000);
    cache.insert(FILE, 40, 1, None);
    let window = Window { start: 16, pages: 48, marker: Some(60), folio_pages: 16 };
    assert_eq!(cache.insert_window(FILE, &window), 47);
    assert_eq!(folios(&cache, 16, 36), [(16, 16), (32, 1), (33, 1), (34, 1), (35, 1)]);
    assert!(cache.look(FILE, 60).unwrap().marker);
}

#[test]
fn a_marker_is_on_the_whole_folio() {
    let mut cache = large(10_000);
    cache.insert_window(FILE, &Window { start: 64, pages: 64, marker: Some(84), folio_pages: 16 });
    cache.arrived(FILE, 64, 64);
    assert!(cache.look(FILE, 80).unwrap().marker && cache.look(FILE, 95).unwrap().marker);
    assert!(!cache.look(FILE, 79).unwrap().marker && !cache.look(FILE, 96).unwrap().marker);
    assert_eq!(cache.uptodate_run(FILE, 64, 100), 16);
    assert_eq!(cache.uptodate_run(FILE, 80, 100), 48);
    cache.clear_marker(FILE, 95);
    assert_eq!(cache.uptodate_run(FILE, 64, 100), 64);
}

#[test]
fn a_folio_is_marked_once_and_goes_as_a_whole() {
    let mut cache = large(1_024);
    cache.insert_for_write(FILE, 0, 1_024, 512, true);
    assert_eq!(cache.access(FILE, 0, 1_024), 2);
    assert_eq!(cache.access(FILE, 600, 10), 1);
    assert!(cache.look(FILE, 1_000).unwrap().active && !cache.look(FILE, 0).unwrap().active);
    assert_eq!((cache.active(), cache.inactive()), (512, 512));
    let mut reclaimed = Reclaimed::default();
    cache.reclaim(1, &mut reclaimed);
    assert_eq!((reclaimed.freed, cache.free()), (512, 512));
    assert_eq!(cache.next_missing(FILE, 0, 2_000), 0);
    assert_eq!(cache.next_missing(FILE, 512, 2_000), 1_024);
}

#[test]
fn one_dirty_page_keeps_its_folio() {
    let mut cache = large(1_024);
    cache.insert_for_write(FILE, 0, 1_024, 512, true);
    cache.make_dirty(FILE, 300, 1, Time::ZERO);
    let mut reclaimed = Reclaimed::default();
    cache.reclaim(1_024, &mut reclaimed);
    assert_eq!((reclaimed.freed, reclaimed.must_write, cache.cached()), (512, true, 512));
    cache.begin_write(FILE, 300, 1);
    cache.written(FILE, 300, 1);
    cache.reclaim(1, &mut reclaimed);
    assert_eq!(cache.cached(), 0);
}

#[test]
fn truncation_within_a_folio_leaves_single_pages() {
    let mut cache = large(4_096);
    cache.insert_for_write(FILE, 0, 1_024, 512, true);
    cache.make_dirty(FILE, 600, 300, Time::ZERO);
    assert_eq!(cache.remove(FILE, 700, u64::MAX), Removed { clean: 124, dirty: 200, writeback: 0 });
    assert_eq!(folios(&cache, 0, 514), [(0, 512), (512, 1), (513, 1)]);
    assert_eq!(cache.dirty_run(FILE, 0, 1_000), Some((600, 100)));
    assert_eq!(cache.inactive() + cache.active(), 700);
    assert_eq!(cache.cached(), 700);
}

#[test]
fn a_folio_that_waits_to_be_written_and_falls_apart_lets_its_clean_pages_go() {
    let mut cache = large(512);
    cache.insert_for_write(FILE, 0, 512, 512, true);
    cache.make_dirty(FILE, 90, 20, Time::ZERO);
    let mut reclaimed = Reclaimed::default();
    cache.reclaim(1, &mut reclaimed);
    assert_eq!(reclaimed.freed, 0);
    cache.remove(FILE, 100, u64::MAX);
    for _ in 0..9 {
        cache.reclaim(512, &mut reclaimed);
    }
    assert_eq!((reclaimed.freed, cache.cached(), cache.dirty()), (90, 10, 10));
}

#[test]
fn a_folio_is_in_use_until_its_last_page_has_arrived() {
    let mut cache = large(64);
    cache.insert_window(FILE, &Window { start: 0, pages: 64, marker: None, folio_pages: 64 });
    let mut reclaimed = Reclaimed::default();
    cache.arrived(FILE, 0, 63);
    cache.reclaim(1, &mut reclaimed);
    assert_eq!(reclaimed.freed, 0);
    cache.arrived(FILE, 63, 1);
    cache.reclaim(1, &mut reclaimed);
    assert_eq!(reclaimed.freed, 64);
}

#[test]
fn a_write_walks_each_folio_once_and_gives_buffers_to_those_that_were_read_in() {
    let mut cache = large(10_000);
    cache.insert_window(FILE, &Window { start: 0, pages: 8, marker: None, folio_pages: 4 });
    cache.arrived(FILE, 0, 8);
    cache.insert_for_write(FILE, 8, 8, 512, true);
    let mut walk = |first, pages, begun| {
        let walk = cache.walk_folios(FILE, first, pages, begun);
        (walk.folios, walk.pages, walk.new_buffers)
    };
    assert_eq!(walk(1, 1, false), (1, 4, 4));
    assert_eq!(walk(1, 1, false), (1, 4, 0), "it has its buffers now");
    assert_eq!(walk(0, 16, false), (3, 16, 4), "one was read in, one written");
    assert_eq!(walk(2, 6, true), (1, 4, 0), "the first was walked by the piece before");
    assert_eq!(walk(4, 4, true), (1, 4, 0), "one that begins with the piece wasn't");
    assert_eq!(walk(16, 4, false), (0, 0, 0), "nothing is there");
}
