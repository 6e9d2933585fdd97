//! mdtest's command lines and what comes of them.

#![allow(clippy::unwrap_used)]
use super::{CommandLine, MdtestOptions};
use crate::parallel::testing::{carry_out, carry_out_by_turns, planned, thought};
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
        prop_assert_eq!(of("rename"), if with_items * per_directory > 1 { folders } else { 0 });
        prop_assert_eq!(of("fsync"), if flags.contains(&"-y") { files } else { 0 });
    }
}

#[test]
fn with_a_stride_ranks_look_at_each_others_items() {
    let program = r#"{ "kind": "mdtest", "command": "mdtest -n 1 -F -N 1" }"#;
    // On one host those of the next rank; on several those of the next host, whichever way ranks lie on these.
    for (hosts, stride) in
        [([0; 6], 1), ([0, 0, 1, 1, 2, 2], 2), ([0, 1, 2, 0, 1, 2], 1), ([0, 1, 2, 3, 4, 5], 1)]
    {
        let done = carry_out(&planned(program, &hosts));
        let of = |operation| -> Vec<u32> {
            let file = |calls: &Vec<petrio_colours::FileOp>| {
                calls.iter().find(|op| op.operation == operation).unwrap().file.0
            };
            done.calls.iter().map(file).collect()
        };
        let made = of(Operation::Create);
        let turned = |by: usize| (0..6).map(|rank| made[(rank + by) % 6]).collect::<Vec<_>>();
        assert_eq!(of(Operation::Stat), turned(stride));
        assert_eq!(of(Operation::Open), turned(2 * stride));
        assert_eq!(of(Operation::Unlink), turned(3 * stride));
    }
}

