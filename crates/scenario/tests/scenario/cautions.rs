//! What a report says to check before its figures are trusted.

use crate::common::once;

/// The warnings of a workload on a file system.
fn warnings(drive: &str, workload: &str, measure: &str) -> Vec<String> {
    let text = format!(
        r#"
        [disk.d]
        model = "seagate-cheetah-9lp"
        {drive}
        [host.h]
        machine = "epyc-9005-2vcpu"
        kernel = "linux-6.18"
        [fs.data]
        type = "ext3"
        on = "d"
        [workload.w]
        kind = "files"
        on = "data"
        {workload}
        [measure]
        {measure}
        "#
    );
    once(&text).warnings.into_iter().map(|warning| warning.text).collect()
}

fn says(warnings: &[String], what: &str) -> bool {
    warnings.iter().any(|warning| warning.contains(what))
}

const READS: &str = r#"operation = "read"
pattern = "random"
record = "8 KiB"
file_size = "8 MiB"
passes = 6
"#;

#[test]
fn a_run_that_begins_with_empty_caches_says_so() {
    let cold = warnings("", READS, "");
    assert!(says(&cold, "caches were empty"), "{cold:?}");
    for warm in ["cached = true", "warm_up_pass = true"] {
        let warm = warnings("", &format!("{READS}{warm}"), "");
        assert!(!says(&warm, "caches were empty"), "{warm:?}");
    }
}

#[test]
fn pauses_that_become_shorter_are_no_empty_caches() {
    // The same read all along, of which memory has all but the first; ten times as often later.
    let reads = "file a 64 KiB; repeat 200 { think 10 ms; read a 0 4 KiB }; repeat 2000 { think 1 ms; read a 0 4 KiB }";
    let text = format!(
        "[disk.d]\nmodel = \"seagate-cheetah-9lp\"\n[host.h]\nmachine = \"epyc-9005-2vcpu\"\nkernel = \"linux-6.18\"\n\
         [fs.data]\ntype = \"ext3\"\non = \"d\"\n[workload.w]\non = \"data\"\nkind = \"script\"\nscript = \"{reads}\"\n"
    );
    let report = once(&text);
    let intervals = &report.served.series.intervals;
    let (early, late) = (intervals[1].completed, intervals[intervals.len() - 2].completed);
    assert!(late > 5 * early, "{early} {late}");
    let all: Vec<String> = report.warnings.into_iter().map(|warning| warning.text).collect();
    assert!(!says(&all, "caches were empty"), "{all:?}");
}

const MAIL: &str = r#"operation = "rewrite"
pattern = "random"
record = "4 KiB"
file_size = "16 MiB"
operations = 100
fsync = { every = 1 }
"#;

#[test]
fn a_write_cache_that_is_off_is_named_where_writes_wait_for_platters() {
    let off = warnings("drive.cache.immediate_reporting = \"never\"", MAIL, "");
    assert!(says(&off, "write cache of \"d\" is off"), "{off:?}");
    let on = warnings("drive.cache.immediate_reporting = \"always\"", MAIL, "");
    assert!(!says(&on, "write cache"), "{on:?}");
    let reads = warnings("drive.cache.immediate_reporting = \"never\"", READS, "");
    assert!(!says(&reads, "write cache"), "{reads:?}");
}

#[test]
fn a_mean_that_few_replications_tell_badly_is_said_to_be_so() {
    let few = r#"operation = "read"
pattern = "random"
record = "4 KiB"
file_size = "512 MiB"
operations = 4
"#;
    let wide = warnings("", few, "replications = 2");
    assert!(says(&wide, "is known to ±") && says(&wide, "2 replications"), "{wide:?}");
    let narrow = warnings("", &few.replace("operations = 4", "operations = 400"), "replications = 10");
    assert!(!says(&narrow, "is known to ±"), "{narrow:?}");
}
