//! IOR's command lines and what comes of them.

#![allow(clippy::unwrap_used)]
use super::{IorApi, IorCommand};
use crate::parallel::testing::{carry_out, pieces, planned, tile};
use petrio_colours::Operation;
use proptest::prelude::*;

fn program(command: &str) -> String {
    format!(r#"{{ "kind": "ior", "command": "{command}" }}"#)
}

#[test]
fn a_command_line_is_understood_as_ior_does() {
    let command: IorCommand =
        "/usr/bin/ior -a mpiio -b 16m -t1m -s 4 -Fwe -i 3 -Q 2 -o /scratch/x".parse().unwrap();
    let options = command.options();
    assert_eq!((options.api, options.block, options.transfer), (IorApi::MpiIo, 16 << 20, 1 << 20));
    assert_eq!((options.segments, options.repetitions, options.node_offset), (4, 3, 2));
    assert!(options.file_per_process && options.write && !options.read && options.fsync);
    assert_eq!("ior".parse::<IorCommand>().unwrap().options(), &super::IorOptions::default());
}

#[test]
fn what_cannot_be_followed_is_refused_with_a_reason() {
    for (command, words) in [
        ("ior -D 300", "by the clock"),
        ("ior -j 3", "no option of IOR"),
        ("ior --hdf5.setAlignment", "no option of IOR"),
        ("ior -t", "-t needs a value"),
        ("ior -t 3x", "k, m, g or t"),
        ("ior -b 1m -t 3k", "no multiple of the transfer"),
        ("ior -c", "use -a MPIIO"),
        ("ior -a HDF5", "POSIX and MPIIO"),
        ("ior -t 99999999t", "more than 8 EiB"),
        ("mdtest -n 3", "program's name"),
        ("ior -N 4", "`ranks`"),
    ] {
        let problem = command.parse::<IorCommand>().unwrap_err().to_string();
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
        flags in proptest::sample::subsequence(vec!["-F", "-C", "-z", "-e", "-Y", "-g"], 0..6),
        collective in any::<bool>(),
    ) {
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
fn files_go_after_each_repetition_unless_they_are_kept() {
    let count = |command: &str, operation| {
        let done = carry_out(&planned(&program(command), &[0, 1]));
        done.calls.iter().flatten().filter(|op| op.operation == operation).count()
    };
    assert_eq!(count("ior -i 3", Operation::Unlink), 3);
    assert_eq!(count("ior -i 3 -F", Operation::Unlink), 6);
    assert_eq!((count("ior -i 3 -k", Operation::Unlink), count("ior -i 3 -k", Operation::Create)), (0, 1));
    assert_eq!((count("ior -r", Operation::Unlink), count("ior -r", Operation::Create)), (0, 0));
}
