//! Policies on hand-made histories, and copies and requests that are never lost.

#![allow(clippy::unwrap_used)]
mod placed;
mod regions;

use super::*;
use petrio_colours::{BlockRequest, Cause, Direction, FileId, FileOp, Operation, RequestId};
use petrio_device::analytic_disk::{AnalyticDiskParameters, AnalyticSeek, Arm, analytic_disk_page};
use petrio_device::disk::parameters::QueueDiscipline;
use petrio_kernel::{NetBuilder, Place, Simulation, Time};
use petrio_units::{Blocks, Bytes};
use proptest::prelude::*;

fn disk() -> AnalyticDiskParameters {
    let ms = |text: &str| text.parse().unwrap();
    AnalyticDiskParameters {
        name: "a disk".to_owned(),
        source: "made up".to_owned(),
        cost: Default::default(),
        reliability: Default::default(),
        blocks: Blocks(1 << 20),
        cylinders: 1_000,
        rotation: "3600 rpm".parse().unwrap(),
        rate: "1 MB/s".parse().unwrap(),
        controller: ms("1 ms"),
        seek: AnalyticSeek {
            knee_cylinders: 400,
            near_base: ms("4 ms"),
            near_root: ms("0.8 ms"),
            near_slope: ms("0 ms"),
            far_base: ms("20 ms"),
            far_slope: ms("0.01 ms"),
        },
    }
}

struct Bench {
    run: Simulation,
    operations: Place<FileOp>,
    requests: Place<BlockRequest>,
    completions: Place<BlockRequest>,
    replicas: Place<Replicas>,
    next: u64,
}

impl Bench {
    fn new(parameters: &ReplicationParameters, count: usize) -> Self {
        Self::with(parameters, count, FileLayout::default(), Sight::Arm)
    }

    /// With files that are there, on disks that are seen so.
    fn with(
        parameters: &ReplicationParameters,
        count: usize,
        layout: FileLayout,
        sight: impl Fn(Place<Arm>) -> Sight,
    ) -> Self {
        Self::of(&disk(), parameters, count, layout, sight)
    }

    /// On disks like this one.
    fn of(
        disk: &AnalyticDiskParameters,
        parameters: &ReplicationParameters,
        count: usize,
        layout: FileLayout,
        sight: impl Fn(Place<Arm>) -> Sight,
    ) -> Self {
        let mut net = NetBuilder::new("test");
        let mut page = net.top();
        let disks = (0..count)
            .map(|number| {
                let down = page.fifo::<BlockRequest>(&format!("down{number}"));
                let up = page.fifo::<BlockRequest>(&format!("up{number}"));
                let how = (disk, QueueDiscipline::FirstCome);
                let built = analytic_disk_page(&mut page, &format!("disk{number}"), how, down, up);
                (down, up, sight(built.arm))
            })
            .collect();
        let ports = ReplicationPorts {
            operations: page.fifo("operations"),
            requests: page.fifo("requests"),
            completions: page.fifo("completions"),
            disks,
            memories: Vec::new(),
        };
        let (replicas, _) =
            replication_page(&mut page, "copies", parameters, (disk.blocks.get(), layout.into()), &ports)
                .unwrap();
        let net = net.build().unwrap();
        let run = Simulation::new(&net, 1, 0);
        let (operations, requests, completions) = (ports.operations, ports.requests, ports.completions);
        Self { run, operations, requests, completions, replicas, next: 0 }
    }

    fn tell(&mut self, operation: Operation, file: u32, length: u64, at: f64) {
        let op = FileOp { operation, file: FileId(file), length, ..FileOp::default() };
        self.run.inject(self.operations, op, Time::from_seconds(at)).unwrap();
    }

    fn ask(&mut self, direction: Direction, file: u32, address: u64, blocks: u32, at: f64) -> u64 {
        self.next += 1;
        let at = Time::from_seconds(at);
        let request = BlockRequest {
            id: RequestId(self.next),
            direction,
            file: FileId(file),
            address,
            blocks,
            issued: at,
            ..BlockRequest::default()
        };
        self.run.inject(self.requests, request, at).unwrap();
        self.next
    }

    fn until(&mut self, at: f64) -> Vec<BlockRequest> {
        self.run.run_until(Time::from_seconds(at)).unwrap();
        self.run.drain(self.completions).collect()
    }

    fn replicas<T: Default>(&self, what: impl Fn(&Replicas) -> T) -> T {
        let mut found = T::default();
        self.run.for_each_token(self.replicas, |replicas| found = what(replicas));
        found
    }

