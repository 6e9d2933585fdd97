//! `petrio explain`: what is said of a change is what a run with it shows.

use crate::compare::FILES;
use crate::support::{Folder, RANDOM, figure, unwrapped};
use serde_json::Value;

fn explained(folder: &Folder, arguments: &[&str]) -> Value {
    let answer =
        folder.petrio(&[&["explain", "scenario.toml", "-q", "--json", "found.json"], arguments].concat());
    assert_eq!(answer.code, Some(0), "{}", answer.talk);
    folder.json("found.json")
}

/// A report with what makes a change.
fn with(folder: &Folder, tried: &Value, replications: &str) -> Value {
    let settings = tried["change"]["settings"].as_array().unwrap();
    let mut arguments: Vec<String> = vec!["--set".to_owned(), format!("measure.replications={replications}")];
    for setting in settings {
        arguments.extend([
            "--set".to_owned(),
            format!("{}={}", setting[0].as_str().unwrap(), setting[1].as_str().unwrap()),
        ]);
    }
    folder.report(&arguments.iter().map(String::as_str).collect::<Vec<_>>())
}

fn all<'f>(found: &'f Value, which: &str) -> &'f Vec<Value> {
    found[which].as_array().unwrap()
}

#[test]
fn every_gain_is_what_a_run_with_the_change_shows() {
    let script = "create f; repeat 60 { append f 8 KiB; fsync f }";
    let folder = Folder::with(
        &FILES.replace("create a; write a 0 4 KiB; fsync a; write a 4 KiB 4 KiB; fsync a", script),
    );
    let found = explained(&folder, &["--replications", "2"]);
    assert_eq!(found["by_rate"], true, "a program that waits for what it asks for");
    let now = figure(&folder.report(&[]), "/requests_per_s/value");
    assert!((figure(&found, "/now/rate") / now - 1.0).abs() < 1e-9);
    assert!(all(&found, "better").len() > 1 && all(&found, "nothing").len() > 3, "{found}");
    for which in ["better", "pairs", "worse"] {
        for tried in all(&found, which) {
            let after = figure(&with(&folder, tried, "1"), "/requests_per_s/value");
            let told = figure(tried, "/rate/times");
            assert!((after / now / told - 1.0).abs() < 1e-6, "{tried}: {after} after {now}");
            assert_eq!(which != "worse", told > 1.0, "{tried}");
        }
    }
    // Nothing is put under those that do nothing that does something.
    for change in all(&found, "nothing").iter().step_by(4) {
        let report = with(&folder, &serde_json::json!({ "change": change }), "1");
        let after = figure(&report, "/requests_per_s/value");
        assert!((after / now - 1.0).abs() < 0.006, "{change}: {after} after {now}");
    }
    let gains: Vec<f64> = all(&found, "better").iter().map(|tried| figure(tried, "/rate/times")).collect();
    assert!(gains.is_sorted_by(|one, other| one >= other), "the best first: {gains:?}");
    let pairs = all(&found, "pairs").iter().map(|pair| figure(pair, "/rate/times"));
    assert!(pairs.into_iter().all(|pair| pair > gains[0]), "a pair is told that is better than either alone");
    for (change, why) in all(&found, "impossible").iter().map(|pair| (&pair[0], &pair[1])) {
        assert!(why.as_str().is_some_and(|why| !why.is_empty()), "{change}");
    }
}

/// Durable small writes on a slow disk, beside a quick one with a load of its own that hardly asks for anything.
const TWO_DISKS: &str = r#"
[disk.slow]
model = "hp-c2247a"

[disk.quick]
model = "intel-dc-s3700-400gb"

[host.h]
machine = "epyc-9005-2vcpu"
kernel = "linux-6.18"

[fs.data]
type = "ext3"
on = "slow"

[workload.mail]
kind = "script"
on = "data"
script = "create f; repeat 40 { append f 8 KiB; fsync f }"

[workload.beside]
kind = "synthetic"
on = "quick"
requests = 40
generators = [{ read_fraction = 1.0, inter_arrival = { exponential = { mean = "30 ms" } }, size = "4 KiB" }]
"#;

#[test]
fn another_place_is_tried_on_what_is_there_and_tells_what_a_run_shows() {
    let folder = Folder::with(TWO_DISKS);
    let found = explained(&folder, &["--replications", "2"]);
    let of = |settings: &[[&str; 2]]| {
        let wanted = serde_json::json!(settings);
        let mut tried = ["better", "worse"].iter().flat_map(|which| all(&found, which));
        tried
            .find(|tried| tried["change"]["settings"] == wanted)
            .unwrap_or_else(|| panic!("no {settings:?}: {found}"))
    };
    let moved = of(&[["fs.data.on", "quick"]]);
    assert!(figure(moved, "/rate/times") > 3.0, "{moved}");
    assert_eq!(moved["change"]["sort"], "place");
    assert_eq!(moved["change"]["words"], "on quick instead of slow");
    let now = figure(&folder.report(&[]), "/requests_per_s/value");
    let after = figure(&with(&folder, moved, "1"), "/requests_per_s/value");
    assert!((after / now / figure(moved, "/rate/times") - 1.0).abs() < 1e-6, "{moved}: {after} after {now}");
}

