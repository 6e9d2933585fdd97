//! What a newcomer meets first: help, the schema, the drawing of a net.

use crate::support::{Folder, RANDOM, petrio_at_root};
use serde_json::Value;

#[test]
fn petrio_alone_shows_its_help() {
    let answer = petrio_at_root(&[]);
    assert_eq!(answer.code, Some(2));
    for command in [
        "init",
        "completions",
        "man",
        "run",
        "compare",
        "check",
        "emulate",
        "record",
        "exec",
        "net",
        "schema",
        "catalogue",
        "trace",
        "fit",
        "validate",
        "bench",
        "studio",
        "fs",
        "users",
    ] {
        assert!(answer.talk.contains(&format!("\n  {command} ")), "{command} in {}", answer.talk);
    }
    assert!(answer.talk.contains("Examples:"));
}

#[test]
#[expect(clippy::too_many_lines, reason = "a list of commands and their options")]
fn the_help_of_every_command_names_its_options() {
    for (command, options) in [
        (
            "run",
            &[
                "<SCENARIO>",
                "--set",
                "--seed",
                "--json",
                "--csv",
                "--html",
                "--parquet",
                "--perfetto",
                "--device-log",
                "--quiet",
            ][..],
        ),
        (
            "compare",
            &[
                "<SCENARIO>",
                "--replications",
                "--precision",
                "--confidence",
                "--measure",
                "--dir",
                "--json",
                "--html",
                "@",
            ],
        ),
        ("check", &["<SCENARIO>", "--set", "--seed"]),
        (
            "init",
            &[
                "--from",
                "--out",
                "--drive",
                "--memory",
                "--machine",
                "--kernel",
                "--force",
                "home-directories",
            ],
        ),
        ("net", &["<SCENARIO>", "--svg", "--page", "--overview", "--dot", "--json", "--pnml", "--set"]),
        ("schema", &["scenario", "users", "device", "machine", "kernel"]),
        ("catalogue", &["list", "show", "import"]),
        ("catalogue list", &["drives", "machines", "kernels", "networks", "arrays"]),
        ("catalogue show", &["<NAME>"]),
        ("catalogue import", &["<FILE>", "--drive"]),
        ("validate disks", &["--dir", "--json"]),
        ("validate streaming", &["--json", "1 MiB"]),
        ("validate raid", &["--requests", "--seed", "--json"]),
        ("validate syncs", &["--dir", "--json", "fsync-beside-a-writer.csv"]),
        ("validate residuals", &["--data", "--fs", "--out", "--shipped"]),
        ("validate pariosim", &["--set", "--only", "--scenarios", "--html", "--json"]),
        ("validate dissertation", &["--set", "--only", "--scenarios", "figure-9", "--json"]),
        ("trace characterise", &["<FILE>", "--json", "--html", "--only-device", "--utc-offset", "--quiet"]),
        (
            "fit",
            &[
                "<DATA>",
                "--column",
                "--measure",
                "--unit",
                "--family",
                "--stages",
                "--bootstrap",
                "--seed",
                "--json",
                "--html",
            ],
        ),
        ("studio", &["[FILE]", "--port", "--listen", "--grace", "--no-open"]),
        ("bench", &["disk", "fit", "fs", "kernel", "live", "scale", "trace"]),
        ("bench disk", &["--json"]),
        ("bench scale", &["--json"]),
        ("bench cluster", &["--quick", "--only", "--json"]),
    ] {
        let mut arguments: Vec<&str> = command.split(' ').collect();
        arguments.push("--help");
        let answer = petrio_at_root(&arguments);
        assert_eq!(answer.code, Some(0), "{command}");
        for option in options {
            assert!(answer.out.contains(option), "{command}: no {option} in\n{}", answer.out);
        }
    }
}

#[test]
fn a_command_that_is_not_there_is_refused() {
    let answer = petrio_at_root(&["chekc"]);
    assert_eq!(answer.code, Some(2));
    assert!(answer.talk.contains("'check'"), "{}", answer.talk);
}

#[test]
fn the_schema_is_json_and_explains_every_part() {
    for of in ["scenario", "users", "device", "machine", "kernel", "report"] {
        let answer = petrio_at_root(&["schema", of]);
        let schema: Value = serde_json::from_str(&answer.out).unwrap();
        assert!(schema["$schema"].is_string(), "{of}");
    }
    let schema: Value = serde_json::from_str(&petrio_at_root(&["schema"]).out).unwrap();
    for part in ["title", "seed", "disk", "workload", "measure"] {
        assert!(schema["properties"][part]["description"].is_string(), "{part}");
    }
}

#[test]
fn the_net_of_a_scenario_is_drawn_in_four_forms() {
    let folder = Folder::with(RANDOM);
    let dot = folder.petrio(&["net", "scenario.toml", "--dot"]).out;
    assert!(dot.starts_with("digraph") && dot.trim_end().ends_with('}'));
    assert_eq!(dot.matches('{').count(), dot.matches('}').count());
    assert_eq!(folder.petrio(&["net", "scenario.toml"]).out, dot, "without an option, what Graphviz reads");

    let json: Value = serde_json::from_str(&folder.petrio(&["net", "scenario.toml", "--json"]).out).unwrap();
    let text = json.to_string();
    for page in ["d0", "seek", "rotation", "media", "bus", "programs"] {
        assert!(text.contains(page), "no {page}");
        assert!(dot.contains(page), "no {page}");
    }

    let pnml = folder.petrio(&["net", "scenario.toml", "--pnml"]).out;
    assert!(pnml.contains("<pnml") && pnml.trim_end().ends_with("</pnml>"));

    let answer = folder.petrio(&["net", "scenario.toml", "--svg", "net.svg"]);
    assert_eq!((answer.code, answer.talk.as_str()), (Some(0), "written: net.svg\n"));
    let svg = folder.text("net.svg");
    assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
    let answer = folder.petrio(&["net", "scenario.toml", "--svg", "missing/net.svg"]);
    assert_eq!(answer.code, Some(1));
    assert!(answer.talk.contains("make the folder first"), "{}", answer.talk);
}

#[test]
fn the_net_has_an_overview_and_pages_of_their_own() {
    let folder = Folder::with(RANDOM);
    for (arguments, has, has_not) in [
        (
            &["--overview"][..],
            &[">pages<", ">d0<", "transitions<"][..],
            &["takes, puts</text>\n<text class=\"title\""][..],
        ),
        (&["--page", "d0"], &[">d0<"], &[">pages<"]),
        (&[], &[">pages<", ">d0<"], &["4294967295", "BlockRequest"]),
    ] {
        let answer = folder.petrio(&[&["net", "scenario.toml", "--svg", "net.svg"], arguments].concat());
        assert_eq!(answer.code, Some(0), "{}", answer.talk);
        let svg = folder.text("net.svg");
        for words in has {
            assert!(svg.contains(words), "{arguments:?}: no {words}");
        }
        for words in has_not {
            assert!(!svg.contains(words), "{arguments:?}: {words}");
        }
    }
    let answer = folder.petrio(&["net", "scenario.toml", "--svg", "net.svg", "--page", "d1"]);
    assert_eq!(answer.code, Some(2));
    assert!(
        answer.talk.contains("no page \"d1\"") && answer.talk.contains("did you mean"),
        "{}",
        answer.talk
    );
}
