//! Devices that programs open themselves: the page cache without a file system, or past it.

use crate::common::{loaded, once, problem};
use petrio_scenario::report::{Report, Sinks};
use petrio_scenario::run;

const KERNELS: [&str; 4] = ["linux-2.6.24", "linux-2.6.27", "linux-3.2", "linux-6.18"];
const MIB: u64 = 1 << 20;

/// Files of 16 MiB each on a disk of 100 MiB/s, by themselves or on a file system.
fn on(kind: &str, kernel: &str, host: &str, work: &str) -> String {
    format!(
        r#"
[disk.d]
model = "constant-rate"
drive.latency = "1 ms"
drive.rate = "100 MiB/s"
[host.h]
machine = "epyc-9005-2vcpu"
kernel = "{kernel}"
{host}
[fs.x]
type = "{kind}"
on = "d"
[workload.w]
kind = "files"
on = "x"
file_size = "16 MiB"
{work}
"#
    )
}

/// Requests of a purpose, and their bytes, of reads, writes and flushes.
fn requests(report: &Report, purpose: &str) -> [(u64, u64); 3] {
    let rows = report.traffic.iter().flat_map(|device| &device.purposes);
    rows.filter(|row| row.purpose == purpose).fold([(0, 0); 3], |all, row| {
        let more = [
            (row.reads.requests, row.reads.bytes),
            (row.writes.requests, row.writes.bytes),
            (row.flushes, 0),
        ];
        std::array::from_fn(|at| (all[at].0 + more[at].0, all[at].1 + more[at].1))
    })
}

fn family(kernel: &str) -> &'static str {
    if kernel.starts_with("linux-2") { "ext3" } else { "ext4" }
}

#[test]
fn past_the_cache_each_access_is_one_request_and_no_other() {
    for kernel in KERNELS {
        for operation in ["read", "rewrite"] {
            let work = format!(
                "operation = \"{operation}\"\npattern = \"random\"\nrecord = \"4 KiB\"\ndirect = true\noperations = 200"
            );
            let raw = once(&on("raw", kernel, "", &work));
            let [reads, writes, flushes] = requests(&raw, "data");
            let of = if operation == "read" { reads } else { writes };
            assert_eq!(of, (200, 200 * 4096), "{kernel} {operation}");
            assert_eq!(reads.0 + writes.0 + flushes.0, 200, "{kernel} {operation}");
            for purpose in ["metadata", "journal"] {
                assert_eq!(requests(&raw, purpose), [(0, 0); 3], "{kernel} {operation} {purpose}");
            }
            // A floor: what the device takes; a ceiling: what the same takes on a file system.
            assert!(raw.simulated_s >= 200.0 * 0.001, "{kernel} {operation}");
            let over = once(&on(family(kernel), kernel, "", &work));
            assert!(
                raw.simulated_s <= over.simulated_s,
                "{kernel} {operation}: {} {}",
                raw.simulated_s,
                over.simulated_s
            );
        }
    }
}

#[test]
fn through_the_cache_it_is_read_ahead_and_a_second_time_from_memory() {
    for kernel in KERNELS {
        let read = |more: &str| {
            once(&on("raw", kernel, "", &format!("operation = \"read\"\nrecord = \"64 KiB\"\n{more}")))
        };
        let (cold, twice) = (read(""), read("passes = 2"));
        let [(count, bytes), ..] = requests(&cold, "data");
        assert_eq!(bytes, 16 * MIB, "{kernel}");
        assert!(count < 256, "{kernel}: read ahead in {count} requests");
        assert_eq!(requests(&twice, "data"), requests(&cold, "data"), "{kernel}");
        // No faster than the device, and no slower than one request for each record.
        assert!(
            cold.simulated_s >= 0.16 && cold.simulated_s <= 0.16 + 256.0 * 0.001,
            "{kernel}: {}",
            cold.simulated_s
        );
    }
}

#[test]
fn what_is_written_over_is_written_back_once_and_an_fsync_flushes_where_the_kernel_does() {
    for kernel in KERNELS {
        let work = |fsync: &str| {
            let text = format!("operation = \"rewrite\"\nrecord = \"64 KiB\"\npasses = 1\n{fsync}");
            let simple = "model = \"constant-rate\"\ndrive.latency = \"1 ms\"\ndrive.rate = \"100 MiB/s\"";
            // One with a write cache, to which flushes are sent.
            once(
                &on("raw", kernel, "", &text)
                    .replace(simple, "model = \"toshiba-mg08-16tb\"\nwrite_cache = \"on\""),
            )
        };
        let report = work("fsync = \"at-end\"");
        let [reads, writes, (flushes, _)] = requests(&report, "data");
        assert_eq!((reads.1, writes.1), (0, 16 * MIB), "{kernel}");
        assert_eq!(
            flushes,
            u64::from(kernel.starts_with("linux-6") || kernel.starts_with("linux-3")),
            "{kernel}"
        );
        // What is flushed is no faster than the platters take it; what isn't goes into the drive's own memory.
        assert!(flushes == 0 || report.simulated_s >= 16.0 / 300.0, "{kernel}: {}", report.simulated_s);
    }
}

#[test]
fn a_writer_is_held_back_at_the_dirty_limit() {
    let host = "memory = \"256 MiB\"\ndirty_background = \"2 MiB\"\ndirty_limit = \"4 MiB\"";
    let report = once(&on("raw", "linux-6.18", host, "operation = \"rewrite\"\nrecord = \"64 KiB\""));
    assert!(
        report.served.breakdown.iter().any(|share| share.cause == "dirty throttle" && share.fraction > 0.5)
    );
    assert!(report.memory[0].most_unwritten_bytes <= 5 * MIB, "{:?}", report.memory);
}

#[test]
fn a_device_has_as_many_blocks_as_it_has_and_makes_no_files() {
    let work = "operation = \"read\"\nrecord = \"64 KiB\"";
    let text = on("raw", "linux-6.18", "", work).replace("on = \"d\"", "on = \"d\"\nsize = \"15 MiB\"");
    assert!(problem(&text).contains("the files of \"w\" are 16 MiB"), "{}", problem(&text));
    let all = on("raw", "linux-6.18", "", work).replace("on = \"d\"", "on = \"d\"\nsize = \"16 MiB\"");
    assert_eq!(once(&all).served.requests.reads, 256, "to the last block");
    let new = on("raw", "linux-6.18", "", "operation = \"write\"\nrecord = \"64 KiB\"");
    let failed = run::run(&loaded(&new), Sinks::default()).unwrap_err().to_string();
    assert!(failed.contains("ENOSPC"), "a new file has no partition: {failed}");
    let journal =
        on("raw", "linux-6.18", "", work).replace("on = \"d\"", "on = \"d\"\njournal = \"ordered\"");
    assert!(problem(&journal).contains("unknown key \"journal\""), "{}", problem(&journal));
}
