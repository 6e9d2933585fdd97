//! `petrio loss`: what it says is what the formulas of arrays say, how long places are filled is what whole runs show, what is safer loses
//! less, and what can't be answered is told.

use crate::support::{Folder, figure, petrio_at_root, unwrapped};
use serde_json::Value;

/// Hours in a year, as the command has it.
const YEAR: f64 = 8_766.0;

/// Drives of 36 GB that take 10 h to be filled at 1 MB/s, beside a load that asks for next to nothing.
const SLOW: &str = r#"title = "an array"

[disk.d]
model = "constant-rate"
count = 5
drive.blocks = "70312500 blocks"
drive.latency = "1 ms"
drive.rate = "100 MB/s"
drive.reliability.mean_time_to_failure = "20000 h"

[raid.r]
level = 5
on = "d*"
replaced_after = "1 ms"
rebuild = { rate = "1 MB/s" }

[workload.w]
kind = "synthetic"
on = "r"
requests = 600
generators = [{ read_fraction = 1.0, inter_arrival = { exponential = { mean = "100 ms" } }, size = "4 KiB" }]
"#;

fn lost(folder: &Folder, arguments: &[&str]) -> Value {
    let answer =
        folder.petrio(&[&["loss", "scenario.toml", "-q", "--json", "loss.json"], arguments].concat());
    assert_eq!(answer.code, Some(0), "{}", answer.talk);
    folder.json("loss.json")
}

fn chance(found: &Value) -> f64 {
    figure(found, "/loss/chance")
}

/// That a chance is this one, within three of its half intervals.
#[track_caller]
fn agrees(found: &Value, expected: f64) {
    let (chance, half) = (chance(found), figure(found, "/loss/half_width"));
    assert!((chance - expected).abs() < 3.0 * half, "{chance} ± {half}, and {expected} is right");
    assert!(half < 0.06 * chance, "{chance} ± {half}");
}

#[test]
fn the_chance_is_that_of_the_rebuild_that_was_measured_and_of_drives_that_live_so_long() {
    let folder = Folder::with(SLOW);
    let found = lost(&folder, &["--no-changes"]);
    let filled = figure(&found, "/filled/0/loaded_s") / 3_600.0;
    assert!((filled - 10.0).abs() < 0.1, "36 GB at 1 MB/s are ten hours, not {filled}");
    assert!(figure(&found, "/filled/0/seen") < 0.01, "a minute of these was run");
    // Members that fail, and one of four others before the place is filled.
    let (rate, hours) = (1.0 / 20_000.0_f64, 10.0);
    let each = 1.0 - (-4.0 * rate * hours).exp();
    let expected = 1.0 - (-5.0 * rate * YEAR * each).exp();
    agrees(&found, expected);
    assert_eq!(figure(&found, "/sectors/chance"), 0.0);
    assert!((figure(&found, "/groups/0/failures") / (5.0 * rate * YEAR) - 1.0).abs() < 0.05);
    assert!((figure(&found, "/groups/0/longest_in_twenty_s") / 36_000.0 - 1.0).abs() < 0.1);
    // Twice as long, so many more of them.
    let ten = lost(&folder, &["--no-changes", "--years", "3"]);
    agrees(&ten, 1.0 - (1.0 - expected).powi(3));
}

#[test]
fn two_parities_of_good_drives_lose_once_in_a_hundred_million_years() {
    let folder = Folder::with(SLOW);
    let good = "disk.d.drive.reliability.mean_time_to_failure=1000000 h";
    let found = lost(&folder, &["--no-changes", "--set", "raid.r.level=6", "--set", good]);
    // n (n − 1) (n − 2) λ³ over the time in which the first two places are filled side by side, each of a time that is fixed: T²/2.
    let (rate, hours) = (1e-6, figure(&found, "/filled/1/loaded_s") / 3_600.0);
    let expected = 5.0 * 4.0 * 3.0 * f64::powi(rate, 3) * YEAR * hours * hours / 2.0;
    assert!(expected < 1e-9, "{expected}");
    assert!((chance(&found) / expected - 1.0).abs() < 0.25, "{} and {expected}", chance(&found));
    let years = figure(&found, "/mean_years_to_loss");
    assert!((years * chance(&found) - 1.0).abs() < 1e-6, "{years}");
}

