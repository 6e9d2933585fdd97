//! Bad input: exit code 2, a message with file, line, cause and help, and nothing left behind.

use crate::support::{Folder, RANDOM, REPLAY, unwrapped};
use std::io::Write;

/// Runs with all results asked for; none may be there afterwards.
fn refused(folder: &Folder, more: &[&str], words: &[&str]) {
    let before = folder.names();
    let mut arguments =
        vec!["run", "scenario.toml", "--json", "r.json", "--parquet", "r.pq", "--perfetto", "r.pf"];
    arguments.extend(more);
    let answer = folder.petrio(&arguments);
    assert_eq!(answer.code, Some(2), "{words:?}: {}{}", answer.talk, answer.out);
    assert_eq!(answer.out, "");
    let talk = unwrapped(&answer.talk);
    for word in words {
        assert!(talk.contains(word), "no \"{word}\" in: {talk}");
    }
    assert!(!talk.contains("panicked"), "{talk}");
    assert_eq!(folder.names(), before, "{words:?}");
}

#[test]
fn a_mistake_in_a_scenario_is_shown_with_its_line_and_what_to_write() {
    for (right, wrong, words) in [
        ("\"15 ms\"", "15", &["scenario.toml:12:", "\"15\" has no unit", "write"][..]),
        ("\"15 ms\"", "\"15 KiB\"", &["scenario.toml:12:", "is a size, a duration is needed"]),
        (
            "{ exponential = { mean = \"15 ms\" } }",
            "true",
            &["scenario.toml:12:", "a distribution", "help: write"],
        ),
        ("{ constant = \"4 KiB\" }", "4096", &["scenario.toml:13:", "\"4096\" has no unit"]),
        (
            "{ constant = \"4 KiB\" }",
            "{ constant = \"4 KiB\", exponential = { mean = \"4 KiB\" } }",
            &["one key", "help: write"],
        ),
        (
            "{ constant = \"4 KiB\" }",
            "{ kind = \"constant\", value = \"4 KiB\" }",
            &["\"kind\" is not known here", "it is one of constant"],
        ),
        ("exponential", "exponental", &["scenario.toml:12:", "did you mean \"exponential\"?"]),
        (
            "requests = 2000",
            "reqests = 2000",
            &["scenario.toml:8:", "unknown key", "did you mean \"requests\"?"],
        ),
        ("read_fraction = 0.66", "read_fraction = 66", &["scenario.toml:11"]),
        ("read_fraction = 0.66", "", &["\"read_fraction\" is missing", "help: add a line"]),
        (
            "seagate-cheetah-9lp",
            "seagate-cheta-9lp",
            &["scenario.toml:2:", "did you mean \"seagate-cheetah-9lp\"?"],
        ),
        (
            "on = \"d0\"",
            "on = \"d1\"",
            &["scenario.toml:7:", "no disk or array is called \"d1\"", "did you mean \"d0\"?"],
        ),
        ("kind = \"synthetic\"", "kind = \"syntetic\"", &["scenario.toml:6:", "did you mean \"synthetic\"?"]),
        ("requests = 2000", "", &["scenario.toml:5:", "this workload never ends", "[measure.stop]"]),
        ("[workload.w]", "[workload.w", &["scenario.toml:5:"]),
        ("requests = 2000", "requests = -1", &["scenario.toml:8:"]),
    ] {
        let scenario = RANDOM.replacen(right, wrong, 1);
        assert_ne!(scenario, RANDOM, "{right}");
        refused(&Folder::with(&scenario), &[], words);
    }
}

#[test]
fn a_precision_alone_ends_no_run() {
    let folder = Folder::with(&RANDOM.replace("requests = 2000", ""));
    refused(&folder, &["--set", "measure.stop.precision=0.1"], &["never ends", "how many replications"]);
}

#[test]
fn a_run_shorter_than_its_warm_up_is_refused() {
    let folder = Folder::with(RANDOM);
    let words = ["before its warm-up of", "help: shorten warm_up"];
    refused(&folder, &["--set", "measure.warm_up=\"10 h\""], &words);
    let few = ["--set", "workload.w.requests=3", "--set", "measure.warm_up=auto"];
    refused(&folder, &few, &["found no steady state in 3 requests", "help:"]);
}

#[test]
fn a_load_far_beyond_the_disk_is_refused_as_such() {
    let folder = Folder::with(&RANDOM.replace("15 ms", "10 us").replace("requests = 2000", ""));
    let words = ["the System can't keep up with this load", "help: lower the arrival rate"];
    refused(&folder, &["--set", "measure.stop.time=\"1 h\""], &words);
}

#[test]
fn a_load_somewhat_beyond_the_disk_is_warned_of() {
    let folder = Folder::with(&RANDOM.replace("15 ms", "4 ms"));
    let report = folder.report(&[]);
    let warnings = report["warnings"].to_string();
    assert!(warnings.contains("can't keep up"), "{warnings}");
    let calm = Folder::with(RANDOM).report(&[]);
    assert_eq!(calm["warnings"].as_array().map(Vec::len), Some(0));
}

