//! What is said to limit a run is what does: under loads that think or arrive on their own, under overload, and where something
//! would have to be given up.

use crate::common::{loaded, once};
use petrio_scenario::report::{Measured, Report, Sinks, WhatIf};
use petrio_scenario::run::run;
use petrio_scenario::{Override, load_text};

fn whole(text: &str) -> Report {
    run(&loaded(text), Sinks::default()).unwrap()
}

/// The mean latency of one run with what a report says to set.
fn mean_ms_with(text: &str, what_if: &WhatIf) -> f64 {
    let set: Vec<Override> = what_if.set.iter().map(|set| set.parse().unwrap()).collect();
    let loaded = load_text("test.toml", text, None, &set).unwrap();
    let system = petrio_scenario::build::System::build(&loaded).unwrap();
    let report = petrio_scenario::run::simulate(&loaded, &system, Sinks::default()).unwrap();
    report.served.latency.unwrap().mean_ms.value
}

#[test]
fn a_disk_that_is_hardly_ever_busy_limits_how_long_a_request_takes() {
    let text = r#"
        [disk.d]
        model = "seagate-cheetah-9lp"
        [workload.w]
        kind = "synthetic"
        on = "d"
        requests = 100
        generators = [{ read_fraction = 1, time_critical_fraction = 1, inter_arrival = "1 s", size = "4 KiB" }]
    "#;
    let report = whole(text);
    let found = report.bottleneck.unwrap();
    assert!(found.stage == "d/mechanics" && found.utilisation.unwrap() < 0.02, "{found:?}");
    let what_if = found.what_if.unwrap();
    assert!(what_if.of == Measured::Latency && what_if.gain > 1.2, "{what_if:?}");
    let gain = report.served.latency.unwrap().mean_ms.value / mean_ms_with(text, &what_if);
    let [low, high] = what_if.interval;
    assert!((low - 1e-9..=high + 1e-9).contains(&gain), "{gain}: {low} to {high}");
}

#[test]
fn an_overload_is_told_what_would_end_it_however_much_that_brings() {
    let text = r#"
        [disk.d]
        model = "constant-rate"
        drive = { latency = "10 ms", rate = "100 GB/s" }
        [workload.w]
        kind = "synthetic"
        on = "d"
        requests = 3000
        generators = [{ read_fraction = 1, inter_arrival = { exponential = { mean = "7 ms" } }, size = "512 B" }]
    "#;
    let what_if = whole(text).bottleneck.unwrap().what_if.unwrap();
    assert!(what_if.of == Measured::Latency && what_if.gain > 50.0, "{what_if:?}");
    assert!(what_if.interval[0] > 10.0, "{what_if:?}");
    assert!(
        (what_if.before / what_if.after / what_if.gain - 1.0).abs() < 1e-6,
        "means of ratios are ratios of means"
    );
}

#[test]
fn programs_that_think_and_then_all_want_one_processor_are_told_so() {
    let text = r#"
        [disk.d]
        model = "constant-rate"
        [host.h]
        machine = "epyc-9005-2vcpu"
        kernel = "linux-6.18"
        change.machine.processors = 1
        [fs.v]
        type = "ext4"
        on = "d"
        [workload.w]
        kind = "files"
        on = "v"
        operation = "read"
        record = "1 MiB"
        think_time = "1 s"
        file_size = "1 MiB"
        cached = true
        passes = 5
        processes = 16
    "#;
    let report = whole(text);
    let found = report.bottleneck.unwrap();
    assert_eq!(found.stage, "h/processor");
    let what_if = found.what_if.unwrap();
    assert!(what_if.of == Measured::Latency && what_if.gain > 1.5, "{what_if:?}");
}

#[test]
fn what_gives_something_up_is_told_beside_what_gives_up_nothing_with_its_price() {
    let text = r#"
        [disk.d]
        model = "toshiba-mg08-16tb"
        [host.h]
        machine = "epyc-9005-2vcpu"
        kernel = "linux-6.18"
        [fs.v]
        type = "ext3"
        on = "d"
        size = "1 GiB"
        [workload.w]
        kind = "files"
        on = "v"
        operation = "rewrite"
        pattern = "random"
        record = "4 KiB"
        file_size = "16 MiB"
        operations = 30
        fsync = { every = 1 }
    "#;
    let found = whole(text).bottleneck.unwrap();
    let free = found.what_if.clone().unwrap();
    assert_eq!(free.price, None);
    let or = found.or.clone().unwrap();
    assert!(or.price.is_some() && or.gain > free.gain, "{found:?}");
    let sentences = found.sentences();
    assert!(sentences.contains(" Or, at a price, with "), "{sentences}");
    let gain = once(text).served.latency.unwrap().mean_ms.value / mean_ms_with(text, &or);
    assert!(gain > 1.2, "{gain} {or:?}");
}
