//! A rebuild in strides comes to what one piece by piece comes to: in time, in bytes at each member, and for who asks meanwhile.

use super::{Bench, LEVELS, read};
use crate::block::raid::{CopiesLayout, MemberFailure, RaidLevel, RaidParameters, RebuildParameters};
use petrio_colours::{BlockRequest, Direction};
use petrio_kernel::Time;
use petrio_units::{Bytes, Rate};
use proptest::prelude::*;

/// Blocks of a member of 128 MiB, in pieces of 32 KiB, and as many pieces of a sample.
const BLOCKS: u64 = 1 << 18;
const PIECE_KIB: u64 = 32;
const SAMPLE: u32 = 64;

/// What a rebuild came to.
#[derive(Debug)]
struct Came {
    rebuilt: Time,
    degraded: Time,
    exposed: Time,
    /// Bytes that were read to rebuild, and written; and by member what was read and written in all, sent or not.
    moved: (u64, u64),
    members: Vec<(u64, u64)>,
    /// Mean time of a request of who asked meanwhile.
    mean: f64,
    /// Requests that members were sent.
    sent: usize,
    strided: u64,
}

/// The second member fails after a second, and a spare takes its place; somebody asks at these times.
fn rebuild(parameters: &RaidParameters, members: usize, sample: u32, asked: &[(Time, BlockRequest)]) -> Came {
    let mut parameters = parameters.clone();
    parameters.rebuild.sample = sample;
    parameters.spares = 1;
    parameters.failures = vec![MemberFailure { member: 1, at: "1 s".parse().unwrap() }];
    let mut bench = Bench::sized(members + 1, BLOCKS, &parameters);
    for (at, request) in asked {
        bench.inject(request.clone(), *at);
    }
    let done = bench.finish();
    assert_eq!(done.len(), asked.len());
    let sum = |port: usize| {
        let of = |wanted: Direction| -> u64 {
            let seen = bench.seen(port).into_iter().filter(|(direction, ..)| *direction == wanted);
            seen.map(|(_, _, blocks)| u64::from(blocks) * 512).sum()
        };
        let (read, written) = bench.look(|array| array.strided(port));
        (of(Direction::Read) + read, of(Direction::Write) + written)
    };
    let ledgers = done.iter().map(|request| request.ledger.total().as_millis()).sum::<f64>();
    let late = Time::from_whole_seconds(999);
    bench.look(|array| {
        let tally = array.tally();
        let failed = &tally.failed[0];
        Came {
            rebuilt: failed.rebuilt.unwrap() - failed.replaced.unwrap().1,
            degraded: tally.degraded_until(late),
            exposed: tally.exposed_until(late),
            moved: (tally.rebuild_reads.bytes, tally.rebuild_writes.bytes),
            members: (0..=members).map(sum).collect(),
            mean: ledgers / done.len().max(1) as f64,
            sent: (0..=members).map(|port| bench.seen(port).len()).sum(),
            strided: (0..=members).map(|port| array.strided(port).1).sum(),
        }
    })
}

fn of(level: RaidLevel, rebuild: RebuildParameters) -> RaidParameters {
    RaidParameters { rebuild, ..RaidParameters::of(level) }
}

fn in_pieces(depth: u32) -> RebuildParameters {
    RebuildParameters { piece: Bytes::from_kib(PIECE_KIB), depth, ..RebuildParameters::default() }
}

/// Whether two are the same within so much.
fn agree(one: f64, other: f64, within: f64) -> bool {
    (one / other - 1.0).abs() < within
}

#[test]
fn what_nobody_disturbs_takes_few_events_and_as_long() {
    for level in [RaidLevel::Mirrored, RaidLevel::Rotated, RaidLevel::DoubleRotated] {
        for depth in [1, 4] {
            let parameters = of(level, in_pieces(depth));
            let [strides, pieces] = [SAMPLE, 0].map(|sample| rebuild(&parameters, 5, sample, &[]));
            assert_eq!(strides.moved, pieces.moved, "{level} {depth}");
            assert_eq!(strides.members, pieces.members, "{level} {depth}");
            assert!(
                agree(strides.rebuilt.as_seconds(), pieces.rebuilt.as_seconds(), 0.01),
                "{strides:?} {pieces:?}"
            );
            assert!(strides.sent * 2 < pieces.sent, "{level} {depth}: {} {}", strides.sent, pieces.sent);
            assert_eq!((strides.degraded, pieces.strided), (strides.rebuilt, 0));
        }
    }
}

#[test]
fn members_that_others_may_ask_go_piece_by_piece_and_so_do_two_at_a_time() {
    let mut parameters = of(RaidLevel::DoubleRotated, RebuildParameters { sample: SAMPLE, ..in_pieces(1) });
    parameters.spares = 2;
    parameters.failures = [1, 2].map(|member| MemberFailure { member, at: "1 s".parse().unwrap() }).into();
    let mut bench = Bench::sized(8, BLOCKS, &parameters);
    bench.finish();
    let (rebuilt, strided) = bench.look(|array| {
        let rebuilt: Vec<_> = array.tally().failed.iter().map(|failed| failed.rebuilt.is_some()).collect();
        (rebuilt, (0..8).map(|port| array.strided(port).1).sum::<u64>())
    });
    assert_eq!((rebuilt, strided), (vec![true, true], 0));
}

