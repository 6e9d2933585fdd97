//! Whose turn to be written it is.

use super::*;

fn dirty(cache: &mut PageCache, file: u64, now: u64) {
    cache.insert_for_write(FileKey(file), 0, 4, 1, true);
    cache.make_dirty(FileKey(file), 0, 4, Time::from_whole_seconds(now));
}

#[test]
fn files_are_written_in_the_order_in_which_they_became_dirty() {
    let mut cache = cache(CachePolicy::ActiveInactive, 1_000);
    for (file, now) in [(5, 1), (3, 2), (9, 3), (5, 4)] {
        dirty(&mut cache, file, now);
    }
    assert_eq!(cache.files_dirty(), 3);
    let mut order = Vec::new();
    while let Some(file) = cache.next_dirty_file(None) {
        order.push((file.0, cache.dirty_since(file).unwrap().as_seconds()));
        assert_eq!(cache.begin_write(file, 0, 100), 4);
    }
    assert_eq!(order, [(5, 1.0), (3, 2.0), (9, 3.0)]);
    assert_eq!((cache.dirty(), cache.writeback()), (0, 12));
}

#[test]
fn only_old_files_are_due_and_a_file_that_had_its_turn_waits_behind_the_others() {
    let mut cache = cache(CachePolicy::ActiveInactive, 1_000);
    for (file, now) in [(1, 1), (2, 2), (3, 30)] {
        dirty(&mut cache, file, now);
    }
    let due =
        |cache: &PageCache, at| cache.next_dirty_file(Some(Time::from_whole_seconds(at))).map(|file| file.0);
    assert_eq!(due(&cache, 0), None);
    assert_eq!(due(&cache, 1), Some(1));
    // A pass has written a part of file 1: it keeps its age.
    cache.turn(FileKey(1));
    assert_eq!(due(&cache, 2), Some(2));
    assert_eq!(due(&cache, 1), Some(1));
    cache.begin_write(FileKey(2), 0, 4);
    assert_eq!(due(&cache, 20), Some(1));
    // As if it had become dirty only now.
    cache.requeue(FileKey(1), Time::from_whole_seconds(40));
    assert_eq!(due(&cache, 30), Some(3));
    cache.begin_write(FileKey(3), 0, 4);
    assert_eq!(due(&cache, 39), None);
    assert_eq!(due(&cache, 40), Some(1));
}

#[test]
fn pages_may_become_dirty_again_while_they_are_written() {
    let mut cache = cache(CachePolicy::ActiveInactive, 1_000);
    dirty(&mut cache, 1, 1);
    let file = FileKey(1);
    assert_eq!(cache.begin_write(file, 0, 3), 3);
    assert_eq!(cache.make_dirty(file, 0, 2, Time::from_whole_seconds(9)), 2);
    assert_eq!(cache.counts(file), FileCounts { cached: 4, dirty: 3, writeback: 3 });
    // Those under writeback have to wait before they are written again.
    assert_eq!(cache.dirty_run(file, 0, 10), Some((3, 1)));
    assert_eq!(cache.writeback_run(file, 0, 10), Some((0, 3)));
    assert_eq!(cache.begin_write(file, 0, 4), 1);
    assert_eq!(cache.written(file, 0, 4), 4);
    assert_eq!(cache.dirty_run(file, 0, 10), Some((0, 2)));
    assert_eq!(cache.dirty_since(file), Some(Time::from_whole_seconds(1)), "it has been dirty all the time");
}

#[test]
fn the_next_dirty_page_is_found_in_a_large_sparse_file() {
    let mut cache = cache(CachePolicy::ActiveInactive, 1_000);
    for index in [3, 64, 1 << 20, (1 << 28) - 1, 1 << 28] {
        cache.insert_for_write(FILE, index, 1, 1, true);
        cache.make_dirty(FILE, index, 1, Time::ZERO);
    }
    let mut runs = Vec::new();
    let mut from = 0;
    while let Some((first, pages)) = cache.dirty_run(FILE, from, u64::MAX) {
        runs.push((first, pages));
        from = first + pages;
    }
    assert_eq!(runs, [(3, 1), (64, 1), (1 << 20, 1), ((1 << 28) - 1, 2)]);
    assert_eq!(cache.dirty_run(FILE, 65, 1), Some((1 << 20, 1)));
    assert_eq!(cache.dirty_run(FILE, (1 << 28) - 1, 1), Some(((1 << 28) - 1, 1)));
}
