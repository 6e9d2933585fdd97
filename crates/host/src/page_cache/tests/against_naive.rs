//! Random sequences of operations, after each of which the cache agrees with the naive one in everything that can be asked.

use super::naive::Naive;
use super::*;
use crate::read_ahead::Window;
use proptest::prelude::*;

const FILES: [FileKey; 3] = [FileKey(1 << 32 | 1), FileKey(1 << 32 | 2), FileKey(5 << 32)];
/// Pages of each file, and of an operation at most: a bit more than two leaves; and enough for folios over several leaves.
const SMALL: (u64, u64) = (150, 40);
const LARGE: (u64, u64) = (700, 400);

#[derive(Clone, Debug)]
enum Operation {
    Window { marker: Option<u64>, folio_order: u32 },
    Write { folio_order: u32, whole: bool },
    Arrived,
    Access,
    Dirty,
    Begin,
    Written,
    ClearMarker,
    Remove,
    Reclaim,
    Requeue,
    Turn,
}

fn operation() -> impl Strategy<Value = Operation> {
    prop_oneof![
        4 => (proptest::option::of(0..40_u64), 0..10_u32)
            .prop_map(|(marker, folio_order)| Operation::Window { marker, folio_order }),
        3 => (0..10_u32, any::<bool>()).prop_map(|(folio_order, whole)| Operation::Write { folio_order, whole }),
        4 => Just(Operation::Arrived),
        6 => Just(Operation::Access),
        3 => Just(Operation::Dirty),
        2 => Just(Operation::Begin),
        2 => Just(Operation::Written),
        1 => Just(Operation::ClearMarker),
        1 => Just(Operation::Remove),
        4 => Just(Operation::Reclaim),
        1 => Just(Operation::Requeue),
        1 => Just(Operation::Turn),
    ]
}

type Access = (Operation, usize, u64, u64);

fn steps((indices, longest): (u64, u64)) -> impl Strategy<Value = Vec<Access>> {
    proptest::collection::vec((operation(), 0..FILES.len(), 0..=indices - longest, 1..=longest), 1..60)
}

fn agree_on(parameters: &PageCacheParameters, (indices, _): (u64, u64), steps: &[Access]) {
    let limit = FILES.len() as u64 * indices;
    let mut cache = PageCache::new(parameters, limit);
    let mut naive = Naive::new(parameters);
    let mut reclaimed = Reclaimed::default();
    for (step, (operation, file, index, pages)) in steps.iter().enumerate() {
        let (file, index, pages) = (FILES[*file], *index, *pages);
        let now = Time::from_whole_seconds(step as u64);
        match operation {
            Operation::Window { marker, folio_order } => {
                let marker = marker.map(|marker| index + marker).filter(|marker| *marker < index + pages);
                let window = Window { start: index, pages, marker, folio_pages: 1 << folio_order };
                cache.insert_window(file, &window);
                naive.insert_window(file, &window);
            }
            Operation::Write { folio_order, whole } => {
                cache.insert_for_write(file, index, pages, 1 << folio_order, *whole);
                naive.insert_for_write(file, index, pages, 1 << folio_order, *whole);
            }
            Operation::Arrived => {
                cache.arrived(file, index, pages);
                naive.arrived(file, index, pages);
            }
            Operation::Access => {
                assert_eq!(cache.access(file, index, pages), naive.access(file, index, pages));
            }
            Operation::Dirty => {
                cache.make_dirty(file, index, pages, now);
                naive.make_dirty(file, index, pages, now);
            }
            Operation::Begin => {
                cache.begin_write(file, index, pages);
                naive.begin_write(file, index, pages);
            }
            Operation::Written => {
                cache.written(file, index, pages);
                naive.written(file, index, pages);
            }
            Operation::ClearMarker => {
                cache.clear_marker(file, index);
                naive.clear_marker(file, index);
            }
            Operation::Remove => {
                cache.remove(file, index, index + pages);
                naive.remove(file, index, index + pages);
            }
            Operation::Reclaim => {
                let before = reclaimed.freed;
                cache.reclaim(pages, &mut reclaimed);
                assert_eq!(reclaimed.freed - before, naive.reclaim(pages), "freed");
            }
            Operation::Requeue => {
                cache.requeue(file, now);
                naive.requeue(file, now, false);
            }
            Operation::Turn => {
                cache.turn(file);
                naive.requeue(file, now, true);
            }
        }
        assert_same_pages(&cache, &naive, indices);
        assert_same_answers(&cache, &naive, file, (index, pages, indices), now);
    }
    for file in FILES {
        cache.remove_all(file);
    }
    assert_eq!(
        (cache.cached(), cache.dirty(), cache.writeback(), cache.files_dirty(), cache.nodes()),
        (0, 0, 0, 0, 0)
    );
}

