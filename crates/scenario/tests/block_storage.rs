//! Requests straight to whatever holds blocks: arrays, fabrics, throttles and devices of any kind, each against what
//! can be counted.
#![allow(clippy::unwrap_used)]

mod common;

use common::{loaded, problem, report};

fn mean_ms(text: &str) -> f64 {
    report(text).served.latency.unwrap().mean_ms.value
}

/// 1 ms a request and 65,536 bytes a millisecond.
const DISKS: &str = r#"
[disk.d]
model = "constant-rate"
count = 4
drive.latency = "1 ms"
drive.rate = "65536 kB/s"
"#;

/// Reads of 256 KiB, each long after the one before.
fn reads(on: &str, size: &str) -> String {
    format!(
        r#"
[workload.w]
kind = "synthetic"
on = "{on}"
requests = 20
generators = [{{ read_fraction = 1, sequential_fraction = 1, inter_arrival = {{ constant = "1 s" }}, size = {{ constant = "{size}" }} }}]
"#
    )
}

#[test]
fn a_read_of_an_array_is_read_from_all_its_disks_at_once() {
    let array = "[raid.r]\nlevel = 0\non = \"d*\"\nstripe_unit = \"64 KiB\"\n";
    let alone = DISKS.replace("count = 4\n", "");
    assert_eq!(mean_ms(&format!("{alone}{}", reads("d", "256 KiB"))), 5.0);
    assert_eq!(mean_ms(&format!("{DISKS}{array}{}", reads("r", "256 KiB"))), 2.0);
    // A pattern means the array, and not its disks.
    assert_eq!(mean_ms(&format!("{DISKS}{array}{}", reads("*", "256 KiB"))), 2.0);
}

#[test]
fn a_fabric_adds_its_ways_and_a_throttle_its_pace_in_any_combination() {
    let disk = DISKS.replace("count = 4\n", "");
    let fabric = "[fabric.san]\non = \"d\"\nadapter = \"10 us\"\nlatency = \"40 us\"\nrate = \"1 GB/s\"\n";
    let direct = mean_ms(&format!("{disk}{}", reads("d", "64 KiB")));
    let far = mean_ms(&format!("{disk}{fabric}{}", reads("san", "64 KiB")));
    // Its adapter, both ways, the command, and the data in 32 frames of 2,108 bytes, and the response.
    let more = 0.010 + 0.080 + (32.0 + 60.0) * 1e-6 + (32.0 * 2_108.0) * 1e-6 + (24.0 + 60.0) * 1e-6;
    assert!((far - direct - more).abs() < 0.001, "{far} {direct} {more}");
    let throttle = "[throttle.limit]\non = \"san\"\nread_iops = 10\n";
    let busy =
        reads("limit", "64 KiB").replace("\"1 s\"", "\"1 ms\"").replace("requests = 20", "requests = 100");
    let report = report(&format!("{disk}{fabric}{throttle}{busy}"));
    let per_s = report.served.requests_per_s.value;
    assert!((per_s - 10.0).abs() < 0.5, "{per_s}");
}

#[test]
fn each_part_is_used_by_one_and_nothing_is_idle() {
    let array = "[raid.r]\nlevel = 0\non = \"d*\"\n";
    let used = problem(&format!("{DISKS}{array}{}", reads("d0", "4 KiB")));
    assert!(used.contains("the disk \"d0\" is used by the raid \"r\" already"), "{used}");
    let idle =
        problem(&format!("{DISKS}[disk.e]\nmodel = \"constant-rate\"\n{array}{}", reads("e", "4 KiB")));
    assert!(idle.contains("nothing uses the raid \"r\""), "{idle}");
    let sweeping = DISKS.replace("count = 4\n", "scheduler = \"look\"\n");
    let refused = problem(&format!("{sweeping}{}", reads("d", "4 KiB")));
    assert!(refused.contains("first come, first served"), "{refused}");
}

#[test]
fn what_lies_on_others_may_stand_before_them() {
    let parts = "[fabric.a]\non = \"r\"\nadapter = \"10 us\"\nlatency = \"40 us\"\nrate = \"1 GB/s\"\n\
                 [raid.r]\nlevel = 0\non = [\"f\", \"d1\"]\n\
                 [fabric.f]\non = \"d0\"\nadapter = \"10 us\"\nlatency = \"40 us\"\nrate = \"1 GB/s\"\n";
    let text = format!("{}{parts}{}", DISKS.replace("count = 4", "count = 2"), reads("a", "128 KiB"));
    let loaded = loaded(&text);
    for (number, part) in loaded.storage.iter().enumerate() {
        assert!(part.over.iter().all(|&below| below < number), "{} lies on what comes after it", part.name);
    }
    assert!(report(&text).served.latency.unwrap().mean_ms.value > 2.0);
}

#[test]
fn a_solid_state_drive_of_the_catalogue_serves_as_its_figures_say() {
    let drive = "[disk.d]\nmodel = \"simple-ssd-32gb-slc\"\n";
    // A page: 125 us of flash and 4,096 bytes at 300 MB/s.
    let page = mean_ms(&format!("{drive}{}", reads("d", "4 KiB")));
    assert!((page - (0.125 + 4_096.0 / 300e3)).abs() < 1e-6, "{page}");
    // Eight pages at once on eight channels.
    let stripe = mean_ms(&format!("{drive}{}", reads("d", "32 KiB")));
    assert!((stripe - (0.125 + 32_768.0 / 300e3)).abs() < 1e-6, "{stripe}");
}
