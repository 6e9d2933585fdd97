//! `petrio validate ivy`, `pariosim` and `dissertation`: some of their figures alone, with changes, as scenarios, and broken off.

use crate::support::{Folder, petrio_at_root};
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// A debug build on a busy machine included.
const PATIENCE: Duration = Duration::from_secs(120);

#[test]
fn a_figure_is_repeated_alone_and_one_that_there_is_not_is_refused() {
    let answer = petrio_at_root(&["validate", "dissertation", "--only", "table-2"]);
    assert_eq!(answer.code, Some(0), "{}", answer.talk);
    let told: Vec<&str> = answer.out.lines().filter(|line| line.starts_with("holds: ")).collect();
    assert!(told.len() == 4 && told.iter().all(|line| line.starts_with("holds: table 2,")), "{}", answer.out);
    for study in ["dissertation", "pariosim", "ivy"] {
        let answer = petrio_at_root(&["validate", study, "--only", "figure-99"]);
        assert_eq!(answer.code, Some(2), "{study}: {}", answer.talk);
        assert!(
            answer.talk.contains("there is no figure-99 to repeat; give one of "),
            "{study}: {}",
            answer.talk
        );
    }
}

#[test]
fn what_is_changed_is_compared_and_not_judged() {
    let only = ["validate", "pariosim", "--only", "figure-4"];
    let as_it_is = petrio_at_root(&only);
    assert!(
        as_it_is.out.contains("seconds of 1,000 reads") && as_it_is.out.contains("holds: "),
        "{}",
        as_it_is.out
    );
    assert!(!as_it_is.out.contains("BT-IO on"), "{}", as_it_is.out);
    let changed = petrio_at_root(&[&only[..], &["--set", "disk.d.model=seagate-cheetah-9lp"]].concat());
    assert_eq!(changed.code, Some(0), "{}", changed.talk);
    assert!(
        !changed.out.contains("holds: ") && changed.out.contains("seconds of 1,000 reads"),
        "{}",
        changed.out
    );
    assert_ne!(as_it_is.out.lines().nth(4), changed.out.lines().nth(4));
    let wrong = petrio_at_root(&[&only[..], &["--set", "disk.d.modell=x"]].concat());
    assert_eq!(wrong.code, Some(2), "{}", wrong.talk);
    assert!(wrong.talk.contains("modell"), "{}", wrong.talk);
}

#[test]
fn scenarios_are_written_out_and_run_and_a_folder_that_holds_something_is_left_alone() {
    let folder = Folder::new();
    let out = folder.path("das").display().to_string();
    let write = ["validate", "pariosim", "--only", "figure-4", "--scenarios", &out];
    let answer = petrio_at_root(&write);
    assert_eq!(answer.code, Some(0), "{}", answer.talk);
    assert!(answer.talk.contains("written: 70 scenarios in "), "{}", answer.talk);
    let scenario = folder.path("das/figure-4-reads-of-16-blocks-32-apart.toml").display().to_string();
    let run = petrio_at_root(&["run", &scenario, "--no-what-if", "--json", "-"]);
    assert_eq!(run.code, Some(0), "{}", run.talk);
    let report: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    let json = petrio_at_root(&["validate", "pariosim", "--only", "figure-4", "--json"]);
    let cells: serde_json::Value = serde_json::from_str(&json.out).unwrap();
    let of = |cell: &&serde_json::Value| cell["writes"] == false && cell["chunk"] == 16 && cell["seek"] == 32;
    let cell = cells["das"].as_array().unwrap().iter().find(of).unwrap();
    assert_eq!(report["simulated_s"], cell["seconds"]);
    let again = petrio_at_root(&write);
    assert_eq!(again.code, Some(2), "{}", again.talk);
    assert!(again.talk.contains("it isn't empty"), "{}", again.talk);

    let out = folder.path("machine").display().to_string();
    let answer = petrio_at_root(&["validate", "dissertation", "--only", "caches", "--scenarios", &out]);
    assert_eq!(answer.code, Some(0), "{}", answer.talk);
    let scenario = folder.path("machine/caches-001.toml").display().to_string();
    assert_eq!(petrio_at_root(&["run", &scenario, "--no-what-if", "--quiet"]).code, Some(0));
}

#[test]
fn a_study_that_is_broken_off_tells_what_is_done() {
    let folder = Folder::new();
    let mut study = folder.command(&["validate", "ivy", "--only", "table-5"]);
    let mut study = study.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut talk = BufReader::new(study.stderr.take().unwrap()).lines().map(Result::unwrap);
    // One copy is done when two are begun.
    assert!(talk.by_ref().any(|line| line.starts_with("simulating 2 of ")));
    assert!(Command::new("kill").args(["-INT", &study.id().to_string()]).status().unwrap().success());
    let began = Instant::now();
    let rest: Vec<String> = talk.collect();
    let output = study.wait_with_output().unwrap();
    assert!(began.elapsed() < PATIENCE, "it went on for {:?}", began.elapsed());
    assert_eq!(output.status.code(), Some(130), "{rest:?}");
    assert!(
        rest.iter().any(|line| line.contains("broken off; what is told is what was done by then")),
        "{rest:?}"
    );
    let told = String::from_utf8(output.stdout).unwrap();
    assert!(told.contains("Table 5: ") && told.contains("orderings of read turnarounds: 0 of 0"), "{told}");
}
