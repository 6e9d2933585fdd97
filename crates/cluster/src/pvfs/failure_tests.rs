//! What stands where while servers of PVFS 2 stop, exit, can't be reached or are slow. What a flush has promised is never lost, what is lost is
//! told, and every operation ends once.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use super::PvfsRetries;
use super::failure_world::{PAGE, World, failure, soon};
use crate::failure::Fails;
use petrio_colours::{Failure, Operation};
use proptest::prelude::*;
use std::collections::BTreeSet;

/// Writes pages one after the other and flushes them now and then; what was promised and isn't there.
fn broken_promises(world: &mut World, rounds: &[(u64, u64)]) -> (u64, BTreeSet<u64>) {
    let (mut page, mut written) = (0, BTreeSet::new());
    let mut broken = 0;
    for &(writes, rest) in rounds {
        // Pages with how often the host of their server had stopped when they were written.
        let mut acknowledged = Vec::new();
        for _ in 0..writes {
            page += 5;
            let op = world.issue(Operation::Write, page * PAGE, PAGE);
            if op.status.failure().is_none() {
                written.insert(page);
                let (server, own) = world.place(page);
                acknowledged.push((server, own, world.storage[server].written[&own]));
            }
        }
        let flushed = world.issue(Operation::Fsync, 0, 0);
        for (server, own, forgotten) in acknowledged {
            let is_promised = flushed.status.failure().is_none()
                && world.failures[server].forgotten(world.now) == forgotten;
            broken += u64::from(is_promised && !world.storage[server].durable.contains(&own));
        }
        let until = world.now.as_millis() as u64 + rest;
        world.waits_until(until);
    }
    (broken, written)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn what_a_flush_promised_stands_and_what_is_lost_is_told(
        servers in 1u32..4,
        gaps in prop::collection::vec((0u32..3, 1u64..400, 1u64..900, 0u8..4), 0..5),
        rounds in prop::collection::vec((1u64..6, 0u64..300), 1..10),
    ) {
        let (mut failures, mut at) = (Vec::new(), 0);
        for (server, after, lasts, what) in gaps {
            at += after;
            let what = [Fails::Stops, Fails::Exits, Fails::Unreachable, Fails::Slow][usize::from(what)];
            failures.push(failure(server % servers, at, Some(lasts), what));
            at += lasts + 1;
        }
        let mut world = World::new(servers, soon(), &failures);
        let (broken, written) = broken_promises(&mut world, &rounds);
        prop_assert_eq!(broken, 0);
        prop_assert!(world.missing(&written) * PAGE <= world.told_lost(), "{} of {}", world.missing(&written), world.told_lost());
        let (left, asked) = world.calls.left();
        prop_assert_eq!((left, asked), (0, 0));
        // Nothing is counted twice: operations that were sent again ended in one way or the other.
        let tally = world.calls.tally();
        prop_assert!(tally.retried + tally.failed <= world.issued);
        prop_assert!(tally.waiting >= tally.given_up && tally.sent_again + tally.given_up >= tally.waiting);
    }

    #[test]
    fn an_outage_shorter_than_time_outs_fails_nothing_and_a_longer_one_takes_no_less(
        lasts in prop::collection::vec(1u64..4_500, 2..5),
        what in prop::sample::select(vec![Fails::Unreachable, Fails::Stops, Fails::Exits]),
        large in any::<bool>(),
    ) {
        let mut lasts = lasts;
        lasts.sort_unstable();
        let bytes = if large { 300_000 } else { PAGE };
        let ends = |lasts: Option<u64>| {
            let failures: Vec<_> = lasts.map(|lasts| failure(0, 50, Some(lasts), what)).into_iter().collect();
            let mut world = World::new(1, soon(), &failures);
            let first = world.issue(Operation::Write, 0, bytes);
            world.waits_until(60);
            let second = world.issue(Operation::Write, 1 << 20, bytes);
            let failed = [&first, &second].iter().filter(|op| op.status.failure().is_some()).count();
            (world.now, failed, world.calls.tally())
        };
        let usual = ends(None);
        let mut before = usual.0;
        for lasts in lasts {
            let (now, failed, tally) = ends(Some(lasts));
            prop_assert!(now >= before, "{lasts} ms: {now:?} and {before:?}");
            before = now;
            prop_assert_eq!(failed, 0);
            // TCP's next try is at most as long after an outage as that took, and so before the time-out of ten seconds.
            if what == Fails::Unreachable {
                prop_assert_eq!(tally.sent_again, 0);
            }
        }
    }
}

#[test]
fn a_flush_that_lies_is_found() {
    let failures = [failure(0, 300, Some(100), Fails::Stops)];
    let found = |lies: bool| {
        let mut world = World::new(1, soon(), &failures);
        world.flushes_lie = lies;
        broken_promises(&mut world, &[(3, 10), (3, 10)]).0
    };
    assert_eq!(found(false), 0);
    assert!(found(true) > 0);
}

