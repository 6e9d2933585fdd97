//! `petrio trace characterise`: what it says, what it writes, what it refuses.

use crate::support::{Folder, figure, root};
use std::fmt::Write;

/// Requests in DiskSim's ASCII form: milliseconds, device, block, blocks, 1 for a read. Four pages read in turn, three
/// times.
fn trace() -> String {
    let mut text = String::new();
    for number in 0..12_u32 {
        writeln!(text, "{}.5 0 {} 8 1", number * 10, number % 4 * 8).unwrap();
    }
    text
}

#[test]
fn a_trace_is_characterised_in_words_numbers_and_pictures() {
    let folder = Folder::new();
    folder.write("load.trace", trace());
    let answer = folder.petrio(&[
        "trace",
        "characterise",
        "load.trace",
        "--json",
        "found.json",
        "--html",
        "found.html",
    ]);
    assert_eq!(answer.code, Some(0), "{}", answer.talk);
    for words in ["12 events over 110 ms", "12 reads of 48.0 KiB", "LRU cache", "mixed", "queue"] {
        assert!(answer.out.contains(words), "no {words} in\n{}", answer.out);
    }
    assert_eq!(answer.talk, "written: found.json\nwritten: found.html\n");
    let found = folder.json("found.json");
    assert_eq!(figure(&found, "/device_requests/mix/reads/bytes"), 49_152.0);
    // Four pages in turn: with room for three all miss, with room for four only the first uses.
    let points = found.pointer("/device_requests/pages/miss_ratio/points").unwrap().as_array().unwrap();
    let misses: Vec<(u64, u64)> = points
        .iter()
        .map(|point| (point["pages"].as_u64().unwrap(), point["misses"].as_u64().unwrap()))
        .collect();
    assert_eq!(misses, [(1, 12), (2, 12), (3, 12), (4, 4)]);
    assert_eq!(found["format"], "disksim-ascii");
    let page = folder.text("found.html");
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains("LRU miss ratio"));
}

#[test]
fn the_same_trace_gives_the_same_bytes() {
    let folder = Folder::new();
    folder.write("load.trace", trace());
    for turn in ["one", "two"] {
        let (json, html) = (format!("{turn}.json"), format!("{turn}.html"));
        let answer =
            folder.petrio(&["trace", "characterise", "load.trace", "-q", "--json", &json, "--html", &html]);
        assert_eq!((answer.code, answer.out.as_str()), (Some(0), ""), "{}", answer.talk);
    }
    assert_eq!(folder.read("one.json"), folder.read("two.json"));
    assert_eq!(folder.read("one.html"), folder.read("two.html"));
}

#[test]
fn every_trace_of_the_examples_can_be_characterised() {
    let folder = Folder::new();
    let mut tried = 0;
    for entry in std::fs::read_dir(root().join("examples/traces")).unwrap() {
        let path = entry.unwrap().path();
        let answer = folder.petrio(&["trace", "characterise", path.to_str().unwrap(), "--html", "page.html"]);
        // A folder may explain its traces.
        if path.extension().is_some_and(|extension| extension == "md") {
            continue;
        }
        assert_eq!(answer.code, Some(0), "{}: {}", path.display(), answer.talk);
        tried += 1;
    }
    assert!(tried > 0);
}

#[test]
fn bad_input_is_refused_with_what_to_do() {
    let folder = Folder::new();
    folder.write("load.trace", trace());
    for (arguments, words) in [
        (&["missing.trace"][..], "missing.trace"),
        (&["load.trace", "--html", "load.trace"], "would overwrite load.trace"),
        (&["load.trace", "--html", "x", "--json", "x"], "both name x"),
        (&["load.trace", "--utc-offset", "30"], "from -14 to 14"),
    ] {
        let mut all = vec!["trace", "characterise"];
        all.extend(arguments);
        let answer = folder.petrio(&all);
        assert_eq!(answer.code, Some(2), "{arguments:?}: {}", answer.talk);
        assert!(answer.talk.contains(words), "{arguments:?}: {}", answer.talk);
    }
    let answer = folder.petrio(&["trace", "characterise", "load.trace", "--html", "missing/page.html"]);
    assert_eq!(answer.code, Some(1));
    assert_eq!(folder.text("load.trace"), trace(), "the trace is as it was");
}
