//! Figures that can be computed by hand, and queueing theory where it has a formula.

use crate::support::{Folder, REPLAY, figure};

/// 4 KiB at the constant-rate device, ms.
const SERVICE: f64 = 0.140_96;

fn close(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-9 * expected.max(1.0), "{found}, by hand {expected}");
}

fn replay(trace: &str, more: &[&str]) -> serde_json::Value {
    let folder = Folder::with(REPLAY);
    folder.write("load.trace", trace);
    folder.report(more)
}

#[test]
fn requests_apart_take_their_service_time_each() {
    let report = replay("0.0 0 0 8 1\n10.0 0 800 8 1\n20.0 0 80 8 0\n", &[]);
    close(figure(&report, "/latency/mean_ms/value"), SERVICE);
    close(figure(&report, "/latency/max_ms/value"), SERVICE);
    close(figure(&report, "/simulated_s"), (20.0 + SERVICE) / 1e3);
    assert_eq!(figure(&report, "/requests/reads"), 2.0);
    assert_eq!(figure(&report, "/requests/writes"), 1.0);
    assert_eq!(figure(&report, "/requests/completed"), 3.0);
    assert_eq!(figure(&report, "/bytes"), 3.0 * 4096.0);
}

#[test]
fn an_open_replay_keeps_arrival_times_and_a_closed_one_waits() {
    let trace = "0.0 0 0 8 1\n0.05 0 800 8 1\n";
    let open = replay(trace, &[]);
    close(figure(&open, "/latency/max_ms/value"), 2.0 * SERVICE - 0.05);
    close(figure(&open, "/simulated_s"), 2.0 * SERVICE / 1e3);
    let closed = replay(trace, &["--set", "workload.w.replay=closed"]);
    close(figure(&closed, "/latency/max_ms/value"), SERVICE);
    assert!(figure(&closed, "/simulated_s") >= 2.0 * SERVICE / 1e3);
}

#[test]
fn a_time_scale_stretches_the_arrivals_and_not_the_service() {
    let report = replay("0.0 0 0 8 1\n10.0 0 800 8 1\n", &["--set", "workload.w.time_scale=0.5"]);
    close(figure(&report, "/simulated_s"), (5.0 + SERVICE) / 1e3);
}

#[test]
fn random_arrivals_wait_as_the_formula_for_constant_service_says() {
    // M/D/1 at utilisation 1/2: waiting is half a service time (Pollaczek and Khinchine).
    let scenario = r#"
        [disk.d0]
        model = "constant-rate"
        [workload.w]
        kind = "synthetic"
        on = "d0"
        requests = 100000
        [[workload.w.generators]]
        read_fraction = 1
        inter_arrival = { exponential = { mean = "281.92 us" } }
        size = { constant = "4 KiB" }
    "#;
    let report = Folder::with(scenario).report(&[]);
    let mean = figure(&report, "/latency/mean_ms/value");
    assert!((mean / (1.5 * SERVICE) - 1.0).abs() < 0.02, "{mean}");
    let utilisation =
        report["stages"].as_array().unwrap().iter().filter_map(|row| row["utilisation"].as_f64());
    assert!((utilisation.fold(0.0, f64::max) - 0.5).abs() < 0.01);
}

#[test]
fn one_request_at_a_time_never_waits_whatever_the_discipline() {
    let trace: String = (0..200).map(|n| format!("{n}.0 0 {} 8 1\n", n * 7_919 % 100_000)).collect();
    let folder = Folder::with(&REPLAY.replace("constant-rate", "seagate-cheetah-9lp"));
    folder.write("load.trace", trace);
    let mean = |discipline: &str| {
        let set = format!("disk.d0.scheduler={discipline}");
        let report = folder.report(&["--set", "workload.w.replay=closed", "--set", &set]);
        figure(&report, "/latency/mean_ms/value")
    };
    let first = mean("fcfs");
    for discipline in ["sstf", "look", "c-look", "sptf"] {
        assert_eq!(mean(discipline), first, "{discipline}");
    }
    // Its arm goes back by way of cylinder 0, which is no wait but may cost a revolution.
    assert!(mean("cscan") >= first);
}
