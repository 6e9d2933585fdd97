//! Patterns of file accesses: exactly which bytes, in which order, and what comes around them.

use petrio_colours::{FileId, FileOp, Operation};
use petrio_distribution::Draw;
use petrio_time::Time;
use petrio_units::{Bytes, Duration, Fraction};
use petrio_workload::Phase;
use petrio_workload::program::pattern::{
    Access, BarrierAt, Durability, FileOrder, FsyncCall, OpenClose, Pattern, Timing,
};
use petrio_workload::program::{FileProgram, PatternParameters, Placement, Step};
use proptest::prelude::*;
use std::collections::BTreeSet;

pub(super) const KIB: u64 = 1 << 10;

fn parameters(pattern: Pattern, records: u64) -> PatternParameters {
    PatternParameters {
        pattern,
        ..PatternParameters::new(Access::Read, Bytes(4 * KIB), Bytes(records * 4 * KIB))
    }
}

pub(super) fn thinking(json: &str) -> Draw<Duration> {
    serde_json::from_str(json).unwrap()
}

pub(super) fn placement(seed: u64) -> Placement {
    Placement { seed, ..Placement::new("test") }
}

pub(super) fn steps_of(program: &mut dyn FileProgram) -> Vec<Step> {
    std::iter::from_fn(|| match program.next(Time::ZERO).unwrap() {
        Step::End => None,
        step => Some(step),
    })
    .collect()
}

fn steps(parameters: &PatternParameters, seed: u64) -> Vec<Step> {
    let mut prepared = parameters.prepare(&placement(seed)).unwrap();
    steps_of(&mut prepared.programs[0])
}

pub(super) fn operations(parameters: &PatternParameters, seed: u64) -> Vec<FileOp> {
    steps(parameters, seed)
        .into_iter()
        .filter_map(|step| match step {
            Step::Operation(operation) => Some(operation),
            _ => None,
        })
        .collect()
}

/// Which records, one access after the other.
fn records(parameters: &PatternParameters, seed: u64) -> Vec<u64> {
    let record = parameters.record.get();
    operations(parameters, seed).iter().map(|op| op.offset / record).collect()
}

/// Steps in words: `open 1`, `read 1 0`, `think`, `barrier`, `measured`.
pub(super) fn words(parameters: &PatternParameters) -> Vec<String> {
    steps(parameters, 1)
        .into_iter()
        .map(|step| match step {
            Step::Operation(op) if matches!(op.operation, Operation::Read | Operation::Write) => {
                format!("{} {} {}", op.operation.name(), op.file.0, op.offset / parameters.record.get())
            }
            Step::Operation(op) => format!("{} {}", op.operation.name(), op.file.0),
            Step::Think(time) | Step::Pause(time) => format!("think {time}"),
            Step::Barrier => "barrier".to_owned(),
            Step::Signal(number) => format!("say {number}"),
            Step::Await(number) => format!("hear {number}"),
            Step::Phase(phase) => format!("{phase:?}").to_lowercase(),
            Step::Submit { .. } | Step::Reap { .. } | Step::End => {
                unreachable!("a pattern waits for each operation")
            }
        })
        .collect()
}

#[test]
fn sequential_reverse_and_same_visit_records_in_their_order() {
    assert_eq!(records(&parameters(Pattern::Sequential, 5), 1), [0, 1, 2, 3, 4]);
    assert_eq!(records(&parameters(Pattern::Reverse, 5), 1), [4, 3, 2, 1, 0]);
    assert_eq!(records(&parameters(Pattern::Same, 5), 1), [0; 5]);
}

#[test]
fn a_stride_goes_through_the_file_lane_by_lane() {
    let strided = |stride, records_of_file| {
        records(
            &PatternParameters { stride: Some(stride), ..parameters(Pattern::Strided, records_of_file) },
            1,
        )
    };
    assert_eq!(strided(3, 8), [0, 3, 6, 1, 4, 7, 2, 5]);
    assert_eq!(strided(4, 8), [0, 4, 1, 5, 2, 6, 3, 7]);
    assert_eq!(strided(1, 4), [0, 1, 2, 3]);
    // A stride that leaves the file at once begins each lane anew.
    assert_eq!(strided(17, 4), [0, 1, 2, 3]);
}

