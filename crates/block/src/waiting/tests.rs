//! Merging by hand-worked streams, and against a plain list.

#![allow(clippy::unwrap_used)]
use super::*;
use petrio_colours::{IoClass, RequestId};
use proptest::prelude::*;

fn write(id: u64, address: u64, blocks: u32) -> BlockRequest {
    let id = RequestId(id);
    BlockRequest { id, address, blocks, direction: Direction::Write, ..BlockRequest::default() }
}

fn waiting() -> Waiting {
    Waiting::new(MergeRules::new(&QueueLimits::default()))
}

fn add(waiting: &mut Waiting, address: u64, blocks: u32) -> Placed {
    waiting.add(0, write(address, address, blocks), Time::ZERO)
}

fn in_order(waiting: &Waiting, group: u32) -> Vec<(u64, u32)> {
    let mut next = waiting.oldest(group);
    let mut found = Vec::new();
    while let Some(handle) = next {
        let request = waiting.get(handle).unwrap();
        found.push((request.address, request.blocks));
        next = waiting.younger(handle);
    }
    found
}

#[test]
fn eight_pages_in_a_row_are_one_request() {
    let mut waiting = waiting();
    for page in 0..8 {
        add(&mut waiting, page * 8, 8);
    }
    assert_eq!(in_order(&waiting, 0), [(0, 64)]);
    let oldest = waiting.oldest(0).unwrap();
    let whole = waiting.take(oldest, Time::from_millis(3)).unwrap();
    let ids: Vec<u64> = whole.constituents.iter().map(|request| request.id.0).collect();
    assert_eq!(ids, [0, 8, 16, 24, 32, 40, 48, 56]);
    assert_eq!(whole.dispatched, Time::from_millis(3));
    assert!(waiting.is_empty());
}

#[test]
fn backwards_pages_merge_at_the_front() {
    let mut waiting = waiting();
    assert!(matches!(add(&mut waiting, 16, 8), Placed::Queued(_)));
    assert!(matches!(add(&mut waiting, 8, 8), Placed::Front(_)));
    assert!(matches!(add(&mut waiting, 0, 8), Placed::Front(_)));
    assert_eq!(in_order(&waiting, 0), [(0, 24)]);
}

#[test]
fn a_request_that_fills_a_gap_joins_both_sides() {
    let mut waiting = waiting();
    let first = add(&mut waiting, 0, 8).handle();
    let last = add(&mut waiting, 16, 8).handle();
    assert_eq!(add(&mut waiting, 8, 8), Placed::Joined { into: first, gone: last });
    assert_eq!(in_order(&waiting, 0), [(0, 24)]);
    assert_eq!(waiting.len(), 1);
    assert!(waiting.get(last).is_none());
}

#[test]
fn the_union_keeps_the_older_place_in_line() {
    let mut waiting = waiting();
    let at = Time::from_millis;
    waiting.add(0, write(1, 16, 8), at(1));
    waiting.add(0, write(2, 100, 8), at(2));
    waiting.add(0, write(3, 0, 8), at(3));
    waiting.add(0, write(4, 8, 8), at(4));
    assert_eq!(in_order(&waiting, 0), [(0, 24), (100, 8)]);
    assert_eq!(waiting.get(waiting.oldest(0).unwrap()).unwrap().queued, at(1));
}

#[test]
fn merging_stops_at_the_largest_request() {
    let mut waiting = waiting();
    for page in 0..200 {
        add(&mut waiting, page * 8, 8);
    }
    // 1024 blocks are 128 pages, and 128 is also the most that one request is merged from.
    assert_eq!(in_order(&waiting, 0), [(0, 1_024), (1_024, 576)]);
}

#[test]
fn directions_flags_priorities_and_groups_stay_apart() {
    let mut waiting = waiting();
    add(&mut waiting, 0, 8);
    let apart = [
        BlockRequest { direction: Direction::Read, ..write(1, 8, 8) },
        BlockRequest { force_unit_access: true, ..write(2, 8, 8) },
        BlockRequest { flush_before: true, ..write(3, 8, 8) },
        BlockRequest { priority: 3, ..write(4, 8, 8) },
        BlockRequest { class: IoClass::Idle, ..write(5, 8, 8) },
    ];
    for request in apart {
        assert!(!waiting.would_merge(0, &request), "{request:?}");
        assert!(matches!(waiting.add(0, request, Time::ZERO), Placed::Queued(_)));
    }
    assert!(!waiting.would_merge(1, &write(6, 8, 8)));
    assert!(waiting.would_merge(0, &write(7, 8, 8)));
}

