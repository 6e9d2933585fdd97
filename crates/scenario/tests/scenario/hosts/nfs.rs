//! NFS in scenarios: which calls cross the network and when, what the server does with them, and what a person who writes nonsense is told.

use crate::hosts::support::{load_of, rate, run_of};
use petrio_scenario::report::Report;

const HOSTS: &str = r#"
[network.lan]
costs = { send = "0 s", receive = "0 s", send_kib = "0 s", receive_kib = "0 s" }
link = { rate = "1 Gbit/s", latency = "5 us" }

[host.client]
count = 1
machine = "epyc-9005-2vcpu"
kernel = "linux-5.15"

[host.server]
machine = "epyc-9005-2vcpu"
kernel = "linux-6.18"

[host.server.disk.d]
model = "constant-rate"
drive.latency = "1 ms"
drive.rate = "10 GB/s"

[host.server.fs.data]
type = "ext4"
on = "d"

[nfs.home]
clients = "client*"
server = "server/data"
options = "vers=3"

[workload.w]
kind = "files"
on = "client*/home"
operation = "write"
record = "64 KiB"
file_size = "4 MiB"
fsync = "at-end"
"#;

fn run(set: &[&str]) -> Report {
    run_of(HOSTS, set)
}

/// How many calls of a procedure there were.
fn calls(report: &Report, procedure: &str) -> u64 {
    report.calls.iter().filter(|calls| calls.procedure == procedure).map(|calls| calls.calls).sum()
}

/// Bytes of them.
fn sent(report: &Report) -> u64 {
    report.calls.iter().map(|calls| calls.sent_bytes).sum()
}

#[test]
fn what_is_written_crosses_the_network_once_and_is_committed() {
    let report = run(&[]);
    assert_eq!((calls(&report, "WRITE"), calls(&report, "COMMIT")), (4, 1), "{:?}", report.calls);
    // 4 MiB; RPC headers, handles and arguments come to 124 bytes a WRITE and 116 of the COMMIT.
    assert_eq!(sent(&report), (4 << 20) + 4 * 124 + 116);
    let link = 125e6;
    assert!(rate(&report) < link && rate(&report) > 0.5 * link, "{}", rate(&report));
    let small = run(&["nfs.home.options=vers=3,wsize=32768"]);
    assert_eq!((calls(&small, "WRITE"), calls(&small, "COMMIT")), (128, 1));
    let old = run(&["nfs.home.options=vers=2"]);
    assert_eq!((calls(&old, "WRITE"), calls(&old, "COMMIT")), (512, 0));
}

#[test]
fn with_noac_every_call_waits_for_its_write_to_be_on_the_servers_disk() {
    let report = run(&["nfs.home.options=vers=3,noac"]);
    assert_eq!((calls(&report, "WRITE"), calls(&report, "COMMIT")), (64, 0));
    let at_close = run(&[]);
    assert!(report.simulated_s > at_close.simulated_s + 64.0 * 1e-3, "{}", report.simulated_s);
    // The disk isn't waited for where the server promises nothing.
    let at_once = run(&["nfs.home.options=vers=3,noac", "nfs.home.export=async"]);
    assert!(at_once.simulated_s < report.simulated_s - 64.0 * 1e-3, "{}", at_once.simulated_s);
}

#[test]
fn what_is_read_again_comes_from_the_clients_memory_but_where_it_is_told_to_ask() {
    let reads = |options: &str, passes: &str| {
        let text =
            HOSTS.replace("kind = \"files\"", "kind = \"accesses\"").replace("fsync = \"at-end\"", passes);
        run_of(&text, &["workload.w.operation=read", &format!("nfs.home.options={options}")])
    };
    let once = reads("vers=3,rsize=32768,wsize=4096", "passes = 1");
    let twice = reads("vers=3,rsize=32768,wsize=4096", "passes = 2");
    assert_eq!((calls(&once, "READ"), calls(&twice, "READ")), (128, 128), "{:?}", twice.calls);
    // Attributes are asked for with each call where they aren't believed.
    assert!(calls(&twice, "GETATTR") <= 1, "{:?}", twice.calls);
    let suspicious = reads("vers=3,actimeo=0", "passes = 2");
    assert!(calls(&suspicious, "GETATTR") >= 127, "{:?}", suspicious.calls);
}

#[test]
fn clients_wait_for_the_servers_threads_and_for_slots() {
    let many = ["host.client.count=4", "nfs.home.options=vers=3,wsize=65536"];
    let report = run(&many);
    assert_eq!(calls(&report, "WRITE"), 4 * 64);
    let one_thread = [many[0], many[1], "nfs.home.threads=1", "nfs.home.costs.serve=\"1 ms\""];
    assert!(run(&one_thread).simulated_s > 4.0 * 64.0 * 1e-3);
    let one_slot = run(&[many[0], many[1], "nfs.home.slots=1"]);
    let queued = |report: &Report| {
        report
            .calls
            .iter()
            .filter(|calls| calls.procedure == "WRITE")
            .map(|calls| calls.queued_ms)
            .sum::<f64>()
    };
    assert!(queued(&one_slot) > 2.0 * queued(&report) && queued(&one_slot) > 0.0);
}

#[test]
fn nonsense_is_told_where_it_stands() {
    for (set, why) in [
        ("nfs.home.options=rsize=0", "makes no sense: its value may be bytes, at least 1024"),
        ("nfs.home.options=vers=5", "makes no sense"),
        ("nfs.home.options=lazy", "no option of an NFS mount"),
        ("nfs.home.options=vers=4.2,proto=udp", "version 4.2 isn't carried by UDP"),
        ("nfs.home.options=vers=3,timeo=0", "tenths of a second, 1 to 6000"),
        ("nfs.home.options=vers=3,retrans=x", "1 to 100"),
        (
            "nfs.home.failures=[{ at = \"1 s\" }]",
            "doesn't come back after 1 s, and hard mounts wait for it for ever",
        ),
        ("nfs.home.failures=[{ at = \"1 s\", restored_after = \"0 s\" }]", "takes no time"),
        ("nfs.home.failures=[{ at = \"1 s\", what = \"slow\" }]", "slower_by"),
        (
            "nfs.home.failures=[{ at = \"1 s\", restored_after = \"1 s\", what = \"exits\" }]",
            "is its host's kernel",
        ),
        ("network.lan.loss=0.7", "carries next to nothing"),
        ("nfs.home.server=server/nothing", "server/nothing"),
        ("nfs.home.server=[]", "server"),
        ("nfs.home.clients=server", "would mount what it exports itself"),
        ("nfs.home.server=client0/home", "in a circle: no file would lie anywhere"),
        ("nfs.home.threads=0", "serves nobody"),
        ("nfs.home.slots=0", "sends no call"),
    ] {
        let problems = load_of(HOSTS, &["host.client.count=2", set]).unwrap_err();
        let told = format!("{problems:?}");
        assert!(told.contains(why), "{set}: {told}");
    }
    let old = HOSTS.replace("linux-5.15", "linux-2.6.27");
    let told = format!("{:?}", load_of(&old, &["nfs.home.options=vers=4.2"]).unwrap_err());
    assert!(told.contains("the client of Linux 2.6.27 has no version 4.2"), "{told}");
    let young = HOSTS.replace("linux-5.15", "linux-6.18");
    assert!(load_of(&young, &["nfs.home.options=vers=2"]).is_err());
}
