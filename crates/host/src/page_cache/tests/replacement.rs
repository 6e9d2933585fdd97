//! A policy of somebody's own: it is told of all that may go, and what it names goes.

use super::*;
use proptest::prelude::*;
use std::sync::{Arc, Mutex};

/// The page that came or was used last goes first. Holds whether it is told the truth.
#[derive(Debug, Default)]
struct Newest {
    order: Vec<CachedPage>,
    seen: Arc<Mutex<Seen>>,
}

/// What became of it.
#[derive(Debug, Default)]
struct Seen {
    named: Vec<u64>,
    known: u64,
}

impl Newest {
    fn take(&mut self, page: CachedPage) {
        let at = self.order.iter().position(|&known| known == page).expect("it has come");
        self.order.remove(at);
        self.seen.lock().unwrap().known -= 1;
    }
}

impl Replacement for Newest {
    fn came(&mut self, page: CachedPage) {
        assert!(!self.order.contains(&page), "{page:?} comes twice");
        self.order.push(page);
        self.seen.lock().unwrap().known += 1;
    }

    fn used(&mut self, page: CachedPage) {
        self.take(page);
        self.came(page);
    }

    fn gone(&mut self, page: CachedPage) {
        self.take(page);
    }

    fn victim(&mut self) -> Option<CachedPage> {
        let page = self.order.last().copied();
        self.seen.lock().unwrap().named.extend(page.map(|page| page.index));
        page
    }

    fn copied(&self) -> Box<dyn Replacement> {
        let seen = Seen { named: Vec::new(), known: self.order.len() as u64 };
        Box::new(Self { order: self.order.clone(), seen: Arc::new(Mutex::new(seen)) })
    }
}

#[derive(Debug, Default)]
struct MakesNewest(Arc<Mutex<Seen>>);

impl Replaces for MakesNewest {
    fn replacement(&self) -> Box<dyn Replacement> {
        Box::new(Newest { order: Vec::new(), seen: Arc::clone(&self.0) })
    }
}

/// A cache under it, and what becomes of it.
fn newest_goes(limit: u64) -> (PageCache, Arc<Mutex<Seen>>) {
    let seen = Arc::default();
    let own = OwnReplacement(Arc::new(MakesNewest(Arc::clone(&seen))));
    let parameters =
        PageCacheParameters { own: Some(own), ..parameters(CachePolicy::ActiveInactive, true, 64) };
    (PageCache::new(&parameters, limit), seen)
}

#[test]
fn a_loop_over_more_than_there_is_room_for_keeps_most_where_the_newest_goes_and_nothing_where_the_oldest_does()
 {
    let rounds = || (0..6).flat_map(|_| 0..20);
    let (mut own, seen) = newest_goes(15);
    // Each round after the first misses the five for which there is no room, or the page for which one of those had to go.
    let missed = misses(&mut own, FILE, rounds());
    assert!((20 + 5 * 5..=20 + 5 * 7).contains(&missed), "{missed}");
    assert_eq!(seen.lock().unwrap().named.len() as u64, missed - 15, "each miss but the first 15 asks once");
    assert_eq!(misses(&mut cache(CachePolicy::Lru, 15), FILE, rounds()), 120);
}

#[test]
fn what_has_to_be_written_first_is_gone_until_then() {
    let (mut cache, seen) = newest_goes(8);
    cache.insert_for_write(FILE, 0, 8, 1, true);
    cache.make_dirty(FILE, 6, 2, Time::ZERO);
    let mut reclaimed = Reclaimed::default();
    cache.reclaim(1, &mut reclaimed);
    // 7 and 6 are dirty, 5 goes.
    assert_eq!((reclaimed.freed, reclaimed.must_write), (1, true));
    assert_eq!(seen.lock().unwrap().named, [7, 6, 5]);
    cache.begin_write(FILE, 6, 2);
    cache.written(FILE, 6, 2);
    cache.reclaim(1, &mut Reclaimed::default());
    assert_eq!(seen.lock().unwrap().named.last(), Some(&7), "it came again, last of all");
    assert!(cache.look(FILE, 7).is_none() && cache.look(FILE, 6).is_some());
}

#[test]
fn a_copy_decides_as_the_first_would() {
    let (mut one, _) = newest_goes(4);
    misses(&mut one, FILE, 0..4);
    let mut two = one.clone();
    for cache in [&mut one, &mut two] {
        read(cache, FILE, 9);
        assert!(cache.look(FILE, 3).is_none() && cache.look(FILE, 2).is_some());
    }
}

proptest! {
    #[test]
    fn it_knows_what_may_go_and_nothing_else(steps in prop::collection::vec((0_u8..7, 0_u64..24, 1_u64..6), 1..200)) {
        let (mut cache, seen) = newest_goes(16);
        for (kind, index, pages) in steps {
            match kind {
                0 => drop(cache.insert(FILE, index, pages, None)),
                1 | 2 => drop(cache.access(FILE, index, pages)),
                3 => cache.arrived(FILE, index, pages),
                4 => {
                    cache.insert_for_write(FILE, index, pages, 4, true);
                    cache.make_dirty(FILE, index, pages, Time::ZERO);
                }
                5 => {
                    if let Some((first, run)) = cache.dirty_run(FILE, index, u64::MAX) {
                        cache.begin_write(FILE, first, run);
                        cache.written(FILE, first, run);
                    }
                }
                _ => drop(cache.remove(FILE, index, index + pages)),
            }
            let excess = cache.excess();
            if excess > 0 {
                cache.reclaim(excess, &mut Reclaimed::default());
            }
            let (known, may_go) = (seen.lock().unwrap().known, cache.inactive());
            prop_assert_eq!(known, may_go, "after {} {} {}", kind, index, pages);
        }
    }
}
