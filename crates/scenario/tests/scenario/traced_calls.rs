//! Processes of replayed traces of calls: each has a row of its own, by its number and command in the trace.

use crate::common::once_of;
use petrio_files::inputs::Inputs;
use petrio_scenario::load_text;
use petrio_scenario::report::{Report, terminal_text, write_csv};
use std::fmt::Write;

/// What strace prints of make, which starts compilers under these numbers, each of which reads a file of its own so many times.
fn strace(compilers: &[(u32, u32)]) -> String {
    let mut text = String::from(
        "900 1.000000 execve(\"/usr/bin/make\", [\"make\"], 0x7ffe /* 20 vars */) = 0 <0.000100>\n",
    );
    text.push_str("900 1.000200 openat(AT_FDCWD, \"/Makefile\", O_RDONLY) = 3 <0.000010>\n");
    text.push_str("900 1.000300 pread64(3, \"\"..., 4096, 0) = 4096 <0.000010>\n");
    for (at, &(process, _)) in (2..).zip(compilers) {
        let _ = writeln!(text, "900 1.{at:03}000 vfork() = {process} <0.000100>");
        let _ = writeln!(
            text,
            "{process} 1.{at:03}200 execve(\"/usr/lib/cc1\", [\"cc1\"], 0x7ffe /* 20 vars */) = 0 <0.000100>"
        );
        let _ = writeln!(
            text,
            "{process} 1.{at:03}400 openat(AT_FDCWD, \"/{process}.c\", O_RDONLY) = 3 <0.000010>"
        );
    }
    for (at, &(process, reads)) in (300..).zip(compilers) {
        for read in 0..reads {
            let (micros, offset) = (read * 20, u64::from(read) * 4_096);
            let _ = writeln!(
                text,
                "{process} 1.{at:03}{micros:03} pread64(3, \"\"..., 4096, {offset}) = 4096 <0.000010>"
            );
        }
    }
    text
}

/// A workload for each trace.
fn replayed(traces: &[String]) -> Report {
    let folder = tempfile::tempdir().unwrap();
    let mut text = "[disk.d]\nmodel = \"constant-rate\"\n[fs.x]\ntype = \"ext4\"\non = \"d\"\n\
        [host.h]\nmachine = \"epyc-9005-2vcpu\"\nkernel = \"linux-6.18\"\n"
        .to_owned();
    for (number, trace) in traces.iter().enumerate() {
        std::fs::write(folder.path().join(format!("{number}.strace")), trace).unwrap();
        let _ = writeln!(
            text,
            "[workload.build{number}]\nkind = \"events\"\non = \"x\"\nfile = \"{number}.strace\""
        );
    }
    once_of(&load_text("test.toml", &text, Some(folder.path()), &[]).unwrap())
}

fn rows(report: &Report) -> Vec<(&str, u32, Option<&str>, u64)> {
    (report.served.processes.iter())
        .map(|row| (row.workload.as_str(), row.process, row.name.as_deref(), row.bytes))
        .collect()
}

#[test]
fn processes_of_calls_are_known_by_their_numbers_and_by_what_they_execute() {
    let report = replayed(&[strace(&[(1_007, 3), (1_003, 5)])]);
    let name = "build0";
    let expected = [
        (name, 900, Some("make"), 4_096),
        (name, 1_003, Some("cc1"), 5 * 4_096),
        (name, 1_007, Some("cc1"), 3 * 4_096),
    ];
    let named: Vec<_> = report.served.processes.iter().map(|row| row.process).collect();
    assert_eq!(named, [900, 1_003, 1_007]);
    assert_eq!(rows(&report), expected);
    // Each did what all of the workload did, and no more.
    let moved: u64 = report.served.processes.iter().map(|row| row.bytes).sum();
    let completed: u64 = report.served.processes.iter().map(|row| row.completed).sum();
    assert_eq!((moved, completed), (report.served.bytes, report.served.requests.completed));
    assert!(terminal_text(&report, None, 120).contains("1003 (cc1)"));
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("report.csv");
    write_csv(&report, &file, &Inputs::none()).unwrap();
    assert!(std::fs::read_to_string(file).unwrap().contains("900 (make)"));
}

#[test]
fn processes_of_two_traces_keep_the_numbers_that_each_has_in_its_own() {
    let other = strace(&[(1_007, 2)]).replace("/usr/lib/cc1", "/usr/lib/rustc");
    let report = replayed(&[strace(&[(1_007, 3)]), other]);
    let expected = [
        ("build0", 900, Some("make"), 4_096),
        ("build0", 1_007, Some("cc1"), 3 * 4_096),
        ("build1", 900, Some("make"), 4_096),
        ("build1", 1_007, Some("rustc"), 2 * 4_096),
    ];
    assert_eq!(rows(&report), expected);
}

#[test]
fn those_that_have_no_row_are_counted() {
    let many: Vec<(u32, u32)> = (0..80).map(|number| (1_000 + number, 1)).collect();
    let report = replayed(&[strace(&many)]);
    let served = &report.served;
    assert_eq!((served.processes.len(), served.processes_left_out), (64, 17));
    assert!(terminal_text(&report, None, 120).contains("and 69 processes more"));
}

/// A compact trace, with closes that tell of reads which aren't there, of files that were in memory.
#[test]
fn what_a_trace_leaves_out_is_told_under_the_name_of_its_workload() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::copy("../../examples/traces/compile-files.parquet", folder.path().join("calls")).unwrap();
    let text = "[disk.d]\nmodel = \"constant-rate\"\n[fs.x]\ntype = \"ext4\"\non = \"d\"\n[host.h]\n\
                machine = \"epyc-9005-2vcpu\"\nkernel = \"linux-6.18\"\n[workload.build]\n\
                kind = \"events\"\non = \"x\"\nfile = \"calls\"\n";
    let report = once_of(&load_text("test.toml", text, Some(folder.path()), &[]).unwrap());
    let told: Vec<&str> = report.warnings.iter().map(|warning| warning.text.as_str()).collect();
    let of_it = told.iter().filter(|text| text.starts_with("workload \"build\": "));
    assert_eq!(of_it.count(), 2, "{told:?}");
}
