//! mdtest's command lines and what comes of them.

#![allow(clippy::unwrap_used)]
use super::{CommandLine, MdtestOptions};
use crate::parallel::testing::{carry_out, carry_out_by_turns, planned};
use petrio_colours::Operation;
use petrio_time::Time;
use proptest::prelude::*;
use std::collections::BTreeMap;

fn counts(command: &str, ranks: u32) -> BTreeMap<&'static str, u64> {
    let program = format!(r#"{{ "kind": "mdtest", "command": "{command}" }}"#);
    let done = carry_out(&planned(&program, &vec![0; ranks as usize]));
    let mut counts = BTreeMap::new();
    for op in done.calls.iter().flatten() {
        *counts.entry(op.operation.name()).or_default() += 1;
    }
    counts
}

proptest! {
    #[test]
    fn all_that_is_made_is_looked_at_read_and_removed(
        ranks in 1u32..6,
        per_directory in 1u64..4,
        depth in 0u32..3,
        branches in 1u64..4,
        flags in proptest::sample::subsequence(vec!["-u", "-L", "-B", "-y", "-c"], 0..6)
            .prop_filter("mdtest refuses both", |flags| !(flags.contains(&"-c") && flags.contains(&"-B"))),
        kind in proptest::sample::select(vec!["", "-F", "-D"]),
    ) {
        // Who doesn't wait uses only what it has made itself.
        let unique = flags.contains(&"-u");
        let stride = if unique || flags.contains(&"-B") { 0 } else { 1 };
        let command = format!(
            "mdtest -I {per_directory} -z {depth} -b {branches} -w 3901 -e 3901 -N {stride} {kind} {}",
            flags.join(" "),
        );
        let counts = counts(&command, ranks);
        let levels = (0..=depth).map(|level| branches.pow(level));
        let directories: u64 = levels.clone().sum();
        let with_items = if flags.contains(&"-L") { branches.pow(depth) } else { directories };
        let items = with_items * per_directory * u64::from(ranks);
        let trees = if unique { u64::from(ranks) } else { 1 };
        let of = |name: &str| counts.get(name).copied().unwrap_or(0);
        let (files, folders) = (items * u64::from(kind != "-D"), items * u64::from(kind != "-F"));
        prop_assert_eq!(of("mkdir"), 1 + trees * directories + folders);
        prop_assert_eq!(of("rmdir"), of("mkdir"));
        // What the first rank has made for all, each opens to write it.
        let again = if flags.contains(&"-c") { files } else { 0 };
        prop_assert_eq!((of("create"), of("unlink"), of("open")), (files, files, files + again));
        prop_assert_eq!((of("write"), of("read"), of("close")), (files, files, 2 * files + again));
        prop_assert_eq!(of("stat"), files + folders);
        prop_assert_eq!(of("fsync"), if flags.contains(&"-y") { files } else { 0 });
    }
}

#[test]
fn with_a_stride_ranks_look_at_each_others_items() {
    let program = r#"{ "kind": "mdtest", "command": "mdtest -n 1 -F -N 1" }"#;
    let done = carry_out(&planned(program, &[0; 4]));
    let of = |operation| -> Vec<u32> {
        let file = |calls: &Vec<petrio_colours::FileOp>| {
            calls.iter().find(|op| op.operation == operation).unwrap().file.0
        };
        done.calls.iter().map(file).collect()
    };
    let made = of(Operation::Create);
    let turned = |by: usize| (0..4).map(|rank| made[(rank + by) % 4]).collect::<Vec<_>>();
    assert_eq!(of(Operation::Stat), turned(1));
    assert_eq!(of(Operation::Open), turned(2));
    assert_eq!(of(Operation::Unlink), turned(3));
}