#[test]
fn in_the_middle_of_a_stride_it_is_as_far_as_pieces_would_be() {
    let progress = |sample: u32, millis: u64| {
        let mut parameters = of(RaidLevel::Rotated, RebuildParameters { sample, ..in_pieces(1) });
        parameters.spares = 1;
        parameters.failures = vec![MemberFailure { member: 1, at: "1 s".parse().unwrap() }];
        let mut bench = Bench::sized(6, BLOCKS, &parameters);
        bench.run.run_until(Time::from_millis(millis)).unwrap();
        let now = Time::from_millis(millis);
        bench.look(|array| {
            let array = array.at(now);
            (array.progress(&array.tally().failed[0]).unwrap(), array.tally().rebuild_writes.bytes)
        })
    };
    for millis in (1_500..15_000).step_by(1_517) {
        let ((share, bytes), (expected, by_pieces)) = (progress(SAMPLE, millis), progress(0, millis));
        assert!((share - expected).abs() < 0.003, "at {millis} ms {share}, {expected}");
        assert!(bytes.abs_diff(by_pieces) < 3 * (PIECE_KIB << 10), "at {millis} ms {bytes}, {by_pieces}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn strides_and_pieces_agree(
        shape in (1usize..6, 2usize..5, 0usize..3, any::<bool>()),
        rebuilding in (1u32..9, prop::option::of(1u32..3), prop::option::of(3u64..12), prop::option::of(1u64..12)),
        pauses in prop_oneof![
            Just(Vec::new()),
            prop::collection::vec((20u64..900, 0u64..BLOCKS, any::<bool>()), 1..60),
        ],
    ) {
        let (level, half, unit, varied) = shape;
        let (depth, busy_depth, rate, busy_rate) = rebuilding;
        let members = 2 * half;
        let level = LEVELS[level];
        let [rate, busy_rate] = [rate, busy_rate].map(|rate| -> Option<Rate> {
            rate.map(|rate| format!("{rate} MB/s").parse().unwrap())
        });
        // Where somebody asks, several pieces that were begun together are begun apart afterwards, and members merge others of them: of one
        // at a time, as Linux md has it, all begin together once he is gone.
        let busy_depth = if pauses.is_empty() { busy_depth } else { Some(1) };
        let parity = matches!(level, RaidLevel::Rotated | RaidLevel::DoubleRotated);
        let members = if parity || level == RaidLevel::ParityMember { members.max(4) } else { members };
        let parameters = RaidParameters {
            stripe_unit: Bytes::from_kib([64, 128, 512][unit]),
            stripe_width: (varied && level == RaidLevel::Rotated).then_some(3),
            copies_layout: match (level, varied) {
                (RaidLevel::MirroredStriped, true) => [CopiesLayout::Near, CopiesLayout::Offset, CopiesLayout::Far][unit],
                _ => CopiesLayout::Near,
            },
            ..of(level, RebuildParameters { rate, busy_rate, busy_depth, ..in_pieces(depth) })
        };
        let mut at = Time::from_millis(1_100);
        let mut asked = Vec::new();
        for (number, (pause, address, writes)) in pauses.iter().enumerate() {
            at += Time::from_millis(*pause);
            let direction = if *writes { Direction::Write } else { Direction::Read };
            asked.push((at, BlockRequest { direction, ..read(number as u64, *address & !7, 8) }));
        }
        let [strides, pieces] = [SAMPLE, 0].map(|sample| rebuild(&parameters, members, sample, &asked));
        let [(one, _), (other, _)] = [&strides, &pieces].map(|came| (came.rebuilt.as_seconds(), came));
        // A hundredth, and the pieces that are under way; and some pieces for each who asks.
        let within = if asked.is_empty() { 0.01 } else { 0.02 };
        let pieces_each = 0.06 + 0.025 * asked.len() as f64;
        prop_assert!((one - other).abs() < within * other + pieces_each, "{one} {other}");
        prop_assert_eq!(strides.moved, pieces.moved);
        prop_assert_eq!(strides.degraded, strides.rebuilt);
        prop_assert_eq!(strides.exposed == Time::ZERO, pieces.exposed == Time::ZERO);
        prop_assert_eq!(pieces.strided, 0);
        if asked.is_empty() {
            prop_assert_eq!(&strides.members, &pieces.members);
        }
        // Who interrupts a stride meets pieces that have just begun, of `depth` at most, and else some that are half done on average.
        let depth = f64::from(depth.clamp(1, 4));
        let slack = if asked.len() < 20 { 3.0 * depth } else { 0.75 * pieces.mean + 0.5 };
        prop_assert!((strides.mean - pieces.mean).abs() <= slack, "{} {}", strides.mean, pieces.mean);
    }
}
