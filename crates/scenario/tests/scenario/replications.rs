//! A report of several replications is over all of them: figures are means, and events are told with the replication that they
//! are of.

use crate::common::laws::Broken;
use crate::common::{loaded, once_of, report};
use petrio_scenario::report::terminal_text;

/// An array whose members fail every few hours, in a run of ten.
const ARRAY: &str = r#"
seed = 3
[disk.d]
model = "hp-c2247a"
count = 4
[raid.array]
use = "linux-md"
level = 5
on = "d*"
mean_time_to_failure = "40 h"
[workload.vms]
kind = "synthetic"
on = "array"
[[workload.vms.generators]]
read_fraction = "70 %"
inter_arrival = { exponential = { mean = "120 s" } }
size = "4 KiB"
[measure]
stop = { time = "10 h" }
on_error = "count"
"#;

#[test]
fn failures_of_all_replications_are_named_with_theirs() {
    let text = format!("{ARRAY}replications = 6\n");
    let scenario = loaded(&text);
    let mean = once_of(&scenario);
    let array = &mean.arrays[0];
    // 40 hours of four members each, 40 hours on average from failure to failure: one in each replication, more or less.
    assert!((2..=12).contains(&array.failures.len()), "{:?}", array.failures);
    let mut of: Vec<u64> = array.failures.iter().map(|failure| failure.replication.unwrap()).collect();
    assert!(of.iter().any(|&number| number > 1), "{of:?}");
    of.dedup();
    let counts = array.in_replications.unwrap();
    assert_eq!((counts.replications, counts.with_failures), (6, of.len() as u64));
    let text = terminal_text(&mean, None, 120);
    assert!(text.contains(" in replication ") && text.contains("of 6 replications"), "{text}");
}

#[test]
fn what_reaches_the_devices_is_the_mean_of_all_replications() {
    let files = |replications: u32| {
        report(&format!(
            r#"
[disk.d]
model = "constant-rate"
[host.h]
machine = "epyc-9005-2vcpu"
kernel = "linux-6.18"
memory = "64 MiB"
[fs.data]
type = "ext3"
on = "d"
size = "256 MiB"
[workload.w]
kind = "files"
on = "data"
operation = "read"
pattern = "random"
record = "4 KiB"
file_size = "8 MiB"
operations = 60
think_time = "5 ms"
[measure]
replications = {replications}
"#
        ))
    };
    let (one, mean) = (files(1), files(8));
    let bytes = |report: &petrio_scenario::report::Report| -> u64 {
        report.traffic.iter().flat_map(|device| &device.purposes).map(|row| row.reads.bytes).sum()
    };
    // Random places on the file's pages differ from run to run, and so does what is read around them.
    assert_eq!((one.served.requests.completed, mean.served.requests.completed), (60, 60));
    assert!(bytes(&mean) > 0 && bytes(&mean) != bytes(&one), "{} {}", bytes(&mean), bytes(&one));
}

/// Runs of different lengths, in which stages serve more and less, of a class with a busy and an idle member.
#[test]
fn rows_of_several_replications_obey_the_laws_of_rows_of_one() {
    let text = r#"
[disk.d]
model = "seagate-savvio-10k4"
count = 3
[host.h]
machine = "epyc-9005-2vcpu"
kernel = "linux-6.18"
[fs.data]
type = "ext4"
on = "d0"
size = "1 GiB"
[workload.files]
kind = "files"
on = "data"
operation = "rewrite"
pattern = "random"
record = "4 KiB"
file_size = "16 MiB"
operations = 30
processes = 3
fsync = { every = 1 }
[workload.blocks]
kind = "synthetic"
on = ["d1", "d2"]
requests = 300
generators = [{ read_fraction = 0.5, inter_arrival = { exponential = { mean = "8 ms" } }, size = "8 KiB" }]
[measure]
replications = 4
"#;
    let mean = report(text);
    let mut broken = Broken::default();
    broken.report(&mean);
    assert!(broken.0.is_empty(), "{}", broken.0);
    let row = |name: &str| mean.stages.iter().find(|row| row.name == name).unwrap();
    assert_eq!((row("h/processor").servers, row("d*/mechanics").servers), (Some(2), Some(1)));
    assert_eq!(row("d*/mechanics").members.as_ref().unwrap().count, 3);
}
