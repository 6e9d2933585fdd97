//! `-` in the place of a file: standard input and standard output.

use crate::support::{Folder, RANDOM};
use serde_json::Value;
use std::io::Write;
use std::process::Stdio;

/// What a command answers that reads a text from standard input.
fn with_input(folder: &Folder, arguments: &[&str], text: &str) -> (Option<i32>, String, String) {
    let mut command = folder.command(arguments);
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(text.as_bytes()).unwrap();
    drop(input);
    let output = child.wait_with_output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

#[test]
fn a_scenario_and_data_may_come_from_standard_input() {
    let folder = Folder::new();
    let (code, out, talk) = with_input(&folder, &["run", "-", "--json", "-"], RANDOM);
    assert_eq!(code, Some(0), "{talk}");
    let report: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(report["seed"], 1, "{out}");
    let (code, out, talk) =
        with_input(&folder, &["fit", "-", "--family", "exponential"], "latency\n1\n2\n4\n9\n");
    assert_eq!(code, Some(0), "{talk}");
    assert!(out.contains("exponential"), "{out}");
    assert!(folder.names().is_empty(), "{:?}", folder.names());
}

#[test]
fn results_go_to_standard_output_alone_and_make_no_file() {
    let folder = Folder::with(RANDOM);
    for (option, begins) in [("--json", "{"), ("--csv", "scenario,"), ("--html", "<!DOCTYPE html>")] {
        let answer = folder.petrio(&["run", "scenario.toml", option, "-"]);
        assert_eq!(answer.code, Some(0), "{option}: {}", answer.talk);
        assert!(answer.out.to_lowercase().starts_with(&begins.to_lowercase()), "{option}: {}", answer.out);
        assert!(!answer.out.contains("throughput  "), "{option}: the report stands there, too");
        assert!(!answer.talk.contains("written"), "{}", answer.talk);
    }
    let answer = folder.petrio(&["run", "scenario.toml", "--json", "-", "--csv", "-"]);
    assert_eq!(answer.code, Some(2));
    assert!(answer.talk.contains("standard output"), "{}", answer.talk);
    assert_eq!(folder.names(), ["scenario.toml"]);
}
