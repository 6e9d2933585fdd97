//! A rebuild in strides comes to what one piece by piece comes to: in time, in bytes at each member, and for who asks meanwhile.

use super::{Bench, LEVELS, read};
use crate::raid::{CopiesLayout, MemberFailure, RaidLevel, RaidParameters, RebuildParameters};
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

/// An array, and who asks while it is rebuilt.
#[derive(Clone, Debug)]
struct Case {
    parameters: RaidParameters,
    members: usize,
    asked: Vec<(Time, BlockRequest)>,
}

fn cases() -> impl Strategy<Value = Case> {
    let shape = (1usize..6, 2usize..5, 0usize..3, any::<bool>());
    let rates = (prop::option::of(3u64..12), prop::option::of(1u64..12));
    let rebuilding = (1u32..9, prop::option::of(1u32..3), rates);
    let asks = prop::collection::vec((20u64..900, 0u64..BLOCKS, any::<bool>()), 1..60);
    (shape, rebuilding, prop_oneof![Just(Vec::new()), asks]).prop_map(
        |((level, half, unit, varied), (depth, busy_depth, rates), pauses)| {
            let (members, level) = (2 * half, LEVELS[level]);
            let [rate, busy_rate] = [rates.0, rates.1]
                .map(|rate| -> Option<Rate> { rate.map(|rate| format!("{rate} MB/s").parse().unwrap()) });
            // Where somebody asks, several pieces that were begun together are begun apart afterwards, and members merge others of them:
            // of one at a time, as Linux md has it, all begin together once he is gone.
            let busy_depth = if pauses.is_empty() { busy_depth } else { Some(1) };
            let has_parity =
                matches!(level, RaidLevel::ParityMember | RaidLevel::Rotated | RaidLevel::DoubleRotated);
            let declustered = varied && level == RaidLevel::Rotated;
            let parameters = RaidParameters {
                // Where parity is declustered, rows repeat themselves late.
                stripe_unit: Bytes::from_kib(if declustered { [4, 8, 128] } else { [64, 128, 512] }[unit]),
                stripe_width: declustered.then_some(3),
                copies_layout: match (level, varied) {
                    (RaidLevel::MirroredStriped, true) => {
                        [CopiesLayout::Near, CopiesLayout::Offset, CopiesLayout::Far][unit]
                    }
                    _ => CopiesLayout::Near,
                },
                ..of(level, RebuildParameters { rate, busy_rate, busy_depth, ..in_pieces(depth) })
            };
            let mut at = Time::from_millis(1_100);
            let asked = pauses.iter().enumerate().map(|(number, (pause, address, writes))| {
                at += Time::from_millis(*pause);
                let direction = if *writes { Direction::Write } else { Direction::Read };
                (at, BlockRequest { direction, ..read(number as u64, *address & !7, 8) })
            });
            let asked = asked.collect();
            Case { parameters, members: if has_parity { members.max(4) } else { members }, asked }
        },
    )
}

impl Case {
    fn came(&self, sample: u32) -> Came {
        rebuild(&self.parameters, self.members, sample, &self.asked)
    }

    /// The same, all of whom ask so much later.
    fn later(&self, by: Time) -> Self {
        let asked = self.asked.iter().map(|(at, request)| (*at + by, request.clone())).collect();
        Self { asked, ..self.clone() }
    }

    /// The shortest and the longest time that pieces take, in seconds: as they do, or where those who ask come some milliseconds later.
    fn range(&self, pieces: &Came) -> (f64, f64) {
        let later =
            [3, 6, 9, 12, 15].map(|by| self.later(Time::from_millis(by)).came(0).rebuilt.as_seconds());
        let all = || later.into_iter().chain([pieces.rebuilt.as_seconds()]);
        (all().fold(f64::INFINITY, f64::min), all().fold(0.0, f64::max))
    }

    /// How far the time of strides may be from that of pieces, in seconds: a hundredth, and the pieces that are under way; and some
    /// pieces for each who asks.
    fn bound(&self, pieces: &Came) -> f64 {
        let within = if self.asked.is_empty() { 0.01 } else { 0.02 };
        within * pieces.rebuilt.as_seconds() + 0.06 + 0.025 * self.asked.len() as f64
    }

    /// How far the mean time of who asks may be from that of pieces, in milliseconds: who interrupts a stride meets pieces that have just
    /// begun, of `depth` at most, and else some that are half done on average.
    fn mean_bound(&self, pieces: &Came) -> f64 {
        let depth = f64::from(self.parameters.rebuild.depth.clamp(1, 4));
        if self.asked.len() < 20 { 3.0 * depth } else { 0.75 * pieces.mean + 0.5 }
    }
}

