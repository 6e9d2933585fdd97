//! IOR's command lines and what comes of them.

#![allow(clippy::unwrap_used)]
use super::{CommandLine, IorApi, IorOptions};
use crate::parallel::testing::{Done, carry_out, carry_out_by_turns, pieces, planned, thought, tile};
use petrio_colours::Operation;
use petrio_time::Time;
use proptest::prelude::*;

fn program(command: &str) -> String {
    format!(r#"{{ "kind": "ior", "command": "{command}" }}"#)
}

#[test]
fn a_command_line_is_understood_as_ior_does() {
    let command: CommandLine<IorOptions> =
        "/usr/bin/ior -a mpiio -b 16m -t1m -s 4 -Fwe -i 3 -Q 2 -o /scratch/x".parse().unwrap();
    let options = command.options();
    assert_eq!((options.api, options.block, options.transfer), (IorApi::MpiIo, 16 << 20, 1 << 20));
    assert_eq!((options.segments, options.repetitions, options.node_offset), (4, 3, 2));
    assert!(options.file_per_process && options.write && !options.read && options.fsync);
    assert_eq!("ior".parse::<CommandLine<IorOptions>>().unwrap().options(), &IorOptions::default());
}

#[test]
fn what_cannot_be_followed_is_refused_with_a_reason() {
    for (command, words) in [
        ("ior -D 3 -O stoneWallingWearOut=yes", "1 or 0"),
        ("ior -O noSuchThing=x", "no directive that is known here; known are"),
        ("ior -O keepFile=1,dualMount=1", "another mount"),
        ("ior -M 2g", "page cache"),
        ("ior -y", "another mount"),
        ("ior -t=", "no whole number"),
        ("ior -D soon", "no whole number"),
        ("ior -L", "no option of IOR that is known here; followed are"),
        ("ior --hdf5.setAlignment", "no option of IOR"),
        ("ior -t", "-t needs a value"),
        ("ior -t 3x", "k, m, g or t"),
        ("ior -b 1m -t 3k", "no multiple of the transfer"),
        ("ior -c", "use -a MPIIO"),
        ("ior -a HDF5", "POSIX and MPIIO"),
        ("ior -t 99999999t", "more than 8 EiB"),
        ("mdtest -n 3", "program's name"),
        ("ior -N 4", "`ranks`"),
        ("ior -b 7 -t 7", "-b: 7 B are no multiple of 8 B"),
        ("ior -b 12 -t 4", "no multiple of 8 B"),
        ("ior -O stoneWallingWearOut=1", "goes with a deadline"),
        ("ior -R", "a signature"),
        ("ior -z -b 1m -t 1m", "larger than the transfer"),
        ("ior -z -C -b 4m -t 1m", "use -F"),
        ("ior -z -Z -b 4m -t 1m", "use -F"),
        ("ior -z -R -w -b 4m -t 1m", "needs a seed"),
    ] {
        let problem = command.parse::<CommandLine<IorOptions>>().unwrap_err().to_string();
        assert!(problem.contains(words), "{command}: {problem}");
    }
}

proptest! {
    #[test]
    fn all_ranks_write_and_read_each_byte_once(
        ranks in 1u32..9,
        hosts in 1u32..4,
        transfer in 1u64..5,
        per_block in 1u64..4,
        segments in 1u64..4,
        flags in proptest::sample::subsequence(vec!["-F", "-C", "-z", "-e", "-Y", "-g", "-m", "-u"], 0..8),
        collective in any::<bool>(),
    ) {
        prop_assume!(!flags.contains(&"-z") || per_block > 1 && (flags.contains(&"-F") || !flags.contains(&"-C")));
        let together = collective && !flags.contains(&"-z");
        let api = if together { "-a MPIIO -c" } else { "-a POSIX" };
        let transfer = transfer * 1000;
        let block = transfer * per_block;
        let command = format!("ior -k {api} -b {block} -t {transfer} -s {segments} {}", flags.join(" "));
        let hosts: Vec<u32> = (0..ranks).map(|rank| rank * hosts / ranks).collect();
        let done = carry_out(&planned(&program(&command), &hosts));
        let files = if flags.contains(&"-F") { ranks } else { 1 };
        let length = block * segments * u64::from(ranks / files);
        for operation in [Operation::Write, Operation::Read] {
            let pieces = pieces(&done, operation);
            prop_assert_eq!(pieces.len(), files as usize);
            for pieces in pieces.values() {
                // Shifted ranks' pieces lie among each other in ROMIO's eyes, and an aggregator reads what lies between them.
                let sieved = together && operation == Operation::Read && flags.contains(&"-C");
                let covered = pieces.iter().fold(0, |end, &(offset, length)| if offset <= end { end.max(offset + length) } else { end });
                prop_assert!(tile(pieces, length) || sieved && covered == length, "{} {:?}", &command, pieces);
            }
        }
    }
}

#[test]
fn what_changes_no_access_is_accepted_and_does_nothing() {
    let read = |command: &str| command.parse::<CommandLine<IorOptions>>().unwrap().options().clone();
    for (command, like) in [
        // As IO500 calls it.
        (
            "./ior --dataPacketType=timestamp -C -Q 1 -g -G=271 -k -e -o /data/ior-hard/file -O \
             stoneWallingStatusFile=/results/ior-hard.stonewall -t 47008 -b 47008 -s 10000000 -w -D 300 -O stoneWallingWearOut=1 \
             -a POSIX -O saveRankPerformanceDetailsCSV=/results/ior-hard-write.csv",
            "ior -C -g -k -e -t 47008 -b 47008 -s 10000000 -w -D 300 -O stoneWallingWearOut=1 -G 1",
        ),
        ("ior -r -R -G 271 -t=1m -b=4m", "ior -R -G 1 -t 1m -b 4m"),
        ("ior -R -G 1", "ior -r -R -G 3"),
        (
            "ior -w -O summaryFormat=JSON -O keepFile=1,summaryFile=x -KHnqvvx -j 3 -J 1 -l o -A 2 -V",
            "ior -w -k",
        ),
        ("ior -O useO_DIRECT=1,keepfile=1 -E -w", "ior -B -k -w -E"),
        (
            "ior -O transferSize=1m,blockSize=2m,segmentCount=2,filePerProc=1,multiFile=0",
            "ior -t 1m -b 2m -s 2 -F",
        ),
    ] {
        assert_eq!(read(command), read(like), "{command}");
    }
    // The launcher's ranks are those of the scenario.
    let parameters = |ranks: u32| -> crate::parallel::ParallelParameters {
        let json = format!(
            r#"{{ "ranks": {ranks}, "program": {{ "kind": "ior", "command": "mpirun -np 4 ior -w" }} }}"#
        );
        serde_json::from_str(&json).unwrap()
    };
    assert!(parameters(4).validate().is_ok());
    assert!(parameters(3).validate().unwrap_err().to_string().contains("starts 4 ranks"));
}

#[test]
fn with_c_a_rank_reads_what_another_host_has_written() {
    let command = program("ior -b 4k -t 4k -C");
    let reads = |hosts: &[u32]| -> Vec<u64> {
        let done = carry_out(&planned(&command, hosts));
        let read = |calls: &Vec<petrio_colours::FileOp>| {
            calls.iter().find(|op| op.operation == Operation::Read).unwrap().offset / 4096
        };
        done.calls.iter().map(read).collect()
    };
    assert_eq!(reads(&[0, 0, 1, 1]), [2, 3, 0, 1]);
    assert_eq!(reads(&[0, 1, 0, 1]), [1, 2, 3, 0]);
    assert_eq!(reads(&[0, 0, 0, 0]), [0, 1, 2, 3]);
}

#[test]
fn with_w_what_was_written_is_read_once_more() {
    let reads = |command: &str, hosts: &[u32]| -> Vec<Vec<u64>> {
        let done = carry_out(&planned(&program(command), hosts));
        let read = |calls: &Vec<petrio_colours::FileOp>| {
            let reads = calls.iter().filter(|op| op.operation == Operation::Read);
            reads.map(|op| op.offset / 4096).collect()
        };
        done.calls.iter().map(read).collect()
    };
    assert_eq!(reads("ior -w -W -b 4k -t 4k", &[0, 1]), [[0], [1]]);
    assert_eq!(reads("ior -w -r -W -b 4k -t 4k", &[0, 1]), [[0, 0], [1, 1]]);
    // Alone it is all that is done, of a file that is there; and it comes before what is read.
    assert_eq!(reads("ior -O checkWrite=1 -b 4k -t 4k", &[0, 1]), [[0], [1]]);
    assert_eq!(reads("ior -r -W -b 4k -t 4k", &[0, 1]), [[0, 0], [1, 1]]);
    // It is compared two hosts further, and read one host further.
    assert_eq!(reads("ior -w -r -W -C -b 4k -t 4k", &[0, 1, 2]), [[2, 1], [0, 2], [1, 0]]);
}

#[test]
fn with_z_transfers_of_one_file_are_drawn_for_ranks_and_those_of_their_own_are_shuffled() {
    let offsets = |command: &str, operation| -> Vec<Vec<u64>> {
        let done = carry_out(&planned(&program(command), &[0, 1, 2]));
        let of = |calls: &Vec<petrio_colours::FileOp>| {
            let all = calls.iter().filter(|op| op.operation == operation);
            all.map(|op| op.offset / 4096).collect()
        };
        done.calls.iter().map(of).collect()
    };
    let command = "ior -w -r -z -b 64k -t 4k -s 2 -k";
    let written = offsets(command, Operation::Write);
    assert_eq!(written, offsets(command, Operation::Read), "by the same draw");
    let shares: Vec<usize> = written.iter().map(Vec::len).collect();
    assert!(
        shares.iter().sum::<usize>() == 2 * 3 * 16 && shares.iter().any(|&share| share != 32),
        "{shares:?}"
    );
    for of_rank in &written {
        // In the second segment as in the first, and of all ranks' blocks.
        let (first, second) = of_rank.split_at(of_rank.len() / 2);
        assert!(first.iter().map(|at| at + 48).eq(second.iter().copied()));
        assert!(first.iter().any(|at| *at < 16) && first.iter().any(|at| *at >= 32), "{first:?}");
    }
    let command = "ior -w -r -z -F -b 64k -t 4k -s 2 -k";
    let (written, read) = (offsets(command, Operation::Write), offsets(command, Operation::Read));
    // The first pass shuffles all files alike, the next each in its own way.
    assert!(written.iter().all(|of_rank| *of_rank == written[0]) && read[0] != read[1] && read[1] != read[2]);
    for of_rank in written.iter().chain(&read) {
        let (first, second) = of_rank.split_at(16);
        assert!(first.iter().map(|at| at + 16).eq(second.iter().copied()));
    }
    let command = "ior -w -r -z -F -b 64k -t 4k -k --random-offset-seed=3";
    let (written, read) = (offsets(command, Operation::Write), offsets(command, Operation::Read));
    assert!(written == read && written[0] != written[1]);
}

#[test]
fn repetitions_and_ranks_may_have_files_and_directories_of_their_own() {
    let of = |command: &str, operation| -> Vec<Vec<(u32, u32)>> {
        let done = carry_out(&planned(&program(command), &[0, 1]));
        let first = 1;
        let made = |calls: &Vec<petrio_colours::FileOp>| {
            let made = calls.iter().filter(|op| op.operation == operation);
            made.map(|op| (op.file.0 - first, op.parent.0.saturating_sub(first))).collect()
        };
        done.calls.iter().map(made).collect()
    };
    let files = |command: &str, operation| -> Vec<Vec<u32>> {
        let all = of(command, operation);
        all.iter().map(|of| of.iter().map(|(file, _)| *file).collect()).collect()
    };
    let first = files("ior -m -i 3 -w", Operation::Create)[0][0];
    assert_eq!(files("ior -m -i 3 -w", Operation::Create)[0], [first, first + 1, first + 2]);
    assert_eq!(files("ior -m -i 3 -w -k", Operation::Create)[0], [first, first + 1, first + 2]);
    assert_eq!(files("ior -m -i 3 -w", Operation::Unlink)[0], [first, first + 1, first + 2]);
    let own = files("ior -F -m -i 2 -w -k", Operation::Create);
    assert_eq!((own[0][1] - own[0][0], own[1][1] - own[1][0], own[1][0] - own[0][0]), (2, 2, 1));
    let directories = files("ior -F -u -i 2", Operation::Mkdir);
    assert_eq!((directories[0].len(), directories[1].len()), (1, 1), "once");
    for (rank, made) in of("ior -F -u -i 2", Operation::Create).iter().enumerate() {
        assert!(made.len() == 2 && made.iter().all(|(_, parent)| *parent == directories[rank][0]));
    }
    assert!(files("ior -u", Operation::Mkdir).iter().all(Vec::is_empty), "of files a rank alone");
    assert!(files("ior -F -u -r", Operation::Mkdir).iter().all(Vec::is_empty), "they are there");
}

#[test]
fn files_go_after_each_repetition_unless_they_are_kept() {
    let count = |command: &str, operation| {
        let done = carry_out(&planned(&program(command), &[0, 1]));
        done.calls.iter().flatten().filter(|op| op.operation == operation).count()
    };
    assert_eq!(count("ior -i 3", Operation::Unlink), 3);
    assert_eq!(count("ior -i 3 -F", Operation::Unlink), 6);
    // What is kept goes before it is written anew, and stays after the last time.
    assert_eq!((count("ior -i 3 -k", Operation::Unlink), count("ior -i 3 -k", Operation::Create)), (2, 3));
    assert_eq!(
        (count("ior -i 3 -k -F", Operation::Unlink), count("ior -i 3 -k -F", Operation::Create)),
        (4, 6)
    );
    assert_eq!(
        (count("ior -i 3 -k -m", Operation::Unlink), count("ior -i 3 -k -m", Operation::Create)),
        (0, 3)
    );
    assert_eq!(
        (count("ior -i 3 -k -E", Operation::Unlink), count("ior -i 3 -k -E", Operation::Create)),
        (0, 0)
    );
    assert_eq!((count("ior -r", Operation::Unlink), count("ior -r", Operation::Create)), (0, 0));
}

#[test]
fn seconds_pass_before_each_writing_and_each_reading() {
    for (options, times) in [("", 2), ("-i 3", 6), ("-w -i 3", 3), ("-r", 1)] {
        let plan = planned(&program(&format!("ior -d 2 {options}")), &[0]);
        assert_eq!(thought(&plan), vec![Time::from_whole_seconds(2); times], "{options}");
    }
}

/// Transfers of each rank, where rank `r` needs `r + 1` seconds for an operation.
fn transfers(command: &str, operation: Operation) -> Vec<usize> {
    let plan = planned(&program(command), &[0, 0, 0]);
    let done: Done = carry_out_by_turns(&plan, 3, |rank| Time::from_whole_seconds(rank as u64 + 1));
    let of =
        |calls: &Vec<petrio_colours::FileOp>| calls.iter().filter(|op| op.operation == operation).count();
    done.calls.iter().map(of).collect()
}

#[test]
fn the_clock_ends_what_is_not_done_by_then() {
    let (write, read) = (Operation::Write, Operation::Read);
    // The transfer that goes over the deadline is the last: of 1, 2 and 3 s the 11th, 6th and 4th.
    let command = "ior -F -b 100k -t 1k -D 10";
    assert_eq!((transfers(command, write), transfers(command, read)), (vec![11, 6, 4], vec![11, 6, 4]));
    let command = "ior -F -b 100k -t 1k -D 10 -O stoneWallingWearOut=1";
    assert_eq!((transfers(command, write), transfers(command, read)), (vec![11, 11, 11], vec![11, 11, 11]));
    // All leave together when the first rank's time is over.
    let command = "ior -a MPIIO -c -F -b 100k -t 1k -D 10";
    assert_eq!((transfers(command, write), transfers(command, read)), (vec![11; 3], vec![11; 3]));
    // What is done earlier ends it, too, and each repetition has its own time.
    assert_eq!(transfers("ior -F -b 5k -t 1k -D 10 -i 2", write), [10, 10, 8]);
    assert_eq!(transfers("ior -F -b 100k -t 1k -O stoneWallingWearOutIterations=7", write), [7, 7, 7]);
    // No repetition begins after a minute: not the second, for whichever rank comes first to it.
    assert_eq!(transfers("ior -F -b 100k -t 1k -T 1 -i 3", write), [100; 3]);
    assert_eq!(transfers("ior -F -b 100k -t 1k -T 1 -i 3", read), [0; 3]);
    assert_eq!(transfers("ior -F -b 100k -t 1k -T 60 -i 3", read), [300; 3]);
}

#[test]
fn with_drawn_ranks_nobody_reads_what_its_own_host_has_written() {
    let program = r#"{ "kind": "ior", "command": "ior -w -r -F -Z -b 8k -t 4k -i 2" }"#;
    let hosts: Vec<u32> = (0..24).map(|rank| rank / 2).collect();
    let done = carry_out(&planned(program, &hosts));
    let mut distances = std::collections::BTreeSet::new();
    for (rank, calls) in done.calls.iter().enumerate() {
        let read = |op: &&petrio_colours::FileOp| op.operation == Operation::Read;
        let files: Vec<u32> = calls.iter().filter(read).map(|op| op.file.0 - 3).collect();
        // Twice two transfers, each time of the same one.
        assert!(files.len() == 4 && files.iter().all(|file| *file == files[0]));
        let distance = (files[0] + 24 - rank as u32) % 24;
        assert!(distance >= 2, "rank {rank} reads a file of its own host");
        distances.insert(distance);
    }
    assert!(distances.len() > 4, "{distances:?}");
    let refused = |options: &str| {
        let json = format!(r#"{{ "kind": "ior", "command": "ior {options}" }}"#);
        serde_json::from_str::<crate::parallel::ParallelProgram>(&json).is_err()
    };
    assert!(refused("-C -Z") && refused("-a mpiio -c -Z") && !refused("-a mpiio -c -F -Z"));
}
