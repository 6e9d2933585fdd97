//! File systems on disks that all hosts reach: floors and ceilings, what must not get worse, which messages locks cost, and
//! what a person who writes nonsense is told.

use crate::hosts::support::{arrivals, load_of, try_run};
use miette::Diagnostic;
use petrio_scenario::Problem;
use petrio_scenario::report::Report;

/// Two hosts and two disks that take hardly any time, on Fibre Channel.
const SAN: &str = r#"
[network.fc]
use = "fibre-channel-1g"

[disk.d]
model = "constant-rate"
drive.latency = "1 us"
drive.rate = "10 GB/s"
count = 2

[host.node]
count = 2
machine = "epyc-9005-2vcpu"
kernel = "linux-6.18"

[san.work]
clients = "node*"
on = "d*"

[workload.w]
kind = "files"
on = "node*/work"
operation = "read"
record = "256 KiB"
file_size = "16 MiB"
"#;

fn run(set: &[&str]) -> Report {
    try_run(SAN, set).unwrap()
}

fn script(script: &str, set: &[&str]) -> Report {
    let text = SAN.split("[workload.w]").next().unwrap();
    let text = format!("{text}[workload.w]\nkind = \"script\"\non = \"node*/work\"\nscript = \"{script}\"\n");
    try_run(&text, set).unwrap()
}

/// Megabytes a second.
fn rate(report: &Report) -> f64 {
    report.served.throughput_bytes_per_s.value / 1e6
}

/// Data on a link of 106.25 MB/s: 2112 of 2172 bytes of a frame.
const GOODPUT: f64 = 106.25 * 2112.0 / 2172.0;

#[test]
fn a_reader_is_as_fast_as_its_link_or_its_disk_and_no_faster() {
    let alone = ["host.node.count=1", "workload.w.file_size=\"64 MiB\""];
    let link = rate(&run(&alone)) / GOODPUT;
    assert!((0.9..1.0).contains(&link), "{link}");
    let slow = [&alone[..], &["disk.d.drive.rate=\"20 MB/s\"", "disk.d.count=1"]].concat();
    let disk = rate(&run(&slow)) / 20.0;
    assert!((0.9..=1.0).contains(&disk), "{disk}");
    // Without reading ahead nothing overlaps: a request's way there and back, its disk, its copy.
    let one_by_one = rate(&run(&[&alone[..], &["san.work.read_ahead=\"0 B\""]].concat())) / GOODPUT;
    assert!(one_by_one < 0.97 * link, "{one_by_one} {link}");
}

#[test]
fn hosts_on_disks_of_their_own_scale_and_those_on_one_share_it() {
    let by_file = ["san.work.placement=\"by-file\"", "disk.d.drive.rate=\"20 MB/s\""];
    let of = |hosts: u32, disks: u32| {
        let counts = [format!("host.node.count={hosts}"), format!("disk.d.count={disks}")];
        rate(&run(&[&by_file[..], &counts.each_ref().map(String::as_str)].concat()))
    };
    let (one, four, shared) = (of(1, 1), of(4, 4), of(4, 1));
    assert!((3.6..=4.01).contains(&(four / one)), "{four} {one}");
    assert!(shared <= 20.0 && shared > 0.8 * one, "{shared} {one}");
}

#[test]
fn nothing_gets_slower_that_is_made_faster_or_larger() {
    let slow = ["disk.d.drive.rate=\"40 MB/s\"", "disk.d.drive.latency=\"200 us\""];
    let with = |more: &[&str]| rate(&run(&[&slow[..], more].concat()));
    let ascend = |what: &str, rates: &[f64]| {
        assert!(rates.windows(2).all(|two| two[1] > 0.99 * two[0]), "{what}: {rates:?}");
        assert!(rates[rates.len() - 1] > 1.02 * rates[0], "{what} changes nothing: {rates:?}");
    };
    let links = ["20 MB/s", "106.25 MB/s", "425 MB/s"].map(|rate| format!("network.fc.link.rate=\"{rate}\""));
    ascend("links", &links.map(|link| with(&[&link])));
    ascend("disks", &["1", "2", "4"].map(|count| with(&[&format!("disk.d.count={count}")])));
    let ahead = ["0 B", "256 KiB", "1 MiB"].map(|size| format!("san.work.read_ahead=\"{size}\""));
    ascend("read-ahead", &ahead.map(|ahead| with(&[&ahead])));
    // What is read twice stays where there is room for it.
    let caches = ["2 MiB", "8 MiB", "64 MiB"].map(|size| format!("san.work.cache=\"{size}\""));
    ascend("cache", &caches.map(|cache| with(&["workload.w.passes=2", &cache])));
    let work = ["2 ms", "500 us", "0 s"].map(|work| format!("san.work.scsi.overhead=\"{work}\""));
    ascend("targets", &work.map(|work| with(&[&work])));
}

