//! Requests straight to whatever holds blocks: arrays, fabrics, throttles and devices of any kind, each against what
//! can be counted.

use crate::common::{loaded, once, once as report, problem};

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

/// Every kind of device that a throttle may lie over, and everything that holds blocks.
const UNDER_A_THROTTLE: [(&str, &str, &str); 11] = [
    ("constant-rate", "d", ""),
    ("simple-ssd-32gb-slc", "d", ""),
    ("analytic-nearline-7200", "d", ""),
    ("western-digital-wd800bb", "d", ""),
    ("constant-rate", "r", "[raid.r]\nlevel = 0\non = \"d*\"\n"),
    ("constant-rate", "r", "[raid.r]\nlevel = 1\non = \"d*\"\n"),
    ("constant-rate", "r", "[raid.r]\nlevel = 5\non = \"d*\"\n"),
    ("constant-rate", "c", "[concat.c]\non = \"d*\"\n"),
    ("constant-rate", "p", "[partition.p]\non = \"d\"\nfrom = \"25 %\"\nsize = \"50 %\"\n"),
    (
        "constant-rate",
        "f",
        "[fabric.f]\non = \"d\"\nadapter = \"10 us\"\nlatency = \"40 us\"\nrate = \"1 GB/s\"\n",
    ),
    ("constant-rate", "m", "[rearrangement.m]\non = \"d\"\npiece = \"64 KiB\"\nevery = \"1 s\"\n"),
];

#[test]
fn every_request_comes_back_through_a_throttle_over_whatever_holds_blocks() {
    let limits =
        ["read_iops = 500", "write_rate = \"2 MiB/s\"", "read_rate = \"20 MiB/s\"\nwrite_iops = 50", ""];
    let beside = "[disk.other]\nmodel = \"constant-rate\"\n[workload.beside]\nkind = \"synthetic\"\non = \"other\"\nrequests = 5\n\
                  generators = [{ read_fraction = 1, inter_arrival = \"1 ms\", size = \"4 KiB\" }]\n";
    for (number, (model, on, holder)) in UNDER_A_THROTTLE.into_iter().enumerate() {
        let (limit, alone) = (limits[number % 4], number % 3 > 0);
        let count = if holder.contains("d*") { 3 } else { 1 };
        let text = format!(
            "seed = {number}\n[disk.d]\nmodel = \"{model}\"\ncount = {count}\n{holder}[throttle.t]\non = \"{on}\"\n{limit}\n{}\
             [workload.w]\nkind = \"synthetic\"\non = \"t\"\nrequests = 60\n\
             generators = [{{ read_fraction = 0.5, time_critical_fraction = {}, inter_arrival = \"{} us\", size = \"{} KiB\" }}]\n",
            if alone { "" } else { beside },
            number % 2,
            [1, 3_000][number / 2 % 2],
            [4, 16, 64][number % 3],
        );
        let requests = once(&text).served.requests;
        let asked = if alone { 60 } else { 65 };
        assert_eq!((requests.in_flight, requests.completed), (0, asked), "{text}");
    }
}

#[test]
fn reads_through_a_throttle_on_a_bare_disk_have_its_rate() {
    let text = "[disk.d]\nmodel = \"constant-rate\"\n[throttle.t]\non = \"d\"\nread_rate = \"20 MiB/s\"\n\
                [workload.w]\nkind = \"synthetic\"\non = \"t\"\nrequests = 320\n\
                generators = [{ read_fraction = 1, time_critical_fraction = 1, inter_arrival = \"1 us\", size = { constant = \"64 KiB\" } }]\n";
    let report = once(text);
    // 20 MiB, of which the first slice, a tenth of a second's worth, passes at once.
    assert!((report.simulated_s - 0.9).abs() < 0.1, "{}", report.simulated_s);
}

#[test]
fn a_limit_that_its_accounts_let_pass_by_half_is_warned_of() {
    let warnings = |limit: &str| {
        let disk = "[disk.d]\nmodel = \"constant-rate\"\n[throttle.t]\non = \"d\"\n";
        loaded(&format!("{disk}{limit}\n{}", reads("t", "4 KiB"))).warnings
    };
    let told = warnings("read_iops = 9").iter().map(ToString::to_string).collect::<String>();
    assert!(told.contains("reads a second through, not 9"), "{told}");
    for kept in ["read_iops = 10", "read_iops = 500", "write_iops = 999", "read_rate = \"1 MiB/s\""] {
        assert!(warnings(kept).is_empty(), "{kept}");
    }
}