#[test]
fn the_first_rank_makes_and_removes_for_all_and_each_writes_its_own() {
    let calls = |options: &str| -> Vec<Vec<(Operation, u32)>> {
        let program = format!(r#"{{ "kind": "mdtest", "command": "mdtest -n 2 -w 8 {options}" }}"#);
        let done = carry_out(&planned(&program, &[0; 3]));
        let of =
            |calls: &Vec<petrio_colours::FileOp>| calls.iter().map(|op| (op.operation, op.file.0)).collect();
        done.calls.iter().map(of).collect()
    };
    for options in ["", "-u", "-F -u -N 1", "-D -N 1"] {
        let [alone, together] = [calls(options), calls(&format!("-c {options}"))];
        let of = |calls: &[Vec<(Operation, u32)>], wanted: Operation| -> Vec<u32> {
            let mut files: Vec<u32> = calls
                .iter()
                .flatten()
                .filter(|(operation, _)| *operation == wanted)
                .map(|(_, file)| *file)
                .collect();
            files.sort_unstable();
            files
        };
        for made in [Operation::Mkdir, Operation::Create, Operation::Rmdir, Operation::Unlink] {
            assert_eq!(of(&together[..1], made), of(&alone, made), "{options}: {}", made.name());
            assert_eq!(of(&together[1..], made), [0; 0], "{options}: {}", made.name());
        }
        for (rank, calls) in together.iter().enumerate() {
            let written = |calls: &[(Operation, u32)]| {
                calls
                    .iter()
                    .filter(|(operation, _)| *operation == Operation::Write)
                    .map(|(_, file)| *file)
                    .collect::<Vec<_>>()
            };
            assert_eq!(written(calls), written(&alone[rank]), "{options}");
        }
    }
}

#[test]
fn only_what_is_asked_for_is_done_to_what_is_there() {
    let counts = counts("mdtest -n 5 -F -T", 3);
    assert_eq!(counts, BTreeMap::from([("stat", 15)]));
}

#[test]
fn what_changes_no_access_is_accepted_and_does_nothing() {
    let read = |command: &str| command.parse::<CommandLine<MdtestOptions>>().unwrap().options().clone();
    for (command, like) in [
        // As IO500 calls it.
        (
            "./mdtest --dataPacketType=timestamp -n 1000000 -t -w 3901 -e 3901 -P -G=271 -N 1 -F -d /data/mdtest-hard -x \
             /results/mdtest-hard.stonewall -C -Y -W 300 -a POSIX --saveRankPerformanceDetails=/results/x.csv",
            "mdtest -n 1000000 -w 3901 -e 3901 -N 1 -F -C -Y -W 300",
        ),
        ("mdtest -n=1k -F -E -X -e 10 -w 10 -V 2 --showRankStatistics", "mdtest -n 1024 -F -E -e 10 -w 10"),
        ("mdtest -n 3 -y", "mdtest -n 3 -y -w 0"),
    ] {
        assert_eq!(read(command), read(like), "{command}");
    }
}

#[test]
fn looked_at_in_an_order_that_is_drawn_is_each_item_once() {
    let stats = |options: &str| -> Vec<u32> {
        let program = format!(r#"{{ "kind": "mdtest", "command": "mdtest -n 50 -F {options}" }}"#);
        let done = carry_out(&planned(&program, &[0, 0]));
        done.calls[0].iter().filter(|op| op.operation == Operation::Stat).map(|op| op.file.0).collect()
    };
    let (in_order, drawn) = (stats("-p 5"), stats("-R"));
    assert_ne!(drawn, in_order);
    let mut sorted = drawn;
    sorted.sort_unstable();
    assert_eq!(sorted, in_order);
}

#[test]
fn what_cannot_be_followed_is_refused_with_a_reason() {
    for (command, words) in [
        ("mdtest", "-n or -I"),
        ("mdtest -n 3 -I 2", "-n and -I"),
        ("mdtest -n 3 -W 300", "add -F"),
        ("mdtest -n 3 -F -W 300 -z 1", "one directory"),
        ("mdtest -n 3 -F -W 300 -B", "one directory"),
        ("mdtest -n 3 -F -D", "only files"),
        ("mdtest -n 3 -i 2 -C", "removed before"),
        ("mdtest -n 3 -e 10", "more is read"),
        ("mdtest -n 3 -b 0", "zero"),
        ("mdtest -n 3 -a DFS", "POSIX"),
        ("mdtest -n 3 -f 1", "set `ranks`"),
        ("mdtest -n 3 -c -B", "aren't there yet"),
        ("mdtest -n 3 -c -F -W 300", "of its own"),
        ("mdtest -n 3 --verify-write", "as soon as it is written"),
        ("mdtest -n 3 -H", "no option of mdtest that is known here; followed are"),
    ] {
        let problem = command.parse::<CommandLine<MdtestOptions>>().unwrap_err().to_string();
        assert!(problem.contains(words), "{command}: {problem}");
    }
}

#[test]
fn the_clock_ends_the_making_of_files_and_all_have_as_many_as_the_first() {
    for (command, expected) in
        [("-n 100 -W 19", 10), ("-n 100 -W 19 -u", 10), ("-n 7 -W 19", 7), ("-n 100", 100)]
    {
        let program = format!(r#"{{ "kind": "mdtest", "command": "mdtest -F -i 2 -N 1 {command}" }}"#);
        let plan = planned(&program, &[0, 0, 0]);
        // Two calls a file, of half a second times the rank's number.
        let done = carry_out_by_turns(&plan, 5, |rank| Time::from_whole_seconds(rank as u64 + 1));
        for calls in &done.calls {
            for operation in [Operation::Create, Operation::Stat, Operation::Open, Operation::Unlink] {
                let count = calls.iter().filter(|op| op.operation == operation).count();
                assert_eq!(count, 2 * expected, "{command}: {}", operation.name());
            }
        }
    }
}
