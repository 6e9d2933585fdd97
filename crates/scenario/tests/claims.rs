//! What a report warns of is so: each claim is held to a run in which it must be made and one in which it mustn't.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use common::once;
use petrio_scenario::Claim;

/// Requests to a disk that takes 10 ms for each, which come as often as is said.
fn queue(every: &str, requests: u32, measure: &str) -> String {
    format!(
        r#"
[disk.d]
model = "constant-rate"
drive = {{ latency = "10 ms", rate = "100 GB/s" }}
[workload.w]
kind = "synthetic"
on = "d"
requests = {requests}
generators = [{{ read_fraction = 1, inter_arrival = {{ exponential = {{ mean = "{every}" }} }}, size = "512 B" }}]
[measure]
{measure}
"#
    )
}

/// A script on a file system, with files of its own.
fn script(script: &str, more: &str) -> String {
    format!(
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
size = "128 MiB"
[workload.w]
kind = "script"
on = "data"
script = """{script}"""
{more}
"#
    )
}

/// Two workloads on disks of their own, of so many requests each.
fn two(requests: [u32; 2]) -> String {
    let part = |number: usize| {
        format!(
            "[disk.d{number}]\nmodel = \"constant-rate\"\n[workload.w{number}]\nkind = \"synthetic\"\non = \"d{number}\"\n\
             requests = {}\ngenerators = [{{ read_fraction = 1, time_critical_fraction = 1, inter_arrival = \"10 ms\", \
             size = \"4 KiB\" }}]\n",
            requests[number]
        )
    };
    part(0) + &part(1)
}

/// Each claim, a run that makes it, and one that doesn't.
fn held() -> Vec<(Claim, String, String)> {
    let count = "[measure]\non_error = \"count\"\n";
    let guard = |most: u32| queue("100 ms", 50, &format!("max_requests = {most}"));
    vec![
        (Claim::Overloaded, queue("8 ms", 2_000, ""), queue("12 ms", 2_000, "")),
        (
            Claim::NothingCompleted,
            queue("1 s", 10, "stop = { time = \"1 ms\" }"),
            queue("100 ms", 10, "stop = { time = \"5 s\" }"),
        ),
        (Claim::BrokenOff, guard(20), guard(60)),
        (Claim::EndedEarly, two([20, 200]), two([190, 200])),
        (
            Claim::FoundNothing,
            script("file a 10 KiB\nread a 10 KiB 4 KiB", ""),
            script("file a 10 KiB\nread a 0 4 KiB", ""),
        ),
        (
            Claim::Failed,
            script("file a 4 KiB\nwrite a 0 256 MiB", count),
            script("file a 4 KiB\nwrite a 0 256 KiB", count),
        ),
        (
            Claim::NotCached,
            script("file a 100 MiB cached\nread a 0 4 KiB", ""),
            script("file a 10 MiB cached\nread a 0 4 KiB", ""),
        ),
    ]
}

#[test]
fn each_claim_is_made_where_it_is_so_and_nowhere_else() {
    for (claim, so, not_so) in held() {
        let made = |text: &str| {
            let warnings = once(text).warnings;
            (warnings.iter().any(|warning| warning.claim == claim), warnings)
        };
        let (is_made, warnings) = made(&so);
        assert!(is_made, "{claim:?} is missing among {warnings:?}\n{so}");
        let (is_made, warnings) = made(&not_so);
        assert!(!is_made, "{claim:?} is wrong among {warnings:?}\n{not_so}");
    }
}

#[test]
fn an_overload_is_told_with_what_comes_and_what_is_served() {
    let warnings = once(&queue("8 ms", 2_000, "")).warnings;
    let told = warnings.iter().find(|warning| warning.claim == Claim::Overloaded).unwrap();
    assert!(told.contains("requests a second come and 100 are served"), "{told}");
    let json = serde_json::to_value(told).unwrap();
    assert_eq!(json["claim"], "overloaded");
}

/// A report of form 1 had words alone.
#[test]
fn warnings_without_names_are_read() {
    let read: petrio_scenario::Warning = serde_json::from_str("\"caches were empty\"").unwrap();
    assert_eq!((read.claim, read.text.as_str()), (Claim::Unnamed, "caches were empty"));
    let again: petrio_scenario::Warning =
        serde_json::from_value(serde_json::to_value(&read).unwrap()).unwrap();
    assert_eq!(again, read);
}