#[test]
fn a_bad_override_says_which_and_why() {
    let folder = Folder::with(RANDOM);
    for (set, words) in [
        (
            "disk.d0.scheduler=elevator",
            &["--set:1:", "\"elevator\" is not known here", "fcfs, sstf, look"][..],
        ),
        ("disk.d0.schedular=sptf", &["--set:1:", "did you mean \"scheduler\"?"]),
        ("measure.stop.requests", &["--set", "has no \"=\""]),
        ("=5", &["--set", "empty part"]),
        ("measure.warm_up=5", &["--set:1:", "has no unit"]),
        ("disk.d0.queue_depth=0", &["accepts no command", "write 1 or more"]),
        ("disk.d0.count=0", &["between 1 and"]),
    ] {
        refused(&folder, &["--set", set], words);
    }
    refused(&folder, &["--seed", "x"], &["--seed", "invalid"]);
}

#[test]
fn files_that_are_no_scenario_are_refused() {
    let folder = Folder::new();
    folder.write("garbage.toml", [0u8, 159, 146, 150, 255]);
    folder.write("empty.toml", "");
    for (name, words) in [
        ("missing.toml", &["missing.toml can't be read"][..]),
        ("garbage.tml", &["did you mean garbage.toml?"]),
        ("garbage.toml", &["garbage.toml is not text"]),
        ("empty.toml", &["the scenario has no disk", "the scenario has no workload"]),
        (".", &["is a folder"]),
    ] {
        for command in ["check", "run", "net"] {
            let answer = folder.petrio(&[command, name]);
            assert_eq!(answer.code, Some(2), "{command} {name}");
            for word in words {
                assert!(unwrapped(&answer.talk).contains(word), "{command} {name}: {}", answer.talk);
            }
        }
    }
}

#[test]
fn a_trace_that_cannot_be_is_refused_with_its_line() {
    for (trace, words) in [
        (
            "0.0 0 0 8 1\n1.0 0 0 8 1\n0.5 0 0 8 1\n",
            &["load.trace, line 3", "time goes back", "help: sort"][..],
        ),
        ("-1.0 0 0 8 1\n", &["load.trace, line 1", "negative"]),
        ("0.0 0 0 8 1\n1.0 0 0 x 1\n", &["load.trace, line 2", "\"x\""]),
        ("0.0 0 0 8 1\n1.0 0 0 0 1\n", &["load.trace, line 2", "length zero", "help:"]),
        ("0.0 0 0 8 1\n1.0 0 0", &["load.trace, line 2", "ends before"]),
        ("1e300 0 0 8 1\n", &["load.trace, line 1", "is possible"]),
        (
            "0.0 0 0 8 1\n1.0 0 195312500 8 1\n",
            &["load.trace, request 2", "195312500 blocks", "help:", "out_of_range"],
        ),
        ("0.0 0 18446744073709551615 8 1\n", &["load.trace", "1"]),
        ("", &["load.trace", "the file is empty"]),
        ("hello\nworld\n", &["load.trace", "not a trace", "help:"]),
    ] {
        let folder = Folder::with(REPLAY);
        folder.write("load.trace", trace);
        refused(&folder, &[], words);
    }
}

#[test]
fn a_trace_that_is_cut_off_or_garbage_is_refused() {
    let text: String = (0..3_000).map(|n| format!("{n}.5 0 {} 8 1\n", n * 7_919 % 90_000)).collect();
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    gzip.write_all(text.as_bytes()).unwrap();
    let whole = gzip.finish().unwrap();
    let folder = Folder::with(REPLAY);
    folder.write("load.trace", &whole);
    assert_eq!(folder.petrio(&["run", "scenario.toml", "-q"]).code, Some(0), "the whole of it is fine");
    for length in [whole.len() - 1, whole.len() / 2, 20] {
        folder.write("load.trace", &whole[..length]);
        refused(&folder, &[], &["load.trace", "gzip", "too early", "help: copy the file again"]);
    }
    let xz_head = [0xfd, b'7', b'z', b'X', b'Z', 0, 0, 4, 0xe6, 0xd6, 0xb4, 0x46, 2, 0];
    folder.write("load.trace", xz_head);
    refused(&folder, &[], &["load.trace", "xz"]);
    let garbage: Vec<u8> = (0..5_000u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 11) as u8).collect();
    folder.write("load.trace", &garbage);
    refused(&folder, &[], &["load.trace"]);
}

#[test]
fn a_trace_that_is_not_there_is_refused_at_its_line_in_the_scenario() {
    let folder = Folder::with(REPLAY);
    refused(&folder, &[], &["scenario.toml:7:", "load.trace can't be read"]);
    std::fs::create_dir(folder.path("load.trace")).unwrap();
    refused(&folder, &[], &["scenario.toml:7:", "is a folder", "help: name the files in it"]);
}

#[test]
fn a_mutilated_scenario_is_read_or_refused_with_a_reason() {
    for text in [RANDOM, REPLAY] {
        for at in 0..text.len() {
            // A third of them at each place, which is enough of many: fuzz targets try millions.
            let puts = ["", "\"", "}", "[", "=", "-", "9e999", "\u{0}", "\n"];
            for put in puts.into_iter().skip(at % 3).step_by(3) {
                let mutilated = format!("{}{put}{}", &text[..at], &text[at + 1..]);
                if let Err(problems) = petrio_scenario::load_text("mutilated.toml", &mutilated, None, &[]) {
                    assert!(problems.iter().count() > 0, "{mutilated}");
                }
            }
        }
    }
}
