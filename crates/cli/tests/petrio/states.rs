//! Runs put aside in files: what fits goes on, what doesn't is refused with exit code 2, and nothing is left of what wasn't done.

use crate::support::{Folder, RANDOM, unwrapped};

#[test]
fn a_run_goes_on_from_a_file_in_another_process() {
    let folder = Folder::with(RANDOM);
    let save = folder.petrio(&["run", "scenario.toml", "--until", "2 s", "--save", "warm.state"]);
    assert_eq!(save.code, Some(0), "{}", save.talk);
    assert!(save.talk.contains("written: warm.state"), "{}", save.talk);
    let [on, again] = ["on.json", "again.json"].map(|name| {
        let on =
            folder.petrio(&["run", "scenario.toml", "--no-what-if", "--from", "warm.state", "--json", name]);
        assert_eq!(on.code, Some(0), "{}", on.talk);
        folder.read(name)
    });
    assert_eq!(on, again);
    let warm =
        ["run", "scenario.toml", "--no-what-if", "--set", "measure.warm_up=\"2 s\"", "--json", "warm.json"];
    assert_eq!(folder.petrio(&warm).code, Some(0));
    assert_eq!(folder.text("on.json"), folder.text("warm.json"), "as the whole after a warm-up as long");
}

#[test]
fn what_it_cannot_go_on_from_is_refused() {
    let folder = Folder::with(RANDOM);
    assert_eq!(
        folder.petrio(&["run", "scenario.toml", "--until", "1 s", "--save", "warm.state", "-q"]).code,
        Some(0)
    );
    let refused = |arguments: &[&str], words: &str| {
        let answer =
            folder.petrio(&[&["run", "scenario.toml"], arguments, &["--json", "none.json"]].concat());
        assert_eq!(answer.code, Some(2), "{arguments:?}: {}", answer.talk);
        assert!(unwrapped(&answer.talk).contains(words), "{arguments:?}: {}", answer.talk);
        assert!(!folder.names().contains(&"none.json".to_owned()));
    };
    refused(&["--from", "absent.state"], "absent.state: No such file");
    refused(&["--from", "scenario.toml"], "scenario.toml is no state of a run");
    refused(
        &["--from", "warm.state", "--until", "500 ms"],
        "the state is of 1.000 s, and the run would end at 500.000 ms",
    );
    refused(
        &["--from", "warm.state", "--set", "disk.d0.scheduler=\"look\""],
        "the state is of another System: disk.d0.scheduler",
    );
    refused(
        &["--from", "warm.state", "--set", "workload.w.requests=2001"],
        "the state is of another System: workload.w.requests",
    );
    let mut bytes = folder.read("warm.state");
    let last = bytes.len() - 9;
    bytes[last] ^= 1;
    folder.write("warm.state", &bytes);
    refused(&["--from", "warm.state"], "warm.state is damaged");
    // What a run reads it doesn't write over.
    folder.write("warm.state", &bytes[..20]);
    refused(&["--from", "warm.state", "--save", "warm.state"], "warm.state");
}

#[test]
fn what_would_change_it_is_asked_of_a_state_and_other_speeds_go_on_from_it() {
    let folder = Folder::with(RANDOM);
    let save = folder.petrio(&["run", "scenario.toml", "--until", "5 s", "--save", "warm.state", "-q"]);
    assert_eq!(save.code, Some(0), "{}", save.talk);
    let asked = folder.petrio(&["run", "scenario.toml", "--from", "warm.state", "--json", "asked.json"]);
    assert_eq!(asked.code, Some(0), "{}", asked.talk);
    let report = folder.json("asked.json");
    let set = report["bottleneck"]["what_if"]["set"][0].as_str().unwrap().to_owned();
    let told = report["warnings"].as_array().unwrap().iter().map(|said| said["claim"].as_str().unwrap());
    assert!(told.collect::<Vec<_>>().contains(&"not-from-here"));
    let other =
        ["run", "scenario.toml", "--from", "warm.state", "--no-what-if", "--set", &set, "--json", "o.json"];
    let other = folder.petrio(&other);
    assert_eq!(other.code, Some(0), "{}", other.talk);
    let mean = |name: &str| folder.json(name)["latency"]["mean_ms"]["value"].as_f64().unwrap();
    assert!(mean("o.json") < mean("asked.json"), "{set}");
}

#[test]
fn a_trace_whose_read_part_is_cut_off_goes_on_under_any_name() {
    let folder = Folder::with(
        "[disk.d]\nmodel = \"seagate-cheetah-9lp\"\n[workload.w]\nkind = \"trace\"\non = \"d\"\nfiles = [\"requests\"]\n",
    );
    let line = |number: u32| format!("{}.5 0 {} 8 {}\n", number * 25, number * 7_919, number % 2);
    let trace = |from: u32| (from..200).map(line).collect::<String>();
    folder.write("requests", trace(0).as_bytes());
    let save = folder.petrio(&["run", "scenario.toml", "--until", "2 s", "--save", "warm.state", "-q"]);
    assert_eq!(save.code, Some(0), "{}", save.talk);
    let on = |more: &[&str]| {
        let with = ["run", "scenario.toml", "--no-what-if", "--from", "warm.state", "--json", "on.json"];
        folder.petrio(&[&with, more].concat())
    };
    assert_eq!(on(&[]).code, Some(0));
    let whole = folder.text("on.json");
    // What came before 2 s.
    folder.write("rest", trace(80).as_bytes());
    let rest = ["--set", "workload.w.files=[\"rest\"]"];
    let answer = on(&rest);
    assert_eq!(answer.code, Some(0), "{}", answer.talk);
    assert_eq!(folder.text("on.json"), whole);
    folder.write("rest", trace(90).as_bytes());
    let answer = on(&rest);
    assert_eq!(answer.code, Some(2), "{}", answer.talk);
    let words = "rest is neither the one that was read nor what is left of it: 81 of its records are over";
    assert!(unwrapped(&answer.talk).contains(words), "{}", answer.talk);
}