#[test]
fn who_works_on_files_of_his_own_asks_for_each_once() {
    let messages = |size: &str, more: &[&str]| {
        let size = format!("workload.w.file_size=\"{size}\"");
        let base = ["workload.w.operation=\"rewrite\"", "workload.w.open_close=false", &size];
        arrivals(&run(&[&base[..], more].concat()), "work/lock manager/in order")
    };
    // For the data and, where locks are of ranges, for the inode.
    let by_file = "san.work.locks.granularity=\"file\"";
    for (more, tokens) in [(&[][..], 2), (&[by_file], 1)] {
        let both = (messages("1 MiB", more), messages("16 MiB", more));
        assert_eq!(both, (2 * tokens, 2 * tokens));
        // Each call asks, and returns what it got; the last may still write when the run ends.
        let returned = messages("1 MiB", &[more, &["san.work.locks.keep=false"]].concat());
        let all = 2 * 2 * 4 * tokens;
        assert!((all - 2 * tokens..=all).contains(&returned), "{returned}");
    }
}

#[test]
fn locks_of_files_and_a_manager_of_its_own_on_a_network_of_its_own() {
    let text = format!(
        "{SAN}\n[network.lan]\nlink = {{ rate = \"1 Gbit/s\", latency = \"5 us\" }}\n[host.keeper]\n\
         machine = \"epyc-9005-2vcpu\"\nkernel = \"linux-6.18\"\n"
    );
    let set = [
        "san.work.network=\"fc\"",
        "san.work.locks={ manager = \"keeper\", network = \"lan\", granularity = \"file\", work = \"50 us\" }",
        "network.fc.hosts=\"node*\"",
    ];
    let report = try_run(&text, &set).unwrap();
    assert_eq!(arrivals(&report, "lan/keeper/down"), arrivals(&report, "work/lock manager/in order"));
    assert!(arrivals(&report, "lan/keeper/down") > 0);
    assert!(rate(&report) > 0.0);
}

#[test]
fn iscsi_reaches_disks_over_ethernet() {
    let ethernet = [
        "network.fc.use=\"gigabit-ethernet\"",
        "network.fc.transport=\"iscsi\"",
        "host.node.count=1",
        "workload.w.file_size=\"64 MiB\"",
    ];
    // 48 bytes before every 8 KiB, and TCP's share of frames.
    let goodput = 125.0 * 1448.0 / 1538.0 * 8192.0 / 8240.0;
    for operation in ["read", "rewrite"] {
        let set = format!("workload.w.operation=\"{operation}\"");
        let more = ["workload.w.fsync=\"at-end\"", &set];
        let share =
            rate(&run(&[&ethernet[..], if operation == "read" { &more[1..] } else { &more[..] }].concat()))
                / goodput;
        assert!((0.75..1.0).contains(&share), "{operation}: {share}");
    }
}

#[test]
fn disks_have_names_where_links_are_given_one_by_one() {
    let between = |a: &str, b: &str| format!("{{ between = [\"{a}\", \"{b}\"] }}");
    let ends = ["node0", "node1", "d0", "d1"].map(|end| between(end, "switch")).join(", ");
    let set = format!("network.fc.topology={{ kind = \"links\", links = [{ends}] }}");
    let (star, links) = (run(&[]), run(&[&set]));
    assert_eq!(rate(&star), rate(&links));
    let apart = set.replace("\"d1\", \"switch\"", "\"d1\", \"elsewhere\"");
    assert!(load_of(SAN, &[&apart]).is_err(), "a disk that nobody reaches");
}

#[test]
fn whatever_a_local_file_system_takes_one_on_shared_disks_does_too() {
    let all = "mkdir d; create d/a; write d/a 0 300 KiB; fsync d/a; read d/a 0 300 KiB; append d/a 64 KiB; stat d/a; \
               truncate d/a 100 KiB; rename d/a d/b; readdir d; close d/b; unlink d/b; rmdir d; compute 1 ms; sync";
    for locks in ["{ granularity = \"file\" }", "{ keep = false }", "{ work = \"10 us\" }"] {
        let report = script(all, &[&format!("san.work.locks={locks}")]);
        assert_eq!(report.served.requests.completed, 2 * 14, "{locks}");
        let took = report.served.latency.as_ref().unwrap().mean_ms.value;
        let told: f64 = report.served.breakdown.iter().map(|part| part.mean_ms).sum();
        assert!((told / took - 1.0).abs() < 1e-6, "all time has a cause: {told} {took}");
    }
}

