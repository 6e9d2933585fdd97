//! A Lustre whose OSTs lie on arrays that lose disks: clients ask the same of it, wait for longer, and are told where nothing is left.

use crate::hosts::support::run_of;
use petrio_scenario::report::Report;

const HOSTS: &str = r#"
[network.lan]
costs = { send = "0 s", receive = "0 s", send_kib = "0 s", receive_kib = "0 s" }
link = { rate = "10 Gbit/s", latency = "5 us" }

[host.client]
machine = "epyc-9005-2vcpu"
kernel = "linux-5.15"

[host.mds]
machine = "epyc-9005-2vcpu"
kernel = "linux-5.15"
disk.d = { model = "constant-rate", drive.latency = "100 us", drive.rate = "1 GB/s" }
fs.mdt = { type = "ext4", on = "d" }

[host.oss]
machine = "epyc-9005-2vcpu"
kernel = "linux-5.15"
disk.d = { count = 4, model = "constant-rate", drive.latency = "1 ms", drive.rate = "100 MB/s" }
raid.array = { level = 5, on = "d*", stripe_unit = "64 KiB" }
fs.ost = { type = "ext4", on = "array" }

[lustre.work]
clients = "client"
mdts = "mds/mdt"
osts = "oss/ost"

[measure]
on_error = "count"

[workload.w]
kind = "files"
on = "client/work"
operation = "read"
pattern = "random"
record = "64 KiB"
operations = 400
file_size = "256 MiB"
"#;

fn reads(report: &Report) -> u64 {
    report.rpcs.iter().filter(|own| own.procedure == "ost_read").map(|own| own.rpcs).sum()
}

fn failed(report: &Report) -> u64 {
    report.served.failures.iter().map(|failures| failures.failed).sum()
}

#[test]
fn an_ost_whose_array_has_lost_a_disk_is_slower_and_one_that_has_lost_two_fails() {
    let whole = run_of(HOSTS, &[]);
    let degraded = run_of(HOSTS, &["host.oss.raid.array.failures=[{ member = 1, at = \"0 s\" }]"]);
    assert_eq!((reads(&degraded), failed(&degraded)), (reads(&whole), 0), "clients hear nothing of it");
    assert!(degraded.simulated_s > whole.simulated_s, "{} {}", degraded.simulated_s, whole.simulated_s);
    assert_eq!(degraded.arrays[0].failures.len(), 1);
    let both = "host.oss.raid.array.failures=[{ member = 1, at = \"0 s\" }, { member = 2, at = \"100 ms\" }]";
    let gone = run_of(HOSTS, &[both]);
    let all = |report: &Report| report.served.requests.completed + failed(report);
    assert!(failed(&gone) > 0, "two of four are more than level 5 can do without");
    assert_eq!(all(&gone), all(&whole));
    let reasons: Vec<_> = gone.served.failures.iter().map(|failures| failures.failure.as_str()).collect();
    assert!(reasons.iter().all(|reason| reason.contains("EIO")), "{reasons:?}");
}