    fn copies(&self, file: u32) -> u32 {
        self.replicas(|replicas| replicas.copies_of(FileId(file)))
    }

    fn tally(&self) -> ReplicationStatistics {
        self.replicas(|replicas| replicas.tally().clone())
    }
}

fn magic(policy: PolicyParameters) -> ReplicationParameters {
    ReplicationParameters { policy, traffic: CopyTraffic::Magic, ..ReplicationParameters::default() }
}

#[test]
fn a_file_is_cut_back_when_it_is_written_and_copied_again_a_minute_after() {
    let policy = PolicyParameters::CutBack(Trigger::default());
    let mut bench = Bench::with(&magic(policy), 3, two_ranges(), Sight::Arm);
    bench.tell(Operation::Read, 1, 100, 1.0);
    bench.until(2.0);
    assert_eq!(bench.copies(1), 3, "it was there before");
    bench.tell(Operation::Write, 1, 100, 10.0);
    bench.until(11.0);
    assert_eq!(bench.copies(1), 1);
    // Written again half a minute later: the minute begins anew.
    bench.tell(Operation::Write, 1, 100, 40.0);
    bench.until(99.0);
    assert_eq!(bench.copies(1), 1);
    bench.until(100.5);
    assert_eq!(bench.copies(1), 3);
    bench.tell(Operation::Create, 2, 0, 101.0);
    bench.until(102.0);
    assert_eq!(bench.copies(2), 1);
    bench.until(162.0);
    assert_eq!(bench.copies(2), 3);
    // There, and empty: it begins as one that is made.
    bench.tell(Operation::Open, 3, 0, 170.0);
    bench.until(171.0);
    assert_eq!(bench.copies(3), 1);
}

#[test]
fn triggers_hold_copies_back() {
    let copies_after = |trigger: Trigger, reads: u32, size: u64| {
        let mut bench = Bench::new(&magic(PolicyParameters::CutBack(trigger)), 4);
        bench.tell(Operation::Create, 1, 0, 0.0);
        bench.tell(Operation::Write, 1, size, 1.0);
        for read in 0..reads {
            bench.tell(Operation::Open, 1, 0, 2.0 + f64::from(read));
            bench.tell(Operation::Read, 1, 10, 2.5 + f64::from(read));
        }
        bench.until(400.0);
        bench.copies(1)
    };
    assert_eq!(copies_after(Trigger::default(), 0, 10), 4);
    assert_eq!(copies_after(Trigger { reads: 3, ..Trigger::default() }, 2, 10), 1);
    assert_eq!(copies_after(Trigger { reads: 3, ..Trigger::default() }, 3, 10), 4);
    assert_eq!(copies_after(Trigger { largest: Some(Bytes(1_000)), ..Trigger::default() }, 0, 1_001), 1);
    assert_eq!(copies_after(Trigger { step: Some(1), ..Trigger::default() }, 1, 10), 2);
}

#[test]
fn a_read_goes_to_the_disk_that_serves_it_first() {
    let mut bench = Bench::new(&magic(PolicyParameters::ReadOneWriteAll), 2);
    for number in 0..4 {
        bench.ask(Direction::Read, 1, number * 1_000, 16, 1.0);
    }
    bench.until(10.0);
    // Two and two, so nobody sees more than one before it: 0, 0, 1, 1.
    assert!((bench.tally().read_queue.mean() - 0.5).abs() < 1e-9);
}

#[test]
fn hundreds_of_disks_show_their_arms() {
    for disks in [40, 300] {
        let mut bench = Bench::new(&magic(PolicyParameters::ReadOneWriteAll), disks);
        for _ in 0..disks {
            bench.ask(Direction::Read, 1, 5_000, 16, 1.0);
        }
        assert_eq!(bench.until(20.0).len(), disks);
        // What an idle disk takes, a busy one takes after what it has: each serves one.
        assert_eq!(bench.tally().read_queue.mean(), 0.0, "{disks}");
        for number in 0..disks {
            let place = bench.run.net().find_place(&format!("disk{number}/queue")).unwrap();
            assert_eq!(bench.run.marking().statistics_at(place).arrivals, 1, "disk {number} of {disks}");
        }
        assert_eq!(bench.copies(1), disks as u32);
        bench.ask(Direction::Flush, 0, 0, 0, 30.0);
        assert_eq!(bench.until(40.0).len(), 1);
        bench.run.check_conservation().unwrap();
    }
}

