//! PVFS 2 on servers that stop, exit, can't be reached or are slow: what programs see, and what the report says.

use crate::hosts::support::{load_of, run_of};
use petrio_scenario::report::{Report, RetriesFigures};

const HOSTS: &str = r#"
[network.lan]
costs = { send = "0 s", receive = "0 s", send_kib = "0 s", receive_kib = "0 s" }
link = { rate = "1 Gbit/s", latency = "5 us" }

[host.client]
count = 2
machine = "epyc-9005-2vcpu"
kernel = "linux-6.18"

[host.server]
count = 2
machine = "epyc-9005-2vcpu"
kernel = "linux-6.18"

[host.server.disk.d]
model = "constant-rate"
drive.latency = "1 ms"
drive.rate = "10 GB/s"

[host.server.fs.data]
type = "ext4"
on = "d"

[pvfs.work]
version = "pvfs2"
clients = "client*"
servers = "server*/data"
retries = { client_time_out = "5 s", client_flow_time_out = "5 s" }

[measure]
on_error = "count"

[workload.w]
kind = "files"
on = "client*/work"
operation = "write"
record = "256 KiB"
file_size = "16 MiB"
fsync = "at-end"
"#;

fn fails(how: &str) -> String {
    format!("pvfs.work.failures=[{{ server = 0, at = \"20 ms\", {how} }}]")
}

fn retries(report: &Report) -> &RetriesFigures {
    &report.retries[0]
}

fn failed(report: &Report) -> u64 {
    report.served.failures.iter().map(|failures| failures.failed).sum()
}

#[test]
fn operations_that_were_retried_are_told_from_those_that_failed_and_none_is_counted_twice() {
    let usual = run_of(HOSTS, &[]);
    assert!(usual.retries.is_empty(), "nothing fails, and nothing is told of it");
    let all = |report: &Report| report.served.requests.completed + failed(report);
    for (how, again) in [
        ("restored_after = \"4 s\"", true),
        ("restored_after = \"4 s\", what = \"exits\"", true),
        ("restored_after = \"2 s\", what = \"unreachable\"", false),
    ] {
        let report = run_of(HOSTS, &[&fails(how)]);
        assert_eq!((failed(&report), retries(&report).failed), (0, 0), "{how}");
        assert_eq!(all(&report), all(&usual), "{how}");
        assert_eq!(retries(&report).retried > 0, again, "{how}: {:?}", report.retries);
        assert!(report.simulated_s > usual.simulated_s + 1.9, "{how}: {}", report.simulated_s);
    }
    let never = run_of(HOSTS, &[&fails("what = \"exits\"")]);
    assert_eq!(all(&never), all(&usual));
    assert!(failed(&never) > 0 && retries(&never).failed == failed(&never), "{:?}", never.retries);
    let reasons: Vec<_> = never.served.failures.iter().map(|failures| failures.failure.as_str()).collect();
    assert!(reasons.iter().all(|reason| reason.contains("ECONNREFUSED")), "{reasons:?}");
    let waited = retries(&never).waited_ms;
    assert!((9_999.0..10_100.0).contains(&waited), "five rests of two seconds each: {waited}");
}

#[test]
fn what_a_host_had_in_memory_alone_is_told_where_it_stops_and_only_there() {
    let lost = |how: &str, set: &[&str]| {
        let how = fails(how);
        let set: Vec<&str> = set.iter().copied().chain([how.as_str()]).collect();
        retries(&run_of(HOSTS, &set)).unsynced_bytes
    };
    let stops = lost("restored_after = \"1 s\"", &[]);
    assert!(stops > 0 && stops < 32 << 20, "{stops}");
    assert_eq!(lost("restored_after = \"1 s\", what = \"exits\"", &[]), 0);
    assert_eq!(lost("restored_after = \"1 s\", what = \"unreachable\"", &[]), 0);
    assert_eq!(lost("restored_after = \"1 s\"", &["pvfs.work.direct=true"]), 0);
    assert_eq!(lost("restored_after = \"1 s\"", &["workload.w.sync=true"]), 0);
}

#[test]
fn longer_outages_take_no_less_and_a_slow_server_takes_its_time() {
    let spans: Vec<f64> = ["0.1 s", "0.5 s", "1 s", "3 s", "9 s"]
        .map(|lasts| run_of(HOSTS, &[&fails(&format!("restored_after = \"{lasts}\""))]).simulated_s)
        .into();
    assert!(spans.is_sorted(), "{spans:?}");
    let usual = run_of(HOSTS, &[]).simulated_s;
    let slow = "restored_after = \"100 s\", what = \"slow\", slower_by = \"20 ms\"";
    let slow = run_of(HOSTS, &[&fails(slow)]);
    // Sixty-four writes of each client have a part there, one after the other; a few were done before it became slow.
    assert!(slow.simulated_s > usual + 50.0 * 0.02, "{} and {usual}", slow.simulated_s);
    assert_eq!((retries(&slow).sent_again, failed(&slow)), (0, 0));
}

#[test]
fn nonsense_is_told_where_it_stands() {
    for (set, why) in [
        ("pvfs.work.failures=[{ server = 2, at = \"1 s\" }]", "the server 2 fails, and there are 2"),
        ("pvfs.work.failures=[{ at = \"1 s\" }]", "server"),
        ("pvfs.work.failures=[{ server = 0, at = \"1 s\", restored_after = \"0 s\" }]", "takes no time"),
        ("pvfs.work.failures=[{ server = 0, at = \"1 s\", what = \"slow\" }]", "slower_by"),
        (
            "pvfs.work.failures=[{ server = 1, at = \"2 s\" }, { server = 1, at = \"3 s\" }]",
            "fails while it has failed already",
        ),
        ("pvfs.work.retries.client_time_out=0 s", "retries.client_time_out"),
    ] {
        let told = format!("{:?}", load_of(HOSTS, &[set]).unwrap_err());
        assert!(told.contains(why), "{set}: {told}");
    }
    let first = ["pvfs.work.failures=[{ server = 0, at = \"1 s\" }]", "pvfs.work.version=pvfs1"];
    let told = format!("{:?}", load_of(HOSTS, &first).unwrap_err());
    assert!(told.contains("are of PVFS 2"), "{told}");
    let rdma = ["pvfs.work.failures=[{ server = 0, at = \"1 s\" }]", "network.lan.transport=rdma"];
    let told = format!("{:?}", load_of(HOSTS, &rdma).unwrap_err());
    assert!(told.contains("none of IP"), "{told}");
}
