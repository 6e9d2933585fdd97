//! Each note of `petrio compare` is made where it is so, and nowhere else.

use crate::compare::FILES;
use crate::measured::{JOBS, STEADY, fio};
use crate::over_time::DEVICE;
use crate::support::{Folder, RANDOM};
use petrio_study::compare::NoteClaim;
use serde_json::Value;
use std::collections::BTreeSet;

/// What is compared, a claim that it makes, and arguments with which it doesn't.
type Held = (NoteClaim, &'static [&'static str], &'static [&'static str]);

/// Of scenarios among each other.
const SIMULATED: [Held; 4] = [
    (NoteClaim::OneSeed, &["scenario.toml", "seven.toml"], &["scenario.toml", "seven.toml", "--seed", "3"]),
    (
        NoteClaim::PrecisionNotReached,
        &["scenario.toml", "scenario.toml@disk.d0.scheduler=sptf", "--precision", "0.001%"],
        &["scenario.toml", "scenario.toml@disk.d0.scheduler=sptf", "--precision", "90%"],
    ),
    (NoteClaim::CountedApart, &["scenario.toml", "files.toml"], &["scenario.toml", "scenario.toml"]),
    (
        NoteClaim::FromState,
        &[
            "scenario.toml",
            "scenario.toml@disk.d0.drive.mechanics.rotation=\"15000 rpm\"",
            "--from",
            "warm.state",
        ],
        &["scenario.toml", "scenario.toml@disk.d0.drive.mechanics.rotation=\"15000 rpm\""],
    ),
];

/// Of scenarios beside measurements.
const BESIDE: [Held; 4] = [
    (NoteClaim::Measured, &["jobs.toml", "measured:failed.json"], &["jobs.toml", "measured:one.json"]),
    (
        NoteClaim::SeveralRuns,
        &["jobs.toml", "measured:one.json", "measured:two.json"],
        &["jobs.toml", "measured:one.json"],
    ),
    (NoteClaim::NotPredicted, &["jobs.toml", "measured:renamed.json"], &["jobs.toml", "measured:one.json"]),
    (
        NoteClaim::OtherLoad,
        &["jobs.toml@workload.4k-reads.record=\"8 KiB\"", "measured:one.json"],
        &["jobs.toml", "measured:one.json"],
    ),
];

/// Of scenarios beside a live system.
const LIVE: [Held; 3] = [
    (NoteClaim::Assumed, &["device.toml", "measured:busy.txt"], &["device.toml", "device.toml@seed=2"]),
    (NoteClaim::Saturated, &["device.toml", "measured:full.txt"], &["device.toml", "measured:busy.txt"]),
    (NoteClaim::Together, &["device.toml", "measured:sar.txt"], &["device.toml", "measured:busy.txt"]),
];

/// The names of the claims that a comparison makes.
fn claims(folder: &Folder, arguments: &[&str], more: &[&str]) -> BTreeSet<String> {
    let answer = folder.petrio(&[&["compare", "-q", "--json", "c.json"], arguments, more].concat());
    assert_eq!(answer.code, Some(0), "{arguments:?}: {}", answer.talk);
    let found = folder.json("c.json");
    let notes = found["notes"].as_array().unwrap();
    for note in notes {
        // Each is on the screen in words.
        assert!(note["text"].as_str().is_some_and(|text| text.len() > 20), "{note}");
    }
    notes.iter().filter_map(|note| note["claim"].as_str().map(str::to_owned)).collect()
}

fn name(claim: NoteClaim) -> String {
    serde_json::to_value(claim).unwrap().as_str().unwrap().to_owned()
}

fn holds(folder: &Folder, held: &[Held], more: &[&str]) {
    for (claim, so, not_so) in held {
        let made = claims(folder, so, more);
        assert!(made.contains(&name(*claim)), "{claim:?} is missing: {made:?} of {so:?}");
        let made = claims(folder, not_so, more);
        assert!(!made.contains(&name(*claim)), "{claim:?} is wrong: {made:?} of {not_so:?}");
    }
}

#[test]
fn each_note_is_made_where_it_is_so_and_nowhere_else() {
    let folder = Folder::with(RANDOM);
    folder.write("files.toml", FILES);
    folder.write("seven.toml", format!("seed = 7\n{RANDOM}"));
    let save = ["run", "scenario.toml", "-q", "--until", "5 s", "--save", "warm.state"];
    assert_eq!(folder.petrio(&save).code, Some(0));
    holds(&folder, &SIMULATED, &["--replications", "3"]);
    folder.write("job.fio", JOBS);
    assert_eq!(folder.petrio(&["init", "--from", "job.fio", "-o", "jobs.toml"]).code, Some(0));
    let run = ["run", "jobs.toml", "-q", "--no-what-if", "--json", "r.json"];
    assert_eq!(folder.petrio(&[&run[..], &STEADY].concat()).code, Some(0));
    let report: Value = folder.json("r.json");
    let one = fio(&report, 1.0);
    folder.write("failed.json", one.replacen("\"error\": 0", "\"error\": 5", 1));
    folder.write("renamed.json", one.replace("4k reads", "4m reads"));
    folder.write("two.json", fio(&report, 2.0));
    folder.write("one.json", one);
    holds(&folder, &BESIDE, &STEADY);
    folder.write("device.toml", DEVICE);
    let head = "Device r/s rkB/s r_await w/s wkB/s w_await aqu-sz %util\nsda";
    folder.write("busy.txt", format!("{head} 10 40 5 0 0 0 0.05 5\n\n").repeat(5));
    folder.write("full.txt", format!("{head} 200 800 20 0 0 0 4 100\n\n").repeat(5));
    folder.write("sar.txt", "09:00:00 DEV tps rkB/s wkB/s await %util\n09:00:10 sda 10 40 0 5 5\n");
    holds(&folder, &LIVE, &["--replications", "2"]);
}

#[test]
fn no_note_is_without_a_comparison_in_which_it_is_made() {
    let held: BTreeSet<NoteClaim> =
        SIMULATED.iter().chain(&BESIDE).chain(&LIVE).map(|(claim, ..)| *claim).collect();
    assert_eq!(held, NoteClaim::ALL.into_iter().collect());
}