#[test]
fn a_stride_agrees_with_iozone_until_a_lane_ends_on_the_last_record() {
    // iozone.c 3.430, read_stride_perf_test: after each record, on by the stride, or, where that is on the last record
    // or beyond it, back to the next lane.
    fn iozone(stride: u64, records: u64) -> Vec<u64> {
        let (mut at, mut lane) = (0, 0);
        (0..records)
            .map(|_| {
                let here = at;
                if here + stride >= records - 1 {
                    lane += 1;
                    at = if records <= stride { 0 } else { lane % records };
                } else {
                    at = here + stride;
                }
                here
            })
            .collect()
    }
    for (stride, count) in [(17, 1_000), (2, 101), (7, 512)] {
        let ours =
            records(&PatternParameters { stride: Some(stride), ..parameters(Pattern::Strided, count) }, 1);
        let last_record = ours.iter().position(|&record| record == count - 1).unwrap();
        assert_eq!(ours[..last_record], iozone(stride, count)[..last_record], "{stride} of {count}");
        assert!(last_record as u64 >= count / stride - 1);
    }
}

#[test]
fn the_last_record_of_a_file_is_as_short_as_the_file_says() {
    for pattern in [Pattern::Sequential, Pattern::Reverse, Pattern::Random] {
        let parameters =
            PatternParameters { pattern, ..PatternParameters::new(Access::Read, Bytes(1_000), Bytes(2_500)) };
        let mut spans: Vec<_> = operations(&parameters, 3).iter().map(|op| (op.offset, op.length)).collect();
        spans.sort_unstable();
        assert_eq!(spans, [(0, 1_000), (1_000, 1_000), (2_000, 500)]);
    }
}

#[test]
fn a_random_pass_visits_each_record_once_and_each_pass_in_another_order() {
    let parameters = PatternParameters { passes: 3, ..parameters(Pattern::Random, 1_000) };
    let all = records(&parameters, 9);
    let passes: Vec<&[u64]> = all.chunks(1_000).collect();
    assert_eq!(passes.len(), 3);
    for pass in &passes {
        assert_eq!(pass.iter().collect::<BTreeSet<_>>().len(), 1_000);
        // Ascending neighbours are as frequent as descending ones: 499.5 expected, a standard deviation of √(1001/12) =
        // 9.1.
        let ascents = pass.windows(2).filter(|pair| pair[0] < pair[1]).count();
        assert!((450..550).contains(&ascents), "{ascents}");
    }
    assert_ne!(passes[0], passes[1]);
    assert_ne!(passes[1], passes[2]);
}

#[test]
fn with_repetition_some_records_come_again() {
    let parameters = PatternParameters { repetition: true, ..parameters(Pattern::Random, 10_000) };
    let distinct = records(&parameters, 4).into_iter().collect::<BTreeSet<_>>().len() as f64;
    // n (1 − (1 − 1/n)ⁿ) → n (1 − 1/e) = 6,321; its variance is n (1/e − 2/e²) = 972, five standard deviations 156.
    assert!((distinct - 6_321.2).abs() < 156.0, "{distinct}");
}

#[test]
fn finer_alignment_lets_random_accesses_overlap_within_the_file() {
    let fine = PatternParameters {
        alignment: Some(Bytes(KIB)),
        operations: Some(13),
        ..PatternParameters::new(Access::Read, Bytes(4 * KIB), Bytes(16 * KIB))
    };
    let fine = PatternParameters { pattern: Pattern::Random, ..fine };
    let offsets: Vec<u64> = operations(&fine, 2).iter().map(|op| op.offset).collect();
    assert!(offsets.iter().all(|offset| offset % KIB == 0 && offset + 4 * KIB <= 16 * KIB));
    // Four accesses are once through the file, each at another place.
    for time_through in offsets.chunks(4) {
        assert_eq!(time_through.iter().collect::<BTreeSet<_>>().len(), time_through.len());
    }
    assert!(offsets.iter().any(|offset| offset % (4 * KIB) != 0));
    // A coarser one leaves places out: 0, 6 and 12 KiB.
    let coarse = PatternParameters { alignment: Some(Bytes(6 * KIB)), operations: None, ..fine };
    let offsets: BTreeSet<u64> = operations(&coarse, 2).iter().map(|op| op.offset / KIB).collect();
    assert_eq!(offsets, BTreeSet::from([0, 6, 12]));
}

