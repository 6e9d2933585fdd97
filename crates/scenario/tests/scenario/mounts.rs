//! How file systems are mounted and files are used: journals on devices of their own, access times, appends, mappings.

use crate::common::{loaded, once as report, once_of};
use petrio_scenario::build::System;
use petrio_scenario::load_text;

const DISK: &str = r#"model = "ibm-ultrastar-18es""#;

fn scenario(fs: &str, workload: &str) -> String {
    format!(
        r#"
        [disk.d]
        {DISK}
        [disk.log]
        {DISK}
        [host.h]
        machine = "epyc-9005-2vcpu"
        kernel = "linux-6.18"
        [fs.data]
        type = "ext3"
        on = "d"
        {fs}
        [workload.w]
        kind = "files"
        on = "data"
        {workload}
        "#
    )
}

/// What is wrong with it, in one text.
fn refused(text: &str) -> String {
    let problems = load_text("test.toml", text, None, &[]).unwrap_err();
    problems.iter().map(|problem| problem.to_string() + "\n").collect()
}

/// A log disk that nobody uses is a mistake, so the file system without its own journal leaves it out.
fn with_one_disk(text: &str) -> String {
    text.replace(&format!("[disk.log]\n        {DISK}"), "")
}

const MAIL: &str = r#"operation = "rewrite"
pattern = "random"
record = "4 KiB"
file_size = "64 MiB"
operations = 400
fsync = { every = 1 }
"#;

#[test]
fn a_log_on_a_disk_of_its_own_saves_the_way_to_it_and_back() {
    let apart = report(&scenario("journal = { on = \"log\" }", MAIL));
    let within = report(&with_one_disk(&scenario("", MAIL)));
    assert!(apart.system.contains("on a device of its own"), "{}", apart.system);
    let (apart, within) = (apart.simulated_s, within.simulated_s);
    assert!(apart < 0.9 * within, "apart {apart} s, within {within} s");
}

#[test]
fn data_that_go_through_the_log_reach_both_disks() {
    let busy = |text: &str| {
        let report = report(text);
        let bytes = |disk: &str| {
            let rows = report.stages.iter().filter(|row| row.name.starts_with(disk));
            rows.map(|row| row.arrivals).max().unwrap_or(0)
        };
        (bytes("d/"), bytes("log/"))
    };
    let (data, log) = busy(&scenario("journal = { mode = \"journal\", on = \"log\" }", MAIL));
    assert!(data >= 400 && log >= 800, "{data} requests to the data, {log} to the log");
}

#[test]
fn a_journal_that_cannot_be_is_refused_where_it_stands() {
    let of = |fs: &str| refused(&scenario(fs, MAIL));
    assert!(of("journal = { on = \"d\" }").contains("is used by"), "{}", of("journal = { on = \"d\" }"));
    assert!(of("journal = { on = \"lag\" }").contains("\"lag\""));
    assert!(of("journal = { on = \"log\" }\njournal_place = \"middle\"").contains("lies nowhere"));
    assert!(of("journal = { on = \"log\" }\njournal_size = \"1 TiB\"").contains("larger than \"log\""));
    assert!(of("journal = { on = \"log\" }\njournal_size = \"1 MiB\"").contains("smaller than mke2fs"));
    assert!(of("journal = { at = \"log\" }").contains("at"));
}

#[test]
fn each_copy_of_a_server_has_a_log_of_its_own() {
    let text = format!(
        r#"
        [host.server]
        count = 2
        machine = "epyc-9005-2vcpu"
        kernel = "linux-6.18"
        [host.server.disk.d]
        {DISK}
        [host.server.disk.log]
        {DISK}
        [host.server.fs.data]
        type = "ext3"
        on = "d"
        journal = {{ mode = "ordered", on = "log" }}
        [workload.a]
        kind = "files"
        on = "server0/data"
        {MAIL}
        [workload.b]
        kind = "files"
        on = "server1/data"
        {MAIL}
        "#
    );
    let loaded = loaded(&text);
    let logs: Vec<&str> = (loaded.hosts.linux.file_systems.iter())
        .map(|mounted| loaded.storage[mounted.log.unwrap().on].name.as_str())
        .collect();
    assert_eq!(logs, ["server0/log", "server1/log"]);
    once_of(&loaded);
}

