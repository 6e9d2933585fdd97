//! Members fail: what is asked meanwhile, how long a rebuild takes, what is lost.

use super::{Bench, read};
use crate::raid::{MemberFailure, RaidLevel, RaidParameters, RebuildParameters};
use petrio_colours::{BlockRequest, Direction};
use petrio_kernel::Time;
use petrio_units::Bytes;
use proptest::prelude::*;

fn failing(
    level: RaidLevel,
    failures: &[(u32, &str)],
    change: impl FnOnce(&mut RaidParameters),
) -> RaidParameters {
    let failures = failures.iter().map(|&(member, at)| MemberFailure { member, at: at.parse().unwrap() });
    let mut parameters = RaidParameters { failures: failures.collect(), ..RaidParameters::of(level) };
    change(&mut parameters);
    parameters
}

/// Members of 8 MiB, in pieces of 64 KiB.
const BLOCKS: u64 = 16_384;

fn in_pieces(depth: u32) -> RebuildParameters {
    RebuildParameters { piece: Bytes::from_kib(64), depth, ..RebuildParameters::default() }
}

#[test]
fn a_spare_is_filled_as_fast_as_reads_and_writes_allow() {
    let rebuilt = |level, members, rebuild| {
        let parameters = failing(level, &[(1, "1 s")], |parameters| {
            parameters.spares = 1;
            parameters.rebuild = rebuild;
        });
        let mut bench = Bench::sized(members + 1, BLOCKS, &parameters);
        bench.finish();
        let moved =
            bench.look(|array| (array.tally().rebuild_reads.bytes, array.tally().rebuild_writes.bytes));
        let failed = bench.look(|array| array.tally().failed.clone());
        let (port, begun) = failed[0].replaced.unwrap();
        assert_eq!(
            (failed.len(), failed[0].port, failed[0].at, port),
            (1, 1, Time::from_whole_seconds(1), members)
        );
        let span = failed[0].rebuilt.unwrap() - begun;
        assert_eq!(bench.look(|array| array.tally().degraded_until(Time::from_whole_seconds(99))), span);
        (span, moved)
    };
    // 128 pieces of 128 blocks: 1 ms and 2 ms to read, and as long to write.
    let size = BLOCKS * 512;
    let one = Time::from_millis(128 * 6);
    assert_eq!(rebuilt(RaidLevel::Mirrored, 2, in_pieces(1)), (one, (size, size)));
    assert_eq!(rebuilt(RaidLevel::Rotated, 5, in_pieces(1)), (one, (4 * size, size)));
    assert_eq!(rebuilt(RaidLevel::DoubleRotated, 6, in_pieces(1)), (one, (4 * size, size)));
    // Two at a time are merged before the members: one request of 5 ms where there were two of 3 ms.
    assert_eq!(rebuilt(RaidLevel::Rotated, 5, in_pieces(2)).0, Time::from_millis(64 * 10));
    // At 1 MiB/s: 8 s.
    let limited = RebuildParameters { rate: Some("1 MiB/s".parse().unwrap()), ..in_pieces(2) };
    let (slow, _) = rebuilt(RaidLevel::Rotated, 5, limited);
    assert!((7.8..8.1).contains(&slow.as_seconds()), "{slow}");
}