#[test]
fn a_write_to_all_copies_returns_with_the_first_or_with_the_last() {
    let time = |write_returns| {
        let parameters = ReplicationParameters { write_returns, ..magic(PolicyParameters::ReadOneWriteAll) };
        let mut bench = Bench::new(&parameters, 5);
        for number in 0..200 {
            bench.ask(Direction::Write, 1, 5_000, 16, f64::from(number));
        }
        assert_eq!(bench.until(300.0).len(), 200);
        bench.tally().write_turnaround.mean()
    };
    // Five uniform draws of a revolution of 16.7 ms: the least is a sixth of it at the mean, the greatest five sixths.
    let apart = time(WriteReturns::All) - time(WriteReturns::First);
    assert!((apart - 16.667 * 4.0 / 6.0).abs() < 0.8, "{apart}");
}

#[test]
fn copies_that_cost_traffic_move_the_file_once_for_each_of_them() {
    let parameters = ReplicationParameters {
        policy: PolicyParameters::CutBack(Trigger::default()),
        ..ReplicationParameters::default()
    };
    let mut bench = Bench::new(&parameters, 3);
    bench.tell(Operation::Create, 1, 0, 0.0);
    bench.tell(Operation::Write, 1, 200 * 512, 0.0);
    bench.ask(Direction::Write, 1, 64, 200, 0.1);
    bench.until(59.0);
    assert_eq!(bench.copies(1), 1);
    bench.until(70.0);
    assert_eq!(bench.copies(1), 3);
    assert_eq!(bench.tally().copy_bytes(), 3 * 200 * 512, "read once, written twice");
    // An update while the copy is being made: what was copied is none.
    bench.tell(Operation::Write, 1, 200 * 512, 100.0);
    bench.ask(Direction::Write, 1, 64, 200, 100.1);
    bench.tell(Operation::Write, 1, 512, 160.005);
    bench.until(161.0);
    assert_eq!(bench.copies(1), 1);
    bench.until(230.0);
    assert_eq!(bench.copies(1), 3);
}

/// A file of 300 blocks in two ranges, which nobody has asked for yet.
fn two_ranges() -> FileLayout {
    let mut layout = FileLayout::default();
    layout.add(FileId(1), 5_000, 100);
    layout.add(FileId(1), 9_000, 200);
    layout
}

#[test]
fn a_copy_moves_all_of_a_file_and_not_only_what_was_asked_for() {
    for traffic in [CopyTraffic::Simulated, CopyTraffic::AtOnce] {
        for sight in [Sight::Arm, |_| Sight::Counted] {
            let policy = PolicyParameters::CutBack(Trigger::default());
            let parameters = ReplicationParameters { policy, traffic, ..ReplicationParameters::default() };
            let mut bench = Bench::with(&parameters, 3, two_ranges(), sight);
            // One block of it is written: it is cut back, and a minute later copied whole.
            bench.tell(Operation::Write, 1, 512, 1.0);
            bench.ask(Direction::Write, 1, 9_000, 1, 1.0);
            bench.until(100.0);
            let tally = bench.tally();
            assert_eq!((bench.copies(1), tally.copies_made, tally.copies_abandoned), (3, 2, 0));
            let moves =
                |requests, read_bytes, written_bytes| CopyMoves { requests, read_bytes, written_bytes };
            // Pieces of 64 KiB: 100, 128 and 72 blocks.
            let bytes = 300 * 512;
            assert_eq!(tally.copy_moves, [moves(3, bytes, 0), moves(3, 0, bytes), moves(3, 0, bytes)]);
            bench.run.check_conservation().unwrap();
        }
    }
}

#[test]
fn what_was_cut_off_a_file_is_not_copied() {
    let policy = PolicyParameters::CutBack(Trigger::default());
    let parameters = ReplicationParameters { policy, ..ReplicationParameters::default() };
    let mut bench = Bench::with(&parameters, 2, two_ranges(), Sight::Arm);
    bench.tell(Operation::Truncate, 1, 120 * 512, 1.0);
    bench.until(100.0);
    assert_eq!(bench.tally().copy_bytes(), 2 * 120 * 512);
    bench.tell(Operation::Truncate, 1, 0, 101.0);
    bench.until(200.0);
    let tally = bench.tally();
    assert_eq!((tally.copy_bytes(), tally.copies_made), (2 * 120 * 512, 1), "nothing is left to copy");
}

