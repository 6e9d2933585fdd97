//! Names and attributes on PVFS 2: what clients ask, which servers answer, and what makes that dearer or cheaper.

use crate::hosts::support::{arrivals, load_of, run_of};
use petrio_scenario::report::Report;

const HOSTS: &str = r#"
[network.lan]
costs = { send = "0 s", receive = "0 s", send_kib = "0 s", receive_kib = "0 s" }
link = { rate = "1 Gbit/s", latency = "5 us" }

[host.client]
count = 4
machine = "epyc-9005-2vcpu"
kernel = "linux-6.18"

[host.server]
count = 4
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

[workload.w]
kind = "parallel"
on = "client*/work"
ranks = 4

[workload.w.program]
kind = "mdtest"
command = "mdtest -n 16 -F"
"#;

fn run(set: &[&str]) -> Report {
    run_of(HOSTS, set)
}

/// How long all of it takes.
fn seconds(set: &[&str]) -> f64 {
    run(set).simulated_s
}

#[test]
fn what_costs_more_takes_no_less() {
    let machine = "host.server.change.machine.speed";
    for (key, values) in [
        ("pvfs.work.costs.database", ["\"0 s\"", "\"60 us\"", "\"1 ms\""]),
        ("pvfs.work.costs.request", ["\"0 s\"", "\"30 us\"", "\"1 ms\""]),
        ("host.server.disk.d.drive.latency", ["\"1 us\"", "\"1 ms\"", "\"4 ms\""]),
        ("network.lan.link.latency", ["\"1 us\"", "\"5 us\"", "\"1 ms\""]),
        (machine, ["4", "1", "0.25"]),
    ] {
        let took = values.map(|value| seconds(&[&format!("{key}={value}")]));
        assert!(took[1] > 0.99 * took[0] && took[2] > took[1], "{key}: {took:?}");
    }
    assert!(seconds(&["pvfs.work.sync_names=false"]) < seconds(&[]));
}

#[test]
fn who_believes_nothing_asks_for_everything_again() {
    let asked = |set: &[&str]| arrivals(&run(set), "lan/client*/up");
    let usual = asked(&[]);
    let never = asked(&["pvfs.work.attributes_valid=\"0 s\"", "pvfs.work.size_valid=\"0 s\""]);
    assert!(never > usual, "{never} messages where nothing is believed, {usual} where it is");
}

#[test]
fn a_sync_of_names_is_shared_by_those_who_wait_for_it() {
    let flushes = |ranks: u32| {
        let (clients, ranks) = (format!("host.client.count={ranks}"), format!("workload.w.ranks={ranks}"));
        let set = [&*clients, &ranks, "host.server.count=1", "host.server.disk.d.drive.latency=\"10 ms\""];
        arrivals(&run(&set), "server/data-queue/scheduler")
    };
    // Sixteen clients make sixteen times as many files.
    assert!(flushes(16) < 8 * flushes(1), "{} and {}", flushes(16), flushes(1));
}

#[test]
fn nonsense_is_told_where_it_stands() {
    for (set, why) in [
        ("pvfs.work.manager=server0/data", "no manager"),
        ("pvfs.work.directory_servers=0", "names of a directory lie on 0 servers"),
        ("pvfs.work.directory_servers=5", "names of a directory lie on 5 servers"),
        ("pvfs.work.directory_servers_most=9", "names of a directory lie on 9 servers"),
        ("pvfs.work.directory_split=1", "split at some number of names"),
    ] {
        let told = format!("{:?}", load_of(HOSTS, &[set]).unwrap_err());
        assert!(told.contains(why), "{set}: {told}");
    }
}
