//! A controller's cache: what it spares its members, and what it costs when it is full.

use super::{Bench, read};
use crate::raid::{ControllerParameters, MemberFailure, RaidCacheParameters, RaidLevel, RaidParameters};
use petrio_colours::{BlockRequest, Direction, Status};
use petrio_kernel::Time;
use petrio_units::{Bytes, Duration};
use proptest::prelude::*;

pub(super) fn with_cache(level: RaidLevel, change: impl FnOnce(&mut RaidCacheParameters)) -> RaidParameters {
    let mut cache = RaidCacheParameters::of(Bytes::from_kib(1_024));
    change(&mut cache);
    let controller =
        ControllerParameters { overhead: Duration::new(Time::ZERO), parity_rate: None, cache: Some(cache) };
    RaidParameters { controller: Some(controller), ..RaidParameters::of(level) }
}

fn write(id: u64, address: u64, blocks: u32) -> BlockRequest {
    BlockRequest { direction: Direction::Write, ..read(id, address, blocks) }
}

fn flush(id: u64) -> BlockRequest {
    BlockRequest { direction: Direction::Flush, ..read(id, 0, 0) }
}

fn asked(bench: &Bench, members: usize, direction: Direction) -> usize {
    let of = |member| bench.seen(member).iter().filter(|(other, ..)| *other == direction).count();
    (0..members).map(of).sum()
}

#[test]
fn a_write_is_reported_from_memory_and_reaches_the_members_when_nothing_else_is_asked() {
    let mut bench = Bench::of(
        5,
        &with_cache(RaidLevel::Rotated, |cache| cache.rate = Some("40.96 MB/s".parse().unwrap())),
    );
    bench.inject(write(1, 0, 8), Time::ZERO);
    let done = bench.finish();
    assert_eq!((done[0].tag, done[0].ledger.total()), (11, Time::from_micros(100)));
    assert_eq!(done[0].status, Status::DoneFromCache);
    // The old data and the old parity, and both anew.
    assert_eq!((asked(&bench, 5, Direction::Read), asked(&bench, 5, Direction::Write)), (2, 2));
    assert_eq!(
        bench.look_at_cache(|cache| (cache.tally().destaged.requests, cache.unwritten_bytes())),
        (1, 0)
    );
}

#[test]
fn without_a_battery_a_write_takes_as_long_as_without_a_cache() {
    let took = |parameters: &RaidParameters| {
        let mut bench = Bench::of(5, parameters);
        bench.inject(write(1, 0, 8), Time::ZERO);
        bench.inject(read(2, 0, 8), Time::from_whole_seconds(1));
        let done = bench.finish();
        [0, 1].map(|index: usize| done[index].ledger.total())
    };
    let [bare, reads] = took(&RaidParameters::of(RaidLevel::Rotated));
    assert!(reads > Time::ZERO);
    assert_eq!(took(&with_cache(RaidLevel::Rotated, |cache| cache.battery = false)), [bare, Time::ZERO]);
    assert_eq!(took(&with_cache(RaidLevel::Rotated, |_| {})), [Time::ZERO; 2]);
}

#[test]
fn small_writes_in_a_row_go_out_as_whole_stripes() {
    // Four stripes of four units of 128 blocks, 8 blocks at a time, and in any order.
    let large = with_cache(RaidLevel::Rotated, |cache| cache.size = Bytes::from_kib(4_096));
    let mut bench = Bench::of(5, &large);
    (0..256u64).for_each(|id| bench.inject(write(id, id * 101 % 256 * 8, 8), Time::from_micros(id)));
    assert_eq!(bench.finish().len(), 256);
    assert_eq!(asked(&bench, 5, Direction::Read), 0);
    let (destaged, whole) =
        bench.look_at_cache(|cache| (cache.tally().destaged.requests, cache.tally().whole_stripes));
    // All of them go together.
    assert_eq!((destaged, whole), (1, 4));
}

#[test]
fn what_is_written_over_in_memory_is_written_once() {
    let mut bench = Bench::of(2, &with_cache(RaidLevel::Mirrored, |_| {}));
    (0..50u64).for_each(|id| bench.inject(write(id, 0, 8), Time::from_millis(id)));
    bench.finish();
    assert_eq!(asked(&bench, 2, Direction::Write), 2);
    assert_eq!(bench.look_at_cache(|cache| cache.tally().overwritten_bytes), 49 * 4_096);
}

#[test]
fn what_came_long_ago_is_written_although_more_is_asked() {
    let written = |every: Option<&str>| {
        let parameters = with_cache(RaidLevel::Mirrored, |cache| {
            cache.flush_every = every.map(|every| every.parse().unwrap());
        });
        let mut bench = Bench::of(2, &parameters);
        // 50 writes, one every 50 ms: never idle, never half full.
        (0..50u64).for_each(|id| bench.inject(write(id, 1_000 * id, 8), Time::from_millis(50 * id)));
        bench.run.run_until(Time::from_millis(2_490)).unwrap();
        asked(&bench, 2, Direction::Write) / 2
    };
    assert_eq!(written(None), 0);
    // At 1 s the 20 before, or 21; then those of the second after the first that came since.
    let twice = written(Some("1 s"));
    assert!((40..=43).contains(&twice), "{twice}");
}

