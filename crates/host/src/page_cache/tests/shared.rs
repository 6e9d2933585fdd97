//! Files in memory alone: each of their pages is in memory, in swap space, or was never written.

use super::*;
use proptest::prelude::*;
use std::collections::BTreeSet;

const OTHER: FileKey = FileKey(2 << 32 | 5);
const SLOTS: u64 = 200;

#[derive(Clone, Copy, Debug)]
enum Action {
    Write(u64, u64),
    Read(u64),
    Cut(u64, u64),
    Reclaim(u64),
    File(u64),
}

fn step() -> impl Strategy<Value = Action> {
    prop_oneof![
        (0..300_u64, 1..20_u64).prop_map(|(at, pages)| Action::Write(at, pages)),
        (0..320_u64).prop_map(Action::Read),
        (0..300_u64, 1..80_u64).prop_map(|(at, pages)| Action::Cut(at, pages)),
        (1..120_u64).prop_map(Action::Reclaim),
        (0..500_u64).prop_map(Action::File),
    ]
}

/// What is swapped out of these pages comes back.
fn bring_back(cache: &mut PageCache, first: u64, end: u64) {
    let mut at = first;
    while let Some((start, run)) = cache.missing_run(OTHER, at, end) {
        match cache.absent(OTHER, start, run) {
            Absent::Hole(holes) => at = start + holes,
            Absent::Swapped(slot, slots) => assert!(cache.bring_back(slot, slots) > 0, "it lies there"),
        }
    }
}

proptest! {
    #[test]
    fn what_was_written_is_there_or_in_swap_space_until_it_is_cut(
        steps in prop::collection::vec(step(), 1..60),
        policy in prop::sample::select(&[CachePolicy::Lru, CachePolicy::ActiveInactive, CachePolicy::ActiveInactiveMixed][..]),
    ) {
        let mut cache = cache(policy, 10_000);
        cache.set_swap(SLOTS, 60);
        let mut written = BTreeSet::new();
        let mut swapped_out = 0;
        for step in steps {
            match step {
                Action::Write(at, pages) => {
                    bring_back(&mut cache, at, at + pages);
                    let new = (at..at + pages).filter(|index| !written.contains(index)).count() as u64;
                    prop_assert_eq!(cache.new_shared(OTHER, at, pages), new);
                    cache.insert_shared(OTHER, at, pages);
                    written.extend(at..at + pages);
                }
                Action::Read(at) => {
                    bring_back(&mut cache, at, at + 1);
                    prop_assert_eq!(cache.look(OTHER, at).is_some(), written.contains(&at));
                    cache.access(OTHER, at, 1);
                }
                Action::Cut(at, pages) => {
                    let gone = cache.remove(OTHER, at, at + pages);
                    let before = written.len();
                    written.retain(|index| !(at..at + pages).contains(index));
                    prop_assert_eq!(gone.total(), (before - written.len()) as u64);
                    prop_assert_eq!(gone.dirty + gone.writeback, 0);
                }
                Action::Reclaim(pages) => {
                    let mut reclaimed = Reclaimed::default();
                    cache.reclaim(pages, &mut reclaimed);
                    swapped_out += reclaimed.swapped_out;
                }
                Action::File(at) => {
                    misses(&mut cache, FILE, [at]);
                }
            }
            let all = written.len() as u64;
            prop_assert_eq!(cache.shared_of(OTHER.mount()), all);
            prop_assert_eq!(cache.anonymous() + cache.swapped(), all, "in one place each");
            prop_assert_eq!(cache.shared_of(FILE.mount()), 0);
            prop_assert!(cache.swapped() <= SLOTS.min(swapped_out));
            prop_assert_eq!((cache.dirty(), cache.writeback()), (0, 0), "none is ever to be written back");
            for index in 0..320 {
                let there = cache.look(OTHER, index).is_some();
                let swapped = !there && matches!(cache.absent(OTHER, index, 1), Absent::Swapped(..));
                prop_assert_eq!(there || swapped, written.contains(&index), "page {}", index);
            }
        }
    }
}

#[test]
fn without_swap_space_all_of_it_stays() {
    for policy in [CachePolicy::Lru, CachePolicy::ActiveInactive, CachePolicy::ActiveInactiveMixed] {
        let mut cache = cache(policy, 1_000);
        cache.insert_shared(OTHER, 0, 600);
        misses(&mut cache, FILE, 0..3_000);
        assert_eq!(
            (cache.counts(OTHER).cached, cache.anonymous(), cache.swapped()),
            (600, 600, 0),
            "{policy:?}"
        );
        assert_eq!(cache.remove_all(OTHER).clean, 600, "{policy:?}");
        assert_eq!((cache.counts(OTHER).cached, cache.shared_of(2)), (0, 0), "{policy:?}");
    }
}
