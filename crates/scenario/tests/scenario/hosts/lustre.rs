//! Lustre in scenarios: which RPCs cross the network and when, who calls which lock back, how fast it can be, and what a person who writes
//! nonsense is told.

use crate::hosts::support::{load_of, rate, run_of};
use petrio_scenario::report::Report;

const HOSTS: &str = r#"
[network.lan]
costs = { send = "0 s", receive = "0 s", send_kib = "0 s", receive_kib = "0 s" }
link = { rate = "10 Gbit/s", latency = "5 us" }

[host.client]
count = 1
machine = "epyc-9005-2vcpu"
kernel = "linux-5.15"

[host.mds]
count = 1
machine = "epyc-9005-2vcpu"
kernel = "linux-5.15"
disk.d = { model = "constant-rate", drive.latency = "100 us", drive.rate = "1 GB/s" }
fs.mdt = { type = "ext4", on = "d" }

[host.oss]
count = 4
machine = "epyc-9005-2vcpu"
kernel = "linux-5.15"
disk.d = { model = "constant-rate", drive.latency = "100 us", drive.rate = "200 MB/s" }
fs.ost = { type = "ext4", on = "d" }

[lustre.work]
clients = "client*"
mdts = "mds*/mdt"
osts = "oss*/ost"
"#;

const WRITES: &str = r#"
[workload.w]
kind = "files"
on = "client*/work"
operation = "write"
record = "1 MiB"
file_size = "64 MiB"
fsync = "at-end"
"#;

fn run(workload: &str, set: &[&str]) -> Report {
    run_of(&format!("{HOSTS}{workload}"), set)
}

/// How many RPCs of a procedure there were.
fn rpcs(report: &Report, procedure: &str) -> u64 {
    report.rpcs.iter().filter(|own| own.procedure == procedure).map(|own| own.rpcs).sum()
}

/// Locks on extents that were called back.
fn called_back(report: &Report) -> u64 {
    report.locks.iter().map(|own| own.called_back).sum()
}

#[test]
fn what_is_written_goes_in_rpcs_of_four_mib_under_one_lock() {
    let report = run(WRITES, &[]);
    assert_eq!(rpcs(&report, "ost_write"), 16, "{:?}", report.rpcs);
    assert_eq!((rpcs(&report, "ldlm_enqueue PW"), called_back(&report)), (1, 0));
    assert_eq!((rpcs(&report, "ost_sync"), rpcs(&report, "mds_sync")), (1, 1));
    let sent: u64 =
        report.rpcs.iter().filter(|own| own.procedure == "ost_write").map(|own| own.sent_bytes).sum();
    // Of each the request (584 bytes: LNet's 96, a header of 56, the body's 184, and 208 + 24 + 16), and LNet's header before the data.
    assert_eq!(sent, (64 << 20) + 16 * (584 + 96));
    let old = run(WRITES, &["lustre.work.max_pages_per_rpc=256"]);
    assert_eq!(rpcs(&old, "ost_write"), 64, "{:?}", old.rpcs);
}

#[test]
fn one_stripe_is_no_faster_than_one_ost_and_more_are_no_slower() {
    let rates: Vec<f64> =
        [1, 2, 4].map(|stripes| rate(&run(WRITES, &[&format!("lustre.work.stripe_count={stripes}")]))).into();
    assert!(rates[0] <= 200e6 && rates[0] > 100e6, "{rates:?}");
    assert!(rates[1] >= rates[0] && rates[2] >= rates[1], "{rates:?}");
    assert!(rates[2] <= 800e6 && rates[2] > 2.0 * rates[0], "{rates:?}");
    // All of them, as -1 says; no faster than the client's link.
    let all = rate(&run(WRITES, &["lustre.work.stripe_count=-1"]));
    assert!((all - rates[2]).abs() < 1e-6 * all, "{all}");
    let slow = rate(&run(WRITES, &["lustre.work.stripe_count=-1", "network.lan.link.rate=\"1 Gbit/s\""]));
    assert!(slow <= 125e6 && slow > 80e6, "{slow}");
}

#[test]
fn what_is_read_is_read_ahead_once_under_one_lock() {
    let reads = WRITES.replace("\"write\"", "\"read\"").replace("fsync = \"at-end\"", "");
    let report = run(&reads, &["lustre.work.stripe_count=4"]);
    let received: u64 =
        report.rpcs.iter().filter(|own| own.procedure == "ost_read").map(|own| own.received_bytes).sum();
    assert!((64 << 20..(64 << 20) + (64 << 10)).contains(&received), "{:?}", report.rpcs);
    assert_eq!((rpcs(&report, "ldlm_enqueue PR"), called_back(&report)), (4, 0));
    assert!(rate(&report) <= 800e6 && rate(&report) > 150e6, "{}", rate(&report));
}

#[test]
fn small_data_go_with_their_request() {
    let small = WRITES.replace("64 MiB", "8 KiB").replace("1 MiB", "8 KiB");
    let sent = |set: &[&str]| -> u64 {
        let report = run(&small, set);
        assert_eq!(rpcs(&report, "ost_write"), 1, "{:?}", report.rpcs);
        report.rpcs.iter().filter(|own| own.procedure == "ost_write").map(|own| own.sent_bytes).sum()
    };
    assert_eq!(sent(&[]), 584 + 8192);
    assert_eq!(sent(&["lustre.work.short_io=\"4 KiB\""]), 584 + 96 + 8192);
}