#[test]
fn while_others_ask_neither_rate_is_exceeded_and_once_they_stop_it_goes_on_at_once() {
    let rebuilt = |rate: Option<&str>, busy: Option<&str>, piece: u64, reads_every: Option<u64>| {
        let [rate, busy_rate] = [rate, busy].map(|rate| rate.map(|rate| rate.parse().unwrap()));
        let parameters = failing(RaidLevel::Mirrored, &[(1, "1 s")], |parameters| {
            parameters.spares = 1;
            parameters.rebuild =
                RebuildParameters { piece: Bytes::from_kib(piece), rate, busy_rate, ..in_pieces(2) };
        });
        let mut bench = Bench::sized(3, BLOCKS, &parameters);
        for number in 0..reads_every.map_or(0, |every| 200_000 / every) {
            let at = Time::from_millis(1_000 + number * reads_every.unwrap_or(0));
            bench.inject(read(number, number * 8 % 8_000, 8), at);
        }
        bench.finish();
        let failed = bench.look(|array| array.tally().failed.clone());
        (failed[0].rebuilt.unwrap() - failed[0].replaced.unwrap().1).as_seconds()
    };
    // 8 MiB at 1 MiB/s, others asking all the time or never, whichever rate is the smaller.
    for (rate, busy, every) in [
        (Some("1 MiB/s"), None, Some(20)),
        (Some("1 MiB/s"), Some("4 MiB/s"), Some(20)),
        (None, Some("1 MiB/s"), Some(20)),
    ] {
        let span = rebuilt(rate, busy, 64, every);
        assert!((7.8..8.4).contains(&span), "{rate:?} {busy:?}: {span}");
    }
    // Pauses that begin within the half second after a read end with it, too: the faster it may go then, the sooner it is done.
    let spans = ["20 kB/s", "100 kB/s", "300 kB/s", "1 MB/s", "3 MB/s", "10 MB/s"]
        .map(|busy| rebuilt(Some("2 MB/s"), Some(busy), 64, Some(1_000)));
    assert!(spans.windows(2).all(|pair| pair[1] <= pair[0] + 0.05), "{spans:?}");
    // Large pieces don't exceed a rate either: of four all but one wait for it.
    let span = rebuilt(Some("1 MiB/s"), None, 2_048, None);
    assert!(span >= 6.0, "{span}");
    // A read every ten seconds holds it back for half a second and not for a whole piece, which at 50 kB/s would take 21 s.
    for piece in [64, 512] {
        let span = rebuilt(None, Some("50 kB/s"), piece, Some(10_000));
        assert!(span < 3.0, "pieces of {piece} KiB: {span}");
    }
}

#[test]
fn a_spare_that_dies_is_told_of_the_first_failure_and_the_next_fills_anew() {
    let parameters = failing(RaidLevel::Rotated, &[(1, "1 s"), (5, "1.386 s")], |parameters| {
        parameters.spares = 2;
        parameters.rebuild = in_pieces(1);
    });
    let mut bench = Bench::sized(7, BLOCKS, &parameters);
    bench.finish();
    let failed = bench.look(|array| array.tally().failed.clone());
    let [first, second] = failed.as_slice() else { panic!("{failed:?}") };
    // 768 ms for 128 pieces: after half of that, half of them.
    let (at, done) = first.given_up.unwrap();
    assert_eq!((first.port, first.replaced.unwrap().0, first.rebuilt), (1, 5, None));
    assert_eq!((at, done / 128), (Time::from_millis(1_386), 64));
    assert_eq!((second.port, second.replaced.unwrap().0, second.given_up), (5, 6, None));
    // Members may have been at a piece of the first.
    let span = second.rebuilt.unwrap() - second.replaced.unwrap().1;
    assert!((Time::from_millis(768)..Time::from_millis(774)).contains(&span), "{span}");
    assert_eq!(bench.look(|array| array.progress(&array.tally().failed[0])), Some(0.5));
    assert_eq!(bench.look(|array| array.progress(&array.tally().failed[1])), None);
}

#[test]
fn a_spare_that_dies_idle_is_replaced_and_what_has_failed_cannot_again() {
    let failures = [(5, "1 s"), (2, "40 s"), (2, "41 s")];
    let parameters = failing(RaidLevel::Rotated, &failures, |parameters| {
        parameters.spares = 1;
        parameters.replaced_after = Some("30 s".parse().unwrap());
        parameters.rebuild = in_pieces(1);
    });
    let mut bench = Bench::sized(6, BLOCKS, &parameters);
    bench.finish();
    let (failed, in_vain) = bench.look(|array| (array.tally().failed.clone(), array.tally().in_vain));
    assert_eq!((failed.len(), in_vain), (2, 1));
    assert_eq!(failed[1].replaced, Some((5, Time::from_whole_seconds(40))), "by the new spare, at once");
}

#[test]
fn what_fails_counts_as_not_written() {
    let parameters = failing(RaidLevel::Rotated, &[(0, "1 s"), (1, "1.0005 s")], |_| {});
    let mut bench = Bench::sized(5, BLOCKS, &parameters);
    let write = |number| BlockRequest { direction: Direction::Write, ..read(number, number * 128, 8) };
    for number in 0..80 {
        bench.inject(write(number), Time::from_millis(950 + number));
    }
    let done = bench.finish();
    let lost = done.iter().filter(|request| request.status.failure().is_some()).count() as u64;
    let (asked, unwritten, members) = bench.look(|array| {
        let tally = array.tally();
        (tally.writes.bytes, tally.unwritten_bytes, tally.member_writes.bytes)
    });
    assert!(lost > 0 && unwritten == lost * 8 * 512, "{lost} {unwritten}");
    // Of a stripe whose parity is gone the data alone are written, and of one whose data are gone the parity.
    assert!(
        members <= 2 * (asked - unwritten) && members > asked - unwritten,
        "{members} {asked} {unwritten}"
    );
}