#[test]
fn sectors_count_by_all_that_is_read_alone_and_not_where_a_parity_is_left() {
    let folder = Folder::with(SLOW);
    let bits = "disk.d.drive.reliability.bits_per_read_error=1e13";
    let found = lost(&folder, &["--no-changes", "--set", bits]);
    let read: f64 = 4.0 * 36e9 * 8.0 / 1e13;
    let failures = 5.0 * YEAR / 20_000.0;
    let both = 1.0 - (-(failures * (1.0 - (-read - 4.0 * 10.0 / 20_000.0).exp()))).exp();
    agrees(&found, both);
    assert!(figure(&found, "/sectors/chance") > figure(&found, "/failed/chance"));
    let two = lost(&folder, &["--no-changes", "--set", bits, "--set", "raid.r.level=6"]);
    assert!(chance(&two) < chance(&found) / 20.0);
    // What becomes unreadable by itself waits for whoever reads it.
    let latent = "disk.d.drive.reliability.mean_time_to_latent_error=9259 h";
    let [never, seldom, often] = [None, Some("60 d"), Some("7 d")].map(|every| {
        let scrub: Vec<&str> = every.iter().flat_map(|every| ["--scrub", every]).collect();
        chance(&lost(&folder, &[&["--no-changes", "--set", latent][..], &scrub].concat()))
    });
    assert!(never > seldom && seldom > 1.5 * often, "{never} {seldom} {often}");
}

#[test]
fn how_long_a_place_is_filled_under_load_is_what_a_whole_run_shows() {
    // Without a rate the load and the rebuild share the drives.
    let shared = SLOW
        .replace("rebuild = { rate = \"1 MB/s\" }", "")
        .replace("70312500 blocks", "8000000 blocks")
        .replace("100 ms", "10 ms");
    let folder = Folder::with(&shared);
    let short = lost(&folder, &["--no-changes", "--replications", "1"]);
    let whole = lost(&folder, &["--no-changes", "--replications", "1", "--set", "workload.w.requests=20000"]);
    assert!(figure(&short, "/filled/0/seen") < 0.2, "{}", short["filled"]);
    assert_eq!(figure(&whole, "/filled/0/seen"), 1.0, "{}", whole["filled"]);
    let [short, whole] = [&short, &whole].map(|found| figure(found, "/filled/0/loaded_s"));
    assert!((short / whole - 1.0).abs() < 0.05, "{short} s by a part, {whole} s by all of it");
    let run = folder.petrio(&[
        "run",
        "scenario.toml",
        "-q",
        "--no-what-if",
        "--json",
        "r.json",
        "--set",
        "workload.w.requests=20000",
        "--set",
        "raid.r.failures=[{member=0,at=\"0 s\"}]",
    ]);
    assert_eq!(run.code, Some(0), "{}", run.talk);
    let rebuilt = figure(&folder.json("r.json"), "/arrays/0/failures/0/rebuilt_in_s");
    assert!((rebuilt / whole - 1.0).abs() < 0.01, "{rebuilt} s by petrio run, {whole} s by petrio loss");
}

