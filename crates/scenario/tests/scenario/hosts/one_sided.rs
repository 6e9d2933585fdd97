//! Memory that ranks access for each other, and data of a PVFS that adapters write: what it takes, and whose processors work for it.

use crate::hosts::support::{rate, run_of};
use petrio_scenario::report::Report;

/// Ranks on hosts of their own.
const HOSTS: &str = r#"
[network.ib]
use = "infiniband-edr"

[host.h]
count = 4
machine = "epyc-9005-2vcpu"
kernel = "linux-6.18"

[host.h.disk.d]
model = "constant-rate"
drive.latency = "1 us"
drive.rate = "10 GB/s"

[host.h.fs.work]
type = "ext4"
on = "d"

[mpi.m]
hosts = "h*"
send = "0 s"
receive = "0 s"
shared_memory = { each = "0 s", kib = "0 s" }

[workload.w]
kind = "parallel"
on = "h*/work"
ranks = 4
program = { kind = "steps", steps = [STEPS] }
"#;

const OVER_IP: &str = "network.ib.transport=ip-over-infiniband";

fn phase(report: &Report, name: &str) -> f64 {
    report.jobs[0].phases.iter().find(|phase| phase.name == name).unwrap().seconds
}

/// How long the steps took that are measured as "it".
fn takes(steps: &str, set: &[&str]) -> f64 {
    let steps = format!("{{ repeat = {{ times = 1, measure = \"it\", steps = [{steps}] }} }}");
    phase(&run_of(&HOSTS.replace("STEPS", &steps), set), "it")
}

#[test]
fn who_is_accessed_by_adapters_takes_no_part() {
    // All read of rank 0, who has nothing to do; its link is what bounds them.
    let step = "{ get = { to = 0, bytes = \"8 MiB\" } }";
    let floor = 3.0 * f64::from(8 << 20) / 12.5e9;
    let took = takes(step, &[]);
    assert!((1.0..1.1).contains(&(took / floor)), "{took} s, and {floor} s at the least");
    // By messages its processors copy all of it.
    assert!(takes(step, &[OVER_IP]) > 1.5 * took);
}

#[test]
fn a_counter_bears_what_its_adapter_does() {
    let adds = |times: u32, set: &[&str]| {
        takes(&format!("{{ fetch-and-add = {{ to = 0, times = {times} }} }}"), set)
    };
    let (few, many) = (adds(100, &[]), adds(1_100, &[]));
    // Three others add; rank 0 does so in its own memory.
    let each = (many - few) / 3_000.0;
    // Beside that, those who ask post and hear of each.
    assert!((0.4..0.45).contains(&(each * 1e6)), "{} us each", each * 1e6);
    let slower = adds(1_100, &["network.ib.adapter.atomic=\"2 us\""]);
    assert!(slower > 4.0 * many, "{slower} s and {many} s");
}

#[test]
fn a_fence_waits_for_all_and_a_put_for_itself() {
    let put = |behind: &str| format!("{{ put = {{ by = 1, bytes = \"1 MiB\" }} }}, {behind}");
    let (alone, fenced) = (takes(&put("{ compute = \"1 ns\" }"), &[]), takes(&put("\"fence\""), &[]));
    assert!(fenced > alone && fenced < alone + 50e-6, "{alone} s and {fenced} s");
    // What is combined goes there and back, and is locked and released.
    let combined = takes("{ accumulate = { by = 1, bytes = \"1 MiB\" } }", &[]);
    assert!(combined > 1.5 * alone && combined < 4.0 * alone, "{combined} s and {alone} s");
}

#[test]
fn accesses_to_nobody_or_to_two_are_refused() {
    let refused = |step: &str| crate::common::problem(&HOSTS.replace("STEPS", step));
    assert!(refused("{ put = { bytes = \"1 KiB\" } }").contains("either `to`"));
    assert!(refused("{ get = { to = 1, by = 1, bytes = \"1 KiB\" } }").contains("either `to`"));
    assert!(refused("{ fetch-and-add = { to = 4 } }").contains("ranks are 0 to 3"));
    assert!(refused("{ fetch-and-add = { to = 0, times = 0 } }").contains("zero"));
}

/// A client reads or writes 64 MiB of a PVFS on two servers, over adapters.
const PVFS: &str = r#"
[network.ib]
use = "infiniband-edr"

[host.client]
machine = "epyc-9005-2vcpu"
kernel = "linux-6.18"

[host.server]
count = 2
machine = "epyc-9005-2vcpu"
kernel = "linux-6.18"

[host.server.disk.d]
model = "constant-rate"
drive.latency = "1 us"
drive.rate = "10 GB/s"

[host.server.fs.data]
type = "ext4"
on = "d"

[pvfs.work]
clients = "client"
servers = "server*/data"

[workload.w]
kind = "files"
on = "client/work"
operation = "write"
record = "1 MiB"
file_size = "64 MiB"
"#;

#[test]
fn a_pvfs_over_adapters_moves_all_data_and_words_beside() {
    let took = |set: &[&str]| f64::from(64 << 20) / rate(&run_of(PVFS, set));
    for operation in ["workload.w.operation=write", "workload.w.operation=read"] {
        let (written, sent) = (took(&[operation]), took(&[operation, "pvfs.work.eager=\"1 GiB\""]));
        // A few words more for each piece, none of which is as long as the piece.
        assert!(written >= 0.99 * sent && written < 1.3 * sent, "{operation}: {written} s and {sent} s");
    }
}
