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

/// Two links of 50 MB/s to what lies below.
const PATHS: &str = "[multipath.m]\non = \"d\"\ngroups = \"multibus\"\n\
     link = { adapter = \"10 us\", latency = \"40 us\", rate = \"50 MB/s\" }\n";

fn outcome(text: &str) -> Result<petrio_scenario::report::Report, petrio_scenario::run::RunFailure> {
    let loaded = loaded(text);
    petrio_scenario::run::simulate(
        &loaded,
        &petrio_scenario::build::System::build(&loaded)?,
        petrio_scenario::report::Sinks::default(),
    )
}

fn over_paths(paths: &str, more: &str) -> petrio_scenario::report::Report {
    let disk = DISKS.replace("count = 4\n", "").replace("65536 kB/s", "1 GB/s").replace("1 ms", "1 us");
    let load =
        reads("m", "64 KiB").replace("\"1 s\"", "\"500 us\"").replace("requests = 20", "requests = 2000");
    report(&format!("{disk}{PATHS}paths = {paths}\n{more}{load}"))
}

#[test]
fn two_paths_carry_what_one_cannot() {
    // 131 MB/s are asked for.
    let [one, two] = ["[{}]", "[{}, {}]"].map(|paths| over_paths(paths, "").served.requests_per_s.value);
    assert!(
        one < 50e6 / 65_536.0 && two > 1.95 * one && two <= 2.0 * one,
        "{one} and {two} requests a second"
    );
}

#[test]
fn what_hangs_on_a_path_that_fails_is_told_with_what_became_of_it() {
    let fails = "[{ failures = [{ at = \"0.4 s\", restored_after = \"1 s\" }, { at = \"9 h\" }] }, {}]";
    let report = over_paths(fails, "detected_after = \"0.2 s\"\npolling_interval = \"0.5 s\"\n");
    let [figures] = report.paths.as_slice() else { panic!("{:?}", report.paths) };
    assert_eq!(figures.paths.iter().map(|path| path.reads.requests).sum::<u64>(), 2_000);
    let failure = figures.paths[0].failures[0];
    let times = [failure.found_at_s, failure.restored_at_s, failure.used_again_at_s];
    let close = |time: Option<f64>, expected: f64| (time.unwrap() - expected).abs() < 1e-9;
    assert!(close(times[0], 0.6) && close(times[1], 1.4) && close(times[2], 1.5), "{times:?}");
    assert_eq!(figures.failures_to_come, 1);
    assert!(figures.paths[0].sent_again > 0 && figures.paths[0].sent_again >= figures.delivered_twice);
    let slowest = report.served.latency.unwrap().max_ms.value;
    assert!(slowest > 200.0, "{slowest} ms: what hung for 200 ms is among them");
    assert!(report.stages.iter().any(|stage| stage.name.contains("path0/to-array")), "{:?}", report.stages);
}

#[test]
fn without_a_path_a_run_ends_with_what_failed_or_says_what_waits() {
    let gone = "[{ failures = [{ at = \"0.4 s\" }] }]";
    let disk = DISKS.replace("count = 4\n", "");
    let text = format!("{disk}{PATHS}paths = {gone}\ndetected_after = \"1 s\"\n{}", reads("m", "4 KiB"));
    let stopped = outcome(&text).unwrap_err().to_string();
    assert!(stopped.contains("EIO"), "{stopped}");
    let counted = outcome(&format!("{text}\n[measure]\non_error = \"count\"\n")).unwrap();
    // Those of the second that hang until it is found out, and all that come after.
    assert_eq!(counted.paths[0].failed_requests, 20 - counted.paths[0].paths[0].reads.requests);
    assert!(counted.paths[0].failed_requests > 0);
    let waits = outcome(&text.replace("detected_after", "queue_if_no_path = true\ndetected_after"));
    assert!(waits.is_err(), "nobody answers: {waits:?}");
}

#[test]
fn paths_that_make_no_sense_are_refused() {
    let text =
        |paths: &str| format!("{}{PATHS}{paths}\n{}", DISKS.replace("count = 4\n", ""), reads("m", "4 KiB"));
    assert!(problem(&text("paths = []")).contains("no path"), "{}", problem(&text("paths = []")));
    let both = "paths = [{}]\nqueue_if_no_path = true\nno_path_retry = 2";
    assert!(problem(&text(both)).contains("can't wait both"));
    let idle = "paths = [{}, {}]\nrr_min_io = 4";
    assert!(problem(&text(idle)).contains("rr_min_io does nothing here"));
}
