//! What one page goes through, and what a file's pages tell.

use super::*;

fn state(cache: &PageCache) -> (bool, bool) {
    let page = cache.look(FILE, 0).unwrap();
    (page.active, page.referenced)
}

#[test]
fn a_page_passes_through_the_four_states_of_mark_page_accessed() {
    for policy in [CachePolicy::ActiveInactive, CachePolicy::ActiveInactiveMixed] {
        let mut cache = cache(policy, 10);
        cache.insert(FILE, 0, 1, None);
        let mut states = vec![state(&cache)];
        for _ in 0..4 {
            cache.access(FILE, 0, 1);
            states.push(state(&cache));
        }
        // (active, referenced); the comment above mark_page_accessed in mm/swap.c.
        assert_eq!(states, [(false, false), (false, true), (true, false), (true, true), (true, true)]);
    }
}

#[test]
fn a_page_may_be_read_only_when_it_has_arrived() {
    let mut cache = cache(CachePolicy::ActiveInactive, 1_000);
    assert_eq!(cache.look(FILE, 100), None);
    assert_eq!(cache.insert(FILE, 100, 100, Some(150)), 100);
    assert_eq!(cache.insert(FILE, 100, 101, None), 1);
    assert_eq!(cache.uptodate_run(FILE, 100, 500), 0);
    cache.arrived(FILE, 100, 100);
    // Up to the marker, from the marker to the page that hasn't arrived, and as far as asked.
    assert_eq!(cache.uptodate_run(FILE, 100, 500), 50);
    assert_eq!(cache.uptodate_run(FILE, 150, 500), 50);
    assert_eq!(cache.uptodate_run(FILE, 150, 7), 7);
    assert!(cache.look(FILE, 150).unwrap().marker && !cache.look(FILE, 151).unwrap().marker);
    cache.clear_marker(FILE, 150);
    assert_eq!(cache.uptodate_run(FILE, 100, 500), 100);
}

#[test]
fn holes_are_found_in_both_directions_and_across_leaves() {
    let mut cache = cache(CachePolicy::Lru, 10_000);
    cache.insert(FILE, 0, 1_000, None);
    cache.insert(FILE, 1_001, 999, None);
    assert_eq!(cache.next_missing(FILE, 0, 5_000), 1_000);
    assert_eq!(cache.next_missing(FILE, 0, 700), 700);
    assert_eq!(cache.next_missing(FILE, 1_001, 5_000), 2_000);
    assert_eq!(cache.next_missing(FILE, 1 << 40, 9), 1 << 40);
    assert_eq!(cache.previous_missing(FILE, 1_999, 5_000), Some(1_000));
    assert_eq!(cache.previous_missing(FILE, 1_999, 10), Some(1_989));
    assert_eq!(cache.previous_missing(FILE, 999, 5_000), None);
    assert_eq!(cache.previous_missing(FILE, 5_000, 5_000), Some(5_000));
    assert_eq!(cache.missing_run(FILE, 0, 5_000), Some((1_000, 1)));
    assert_eq!(cache.missing_run(FILE, 1_001, 5_000), Some((2_000, 3_000)));
    assert_eq!(cache.missing_run(FILE, 0, 1_000), None);
}

#[test]
fn a_read_that_goes_on_in_a_page_marks_it_once() {
    let mut cache = cache(CachePolicy::ActiveInactive, 100);
    cache.insert(FILE, 0, 3, None);
    assert_eq!(cache.access_following(FILE, None, 0, 1), 1);
    for _ in 0..9 {
        assert_eq!(cache.access_following(FILE, Some(0), 0, 1), 0);
    }
    assert_eq!(state(&cache), (false, true));
    assert_eq!(cache.access_following(FILE, Some(0), 0, 3), 2);
}

#[test]
fn memory_goes_with_the_pages_and_not_with_the_size_of_the_file() {
    let mut cache = cache(CachePolicy::Lru, 1_000);
    // One page every 4 GiB of a file of 4 PiB, many times more than fit.
    let indices = || (0..100_000_u64).map(|step| step * 1_000_003 % (1 << 20) * (1 << 20));
    assert_eq!(misses(&mut cache, FILE, indices()), 100_000);
    assert_eq!(cache.cached(), 1_000);
    let nodes = cache.nodes();
    // Seven levels, of which the upper two are shared.
    assert!(nodes <= 5 * 1_000, "{nodes} nodes for 1,000 pages that lie alone");
    cache.remove_all(FILE);
    assert_eq!((cache.cached(), cache.free()), (0, 1_000));
}

#[test]
fn truncation_and_deletion_count_what_they_drop() {
    let mut cache = cache(CachePolicy::ActiveInactive, 1_000);
    cache.insert_for_write(FILE, 0, 300, 1, true);
    cache.make_dirty(FILE, 0, 200, Time::ZERO);
    cache.begin_write(FILE, 50, 100);
    cache.make_dirty(FILE, 140, 10, Time::ZERO);
    assert_eq!(cache.remove(FILE, 100, u64::MAX), Removed { clean: 100, dirty: 60, writeback: 40 });
    assert_eq!((cache.cached(), cache.dirty(), cache.writeback(), cache.free()), (100, 50, 50, 900));
    assert_eq!(cache.look(FILE, 100), None);
    assert_eq!(cache.remove_all(FILE).total(), 100);
    assert_eq!((cache.files_dirty(), cache.dirty(), cache.writeback()), (0, 0, 0));
}
