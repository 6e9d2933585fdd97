//! What processors are used for: all of their time is told, by the functions that a workload needs, and copies beyond a second-level
//! cache are counted.

use crate::common::once;
use petrio_scenario::report::{ProfileFigures, Report};

/// Files of a program on a disk, of which everything is in memory after the first time.
fn text(machine: &str, workload: &str) -> String {
    format!(
        r#"
[disk.d]
model = "constant-rate"
drive.latency = "100 us"
drive.rate = "1 GB/s"

[host.h]
machine = "{machine}"
kernel = "linux-2.6.27"

[fs.data]
type = "ext3"
on = "d"

[workload.w]
kind = "files"
on = "data"
{workload}
"#
    )
}

const READS: &str = "operation = \"read\"\nrecord = \"1 MiB\"\nfile_size = \"64 MiB\"";
const WRITES: &str = "operation = \"write\"\nrecord = \"4 KiB\"\nfile_size = \"16 MiB\"";

fn profile(report: &Report) -> &ProfileFigures {
    let [profile] = report.profiles.as_slice() else { panic!("{:?}", report.profiles) };
    profile
}

fn seconds(report: &Report, function: &str) -> f64 {
    let functions = &profile(report).functions;
    functions.iter().find(|figures| figures.function == function).map_or(0.0, |figures| figures.seconds)
}

#[test]
fn all_that_processors_do_is_told_by_function() {
    for workload in [READS, WRITES] {
        let report = once(&text("poweredge-1850", workload));
        let stage = report.stages.iter().find(|stage| stage.name == "h/processor").unwrap();
        let busy = stage.utilisation.unwrap() * f64::from(stage.servers.unwrap()) * report.simulated_s;
        let told = profile(&report).seconds();
        // What is under way when the run ends isn't recorded yet.
        assert!((told / busy - 1.0).abs() < 0.01, "{told} s told, {busy} s busy");
        let shares: f64 = profile(&report).functions.iter().map(|function| function.share).sum();
        assert!((shares - 1.0).abs() < 1e-9);
    }
}

#[test]
fn reads_copy_to_processes_and_writes_from_them() {
    let [reads, writes] = [READS, WRITES].map(|workload| once(&text("poweredge-1850", workload)));
    assert!(seconds(&reads, "copy_to_user") > 0.0 && seconds(&writes, "copy_to_user") == 0.0);
    assert!(seconds(&reads, "copy_from_user") == 0.0 && seconds(&writes, "copy_from_user") > 0.0);
    assert!(seconds(&writes, "page cache, writes") > 0.0 && seconds(&writes, "system calls") > 0.0);
    assert_eq!(profile(&reads).copied_to_user_bytes, 64 << 20);
    assert_eq!(profile(&writes).copied_from_user_bytes, 16 << 20);
}

#[test]
fn copies_miss_beyond_an_eighth_of_the_second_level_cache_and_the_more_the_longer_they_are() {
    let missed = |record: &str| {
        let report = once(&text("poweredge-1850", &READS.replace("1 MiB", record)));
        profile(&report).second_level_misses.unwrap()
    };
    let lines = (64 << 20) / 64;
    let all = ["16 KiB", "1 MiB", "4 MiB"].map(missed);
    assert_eq!(all[0], 0);
    assert!(all[1] > lines / 2 && all[1] < all[2] && all[2] <= lines, "{all:?} of {lines}");
    // A measured curve of copies says what they take, and not why.
    let report = once(&text("epyc-9005-2vcpu", READS).replace("2.6.27", "6.18").replace("ext3", "ext4"));
    assert_eq!(profile(&report).second_level_misses, None);
}
