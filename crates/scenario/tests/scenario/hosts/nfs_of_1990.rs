//! Hosts of 1990 as clients of NFS: version 2 below a buffer cache, with biods, and one processor for calls, copies and remote procedures.

use crate::hosts::support::{load_of, run_of};
use petrio_scenario::report::Report;

const HOSTS: &str = r#"
[disk.local]
model = "constant-rate"
drive.latency = "20 ms"
drive.rate = "1 MB/s"

[unix.ws]
on = "local"
memory = "8 MiB"

[network.ether]
hosts = ["ws", "server"]
link = { rate = "10 Mbit/s", latency = "25 us" }
costs = { send = "0 s", receive = "0 s", send_kib = "0 s", receive_kib = "0 s" }

[host.server]
machine = "pentium-ii-350"
kernel = "linux-2.6.24"

[host.server.disk.d]
model = "constant-rate"
drive.latency = "10 ms"
drive.rate = "2 MB/s"

[host.server.fs.data]
type = "ext3"
on = "d"

[nfs.home]
clients = "ws"
server = "server/data"
options = "vers=2,proto=udp,timeo=20"
costs = { call = "0 s", answer = "0 s", serve = "0 s" }

[workload.w]
kind = "accesses"
on = "ws/home"
operation = "read"
record = "8 KiB"
file_size = "256 KiB"
passes = 1
"#;

fn calls(report: &Report, procedure: &str) -> u64 {
    report.calls.iter().filter(|calls| calls.procedure == procedure).map(|calls| calls.calls).sum()
}

#[test]
fn a_file_is_read_in_blocks_of_8_kib_and_stays_in_the_buffers() {
    let once = run_of(HOSTS, &[]);
    assert_eq!(calls(&once, "READ"), 32, "{:?}", once.calls);
    let again = run_of(HOSTS, &["workload.w.passes=3"]);
    assert_eq!(calls(&again, "READ"), 32, "{:?}", again.calls);
    // 256 KiB are 0.21 s on this wire.
    assert!(once.simulated_s > 0.21, "{}", once.simulated_s);
    let alone = run_of(HOSTS, &["unix.ws.read_ahead=false"]);
    assert!(alone.simulated_s > once.simulated_s, "{} and {}", alone.simulated_s, once.simulated_s);
    assert_eq!(calls(&alone, "READ"), 32);
}

#[test]
fn a_full_block_is_written_behind_by_a_biod_and_closing_waits_for_the_servers_disk() {
    let writes = |set: &[&str]| {
        let text = HOSTS.replace("kind = \"accesses\"", "kind = \"files\"").replace("passes = 1", "");
        run_of(&text, &[&["workload.w.operation=write", "workload.w.fsync=at-end"], set].concat())
    };
    let four = writes(&[]);
    assert_eq!((calls(&four, "WRITE"), calls(&four, "COMMIT")), (32, 0), "{:?}", four.calls);
    let none = writes(&["unix.ws.biods=0"]);
    assert_eq!(calls(&none, "WRITE"), 32);
    assert!(none.simulated_s > 1.3 * four.simulated_s, "{} and {}", none.simulated_s, four.simulated_s);
    // Each WRITE is on the disk before it is answered.
    assert!(none.simulated_s > 32.0 * 0.01, "{}", none.simulated_s);
}

#[test]
fn calls_copies_and_remote_procedures_share_the_processor() {
    let cached = ["workload.w.passes=20", "unix.ws.call=\"2 ms\""];
    let one = run_of(HOSTS, &cached);
    let two = run_of(HOSTS, &[cached[0], cached[1], "workload.w.processes=2"]);
    let (alone, shared) = (one.simulated_s, two.simulated_s);
    assert!(shared > 1.7 * alone, "as much again for the processor: {alone} and {shared}");
    let dear = run_of(HOSTS, &["nfs.home.costs.call=\"10 ms\"", "nfs.home.costs.data_kib=\"1 ms\""]);
    assert!(dear.simulated_s > 32.0 * 0.018, "{}", dear.simulated_s);
}

#[test]
fn a_soft_mount_tells_whoever_closes_a_file_that_it_could_not_be_written() {
    let text = HOSTS.replace("kind = \"accesses\"", "kind = \"files\"").replace("passes = 1", "");
    let stops = "nfs.home.failures=[{ at = \"100 ms\", restored_after = \"900 s\" }]";
    let soft = "nfs.home.options=vers=2,proto=udp,soft,timeo=5,retrans=2";
    let closes = "workload.w.fsync=at-end";
    let report =
        run_of(&text, &["workload.w.operation=write", stops, soft, closes, "measure.on_error=count"]);
    assert!(!report.served.failures.is_empty(), "{:?}", report.calls);
    assert!(report.simulated_s < 900.0, "{}", report.simulated_s);
}

#[test]
fn nonsense_is_told_where_it_stands() {
    for (set, why) in [
        ("nfs.home.options=vers=3,proto=udp", "it speaks version 2 of NFS, and over UDP"),
        ("nfs.home.options=vers=2", "it speaks version 2 of NFS, and over UDP"),
        ("network.ether.hosts=[\"server\"]", "isn't on the network"),
        ("network.ether.hosts=[\"server\", \"w\"]", "no host is called"),
    ] {
        let told = format!("{:?}", load_of(HOSTS, &[set]).unwrap_err());
        assert!(told.contains(why), "{set}: {told}");
    }
}
