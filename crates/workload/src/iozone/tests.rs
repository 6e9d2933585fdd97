//! Command lines and screens of iozone against the workloads that they are.

#![allow(clippy::unwrap_used)]

use super::*;
use crate::program::pattern::{Durability, Interface, Pattern, Timing};
use proptest::prelude::*;

fn read(line: &str) -> Iozone {
    line.parse().unwrap()
}

fn shapes(line: &str) -> Vec<(u64, u64)> {
    let kib = |bytes: u64| bytes / 1024;
    let of = |test: IozoneTest| (kib(test.parameters.file_size.get()), kib(test.parameters.record.get()));
    read(line).tests.into_iter().map(of).collect()
}

#[test]
fn without_options_it_is_one_row_of_512_kilobytes_in_records_of_4() {
    let run = read("iozone -R");
    assert_eq!(run.tests.len(), 13, "the columns of its table");
    assert!(run.tests.iter().all(|test| test.parameters.file_size.get() == 512 << 10));
    assert!(run.tests.iter().all(|test| test.parameters.record.get() == 4 << 10));
    assert_eq!(run.remarks, Vec::<String>::new());
}

#[test]
fn automatic_mode_doubles_sizes_and_records_and_spares_large_files_small_records() {
    let one_column = |line: &str| shapes(&format!("{line} -i 0 -+n"));
    assert_eq!(
        one_column("iozone -a -s 64"),
        [(64, 4), (64, 8), (64, 16), (64, 32), (64, 64)],
        "the rows that it prints for one file"
    );
    // 64 kB to 16 MB with records from 4 kB on: 5 rows for the first size, one more for each further one; 32 to 512 MB have the nine
    // records from 64 kB to 16 MB.
    assert_eq!(one_column("iozone -a").len(), (5..=13).sum::<usize>() + 5 * 9);
    assert_eq!(one_column("iozone -az").len(), (5..=13).sum::<usize>() + 5 * 13);
    assert_eq!(one_column("iozone -Ra -n 1m -g 2m -y 64k -q 128").len(), 4);
    assert_eq!(one_column("iozone -a -s 1g -r 8k"), [(1 << 20, 8)]);
}

#[test]
fn letters_stand_together_and_values_behind_them_or_apart() {
    let apart = read("iozone -R -a -c -e -i 0 -s 64k -b out.xls");
    assert_eq!(apart, read("iozone -Race -i0 -s64 -bout.xls"));
    assert_eq!(apart, read("$ sudo /opt/iozone/bin/iozone -Race -i0 -s64 -b out.xls > log"));
}

#[test]
fn what_options_say_is_what_is_done() {
    let of = |line: &str| read(line).tests[0].parameters.clone();
    let plain = of("iozone -i 0 -s 1m");
    assert_eq!((plain.fsync, plain.timing), (Durability::AtEnd, Timing::Accesses));
    let timed = of("iozone -e -i 0 -s 1m");
    assert_eq!((timed.fsync, timed.timing), (Durability::AtEnd, Timing::WithFsync));
    let closed = of("iozone -c -i 0 -s 1m");
    assert_eq!((closed.fsync, closed.timing), (Durability::Never, Timing::WithClose));
    assert!(of("iozone -o -i 0").sync && of("iozone -+D -i 0").data_sync && of("iozone -I -i 0").direct);
    assert!(!of("iozone -o -i 1").sync, "reads make nothing durable");
    assert_eq!(of("iozone -i 5 -j 3").stride, Some(3));
    assert_eq!((of("iozone -i 5").pattern, of("iozone -i 5").stride), (Pattern::Strided, Some(17)));
    assert_eq!(of("iozone -i 7").interface, Interface::Stdio);
    assert_eq!(of("iozone -B -i 1").interface, Interface::Mapped);
    assert_eq!(of("iozone -t 4 -F /a/1 /a/2 /a/3 /a/4 -i 0").processes, 4);
    assert_eq!(of("iozone -i 0 -J 2").compute_time.to_string(), "2 ms");
}

#[test]
fn a_test_finds_in_memory_what_the_one_before_left_unless_nothing_stays_there() {
    let warm =
        |line: &str| read(line).tests.iter().map(|test| test.parameters.warm_up_pass).collect::<Vec<_>>();
    assert_eq!(warm("iozone -i 0 -i 1"), [false, true, true, true]);
    assert_eq!(warm("iozone -I -i 0 -i 1"), [false; 4]);
    assert_eq!(warm("iozone -U /mnt -i 0 -i 1"), [false; 4]);
}

