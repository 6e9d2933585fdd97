//! Whether a program out of Darshan's counters is counted as they were: by a counter that does what Darshan's runtime does.

#![allow(clippy::unwrap_used, clippy::print_stdout)] // A test that is skipped says so.

use crate::parallel::{JobPlacement, JobPlan, ParallelParameters, counted_job};
use crate::program::{FileProgram, Placement, ProgramError, Step};
use petrio_colours::{FileOp, Operation};
use petrio_files::inputs::Inputs;
use petrio_trace::darshan::{
    DarshanFile, FileCounters, Interface, Transfers, read_bytes, read_in, size_range,
};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// What Darshan counts of a file, of one process or of all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Counted {
    opens: u64,
    stats: u64,
    syncs: u64,
    data_syncs: u64,
    switches: u64,
    sides: [CountedSide; 2],
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct CountedSide {
    operations: u64,
    bytes: u64,
    sizes: [u64; 10],
    sequential: u64,
    consecutive: u64,
    max_byte: i64,
}

/// What its runtime remembers of a process and file.
#[derive(Default)]
struct Runtime {
    last: [i64; 2],
    last_side: Option<usize>,
}

impl Counted {
    /// POSIX_RECORD_READ and POSIX_RECORD_WRITE of darshan-posix.c (3.5).
    fn access(&mut self, runtime: &mut Runtime, side: usize, offset: u64, length: u64) {
        let (offset, size) = (offset.cast_signed(), length.cast_signed());
        let counted = &mut self.sides[side];
        counted.sequential += u64::from(offset > runtime.last[side]);
        counted.consecutive += u64::from(offset == runtime.last[side] + 1);
        runtime.last[side] = offset + size - 1;
        counted.max_byte = counted.max_byte.max(offset + size - 1);
        counted.bytes += length;
        counted.operations += 1;
        counted.sizes[size_range(length)] += 1;
        self.switches += u64::from(runtime.last_side.is_some_and(|last| last != side));
        runtime.last_side = Some(side);
    }

    fn step(&mut self, runtime: &mut Runtime, op: &FileOp) {
        match op.operation {
            Operation::Read => self.access(runtime, 0, op.offset, op.length),
            Operation::Write => self.access(runtime, 1, op.offset, op.length),
            Operation::Open | Operation::Create => self.opens += 1,
            Operation::Stat => self.stats += 1,
            Operation::Fsync => self.syncs += 1,
            Operation::Fdatasync => self.data_syncs += 1,
            _ => {}
        }
    }

    /// As darshan-parser prints it.
    fn text(&self, rank: i64, file: u64, out: &mut String) {
        let mut tell = |name: &str, value: i64| {
            writeln!(out, "POSIX\t{rank}\t{file}\tPOSIX_{name}\t{value}\t/f{file}\t/\text4").unwrap();
        };
        let mut count = |name: &str, value: u64| tell(name, value.cast_signed());
        count("OPENS", self.opens);
        count("STATS", self.stats);
        count("FSYNCS", self.syncs);
        count("FDSYNCS", self.data_syncs);
        count("RW_SWITCHES", self.switches);
        let ranges = [
            "0_100", "100_1K", "1K_10K", "10K_100K", "100K_1M", "1M_4M", "4M_10M", "10M_100M", "100M_1G",
            "1G_PLUS",
        ];
        for (side, (word, past)) in self.sides.iter().zip([("READ", "READ"), ("WRITE", "WRITTEN")]) {
            count(&format!("{word}S"), side.operations);
            count(&format!("BYTES_{past}"), side.bytes);
            count(&format!("SEQ_{word}S"), side.sequential);
            count(&format!("CONSEC_{word}S"), side.consecutive);
            count(&format!("MAX_BYTE_{past}"), side.max_byte.max(0).unsigned_abs());
            for (range, value) in ranges.iter().zip(side.sizes) {
                count(&format!("SIZE_{word}_{range}"), value);
            }
        }
    }
}

fn planned_of(inputs: &Inputs, file: &Path, ranks: u32) -> Result<JobPlan, ProgramError> {
    let program = serde_json::json!({ "kind": "darshan", "file": file, "time_scale": 0.0 });
    let parameters = serde_json::json!({ "ranks": ranks, "program": program });
    let parameters: ParallelParameters = serde_json::from_value(parameters).unwrap();
    let all = || vec![0; ranks as usize];
    parameters.plan_in(inputs, &JobPlacement::new(Placement::new("d"), all(), all()))
}