#[test]
fn a_journal_comes_home_or_changes_places_with_the_data() {
    let beside = "[workload.beside]";
    let alone = TWO_DISKS
        .split(beside)
        .next()
        .unwrap()
        .replace("on = \"slow\"\n", "on = \"slow\"\njournal = { on = \"quick\" }\n");
    let folder = Folder::with(&alone);
    let found = explained(&folder, &["--replications", "2"]);
    let of = |which: &str, words: &str| {
        let tried = all(&found, which).iter().find(|tried| tried["change"]["words"] == words);
        tried.unwrap_or_else(|| panic!("{words} is not {which}: {found}")).clone()
    };
    let home = of("worse", "its journal within it instead of on quick");
    // Each fsync then waits for a turn of the slow one, which a write of data doesn't.
    let swapped = of("worse", "on quick, and its journal on slow");
    let now = figure(&folder.report(&[]), "/requests_per_s/value");
    for tried in [&home, &swapped] {
        let after = figure(&with(&folder, tried, "1"), "/requests_per_s/value");
        assert!(
            (after / now / figure(tried, "/rate/times") - 1.0).abs() < 1e-6,
            "{tried}: {after} after {now}"
        );
    }
    assert!(figure(&home, "/rate/times") < 0.9, "{home}");
}

#[test]
fn load_from_outside_is_judged_by_its_tail_and_time_adds_up() {
    let folder = Folder::with(RANDOM);
    let found = explained(&folder, &["--set", "workload.w.requests=3000"]);
    assert_eq!(found["by_rate"], false);
    let gains: Vec<f64> = all(&found, "better").iter().map(|tried| figure(tried, "/p99/times")).collect();
    assert!(!gains.is_empty() && gains.is_sorted() && gains.iter().all(|gain| *gain < 1.0), "{gains:?}");
    for tried in all(&found, "better") {
        let interval = &tried["p99"]["interval"];
        let (low, high) = (interval[0].as_f64().unwrap(), interval[1].as_f64().unwrap());
        assert!(
            low <= figure(tried, "/p99/times") && figure(tried, "/p99/times") <= high && high < 1.0,
            "{tried}"
        );
    }
    let report = folder.report(&["--set", "workload.w.requests=3000"]);
    let sum = |parts: &Value| parts.as_array().unwrap().iter().map(|part| figure(part, "/ms")).sum::<f64>();
    let mean = figure(&report, "/latency/mean_ms/value");
    assert!(
        (sum(&found["life"]["average"]) / mean - 1.0).abs() < 1e-6,
        "the average's parts are its latency"
    );
    let p99 = figure(&report, "/latency/p99_ms/value");
    assert!(
        sum(&found["life"]["slowest"]) >= p99 * 0.999,
        "the slowest take at least as long as 99 in a hundred"
    );
    assert!((figure(&found, "/life/slow/took_ms") / p99 - 1.0).abs() < 0.02);
    for one in ["usual", "slow"] {
        let one = &found["life"][one];
        assert!((sum(&one["parts"]) / figure(one, "/took_ms") - 1.0).abs() < 1e-6, "{one}");
    }
}

#[test]
fn an_overload_is_told_first_and_what_ends_it_ends_it() {
    let folder = Folder::with(&RANDOM.replace("15 ms", "7.5 ms"));
    let answer = folder.petrio(&[
        "explain",
        "scenario.toml",
        "--set",
        "workload.w.requests=4000",
        "--json",
        "found.json",
        "--html",
        "found.html",
    ]);
    assert_eq!(answer.code, Some(0), "{}", answer.talk);
    let text = unwrapped(&answer.out);
    let (overload, best) = (text.find("overload").unwrap(), text.find("best").unwrap());
    assert!(overload < best, "{text}");
    let found = folder.json("found.json");
    assert_eq!(found["now"]["overloaded"], true);
    let ending: Vec<&Value> =
        all(&found, "better").iter().filter(|tried| tried["after"]["overloaded"] == false).collect();
    for tried in ending.iter().take(3) {
        let words = tried["change"]["words"].as_str().unwrap();
        assert!(text.contains(&unwrapped(words)), "{words}: {text}");
        let settings = tried["change"]["settings"].as_array().unwrap();
        let set: Vec<String> = settings
            .iter()
            .map(|setting| format!("{}={}", setting[0].as_str().unwrap(), setting[1].as_str().unwrap()))
            .collect();
        let mut arguments = vec!["--set", "workload.w.requests=4000"];
        set.iter().for_each(|set| arguments.extend(["--set", set]));
        let report = folder.report(&arguments);
        let claims: Vec<&str> = report["warnings"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|warning| warning["claim"].as_str())
            .collect();
        assert!(!claims.contains(&"overloaded"), "{words}: {claims:?}");
    }
    assert!(folder.text("found.html").contains("What each change does"));
}

#[test]
fn what_cannot_be_explained_is_told() {
    let folder = Folder::with(&RANDOM.replace("seagate-cheetah-9lp", "seagate-cheetah-9l"));
    let answer = folder.petrio(&["explain", "scenario.toml"]);
    assert_eq!(answer.code, Some(2), "{}", answer.talk);
    assert!(answer.talk.contains("seagate-cheetah-9lp"), "{}", answer.talk);
    assert_eq!(folder.petrio(&["explain", "nothing.toml"]).code, Some(2));
}