#[test]
fn declustered_parity_spreads_what_is_read_over_all() {
    let read = |width| {
        let parameters = failing(RaidLevel::Rotated, &[(3, "1 s")], |parameters| {
            parameters.spares = 1;
            parameters.stripe_width = width;
            parameters.rebuild = in_pieces(8);
        });
        let mut bench = Bench::sized(22, BLOCKS, &parameters);
        bench.finish();
        let read = (0..22).map(|port| {
            let reads = bench.seen(port).into_iter().filter(|(direction, ..)| *direction == Direction::Read);
            reads.map(|(_, _, blocks)| f64::from(blocks) / 128.0).sum::<f64>()
        });
        let read: Vec<f64> = read.collect();
        (read[0], read.iter().sum::<f64>() / 20.0)
    };
    // Of 128 pieces each survivor reads one of each where stripes are as wide as the array, and 4 of 20 where they have five.
    let (wide, _) = read(None);
    let (narrow, mean) = read(Some(5));
    assert!(wide > 120.0, "{wide}");
    assert!((mean - 128.0 * 4.0 / 20.0).abs() < 2.0, "{mean}");
    assert!((narrow / mean - 1.0).abs() < 0.5, "{narrow} {mean}");
}

#[test]
fn somebody_replaces_what_no_spare_does() {
    let parameters = failing(RaidLevel::Mirrored, &[(0, "1 s")], |parameters| {
        parameters.replaced_after = Some("10 s".parse().unwrap());
        parameters.rebuild = in_pieces(1);
    });
    let mut bench = Bench::sized(2, BLOCKS, &parameters);
    bench.inject(read(1, 0, 8), Time::from_whole_seconds(5));
    bench.inject(BlockRequest { direction: Direction::Write, ..read(2, 0, 8) }, Time::from_whole_seconds(6));
    assert_eq!(bench.finish().len(), 2);
    let failed = bench.look(|array| array.tally().failed.clone());
    assert_eq!(failed[0].replaced, Some((0, Time::from_whole_seconds(11))));
    assert!(failed[0].rebuilt.is_some());
    // Until then it is asked for nothing.
    assert_eq!(bench.seen(0).first(), Some(&(Direction::Write, 0, 128)));
    let end = Time::from_whole_seconds(100);
    let (degraded, exposed) =
        bench.look(|array| (array.tally().degraded_until(end), array.tally().exposed_until(end)));
    assert_eq!(degraded, exposed, "of two copies one is left");
    assert_eq!(degraded, failed[0].rebuilt.unwrap() - Time::from_whole_seconds(1));
}

#[test]
fn a_second_failure_loses_what_was_not_rebuilt() {
    let lost = |level, members: usize, second| {
        let parameters = failing(level, &[(1, "1 s"), (2, second)], |parameters| {
            parameters.spares = 1;
            parameters.rebuild = in_pieces(1);
        });
        let mut bench = Bench::sized(members + 1, BLOCKS, &parameters);
        bench.finish();
        bench.look(|array| (array.tally().lost_bytes as f64 / (BLOCKS * 512) as f64, array.tally().lost_at))
    };
    // The rebuild takes 768 ms. Half way through it, half of two members' data are lost: of five units one is parity.
    let (share, at) = lost(RaidLevel::Rotated, 5, "1.384 s");
    assert!((share - 2.0 * 0.8 / 2.0).abs() < 0.05, "{share}");
    assert_eq!(at, Some(Time::from_millis(1_384)));
    assert_eq!(lost(RaidLevel::Rotated, 5, "1.8 s"), (0.0, None));
    assert_eq!(lost(RaidLevel::DoubleRotated, 5, "1.384 s"), (0.0, None));
    // Members 0 and 1 hold the same, and so do 2 and 3.
    assert_eq!(lost(RaidLevel::MirroredStriped, 4, "1.384 s"), (0.0, None));
}