#[test]
fn metadata_are_asked_of_the_disks_too() {
    let one = ["host.node.count=1"];
    // A directory's block and an inode are read; name, inode and the map are written.
    let requests = |of: &str| {
        let report = script(of, &one);
        arrivals(&report, "work/d*/commands")
    };
    assert_eq!(requests("create a"), 1);
    assert_eq!(requests("create a; fsync a"), 1 + 2);
    assert_eq!(requests("create a; sync"), 1 + 3);
    assert_eq!(requests("file a 64 KiB; stat a; stat a"), 1);
}

#[test]
fn a_full_file_system_and_failing_calls_are_told() {
    let text = SAN.split("[workload.w]").next().unwrap();
    let write =
        "[workload.w]\nkind = \"script\"\non = \"node0/work\"\nscript = \"create a; write a 0 20 GiB\"\n";
    let set = ["disk.d.drive.blocks=\"2097152 blocks\"", "san.work.cache=\"64 MiB\""];
    let failure = try_run(&format!("{text}{write}"), &set).unwrap_err().to_string();
    assert!(failure.contains("the volume is full (ENOSPC)"), "{failure}");
}

#[test]
fn hosts_may_own_their_disks_and_stand_in_boxes() {
    let text = r#"
        [box.rack]
        count = 2
        [box.rack.network.fc]
        use = "fibre-channel-2g"
        [box.rack.host.node]
        count = 2
        machine = "epyc-9005-2vcpu"
        kernel = "linux-6.18"
        disk.d = { model = "constant-rate" }
        [box.rack.san.work]
        network = "fc"
        clients = "node*"
        on = "node*/d"
        locks.manager = "node1"
        [workload.w]
        kind = "files"
        on = "rack*/node*/work"
        operation = "write"
        fsync = "at-end"
        record = "64 KiB"
        file_size = "1 MiB"
    "#;
    let report = try_run(text, &[]).unwrap();
    assert_eq!(report.served.requests.writes, 4 * 16);
    // Two hosts create a file each, open and write it: the directory, inode and data.
    let messages = arrivals(&report, "rack0/work/lock manager/in order");
    assert!((2..=2 * 6).contains(&messages), "{messages}");
    assert_eq!(arrivals(&report, "rack1/work/lock manager/in order"), messages);
}

#[test]
fn what_makes_no_sense_is_refused_where_it_stands() {
    let cases = [
        ("network.fc.use=\"gigabit-ethernet\"", "carries no commands of SCSI"),
        ("san.work.on=\"x*\"", "no disk or array is called \"x*\""),
        ("san.work.clients=\"server\"", "no host is called \"server\""),
        ("san.work.network=\"lan\"", "no network is called \"lan\""),
        ("san.work.locks.manager=\"boss\"", "no host is called \"boss\""),
        ("san.work.locks.network=\"lan\"", "no network is called \"lan\""),
        ("san.work.locks.manager=\"node*\"", "one host grants locks"),
        ("network.fc.hosts=\"node0\"", "the host \"node1\" isn't on the network \"fc\""),
        ("san.work.block=\"1000 B\"", "isn't a multiple of 4 KiB"),
        ("san.work.partition=\"100 KiB\"", "isn't made of blocks"),
        ("san.work.largest_request=\"2 MiB\"", "up to the other"),
        ("san.work.cache=\"64 KiB\"", "holds less than 8 blocks"),
        ("san.work.cache=\"1000 TiB\"", "more than can be held here"),
        ("san.work.write_back_after=\"0 s\"", "1 ms or more"),
        ("san.work.scsi.queue_depth=0", "takes no command"),
        ("disk.d.drive.blocks=\"1024 blocks\"", "no room for metadata"),
        ("san.other={ clients = \"node0\", on = \"d0\" }", "is used by the file system \"work\" already"),
        ("san.work.stripe=\"1 MiB\"", "stripe"),
    ];
    for (set, message) in cases {
        let problems = load_of(SAN, &[set]).map(|_| ()).expect_err(set);
        let advice = |problem: &Problem| problem.help().map_or(String::new(), |help| help.to_string());
        let told: Vec<String> = problems.iter().map(|one| format!("{one}; {}", advice(one))).collect();
        assert!(told.iter().any(|told| told.contains(message)), "{set}: {told:?}");
        assert!(problems.iter().all(|one| !advice(one).is_empty()), "{set}: {told:?}");
    }
}

#[test]
fn what_is_written_directly_is_read_from_disk_again() {
    let reads_of = |flag: &str| {
        let text = format!("create f; write f 0 8 MiB{flag}; read f 0 8 MiB{flag}");
        let report = script(&text, &["host.node.count=1"]);
        let direct = report.served.read_latency.as_ref().unwrap().mean_ms.value / 1e3;
        8.0 * 1.048_576 / direct
    };
    // What lies in memory is read faster than any link; what was written past it comes over the link again.
    assert!(reads_of("") > 5.0 * GOODPUT, "{}", reads_of(""));
    assert!(reads_of(" direct") < GOODPUT, "{}", reads_of(" direct"));
}