#[test]
fn flushes_go_to_the_members_only_without_a_battery() {
    let flushed = |battery| {
        let mut bench = Bench::of(5, &with_cache(RaidLevel::Rotated, |cache| cache.battery = battery));
        bench.inject(write(1, 0, 8), Time::ZERO);
        bench.inject(flush(2), Time::from_millis(50));
        let done = bench.finish();
        (asked(&bench, 5, Direction::Flush), done[1].ledger.total())
    };
    assert_eq!(flushed(true), (0, Time::ZERO));
    assert_eq!(flushed(false), (5, Time::from_millis(2)));
}

#[test]
fn writers_wait_when_memory_is_full_and_then_go_as_fast_as_the_members() {
    // Far more than it holds, at random: from then on each write waits for one to be destaged.
    let span = |size: u64| {
        let parameters = with_cache(RaidLevel::Striped, |cache| {
            cache.size = Bytes::from_kib(size);
            cache.depth = 1;
        });
        let mut bench = Bench::of(2, &parameters);
        (0..400u64).for_each(|id| bench.inject(write(id, id * 7_919 % 400 * 1_000, 8), Time::ZERO));
        let done = bench.finish();
        assert_eq!(done.len(), 400);
        let waited = bench.look_at_cache(|cache| cache.tally().waited);
        (waited, done.iter().map(|request| request.ledger.total()).max().unwrap())
    };
    assert_eq!(span(4 * 400), (0, Time::ZERO));
    let (waited, longest) = span(4 * 40);
    assert_eq!(waited, 360);
    // 360 writes of 1.125 ms, at most two at a time.
    assert!(longest >= Time::from_micros(360 * 1_125 / 2), "{longest}");
    assert!(longest <= Time::from_micros(360 * 1_125), "{longest}");
}

#[test]
fn a_write_that_memory_could_never_hold_goes_to_the_members() {
    let mut bench = Bench::of(2, &with_cache(RaidLevel::Striped, |cache| cache.size = Bytes::from_kib(64)));
    bench.inject(write(1, 8, 8), Time::ZERO);
    bench.inject(write(2, 0, 256), Time::from_micros(1));
    bench.inject(read(3, 8, 8), Time::from_whole_seconds(1));
    let done = bench.finish();
    assert_eq!(done.iter().filter(|request| request.ledger.total() > Time::ZERO).count(), 2);
    // What was in memory before is written before.
    assert_eq!(asked(&bench, 2, Direction::Write), 3);
    assert_eq!(bench.seen(0).first(), Some(&(Direction::Write, 8, 8)));
}

#[test]
fn a_larger_cache_is_never_slower_for_what_is_read_again() {
    let mean = |size: u64| {
        let parameters = with_cache(RaidLevel::Rotated, |cache| cache.size = Bytes::from_kib(size));
        let mut bench = Bench::of(4, &parameters);
        // 200 places, some of them far more often than others.
        for id in 0..4_000u64 {
            let draw = (id * 2_654_435_761 % 10_007) as f64 / 10_007.0;
            let place = (draw * draw * draw * 200.0) as u64;
            bench.inject(read(id, place * 640, 8), Time::from_millis(2 * id));
        }
        let done = bench.finish();
        done.iter().map(|request| request.ledger.total().as_seconds()).sum::<f64>() / done.len() as f64
    };
    let means: Vec<f64> = [16, 64, 128, 256, 512, 1_024].map(mean).into();
    assert!(means.windows(2).all(|pair| pair[1] <= pair[0] * 1.001), "{means:?}");
    // All places fit the last: each is read from the members once.
    assert!(means[5] < 0.06 * 1.2e-3 && means[0] > 0.5e-3, "{means:?}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn nothing_reported_is_lost_when_a_member_fails(
        steps in prop::collection::vec((0u64..20_000, 0u64..12_000, 1u32..300, 0u8..4), 1..80),
        member in 0u32..5,
        at in 0u64..500,
        level in 0usize..3,
        size in 1u64..64,
    ) {
        let level = [RaidLevel::Rotated, RaidLevel::DoubleRotated, RaidLevel::ParityMember][level];
        let mut parameters = with_cache(level, |cache| cache.size = Bytes::from_kib(8 * size));
        parameters.spares = 1;
        parameters.failures = vec![MemberFailure { member, at: format!("{at} ms").parse().unwrap() }];
        parameters.rebuild.piece = Bytes::from_kib(64);
        let mut bench = Bench::sized(6, 16_384, &parameters);
        let mut now = Time::ZERO;
        for (id, &(pause, address, blocks, what)) in steps.iter().enumerate() {
            now += Time::from_micros(pause);
            let id = id as u64;
            bench.inject(match what {
                0 => flush(id),
                1 => read(id, address, blocks),
                _ => write(id, address, blocks),
            }, now);
        }
        let done = bench.finish();
        prop_assert_eq!(done.len(), steps.len());
        prop_assert!(done.iter().all(|request| request.status.failure().is_none()));
        let (at_rest, unwritten, tally) =
            bench.look_at_cache(|cache| (cache.is_at_rest(), cache.unwritten_bytes(), cache.tally().clone()));
        prop_assert!(at_rest);
        prop_assert_eq!((unwritten, tally.lost_bytes), (0, 0));
        // What was written is written, once for all that was written over in memory; what passed memory by isn't counted here.
        let asked: u64 = steps.iter().filter(|step| step.3 > 1).map(|step| u64::from(step.2) * 512).sum();
        prop_assert_eq!(tally.writes.bytes, asked);
        prop_assert_eq!(tally.destaged.bytes <= tally.reported.bytes, true);
        prop_assert!(tally.destaged.bytes + tally.overwritten_bytes <= tally.reported.bytes);
    }
}
