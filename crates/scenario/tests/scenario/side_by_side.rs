//! Programs that work on files, and others that send block requests, in one scenario.

use crate::common::{problem, report};
use petrio_scenario::report::{Served, Subject, terminal_text};

/// 1 ms a request and 65,536 bytes a millisecond.
const FILES: &str = r#"
[disk.d]
model = "constant-rate"
drive.latency = "1 ms"
drive.rate = "65536 kB/s"

[host.h]
machine = "epyc-9005-2vcpu"
kernel = "linux-6.18"
memory = "1 GiB"

[fs.data]
type = "ext3"
on = "d"
size = "8 GiB"
scheduler = "noop"

[workload.files]
kind = "files"
on = "data"
operation = "read"
record = "64 KiB"
file_size = "16 MiB"
"#;

const OTHER_DISK: &str = r#"
[disk.other]
model = "constant-rate"
drive.latency = "1 ms"
drive.rate = "65536 kB/s"
"#;

/// Random reads of 64 KiB, one after the other without a pause: 2 ms each on a disk of their own.
fn blocks(on: &str, requests: u32) -> String {
    format!(
        r#"
[workload.blocks]
kind = "synthetic"
on = "{on}"
requests = {requests}
generators = [{{ read_fraction = 1, sequential_fraction = 0, time_critical_fraction = 1, inter_arrival = {{ constant = "0 s" }}, size = {{ constant = "64 KiB" }} }}]
"#
    )
}

fn mean_ms(served: &Served) -> f64 {
    served.latency.as_ref().unwrap().mean_ms.value
}

#[test]
fn on_disks_of_their_own_neither_changes_the_other() {
    let alone = report(FILES);
    assert!(alone.beside.is_none());
    let blocks_alone = report(&format!("{OTHER_DISK}{}", blocks("other", 500)));
    assert_eq!(blocks_alone.served.subject, Subject::BlockRequests);
    let both = report(&format!("{FILES}{OTHER_DISK}{}", blocks("other", 500)));
    // Beside others each has a row of its own.
    let plain = |served: &Served| Served { workloads: Vec::new(), ..served.clone() };
    let own = plain(&both.served);
    assert_eq!(own, alone.served, "those that work on files come first, and are what they were");
    let beside = both.beside.unwrap();
    assert_eq!(plain(&beside), blocks_alone.served, "each is measured until its own end");
    assert_eq!(mean_ms(&beside), 2.0);
}

#[test]
fn on_one_disk_they_wait_for_each_other_and_each_gets_its_own_back() {
    let alone = report(FILES);
    let both = report(&format!("{FILES}{}", blocks("d", 200)));
    let beside = both.beside.as_deref().unwrap();
    assert_eq!(both.served.requests.completed, alone.served.requests.completed);
    assert_eq!((beside.requests.completed, beside.bytes), (200, 200 * 65_536));
    assert_eq!((both.served.requests.in_flight, beside.requests.in_flight), (0, 0));
    assert!(mean_ms(beside) > 2.0, "{}", mean_ms(beside));
    assert!(mean_ms(&both.served) > mean_ms(&alone.served));
    // The disk has one request at a time: what both have moved together takes as long as one after the other would.
    let moved = (both.served.bytes + beside.bytes) as f64 / 65_536e3;
    assert!(both.simulated_s >= moved, "{} s for {moved} s of transfers", both.simulated_s);
    let device = both.stages.iter().find(|stage| stage.name == "d/service").unwrap();
    assert!(device.arrivals >= 200 + 16 * 1_048_576 / (512 * 1_024), "{}", device.arrivals);
}

#[test]
fn requests_beside_a_file_system_pass_its_throttle_and_its_array() {
    let layers = |on: &str| {
        let text = FILES.replace("[disk.d]", "[disk.d]\ncount = 2").replace("on = \"d\"", "on = \"t\"");
        let array = "[raid.r]\nlevel = 0\non = \"d*\"\nstripe_unit = \"64 KiB\"\n";
        let throttle = "[throttle.t]\non = \"r\"\nread_iops = 100\n";
        format!("{text}{array}{throttle}{}", blocks(on, 200))
    };
    let both = report(&layers("t"));
    let seconds = both.simulated_s;
    // A burst of a slice (100 ms) is let through at once.
    assert!(seconds >= 200.0 / 100.0 - 0.2, "the throttle lets 100 pass in a second: {seconds} s");
    // The members belong to the array, and the array to the throttle.
    for inner in ["d0", "r"] {
        assert!(problem(&layers(inner)).contains("is used by"), "{inner}");
    }
}

