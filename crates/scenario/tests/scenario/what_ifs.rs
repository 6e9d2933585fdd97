//! What a report says of stages and of changes is what whoever looks for himself finds.

use crate::common::once_of;
use petrio_scenario::report::{Bottleneck, Measured, Report, Sinks, StageFigures};
use petrio_scenario::run::run;
use petrio_scenario::{Loaded, Override, load, load_text};
use rayon::prelude::*;
use std::path::{Path, PathBuf};

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples")
}

fn example(name: &str, set: &[String]) -> Loaded {
    let overrides: Vec<Override> = set.iter().map(|set| set.parse().unwrap()).collect();
    load(&examples().join(name), &overrides).unwrap_or_else(|problems| panic!("{name}: {problems:?}"))
}

fn text(text: &str, set: &[&str]) -> Loaded {
    let overrides: Vec<Override> = set.iter().map(|set| set.parse().unwrap()).collect();
    load_text("test.toml", text, None, &overrides).unwrap()
}

fn whole(loaded: &Loaded) -> Report {
    run(loaded, Sinks::default()).unwrap()
}

fn plain(loaded: &Loaded) -> Report {
    once_of(loaded)
}

fn stage<'r>(report: &'r Report, name: &str) -> &'r StageFigures {
    let found = report.stages.iter().find(|stage| stage.name == name);
    found.unwrap_or_else(|| panic!("no row {name} among {:?}", report.stages))
}

fn bottleneck(report: &Report) -> &Bottleneck {
    report.bottleneck.as_ref().unwrap()
}

/// Runs an example as it is and as its report says that it should be; the gain and what was said of it, where something
/// was.
fn reproduced(name: &str) -> Option<(f64, [f64; 2])> {
    let before = whole(&example(name, &[]));
    let what_if = before.bottleneck.as_ref()?.advice().next()?.clone();
    assert!(what_if.interval[0] > 1.0 && what_if.gain > 1.0, "{name}: {what_if:?}");
    if what_if.set.is_empty() {
        return None;
    }
    let after = plain(&example(name, &what_if.set));
    let of = |report: &Report| {
        let is_other = what_if.subject.is_some_and(|subject| subject != report.served.subject);
        let served = if is_other { report.beside.as_deref().unwrap() } else { &report.served };
        (served.requests_per_s.value, served.latency.as_ref().map(|latency| latency.mean_ms.value))
    };
    let gain = match what_if.of {
        Measured::Throughput => of(&after).0 / of(&before).0,
        Measured::Latency => of(&before).1? / of(&after).1?,
        Measured::Elapsed => before.jobs[0].elapsed_s / after.jobs[0].elapsed_s,
    };
    Some((gain, what_if.interval))
}

/// A third of the examples; all of them where the whole matrix is asked for (`scripts/test-all.sh`).
#[test]
fn whoever_sets_what_a_report_prints_finds_the_gain_that_it_prints() {
    let each = if std::env::var_os("PETRIO_FULL_MATRIX").is_some() { 1 } else { 3 };
    let mut names: Vec<String> = std::fs::read_dir(examples())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.ends_with(".toml"))
        .collect();
    names.sort();
    let names: Vec<String> = names.into_iter().step_by(each).collect();
    let found: Vec<Option<(f64, [f64; 2])>> = names.par_iter().map(|name| reproduced(name)).collect();
    for (name, found) in names.iter().zip(&found) {
        let Some((gain, [low, high])) = found else { continue };
        // Equal replications have an interval without width, and means are rounded.
        assert!((low - 1e-9..=high + 1e-9).contains(gain), "{name}: {gain}, but {low} to {high} was said");
    }
    let with_settings = found.iter().flatten().count();
    assert!(with_settings * 4 >= names.len() * 3, "only {with_settings} of {} examples", names.len());
}

#[test]
fn a_throttle_is_the_bottleneck_of_what_it_throttles_and_twice_the_limit_is_twice_the_speed() {
    for kind in ["random-read", "random-write", "synchronous-write", "synchronous-write-journal"] {
        let report = whole(&example(&format!("throttled-{kind}.toml"), &[]));
        let found = bottleneck(&report);
        assert_eq!(found.stage, "limit/throttle", "{kind}");
        let what_if = found.what_if.as_ref().unwrap();
        assert_eq!(what_if.set, ["throttle.limit.read_iops=1000", "throttle.limit.write_iops=1000"]);
        assert_eq!((what_if.of, what_if.factor), (Measured::Throughput, Some(2.0)));
        assert!((what_if.gain - 2.0).abs() < 0.1, "{kind}: {}", what_if.gain);
    }
}