#[test]
fn what_is_lost_fails_and_the_rest_is_there() {
    let parameters = failing(RaidLevel::Rotated, &[(0, "1 s"), (1, "1 s")], |_| {});
    let mut bench = Bench::sized(5, BLOCKS, &parameters);
    let late = Time::from_whole_seconds(2);
    bench.inject(read(1, 0, 8), late);
    bench.inject(read(2, 2 * 128, 8), late);
    bench.inject(BlockRequest { direction: Direction::Write, ..read(3, 2 * 128, 8) }, late);
    let mut done = bench.finish();
    done.sort_by_key(|request| request.id.0);
    let failed: Vec<bool> = done.iter().map(|request| request.status.failure().is_some()).collect();
    assert_eq!(failed, [true, false, true]);
    assert_eq!(bench.look(|array| array.tally().lost), 2);
}

#[test]
fn a_read_under_way_when_its_member_fails_is_worked_out_of_the_others() {
    // It would be back at 1.001125 s.
    let parameters = failing(RaidLevel::Rotated, &[(0, "1.0005 s")], |_| {});
    let mut bench = Bench::sized(5, BLOCKS, &parameters);
    bench.inject(read(1, 0, 8), Time::from_whole_seconds(1));
    let done = bench.finish();
    assert_eq!(done[0].status.failure(), None);
    assert_eq!(done[0].ledger.total(), Time::from_micros(2 * 1_125));
    assert_eq!((1..5).map(|member| bench.seen(member).len()).sum::<usize>(), 4);
    assert_eq!(bench.look(|array| array.tally().again), 1);
}

#[test]
fn drawn_lives_are_as_long_as_they_are_said_to_be() {
    let parameters = failing(RaidLevel::Mirrored, &[], |parameters| {
        parameters.mean_time_to_failure = Some("10 s".parse().unwrap());
        parameters.replaced_after = Some("1 ms".parse().unwrap());
        parameters.rebuild = RebuildParameters { piece: Bytes::from_kib(8 << 10), ..in_pieces(1) };
    });
    let mut bench = Bench::sized(2, BLOCKS, &parameters);
    bench.finish();
    // Two members in 1,000 s, each of which lives 10 s.
    let failures = bench.look(|array| array.tally().failed.len()) as f64;
    assert!((failures / 200.0 - 1.0).abs() < 0.25, "{failures}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_request_has_an_answer_whatever_fails(
        steps in prop::collection::vec((0u64..30_000, 0u64..30_000, 1u32..400, any::<bool>()), 1..60),
        failures in prop::collection::vec((0u32..7, 0u64..1_000), 0..4),
        level in 1usize..6,
        spares in 0u32..2,
        replaced in any::<bool>(),
        declustered in any::<bool>(),
    ) {
        let level = super::LEVELS[level];
        let parameters = RaidParameters {
            spares,
            failures: failures
                .iter()
                .filter(|(member, _)| *member < 6 + spares)
                .map(|&(member, at)| MemberFailure { member, at: format!("{at} ms").parse().unwrap() })
                .collect(),
            replaced_after: replaced.then(|| "50 ms".parse().unwrap()),
            stripe_width: (declustered && matches!(level, RaidLevel::Rotated | RaidLevel::DoubleRotated)).then_some(4),
            rebuild: in_pieces(2),
            ..RaidParameters::of(level)
        };
        let mut bench = Bench::sized(6 + spares as usize, BLOCKS, &parameters);
        let blocks = parameters.layout(6 + spares as usize).unwrap().blocks(BLOCKS);
        let mut at = Time::ZERO;
        for (id, &(pause, address, blocks_of, writes)) in steps.iter().enumerate() {
            at += Time::from_micros(pause);
            let direction = if writes { Direction::Write } else { Direction::Read };
            let address = address.min(blocks - u64::from(blocks_of));
            bench.inject(BlockRequest { direction, ..read(id as u64, address, blocks_of) }, at);
        }
        prop_assert_eq!(bench.finish().len(), steps.len());
        prop_assert!(bench.look(crate::raid::Array::is_at_rest), "something is left");
        // As many failures as the level promises to take lose nothing.
        let failed: std::collections::BTreeSet<u32> = parameters.failures.iter().map(|failure| failure.member).collect();
        let survives = level.survives(if level == RaidLevel::Mirrored { 6 } else { 2 });
        if failed.len() as u64 <= survives {
            prop_assert_eq!(bench.look(|array| (array.tally().lost, array.tally().lost_bytes)), (0, 0));
        }
    }
}
