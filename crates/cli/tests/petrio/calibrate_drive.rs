//! `petrio calibrate --device` and `--simulated`: what is found is a drive for scenarios, and what is no disk is said to be
//! none.

use crate::support::{Answer, Folder, unwrapped};
use std::process::Command;

/// Random reads of a drive.
const READS: &str = r#"title = "random reads"
[disk.d]
model = "hp-97560"
[workload.w]
kind = "synthetic"
on = "d"
requests = 2000
[[workload.w.generators]]
read_fraction = 1.0
time_critical_fraction = 1.0
inter_arrival = "0 s"
size = "4 KiB"
"#;

#[test]
fn the_drive_that_was_found_serves_a_scenario_as_the_one_that_was_measured() {
    let folder = Folder::with(READS);
    let found = folder.petrio(&["calibrate", "--simulated", "hp-97560", "--quick", "--out", "found.toml"]);
    assert_eq!(found.code, Some(0), "{}", found.talk);
    assert!(found.talk.contains("disk.d.file = \"found.toml\""), "{}", found.talk);
    let mean = |model: &str| {
        folder.write("scenario.toml", READS.replace("model = \"hp-97560\"", model));
        let report = folder.report(&[]);
        report["latency"]["mean_ms"]["value"].as_f64().unwrap_or_else(|| panic!("{report:#}"))
    };
    let wrong = folder.petrio(&["run", "scenario.toml", "--set", "disk.d.model=found.toml"]);
    assert_eq!(wrong.code, Some(2), "{}", wrong.out);
    assert!(unwrapped(&wrong.talk).contains("write file = \"found.toml\""), "{}", wrong.talk);
    let (real, modelled) = (mean("model = \"hp-97560\""), mean("file = \"found.toml\""));
    assert!((modelled / real - 1.0).abs() < 0.03, "{modelled} ms in place of {real} ms");
}

#[test]
fn a_quick_look_knows_a_disk_behind_a_large_cache_and_how_many_writes_it_holds() {
    let folder = Folder::new();
    let arguments =
        ["calibrate", "--simulated", "wd-ultrastar-hc580-24tb", "--quick", "--json", "--out", "d.toml"];
    let Answer { out, talk, code } = folder.petrio(&arguments);
    assert_eq!(code, Some(0), "{talk}");
    let found: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(found["found"]["kind"], "disk", "{out}");
    assert_eq!(found["found"]["surfaces"], 20, "{out}");
    assert_eq!(found["warnings"], serde_json::json!([]), "{talk}");
    assert!(found["verified"]["measured"]["random_write"].as_f64().is_some_and(|time| time > 5e-4), "{out}");
    let text = folder.text("d.toml");
    assert!(
        text.contains("immediate_reporting = \"cached\"") && text.contains("[cache.write_back]"),
        "{text}"
    );
    assert!(!text.contains("runs = 0"), "{text}");
}

#[test]
fn a_file_that_is_there_is_kept_and_what_cannot_be_measured_is_refused() {
    let folder = Folder::new();
    folder.write("here.toml", "kept");
    folder.write("small", "no disk");
    for (arguments, words) in [
        (&["--simulated", "hp-97560", "--quick", "--out", "here.toml"][..], "is there already"),
        (&["--simulated", "hp-97561"], "the catalogue has no drive"),
        (&["--simulated", "simple-ssd-32gb-slc"], "no geometry"),
        (&["--device", "nothing"], "nothing"),
        (&["--device", "small"], "smaller than 64 MiB"),
        (&["--device", "."], "it is a directory"),
        (&["--device", "small", "--simulated", "hp-97560"], "cannot be used with"),
    ] {
        let answer = folder.petrio(&[&["calibrate"], arguments].concat());
        assert_eq!(answer.code, Some(2), "{arguments:?}: {}{}", answer.out, answer.talk);
        assert!(unwrapped(&answer.talk).contains(words), "{arguments:?}: {}", answer.talk);
    }
    assert_eq!(folder.text("here.toml"), "kept");
    assert_eq!(folder.names(), ["here.toml", "small"]);
}

/// A block device over a file; taken away at the end.
struct Loop(String);

impl Loop {
    /// `None` where this user, or this kernel, can't make one.
    fn over(folder: &Folder, name: &str) -> Option<Self> {
        let made = Command::new("losetup").args(["-f", "--show"]).arg(folder.path(name)).output().ok()?;
        made.status.success().then(|| Self(String::from_utf8_lossy(&made.stdout).trim().to_owned()))
    }
}

impl Drop for Loop {
    fn drop(&mut self) {
        let _ = Command::new("losetup").args(["-d", &self.0]).status();
    }
}

/// How often a real device is measured until nothing disturbs it.
const TRIES: usize = 3;

#[test]
fn nothing_turns_in_a_loop_device_and_nothing_is_changed_there() {
    let folder = Folder::new();
    let content: Vec<u8> = (0..96u32 << 20).map(|at| (at % 251) as u8).collect();
    folder.write("image", &content);
    let Some(device) = Loop::over(&folder, "image") else {
        println!(
            "skipped: nothing_turns_in_a_loop_device_and_nothing_is_changed_there: no loop device can be made"
        );
        return;
    };
    let all = [&["calibrate", "--quick", "--device", &device.0][..], &["--write", "--json"]].concat();
    // Its times are this machine's: where much else runs, some look as if they were of a cache, and it says so.
    let mut answer = folder.petrio(&all);
    for _ in 1..TRIES {
        if answer.code != Some(0) {
            answer = folder.petrio(&all);
        }
    }
    let Answer { out, talk, code } = answer;
    assert_eq!(code, Some(0), "{talk}");
    let found: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_ne!(found["found"]["kind"], "disk", "{out}");
    // Nothing is ignored silently.
    assert!(unwrapped(&talk).contains("writes were not timed"), "{talk}");
    assert!(found["warnings"][0].as_str().is_some_and(|warning| warning.contains("--write")), "{out}");
    drop(device);
    assert!(folder.read("image") == content, "what was read is written back, and nothing else");
}