/// What the planned program is counted as: file by file, of each rank and of all.
fn counted(plan: &JobPlan, ranks: u32) -> BTreeMap<(u32, u32), Counted> {
    let mut all = BTreeMap::<(u32, u32), Counted>::new();
    for (rank, mut program) in (0..).zip(plan.programs(0, 0..ranks, &std::sync::Arc::default()).unwrap()) {
        let mut runtimes = BTreeMap::<u32, Runtime>::new();
        loop {
            match program.next(petrio_time::Time::ZERO).unwrap() {
                Step::End => break,
                Step::Operation(op) if op.operation != Operation::Compute => {
                    let runtime = runtimes.entry(op.file.0).or_default();
                    all.entry((op.file.0, rank)).or_default().step(runtime, &op);
                }
                _ => {}
            }
        }
    }
    all
}

fn sum(of: impl Iterator<Item = Counted>) -> Counted {
    of.fold(Counted::default(), |mut sum, one| {
        sum.opens += one.opens;
        sum.stats += one.stats;
        sum.syncs += one.syncs;
        sum.data_syncs += one.data_syncs;
        sum.switches += one.switches;
        for (all, one) in sum.sides.iter_mut().zip(one.sides) {
            all.operations += one.operations;
            all.bytes += one.bytes;
            all.sequential += one.sequential;
            all.consecutive += one.consecutive;
            all.max_byte = all.max_byte.max(one.max_byte);
            all.sizes.iter_mut().zip(one.sizes).for_each(|(all, one)| *all += one);
        }
        sum
    })
}

/// A process's accesses as they may have been: with runs, strides, returns, and sizes of all ranges.
fn accesses() -> impl Strategy<Value = Vec<(usize, u64, u64)>> {
    let size = prop_oneof![1u64..200, 1_000u64..20_000, Just(65_536), 900_000u64..5_000_000];
    let place = prop_oneof![4 => Just(None), 1 => (0u64..50_000_000).prop_map(Some)];
    proptest::collection::vec((0usize..2, size, place, any::<bool>()), 0..40).prop_map(|steps| {
        let mut ends = [0_u64; 2];
        let mut side = 0;
        steps
            .into_iter()
            .map(|(wanted, size, place, keeps)| {
                side = if keeps { side } else { wanted };
                let offset = place.unwrap_or(ends[side]);
                ends[side] = offset + size;
                (side, offset, size)
            })
            .collect()
    })
}

fn recorded(of: &[(usize, u64, u64)], calls: [u64; 4]) -> Counted {
    let mut counted = Counted { opens: calls[0], stats: calls[1], ..Counted::default() };
    // Only who moves data is taken to sync them.
    if !of.is_empty() {
        (counted.syncs, counted.data_syncs) = (calls[2], calls[3]);
    }
    let mut runtime = Runtime::default();
    of.iter().for_each(|&(side, offset, length)| counted.access(&mut runtime, side, offset, length));
    counted
}

/// What counts exactly: all but how far a file reaches.
fn exact(mut counted: Counted) -> Counted {
    counted.sides.iter_mut().for_each(|side| side.max_byte = 0);
    counted
}

fn planned_text(text: &str, ranks: u32) -> JobPlan {
    let inputs = Inputs::none();
    inputs.hold(Path::new("run.txt"), text.as_bytes());
    planned_of(&inputs, Path::new("run.txt"), ranks).unwrap()
}

proptest! {
    #[test]
    fn what_one_process_did_is_counted_again_exactly(of in accesses(), calls in [1u64..5, 0..3, 0..3, 0..3]) {
        let was = recorded(&of, calls);
        let mut text = "# darshan log version: 3.41\n# nprocs: 3\n".to_owned();
        was.text(1, 7, &mut text);
        let all = counted(&planned_text(&text, 3), 3);
        prop_assert!(all.keys().all(|(_, rank)| *rank == 1));
        prop_assert_eq!(exact(sum(all.into_values())), exact(was));
    }

    #[test]
    fn what_all_processes_did_to_one_file_is_counted_again_exactly(
        of in proptest::collection::vec(accesses(), 2..6),
        calls in [1u64..5, 0..3, 0..3, 0..3],
    ) {
        let ranks = of.len() as u32;
        let was = sum(of.iter().map(|of| recorded(of, calls)));
        let mut text = format!("# darshan log version: 3.41\n# nprocs: {ranks}\n");
        was.text(-1, 7, &mut text);
        let mut again = exact(sum(counted(&planned_text(&text, ranks), ranks).into_values()));
        // Where several took turns, each has at least one when it does both.
        let switches = (again.switches, was.switches);
        again.switches = was.switches;
        prop_assert_eq!(again, exact(was));
        prop_assert!(switches.0.abs_diff(switches.1) <= u64::from(ranks), "{:?}", switches);
    }
}

