//! What a controller's memory is worth: it gathers, keeps members at work, and reads ahead.

use super::cache::with_cache;
use super::{Bench, LEVELS, read};
use crate::raid::{RaidCacheParameters, RaidLevel, RaidParameters};
use petrio_colours::{BlockRequest, Direction};
use petrio_kernel::Time;
use petrio_units::Bytes;
use proptest::prelude::*;

type Seen = (Direction, u64, u32);

/// So many at a time ask one request after the other, each what `next` says of its number, and the next one when it has its answer:
/// when the last is answered.
fn at_a_time(bench: &mut Bench, clients: u64, requests: u64, next: impl Fn(u64) -> BlockRequest) -> Time {
    let mut asked = 0;
    let mut answered = 0;
    while answered < requests {
        while asked < requests && asked < answered + clients {
            let now = bench.run.now();
            bench.inject(next(asked), now);
            asked += 1;
        }
        // What happens at once, and then what happens next.
        let now = bench.run.now();
        bench.run.run_until(now).unwrap();
        let mut done = bench.run.drain(bench.completions).count() as u64;
        if done == 0 {
            let next = bench.run.next_time().unwrap().unwrap();
            bench.run.run_until(next).unwrap();
            done = bench.run.drain(bench.completions).count() as u64;
        }
        answered += done;
    }
    bench.run.now()
}

fn write(id: u64, address: u64, blocks: u32) -> BlockRequest {
    BlockRequest { direction: Direction::Write, ..read(id, address, blocks) }
}

/// Numbers without order, below one.
fn scattered(number: u64, below: u64) -> u64 {
    (number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 24) % below
}

#[test]
fn all_that_waits_of_a_stripe_goes_out_as_one_update() {
    let mut bench = Bench::of(5, &with_cache(RaidLevel::Rotated, |_| {}));
    // Two pieces in the first unit, and one in the second, of four: both old, and the old parity.
    [0, 48, 160].into_iter().for_each(|address| bench.inject(write(address, address, 8), Time::ZERO));
    bench.finish();
    let reads: Vec<Vec<Seen>> = (0..5)
        .map(|member| bench.seen(member).into_iter().filter(|(what, ..)| *what == Direction::Read).collect())
        .collect();
    let [data, next, .., parity] = reads.as_slice() else { panic!("{reads:?}") };
    assert_eq!(*data, [(Direction::Read, 0, 56)], "from the first piece to the end of the last");
    assert_eq!(*next, [(Direction::Read, 32, 8)]);
    assert_eq!(*parity, [(Direction::Read, 0, 56)]);
    assert_eq!(bench.look_at_cache(|cache| cache.tally().destaged.requests), 1);
    assert_eq!(bench.look(|array| array.tally().waited), 0);
}

#[test]
fn only_what_is_not_written_is_read_of_a_stripe_that_is_nearly_whole() {
    let mut bench = Bench::of(5, &with_cache(RaidLevel::Rotated, |_| {}));
    // All of four units of 128 but the middle of the third.
    bench.inject(write(1, 0, 300), Time::ZERO);
    bench.inject(write(2, 340, 172), Time::ZERO);
    bench.finish();
    let of = |member: usize| {
        let reads = bench.seen(member).into_iter().filter(|(what, ..)| *what == Direction::Read);
        reads.collect::<Vec<Seen>>()
    };
    assert_eq!([0, 1, 3, 4].map(of), [const { Vec::new() }; 4]);
    assert_eq!(of(2), [(Direction::Read, 44, 40)]);
}

#[test]
fn a_stream_goes_to_the_members_in_long_runs() {
    for level in [RaidLevel::MirroredStriped, RaidLevel::Rotated] {
        let mut bench = Bench::of(8, &with_cache(level, |cache| cache.size = Bytes::from_kib(64 << 10)));
        (0..64u64).for_each(|id| bench.inject(write(id, id * 448, 448), Time::ZERO));
        bench.finish();
        let seen: Vec<_> = (0..8).flat_map(|member| bench.seen(member)).collect();
        let blocks: u64 = seen.iter().map(|(.., blocks)| u64::from(*blocks)).sum();
        assert!(blocks / seen.len() as u64 >= 512, "{level}: {seen:?}");
    }
}