#[test]
fn what_is_safer_loses_less_and_its_command_says_the_same() {
    let folder = Folder::with(SLOW);
    let arguments = [
        "loss",
        "scenario.toml",
        "--json",
        "loss.json",
        "--html",
        "loss.html",
        "--set",
        "raid.r.replaced_after=24 h",
    ];
    let answer = folder.petrio(&arguments);
    assert_eq!(answer.code, Some(0), "{}", answer.talk);
    let found = folder.json("loss.json");
    let changes = found["changes"].as_array().unwrap();
    let of = |words: &str| {
        let change = changes.iter().find(|change| change["words"].as_str().unwrap().contains(words));
        change.unwrap_or_else(|| panic!("no change has {words}: {changes:?}"))
    };
    for safer in ["level 6", "one more spare", "half as much", "in half the time"] {
        assert!(chance(of(safer)) < chance(&found), "{safer}");
    }
    assert!(chance(of("as in the field")) > 5.0 * chance(&found), "by about the square of 3.4");
    let usable = |found: &Value| figure(found, "/usable_bytes");
    assert!((usable(of("level 6")) / usable(&found) - 0.75).abs() < 0.01, "three of four");
    assert!((usable(of("half as much")) / usable(&found) - 0.5).abs() < 0.01);
    // The settings that are printed give the chance that is.
    let settings: Vec<&str> =
        of("level 6")["settings"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    let mut again = vec!["--no-changes", "--set", "raid.r.replaced_after=24 h"];
    settings.iter().for_each(|setting| again.extend(["--set", setting]));
    assert_eq!(chance(&lost(&folder, &again)), chance(of("level 6")));
    let text = unwrapped(&answer.out);
    assert!(text.contains("try it") && text.contains("petrio loss scenario.toml --set"), "{text}");
    let page = folder.text("loss.html");
    assert!(page.contains("What would change it") && page.contains("at level 6"));
    // The same again.
    assert_eq!(folder.petrio(&arguments).code, Some(0));
    assert_eq!(folder.json("loss.json"), found);
    assert_eq!(folder.text("loss.html"), page);
}

#[test]
fn the_example_is_as_its_page_has_it() {
    let answer = petrio_at_root(&["loss", "examples/how-safe.toml", "--no-changes", "--json", "-", "-q"]);
    assert_eq!(answer.code, Some(0), "{}", answer.talk);
    let found: Value = serde_json::from_str(&answer.out).unwrap();
    assert!((chance(&found) - 0.008).abs() < 0.002, "{found}");
    assert!(figure(&found, "/sectors/chance") / chance(&found) > 0.9, "sectors are what is lost");
    let safer = ["--set", "raid.r.level=6", "--set", "disk.d.count=6"];
    let answer = petrio_at_root(
        &[&["loss", "examples/how-safe.toml", "--no-changes", "--json", "-", "-q"][..], &safer].concat(),
    );
    let six: Value = serde_json::from_str(&answer.out).unwrap();
    assert!(chance(&six) < chance(&found) / 100.0, "{six}");
    assert_eq!(
        figure(&six, "/usable_bytes"),
        figure(&found, "/usable_bytes"),
        "six drives hold as much at level 6 as five at 5"
    );
}

#[test]
fn what_has_no_answer_is_told() {
    let folder = Folder::with(SLOW);
    let refused = |arguments: &[&str], words: &[&str]| {
        let answer = folder.petrio(&[&["loss", "scenario.toml", "-q"], arguments].concat());
        assert_eq!(answer.code, Some(2), "{arguments:?}: {}", answer.talk);
        let talk = unwrapped(&answer.talk);
        words.iter().for_each(|words| assert!(talk.contains(words), "{words} is not in {talk}"));
    };
    refused(&["--years", "0"], &["0.001 to 100"]);
    refused(&["--precision", "90 %"], &["0.1 % to 50 %"]);
    refused(&["--age", "old"], &["old"]);
    refused(&["--set", "disk.d.drive.reliability.shape=0"], &["shape", "none of a drive's life"]);
    refused(&["--set", "disk.d.drive.reliability.bits_per_read_error=2"], &["bits_per_read_error", "1e13"]);
    refused(&["--set", "disk.d.drive.reliability.mean_time=1 h"], &["mean_time"]);
    refused(&["--set", "measure.max_time=500 us"], &["too short", "more requests or a longer time"]);
    folder.write("unknown.toml", SLOW.replace("drive.reliability.mean_time_to_failure = \"20000 h\"\n", ""));
    let answer = folder.petrio(&["loss", "unknown.toml", "-q"]);
    assert_eq!(answer.code, Some(2));
    let talk = unwrapped(&answer.talk);
    assert!(
        talk.contains("how long") && talk.contains("disk.d.drive.reliability.mean_time_to_failure=1200000 h"),
        "{talk}"
    );
    // An array that nobody repairs is followed, and said to be so.
    let never =
        SLOW.replace("replaced_after = \"1 ms\"\n", "").replace("rebuild = { rate = \"1 MB/s\" }\n", "");
    folder.write("scenario.toml", &never);
    let found = lost(&folder, &["--no-changes"]);
    let dead = 1.0 - (-YEAR / 20_000.0_f64).exp();
    let two = 1.0 - (1.0 - dead).powi(5) - 5.0 * dead * (1.0 - dead).powi(4);
    agrees(&found, two);
    assert!(found["notes"][0].as_str().unwrap().contains("nobody replaces"), "{found}");
}