const EIGHT_PROCESSES: &str = r#"
    [disk.d]
    model = "constant-rate"
    [host.h]
    machine = "poweredge-1850"
    kernel = "linux-2.6.27"
    change.machine.processors = 1
    [fs.data]
    type = "ext3"
    on = "d"
    [workload.readers]
    kind = "files"
    on = "data"
    operation = "read"
    record = "1 MiB"
    file_size = "16 MiB"
    processes = 8
    cached = true
    think_time = "20 ms"
    passes = 20
"#;

#[test]
fn one_processor_of_eight_processes_is_as_busy_as_its_throughput_and_their_demand_say() {
    let report = plain(&text(EIGHT_PROCESSES, &[]));
    let processor = stage(&report, "h/processor");
    let (busy, service) = (processor.utilisation.unwrap(), processor.mean_service_ms.unwrap());
    assert!((busy - 0.43).abs() < 0.005, "{busy}");
    assert!((service - 1.87).abs() < 0.01, "{service}");
    // The utilisation law, U = X · D; Little's law of those that share it; and what an operation takes is both
    // together.
    let rate = processor.arrivals as f64 / report.simulated_s;
    assert!((busy - rate * service / 1e3).abs() < 1e-6, "{busy} {rate} {service}");
    let wait = processor.mean_wait_ms.unwrap();
    assert!((processor.mean_queue.unwrap() - rate * wait / 1e3).abs() < 1e-6);
    assert!((wait + service - report.served.latency.unwrap().mean_ms.value).abs() < 1e-6);
}

#[test]
fn two_processors_are_half_as_busy_each() {
    let one = plain(&text(EIGHT_PROCESSES, &["workload.readers.processes=1"]));
    let two = plain(&text(
        EIGHT_PROCESSES,
        &["workload.readers.processes=1", "host.h.change.machine.processors=2"],
    ));
    let busy = |report: &Report| stage(report, "h/processor").utilisation.unwrap();
    assert!((busy(&one) - 2.0 * busy(&two)).abs() < 1e-9);
}

#[test]
fn a_unix_host_has_a_row_for_its_processor() {
    let set = ["unix.host.call=2 ms".to_owned()];
    let report = plain(&example("copies-of-files.toml", &set));
    let processor = stage(&report, "host/processor");
    assert!((processor.mean_service_ms.unwrap() - 2.0).abs() < 1e-6);
    let rate = processor.arrivals as f64 / report.simulated_s;
    assert!((processor.utilisation.unwrap() - rate * 2e-3).abs() < 1e-6);
    let free = plain(&example("copies-of-files.toml", &[]));
    let processor = stage(&free, "host/processor");
    assert_eq!(processor.mean_service_ms, Some(0.0), "and work that takes no time takes none");
}

#[test]
fn what_a_drive_reads_ahead_is_its_work() {
    let report = plain(&example("sequential-read.toml", &[]));
    let mechanics = stage(&report, "d/mechanics");
    assert!(mechanics.utilisation.unwrap() > 0.95, "{mechanics:?}");
    assert!(mechanics.own_utilisation.unwrap() > 0.5, "{mechanics:?}");
    // The medium can't give more than passes under the head: the data that were read took that time at least.
    assert!(mechanics.utilisation.unwrap() <= 1.0);
}

fn hundred_disks(set: &[&str]) -> Loaded {
    let scenario = r#"
        [disk.d]
        model = "hp-97560"
        count = 100
        [workload.users]
        kind = "synthetic"
        on = "d"
        requests = 10000
        [[workload.users.generators]]
        read_fraction = 1
        inter_arrival = { exponential = { mean = "400 us" } }
        size = { constant = "4 KiB" }
    "#;
    text(scenario, set)
}

#[test]
fn a_hundred_equal_disks_are_one_class_and_made_better_together() {
    let report = whole(&hundred_disks(&[]));
    let mechanics = stage(&report, "d*/mechanics");
    let members = mechanics.members.as_ref().unwrap();
    assert_eq!(members.count, 100);
    assert!(members.least < mechanics.utilisation.unwrap() && mechanics.utilisation.unwrap() < members.most);
    assert_eq!(report.stages.len(), 4);
    let found = bottleneck(&report);
    assert_eq!(found.stage, "d*/mechanics");
    let what_if = found.what_if.as_ref().unwrap();
    assert_eq!(what_if.of, Measured::Latency, "an open load comes as fast as it comes");
    assert!(what_if.gain > 1.1, "{what_if:?}");
    assert_eq!(what_if.set.len(), 1);
}