#[test]
fn members_are_busy_while_writers_wait_for_room() {
    for (level, members) in
        [(RaidLevel::Rotated, 8), (RaidLevel::DoubleRotated, 6), (RaidLevel::MirroredStriped, 24)]
    {
        let parameters = with_cache(level, |_| {});
        let mut bench = Bench::of(members, &parameters);
        let took = at_a_time(&mut bench, 16, 3_000, |id| write(id, scattered(id, 1 << 22) * 8, 8));
        // 1 ms each, and 64 blocks a millisecond.
        let busy: f64 = (0..members)
            .flat_map(|member| bench.seen(member))
            .map(|(.., blocks)| 1.0 + f64::from(blocks) / 64.0)
            .sum();
        let share = busy / members as f64 / took.as_millis();
        assert!(share > 0.9, "{level}: {share}");
    }
}

#[test]
fn several_who_read_in_order_get_as_much_together_as_one() {
    let rate = |readers: u64, ahead: Option<Bytes>| {
        let parameters = with_cache(RaidLevel::DoubleRotated, |cache| {
            (cache.size, cache.read_ahead) = (Bytes::from_kib(64 << 10), ahead);
        });
        let mut bench = Bench::of(8, &parameters);
        let took = at_a_time(&mut bench, readers, 600, |id| {
            read(id, id % readers * 1_000_000 + id / readers * 256, 256)
        });
        600.0 * 128.0 / took.as_millis()
    };
    let ahead = Some(Bytes::from_kib(1_024));
    // Eight members of 32 KiB a millisecond, of which parity takes a quarter; without, two members at a time give less than two.
    for readers in [1, 2, 4] {
        let (with, without) = (rate(readers, ahead), rate(readers, None));
        assert!(with > 130.0 && with < 256.0, "{readers}: {with} {without}");
        assert!(readers > 1 || without < 64.0, "{readers}: {without}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 10, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_battery_is_never_in_the_way_of_writers(
        level in 0usize..6,
        members in 4usize..9,
        clients in 1u64..24,
        blocks in prop::sample::select(vec![1u32, 8, 16, 100, 128, 300]),
        in_order in any::<bool>(),
    ) {
        let members = if LEVELS[level] == RaidLevel::MirroredStriped { members / 2 * 2 } else { members };
        let takes = |battery: bool| {
            // Memory holds four times what is asked at a time, and a tenth of all.
            let change = |cache: &mut RaidCacheParameters| {
                let lines = u64::from(blocks).div_ceil(8) + 1;
                (cache.battery, cache.size) = (battery, Bytes::from_kib(4 * lines * 4 * clients));
            };
            let mut bench = Bench::of(members, &with_cache(LEVELS[level], change));
            let place = |id| if in_order { id * u64::from(blocks) } else { scattered(id, 1 << 20) * u64::from(blocks) };
            at_a_time(&mut bench, clients, 40 * clients.max(4), |id| write(id, place(id), blocks))
        };
        let (with, without) = (takes(true).as_seconds(), takes(false).as_seconds());
        prop_assert!(with <= 1.03 * without, "{with} s with it, {without} without");
    }

    #[test]
    fn what_is_read_ahead_never_costs_more_than_it_spares(
        level in 0usize..6,
        readers in 1u64..9,
        blocks in prop::sample::select(vec![64u32, 256, 2_048]),
        size in prop::sample::select(vec![1_024u64, 8_192, 65_536]),
    ) {
        let takes = |ahead| {
            let change = |cache: &mut RaidCacheParameters| {
                (cache.size, cache.read_ahead) = (Bytes::from_kib(size), ahead);
            };
            let mut bench = Bench::of(6, &with_cache(LEVELS[level], change));
            let length = u64::from(blocks);
            let place = |id| id % readers * 1_000_000 + id / readers * length;
            // What is read ahead at the end is for nobody.
            let requests = (16_384 / length).max(40) * readers;
            at_a_time(&mut bench, readers, requests, |id| read(id, place(id), blocks))
        };
        let (with, without) = (takes(Some(Bytes::from_kib(512))), takes(None));
        prop_assert!(with.as_seconds() <= 1.03 * without.as_seconds(), "{with} with it, {without} without");
    }
}

#[test]
fn a_profile_without_a_word_of_it_reads_nothing_ahead() {
    let parameters: RaidParameters = with_cache(RaidLevel::Rotated, |_| {});
    let mut bench = Bench::of(5, &parameters);
    at_a_time(&mut bench, 1, 20, |id| read(id, id * 64, 64));
    assert_eq!(bench.look_at_cache(|cache| cache.tally().read_ahead.requests), 0);
}
