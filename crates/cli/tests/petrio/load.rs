//! `petrio load`: the limit and the knee of a queue are those of the formula, every point is a run that can be repeated, and what bears no
//! more is told why.

use crate::compare::FILES;
use crate::support::{Folder, figure, unwrapped};
use serde_json::Value;

/// One server; a service takes an exponential time of 1 ms but for whole blocks.
const M_M_1: &str = r#"title = "One server"

[disk.d]
model = "constant-rate"
drive.blocks = "100000000 blocks"
drive.latency = "0 s"
drive.rate = "64 MB/s"
drive.write_cache = false

[workload.w]
kind = "synthetic"
on = "d"
requests = 150000

[[workload.w.generators]]
read_fraction = 1.0
inter_arrival = { exponential = { mean = "4 ms" } }
size = { exponential = { mean = "125 blocks" } }
alignment = "1 blocks"
"#;

/// Blocks are whole ones, rounded up, and none has none: their mean is 1 / (1 − e^(−1/125)).
fn service_ms() -> f64 {
    1.0 / (1.0 - (-1.0_f64 / 125.0).exp()) / 125.0
}

fn loaded(folder: &Folder, arguments: &[&str]) -> Value {
    let answer =
        folder.petrio(&[&["load", "scenario.toml", "-q", "--json", "load.json"], arguments].concat());
    assert_eq!(answer.code, Some(0), "{}", answer.talk);
    folder.json("load.json")
}

#[test]
fn limit_and_knee_of_one_server_are_those_of_the_formula() {
    let folder = Folder::with(M_M_1);
    let capacity = 1e3 / service_ms();
    for (limit_ms, seed) in [(5.0, "1"), (2.5, "2")] {
        let limit = format!("{limit_ms} ms");
        let found = loaded(&folder, &["--metric", "mean", "--limit", &limit, "--seed", seed]);
        assert!(figure(&found, "/runs") <= 15.0, "{found}");
        let wanted = capacity - 1e3 / limit_ms;
        let highest = figure(&found, "/highest/rate");
        assert!((highest / wanted - 1.0).abs() < 0.02, "{limit}: {highest}, and the formula says {wanted}");
        let knee = figure(&found, "/knee/rate");
        assert!((knee / (capacity / 2.0) - 1.0).abs() < 0.02, "{knee}, and half of {capacity} is right");
        assert_eq!(found["knee"]["at_end"], false);
        assert_eq!(found["highest"]["busiest"][0], "d/service");
        assert!(figure(&found, "/highest/half_width") > 0.0);
    }
}

#[test]
fn every_point_is_the_run_that_its_keys_say() {
    let folder = Folder::with(M_M_1);
    let answer = folder.petrio(&[
        "load",
        "scenario.toml",
        "--metric",
        "p99",
        "--limit",
        "20 ms",
        "--html",
        "load.html",
        "--json",
        "load.json",
    ]);
    assert_eq!(answer.code, Some(0), "{}", answer.talk);
    let found = folder.json("load.json");
    let points = found["points"].as_array().unwrap();
    assert!(points.len() > 5);
    for point in points.iter().filter(|point| point["replications"] == 1).step_by(3) {
        let scale = format!("workload.w.time_scale={}", 1.0 / figure(point, "/factor"));
        let report = folder.report(&["--set", &scale]);
        assert!((figure(&report, "/latency/p99_ms/value") / figure(point, "/metric") - 1.0).abs() < 1e-9);
        assert_eq!(figure(&report, "/requests_per_s/value"), figure(point, "/rate"));
    }
    // More load is never answered sooner, with the same random numbers.
    let responses: Vec<f64> = points
        .iter()
        .filter(|point| point["replications"] == 1)
        .map(|point| figure(point, "/response_ms"))
        .collect();
    assert!(responses.is_sorted(), "{responses:?}");
    let page = folder.text("load.html");
    for word in ["highest load", "knee", "today", "p99"] {
        assert!(page.contains(word), "{word}");
    }
    let repeat =
        answer.out.lines().find_map(|line| line.trim().strip_prefix("repeat")).unwrap().trim().to_owned();
    let words: Vec<&str> = repeat.split(' ').skip(1).collect();
    let again = folder.petrio(&[&words[..], &["-q", "--no-what-if", "--json", "again.json"]].concat());
    assert_eq!(again.code, Some(0), "{repeat}: {}", again.talk);
    let rate = figure(&folder.json("again.json"), "/requests_per_s/value");
    assert!((rate / figure(&found, "/highest/rate") - 1.0).abs() < 0.02);
}

#[test]
fn an_overload_is_led_back_to_what_is_borne() {
    let folder = Folder::with(&M_M_1.replace("4 ms", "0.5 ms"));
    let found = loaded(&folder, &["--metric", "mean", "--limit", "5 ms"]);
    assert_eq!(found["today"]["overloaded"], true);
    let wanted = 1e3 / service_ms() - 200.0;
    let highest = figure(&found, "/highest/rate");
    assert!((highest / wanted - 1.0).abs() < 0.02, "{highest}, and the formula says {wanted}");
    assert!(figure(&found, "/highest/factor") < 0.45);
    let told = folder.petrio(&["load", "scenario.toml", "--metric", "mean", "--limit", "5 ms"]).out;
    assert!(unwrapped(&told).contains("less than today"), "{told}");
}