#[test]
fn files_are_gone_through_one_after_the_other_or_in_turn() {
    let two = PatternParameters { files: 2, ..parameters(Pattern::Sequential, 3) };
    let places = |parameters: &PatternParameters| -> Vec<(u32, u64)> {
        operations(parameters, 1).iter().map(|op| (op.file.0, op.offset / (4 * KIB))).collect()
    };
    assert_eq!(places(&two), [(1, 0), (1, 1), (1, 2), (2, 0), (2, 1), (2, 2)]);
    let turns = PatternParameters { file_order: FileOrder::RoundRobin, ..two };
    assert_eq!(places(&turns), [(1, 0), (2, 0), (1, 1), (2, 1), (1, 2), (2, 2)]);
    // A shuffle of each file, whichever the order.
    for file_order in [FileOrder::OneAfterAnother, FileOrder::RoundRobin] {
        let random = PatternParameters { file_order, files: 3, ..parameters(Pattern::Random, 50) };
        let visited = places(&random);
        assert_eq!(visited.iter().collect::<BTreeSet<_>>().len(), 150);
        let of =
            |file| visited.iter().filter(|place| place.0 == file).map(|place| place.1).collect::<Vec<_>>();
        assert!(of(1) != of(2) && of(2) != of(3));
    }
}

#[test]
fn operations_and_amounts_cut_a_pass_or_begin_again() {
    let cut = |operations, amount: Option<u64>| {
        let parameters =
            PatternParameters { operations, amount: amount.map(Bytes), ..parameters(Pattern::Sequential, 4) };
        assert_eq!(parameters.accesses(), records(&parameters, 1).len() as u64);
        records(&parameters, 1)
    };
    assert_eq!(cut(Some(2), None), [0, 1]);
    assert_eq!(cut(Some(6), None), [0, 1, 2, 3, 0, 1]);
    assert_eq!(cut(None, Some(9 * KIB)), [0, 1, 2]);
    assert_eq!(cut(None, None), [0, 1, 2, 3]);
}

#[test]
fn a_whole_course_has_its_steps_in_order() {
    let parameters = PatternParameters {
        passes: 2,
        files: 2,
        warm_up_pass: true,
        open_close: OpenClose::Together,
        fsync: Durability::AtEnd,
        fsync_call: FsyncCall::Fdatasync,
        timing: Timing::WithFsync,
        barrier: BarrierAt::Passes,
        think_time: thinking("\"2 ms\""),
        ..PatternParameters::new(Access::Rewrite, Bytes(4 * KIB), Bytes(4 * KIB))
    };
    let pass = ["write 1 0", "think 2.000 ms", "write 2 0", "think 2.000 ms"];
    let expected = [
        &["preparation", "open 1", "open 2"][..],
        &pass,
        &["barrier", "measured"],
        &pass,
        &["barrier"],
        &pass,
        &["closing { counted: true }", "fdatasync 1", "fdatasync 2"],
        &["closing { counted: false }", "close 1", "close 2"],
    ]
    .concat();
    assert_eq!(words(&parameters), expected);
    assert_eq!(
        words(&PatternParameters::new(Access::Read, Bytes(KIB), Bytes(KIB))),
        ["barrier", "measured", "read 1 0"]
    );
}

#[test]
fn timing_says_which_part_of_the_closing_counts() {
    let counted = |timing| -> Vec<bool> {
        let parameters = PatternParameters {
            timing,
            fsync: Durability::AtEnd,
            open_close: OpenClose::Together,
            ..PatternParameters::new(Access::Write, Bytes(KIB), Bytes(KIB))
        };
        steps(&parameters, 1)
            .into_iter()
            .filter_map(|step| match step {
                Step::Phase(Phase::Closing { counted }) => Some(counted),
                _ => None,
            })
            .collect()
    };
    assert_eq!(counted(Timing::Accesses), [false, false]);
    assert_eq!(counted(Timing::WithFsync), [true, false]);
    assert_eq!(counted(Timing::WithClose), [true, true]);
}

