//! What waits when a run ends counts, with its age: in the figures of its workload and kind, and in what is late.

use crate::common::once;
use petrio_scenario::Claim;
use petrio_scenario::report::{Report, WorkloadFigures, terminal_text};

/// A disk that answers within 1 ms and one that takes as long as is said.
fn two_disks(slow: &str) -> String {
    let disk = |name: &str, latency: &str| {
        format!(
            "[disk.{name}]\nmodel = \"constant-rate\"\ndrive = {{ latency = \"{latency}\", rate = \"1 GB/s\" }}\n"
        )
    };
    format!("{}{}[measure]\nstop = {{ time = \"2 s\" }}\n", disk("fast", "1 ms"), disk("slow", slow))
}

/// Reads of 4 KiB at random, one after the other.
fn reader(name: &str, on: &str, more: &str) -> String {
    format!(
        r#"
[workload.{name}]
kind = "synthetic"
on = "{on}"
{more}
generators = [{{ read_fraction = 1, time_critical_fraction = 1, inter_arrival = "10 ms", size = "4 KiB" }}]
"#
    )
}

fn row<'r>(report: &'r Report, name: &str) -> &'r WorkloadFigures {
    report.each().flat_map(|served| &served.workloads).find(|row| row.workload == name).unwrap()
}

#[test]
fn a_workload_that_gets_nothing_has_a_row_and_its_wait_is_told() {
    let text = two_disks("100 s") + &reader("quick", "fast", "") + &reader("starved", "slow", "");
    let report = once(&text);
    let starved = row(&report, "starved");
    assert_eq!((starved.completed, starved.per_s.value, starved.latency), (0, 0.0, None));
    let waiting = starved.waiting.unwrap();
    assert!(waiting.count == 1 && (waiting.oldest_s - 2.0).abs() < 0.1, "{waiting:?}");
    assert!((starved.until_s - 2.0).abs() < 1e-9, "it went on until the end");
    let quick = row(&report, "quick");
    assert!(quick.completed > 100 && quick.latency.is_some(), "{quick:?}");
    let told: Vec<_> = report.warnings.iter().filter(|warning| warning.claim == Claim::Waits).collect();
    assert!(told.len() == 1 && told[0].contains("\"starved\" got nothing"), "{told:?}");
    let text = terminal_text(&report, None, 100);
    assert!(text.contains("none completed   1 under way, for"), "{text}");
    let json = serde_json::to_value(&report).unwrap();
    assert_eq!(json["workloads"][1]["waiting"]["count"], 1);
}

#[test]
fn a_workload_lasts_as_long_as_its_programs_do_whether_they_wait_or_think() {
    let pause = reader("thinks", "fast", "").replace("10 ms", "1500 ms");
    let ends = reader("ends", "slow", "requests = 20");
    let report = once(&(two_disks("1 ms") + &pause + &ends));
    let thinks = row(&report, "thinks");
    assert!((thinks.until_s - 2.0).abs() < 1e-9, "{thinks:?}");
    assert!((thinks.per_s.value - thinks.completed as f64 / (2.0 - thinks.from_s)).abs() < 1e-9);
    assert!(row(&report, "ends").until_s < 0.5);
    assert_eq!(thinks.waiting, None);
}

const FILES: &str = r#"
[disk.d]
model = "constant-rate"
drive = { latency = "1 ms", rate = "1 MB/s" }
[host.h]
machine = "epyc-9005-2vcpu"
kernel = "linux-6.18"
memory = "256 MiB"
[fs.data]
type = "ext3"
on = "d"
size = "2 GiB"
"#;

#[test]
fn an_operation_that_takes_longer_than_all_before_is_told_by_its_kind() {
    let script = "[workload.w]\nkind = \"script\"\non = \"data\"\nscript = \"\"\"file a 32 MiB cached\n\
                  repeat 20 { read a 0 4 KiB; think 10 ms }\nwrite a 0 32 MiB; fsync a\"\"\"\n\
                  [measure]\nstop = { time = \"10 s\" }\n";
    let report = once(&format!("{FILES}{script}"));
    let fsync = report.served.operations.iter().find(|kind| kind.operation == "fsync").unwrap();
    assert!(fsync.latency.is_none() && fsync.waiting.unwrap().oldest_s > 8.0, "{fsync:?}");
    let told: Vec<&str> = report.warnings.iter().map(|warning| warning.text.as_str()).collect();
    assert!(told.iter().any(|words| words.contains("for an fsync when the run ended")), "{told:?}");
    let quick = once(&format!("{FILES}{}", script.replace("32 MiB; fsync", "32 KiB; fsync")));
    assert!(quick.warnings.iter().all(|warning| warning.claim != Claim::Waits), "{:?}", quick.warnings);
}

#[test]
fn what_is_under_way_for_longer_than_its_deadline_is_late() {
    let films = "[workload.films]\nkind = \"files\"\non = \"data\"\noperation = \"read\"\nrecord = \"64 MiB\"\n\
                 file_size = \"64 MiB\"\nprocesses = 3\ndeadline = \"100 ms\"\n[measure]\nstop = { time = \"2 s\" }\n";
    let report = once(&format!("{FILES}{films}"));
    let deadline = &report.served.deadlines[0];
    assert_eq!((deadline.moved, deadline.late, deadline.late_under_way), (3, 3, 3));
    assert!(
        deadline
            .sentence()
            .contains("3 of 3 reads and writes (100 %) took longer than 100 ms, 3 of them still under way")
    );
}

#[test]
fn workloads_have_rows_whatever_their_colour() {
    let blocks = reader("blocks", "d", "").replace("10 ms", "100 ms");
    let files = "[workload.files]\nkind = \"script\"\non = \"data\"\nscript = \"file a 1 MiB\\nread a 0 4 KiB\"\n\
                 [measure]\nstop = { time = \"1 s\" }\n";
    let blocks = blocks.replace("on = \"d\"", "on = \"other\"");
    let other = "[disk.other]\nmodel = \"constant-rate\"\n";
    let report = once(&format!("{FILES}{other}{blocks}{files}"));
    assert_eq!(row(&report, "blocks").completed, report.beside.as_ref().unwrap().requests.completed);
    assert_eq!(row(&report, "files").completed, report.served.requests.completed);
}