#[test]
fn processes_from_a_least_to_a_most_run_one_after_the_other() {
    let run = read("iozone -l 2 -u 4 -i 0 -+n");
    let names: Vec<&str> = run.tests.iter().map(|test| test.name.as_str()).collect();
    assert_eq!(names, ["write-of-2", "write-of-3", "write-of-4"]);
}

#[test]
fn of_the_mixed_workload_every_second_process_reads_or_as_many_as_are_said() {
    let mixed = |line: &str| {
        read(line).tests.into_iter().find(|test| test.name == "mixed").map(|test| test.parameters)
    };
    let readers = |line: &str| {
        let parameters = mixed(line).unwrap();
        assert!(parameters.share_by_process && parameters.validate().is_ok(), "{parameters:?}");
        (parameters.read_share.unwrap().get() * f64::from(parameters.processes)).round()
    };
    for (count, expected) in [(1, 1.0), (2, 1.0), (3, 2.0), (16, 8.0)] {
        assert_eq!(readers(&format!("iozone -t {count} -i 0 -i 8")), expected, "{count} processes");
    }
    assert_eq!(readers("iozone -t 16 -i 8 -+p 70"), 11.0, "70 of a hundred, rounded down");
    assert_eq!(readers("iozone -t 16 -i 8 -+p70"), 11.0);
    assert_eq!(readers("iozone -t 3 -i 8 -+p 0"), 0.0);
    assert_eq!(mixed("iozone -t 2 -i 8").unwrap().pattern, Pattern::Random);
    assert_eq!(mixed("iozone -t 2 -i 8 -+B").unwrap().pattern, Pattern::Sequential);
    assert!(
        mixed("iozone -t 2").is_some() && mixed("iozone -a -i 0").is_none() && mixed("iozone -R").is_none()
    );
}

#[test]
fn its_own_output_tells_the_command_line() {
    let screen = "\tIozone: Performance Test of File I/O\n\tAuto Mode\n\
                  \tCommand line used: iozone -e -a -n 64k -g 128k -i 0 -i 1\n\tOutput is in kBytes/sec\n";
    assert!(is_iozone(screen));
    assert_eq!(read(screen), read("iozone -e -a -n 64k -g 128k -i 0 -i 1"));
}

#[test]
fn what_is_not_played_is_told_and_what_cannot_be_meant_is_refused() {
    assert!(read("iozone -H 4 -i 0").remarks[0].contains("one access of each process is in flight"));
    let refused = |line: &str| line.parse::<Iozone>().unwrap_err().to_string();
    assert_eq!(refused("iozone -s 4k -r 8k"), "the record (8k) is larger than the file (4k)");
    assert!(refused("iozone -s many").contains("no size"));
    assert!(refused("iozone -s").contains("needs a value"));
    assert!(refused("iozone -i 8").contains("none of its tests"));
    for (line, name) in [
        ("iozone -i 0 -i 8", "the mixed workload"),
        ("iozone -i 0 -i 11", "pwritev"),
        ("iozone -t 2 -i 0 -i 12", "preadv"),
    ] {
        let remarks = read(line).remarks;
        assert!(
            remarks.len() == 1 && remarks[0].contains(name) && remarks[0].contains("not played"),
            "{line}: {remarks:?}"
        );
    }
    assert!(refused("iozone -%").contains("no option"));
    assert!(!is_iozone("we ran iozone on it"));
    assert!(!is_iozone("fio --name=a"));
}

proptest! {
    /// Whatever is asked for, what is read of it can be run.
    #[test]
    fn every_test_that_is_read_is_sound(letters in "[aAzIoecBROwpx]{0,6}", tests in proptest::collection::vec(0_u8..13, 0..4),
                                        size in 1_u32..200_000, record in 1_u32..64, processes in 1_u32..5) {
        let tests: String = tests.iter().map(|test| format!(" -i {test}")).collect();
        let line = format!("iozone -R{letters}{tests} -s {size} -r {record} -t {processes}");
        match line.parse::<Iozone>() {
            Ok(run) => for test in run.tests {
                prop_assert!(test.parameters.validate().is_ok(), "{line}: {} {:?}", test.name, test.parameters.validate());
            },
            Err(error) => prop_assert!(record > size || error.problem.starts_with("none of its"), "{}: {}", line, error),
        }
    }
}