#[test]
fn nonsense_is_told_where_it_stands() {
    for (set, why) in [
        ("lustre.work.stripe_count=5", "5 stripes make no sense"),
        ("lustre.work.stripe_count=0", "0 stripes make no sense"),
        ("lustre.work.stripe_size=\"100 KiB\"", "it is a multiple of 64 KiB"),
        (
            "lustre.work.layout=[{ end = \"4 MiB\" }, { end = \"1 MiB\" }, {}]",
            "component 2 of the layout ends at 1 MiB, which isn't behind the end of the one before it",
        ),
        ("lustre.work.layout=[{}, { end = \"1 MiB\" }]", "component 1 of the layout has no end"),
        ("lustre.work.layout=[{ dom = true }]", "lies on the MDT"),
        ("lustre.work.mdt_count=2", "over 2 MDTs where there are 1"),
        ("lustre.work.mdts=mds*/there", "there"),
        ("lustre.work.osts=nowhere/ost", "nowhere"),
        ("lustre.work.osts=mds*/mdt", "can't be a metadata target and an object storage target"),
        ("lustre.work.clients=oss*", "would be its own client"),
        ("lustre.work.max_rpcs_in_flight=0", "let it be 1 or more"),
        ("host.oss.fs.ost.type=xfs", "isn't ext4"),
    ] {
        let problems = format!("{:?}", load_of(&format!("{HOSTS}{WRITES}"), &[set]).unwrap_err());
        assert!(problems.contains(why), "{set}: {problems}");
    }
}

/// Ranks that write one file with IOR.
fn shared(command: &str, set: &[&str]) -> Report {
    let ranks = format!(
        "[workload.w]\nkind = \"parallel\"\non = \"client*/work\"\nranks = 2\n\
         program = {{ kind = \"ior\", command = \"mpirun -np 2 ior {command} -o f\" }}\n"
    );
    run(&ranks, &[&["host.client.count=2"], set].concat())
}

#[test]
fn blocks_side_by_side_end_with_a_lock_each_however_long_they_are() {
    let blocks = |mib: u32| called_back(&shared(&format!("-w -t 1m -b {mib}m"), &[]));
    let (short, long) = (blocks(16), blocks(64));
    assert!((1..=4).contains(&short), "{short}");
    assert_eq!(short, long);
}

#[test]
fn pieces_that_take_turns_in_one_object_call_locks_back_and_in_objects_of_their_own_do_not() {
    // Rank 0 writes even MiB and rank 1 odd ones.
    let turns = |set: &[&str]| called_back(&shared("-w -t 1m -b 1m -s 32", set));
    let one = turns(&[]);
    assert!(one >= 4, "{one}");
    // With stripes of a MiB on two OSTs each rank writes an object of its own.
    assert_eq!(turns(&["lustre.work.stripe_count=2"]), 0);
}

#[test]
fn each_file_that_is_made_is_one_rpc_and_its_way_is_known() {
    let many = "[workload.w]\nkind = \"parallel\"\non = \"client*/work\"\nranks = 2\n\
                program = { kind = \"mdtest\", command = \"mdtest -n 40 -F -u -d d\" }\n";
    let report = run(many, &["host.client.count=2"]);
    assert_eq!(rpcs(&report, "intent open-create"), 80, "{:?}", report.rpcs);
    // Each is opened once more, to be read.
    assert_eq!((rpcs(&report, "intent open"), rpcs(&report, "mds_close")), (80, 160), "{:?}", report.rpcs);
    assert_eq!(rpcs(&report, "reint unlink"), 80, "{:?}", report.rpcs);
    let dne = run(many, &["host.client.count=2", "host.mds.count=2"]);
    assert_eq!(rpcs(&dne, "intent open-create"), 80, "{:?}", dne.rpcs);
}

#[test]
fn data_on_the_metadata_target_ask_no_object_storage_target() {
    let small = WRITES.replace("64 MiB", "32 KiB").replace("1 MiB", "32 KiB");
    let dom = "lustre.work.layout=[{ end = \"64 KiB\", dom = true }, {}]";
    let report = run(&small, &[dom]);
    assert_eq!((rpcs(&report, "ost_write"), rpcs(&report, "ost_sync")), (1, 0), "{:?}", report.rpcs);
    // A component that is written to for the first time is made.
    let grown = run(WRITES, &[dom]);
    assert_eq!(rpcs(&grown, "intent layout"), 1, "{:?}", grown.rpcs);
}

#[test]
fn little_grant_and_few_credits_hold_writers_back() {
    let usual = run(WRITES, &[]);
    let little = run(WRITES, &["lustre.work.grant=\"1 MiB\""]);
    let held = |report: &Report| report.locks.iter().map(|own| own.held_back_ms).sum::<f64>();
    assert!(held(&little) > held(&usual), "{} {}", held(&little), held(&usual));
    assert!(rate(&little) < rate(&usual));
    let many = WRITES.replace("[workload.w]", "[workload.w]\nprocesses = 4");
    let few = run(&many, &["lustre.work.stripe_count=4", "lustre.work.peer_credits=1"]);
    let waits = few.locks.iter().map(|own| own.without_credit).sum::<u64>();
    assert!(waits > 0, "{:?}", few.locks);
}