/// What each rank did, and to which file.
fn calls(options: &str, ranks: usize) -> Vec<Vec<(Operation, u32)>> {
    let program = format!(r#"{{ "kind": "mdtest", "command": "mdtest {options}" }}"#);
    let done = carry_out(&planned(&program, &vec![0; ranks]));
    let of = |calls: &Vec<petrio_colours::FileOp>| calls.iter().map(|op| (op.operation, op.file.0)).collect();
    done.calls.iter().map(of).collect()
}

/// The files of one sort of operation, in their order.
fn of(calls: &[(Operation, u32)], operation: Operation) -> Vec<u32> {
    calls.iter().filter(|(found, _)| *found == operation).map(|(_, file)| *file).collect()
}

/// Names are moved as mdtest moves them, and removed by name.
#[test]
fn renamed_directories_take_the_names_before_them() {
    for items in 1..6u32 {
        let done = calls(&format!("-n {items} -D -C -U -r"), 1).remove(0);
        // After the directory that holds all, and the top of the tree.
        let made = of(&done, Operation::Mkdir)[2..].to_vec();
        let mut named: BTreeMap<u32, u32> = (0..items).map(|name| (name, made[name as usize])).collect();
        let (mut last, aside) = (items, items);
        let mut renamed = Vec::new();
        for name in (0..items).filter(|_| items > 1) {
            let from = if name == items - 1 { aside } else { name };
            let directory = named.remove(&from).unwrap();
            assert_eq!(named.insert(last, directory), None, "a directory is replaced");
            last = from;
            renamed.push(directory);
        }
        assert_eq!(of(&done, Operation::Rename), renamed, "{items}");
        let gone: Vec<u32> = named.into_values().collect();
        assert_eq!(of(&done, Operation::Rmdir)[..items as usize], gone, "{items}");
    }
}

#[test]
fn on_some_of_the_ranks_after_another_each_number_is_measured() {
    let program = r#"{ "kind": "mdtest", "command": "mdtest -n 4 -F -f 1 -l 5 -s 2 -i 2 -N 1 -u" }"#;
    let done = carry_out(&planned(program, &[0; 6]));
    let creates: Vec<usize> = done
        .calls
        .iter()
        .map(|calls| calls.iter().filter(|op| op.operation == Operation::Create).count())
        .collect();
    // With one, three and five ranks, twice each.
    assert_eq!(creates, [24, 16, 16, 8, 8, 0]);
    let made: Vec<(String, u64)> = done
        .phases
        .iter()
        .filter(|phase| phase.phase.name.starts_with("file creation"))
        .map(|phase| (format!("{}/{}", phase.phase.name, phase.phase.repetition), phase.amount.operations))
        .collect();
    let expected = [1, 3, 5].into_iter().flat_map(|ranks| {
        [0, 1].map(|repetition| {
            let s = if ranks == 1 { "" } else { "s" };
            (format!("file creation on {ranks} rank{s}/{repetition}"), 4 * ranks)
        })
    });
    assert_eq!(made, expected.collect::<Vec<_>>());
}

#[test]
fn what_a_repetition_leaves_behind_the_next_one_has_beside_it() {
    let distinct = |options: &str, operation| {
        let mut files: Vec<u32> = calls(options, 2).iter().flat_map(|calls| of(calls, operation)).collect();
        let all = files.len();
        files.sort_unstable();
        files.dedup();
        (all, files.len())
    };
    assert_eq!(distinct("-n 3 -F -i 4 -C", Operation::Create), (24, 24));
    assert_eq!(distinct("-n 3 -F -i 4 -T", Operation::Stat), (24, 24));
    assert_eq!(distinct("-n 3 -F -i 4 -r -u", Operation::Unlink), (24, 24));
    // What is removed is made again.
    assert_eq!(distinct("-n 3 -F -i 4", Operation::Create), (24, 6));
}

#[test]
fn items_that_fill_directories_of_so_many_lie_in_as_many_trees() {
    let done = calls("-n 6 -I 2 -F -w 10 -e 10", 2);
    let all: Vec<(Operation, u32)> = done.iter().flatten().copied().collect();
    for (operation, count) in [
        // Three directories that hold all, and three trees of one.
        (Operation::Mkdir, 6),
        (Operation::Rmdir, 6),
        (Operation::Create, 12),
        (Operation::Stat, 12),
        (Operation::Read, 12),
        (Operation::Unlink, 12),
    ] {
        let mut files = of(&all, operation);
        assert_eq!(files.len(), count, "{}", operation.name());
        files.sort_unstable();
        files.dedup();
        assert_eq!(files.len(), count, "{}", operation.name());
    }
    let program = r#"{ "kind": "mdtest", "command": "mdtest -n 6 -I 2 -F" }"#;
    let phases = carry_out(&planned(program, &[0, 0])).phases;
    let counted = |name: &str| {
        phases.iter().find(|phase| phase.phase.name == name).map(|phase| phase.amount.operations).unwrap()
    };
    assert_eq!((counted("file creation"), counted("file stat"), counted("tree creation")), (12, 12, 3));
}

#[test]
fn what_is_written_is_read_at_once_if_it_is_to_be_compared() {
    let done = calls("-n 3 -F -w 100 -y --verify-write -C", 1).remove(0);
    let each = [Operation::Create, Operation::Write, Operation::Fsync, Operation::Read, Operation::Close];
    let all: Vec<Operation> = done.iter().map(|(operation, _)| *operation).skip(2).collect();
    assert_eq!(all, each.repeat(3));
}

/// The directory that holds all is made before the time of the tree begins, and removed after it.
#[test]
fn the_time_of_a_tree_is_that_of_its_directories() {
    let program = r#"{ "kind": "mdtest", "command": "mdtest -n 4 -F -z 1 -b 3" }"#;
    let done = carry_out_by_turns(&planned(program, &[0]), 1, |_| Time::from_whole_seconds(1));
    let of = |name: &str| done.phases.iter().find(|phase| phase.phase.name == name).unwrap().length();
    assert_eq!(
        (of("tree creation"), of("tree removal")),
        (Time::from_whole_seconds(4), Time::from_whole_seconds(4))
    );
}

#[test]
fn seconds_pass_before_directories_and_before_files() {
    let program =
        |options: &str| format!(r#"{{ "kind": "mdtest", "command": "mdtest -n 2 -p 7 {options}" }}"#);
    for (options, times) in [("", 2), ("-F", 1), ("-D -i 3", 3), ("-i 2", 4)] {
        assert_eq!(
            thought(&planned(&program(options), &[0])),
            vec![Time::from_whole_seconds(7); times],
            "{options}"
        );
    }
}

#[test]
fn the_first_rank_makes_and_removes_for_all_and_each_writes_its_own() {
    for options in ["", "-u", "-F -u -N 1", "-D -N 1"] {
        let [alone, together] = ["", "-c"].map(|word| calls(&format!("-n 2 -w 8 {word} {options}"), 3));
        let all_of = |calls: &[Vec<(Operation, u32)>], wanted: Operation| -> Vec<u32> {
            let mut files: Vec<u32> = calls.iter().flat_map(|calls| of(calls, wanted)).collect();
            files.sort_unstable();
            files
        };
        for made in [Operation::Mkdir, Operation::Create, Operation::Rmdir, Operation::Unlink] {
            assert_eq!(all_of(&together[..1], made), all_of(&alone, made), "{options}: {}", made.name());
            assert_eq!(all_of(&together[1..], made), [0; 0], "{options}: {}", made.name());
        }
        for (rank, calls) in together.iter().enumerate() {
            assert_eq!(of(calls, Operation::Write), of(&alone[rank], Operation::Write), "{options}");
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
    let (in_order, drawn) = (calls("-n 50 -F -p 5", 2), calls("-n 50 -F -R", 2));
    let mut orders = Vec::new();
    for operation in [Operation::Stat, Operation::Open] {
        for rank in 0..2 {
            let [in_order, mut drawn] = [&in_order, &drawn].map(|calls| of(&calls[rank], operation));
            assert_ne!(drawn, in_order);
            orders.push(drawn.iter().map(|file| file - in_order[0]).collect::<Vec<_>>());
            drawn.sort_unstable();
            assert_eq!(drawn, in_order);
        }
    }
    // Each rank has one of its own.
    assert_eq!(orders[..2], orders[2..]);
    assert_ne!(orders[0], orders[1]);
}

#[test]
fn what_cannot_be_followed_is_refused_with_a_reason() {
    for (command, words) in [
        ("mdtest", "-n or -I"),
        ("mdtest -n 3 -I 2", "don't fill"),
        ("mdtest -n 4 -I 2 -z 1", "without levels"),
        ("mdtest -n 4 -I 2 -u", "of all"),
        ("mdtest -n 4 -I 2 -F -W 3", "no -I with -n"),
        ("mdtest -n 3 -W 300", "add -F"),
        ("mdtest -n 3 -F -W 300 -z 1", "one directory"),
        ("mdtest -n 3 -F -W 300 -B", "one directory"),
        ("mdtest -n 3 -F -D", "only files"),
        ("mdtest -n 3 -f 1 -l 2 -C", "removed before"),
        ("mdtest -n 3 -f 3 -l 2", "begin with more"),
        ("mdtest -n 3 -l 2 -s 0", "zero"),
        ("mdtest -n 3 -k -w 1", "to a node"),
        ("mdtest -n 3 -N 1 -B", "aren't there yet"),
        ("mdtest -n 3 -e 10", "more is read"),
        ("mdtest -n 3 -b 0", "zero"),
        ("mdtest -n 3 -a DFS", "POSIX"),
        ("mdtest -n 3 -S", "the same files"),
        ("mdtest -n 3 -c -B", "aren't there yet"),
        ("mdtest -n 3 -c -F -W 300", "of its own"),
        ("mdtest -n 3 -H", "no option of mdtest that is known here; followed are"),
    ] {
        let problem = command.parse::<CommandLine<MdtestOptions>>().unwrap_err().to_string();
        assert!(problem.contains(words), "{command}: {problem}");
    }
}

#[test]
fn more_ranks_than_there_are_are_refused() {
    let command: CommandLine<MdtestOptions> = "mdtest -n 3 -l 4".parse().unwrap();
    let program = super::MdtestParameters { command };
    assert!(program.plan(&[0; 4]).is_ok());
    let problem = program.plan(&[0; 3]).err().unwrap().to_string();
    assert!(problem.contains("there are 3 ranks"), "{problem}");
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