#[test]
fn every_so_many_writes_the_file_just_written_is_made_durable() {
    let parameters = PatternParameters {
        fsync: Durability::Every(3),
        barrier: BarrierAt::Never,
        files: 2,
        ..PatternParameters::new(Access::Rewrite, Bytes(4 * KIB), Bytes(16 * KIB))
    };
    let expected = [
        "measured",
        "write 1 0",
        "write 1 1",
        "write 1 2",
        "fsync 1",
        "write 1 3",
        "write 2 0",
        "write 2 1",
        "fsync 2",
        "write 2 2",
        "write 2 3",
    ];
    assert_eq!(words(&parameters), expected);
}

#[test]
fn a_mixture_has_its_share_of_reads() {
    let parameters = PatternParameters {
        operation: Access::Mixed,
        read_share: Fraction::new(0.7),
        ..parameters(Pattern::Random, 100_000)
    };
    let reads =
        operations(&parameters, 11).iter().filter(|op| op.operation == Operation::Read).count() as f64;
    // Binomial: five standard deviations are 5 √(n p q) = 725.
    assert!((reads - 70_000.0).abs() < 725.0, "{reads}");
    for (share, expected) in [(0.0, Operation::Write), (1.0, Operation::Read)] {
        let all = PatternParameters {
            read_share: Fraction::new(share),
            file_size: Bytes(400 * KIB),
            ..parameters.clone()
        };
        assert!(operations(&all, 1).iter().all(|op| op.operation == expected));
    }
}

#[test]
fn where_processes_share_out_reads_and_writes_each_does_one_of_both_and_readers_make_nothing_durable() {
    for (readers, processes) in [(0, 3), (1, 3), (2, 4), (5, 5)] {
        let parameters = PatternParameters {
            operation: Access::Mixed,
            read_share: Some(Fraction::part(readers, processes))
                .filter(|_| readers > 0)
                .or(Fraction::new(0.0)),
            share_by_process: true,
            processes,
            fsync: Durability::AtEnd,
            ..parameters(Pattern::Random, 40)
        };
        let mut prepared = parameters.prepare(&placement(3)).unwrap();
        for (process, program) in (0..processes).zip(&mut prepared.programs) {
            let of = |step: Step| if let Step::Operation(op) = step { Some(op.operation) } else { None };
            let done: Vec<Operation> = steps_of(program).into_iter().filter_map(of).collect();
            let count = |wanted| done.iter().filter(|operation| **operation == wanted).count();
            let [reads, writes, syncs] = [Operation::Read, Operation::Write, Operation::Fsync].map(count);
            let expected = if process < readers { (40, 0, 0) } else { (0, 40, 1) };
            assert_eq!((reads, writes, syncs), expected, "process {process}: {readers} of {processes} read");
        }
    }
}

#[test]
fn streams_depend_on_seed_replication_name_and_process_alone() {
    let parameters = PatternParameters { processes: 2, ..parameters(Pattern::Random, 500) };
    let of = |placement: &Placement, process: usize| {
        let ops = steps_of(&mut parameters.prepare(placement).unwrap().programs[process]);
        ops.into_iter()
            .filter_map(|step| match step {
                Step::Operation(op) => Some(op.offset),
                _ => None,
            })
            .collect::<Vec<_>>()
    };
    let base = placement(1);
    assert_eq!(of(&base, 0), of(&base, 0));
    let moved = Placement { first_process: 9, first_file: 77, file_system: 3, ..base.clone() };
    assert_eq!(of(&base, 1), of(&moved, 1), "numbers of processes and files change no draw");
    let others = [
        of(&base, 1),
        of(&placement(2), 0),
        of(&Placement { replication: 1, ..base.clone() }, 0),
        of(&Placement { name: "other".to_owned(), ..base.clone() }, 0),
    ];
    assert!(others.iter().all(|other| *other != of(&base, 0)));
    // A mixture draws its operations from a stream of its own: the places stay.
    let mixed =
        PatternParameters { operation: Access::Mixed, read_share: Fraction::new(0.5), ..parameters.clone() };
    assert_eq!(records(&mixed, 1), records(&parameters, 1));
}