#[test]
fn the_log_disk_is_nobody_elses() {
    let text = scenario("journal = { on = \"log\" }", MAIL)
        + r#"
        [workload.other]
        kind = "synthetic"
        on = "log"
        requests = 500
        [[workload.other.generators]]
        read_fraction = "66 %"
        inter_arrival = { exponential = { mean = "10 ms" } }
        size = { exponential = { base = "4 KiB", mean = "4 KiB" } }
        "#;
    assert!(refused(&text).contains("is used by the journal of \"data\""), "{}", refused(&text));
}

#[test]
fn writers_of_one_log_file_append_to_it_in_turn() {
    let text = |append: &str| {
        with_one_disk(&scenario(
            "",
            &format!(
                "operation = \"write\"\nrecord = \"3 KiB\"\nfile_size = \"3 MiB\"\nprocesses = 4\noperations = 100\n\
                 shared_files = true\nfsync = \"at-end\"\n{append}"
            ),
        ))
    };
    let (appended, over_each_other) = (report(&text("append = true")), report(&text("")));
    assert_eq!(appended.served.bytes, over_each_other.served.bytes);
    // Four times as much lies on the disk in the end.
    assert!(appended.simulated_s > 1.2 * over_each_other.simulated_s, "{}", over_each_other.simulated_s);
    let of = |append: &str| refused(&text(append));
    assert!(of("append = true\npattern = \"random\"").contains("append"));
}

#[test]
fn a_mapped_file_in_memory_is_faster_than_calls_and_one_that_is_not_waits_for_the_disk() {
    let text = |more: &str| {
        with_one_disk(&scenario(
            "",
            &format!(
                "operation = \"read\"\npattern = \"random\"\nrecord = \"4 KiB\"\nfile_size = \"64 MiB\"\npasses = 4\n{more}"
            ),
        ))
    };
    let seconds = |more: &str| report(&text(more)).simulated_s;
    let (mapped, called) = (seconds("cached = true\ninterface = \"mapped\""), seconds("cached = true"));
    assert!(mapped < called, "mapped {mapped} s, by calls {called} s");
    assert!(seconds("interface = \"mapped\"") > 10.0 * mapped);
    for wrong in ["direct = true", "append = true", "sync = true"] {
        assert!(
            load_text("t", &text(&format!("interface = \"mapped\"\n{wrong}")), None, &[]).is_err(),
            "{wrong}"
        );
    }
    assert!(refused(&text("fsync_call = \"msync\"\nfsync = \"at-end\"")).contains("fsync"));
}

#[test]
fn stores_into_a_mapping_are_made_durable_by_msync() {
    let text = with_one_disk(&scenario(
        "",
        "operation = \"rewrite\"\npattern = \"random\"\nrecord = \"4 KiB\"\nfile_size = \"16 MiB\"\noperations = 100\n\
         cached = true\ninterface = \"mapped\"\nfsync = { every = 10 }\nfsync_call = \"msync\"\n",
    ));
    let report = report(&text);
    let syncs = report.served.operations.iter().find(|figures| figures.operation == "fdatasync").unwrap();
    assert_eq!(syncs.completed, 10);
    assert!(syncs.latency.unwrap().mean_ms.value > 1.0, "{:?}", syncs.latency);
}

#[test]
fn the_second_level_cache_moves_the_knee_and_is_refused_where_it_would_not() {
    let rate = |l2: &str, record: &str| {
        let text = format!(
            r#"
            [disk.d]
            {DISK}
            [host.h]
            machine = "poweredge-1850"
            kernel = "linux-2.6.27"
            change.machine.l2 = "{l2}"
            [fs.data]
            type = "ext3"
            on = "d"
            [workload.w]
            kind = "files"
            on = "data"
            operation = "read"
            record = "{record}"
            file_size = "32 MiB"
            cached = true
            "#
        );
        let report = report(&text);
        report.served.throughput_bytes_per_s.value
    };
    assert!(rate("2 MiB", "256 KiB") > 1.1 * rate("512 KiB", "256 KiB"));
    let text = scenario("", MAIL).replace("kernel =", "change.machine.l2 = \"4 MiB\"\nkernel =");
    let loaded = loaded(&with_one_disk(&text));
    assert!(System::build(&loaded).err().unwrap().to_string().contains("l2"));
}