#[test]
fn all_stages_are_shown_to_who_asks_for_them() {
    let few = ["measure.stages=all", "workload.users.requests=1000"];
    let report = plain(&hundred_disks(&few));
    assert_eq!(report.stages.len(), 400);
    assert!(stage(&report, "d99/mechanics").members.is_none());
}

#[test]
fn parts_written_alike_are_made_better_together() {
    let scenario = r#"
        [disk.d1]
        model = "hp-97560"
        [disk.d2]
        model = "hp-97560"
        [workload.users]
        kind = "synthetic"
        on = ["d1", "d2"]
        requests = 2000
        [[workload.users.generators]]
        read_fraction = 1
        time_critical_fraction = 1
        inter_arrival = { constant = "0 s" }
        size = { constant = "4 KiB" }
    "#;
    let report = whole(&text(scenario, &[]));
    let what_if = bottleneck(&report).what_if.clone().unwrap();
    let paths: Vec<&str> = what_if.set.iter().map(|set| &set[..7]).collect();
    assert_eq!(paths, ["disk.d1", "disk.d2"]);
    assert_eq!(what_if.of, Measured::Throughput, "a closed load comes faster");
}

/// Nine nodes before one server: the server's link has most to do, and all links have one rate.
#[test]
fn of_what_one_change_makes_faster_the_part_with_most_to_do_is_named() {
    let small =
        r#"workload.bt.program={ kind = "bt-io", class = "A", subtype = "epio", rate = 50, steps = 20 }"#
            .to_owned();
    let report = whole(&example("architectures/nas.toml", &[small]));
    let found = bottleneck(&report);
    // Both ways to and from the server are as busy.
    assert!(found.stage.starts_with("lan/server/"), "{}", found.stage);
    let busy = |name: &str| stage(&report, name).utilisation.unwrap();
    for other in ["lan/node*/up", "lan/node*/down", "lan/server/up", "lan/server/down"] {
        assert!(busy(&found.stage) > 0.95 * busy(other), "{other}: {}", busy(other));
    }
    assert_eq!(found.utilisation, Some(busy(&found.stage)));
}

const SYNCHRONOUS_ON_BATTERY: &str = r#"
    [disk.d]
    model = "seagate-st336752fc"
    count = 2
    [raid.r]
    level = 1
    on = "d*"
    controller = { overhead = "20 us", cache = { size = "64 MiB", battery = true } }
    [host.h]
    machine = "poweredge-1850"
    kernel = "linux-2.6.27"
    [fs.data]
    type = "ext3"
    on = "r"
    [workload.w]
    kind = "files"
    on = "data"
    operation = "write"
    record = "64 KiB"
    file_size = "8 MiB"
    sync = true
"#;

/// CFQ waits for a process's next request, which comes after the journal's, and a cache with a battery makes nothing of it.
#[test]
fn a_scheduler_that_makes_a_fast_device_wait_is_named_with_what_may_stand_in_for_it() {
    let report = whole(&text(SYNCHRONOUS_ON_BATTERY, &[]));
    let found = bottleneck(&report);
    assert_eq!((found.stage.as_str(), found.part.as_deref()), ("data-queue/scheduler", Some("scheduler")));
    let what_if = found.what_if.as_ref().unwrap();
    assert_eq!((what_if.set.as_slice(), what_if.factor), (&["fs.data.scheduler=noop".to_owned()][..], None));
    let after = plain(&text(SYNCHRONOUS_ON_BATTERY, &["fs.data.scheduler=noop"]));
    let gain = after.served.requests_per_s.value / report.served.requests_per_s.value;
    assert!(gain > 5.0, "{gain}");
    let [low, high] = what_if.interval;
    assert!((low - 1e-9..=high + 1e-9).contains(&gain), "{gain}: {low} to {high}");
    assert!(what_if.sentence().starts_with("With the noop scheduler in its place: "));
}

