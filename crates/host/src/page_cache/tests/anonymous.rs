//! Memory of processes beside the files' pages.

use super::*;

const KERNELS: [CachePolicy; 2] = [CachePolicy::ActiveInactive, CachePolicy::ActiveInactiveMixed];

/// Uses pages as a process does; how many had to come back from swap space for it.
fn touch(cache: &mut PageCache, process: u32, first: u64, pages: u64) -> u64 {
    let (mut at, mut back) = (first, 0);
    while at < first + pages {
        match cache.touch(process, at, first + pages) {
            Touched::There(pages) => at += pages,
            Touched::New(_) => break,
            Touched::Swapped(slot, slots) => back += cache.bring_back(slot, slots),
        }
    }
    back
}

#[test]
fn without_swap_space_processes_keep_their_pages() {
    for policy in KERNELS {
        let mut cache = cache(policy, 1_000);
        cache.insert_anonymous(1, 600);
        misses(&mut cache, FILE, 0..5_000);
        assert_eq!(
            (cache.anonymous(), cache.swapped(), cache.cached()),
            (600, 0, 1_000 - cache.free()),
            "{policy:?}"
        );
        assert!(cache.free() < RECLAIM_BATCH);
        assert_eq!(misses(&mut cache, FILE, 4_700..5_000), 0, "{policy:?}: the files have what is left");
        let files = cache.counts(FILE).cached;
        let mut reclaimed = Reclaimed::default();
        for _ in 0..9 {
            cache.reclaim(1_000, &mut reclaimed);
        }
        assert_eq!((reclaimed.freed, reclaimed.swapped_out), (files, 0), "{policy:?}");
    }
}

#[test]
fn processes_push_the_files_out_and_get_their_room() {
    for policy in KERNELS {
        let mut cache = cache(policy, 1_000);
        misses(&mut cache, FILE, 0..1_000);
        let mut reclaimed = Reclaimed::default();
        cache.reclaim(700, &mut reclaimed);
        cache.insert_anonymous(1, 700);
        assert_eq!(
            (cache.counts(FILE).cached, cache.anonymous()),
            (1_000 - reclaimed.freed, 700),
            "{policy:?}"
        );
        assert_eq!((cache.remove_process(1), cache.free()), (700, reclaimed.freed), "{policy:?}");
    }
}

#[test]
fn idle_memory_is_swapped_out_and_comes_back_when_touched() {
    for policy in KERNELS {
        let mut cache = cache(policy, 1_000);
        cache.set_swap(2_000, 100);
        cache.insert_anonymous(1, 900);
        let mut reclaimed = Reclaimed::default();
        // Nothing else is there: the first round takes back the marks of use, then pages go.
        while reclaimed.freed < 300 {
            let before = reclaimed.scanned;
            cache.reclaim(100, &mut reclaimed);
            assert!(reclaimed.scanned > before, "{policy:?}");
        }
        assert_eq!(reclaimed.swapped_out, reclaimed.freed);
        assert_eq!(cache.swapped(), reclaimed.swapped_out, "{policy:?}");
        assert_eq!(cache.anonymous() + cache.swapped(), 900, "{policy:?}");
        let swapped = cache.swapped();
        assert_eq!(touch(&mut cache, 1, 0, 900), swapped, "{policy:?}");
        assert_eq!((cache.swapped(), cache.anonymous()), (0, 900), "{policy:?}");
        cache.remove_process(1);
        assert_eq!((cache.cached(), cache.swapped()), (0, 0), "{policy:?}");
    }
}

#[test]
fn memory_in_use_outlives_idle_memory() {
    let mut cache = cache(CachePolicy::ActiveInactive, 1_000);
    cache.set_swap(2_000, 100);
    cache.insert_anonymous(1, 400);
    cache.insert_anonymous(2, 400);
    let mut reclaimed = Reclaimed::default();
    for _ in 0..40 {
        touch(&mut cache, 1, 0, 400);
        cache.reclaim(8, &mut reclaimed);
    }
    let idle = touch(&mut cache, 2, 0, 400);
    assert!(idle > 4 * touch(&mut cache, 1, 0, 400), "{idle} pages of the idle process went");
}

#[test]
fn swappiness_decides_between_processes_and_files() {
    let swapped = |swappiness| {
        let mut cache = cache(CachePolicy::ActiveInactive, 10_000);
        cache.set_swap(20_000, swappiness);
        cache.insert_anonymous(1, 5_000);
        // Files in use, so that they aren't the obvious choice.
        misses(&mut cache, FILE, (0..2).flat_map(|_| 0..5_000));
        let mut reclaimed = Reclaimed::default();
        for _ in 0..100 {
            cache.reclaim(32, &mut reclaimed);
        }
        reclaimed.swapped_out
    };
    let counts = [0, 100, 140, 180].map(swapped);
    assert_eq!(counts[0], 0);
    assert!(counts.is_sorted_by(|less, more| less < more), "{counts:?}");
}

#[test]
fn swapping_stops_when_swap_space_is_full() {
    for policy in KERNELS {
        let mut cache = cache(policy, 1_000);
        cache.set_swap(100, 100);
        cache.insert_anonymous(1, 1_000);
        let mut reclaimed = Reclaimed::default();
        for _ in 0..50 {
            cache.reclaim(100, &mut reclaimed);
        }
        assert_eq!((reclaimed.freed, cache.swapped(), cache.anonymous()), (100, 100, 900), "{policy:?}");
    }
}

#[test]
fn pages_that_went_together_come_back_together_and_no_page_is_in_two_places() {
    let mut cache = cache(CachePolicy::ActiveInactive, 1_000);
    cache.set_swap(600, 100);
    cache.insert_anonymous(1, 500);
    cache.insert_anonymous(2, 400);
    cache.reclaim(900, &mut Reclaimed::default());
    cache.reclaim(900, &mut Reclaimed::default());
    let out = cache.swapped();
    assert!(out > 500, "{out}");
    let written: u64 = cache.take_swapped_out().iter().map(|run| run.1).sum();
    assert_eq!((written, cache.take_swapped_out()), (out, Vec::new()));
    let Touched::Swapped(slot, slots) = cache.touch(1, 0, 1) else { panic!("it went first") };
    assert_eq!((slot % 8, slots), (0, 8));
    assert_eq!(cache.bring_back(slot, slots), 8);
    assert_eq!((cache.swapped(), cache.filled_slots(slot, slots)), (out - 8, Vec::new()));
    // They were inserted one after the other, and so they went.
    assert_eq!(cache.touch(1, 0, 8), Touched::There(8));
    assert_eq!(cache.anonymous() + cache.swapped(), 900);
    cache.remove_process(1);
    cache.remove_process(2);
    assert_eq!((cache.anonymous(), cache.swapped()), (0, 0));
}
