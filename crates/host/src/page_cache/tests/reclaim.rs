//! Which pages go.

use super::*;

const POLICIES: [CachePolicy; 3] =
    [CachePolicy::Lru, CachePolicy::ActiveInactive, CachePolicy::ActiveInactiveMixed];

#[test]
fn a_loop_over_a_file_just_larger_than_the_cache_misses_always() {
    for policy in POLICIES {
        let mut cache = cache(policy, 1_000);
        assert_eq!(misses(&mut cache, FILE, (0..5).flat_map(|_| 0..1_001)), 5 * 1_001, "{policy:?}");
    }
    // Nor do memories of evictions help: without active pages nothing could have been kept longer.
    let mut cache = PageCache::new(&parameters(CachePolicy::ActiveInactive, true, 4), 1_000);
    assert_eq!(misses(&mut cache, FILE, (0..5).flat_map(|_| 0..1_001)), 5 * 1_001);
}

#[test]
fn a_loop_over_a_file_that_fits_misses_once() {
    for policy in POLICIES {
        let mut cache = cache(policy, 1_000);
        assert_eq!(misses(&mut cache, FILE, (0..5).flat_map(|_| 0..1_000)), 1_000, "{policy:?}");
    }
}

#[test]
fn a_scan_does_not_evict_the_active_pages() {
    for (policy, refault) in [(CachePolicy::ActiveInactive, false), (CachePolicy::ActiveInactive, true)] {
        let mut cache = PageCache::new(&parameters(policy, refault, 4), 1_000);
        misses(&mut cache, FILE, (0..3).flat_map(|_| 0..400));
        assert_eq!(cache.active(), 400);
        let scan = FileKey(99);
        assert_eq!(misses(&mut cache, scan, 0..50_000), 50_000);
        assert_eq!(misses(&mut cache, FILE, 0..400), 0);
    }
    let mut lru = cache(CachePolicy::Lru, 1_000);
    misses(&mut lru, FILE, (0..3).flat_map(|_| 0..400));
    misses(&mut lru, FileKey(99), 0..50_000);
    assert_eq!(misses(&mut lru, FILE, 0..400), 400);
}

#[test]
fn the_older_kernel_ages_active_pages_in_proportion_and_loses_them_to_a_long_scan() {
    let mut cache = cache(CachePolicy::ActiveInactiveMixed, 1_000);
    misses(&mut cache, FILE, (0..3).flat_map(|_| 0..400));
    misses(&mut cache, FileKey(99), 0..900);
    let early = misses(&mut cache.clone(), FILE, 0..400);
    misses(&mut cache, FileKey(99), 900..50_000);
    let late = misses(&mut cache, FILE, 0..400);
    assert!(early < late && late == 400, "{early} of 400 lost after a short scan, {late} after a long one");
}

#[test]
fn active_pages_are_aged_while_they_are_the_most() {
    let mut cache = cache(CachePolicy::ActiveInactive, 1_000);
    misses(&mut cache, FILE, (0..2).flat_map(|_| 0..1_000));
    assert_eq!((cache.active(), cache.inactive()), (1_000, 0));
    let mut reclaimed = Reclaimed::default();
    cache.reclaim(100, &mut reclaimed);
    // The oldest went; as many as were demoted and not freed are inactive.
    let freed = reclaimed.freed;
    assert!((100..132).contains(&freed));
    assert!((0..freed).all(|index| cache.look(FILE, index).is_none()));
    assert!((freed..1_000).all(|index| cache.look(FILE, index).is_some()));
    assert_eq!(cache.active() + cache.inactive(), 1_000 - freed);
}

#[test]
fn beyond_a_gibibyte_fewer_inactive_pages_are_enough() {
    // sqrt(10 × 4 GiB) = 6 (inactive_is_low): 4 GiB of pages, 150,000 of them inactive, keep their active ones.
    let limit = 4 << 18;
    for (inactive, kept) in [(150_000, true), (149_797, true), (149_796, false)] {
        let mut cache = cache(CachePolicy::ActiveInactive, limit);
        cache.insert_for_write(FILE, 0, limit, 1, true);
        for _ in 0..2 {
            cache.access(FILE, inactive, limit - inactive);
        }
        assert_eq!(cache.inactive(), inactive);
        cache.reclaim(32, &mut Reclaimed::default());
        assert_eq!(cache.active() == limit - inactive, kept, "{inactive} inactive pages");
    }
}