#[test]
fn a_common_size_is_as_common_and_a_stride_as_long() {
    let mut text = "# darshan log version: 3.41\n# nprocs: 4\n".to_owned();
    // IOR with 4 ranks, 16 transfers of 64 KiB each in turn.
    let was: Vec<_> = (0..4_u64)
        .map(|rank| (0..16).map(|turn| (1, (turn * 4 + rank) * 65_536, 65_536)).collect::<Vec<_>>())
        .map(|of| recorded(&of, [1, 0, 1, 0]))
        .collect();
    sum(was.into_iter()).text(-1, 9, &mut text);
    text.push_str("POSIX\t-1\t9\tPOSIX_STRIDE1_STRIDE\t196608\t/f9\t/\text4\nPOSIX\t-1\t9\tPOSIX_STRIDE1_COUNT\t60\t/f9\t/\text4\n");
    text.push_str("POSIX\t-1\t9\tPOSIX_ACCESS1_ACCESS\t65536\t/f9\t/\text4\nPOSIX\t-1\t9\tPOSIX_ACCESS1_COUNT\t64\t/f9\t/\text4\n");
    let plan = planned_text(&text, 4);
    let mut offsets = Vec::new();
    for mut program in plan.programs(0, 0..4, &std::sync::Arc::default()).unwrap() {
        loop {
            match program.next(petrio_time::Time::ZERO).unwrap() {
                Step::End => break,
                Step::Operation(op) if op.operation == Operation::Write => {
                    assert_eq!(op.length, 65_536);
                    offsets.push(op.offset / 65_536);
                }
                _ => {}
            }
        }
    }
    // Each block of the file once, and each rank's every fourth.
    assert_eq!(offsets[..3], [0, 4, 8]);
    offsets.sort_unstable();
    assert_eq!(offsets, (0..64).collect::<Vec<_>>());
}

#[test]
fn calls_come_when_they_came_and_what_is_between_is_computed() {
    let text = "# darshan log version: 3.41\n# nprocs: 1\n\
        POSIX\t0\t5\tPOSIX_OPENS\t1\t/f\t/\text4\nPOSIX\t0\t5\tPOSIX_WRITES\t2\t/f\t/\text4\n\
        POSIX\t0\t5\tPOSIX_BYTES_WRITTEN\t2000\t/f\t/\text4\n\
        POSIX\t0\t5\tPOSIX_F_OPEN_START_TIMESTAMP\t1.0\t/f\t/\text4\n\
        POSIX\t0\t5\tPOSIX_F_WRITE_START_TIMESTAMP\t3.0\t/f\t/\text4\n\
        POSIX\t0\t5\tPOSIX_F_WRITE_END_TIMESTAMP\t7.0\t/f\t/\text4\n\
        POSIX\t0\t5\tPOSIX_F_WRITE_TIME\t1.0\t/f\t/\text4\n";
    let inputs = Inputs::none();
    inputs.hold(Path::new("run.txt"), text.as_bytes());
    let program = serde_json::json!({ "kind": "darshan", "file": "run.txt", "gaps": "think" });
    let parameters: ParallelParameters =
        serde_json::from_value(serde_json::json!({ "ranks": 1, "program": program })).unwrap();
    let plan =
        parameters.plan_in(&inputs, &JobPlacement::new(Placement::new("d"), vec![0], vec![0])).unwrap();
    let mut steps = Vec::new();
    for mut program in plan.programs(0, 0..1, &std::sync::Arc::default()).unwrap() {
        loop {
            match program.next(petrio_time::Time::ZERO).unwrap() {
                Step::End => break,
                Step::Think(time) => steps.push(format!("think {}", time.as_seconds())),
                Step::Operation(op) => {
                    steps.push(format!("{} {}+{}", op.operation.name(), op.offset, op.length));
                }
                _ => {}
            }
        }
    }
    // Two writes of half a second each in four seconds: at 3 s and at 5 s.
    let expected = [
        "think 1",
        "create 0+0",
        "think 2",
        "write 0+1000",
        "think 1.5",
        "write 1000+1000",
        "think 1.5",
        "close 0+0",
    ];
    assert_eq!(steps, expected);
}