#[test]
fn copies_in_the_background_wait_for_disks_that_have_nothing_else_to_do() {
    // A program that asks every 30 ms for what takes about 20 keeps the first disk busy for most of nine seconds; a
    // second one sees to the rest.
    let copied_by = |traffic, sight: fn(Place<Arm>) -> Sight| {
        let policy = PolicyParameters::CutBack(Trigger::default());
        let parameters = ReplicationParameters { policy, traffic, ..ReplicationParameters::default() };
        let mut bench = Bench::with(&parameters, 2, two_ranges(), sight);
        bench.tell(Operation::Write, 1, 512, 1.0);
        for number in 0..600 {
            bench.tell(Operation::Write, 2, 512, 60.9 + f64::from(number) * 0.015);
            bench.ask(Direction::Write, 2, 70_000, 16, 60.9 + f64::from(number) * 0.015);
        }
        let busy_until = 60.9 + 600.0 * 0.015;
        bench.until(busy_until);
        let early = bench.copies(1);
        bench.until(200.0);
        assert_eq!(bench.copies(1), 2);
        early
    };
    for sight in [Sight::Arm as fn(Place<Arm>) -> Sight, |_| Sight::Counted] {
        assert_eq!(copied_by(CopyTraffic::Simulated, sight), 1);
        assert_eq!(copied_by(CopyTraffic::AtOnce, sight), 2);
    }
}

#[test]
fn a_large_read_in_parallel_takes_as_long_as_its_longest_piece() {
    let time = |parallel| {
        let parameters = ReplicationParameters { parallel, ..magic(PolicyParameters::ReadOneWriteAll) };
        let mut bench = Bench::new(&parameters, 4);
        for number in 0..100 {
            bench.ask(Direction::Read, 1, 5_000, 1_024, f64::from(number) * 2.0);
        }
        assert_eq!(bench.until(300.0).len(), 100);
        bench.tally().read_turnaround.mean()
    };
    // 512 KiB at 1 MB/s are 524 ms; four pieces of 131 ms, and the greatest of four rotations.
    let (alone, split) = (time(None), time(Some(Bytes(128 << 10))));
    assert!((alone - (1.0 + 8.33 + 524.3)).abs() < 2.0, "{alone}");
    assert!((split - (1.0 + 16.667 * 4.0 / 5.0 + 131.1)).abs() < 2.0, "{split}");
}

#[test]
fn two_places_on_one_disk_make_seeks_shorter() {
    let seeks = |places| {
        let parameters = ReplicationParameters { places, ..magic(PolicyParameters::ReadOneWriteAll) };
        let mut bench = Bench::new(&parameters, 1);
        let mut at = 7u64;
        for number in 0..500 {
            at = (at * 1_103_515_245 + 12_345) % (1 << 31);
            bench.ask(Direction::Read, 1, at % (1 << 18), 16, f64::from(number));
        }
        bench.until(600.0);
        bench.tally().seek_cylinders.mean()
    };
    let (one, four) = (seeks(1), seeks(4));
    // Within a quarter of the stroke a third of it is usual: 83 cylinders; with four copies, the nearest is nearer.
    assert!((one - 83.0).abs() < 8.0, "{one}");
    assert!(four < one * 0.85, "{four} and {one}");
}

#[test]
fn files_are_scattered_evenly() {
    let mut bench = Bench::new(&magic(PolicyParameters::Scatter), 4);
    for file in 0..2_000 {
        bench.ask(Direction::Write, 10 + file, 0, 16, f64::from(file));
    }
    bench.until(2_100.0);
    let mut counts = [0u32; 4];
    for (number, count) in counts.iter_mut().enumerate() {
        let place = bench.run.net().find_place(&format!("disk{number}/queue"));
        *count = place.map_or(0, |place| bench.run.marking().statistics_at(place).arrivals as u32);
    }
    // 500 each; the standard deviation is 19.
    assert!(counts.iter().all(|count| (420..580).contains(count)), "{counts:?}");
}

#[test]
fn knowing_where_the_platters_stand_makes_reads_faster() {
    let time = |knows_rotation| {
        let parameters = ReplicationParameters { knows_rotation, ..magic(PolicyParameters::ReadOneWriteAll) };
        let mut bench = Bench::new(&parameters, 3);
        for number in 0..400 {
            bench.ask(Direction::Read, 1, 5_000, 16, f64::from(number));
        }
        bench.until(500.0);
        bench.tally().read_turnaround.mean()
    };
    // No seeks but the first: half a revolution of 16.7 ms against the least of three draws, a quarter.
    let gain = time(false) - time(true);
    assert!((gain - 16.667 / 4.0).abs() < 0.7, "{gain}");
}