#[test]
fn both_stand_in_the_report_and_what_limits_each_is_told() {
    let both = report(&format!("{FILES}{OTHER_DISK}{}", blocks("other", 500)));
    let text = terminal_text(&both, None, 100);
    for words in ["operations", "requests", "500 requests", "2.00 ms"] {
        assert!(text.contains(words), "{words}:\n{text}");
    }
    // On disks of their own what helps one is nothing to the other.
    let found = both.bottleneck.unwrap();
    let [what_if, also] = [found.what_if.unwrap(), found.also.unwrap()];
    let of = |subject: Subject| [&what_if, &also].into_iter().find(|told| told.subject == Some(subject));
    for (subject, words, disk) in [
        (Subject::FileOperations, " of operations", "disk.d."),
        (Subject::BlockRequests, " of requests", "disk.other."),
    ] {
        let told = of(subject).unwrap_or_else(|| panic!("{what_if:?} {also:?}"));
        assert!(told.sentence().contains(words), "{}", told.sentence());
        assert!(told.set.iter().all(|set| set.starts_with(disk)), "{told:?}");
    }
    let json = serde_json::to_value(report(&format!("{FILES}{}", blocks("d", 10)))).unwrap();
    assert_eq!(json["subject"], "file-operations");
    assert_eq!(json["beside"]["subject"], "block-requests");
    assert_eq!(json["beside"]["requests"]["completed"], 10);
}

#[test]
fn replications_give_both_an_interval() {
    let measured = "[measure]\nreplications = 3\nwarm_up = \"auto\"\n";
    let both = report(&format!("{measured}{FILES}{OTHER_DISK}{}", blocks("other", 2_000)));
    assert_eq!(both.replications, 3);
    assert!(both.served.requests_per_s.half_width.is_some());
    assert!(both.beside.unwrap().requests_per_s.half_width.is_some());
}

/// Ten reads of 64 KiB each, one after the other: 2 ms each.
fn accesses(name: &str, after: &str) -> String {
    format!(
        "\n[workload.{name}]\nkind = \"device-accesses\"\non = \"other\"\n{after}operation = \"read\"\nrecord = \"64 KiB\"\n\
         area = \"1 MiB\"\naccesses = 10\n"
    )
}

#[test]
fn on_a_disk_each_in_turn_begins_when_those_before_it_are_over() {
    let second = accesses("second", "after = [\"first\"]\n");
    let third = accesses("third", "after = [\"first\", \"second\"]\n");
    let served = report(&format!("{OTHER_DISK}{third}{}{second}", accesses("first", ""))).served;
    let span = |name: &str| {
        let row = served.workloads.iter().find(|row| row.workload == name).unwrap();
        (row.from_s, row.until_s, row.completed)
    };
    let near = |(from, until, completed): (f64, f64, u64), begins: f64| {
        (from - begins).abs() < 1e-9 && (until - begins - 0.02).abs() < 1e-9 && completed == 10
    };
    for (name, begins) in [("first", 0.0), ("second", 0.02), ("third", 0.04)] {
        assert!(near(span(name), begins), "{name}: {:?}", span(name));
    }
    // Behind a workload on files, too: these are over first.
    let behind =
        report(&format!("{FILES}{OTHER_DISK}{}{second}", accesses("first", "after = [\"files\"]\n")));
    let files = behind.served.workloads.iter().find(|row| row.workload == "files").unwrap().until_s;
    let first = behind.beside.as_ref().unwrap().workloads.iter().find(|row| row.workload == "first").unwrap();
    assert!(first.from_s >= files - 1e-9, "{} {files}", first.from_s);
}