#[test]
fn a_closed_load_is_told_that_it_has_no_saturation_and_whole_processes_come() {
    let script = "create f; repeat 20 { append f 4 KiB; fsync f }";
    let scenario = FILES.replace("create a; write a 0 4 KiB; fsync a; write a 4 KiB 4 KiB; fsync a", script);
    let folder = Folder::with(&scenario.replace("kind = \"script\"", "kind = \"script\"\nprocesses = 2"));
    let found = loaded(&folder, &["--metric", "fsync.p99-latency", "--limit", "200 ms"]);
    assert_eq!(found["closed"], true);
    for point in found["points"].as_array().unwrap() {
        let processes = figure(point, "/factor") * 2.0;
        assert!((processes - processes.round()).abs() < 1e-9, "{processes} processes");
    }
    let told =
        folder.petrio(&["load", "scenario.toml", "--metric", "fsync.p99-latency", "--limit", "200 ms"]).out;
    assert!(unwrapped(&told).contains("no saturation") && told.contains("processes"), "{told}");
}

#[test]
fn a_key_that_is_named_makes_the_load() {
    let folder = Folder::with(M_M_1);
    let mean = "workload.w.generators.0.inter_arrival.exponential.mean";
    let found = loaded(&folder, &["--metric", "mean", "--limit", "5 ms", "--over", mean]);
    assert_eq!(found["dial"]["keys"][0]["is_time"], true);
    let wanted = 1e3 / service_ms() - 200.0;
    let highest = figure(&found, "/highest/rate");
    assert!((highest / wanted - 1.0).abs() < 0.02, "{highest}, and the formula says {wanted}");
}

#[test]
fn what_has_no_answer_is_told_what_to_ask() {
    let folder = Folder::with(M_M_1);
    let refused = |arguments: &[&str], said: &[&str]| {
        let answer = folder.petrio(&[&["load", "scenario.toml"], arguments].concat());
        let talk = unwrapped(&answer.talk);
        assert_eq!(answer.code, Some(2), "{arguments:?}: {talk}");
        for word in said {
            assert!(talk.contains(word), "{arguments:?}: {talk}");
        }
    };
    refused(&["--limit", "20"], &["it is no limit of p99-latency", "20 ms"]);
    refused(&["--limit", "20 MiB"], &["it is no limit of p99-latency"]);
    refused(&["--limit", "soon"], &["no number"]);
    refused(&["--metric", "rate", "--limit", "20 /s"], &["more rate is better", "latency"]);
    refused(&["--metric", "fsync.p99", "--limit", "20 ms"], &["no fsync.p99-latency"]);
    refused(&["--over", "disk.d.model", "--limit", "20 ms"], &["no number"]);
    refused(&["--over", "disk.e.count", "--limit", "20 ms"], &["no value there"]);
    refused(&["--metric", "p98"], &["p9"]);
    folder.write("scenario.toml", M_M_1.replace("constant-rate", "constant-rat"));
    refused(&["--limit", "20 ms"], &["constant-rate"]);
}

/// The ends are what the model itself says of a drive that is so much slower or faster, and a queue that is as it is written has none.
#[test]
fn how_sure_the_limit_is_follows_from_what_validations_missed_by() {
    let folder = Folder::with(&M_M_1.replace(
        "model = \"constant-rate\"\ndrive.blocks = \"100000000 blocks\"\ndrive.latency = \"0 s\"\ndrive.rate = \"64 MB/s\"\n\
         drive.write_cache = false\n",
        "model = \"seagate-cheetah-9lp\"\n",
    ).replace("requests = 150000", "requests = 4000").replace("mean = \"4 ms\"", "mean = \"20 ms\"").replace("125 blocks", "16 blocks"));
    let found = loaded(&folder, &["--metric", "mean", "--limit", "25 ms"]);
    let [within, low, at] =
        ["/highest/sure/within", "/highest/sure/low", "/highest/factor"].map(|path| figure(&found, path));
    assert!(within > 1.0 && low < at, "{found}");
    if let Some(high) = found["highest"]["sure"]["high"].as_f64() {
        assert!(at < high && high < at * within * within * within, "{found}");
    }
    let text = folder.petrio(&["load", "scenario.toml", "--metric", "mean", "--limit", "25 ms"]);
    assert!(unwrapped(&text.out).contains("nine real systems in ten keep it up to between"), "{}", text.out);
    let queue = Folder::with(&M_M_1.replace("150000", "2000"));
    let found = loaded(&queue, &["--metric", "mean", "--limit", "5 ms"]);
    assert!(found["highest"]["sure"].is_null(), "{found}");
}