#[test]
fn mpi_io_above_posix_calls_is_not_played_twice_and_terminals_are_told() {
    let text = "# darshan log version: 3.41\n# nprocs: 2\n\
        POSIX\t-1\t5\tPOSIX_WRITES\t2\t/f\t/\text4\nPOSIX\t-1\t5\tPOSIX_BYTES_WRITTEN\t2000\t/f\t/\text4\n\
        MPI-IO\t-1\t5\tMPIIO_COLL_WRITES\t4\t/f\t/\text4\nMPI-IO\t-1\t5\tMPIIO_BYTES_WRITTEN\t2000\t/f\t/\text4\n\
        MPI-IO\t-1\t6\tMPIIO_INDEP_READS\t3\t/g\t/\text4\nMPI-IO\t-1\t6\tMPIIO_BYTES_READ\t300\t/g\t/\text4\n\
        STDIO\t0\t7\tSTDIO_WRITES\t9\t<STDOUT>\tUNKNOWN\tUNKNOWN\n\
        H5F\t-1\t5\tH5F_OPENS\t4\t/f\t/\text4\n";
    let all = sum(counted(&planned_text(text, 2), 2).into_values());
    let [read, write] = &all.sides;
    assert_eq!((read.operations, read.bytes, write.operations, write.bytes), (3, 300, 2, 2000));
    let inputs = Inputs::none();
    inputs.hold(Path::new("run.txt"), text.as_bytes());
    let job = counted_job(&inputs, Path::new("run.txt")).unwrap().unwrap();
    assert_eq!((job.ranks, job.files, job.bytes), (2, 2, (300, 2000)));
    let told = job.remarks.join("\n");
    assert!(told.contains("1 records of standard input") && told.contains("1 records of MPI-IO"), "{told}");
}

#[test]
fn texts_of_other_options_are_told_what_they_are() {
    for (text, words) in [
        ("# darshan log version: 3.41\ntotal_POSIX_OPENS: 4\ntotal_POSIX_READS: 0\n", "--total"),
        ("total_POSIX_OPENS: 4\n", "--total"),
        ("# darshan log version: 3.41\n# exe: a\n", "touched no file"),
        ("# darshan log version: 2.06\n0\t1\tCP_POSIX_OPENS\t4\tf\t/\text4\n", "darshan-parser 2"),
        ("# darshan log version: 3.41\nPOSIX\t-1\t5\tPOSIX_WRITES\tmany\t/f\t/\text4\n", "line 2"),
    ] {
        let problem = read_bytes(text.as_bytes().to_vec()).unwrap_err();
        assert!(problem.contains(words), "{text}: {problem}");
    }
    let other = read_bytes(b"Dear reader,\n".to_vec()).unwrap();
    assert!(matches!(other, DarshanFile::Other));
}

/// All logs with counters alone below the folder of measurements.
fn logs() -> Vec<PathBuf> {
    let root = std::env::var_os("PETRIO_DATA")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data"), PathBuf::from);
    let folder = std::fs::read_dir(root.join("traces/darshan"));
    let mut all: Vec<PathBuf> = folder.into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    all.sort();
    all
}

#[test]
fn real_logs_are_counted_as_darshan_counted() {
    let mut seen = 0;
    for path in logs() {
        let inputs = Inputs::here();
        let Ok(DarshanFile::Counters(counters)) = read_in(&inputs, &path) else { continue };
        let ranks = u32::try_from(counters.processes).unwrap();
        let plan = match planned_of(&inputs, &path, ranks) {
            Ok(plan) => plan,
            Err(problem) => panic!("{}: {problem}", path.display()),
        };
        let again = sum(counted(&plan, ranks).into_values());
        let posix: Vec<&FileCounters> = super::counted::played(&counters);
        let of = |side: fn(&FileCounters) -> &Transfers, what: fn(&Transfers) -> u64| {
            posix.iter().map(|file| what(side(file))).sum::<u64>()
        };
        let sides: [fn(&FileCounters) -> &Transfers; 2] = [|file| &file.read, |file| &file.write];
        for (side, again) in sides.into_iter().zip(&again.sides) {
            assert_eq!(again.operations, of(side, |moved| moved.operations), "{}", path.display());
            assert_eq!(again.bytes, of(side, |moved| moved.bytes), "{}", path.display());
            if posix.iter().all(|file| file.interface == Interface::Posix) {
                let known = |moved: &Transfers| moved.sequential.unwrap_or_default();
                assert_eq!(again.sequential, of(side, known), "{} sequential", path.display());
                let known = |moved: &Transfers| moved.consecutive.unwrap_or_default();
                assert_eq!(again.consecutive, of(side, known), "{} consecutive", path.display());
                for range in 0..10 {
                    let counted: u64 =
                        posix.iter().map(|file| side(file).sizes.unwrap_or_default()[range]).sum();
                    assert_eq!(again.sizes[range], counted, "{} range {range}", path.display());
                }
            }
        }
        assert_eq!(again.opens, posix.iter().map(|file| file.opens).sum::<u64>(), "{}", path.display());
        seen += 1;
    }
    if seen == 0 {
        println!(
            "skipped: real_logs_are_counted_as_darshan_counted needs logs without extended traces in traces/darshan"
        );
    }
}
