//! The same scenario and seed give the same bytes; another seed gives others.

use crate::support::{Folder, RANDOM, root};

fn report(threads: &str, more: &[&str]) -> Vec<u8> {
    let folder = Folder::with(RANDOM);
    let mut arguments =
        vec!["run", "scenario.toml", "-q", "--json", "r.json", "--csv", "r.csv", "--html", "r.html"];
    arguments.extend(more);
    let status = folder.command(&arguments).env("RAYON_NUM_THREADS", threads).output().unwrap().status;
    assert!(status.success());
    [folder.read("r.json"), folder.read("r.csv"), folder.read("r.html")].concat()
}

#[test]
fn a_second_run_gives_the_same_bytes_with_any_number_of_threads() {
    let first = report("1", &[]);
    for threads in ["1", "2", "5"] {
        assert!(first == report(threads, &[]), "{threads} threads");
    }
}

#[test]
fn replications_give_the_same_bytes_with_any_number_of_threads() {
    let three = ["--set", "measure.replications=3"];
    let first = report("1", &three);
    assert!(first == report("2", &three));
    assert!(first != report("2", &[]), "three replications are not one");
}

#[test]
fn another_seed_gives_other_figures() {
    assert!(report("1", &[]) == report("1", &["--seed", "1"]), "1 is the seed of a scenario that names none");
    assert!(report("1", &[]) != report("1", &["--seed", "2"]));
}

#[test]
fn the_shipped_example_gives_the_same_bytes_twice() {
    let scenario = root().join("examples/load-on-one-disk.toml").display().to_string();
    let run = || {
        let folder = Folder::new();
        let answer = folder.petrio(&[
            "run",
            &scenario,
            "-q",
            "--json",
            "r.json",
            "--set",
            "measure.stop.requests=4000",
        ]);
        assert_eq!(answer.code, Some(0), "{}", answer.talk);
        folder.read("r.json")
    };
    assert!(run() == run());
}

#[test]
fn without_the_question_what_would_change_it_the_run_is_the_same() {
    let of = |more: &[&str]| {
        let folder = Folder::with(RANDOM);
        let answer = folder.petrio(&[&["run", "scenario.toml", "-q", "--json", "r.json"], more].concat());
        assert!(answer.talk.is_empty() || answer.talk.contains("r.json"), "{}", answer.talk);
        folder.json("r.json")
    };
    let (mut whole, plain) = (of(&[]), of(&["--no-what-if"]));
    assert!(whole["bottleneck"]["what_if"].is_object() && plain["bottleneck"].is_null());
    whole["bottleneck"] = serde_json::Value::Null;
    let mut plain = plain;
    plain["bottleneck"] = serde_json::Value::Null;
    assert_eq!(whole, plain);
}