#[test]
fn what_was_acknowledged_and_never_flushed_is_lost_with_its_host_and_told_to_the_byte() {
    let lost = |what: Fails, flushes: bool| {
        let mut world = World::new(2, soon(), &[failure(0, 1_000, Some(500), what)]);
        let pages: BTreeSet<u64> = (0..40).map(|number| number * 7).collect();
        for page in &pages {
            world.issue(Operation::Write, page * PAGE, PAGE);
        }
        if flushes {
            world.issue(Operation::Fsync, 0, 0);
        }
        world.waits_until(3_000);
        assert_eq!(world.missing(&pages) * PAGE, world.told_lost());
        (world.told_lost(), world.storage[0].lost)
    };
    let (told, pages) = lost(Fails::Stops, false);
    assert!(told > 0 && told == pages * PAGE, "{told} {pages}");
    assert_eq!(lost(Fails::Stops, true), (0, 0));
    // A process that ends leaves its host's page cache.
    assert_eq!(lost(Fails::Exits, false), (0, 0));
    assert_eq!(lost(Fails::Unreachable, false), (0, 0));
}

/// How long a write takes that begins while its server never comes back, after one that is done before where that is said; and why it fails.
fn given_up_after(what: Fails, retries: PvfsRetries, bytes: u64, connected: bool) -> (Option<Failure>, f64) {
    let mut world = World::new(1, retries, &[failure(0, 100, None, what)]);
    if connected {
        // Attributes are known then, too.
        world.issue(Operation::Write, 0, bytes);
    }
    world.waits_until(200);
    let begun = world.now;
    let op = world.issue(Operation::Write, 0, bytes);
    let tally = world.calls.tally();
    assert_eq!((tally.failed, tally.retried, tally.given_up), (1, 0, 1));
    assert_eq!(tally.sent_again, u64::from(retries.limit));
    (op.status.failure(), (world.now - begun).as_seconds())
}

#[test]
fn retries_are_over_after_exactly_their_number_of_time_outs_and_rests() {
    // Six attempts of ten seconds; an access whose data flow rests before each of five.
    for connected in [true, false] {
        let small = given_up_after(Fails::Stops, soon(), PAGE, connected);
        assert_eq!(small, (Some(Failure::TimedOut), 60.0), "{connected}");
    }
    assert_eq!(given_up_after(Fails::Unreachable, soon(), PAGE, true), (Some(Failure::TimedOut), 60.0));
    assert_eq!(given_up_after(Fails::Stops, soon(), 300_000, true), (Some(Failure::TimedOut), 70.0));
    // Who is refused rests between, and waits for nothing else.
    for bytes in [PAGE, 300_000] {
        assert_eq!(given_up_after(Fails::Exits, soon(), bytes, true), (Some(Failure::Refused), 10.0));
    }
    let none = PvfsRetries { limit: 0, ..soon() };
    assert_eq!(given_up_after(Fails::Stops, none, PAGE, true).1, 10.0);
    // By default TCP gives the connection up before the fourth time-out (924.6 s), and a new one twice (127 s, with rests of 2 s).
    let usual = given_up_after(Fails::Stops, PvfsRetries::default(), PAGE, true);
    assert_eq!(usual.0, Some(Failure::Refused));
    assert!((usual.1 - (924.6 + 2.0 * (2.0 + 127.0))).abs() < 1e-6, "{}", usual.1);
}

#[test]
fn a_server_that_is_back_resets_what_it_does_not_know_and_the_request_is_sent_again() {
    let run = |what: Fails| {
        let mut world = World::new(1, PvfsRetries::default(), &[failure(0, 100, Some(10_000), what)]);
        world.issue(Operation::Write, 0, 300_000);
        world.waits_until(200);
        let op = world.issue(Operation::Write, 1 << 20, 300_000);
        assert_eq!(op.status.failure(), None);
        (world.now.as_seconds(), world.calls.tally())
    };
    let (stopped, tally) = run(Fails::Stops);
    // TCP's try at 0.2 + 12.6 s is the first that is answered; then a rest of 2 s.
    assert!((stopped - 14.8).abs() < 0.1, "{stopped}");
    assert_eq!((tally.retried, tally.failed, tally.sent_again), (1, 0, 1));
    // Refused every two seconds until 10.1 s: only five times.
    let (exits, tally) = run(Fails::Exits);
    assert!((exits - 10.2).abs() < 0.1, "{exits}");
    assert_eq!(tally.sent_again, 5);
    let (unreachable, tally) = run(Fails::Unreachable);
    assert!((unreachable - 12.8).abs() < 0.1, "{unreachable}");
    assert_eq!((tally.retried, tally.sent_again), (0, 0));
}

#[test]
fn what_a_stopped_server_had_taken_waits_for_the_time_out() {
    // The write is on the server's file system when its host stops: nothing on the connection is left to be acknowledged.
    let failures = [failure(0, 7, Some(50), Fails::Stops)];
    let mut world = World::new(1, soon(), &failures);
    let op = world.issue(Operation::Write, 0, PAGE);
    assert_eq!(op.status.failure(), None);
    let tally = world.calls.tally();
    // The first request that comes after the time-out is reset, as the connection is one with the host's earlier life.
    assert_eq!((tally.retried, tally.sent_again), (1, 2), "{:?}", world.now);
    assert!((12.0..12.1).contains(&world.now.as_seconds()), "{:?}", world.now);
}