#[test]
fn messages_cost_what_they_are_said_to() {
    let mut parameters = magic(PolicyParameters::ReadOneWriteAll);
    parameters.messages = Messages {
        forward: "2 ms".parse().unwrap(),
        query: "3 ms".parse().unwrap(),
        dispatch: "4 ms".parse().unwrap(),
    };
    let mut bench = Bench::new(&parameters, 2);
    bench.ask(Direction::Read, 1, 100, 16, 1.0);
    let done = bench.until(2.0).remove(0);
    assert_eq!(done.ledger.of(Cause::Bus), Time::from_millis(9));
    assert!(done.ledger.total() > Time::from_millis(9 + 1 + 8));
}

fn policies() -> impl Strategy<Value = PolicyParameters> {
    let trigger = Trigger { after: "2 s".parse().unwrap(), ..Trigger::default() };
    prop_oneof![
        Just(PolicyParameters::ReadOneWriteAll),
        Just(PolicyParameters::CutBack(trigger.clone())),
        Just(PolicyParameters::CutBackRandom(trigger.clone())),
        Just(PolicyParameters::Scatter),
        Just(PolicyParameters::ScatterCutBack(trigger)),
        Just(PolicyParameters::Adaptive(toml::from_str("after = \"2 s\"").unwrap())),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn every_request_comes_back_once_and_space_is_kept_to(
        policy in policies(),
        disks in 1usize..5,
        places in 1u32..3,
        traffic in prop_oneof![
            Just(CopyTraffic::Magic), Just(CopyTraffic::Simulated), Just(CopyTraffic::AtOnce)
        ],
        shows_arms in proptest::bool::ANY,
        budget in proptest::option::of(0u64..2_000_000),
        steps in proptest::collection::vec((0u8..5, 1u32..6, 0u64..1_000, 1u32..64, 0u32..3_000), 1..120),
    ) {
        let parameters = ReplicationParameters {
            policy,
            places,
            traffic,
            budget: budget.map(Bytes),
            parallel: Some(Bytes(8192)),
            ..ReplicationParameters::default()
        };
        let mut layout = FileLayout::default();
        (1..6).for_each(|file| layout.add(FileId(file), u64::from(file) * 10_000, 3_000));
        let sight = |arm| if shows_arms { Sight::Arm(arm) } else { Sight::Counted };
        let mut bench = Bench::with(&parameters, disks, layout, sight);
        let (mut at, mut asked) = (0.0, Vec::new());
        for (kind, file, place, blocks, wait) in steps {
            at += f64::from(wait) / 1e3;
            let address = u64::from(file) * 10_000 + place * 8;
            let bytes = u64::from(blocks) * 512;
            match kind {
                0 => {
                    bench.tell(Operation::Read, file, bytes, at);
                    asked.push(bench.ask(Direction::Read, file, address, blocks, at));
                }
                1 => {
                    bench.tell(Operation::Write, file, bytes, at);
                    asked.push(bench.ask(Direction::Write, file, address, blocks, at));
                }
                2 => bench.tell(Operation::Create, file, 0, at),
                3 => bench.tell(Operation::Unlink, file, 0, at),
                _ => asked.push(bench.ask(Direction::Flush, 0, 0, 0, at)),
            }
            bench.run.run_until(Time::from_seconds(at)).unwrap();
            if let Some(budget) = budget {
                prop_assert!(bench.replicas(Replicas::extra_bytes) <= budget);
            }
        }
        let mut done: Vec<u64> = bench.until(at + 300.0).iter().map(|request| request.id.0).collect();
        done.sort_unstable();
        prop_assert_eq!(done, asked);
        bench.run.check_conservation().unwrap();
        // What was moved for copies is what was read, once for each write of it; a copy that came to nothing may have
        // been read and not written.
        let tally = bench.tally();
        let read: u64 = tally.copy_moves.iter().map(|moves| moves.read_bytes).sum();
        let written: u64 = tally.copy_moves.iter().map(|moves| moves.written_bytes).sum();
        prop_assert!(read <= written || tally.copies_abandoned > 0, "{read} read, {written} written");
        prop_assert!(written <= read * u64::from(disks as u32 * places), "{read} read, {written} written");
        prop_assert_eq!(tally.copies_made == 0 && tally.copies_abandoned == 0, tally.copy_bytes() == 0
            && (traffic != CopyTraffic::Magic || tally.copies_made == 0));
        for file in 1..6 {
            prop_assert!(bench.copies(file) <= disks as u32 * places);
        }
    }
}
