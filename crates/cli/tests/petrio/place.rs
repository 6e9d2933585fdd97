//! `petrio place`: the placement that it writes is the one that it tried.

use crate::support::{Folder, figure};

/// Two nodes that serve their disks to each other.
const SHARED: &str = r#"[network.lan]
link = { rate = "100 Mbit/s", latency = "50 us" }

[host.node]
count = 2
machine = "epyc-9005-2vcpu"
kernel = "linux-6.18"

[host.node.disk.d]
model = "constant-rate"
drive.latency = "1 ms"
drive.rate = "20 MB/s"

[host.node.fs.data]
type = "ext4"
on = "d"

[share.work]
clients = "node*"
servers = "node*/data"
placement = "hashed"

[workload.w]
kind = "files"
on = "node*/work"
operation = "read"
record = "64 KiB"
file_size = "1 MiB"
"#;

#[test]
fn what_is_written_runs_as_what_was_tried() {
    let folder = Folder::with(SHARED);
    let answer = folder.petrio(&["place", "scenario.toml", "--out", "placed.csv", "--json", "placed.json"]);
    assert_eq!(answer.code, Some(0), "{}", answer.talk);
    let told = folder.json("placed.json");
    assert_eq!((figure(&told, "/moved/touched"), figure(&told, "/moved/bytes")), (32.0, f64::from(2 << 20)));
    assert_eq!(figure(&told, "/moved/local_after"), f64::from(2 << 20));
    assert_eq!(folder.text("placed.csv").lines().count(), 33);
    for part in ["32 partitions of 64.0 KiB touched", "local bytes", "100 %", "share.work.placement="] {
        assert!(answer.out.contains(part), "{part}: {}", answer.out);
    }
    let placed = "share.work.placement={ profile = \"placed.csv\" }";
    let again = folder.report(&["--set", placed]);
    assert_eq!(figure(&again, "/simulated_s"), figure(&told, "/after/simulated_s"));
    assert!(figure(&told, "/after/simulated_s") < figure(&told, "/before/simulated_s"));
}

#[test]
fn a_scenario_without_a_file_service_is_refused() {
    let folder = Folder::with(crate::compare::FILES);
    let answer = folder.petrio(&["place", "scenario.toml"]);
    assert_eq!(answer.code, Some(2), "{}", answer.talk);
    assert!(
        answer.talk.contains("no file service") && answer.talk.contains("[share.work]"),
        "{}",
        answer.talk
    );
    let folder = Folder::with(SHARED);
    let answer = folder.petrio(&["place", "scenario.toml", "--share", "wrok"]);
    assert!(answer.talk.contains("no file service is called \"wrok\""), "{}", answer.talk);
}
