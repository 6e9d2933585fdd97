//! BT-IO against its own formulas and against the recorded runs of the real benchmark.

#![allow(clippy::unwrap_used)]
#![allow(clippy::print_stdout, reason = "what is skipped is told")]
use super::grid::{Grid, Rows};
use super::solver::face_bytes;
use crate::parallel::testing::{Done, carry_out, pieces, planned, planned_with, tile};
use petrio_colours::Operation;
use petrio_time::Time;
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::io::Read;

fn sizes_of(done: &Done, operation: Operation) -> Vec<Vec<(u64, u64)>> {
    let rank = |calls: &Vec<petrio_colours::FileOp>| {
        calls.iter().filter(|op| op.operation == operation).map(|op| (op.offset, op.length)).collect()
    };
    done.calls.iter().map(rank).collect()
}

#[test]
fn the_first_rows_of_class_a_lie_where_the_facts_say() {
    let first = |rank| {
        let grid = Grid { length: 64, side: 2 };
        Rows::new(grid, rank, 0).take(3).map(|row| row.start).collect::<Vec<_>>()
    };
    assert_eq!(first(0), [0, 2560, 5120]);
    assert_eq!([first(1)[0], first(2)[0], first(3)[0]], [1280, 81_920, 83_200]);
}

#[test]
fn neighbours_hold_the_blocks_beside() {
    for side in 1..8 {
        let grid = Grid { length: 41, side };
        for rank in 0..side * side {
            for dimension in 0..3 {
                let (next, last) = grid.neighbours(rank, dimension);
                for block in grid.blocks(rank) {
                    let mut beside = block.at;
                    beside[dimension] = (block.at[dimension] + 1) % side;
                    assert!(grid.blocks(next).any(|other| other.at == beside), "{rank} {dimension}");
                }
                assert_eq!(grid.neighbours(last, dimension).0, rank);
            }
        }
    }
}

proptest! {
    #[test]
    fn the_rows_of_all_ranks_are_each_byte_of_a_dump_once(side in 1u32..9, more in 0u64..40, base in 0u64..9) {
        let grid = Grid { length: u64::from(side) + more, side };
        let base = base * grid.dump_bytes();
        let mut rows: Vec<_> = (0..side * side)
            .flat_map(|rank| Rows::new(grid, rank, base))
            .map(|row| (row.start - base, row.end - row.start))
            .collect();
        rows.sort_unstable();
        prop_assert!(tile(&rows, grid.dump_bytes()));
    }

    #[test]
    fn a_view_shows_the_rows_in_order(side in 1u32..7, more in 0u64..20, rank in 0u32..36) {
        let grid = Grid { length: u64::from(side) + more, side };
        let rank = rank % (side * side);
        let view = grid.view(rank).unwrap();
        let mut seen = 0;
        for dump in 0..2 {
            for row in Rows::new(grid, rank, dump * grid.dump_bytes()) {
                // A row that is as long as the cube touches the next, and both are one piece.
                let mut at = row.start;
                while at < row.end {
                    let (start, length) = view.run(seen);
                    prop_assert_eq!(start, at);
                    let taken = length.min(row.end - at);
                    seen += taken;
                    at += taken;
                }
            }
        }
        prop_assert_eq!(seen, 2 * view.datatype().size());
    }
}

#[test]
fn every_way_of_writing_moves_all_dumps_once_and_reads_them_back() {
    for (subtype, markers) in [("simple", 0), ("full", 0), ("fortran", 0), ("epio", 8)] {
        for (ranks, hosts) in [(1u32, 1u32), (4, 2), (9, 9), (16, 3), (25, 1)] {
            let hosts: Vec<u32> = (0..ranks).map(|rank| rank % hosts).collect();
            let program = format!(
                r#"{{ "kind": "bt-io", "class": "S", "subtype": "{subtype}", "steps": 12, "write_interval": 5 }}"#
            );
            let done = carry_out(&planned(&program, &hosts));
            let written = pieces(&done, Operation::Write);
            // Dumps after steps 5, 10 and 12.
            let bytes = 3 * 12 * 12 * 12 * 40 + 3 * u64::from(ranks.isqrt() * ranks) * markers;
            let total: u64 = written.values().flatten().map(|(_, length)| length).sum();
            assert_eq!(total, bytes, "{subtype} {ranks}");
            for pieces in written.values() {
                let end = pieces.iter().map(|(_, length)| length).sum();
                assert!(tile(pieces, end), "{subtype} {ranks}");
            }
            let read: u64 = pieces(&done, Operation::Read).values().flatten().map(|(_, length)| length).sum();
            if subtype == "simple" || subtype == "full" {
                assert_eq!(read, bytes, "{subtype} {ranks}");
            } else {
                // The library's buffer is filled whole, wherever a file ends.
                assert!(read >= bytes, "{subtype} {ranks}");
            }
            // The program's own counts are of values.
            let values = 3 * 12 * 12 * 12 * 40;
            let measured: Vec<_> =
                done.phases.iter().map(|phase| (&*phase.phase.name, phase.amount.bytes)).collect();
            assert_eq!(measured, [("write", values), ("read back", values)], "{subtype} {ranks}");
        }
    }
}