#[test]
fn files_and_processes_are_numbered_apart_and_carry_their_placement() {
    let parameters = PatternParameters {
        processes: 2,
        files: 2,
        cached: true,
        direct: true,
        sync: true,
        ..PatternParameters::new(Access::Rewrite, Bytes(4 * KIB), Bytes(8 * KIB))
    };
    let placement =
        Placement { first_process: 5, first_file: 10, file_system: 2, priority: 1, ..Placement::new("a/b") };
    let mut prepared = parameters.prepare(&placement).unwrap();
    let table: Vec<_> = prepared
        .files
        .entries()
        .iter()
        .map(|entry| (entry.file.0, entry.name.as_str(), entry.size, entry.present, entry.cached))
        .collect();
    let expected = [
        (10, "a-b.0.0", 8 * KIB, true, true),
        (11, "a-b.0.1", 8 * KIB, true, true),
        (12, "a-b.1.0", 8 * KIB, true, true),
        (13, "a-b.1.1", 8 * KIB, true, true),
    ];
    assert_eq!(table, expected);
    assert_eq!(prepared.files.next_file(), 14);
    for (number, program) in prepared.programs.iter_mut().enumerate() {
        for step in steps_of(program) {
            let Step::Operation(op) = step else { continue };
            assert_eq!((op.process, op.file_system, op.priority), (5 + number as u32, 2, 1));
            assert!(op.flags.direct && op.flags.sync && !op.flags.stdio);
            assert!((10 + 2 * number as u32..12 + 2 * number as u32).contains(&op.file.0));
        }
    }
}

#[test]
fn a_new_file_is_made_by_the_program_or_there_and_empty() {
    let there = PatternParameters::new(Access::Write, Bytes(KIB), Bytes(2 * KIB));
    let entry = there.prepare(&placement(1)).unwrap().files.get(FileId(1)).unwrap().clone();
    assert_eq!((entry.present, entry.size), (true, 0));
    let made = PatternParameters { open_close: OpenClose::Together, ..there };
    let entry = made.prepare(&placement(1)).unwrap().files.get(FileId(1)).unwrap().clone();
    assert_eq!((entry.present, entry.size), (false, 0));
    let expected = [
        "preparation",
        "create 1",
        "barrier",
        "measured",
        "write 1 0",
        "write 1 1",
        "closing { counted: false }",
        "close 1",
    ];
    assert_eq!(words(&made), expected);
}

proptest! {
    #[test]
    fn every_whole_pass_covers_every_byte_once(
        pattern in prop::sample::select(vec![Pattern::Sequential, Pattern::Random, Pattern::Reverse, Pattern::Strided]),
        record in 1..200_u64, size in 1..5_000_u64, files in 1..4_u32, stride in 1..40_u64, round_robin: bool, seed: u64,
    ) {
        let parameters = PatternParameters {
            pattern,
            files,
            stride: (pattern == Pattern::Strided).then_some(stride),
            file_order: if round_robin { FileOrder::RoundRobin } else { FileOrder::OneAfterAnother },
            ..PatternParameters::new(Access::Read, Bytes(record.min(size)), Bytes(size))
        };
        let mut spans: Vec<_> = operations(&parameters, seed).iter().map(|op| (op.file.0, op.offset, op.length)).collect();
        prop_assert_eq!(spans.len() as u64, size.div_ceil(record.min(size)) * u64::from(files));
        prop_assert_eq!(spans.len() as u64, parameters.accesses());
        spans.sort_unstable();
        let mut next = (1, 0);
        for (file, offset, length) in spans {
            prop_assert_eq!((file, offset), next);
            next = if offset + length == size { (file + 1, 0) } else { (file, offset + length) };
        }
        prop_assert_eq!(next, (files + 1, 0));
    }
}