/// Pieces that were begun together merge and end together; those begun apart overlap. Where a far layout's second half begins, the one
/// becomes the other.
#[test]
fn the_rhythm_of_several_pieces_lasts_over_strides() {
    let far = RaidParameters {
        stripe_unit: Bytes::from_kib(512),
        copies_layout: CopiesLayout::Far,
        ..of(RaidLevel::MirroredStriped, in_pieces(5))
    };
    let even = RaidParameters { stripe_unit: Bytes::from_kib(64), ..of(RaidLevel::Mirrored, in_pieces(5)) };
    let [together, apart] =
        [&even, &far].map(|parameters| rebuild(parameters, 4, 0, &[]).rebuilt.as_seconds());
    assert!(apart < 0.9 * together, "pieces alone have two rhythms: {apart} {together}");
    for parameters in [even, far] {
        let [strides, pieces] = [SAMPLE, 0].map(|sample| rebuild(&parameters, 4, sample, &[]));
        assert!(
            agree(strides.rebuilt.as_seconds(), pieces.rebuilt.as_seconds(), 0.01),
            "{strides:?} {pieces:?}"
        );
        assert!(strides.sent * 2 < pieces.sent, "{} {}", strides.sent, pieces.sent);
    }
}

/// Who interrupts a stride makes several pieces give way as those do that are under way: what follows is the same rhythm.
#[test]
fn who_interrupts_a_stride_leaves_the_rhythm_as_it_was() {
    for depth in [4, 6, 8] {
        let parameters =
            of(RaidLevel::DoubleRotated, RebuildParameters { busy_depth: Some(1), ..in_pieces(depth) });
        let asked: Vec<_> =
            (0..7u64).map(|at| (Time::from_millis(1_537 + 811 * at), read(at, 64_000 * at, 8))).collect();
        let [strides, pieces] = [SAMPLE, 0].map(|sample| rebuild(&parameters, 8, sample, &asked));
        assert!(strides.strided > 0);
        let (one, other) = (strides.rebuilt.as_seconds(), pieces.rebuilt.as_seconds());
        assert!(agree(one, other, 0.03), "{depth}: {one} {other}");
    }
}

#[test]
fn rows_that_are_drawn_are_many_in_a_sample() {
    let of_unit = |kib| RaidParameters {
        stripe_unit: Bytes::from_kib(kib),
        stripe_width: Some(3),
        ..of(RaidLevel::Rotated, in_pieces(3))
    };
    let [strides, pieces] = [SAMPLE, 0].map(|sample| rebuild(&of_unit(4), 6, sample, &[]));
    assert!(agree(strides.rebuilt.as_seconds(), pieces.rebuilt.as_seconds(), 0.01), "{strides:?} {pieces:?}");
    assert_eq!((strides.members, strides.strided > 0), (pieces.members, true));
    // A member of 256 rows is no sample of rows that repeat themselves after 768.
    assert_eq!(rebuild(&of_unit(512), 6, SAMPLE, &[]).strided, 0);
}

/// With eight pieces at a time a single request can leave any of several rhythms behind, as it happens to meet them: pieces one by one
/// then take so long as it comes a few milliseconds sooner or later, and strides can't be nearer to them than they are to themselves.
#[test]
fn when_somebody_comes_decides_the_rhythm_that_he_leaves_behind() {
    let rebuilding = RebuildParameters { busy_depth: Some(1), ..in_pieces(8) };
    let parameters =
        RaidParameters { stripe_unit: Bytes::from_kib(64), ..of(RaidLevel::DoubleRotated, rebuilding) };
    let write = |id, address| BlockRequest { direction: Direction::Write, ..read(id, address, 8) };
    let asked = [
        (1_997, read(0, 48_664, 8)),
        (2_113, write(1, 207_560)),
        (2_323, read(2, 67_488, 8)),
        (3_028, write(3, 12_144)),
    ];
    let asked = asked.map(|(at, request)| (Time::from_millis(at), request)).into();
    let case = Case { parameters, members: 4, asked };
    let pieces = case.came(0);
    let (shortest, longest) = case.range(&pieces);
    let bound = case.bound(&pieces);
    assert!(longest - shortest > 2.0 * bound, "{shortest} {longest}, {bound}");
    let one = case.came(SAMPLE).rebuilt.as_seconds();
    assert!((shortest - bound..longest + bound).contains(&one), "{one}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn strides_and_pieces_agree(case in cases()) {
        let [strides, pieces] = [SAMPLE, 0].map(|sample| case.came(sample));
        let [one, other] = [&strides, &pieces].map(|came| came.rebuilt.as_seconds());
        let bound = case.bound(&pieces);
        if (one - other).abs() >= bound {
            // Unless pieces themselves take longer or shorter where the same is asked of them some milliseconds later.
            prop_assert!(!case.asked.is_empty(), "{one} {other}");
            let (shortest, longest) = case.range(&pieces);
            prop_assert!(longest - shortest > bound, "{one} {other}");
            prop_assert!((shortest - bound..longest + bound).contains(&one), "{one} {shortest} {longest}");
        }
        prop_assert_eq!(strides.moved, pieces.moved);
        prop_assert_eq!(strides.degraded, strides.rebuilt);
        prop_assert_eq!(strides.exposed == Time::ZERO, pieces.exposed == Time::ZERO);
        prop_assert_eq!(pieces.strided, 0);
        if case.asked.is_empty() {
            prop_assert_eq!(&strides.members, &pieces.members);
        }
        prop_assert!(
            (strides.mean - pieces.mean).abs() <= case.mean_bound(&pieces),
            "{} {}", strides.mean, pieces.mean
        );
    }
}