const MESSAGES: &str = r#"
    [network.lan]
    use = "gigabit-ethernet"
    [host.node]
    count = 4
    machine = "epyc-9005-2vcpu"
    kernel = "linux-6.18"
    disk.d = { model = "constant-rate" }
    fs.data = { type = "ext4", on = "d" }
    [mpi.m]
    network = "lan"
    hosts = "node*"
    [workload.w]
    kind = "parallel"
    on = "node*/data"
    ranks = 4
    program = { kind = "steps", steps = [{ repeat = { times = 10, steps = [{ all-to-all = { bytes = "1 MiB" } }] } }] }
"#;

/// A program that asks for nothing is judged by how long it takes.
#[test]
fn what_only_exchanges_messages_is_limited_by_its_links_and_faster_with_faster_ones() {
    let report = whole(&text(MESSAGES, &[]));
    assert_eq!(report.served.requests.completed, 0);
    assert!(
        report.warnings.iter().all(|warning| !warning.contains("nothing to report")),
        "{:?}",
        report.warnings
    );
    let found = bottleneck(&report);
    assert!(found.stage.starts_with("lan/node*/"), "{}", found.stage);
    let what_if = found.what_if.as_ref().unwrap();
    assert_eq!((what_if.of, what_if.set.len()), (Measured::Elapsed, 1));
    let after = plain(&text(MESSAGES, &[&what_if.set[0]]));
    let gain = report.jobs[0].elapsed_s / after.jobs[0].elapsed_s;
    let [low, high] = what_if.interval;
    assert!(gain > 1.7 && (low - 1e-9..=high + 1e-9).contains(&gain), "{gain}: {low} to {high}");
    assert!(what_if.sentence().contains(" times as fast, over in "), "{}", what_if.sentence());
}

/// One of ten equal nodes serves all the others: its link is what limits, and not the many that are hardly used.
#[test]
fn the_busiest_of_equal_parts_says_which_of_them_limits() {
    let text_of = MESSAGES.replace("count = 4", "count = 10").replace("ranks = 4", "ranks = 10");
    let text_of =
        text_of.replace(r#"{ all-to-all = { bytes = "1 MiB" } }"#, r#"{ scatter = { bytes = "1 MiB" } }"#);
    let report = whole(&text(&text_of, &[]));
    let found = bottleneck(&report);
    assert_eq!(found.stage, "lan/node*/up");
    assert_eq!(found.busiest.as_deref(), Some("lan/node0/up"));
    assert!(found.most.unwrap() > 2.0 * found.utilisation.unwrap());
    assert!(found.why().contains(", lan/node0/up "), "{}", found.why());
}

#[test]
fn locks_of_whole_files_are_named_where_many_write_one_file() {
    let shared = r#"
        [network.fc]
        use = "fibre-channel-1g"
        [disk.d]
        model = "constant-rate"
        drive.latency = "1 ms"
        drive.rate = "80 MB/s"
        count = 2
        [host.node]
        count = 2
        machine = "epyc-9005-2vcpu"
        kernel = "linux-6.18"
        [san.work]
        clients = "node*"
        on = "d*"
        locks = { granularity = "file" }
        [mpi.m]
        hosts = "node*"
        [workload.w]
        kind = "parallel"
        on = "node*/work"
        ranks = 2
        program = { kind = "checkpoint", state = "4 MiB", transfer = "256 KiB", layout = "n-1-strided" }
    "#;
    let before = whole(&text(shared, &[]));
    let what_if = bottleneck(&before).what_if.as_ref().unwrap();
    assert_eq!(what_if.set, ["san.work.locks.granularity=range"], "{:?}", before.bottleneck);
    let after = plain(&text(shared, &["san.work.locks.granularity=range"]));
    let gain = after.served.requests_per_s.value / before.served.requests_per_s.value;
    assert!((gain / what_if.gain - 1.0).abs() < 0.05 && gain > 1.5, "{gain} {what_if:?}");
    // Where each writes a file of his own in small pieces, locks that go back with each call are a reason, too.
    let (parts, _) = shared.split_once("[mpi.m]").unwrap();
    let own = format!(
        "{parts}[workload.w]\nkind = \"files\"\non = \"node*/work\"\noperation = \"write\"\nrecord = \"4 KiB\"\n\
         file_size = \"256 KiB\"\n"
    );
    let returned = whole(&text(&own, &["san.work.locks={ keep = false }"]));
    let set = bottleneck(&returned).what_if.as_ref().unwrap().set.clone();
    assert_eq!(set, ["san.work.locks.keep=true"], "{:?}", returned.bottleneck);
}
