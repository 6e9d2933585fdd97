//! Hosts of 1990 as servers of NFS: each WRITE is on their disk before its reply, with its inode and what points to it where these have changed.

use crate::hosts::support::{load_of, run_of};
use petrio_scenario::report::Report;

const HOSTS: &str = r#"
[disk.local]
model = "constant-rate"
drive.latency = "20 ms"
drive.rate = "1 MB/s"

[disk.served]
model = "constant-rate"
drive.latency = "10 ms"
drive.rate = "2 MB/s"

[unix.ws]
on = "local"
memory = "8 MiB"

[unix.server]
on = "served"
memory = "32 MiB"

[network.ether]
hosts = ["ws", "server"]
link = { rate = "10 Mbit/s", latency = "25 us" }
costs = { send = "0 s", receive = "0 s", send_kib = "0 s", receive_kib = "0 s" }

[nfs.home]
clients = "ws"
server = "server"
options = "vers=2,proto=udp,timeo=20"
costs = { call = "0 s", answer = "0 s", serve = "0 s" }

[workload.w]
kind = "files"
on = "ws/home"
operation = "write"
record = "8 KiB"
file_size = "64 KiB"
"#;

/// A Linux client in the place of the one of 1990.
const LINUX: &str = r#"
[host.desk]
machine = "pentium-ii-350"
kernel = "linux-2.6.24"
"#;

fn calls(report: &Report, procedure: &str) -> u64 {
    report.calls.iter().filter(|calls| calls.procedure == procedure).map(|calls| calls.calls).sum()
}

/// Reads and writes that a disk was asked for.
fn asked(report: &Report, disk: &str) -> (u64, u64) {
    let device = report.traffic.iter().filter(|device| device.name == disk);
    let rows = device.flat_map(|device| &device.purposes);
    rows.fold((0, 0), |sum, row| (sum.0 + row.reads.requests, sum.1 + row.writes.requests))
}

#[test]
fn a_new_file_of_eight_blocks_is_two_writes_to_the_disk_for_each_of_them() {
    let report = run_of(HOSTS, &["workload.w.fsync=at-end"]);
    assert_eq!(calls(&report, "WRITE"), 8, "{:?}", report.calls);
    let made = 2 * calls(&report, "CREATE") + calls(&report, "SETATTR");
    assert_eq!(asked(&report, "served"), (0, 16 + made), "{:?}", report.calls);
    assert_eq!(asked(&report, "local"), (0, 0));
    // One after the other, however many biods there are: the file's inode is locked.
    assert!(report.simulated_s > 16.0 * 0.01, "{}", report.simulated_s);
}

#[test]
fn behind_the_twelfth_block_they_are_three() {
    let report = run_of(HOSTS, &["workload.w.fsync=at-end", "workload.w.file_size=\"160 KiB\""]);
    let made = 2 * calls(&report, "CREATE") + calls(&report, "SETATTR");
    assert_eq!(asked(&report, "served"), (0, 12 * 2 + 8 * 3 + made), "{:?}", report.calls);
}

#[test]
fn what_is_there_is_read_once_with_read_ahead_and_then_from_the_servers_buffers() {
    let set = ["workload.w.kind=accesses", "workload.w.operation=read", "workload.w.passes=1"];
    let once = run_of(HOSTS, &set);
    assert_eq!(asked(&once, "served"), (8, 0), "{:?}", once.calls);
    // A client of four buffers keeps none of it; its server does.
    let small = ["unix.ws.memory=\"320 KiB\"", "workload.w.passes=3"];
    let again = run_of(HOSTS, &[&set[..], &small[..]].concat());
    assert!(calls(&again, "READ") > 16, "{:?}", again.calls);
    assert_eq!(asked(&again, "served"), (8, 0));
    let alone =
        run_of(HOSTS, &[&set[..], &["unix.server.read_ahead=false", "unix.ws.read_ahead=false"]].concat());
    assert!(alone.simulated_s > once.simulated_s, "{} and {}", alone.simulated_s, once.simulated_s);
}

#[test]
fn a_linux_host_may_be_its_client_and_its_own_programs_share_its_files_disk() {
    let text = format!("{HOSTS}{LINUX}")
        .replace("hosts = [\"ws\", \"server\"]", "hosts = [\"desk\", \"server\"]")
        .replace("clients = \"ws\"", "clients = \"desk\"")
        .replace("on = \"ws/home\"", "on = \"desk/home\"");
    let own = "[workload.own]\nkind = \"files\"\non = \"server\"\noperation = \"write\"\nrecord = \"8 KiB\"\n\
               file_size = \"64 KiB\"\nfsync = \"at-end\"\n";
    let text = text.replace("[unix.ws]\non = \"local\"\nmemory = \"8 MiB\"\n", "").replace(
        "[disk.local]\nmodel = \"constant-rate\"\ndrive.latency = \"20 ms\"\ndrive.rate = \"1 MB/s\"\n",
        "",
    );
    let alone = run_of(&text, &["workload.w.fsync=at-end"]);
    assert_eq!(calls(&alone, "WRITE"), 8, "{:?}", alone.calls);
    let both = run_of(&format!("{text}{own}"), &["workload.w.fsync=at-end"]);
    let (alone, both) = (asked(&alone, "served").1, asked(&both, "served").1);
    assert!(both >= alone + 8, "{both} and {alone}");
}

#[test]
fn its_processor_is_shared_by_its_nfsds() {
    let serve = "nfs.home.costs.serve=\"30 ms\"";
    let set = ["workload.w.kind=accesses", "workload.w.operation=read", "workload.w.passes=1", serve];
    let one = run_of(HOSTS, &set);
    assert!(one.simulated_s > 8.0 * 0.03, "each of 8 READs, whichever nfsd: {}", one.simulated_s);
    let two = run_of(HOSTS, &[&set[..], &["unix.server.processors=2"]].concat());
    assert!(two.simulated_s < 0.8 * one.simulated_s, "{} and {}", two.simulated_s, one.simulated_s);
}

#[test]
fn nonsense_is_told_where_it_stands() {
    for (set, at, why) in [
        ("nfs.home.options=vers=3,proto=udp", "nfs.home.options", "it speaks version 2 of NFS, and over UDP"),
        ("nfs.home.export=async", "nfs.home.export", "it answers nothing that isn't on its disk"),
        ("network.ether.hosts=[\"ws\"]", "nfs.home.server", "isn't on the network"),
        ("nfs.home.clients=server", "nfs.home.clients", "would mount what it exports itself"),
        ("nfs.home.server=sever", "nfs.home.server", "no file system is called"),
        ("unix.server.on=[\"served\", \"more\"]", "nfs.home.server", "an export is of one file system"),
    ] {
        let more =
            "[disk.more]\nmodel = \"constant-rate\"\ndrive.latency = \"10 ms\"\ndrive.rate = \"2 MB/s\"\n";
        let text = match set.starts_with("unix") {
            true => format!("{HOSTS}{more}").replace("server = \"server\"", "server = \"server/*\""),
            false => HOSTS.to_owned(),
        };
        let told = format!("{:?}", load_of(&text, &[set]).unwrap_err());
        assert!(told.contains(why), "{set}, {at}: {told}");
    }
}