#[test]
fn what_somebody_waits_for_stays_apart_where_the_rules_say_so() {
    let awaited = BlockRequest { synchronous: true, ..write(1, 8, 8) };
    let rules = MergeRules::new(&QueueLimits::default());
    for (synchronous_apart, merged) in [(false, true), (true, false)] {
        let mut waiting = Waiting::new(MergeRules { synchronous_apart, ..rules });
        add(&mut waiting, 0, 8);
        assert_eq!(waiting.would_merge(0, &awaited), merged);
    }
}

#[test]
fn what_another_process_asks_for_at_the_same_instant_stays_apart_where_each_has_a_plug() {
    let rules = MergeRules::new(&QueueLimits::default());
    let later = Time::from_millis(1);
    for (process, issued, merged) in [(0, Time::ZERO, true), (1, Time::ZERO, false), (1, later, true)] {
        let mut waiting = Waiting::new(MergeRules { plugs_apart: true, ..rules });
        add(&mut waiting, 0, 8);
        let other = BlockRequest { process, issued, ..write(1, 8, 8) };
        assert_eq!(waiting.would_merge(0, &other), merged, "{process} at {issued:?}");
    }
}

#[test]
fn metadata_that_is_read_ahead_stays_apart_from_what_is_asked_for() {
    let mut waiting = waiting();
    let ahead = |address| BlockRequest { hint: Hint::Ahead, ..write(address, address, 8) };
    waiting.add(0, ahead(0), Time::ZERO);
    assert!(waiting.would_merge(0, &ahead(8)));
    assert!(!waiting.would_merge(0, &write(8, 8, 8)));
}

#[test]
fn order_of_address_is_kept_by_group() {
    let mut waiting = waiting();
    let at: Vec<Handle> = [50, 10, 30].map(|address| add(&mut waiting, address, 1).handle()).to_vec();
    waiting.add(1, write(4, 20, 1), Time::ZERO);
    assert_eq!(waiting.at_or_after(0, 11), Some(at[2]));
    assert_eq!(waiting.before(0, 50), Some(at[2]));
    assert_eq!(waiting.after(at[1]), Some(at[2]));
    assert_eq!(waiting.after(at[0]), None);
    assert_eq!(waiting.at_or_after(0, 51), None);
    assert_eq!((waiting.group_len(0), waiting.group_len(1), waiting.group_len(2)), (3, 1, 0));
}

proptest! {
    #[test]
    fn nothing_is_lost_and_merged_requests_have_no_gaps(
        steps in prop::collection::vec((0u64..60, 1u32..5, 0u32..2, prop::bool::weighted(0.3)), 1..200)
    ) {
        let mut waiting = Waiting::new(MergeRules { largest_request: 12, most_merged: 4, ..MergeRules::new(&QueueLimits::default()) });
        let (mut given, mut got) = (0u64, 0usize);
        let mut check = |io: IoRequest| {
            let mut at = io.address;
            for part in &io.constituents {
                assert_eq!(part.address, at);
                at = part.end();
            }
            assert_eq!(at, io.end());
            assert!(io.blocks <= 12 || io.constituents.len() == 1);
            assert!(io.constituents.len() <= 4);
            got += io.constituents.len();
        };
        for (address, blocks, group, take) in steps {
            waiting.add(group, write(given, address, blocks), Time::from_picos(given));
            given += 1;
            if take {
                let handle = waiting.at_or_after(group, 0).unwrap();
                check(waiting.take(handle, Time::ZERO).unwrap());
            }
            let lines: usize = (0..2).map(|group| waiting.group_len(group)).sum();
            let listed: usize = (0..2).map(|group| in_order(&waiting, group).len()).sum();
            prop_assert_eq!((lines, listed), (waiting.len(), waiting.len()));
        }
        for group in 0..2 {
            while let Some(oldest) = waiting.oldest(group) {
                check(waiting.take(oldest, Time::ZERO).unwrap());
            }
        }
        prop_assert_eq!(got as u64, given);
    }
}
