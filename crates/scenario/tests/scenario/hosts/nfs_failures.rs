//! NFS over networks that lose frames, and from servers that stop, can't be reached or are slow: what programs see, and what the report says.

use crate::hosts::support::{load_of, run_of};
use petrio_scenario::report::Report;

const HOSTS: &str = r#"
[network.lan]
costs = { send = "0 s", receive = "0 s", send_kib = "0 s", receive_kib = "0 s" }
link = { rate = "1 Gbit/s", latency = "5 us" }

[host.client]
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
clients = "client"
server = "server/data"
options = "vers=3,proto=udp,rsize=32768,wsize=32768"

[workload.w]
kind = "files"
on = "client/home"
operation = "write"
record = "64 KiB"
file_size = "4 MiB"
fsync = "at-end"
"#;

fn calls(report: &Report, procedure: &str) -> u64 {
    report.calls.iter().filter(|calls| calls.procedure == procedure).map(|calls| calls.calls).sum()
}

fn sent_again(report: &Report) -> u64 {
    report.calls.iter().map(|calls| calls.sent_again).sum()
}

#[test]
fn over_udp_the_same_calls_go_and_what_is_lost_is_sent_again() {
    let whole = run_of(HOSTS, &[]);
    assert_eq!((calls(&whole, "WRITE"), calls(&whole, "COMMIT"), sent_again(&whole)), (128, 1, 0));
    for set in [&["network.lan.loss=0.004"][..], &["network.lan.loss=0.004", "network.lan.level=packet"]] {
        let lossy = run_of(HOSTS, set);
        assert_eq!((calls(&lossy, "WRITE"), calls(&lossy, "COMMIT")), (128, 1), "{set:?}");
        assert!(sent_again(&lossy) > 0, "one in ten datagrams of 23 frames lacks one: {:?}", lossy.calls);
        assert!(lossy.simulated_s > whole.simulated_s + 0.1, "a time-out takes a tenth of a second: {set:?}");
    }
}

#[test]
fn what_a_switch_has_no_room_for_is_sent_again() {
    let text = HOSTS
        .replace("[network.lan]", "[network.lan]\nlevel = \"packet\"")
        .replace("latency = \"5 us\" }", "latency = \"5 us\", buffer = \"12 KiB\" }");
    // Two clients at once are more than the switch has room for before the server's link.
    let two = text.replace("[host.client]", "[host.client]\ncount = 3").replace("\"client", "\"client*");
    let report =
        run_of(&two, &["nfs.home.options=vers=3,proto=udp,wsize=8192", "workload.w.file_size=512 KiB"]);
    assert_eq!(calls(&report, "WRITE"), 3 * 64, "{:?}", report.calls);
    assert!(sent_again(&report) > 0, "{:?}", report.calls);
}

#[test]
fn a_hard_mount_waits_for_a_server_that_stops_and_a_soft_one_tells_programs() {
    let stops = "nfs.home.failures=[{ at = \"10 ms\", restored_after = \"20 s\" }]";
    for options in ["vers=3,wsize=32768", "vers=3,proto=udp,wsize=32768", "vers=4.2,wsize=32768"] {
        let report = run_of(HOSTS, &[stops, &format!("nfs.home.options={options}")]);
        assert!(report.simulated_s > 20.0, "{options}: {}", report.simulated_s);
        assert_eq!(report.served.failures.len(), 0, "{options}: {:?}", report.served.failures);
        assert!(sent_again(&report) > 0, "{options}: {:?}", report.calls);
    }
    let soft = "nfs.home.options=vers=3,proto=udp,soft,timeo=2,retrans=2,wsize=32768";
    // Nothing comes back for a long while: each call is given up after 1.4 s.
    let stops = stops.replace("20 s", "900 s");
    let report = run_of(HOSTS, &[&stops, soft, "measure.on_error=count"]);
    assert!(report.simulated_s < 900.0, "{}", report.simulated_s);
    assert!(!report.served.failures.is_empty(), "fsync and close say what couldn't be written");
    let given_up: u64 = report.calls.iter().map(|calls| calls.given_up).sum();
    assert!(given_up > 0, "{:?}", report.calls);
    // A soft mount needs no server that comes back.
    assert!(load_of(HOSTS, &["nfs.home.failures=[{ at = \"10 ms\" }]", soft]).is_ok());
}

#[test]
fn a_lost_connection_costs_its_time_and_a_slow_server_each_call() {
    let usual = run_of(HOSTS, &["nfs.home.options=vers=3,wsize=32768"]);
    let away = "nfs.home.failures=[{ at = \"1 ms\", restored_after = \"3 s\", what = \"unreachable\" }]";
    let lost = run_of(HOSTS, &["nfs.home.options=vers=3,wsize=32768", away]);
    assert!(
        (3.0..8.0).contains(&lost.simulated_s),
        "TCP doubles its time-outs from 0.2 s on: {}",
        lost.simulated_s
    );
    assert_eq!(lost.served.failures.len(), 0);
    let slow = "nfs.home.failures=[{ at = \"0 s\", restored_after = \"100 s\", what = \"slow\", slower_by = \"20 ms\" }]";
    let slow = run_of(HOSTS, &["nfs.home.options=vers=3,wsize=32768", slow]);
    // 128 WRITEs, eight threads.
    assert!(
        slow.simulated_s > usual.simulated_s + 16.0 * 0.02,
        "{} and {}",
        slow.simulated_s,
        usual.simulated_s
    );
    assert_eq!(sent_again(&slow), 0);
}