#[test]
fn clean_pages_go_before_dirty_ones_and_those_go_next_once_written() {
    for policy in POLICIES {
        let mut cache = cache(policy, 100);
        cache.insert_for_write(FILE, 0, 50, 1, true);
        cache.make_dirty(FILE, 0, 50, Time::ZERO);
        cache.insert_for_write(FILE, 50, 50, 1, true);
        let mut reclaimed = Reclaimed::default();
        cache.reclaim(40, &mut reclaimed);
        // A batch is finished even if there is enough.
        assert!((40..=50).contains(&reclaimed.freed) && reclaimed.must_write, "{policy:?}: {reclaimed:?}");
        assert_eq!((cache.dirty(), cache.counts(FILE).cached), (50, 100 - reclaimed.freed), "{policy:?}");
        // Nothing but dirty pages: no room, however often it is asked for, and no scanning either.
        cache.reclaim(20, &mut reclaimed);
        assert_eq!(reclaimed.freed, 50, "{policy:?}");
        let scanned = reclaimed.scanned;
        cache.reclaim(20, &mut reclaimed);
        assert_eq!((reclaimed.freed, reclaimed.scanned), (50, scanned), "{policy:?}");
        cache.begin_write(FILE, 0, 50);
        cache.written(FILE, 0, 50);
        assert!(!read(&mut cache, FILE, 99), "a new page");
        let mut reclaimed = Reclaimed::default();
        cache.reclaim(20, &mut reclaimed);
        assert!((20..=50).contains(&reclaimed.freed), "{policy:?}");
        assert!(cache.look(FILE, 99).is_some(), "{policy:?}: those that were written go before it");
    }
}

#[test]
fn pages_under_writeback_are_passed_over() {
    for policy in POLICIES {
        let mut cache = cache(policy, 100);
        cache.insert_for_write(FILE, 0, 100, 1, true);
        cache.make_dirty(FILE, 0, 100, Time::ZERO);
        cache.begin_write(FILE, 0, 100);
        let mut reclaimed = Reclaimed::default();
        cache.reclaim(1, &mut reclaimed);
        assert_eq!(
            (reclaimed.freed, reclaimed.must_write),
            (0, false),
            "{policy:?}: they are being written already"
        );
    }
}

#[test]
fn a_page_that_comes_back_within_the_active_pages_is_active_at_once() {
    let mut cache = PageCache::new(&parameters(CachePolicy::ActiveInactive, true, 4), 1_000);
    // 400 active pages, and a scan that fills the rest and evicts its own first pages.
    misses(&mut cache, FILE, (0..2).flat_map(|_| 0..400));
    let scan = FileKey(99);
    misses(&mut cache, scan, 0..800);
    assert_eq!(cache.look(scan, 199), None);
    assert!(cache.look(scan, 200).is_some());
    // Page 150 was followed by 50 evictions, page 0 by 200: both less than the 400 active pages.
    for index in [150, 0] {
        read(&mut cache, scan, index);
        assert!(cache.look(scan, index).unwrap().active, "page {index}");
    }
    // After 700 more evictions a page from before is beyond the distance.
    misses(&mut cache, scan, 10_000..10_700);
    read(&mut cache, scan, 100);
    assert!(!cache.look(scan, 100).unwrap().active);
}

#[test]
fn memories_of_evictions_are_bounded() {
    let mut cache = PageCache::new(&parameters(CachePolicy::ActiveInactive, true, 4), 800);
    misses(&mut cache, FILE, (0..100_000).map(|step| step * 64));
    // Each page has a leaf of its own, each memory too; the inner nodes above them are a 63rd more.
    assert!(cache.nodes() < 1_000, "{} nodes", cache.nodes());
    cache.remove_all(FILE);
    assert_eq!(cache.nodes(), 0);
}