#[test]
fn a_file_that_is_read_from_end_to_end_is_read_once() {
    for class in ["S", "W"] {
        let program =
            format!(r#"{{ "kind": "bt-io", "class": "{class}", "subtype": "epio", "messages": false }}"#);
        let done = carry_out(&planned(&program, &[0; 4]));
        let written = pieces(&done, Operation::Write);
        for (file, read) in pieces(&done, Operation::Read) {
            let length = written[&file].iter().map(|piece| piece.0 + piece.1).max().unwrap();
            // A read that goes beyond the end of the file gets what is before it.
            let got: Vec<_> =
                read.iter().map(|&(offset, bytes)| (offset, bytes.min(length - offset))).collect();
            assert!(tile(&got, length), "{class}");
        }
    }
}

#[test]
fn fortrans_buffer_brings_rows_that_lie_near_each_other_at_once() {
    let program =
        r#"{ "kind": "bt-io", "class": "S", "subtype": "fortran", "steps": 5, "fortran_buffer": "960 B" }"#;
    let done = carry_out(&planned(program, &[0; 4]));
    // Rows of 240 B every 480 B: one call each to write, and a call for each two to read.
    let written = &sizes_of(&done, Operation::Write)[0];
    assert_eq!((written.len(), written[0], written[1]), (72, (0, 240), (480, 240)));
    let read = &sizes_of(&done, Operation::Read)[0];
    assert_eq!((read.len(), read[0], read[1]), (36, (0, 960), (960, 960)));
}

#[test]
fn computing_and_faces_of_a_step_add_up() {
    let program = r#"{ "kind": "bt-io", "class": "S", "subtype": "simple", "steps": 10, "step_time": "1 s", "read_back": false }"#;
    let done = carry_out(&planned(program, &[0; 9]));
    assert!(done.computed.iter().all(|time| *time == Time::from_whole_seconds(10)));
    // Six sweeps hand on at two of three stages; broadcasts, reductions and barriers send little beside that.
    let grid = Grid { length: 12, side: 3 };
    let sweeps = 2 * 3 * (240 + 40) * (12 / 3 + 1) * (12 / 3 + 1);
    for (rank, sent) in done.sent.iter().enumerate() {
        let expected = 10 * (face_bytes(grid, rank as u32) + sweeps);
        assert!((expected..expected + 1000).contains(sent), "{rank}: {sent} of {expected}");
    }
}

#[test]
fn a_rate_gives_the_time_of_the_benchmarks_own_count() {
    // Class A of NPB: 168,300 million operations in 200 steps.
    let program = r#"{ "kind": "bt-io", "class": "A", "subtype": "epio", "steps": 1, "rate": 100.0, "messages": false, "read_back": false }"#;
    let done = carry_out(&planned(program, &[0; 4]));
    let seconds = done.computed[0].as_seconds();
    assert!((seconds - 168_300.0 / 200.0 / 4.0 / 100.0).abs() < 0.01, "{seconds}");
}

/// Where measurements that aren't part of the repository lie.
fn data() -> std::path::PathBuf {
    match std::env::var_os("PETRIO_DATA") {
        Some(path) => path.into(),
        None => std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data"),
    }
}

/// The recorded runs: their name, the program, and the hints that they had.
const RUNS: [(&str, &str, &str, &str); 10] = [
    ("bt_Ssimpleompio", "S", r#""subtype": "simple""#, "{}"),
    ("bt_Ssimpleromio321", "S", r#""subtype": "simple""#, "{}"),
    ("bt_Wsimpleompio", "W", r#""subtype": "simple""#, "{}"),
    ("bt_Wsimpleromio321", "W", r#""subtype": "simple""#, "{}"),
    ("bt_A10simpleompio", "A", r#""subtype": "simple", "steps": 5"#, "{}"),
    ("bt_Sfullompio", "S", r#""subtype": "full""#, "{}"),
    ("bt_Sfullromio321", "S", r#""subtype": "full""#, "{}"),
    ("bt_Wfullromio321", "W", r#""subtype": "full""#, "{}"),
    ("bt_A10fullompio", "A", r#""subtype": "full", "steps": 5"#, "{}"),
    (
        "bt_A5cb4_4194304_romio321",
        "A",
        r#""subtype": "full", "steps": 5"#,
        r#"{ "cb_buffer_size": "4 MiB" }"#,
    ),
];

fn run(name: &str) -> Done {
    let (_, class, program, hints) = RUNS.into_iter().find(|run| run.0 == name).unwrap();
    let program = format!(r#"{{ "kind": "bt-io", "class": "{class}", {program}, "messages": false }}"#);
    carry_out(&planned_with(&program, hints, &[0; 4]))
}

#[test]
fn sizes_and_counts_are_those_of_the_recorded_runs() {
    let path = data().join("btio/ALL_summary.csv");
    let Ok(text) = std::fs::read_to_string(&path) else {
        println!("skipped: sizes_and_counts_are_those_of_the_recorded_runs ({})", path.display());
        return;
    };
    for (name, ..) in RUNS {
        let mut recorded: BTreeMap<(usize, String, u64), u64> = BTreeMap::new();
        for line in text.lines().skip(1) {
            let fields: Vec<&str> = line.split(',').collect();
            if fields[0] == name {
                let key = (fields[1].parse().unwrap(), fields[2].to_owned(), fields[3].parse().unwrap());
                recorded.insert(key, fields[4].parse().unwrap());
            }
        }
        assert!(!recorded.is_empty(), "{name}");
        let mut ours: BTreeMap<(usize, String, u64), u64> = BTreeMap::new();
        let done = run(name);
        for (operation, word) in [(Operation::Write, "pwrite"), (Operation::Read, "pread")] {
            for (rank, calls) in sizes_of(&done, operation).into_iter().enumerate() {
                calls
                    .iter()
                    .for_each(|(_, length)| *ours.entry((rank, word.to_owned(), *length)).or_default() += 1);
            }
        }
        assert_eq!(ours, recorded, "{name}");
    }
}

#[test]
fn order_and_offsets_are_those_of_the_recorded_runs() {
    let folder = data().join("btio");
    let recorded = RUNS.iter().filter(|run| folder.join(format!("{}.calls.csv.gz", run.0)).exists());
    let mut compared = 0;
    for (name, ..) in recorded {
        let text = unpacked(&folder.join(format!("{name}.calls.csv.gz")));
        let done = run(name);
        for (rank, calls) in done.calls.iter().enumerate() {
            let own = text.lines().skip(1).map(|line| line.split(',').collect::<Vec<_>>());
            let own = own.filter(|fields| fields[1].parse() == Ok(rank));
            let theirs: Vec<(String, u64, u64)> = own
                .map(|fields| (fields[2].to_owned(), fields[4].parse().unwrap(), fields[3].parse().unwrap()))
                // The benchmark first removes what an earlier run has left.
                .filter(|(operation, ..)| operation != "unlink")
                .collect();
            let mut ours: Vec<(String, u64, u64)> =
                calls.iter().map(|op| (word(op.operation), op.offset, op.length)).collect();
            // Open MPI's own MPI-IO keeps the file open that it has made.
            if name.ends_with("ompio") && rank == 0 {
                ours.drain(1..3);
            }
            assert!(!theirs.is_empty());
            // A long record was cut off after 2,000 calls.
            assert!(theirs.len() == ours.len() || text.lines().count() == 2001, "{name} {rank}");
            for (position, (ours, theirs)) in ours.iter().zip(&theirs).enumerate() {
                assert_eq!(ours, theirs, "{name}, rank {rank}, call {position}");
            }
            compared += theirs.len();
        }
    }
    if compared == 0 {
        println!("skipped: order_and_offsets_are_those_of_the_recorded_runs ({})", folder.display());
    }
}

fn word(operation: Operation) -> String {
    match operation {
        Operation::Read => "pread",
        Operation::Write => "pwrite",
        Operation::Open | Operation::Create => "openat",
        other => other.name(),
    }
    .to_owned()
}

fn unpacked(path: &std::path::Path) -> String {
    let mut text = String::new();
    flate2::read::GzDecoder::new(std::fs::File::open(path).unwrap()).read_to_string(&mut text).unwrap();
    text
}