fn assert_same_pages(cache: &PageCache, naive: &Naive, indices: u64) {
    for file in FILES {
        for index in 0..indices {
            assert_eq!(cache.look(file, index), naive.look(file, index), "page {index} of {file:?}");
        }
        let counts = FileCounts {
            cached: naive.count(|_| true, &[file], indices),
            dirty: naive.count(|page| page.dirty, &[file], indices),
            writeback: naive.count(|page| page.writeback, &[file], indices),
        };
        assert_eq!(cache.counts(file), counts);
    }
    assert_eq!(cache.cached() + cache.free(), cache.limit_pages());
    assert_eq!(cache.cached(), naive.count(|_| true, &FILES, indices));
    assert_eq!(cache.dirty(), naive.count(|page| page.dirty, &FILES, indices));
    assert_eq!(cache.writeback(), naive.count(|page| page.writeback, &FILES, indices));
    assert_eq!(cache.inactive(), naive.pages_of(0));
    assert_eq!(cache.active(), naive.pages_of(1) + naive.pages_of(2));
}

fn assert_same_answers(
    cache: &PageCache,
    naive: &Naive,
    file: FileKey,
    (index, most, indices): (u64, u64, u64),
    now: Time,
) {
    let page = |index| naive.look(file, index);
    let run = |first: u64, wanted: &dyn Fn(u64) -> bool| {
        (first..first + most).take_while(|index| wanted(*index)).count() as u64
    };
    let uptodate = |at| {
        page(at).is_some_and(|page| page.uptodate && (at == index || !(page.marker && page.first == at)))
    };
    assert_eq!(cache.uptodate_run(file, index, most), run(index, &uptodate));
    assert_eq!(cache.next_missing(file, index, most), index + run(index, &|at| page(at).is_some()));
    let lowest = (index + 1).saturating_sub(most);
    let previous = (lowest..=index).rev().find(|at| page(*at).is_none()).or(index.checked_sub(most));
    assert_eq!(cache.previous_missing(file, index, most), previous);
    let missing = (index..index + most).find(|at| page(*at).is_none());
    let missing = missing
        .map(|first| (first, (first..index + most).take_while(|at| page(*at).is_none()).count() as u64));
    assert_eq!(cache.missing_run(file, index, index + most), missing);
    let to_write = |at: u64| page(at).is_some_and(|page| page.dirty && !page.writeback);
    let first = (index..indices).find(|at| to_write(*at));
    assert_eq!(cache.dirty_run(file, index, most), first.map(|first| (first, run(first, &to_write))));
    let in_write = |at: u64| page(at).is_some_and(|page| page.writeback);
    let first = (index..indices).find(|at| in_write(*at));
    assert_eq!(cache.writeback_run(file, index, most), first.map(|first| (first, run(first, &in_write))));
    for older_than in [None, Some(now), Some(Time::from_whole_seconds(most))] {
        assert_eq!(cache.next_dirty_file(older_than), naive.next_dirty_file(older_than));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn plain_lru_agrees_with_the_naive_cache(steps in steps(SMALL)) {
        agree_on(&parameters(CachePolicy::Lru, false, 4), SMALL, &steps);
    }

    #[test]
    fn active_and_inactive_lists_agree_with_the_naive_cache(steps in steps(SMALL), refault in any::<bool>()) {
        agree_on(&parameters(CachePolicy::ActiveInactive, refault, 4), SMALL, &steps);
    }

    #[test]
    fn mixed_lists_agree_with_the_naive_cache(steps in steps(SMALL)) {
        agree_on(&parameters(CachePolicy::ActiveInactiveMixed, false, 4), SMALL, &steps);
    }

    #[test]
    fn folios_agree_with_the_naive_cache(steps in steps(SMALL), refault in any::<bool>(), order in 1..7_u32) {
        agree_on(&parameters(CachePolicy::ActiveInactive, refault, 4 << order), SMALL, &steps);
    }

    #[test]
    fn large_folios_agree_with_the_naive_cache(steps in steps(LARGE), refault in any::<bool>()) {
        agree_on(&parameters(CachePolicy::ActiveInactive, refault, 2_048), LARGE, &steps);
    }

    #[test]
    fn folios_under_plain_lru_agree_with_the_naive_cache(steps in steps(SMALL)) {
        agree_on(&parameters(CachePolicy::Lru, false, 256), SMALL, &steps);
    }
}
